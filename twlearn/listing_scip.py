"""The N best networks of bounded treewidth with proof, by the integer program of `twlearn.networks_scip`.

One run finds all: each network that SCIP finds is recorded, and then excluded by a constraint, so SCIP never has a
solution; it ends when nothing is left that scores as much as the last network wanted, a limit that rises as networks
are found. The constraint of a network with the families P_v is

    sum over v of x(v, P_v)   <=   n - 1;

that of a class of equivalent networks excludes all of them at once. For a set S of two or three vertices let c(S) be 1
if one of its members has the others among its parents: two networks are equivalent if and only if they have the same c
(Studeny, Hemmecke and Lindner, Characteristic imset, PGM 2010). With c of a known network, and M the sum of c,

    sum over the sets S with c(S) = 1, less that over the others, of the families x(v, P) that make S   <=   M - 1.

Cost: as there; the families are those that lose no more than the last network wanted, also if a subset scores better.
"""

from __future__ import annotations

import logging
import math
import time
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from pyscipopt import quicksum

from ..common.bounds.incumbent import equal_within
from ..common.counted import counted
from ..common.exact.scip import optimize
from ..common.sets.masks import members
from .networks_scip import NetworkConstraints, UndecidedError, program_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.exact.scip import ProgramLimits
    from .best_networks import BestBayesianNetworks
    from .families import ScoredFamilies

LOG = logging.getLogger("cliquewise")
NO_PARENT = -1


def list_all(
    families: ScoredFamilies,
    chosen: np.ndarray,
    pool: BestBayesianNetworks,
    edges: Sequence[tuple[int, int]],
    limits: ProgramLimits,
) -> tuple[float, bool]:
    """Offer all networks of interest.

    Parameters
    ----------
    families
        Of at most 64 variables.
    chosen : int64[m]
        The families, by row, ascending, that networks of interest consist of.
    pool
        With a network.
    edges
        That every network must have.
    limits

    Returns
    -------
    (float, bool)
        A bound on the score of every network that was not offered, and whether all of interest were.
    """
    began, lowest = time.monotonic(), _limit(pool)
    model, x = program_of(families, chosen, lowest)
    for name in ("misc/allowstrongdualreds", "misc/allowweakdualreds"):  # they keep only one of equal solutions
        model.setParam(name, False)
    handler = ListingConstraints(x, families, chosen, pool, lowest)
    for u, v in edges:
        child, parents = handler.child, handler.parents
        joined = ((child == u) & (parents >> np.uint64(v) & np.uint64(1) == 1)) | (
            (child == v) & (parents >> np.uint64(u) & np.uint64(1) == 1)
        )
        model.addCons(quicksum(x[i] for i in np.flatnonzero(joined)) == 1)
    handler.include_in(model, "networks")
    try:
        found = optimize(model, x, handler, limits, began)
    except UndecidedError:
        return math.inf, False
    LOG.info("%s excluded, %s", counted(handler.excluded, "network"), counted(found.nodes, "node"))
    is_done = found.status in ("optimal", "infeasible")
    return (pool.floor if is_done else max(pool.floor, found.bound)), is_done


def _limit(pool: BestBayesianNetworks) -> float:
    """The score up to which SCIP need not find networks."""
    return pool.floor - 2.0 * equal_within(pool.best)


class ListingConstraints(NetworkConstraints):
    """Constraint handler that offers each network of the program, and excludes it.

    Parameters
    ----------
    x : list of pyscipopt.Variable
    families, chosen, pool
        As for `list_all`.
    limit : float
        SCIP's limit of the objective.
    """

    def __init__(
        self, x: list[Any], families: ScoredFamilies, chosen: np.ndarray, pool: BestBayesianNetworks, limit: float
    ) -> None:
        super().__init__(x, families, chosen, pool.w)
        self._pool, self._limit, self.excluded = pool, limit, 0
        self._sets, self._number = _sets_of(self.child.tolist(), self.parents.tolist())

    def conssepalp(self, constraints: list, *_flags: bool) -> dict[str, int]:
        """As in the base class; first the limit of the objective is raised to the present one."""
        limit = _limit(self._pool)
        if limit > self._limit:
            self._limit = limit
            self.model.setObjlimit(limit)
        return super().conssepalp(constraints)

    def violated(self, values: np.ndarray, integral: bool) -> Sequence[tuple]:
        """As in the base class; for a network, the constraint that excludes it."""
        found = super().violated(values, integral)
        if found or not integral:
            return found
        rows = np.flatnonzero(values > 0.5)
        self._pool.offer(tuple(self.parents[rows].tolist()))
        self.excluded += 1
        if not self._pool.by_class:
            return [(rows, None, self.n - 1)]
        return [self._without_class(rows)]

    def _without_class(self, rows: np.ndarray) -> tuple[np.ndarray, None, int, np.ndarray]:
        """The constraint of the class of a network, with weights."""
        own = np.unique(self._sets[rows])
        sign = np.full(self._number + 1, -1.0)
        sign[own], sign[NO_PARENT] = 1.0, 0.0
        weights = sign[self._sets].sum(axis=1)
        inside = np.flatnonzero(weights)
        return inside, None, int(np.count_nonzero(own != NO_PARENT)) - 1, weights[inside]


def _sets_of(child: list[int], parents: list[int]) -> tuple[np.ndarray, int]:
    """The sets that each family makes, by number, and how many there are: int64[m, k], padded with NO_PARENT."""
    numbers: dict[int, int] = {}
    listed = []
    for v, mask in zip(child, parents, strict=True):
        own = [1 << u for u in members(mask)]
        sets = [1 << v | one for one in own] + [1 << v | one | other for one, other in combinations(own, 2)]
        listed.append([numbers.setdefault(each, len(numbers)) for each in sets])
    table = np.full((len(listed), max(1, *map(len, listed))), NO_PARENT, np.int64)
    for row, sets in zip(table, listed, strict=True):
        row[: len(sets)] = sets
    return table, len(numbers)
