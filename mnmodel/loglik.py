"""`mnmodel loglik`: log probabilities of rows under models that are read or fitted, or under a mixture of them."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.reading import MISSING
from ..common.errors import UsageError
from ..common.files.file_kinds import described
from ..common.files.input_stream import read_text
from ..common.models.held_out import mean_and_error
from ..common.models.mixture import component_networks
from ..common.models.model_data import codes_for, read_rows
from ..common.models.model_file import looks_like_model, read_model
from ..mixture.weights import em_weights, mixture_logs
from .fit import FitOptions, GraphToFit

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..common.learning.sources import InputOptions


LOG = logging.getLogger("cliquewise")


def read_or_fit(
    paths: Sequence[str], source_options: InputOptions, options: FitOptions, uai_order: str | None
) -> tuple[list, str]:
    """The models given by files, and the data to evaluate them on.

    Parameters
    ----------
    paths : sequence of str
        Models and then data; or data, graphs to fit to these (those of models too), and then the data to evaluate on.
    source_options
        How to read the data to fit to.
    options
    uai_order
        As for `common.models.model_file.read_model`.

    Returns
    -------
    (list of BayesianNetwork or FittedNetwork, str)
        The models and the last path.

    Raises
    ------
    UsageError
        Too few files; options of a fit, but the models are not fitted.
    DataError
        A broken file.
    """
    *rest, last = paths
    if looks_like_model(paths[0]):
        if options != FitOptions() or source_options.missing is not None:
            raise UsageError("--ess, --ml, --missing and --states-of are for a fit; with MODEL leave them out")
        return [read_model(path, uai_order) for path in rest], last
    if len(paths) < 3:
        found = described(read_text(paths[0], "a model")) or "not a model"  # an error of reading may be the cause
        raise UsageError(f"{paths[0]}: {found}; give MODEL DATA, or DATA GRAPH TEST to fit and evaluate")
    first, *graphs = rest
    if uai_order is not None:
        raise UsageError("--uai-order has no effect: probabilities are fitted, not read; leave it out")
    read = [GraphToFit.parse(read_text(path, "a graph file"), path) for path in graphs]
    data = options.load(replace(source_options, data=first), read)
    return [options.fit(data, graph)[0] for graph in read], last


def _row_logs(models: Sequence[Any], path: str, tables: InputOptions) -> tuple[np.ndarray, np.ndarray | None]:
    """Log probabilities of the stored rows of a file under each model, float64[models, rows], and their weights."""
    data = read_rows(path, tables.reading(missing="state"), network=models[0])
    logs = np.array([model.log_likelihood(codes_for(model, data, partial=True, narrow=True)) for model in models])
    return logs, None if data.counts is None else data.weights


def _check_comparable(models: Sequence[Any]) -> None:
    """Refuse models of different variables, or that disagree on whether a missing cell is a state."""
    first, *others = map(_missing_states, models)
    for other in others:
        differs = next((name for name in (*first, *other) if first.get(name) != other.get(name)), None)
        if differs is not None:
            what = "a missing cell is a state of" if differs in first and differs in other else "there is a variable"
            raise UsageError(f"{what} '{differs}' in some of the models only; their probabilities have no average")


def _missing_states(model: Any) -> dict[str, set[str]]:
    """Of each variable but a hidden class, the states that stand for a missing cell."""
    one = component_networks(model)[0]
    return {name: set(MISSING).intersection(labels) for name, labels in zip(one.names, one.states, strict=True)}


def evaluate(
    models: Sequence[Any], path: str, tables: InputOptions, weights_from: str | None
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Log probabilities of rows under a mixture of models.

    Parameters
    ----------
    models : sequence of BayesianNetwork or FittedNetwork
    path
        A CSV.
    tables
        How the files are read.
    weights_from
        A CSV to whose rows the weights are fitted; equal weights if None.

    Returns
    -------
    (float64[rows], int64 or float64[rows] or None, float64[models])
        Log probabilities, how many rows each one stands for, and the weights.

    Raises
    ------
    CliquewiseError
        Data that do not fit the models, or weights for one model.
    """
    if weights_from is not None and len(models) == 1:
        raise UsageError("--weights-from has no effect with one model; leave it out")
    _check_comparable(models)
    weights = np.full(len(models), 1 / len(models))
    if weights_from is not None:
        logs, row_counts = _row_logs(models, weights_from, tables)
        weights = em_weights(logs, weights_from, row_counts=row_counts)
    logs, row_counts = _row_logs(models, path, tables)
    rows = mixture_logs(logs, weights)
    impossible = np.isneginf(rows)
    if impossible.any():
        first = f", the first is row {impossible.argmax() + 1}" if row_counts is None else ""
        every = np.ones(len(rows), np.int64) if row_counts is None else row_counts
        LOG.warning("%s: rows of probability zero: %d of %d%s", path, every[impossible].sum(), every.sum(), first)
    return rows, row_counts, weights


def summary(rows: np.ndarray, row_counts: np.ndarray | None, weights: np.ndarray, fmt: str) -> str:
    """The mean log probability of rows as text.

    Parameters
    ----------
    rows : float64[rows]
    row_counts : int64 or float64[rows], or None
        How many rows each one stands for.
    weights : float64[models]
        Printed if there are several.
    fmt
        text or json, which has null for values that are not finite.

    Returns
    -------
    str
        With its standard error, which does not exist for one row or with a row of probability zero.
    """
    total, (mean, error) = (
        len(rows) if row_counts is None else float(row_counts.sum()),
        mean_and_error(rows, row_counts),
    )
    n_rows = float(f"{total:.10g}")
    n_rows = int(n_rows) if n_rows.is_integer() else n_rows
    result = {"loglik": mean, "standard-error": error if n_rows > 1 else math.nan}
    if fmt == "json":
        rounded = {key: round(value, 9) if math.isfinite(value) else None for key, value in result.items()}
        return json.dumps({**rounded, "rows": n_rows, "weights": [round(float(weight), 9) for weight in weights]})
    text = " ".join(f"{key} {value:.6f}" for key, value in result.items()) + f" rows {n_rows}"
    return text + (f" weights {','.join(f'{weight:.6f}' for weight in weights)}" if len(weights) > 1 else "")
