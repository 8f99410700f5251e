"""The integer program of the NIPS 2014 paper, constraints (2)-(5), solved by SCIP.

There is a 0/1 variable p per family (row of Families), of which each vertex has one; 0/1 variables y(i, j), "i is
joined to j in the chordal graph and eliminated before j"; numbers z and v that define orders of the elimination and the
network. Each kind of constraint of the paper has a function here, and so has each kind that we add:

* (4b), (4c), (4d) are summed over the families that share a parent or a pair: at most one of these is chosen, so the
  sums are as valid as their terms, and tighter in the linear relaxation. (4c) also combines both directions, since
  two vertices are not each other's parents;
* every pair is joined in at most one direction, and no three form a directed cycle;
* any graph of treewidth w on m > w vertices has at most w m - w (w + 1) / 2 edges: in the program for all n vertices,
  for subsets when a solution violates it;
* one vertex is eliminated last, which may be any;
* in every set of vertices one has its parents outside (the cluster constraints of Jaakkola et al. 2010, much tighter
  than (4b)): added when a solution violates them (`twlearn.milp_scip_separation`).

The optimum is the same, since every network within the bound has a solution with these constraints. SCIP's own cuts
and heuristics are switched off; local search, which gives the start, is the better heuristic. With the 14 variables of
housing and treewidth 3 the proof takes 45 s in this way, 67 s with SCIP's cuts; with bounds only on the edges of w + 2
vertices it was far from complete after 75 s.
"""

from __future__ import annotations

import math
import time
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyscipopt import SCIP_PARAMSETTING, quicksum

from ..common.exact.scip import LazyConstraints, give, optimize, quiet_model
from .milp_scip_separation import ViolatedSets, most_edges

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.exact.scip import ProgramLimits
    from .families import ScoredFamilies

MAX_CUTS = 40  # constraints added per round


class Start(NamedTuple):
    """A start network.

    rows : sequence of int, the family of each vertex
    order : sequence of int, an elimination order of a chordal graph around its moral graph
    later : list of set of int, for each vertex its neighbours in that graph that are eliminated after it
    """

    rows: tuple
    order: tuple
    later: list


class Solved(NamedTuple):
    """The result of SCIP.

    rows : list of int, the family of each vertex; None without a solution
    order : list of int, of elimination
    bound : float, upper bound on the score of networks within the treewidth
    status : str, SCIP's
    nodes : int
    """

    rows: list[int] | None
    order: list[int] | None
    bound: float
    status: str
    nodes: int


class _StoppedError(Exception):
    """The run was stopped before the program was complete."""


class Program:
    """The model and its variables.

    Parameters
    ----------
    families
    w
        1 <= w < n.
    last
        The vertex that is eliminated last.
    should_continue
        Called from time to time.

    Attributes
    ----------
    p : list of pyscipopt.Variable, one per family
    y : dict of (int, int) to pyscipopt.Variable
    z, v : list of pyscipopt.Variable, one per vertex
    families_with : list of dict of tuple to list of int
        For each vertex, the families that contain a parent (j,) or a pair of parents (j, k), j < k.
    """

    def __init__(self, families: ScoredFamilies, w: int, last: int, should_continue: Callable) -> None:
        self.families, self.w, self.last, self.n = families, w, last, families.n
        self.should_continue, self.constraints = should_continue, 0
        self.model = quiet_model("twlearn")
        self.model.setMaximize()
        self.model.setHeuristics(SCIP_PARAMSETTING.OFF)
        self.model.setSeparating(SCIP_PARAMSETTING.OFF)  # for the constraints so far; `SetConstraints` is added later
        self.p = [self.model.addVar(vtype="B", obj=float(score)) for score in families.scores]
        self.y = {pair: self.model.addVar(vtype="B") for pair in permutations(range(self.n), 2)}
        self.z, self.v = ([self.model.addVar(lb=0.0, ub=float(self.n)) for _ in range(self.n)] for _ in range(2))
        self.families_with: list[dict[tuple, list[int]]] = [{} for _ in range(self.n)]
        for i in range(self.n):
            for row in range(families.start[i], families.start[i + 1]):
                parents = [j for j in families.parents[row].tolist() if j >= 0]
                for part in [(j,) for j in parents] + list(combinations(parents, 2)):
                    self.families_with[i].setdefault(part, []).append(row)

    def add(self, constraint: Any) -> None:
        """Add a constraint, or raise _StoppedError."""
        self.constraints += 1
        if self.constraints % 500 == 1 and not self.should_continue():
            raise _StoppedError
        self.model.addCons(constraint)

    def joined(self, j: int, k: int) -> Any:
        """Whether j and k are joined."""
        return self.y[j, k] + self.y[k, j]

    def chosen(self, i: int, *parents: int) -> Any:
        """Whether the family of i has these parents, ascending."""
        return quicksum(self.p[row] for row in self.families_with[i].get(parents, ()))


def solve(families: ScoredFamilies, w: int, start: Start, limits: ProgramLimits) -> Solved:
    """The optimal network, or the best that SCIP finds.

    Parameters
    ----------
    families
    w
        Bound on the treewidth, 1 <= w < n.
    start
    limits

    Returns
    -------
    Solved
    """
    began = time.monotonic()
    program = Program(families, w, start.order[-1], limits.should_continue)
    try:
        for add in CONSTRAINTS:
            add(program)
    except _StoppedError:
        return Solved(None, None, math.inf, "timelimit", 0)
    model = program.model
    arcs = list(program.y)
    x = [*program.p, *program.y.values()]
    handler = SetConstraints(program, x, arcs)
    handler.include_in(model, "sets")
    give(model, [*x, *program.z, *program.v], _values(program, start, arcs))
    found = optimize(model, x, handler, limits, began)
    if found.values is None:
        return Solved(None, None, found.bound, found.status, found.nodes)
    split = len(program.p)
    rows = np.flatnonzero(found.values[:split] > 0.5).tolist()
    joined = {arc for arc, value in zip(arcs, found.values[split:], strict=True) if value > 0.5}
    return Solved(rows, _order(program.n, joined), found.bound, found.status, found.nodes)


