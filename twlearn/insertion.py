"""Networks built greedily, variable by variable (`twlearn.insertion_kernels`): the best of several runs.

The first run uses the exact losses; the others start with a random variable and perturb all losses and weights
slightly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.compiled.random_kernels import random_states
from .families import ScoredFamilies
from .insertion_kernels import GrowingNetwork, Listed, grow

if TYPE_CHECKING:
    from ..common.run.monitor import Monitor

NOISE = 0.3


class PartialKTree(NamedTuple):
    """A network with the tree that proves its treewidth.

    score : float
    rows : int64[n], each variable's row in the Families
    cliques : list of frozenset of int, one created by each variable
    clique_parent : int64[n], the parent of each clique; -1 for the root
    """

    score: float
    rows: np.ndarray
    cliques: list
    clique_parent: np.ndarray


def best_insertion(families: ScoredFamilies, width: int, seed: int, runs: int, monitor: Monitor) -> PartialKTree:
    """The best of some networks.

    Parameters
    ----------
    width
        Bound on the treewidth, >= 1.
    runs
        At least 1.
    monitor
        If it stops the run, no further network is built; the first one is always built.

    Returns
    -------
    PartialKTree
    """
    listed = listed_of(families, width)
    growths = [_growth(families.n, width, state) for state in random_states(seed, runs)]
    told, best = monitor.phase("insertion"), None

    def run(i: int) -> float:
        return grow(listed, growths[i], NOISE if i else 0.0, monitor.stop) if monitor.may_go_on() or not i else -np.inf

    for first in range(0, runs, monitor.threads):
        batch = range(first, min(runs, first + monitor.threads))
        for i, score in zip(batch, monitor.map(run, batch), strict=True):
            if best is None or score > best[0]:
                best = score, i
        told(batch.stop / runs)
    assert best is not None
    score, i = best
    cliques = [frozenset(clique[clique >= 0].tolist()) for clique in growths[i].cliques]
    return PartialKTree(score, growths[i].choice, cliques, growths[i].clique_parent)


def compile_insertion() -> None:
    """Build the network of two variables without possible parents, so that nothing is compiled while the clock runs."""
    nothing = ScoredFamilies(np.arange(3), np.full((2, 1), -1, np.int32), np.zeros(2))
    grow(listed_of(nothing, 1), _growth(2, 1, random_states(0, 1)[0]), 0.0, np.zeros(1, np.int64))


def listed_of(families: ScoredFamilies, width: int) -> Listed:
    """The Listed of some Families."""
    rows, columns = np.nonzero(families.parents >= 0)
    members = families.parents[rows, columns]
    with_parent = rows[np.argsort(members, kind="stable")].astype(np.int32)
    with_start = np.concatenate([[0], np.cumsum(np.bincount(members, minlength=families.n))]).astype(np.int64)
    owner = np.repeat(np.arange(families.n, dtype=np.int32), np.diff(families.start))
    return Listed(*families[:3], owner, with_parent, with_start, width)


def _growth(n: int, width: int, state: np.ndarray) -> GrowingNetwork:
    """Work space of one run with random state uint64[4]."""

    def vertices() -> np.ndarray:
        return np.zeros(n, np.int64)

    return GrowingNetwork(
        choice=vertices(),
        cliques=np.zeros((n, width + 1), np.int32),
        clique_parent=vertices(),
        order=vertices(),
        place=vertices(),
        holders=np.zeros(n * (width + 1), np.int32),
        next_holder=np.zeros(n * (width + 1), np.int64),
        first_holder=vertices(),
        heap=vertices(),
        at=vertices(),
        loss=np.zeros(n),
        bend=np.zeros(n),
        weight=np.zeros(n),
        random=state.copy(),
    )
