"""Prediction of held-out rows by independent variables, by the best forest, and by a network.

A fifth of the rows is held out. Each network is learned from the others, fitted to them, and evaluated by the mean log
probability of the held-out rows, or of their observed cells if some are missing.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.incomplete import IncompleteData
from ..common.files.atomic_write import write_whole
from ..common.graphs.graph import Graph
from ..common.inference.em import fit_em
from ..common.inference.em_limits import EmLimits
from ..common.models.held_out import folds, held_out_logs, mean_and_error
from ..common.models.model_fit import fit, parents_of_chordal
from .report import Prediction

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.data.dataset import Dataset

PARTS = 5
MIN_ROWS = 50


def predictions(data: Dataset, ess: float, seed: int, learners: dict[str, Callable]) -> tuple[Prediction, ...]:
    """The mean log probability of held-out rows.

    Parameters
    ----------
    data
        With fewer than `MIN_ROWS` rows, the result is empty.
    ess
        Equivalent sample size of the fits.
    learners : dict of str to callable
        By name of a model, a function that learns a chordal Graph from the rows that are not held out.

    Returns
    -------
    tuple of Prediction
    """
    if data.n_rows < MIN_ROWS:
        return ()
    learned, test = next(iter(folds(data, PARTS, seed)))
    found = []
    for name, learner in {"independent variables": lambda rows: Graph(rows.n, (), rows.names), **learners}.items():
        parents = parents_of_chordal(learner(learned))
        if isinstance(learned, IncompleteData):
            network = fit_em(learned, parents, ess, EmLimits()).network
            logs = network.log_likelihood(np.asarray(test.codes))
        else:
            logs = held_out_logs(fit(learned, parents, ess), test.codes)
        found.append(Prediction(name, *mean_and_error(logs, test.weights)))
    return tuple(found)


def write_predictions(found: tuple[Prediction, ...], path: str) -> None:
    """Write predictions as JSON."""
    write_whole(path, json.dumps([asdict(one) for one in found], indent=1) + "\n")


def read_predictions(path: str) -> tuple[Prediction, ...]:
    """The predictions that `write_predictions` wrote."""
    return tuple(Prediction(**one) for one in json.loads(Path(path).read_text(encoding="utf-8")))