def add_width(program: Program) -> None:
    """(3a): each vertex has at most w remaining neighbours when eliminated.

    Parameters
    ----------
    program
    """
    for i in range(program.n):
        program.add(quicksum(program.y[i, j] for j in range(program.n) if j != i) <= program.w)


def add_elimination_order(program: Program) -> None:
    """(3b): the elimination order has no cycle."""
    n = program.n
    for (i, j), joined in program.y.items():
        program.add((n + 1) * joined <= n + program.z[j] - program.z[i])


def add_fill(program: Program) -> None:
    """(3c): the remaining neighbours are joined."""
    for i in range(program.n):
        for j, k in combinations([u for u in range(program.n) if u != i], 2):
            program.add(program.y[i, j] + program.y[i, k] - program.joined(j, k) <= 1)


def add_single_families(program: Program) -> None:
    """(4a): each vertex has one family."""
    start = program.families.start
    for i in range(program.n):
        program.add(quicksum(program.p[row] for row in range(start[i], start[i + 1])) == 1)


def add_network_order(program: Program) -> None:
    """(4b), summed over the families with parent j: no directed cycle."""
    n = program.n
    for i, j in program.y:
        if (j,) in program.families_with[i]:
            program.add((n + 1) * program.chosen(i, j) <= n + program.v[j] - program.v[i])


def add_parents(program: Program) -> None:
    """(4c), summed in the same way and over both directions: a vertex is joined to its parents."""
    for i, j in combinations(range(program.n), 2):
        if (j,) in program.families_with[i] or (i,) in program.families_with[j]:
            program.add(program.chosen(i, j) + program.chosen(j, i) <= program.joined(i, j))


def add_moral_edges(program: Program) -> None:
    """(4d), summed over the families with both parents: these are joined."""
    for i in range(program.n):
        for part in program.families_with[i]:
            if len(part) == 2:
                program.add(program.chosen(i, *part) <= program.joined(*part))


def add_directions(program: Program) -> None:
    """Pairs are joined at most once, and no three in a directed cycle."""
    for i, j in combinations(range(program.n), 2):
        program.add(program.joined(i, j) <= 1)
    for i, j, k in combinations(range(program.n), 3):
        for a, b, c in ((i, j, k), (i, k, j)):
            program.add(program.y[a, b] + program.y[b, c] + program.y[c, a] <= 2)


def add_number_of_edges(program: Program) -> None:
    """The largest number of edges for treewidth w."""
    program.add(quicksum(program.y.values()) <= most_edges(program.n, program.w))


def add_last(program: Program) -> None:
    """A vertex that is eliminated last."""
    for j in range(program.n):
        if j != program.last:
            program.model.fixVar(program.y[program.last, j], 0.0)


CONSTRAINTS = (
    add_single_families, add_parents, add_moral_edges, add_width, add_directions, add_number_of_edges, add_last,
    add_network_order, add_elimination_order, add_fill,
)  # fmt: skip


class SetConstraints(LazyConstraints):
    """Constraint handler for cluster constraints and bounds on the edges of a set.

    Parameters
    ----------
    program
    x : list of pyscipopt.Variable
        Those of the families, then those of the arcs.
    arcs : list of (int, int)
    """

    most = MAX_CUTS

    def __init__(self, program: Program, x: list, arcs: list[tuple[int, int]]) -> None:
        super().__init__(x)
        self.sets = ViolatedSets(program.families, program.w, arcs)
        self.w = program.w
        self.split = len(program.p)
        self.number = {arc: self.split + i for i, arc in enumerate(arcs)}

    def violated(self, values: np.ndarray, integral: bool) -> list[tuple[Any, int | None, int | None]]:
        """Clusters in which every vertex has a parent inside, and sets with too many edges.

        Parameters
        ----------
        values : float64[m]
        integral

        Returns
        -------
        list of (list of int, int or None, int or None)
        """
        p, y = values[: self.split], values[self.split :]
        clusters = self.sets.cycle(p) if integral else self.sets.cluster_cuts(p)
        edge_count_cuts = [] if integral else self.sets.edge_count_cuts(y)
        found: list[tuple[Any, int | None, int | None]]
        found = [(self.sets.free_families(cluster), 1, None) for cluster in clusters]
        return found + [
            ([self.number[arc] for arc in permutations(members, 2)], None, most_edges(len(members), self.w))
            for members in edge_count_cuts
        ]


def _values(program: Program, start: Start, arcs: list[tuple[int, int]]) -> list:
    """The values of all variables for a network: p, y, z, v."""
    n = program.n
    p = np.zeros(len(program.p))
    p[list(start.rows)] = 1.0
    y = [float(j in start.later[i]) for i, j in arcs]
    z = np.empty(n)
    z[list(start.order)] = np.arange(n)
    v = np.zeros(n)
    left, place = set(range(n)), n
    parents = [set(program.families.parents[row].tolist()) for row in start.rows]
    while left:
        free = min(i for i in left if not parents[i] & left)
        place -= 1
        v[free] = place
        left.remove(free)
    return [*p, *y, *z, *v]


def _order(n: int, joined: set[tuple[int, int]]) -> list[int]:
    """A topological order of the vertices for the arcs (i, j)."""
    left, order = set(range(n)), []
    while left:
        order.append(min(i for i in left if not any((j, i) in joined for j in left)))
        left.remove(order[-1])
    return order
