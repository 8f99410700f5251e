"""The scores of all sets of variables in an array indexed by mask, and a network's score by them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.chordal import chordal_score
from ..scores.all_scores import scores_within

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.scorefile import CliqueScores
    from ..graphs.graph import Graph
    from ..run.monitor import Monitor
    from ..scores.scoring import Scoring


def dense_scores(source: Dataset | CliqueScores, scoring: Scoring, largest: int, monitor: Monitor) -> np.ndarray:
    """The scores of all sets of up to `largest` variables.

    Returns
    -------
    float64[2^n]
        By mask; minus infinity for larger sets.
    """
    masks, values = scores_within(source, scoring, largest, monitor)
    scores = np.full(1 << source.n, -np.inf)
    scores[masks.astype(np.int64)] = values
    return scores


def finite_sets(scores: np.ndarray) -> np.ndarray:
    """The sets that have a score, and so may be complete: int64 masks, ascending.

    Supersets of a forbidden set are forbidden too, so all subsets of these sets are among them.

    Parameters
    ----------
    scores : float64[2^n], from `dense_scores`
    """
    return np.flatnonzero(np.isfinite(scores))


def set_score(scores: np.ndarray, members: Iterable[int]) -> float:
    """The score of a set of variables, from float64[2^n]."""
    return float(scores[sum(1 << v for v in members)])


def score_of(graph: Graph, scores: np.ndarray) -> float:
    """The score of a chordal graph from its cliques and separators.

    Parameters
    ----------
    scores : float64[2^n]
    """
    return chordal_score(graph, partial(set_score, scores))
