"""The kernels that a second process compiles for a run of twlearn: first those after the scores of parent sets.

The first process begins with the scores, and calls nothing else until it has them (`common.learning.compilation_run`).
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import CliquewiseError
from ..common.files.parentsets import ParentSets
from ..common.learning.compilation_run import ReversedCompilation
from .learn import learn

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config


def compile_ahead(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> None:
    """Run `learn`, for a monitor that ends it when all is compiled.

    Parameters
    ----------
    source, scoring
        As for `learn`.
    config
        With a method, not auto.
    monitor : ReversedCompilation
    """
    if config.method != "climb":  # which has no parent sets at its beginning
        with ReversedCompilation(monitor.limits) as first, contextlib.suppress(KeyboardInterrupt, CliquewiseError):
            learn(_few_sets(source.n), scoring, config, first)
    learn(source, scoring, config, monitor)


def _few_sets(n: int) -> ParentSets:
    """Few parent sets of n variables; the best network with three parents each is of no small treewidth."""
    sets = []
    for v in range(n):
        near = tuple(sorted({v - 1, v // 2, v // 3} & set(range(v))))
        sets.append([(*one, -1, -1, -1)[:3] for one in dict.fromkeys((near, near[:1], ()))])
    scores = tuple(-np.arange(float(len(own))) for own in sets)
    return ParentSets(tuple(map(str, range(n))), tuple(map(np.array, sets)), scores)
