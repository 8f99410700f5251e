"""The best network of bounded treewidth by an integer program of its families alone.

There is a 0/1 variable for each family (row of ScoredFamilies), of which each vertex has one. SCIP maximises the score;
two kinds of constraints are added when a solution violates them:

* clusters: in every set C of vertices one has no parent in C (Jaakkola et al., AISTATS 2010), so there is no cycle;
* obstructions: some families of a network, or parts T of them, make the moral graph too wide (`twlearn.obstructions`).
  Let p(T) be the sum over the families in which one member of T is the child and the others are among its parents: in
  a network without cycle 0 or 1. So any network within the treewidth has

      sum over the parts T of p(T)   <=   their number - 1.

  For a fractional solution they are searched in the network of each vertex's largest families.

This is the program of GOBNILP (Bartlett and Cussens, AIJ 244, 2017) with the treewidth as a constraint. The program of
`twlearn.milp_cutting` has the k-tree around the network as well, and its bound is better where the treewidth excludes
most good networks: on the 14 variables of housing, treewidth 2, it has the optimum where this one is 42 above after
30 s. Where the best network of any treewidth is a little too wide, few obstructions are needed: with treewidth 3 and
the first 25 columns of Horse this program takes 2 s, where the other left 0.9 after a minute.

Cost: a linear program of all families that may be in a better network, again after each round of constraints.
"""

from __future__ import annotations

import math
import time
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyscipopt import SCIP_PARAMSETTING, quicksum

from ..common.bounds.violated_rows import Solution
from ..common.exact.scip import LazyConstraints, optimize, quiet_model
from .milp_separation import cluster_cuts
from .obstructions import graph_of_cliques, is_wider, obstruction
from .silander_myllymaki import masks_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.exact.scip import ProgramLimits
    from .families import ScoredFamilies

MAX_WORD_VARIABLES = 64  # of masks
MIN_VALUE = 0.2  # of the families of a fractional solution in which obstructions are searched
MAX_OBSTRUCTIONS = 4, 12  # that are searched in a fractional solution, and in a network
MIN_VIOLATION = 1e-3  # smallest violation of a constraint by a fractional solution
FEASIBILITY_TOLERANCE = 1e-9  # SCIP's tolerance: with 1e-6 it overlooks networks that are better by 1e-8 of the score
NOISE = 0.3  # added to values of families, for different obstructions

Constraint = tuple[np.ndarray, int | None, int | None]  # families, least and largest sum


class Attempt(NamedTuple):
    """The result.

    rows : list of int or None, the family of each vertex in the best network found; None if none is better
    bound : float, no network of these families within the treewidth scores more than this, the known one and this best
    """

    rows: list[int] | None
    bound: float


class UndecidedError(Exception):
    """Whether a network is within the treewidth could not be decided."""


def attempt(families: ScoredFamilies, chosen: np.ndarray, w: int, known_score: float, limits: ProgramLimits) -> Attempt:
    """Look for the best network of some families, with p(T) bounded for each obstruction that is met.

    Parameters
    ----------
    families
        Of at most 64 variables.
    chosen : int64[m]
        These families, by row, ascending; at least one of each variable, or there is no network.
    w
        Bound on the treewidth.
    known_score
        Of a network; only better ones are looked for.
    limits

    Returns
    -------
    Attempt
    """
    began = time.monotonic()
    model, x = program_of(families, chosen, known_score)
    handler = NetworkConstraints(x, families, chosen, w)
    handler.include_in(model, "networks")
    try:
        found = optimize(model, x, handler, limits, began)
    except UndecidedError:
        return Attempt(None, np.inf)
    rows = None if found.values is None else chosen[found.values > 0.5].tolist()
    return Attempt(rows, known_score if found.status in ("optimal", "infeasible") else found.bound)


def program_of(families: ScoredFamilies, chosen: np.ndarray, limit: float) -> tuple[Any, list[Any]]:
    """The program of some families, by row (int64[m]), and its variables: solutions that score more than a limit."""
    child = families.child[chosen]
    model = quiet_model("networks")
    model.setMaximize()
    model.setParam("numerics/feastol", FEASIBILITY_TOLERANCE)
    model.setHeuristics(SCIP_PARAMSETTING.OFF)
    model.setSeparating(SCIP_PARAMSETTING.OFF)  # of its own
    best = families.scores[families.start[:-1]]  # SCIP's tolerances are relative, so values are to be small
    x = [model.addVar(vtype="B", obj=float(gain)) for gain in families.scores[chosen] - best[child]]
    for v in range(families.n):
        model.addCons(quicksum(x[i] for i in np.flatnonzero(child == v)) == 1)
    model.addObjoffset(math.fsum(best))
    if math.isfinite(limit):
        model.setObjlimit(limit)
    return model, x


class NetworkConstraints(LazyConstraints):
    """Constraint handler for clusters and obstructions.

    Parameters
    ----------
    x : list of pyscipopt.Variable
        Of the families.
    families, chosen, w
        As for `attempt`.
    """

    def __init__(self, x: list[Any], families: ScoredFamilies, chosen: np.ndarray, w: int) -> None:
        super().__init__(x)
        self.n, self.child, self.w = families.n, families.child[chosen], w
        self.parents = masks_of(families.parents[chosen]).astype(np.uint64)
        self.bit = np.uint64(1) << self.child.astype(np.uint64)
        self._random = Random(1)

    def violated(self, values: np.ndarray, integral: bool) -> Sequence[tuple]:
        """Clusters first; if there is none, obstructions.

        Parameters
        ----------
        values : float64[m]
        integral

        Returns
        -------
        list of (int64[], int or None, int or None)
        """
        used = values > (0.5 if integral else MIN_VIOLATION)
        solution = Solution(self.n, self.child[used], self.parents[used], values[used])
        found = [self._cluster(mask) for mask in cluster_cuts(solution, MIN_VIOLATION).singles.tolist()]
        return found or self._obstructions(values, integral)

    def _cluster(self, mask: int) -> Constraint:
        """The constraint of a cluster: the families of its vertices without a parent in it, one of which is chosen."""
        cluster = np.uint64(mask)
        return np.flatnonzero((self.bit & cluster != 0) & (self.parents & cluster == 0)), 1, None

    def _obstructions(self, values: np.ndarray, integral: bool) -> list[Constraint]:
        """Violated constraints of obstructions to the network of each vertex's family of largest value.

        Raises
        ------
        UndecidedError
        """
        least, most = 0.5 if integral else MIN_VALUE, MAX_OBSTRUCTIONS[integral]
        cliques, worth = dict[int, int](), dict[int, float]()
        for row in np.flatnonzero(values > least).tolist():
            v = int(self.child[row])
            if self.parents[row] and values[row] > worth.get(v, 0.0):
                cliques[v], worth[v] = int(self.parents[row] | self.bit[row]), float(values[row])
        is_wide, found = is_wider(graph_of_cliques(cliques), self.w), dict[tuple[int, ...], Constraint]()
        if is_wide is None and integral:
            raise UndecidedError
        for _ in range(most if is_wide else 0):
            noise = {v: self._random.random() * NOISE for v in cliques}
            order = sorted(cliques, key=lambda v: worth[v] + noise[v])
            parts = sorted(obstruction(cliques, self.w, order, self._random).values())
            rows = self._covering(parts)
            if values[rows].sum() > len(parts) - 1 + MIN_VIOLATION:
                found[tuple(parts)] = rows, None, len(parts) - 1
        return list(found.values())

    def _covering(self, parts: Sequence[int]) -> np.ndarray:
        """The families that make any of some sets complete: int64[], with one of its members as the child."""
        family = self.parents | self.bit
        sets = [np.uint64(part) for part in parts]
        return np.concatenate([np.flatnonzero((family & part == part) & (self.bit & part != 0)) for part in sets])
