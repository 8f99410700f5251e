"""The integer program of the NIPS 2014 paper, constraints (2)-(5), solved by SCIP.

A 0/1 variable p for each family (row of Families), of which each vertex has one; 0/1 variables y(i, j), "i is joined
to j in the chordal graph and eliminated before j"; numbers z and v that put the eliminations and the network in order.
Each constraint family of the paper has a function here, and so have those that we add:

* (4b), (4c), (4d) are summed over the families that share a parent or a pair: at most one of these is chosen, so the
  sums are as true as their terms, and tighter in the linear relaxation. (4c) also holds both directions in one, since
  two vertices are not each other's parents;
* every pair is joined in one direction, and no three in a circle;
* any graph of treewidth w on m > w vertices has at most w m - w (w + 1) / 2 edges: for all n vertices in the program,
  for a part of them when a solution breaks it;
* one vertex is eliminated last, which may be any;
* in every set of vertices one has its parents outside (the cluster constraints of Jaakkola et al. 2010, much tighter
  than (4b)): added when a solution breaks them. The most broken ones, and the most crowded sets, are found by going
  through all sets for up to `MOST_SETS` vertices, else by growing sets greedily; an integral solution with a cycle
  breaks that of the cycle.

The optimum is the same, since every network within the bound has a solution with these constraints. SCIP's own cuts
and heuristics are switched off; local search, which gives the start, is the better heuristic. With the 14 variables of
housing and treewidth 3 the proof takes 45 s so, 67 s with SCIP's cuts, and with bounds on the edges of w + 2 vertices
only it was far from done after 75 s.
"""

import time
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from pyscipopt import SCIP_PARAMSETTING, quicksum

from common.scip import LazyConstraints, give, optimize, quiet_model

MOST_SETS = 15  # vertices up to which all 2^n sets are looked at for a cluster that is broken
TOLERANCE = 1e-4  # by which a constraint is broken, for it to be added


class Start(NamedTuple):
    """A network to begin with.

    rows : sequence of int, the family of each vertex
    order : sequence of int, an elimination order of a chordal graph around its moral graph
    later : list of set of int, of each vertex: its neighbours in that graph which go after it
    """

    rows: tuple
    order: tuple
    later: list


class Solved(NamedTuple):
    """What SCIP found.

    rows : list of int, the family of each vertex; None without a solution
    order : list of int, of elimination
    joined : set of (int, int), the chordal graph, each edge in the direction of elimination
    bound : float, no network within the treewidth scores more
    status : str, SCIP's
    nodes : int
    """

    rows: object
    order: object
    joined: object
    bound: float
    status: str
    nodes: int


class Program:
    """The model and its variables.

    Parameters
    ----------
    families : Families
    w : int
        1 <= w < n.
    last : int
        The vertex that is eliminated last.

    Attributes
    ----------
    p : list of pyscipopt.Variable, one a family
    y : dict of (int, int) to pyscipopt.Variable
    z, v : list of pyscipopt.Variable, one a vertex
    holding : list of dict of tuple to list of int
        Of each vertex: the families that hold a parent (j,) or a pair of parents (j, k), j < k.
    """

    def __init__(self, families, w, last):
        self.families, self.w, self.last, self.n = families, w, last, families.n
        self.model = quiet_model("twlearn")
        self.model.setMaximize()
        self.model.setHeuristics(SCIP_PARAMSETTING.OFF)
        self.model.setSeparating(SCIP_PARAMSETTING.OFF)  # of what is in the model by now; `Sets` comes later
        self.p = [self.model.addVar(vtype="B", obj=float(score)) for score in families.scores]
        self.y = {pair: self.model.addVar(vtype="B") for pair in permutations(range(self.n), 2)}
        self.z, self.v = ([self.model.addVar(lb=0.0, ub=float(self.n)) for _ in range(self.n)] for _ in range(2))
        self.holding = [{} for _ in range(self.n)]
        for i in range(self.n):
            for row in range(families.start[i], families.start[i + 1]):
                parents = [j for j in families.parents[row].tolist() if j >= 0]
                for part in [(j,) for j in parents] + list(combinations(parents, 2)):
                    self.holding[i].setdefault(part, []).append(row)

    def joined(self, j, k):
        """Whether j and k are joined."""
        return self.y[j, k] + self.y[k, j]

    def chosen(self, i, *parents):
        """Whether the family of i has these parents, ascending."""
        return quicksum(self.p[row] for row in self.holding[i].get(parents, ()))


def solve(families, w, start, limits):
    """The best network, or the best that SCIP comes to.

    Parameters
    ----------
    families : Families
    w : int
        Bound on the treewidth, 1 <= w < n.
    start : Start
    limits : ProgramLimits

    Returns
    -------
    Solved
    """
    began = time.monotonic()
    program = Program(families, w, start.order[-1])
    for add in FAMILIES:
        add(program)
    model = program.model
    arcs = list(program.y)
    x = [*program.p, *program.y.values()]
    handler = Sets(program, x, arcs)
    handler.include_in(model, "sets")
    give(model, [*x, *program.z, *program.v], _values(program, start, arcs))
    found = optimize(model, x, handler, limits, began)
    if found.values is None:
        return Solved(None, None, None, found.bound, found.status, found.nodes)
    split = len(program.p)
    rows = np.flatnonzero(found.values[:split] > 0.5).tolist()
    joined = {arc for arc, value in zip(arcs, found.values[split:], strict=True) if value > 0.5}
    return Solved(rows, _order(program.n, joined), joined, found.bound, found.status, found.nodes)


def add_width(program):
    """(3a): nobody is eliminated with more than w neighbours left.

    Parameters
    ----------
    program : Program
    """
    for i in range(program.n):
        program.model.addCons(quicksum(program.y[i, j] for j in range(program.n) if j != i) <= program.w)


def add_elimination_order(program):
    """(3b): who is eliminated before whom has no cycle."""
    n = program.n
    for (i, j), joined in program.y.items():
        program.model.addCons((n + 1) * joined <= n + program.z[j] - program.z[i])


def add_fill(program):
    """(3c): the neighbours left are joined."""
    for i in range(program.n):
        for j, k in combinations([u for u in range(program.n) if u != i], 2):
            program.model.addCons(program.y[i, j] + program.y[i, k] - program.joined(j, k) <= 1)


def add_single_families(program):
    """(4a): everybody has one family."""
    start = program.families.start
    for i in range(program.n):
        program.model.addCons(quicksum(program.p[row] for row in range(start[i], start[i + 1])) == 1)


def add_network_order(program):
    """(4b), summed over the families with parent j: no directed cycle."""
    n = program.n
    for i, j in program.y:
        if (j,) in program.holding[i]:
            program.model.addCons((n + 1) * program.chosen(i, j) <= n + program.v[j] - program.v[i])


def add_parents(program):
    """(4c), summed likewise and over both directions: a vertex is joined to its parents."""
    for i, j in combinations(range(program.n), 2):
        if (j,) in program.holding[i] or (i,) in program.holding[j]:
            program.model.addCons(program.chosen(i, j) + program.chosen(j, i) <= program.joined(i, j))


def add_moral_edges(program):
    """(4d), summed over the families with both parents: these are joined."""
    for i in range(program.n):
        for part in program.holding[i]:
            if len(part) == 2:
                program.model.addCons(program.chosen(i, *part) <= program.joined(*part))


def add_directions(program):
    """Two are joined once, and no three in a circle."""
    for i, j in combinations(range(program.n), 2):
        program.model.addCons(program.joined(i, j) <= 1)
    for i, j, k in combinations(range(program.n), 3):
        for a, b, c in ((i, j, k), (i, k, j)):
            program.model.addCons(program.y[a, b] + program.y[b, c] + program.y[c, a] <= 2)


def add_number_of_edges(program):
    """The most edges that treewidth w allows."""
    program.model.addCons(quicksum(program.y.values()) <= most_edges(program.n, program.w))


def add_last(program):
    """A vertex that is eliminated last."""
    for j in range(program.n):
        if j != program.last:
            program.model.fixVar(program.y[program.last, j], 0.0)


FAMILIES = (
    add_single_families, add_parents, add_moral_edges, add_width, add_directions, add_number_of_edges, add_last,
    add_network_order, add_elimination_order, add_fill,
)  # fmt: skip


def most_edges(m, w):
    """Edges of a graph of treewidth w on m >= w vertices, at most."""
    return w * m - w * (w + 1) // 2


class Sets(LazyConstraints):
    """Cluster constraints, and bounds on the edges of a set, that a solution breaks.

    Parameters
    ----------
    program : Program
    x : list of pyscipopt.Variable
        The families' and then the arcs'.
    arcs : list of (int, int)
    """

    most = 40

    def __init__(self, program, x, arcs):
        super().__init__(x)
        families = program.families
        self.program, self.split = program, len(families.scores)
        self.owner = np.repeat(np.arange(program.n), np.diff(families.start))
        self.has = np.zeros((self.split, program.n), bool)
        for column in families.parents.T:
            rows = np.flatnonzero(column >= 0)
            self.has[rows, column[rows]] = True
        self.masks = self.members = None
        if program.n <= MOST_SETS:
            self.masks = self.has @ (1 << np.arange(program.n))
            self.members = (np.arange(1 << program.n)[:, None] >> np.arange(program.n) & 1).astype(float)
            sizes = self.members.sum(axis=1)
            self.allowed = np.where(sizes > program.w + 1, most_edges(sizes, program.w), np.inf)
        self.tails, self.heads = np.array(arcs).T
        self.number = {arc: self.split + i for i, arc in enumerate(arcs)}

    def broken(self, values, integral):
        """Clusters in which everybody has a parent inside, and sets with too many edges.

        Parameters
        ----------
        values : float64[m]
        integral : bool

        Returns
        -------
        list of (list of int, int or None, int or None)
        """
        p, y = values[: self.split], values[self.split :]
        clusters = self._cycle(p) if integral else self._clusters(p)
        found = []
        for cluster in clusters:
            inside = np.isin(self.owner, cluster) & ~self.has[:, cluster].any(axis=1)
            found.append((np.flatnonzero(inside).tolist(), 1, None))
        return found if integral else found + self._crowds(y)

    def _cycle(self, p):
        """What is left once vertices without a parent among the others are taken out, if anything: a list of one."""
        left = np.ones(self.program.n, bool)
        rows = np.flatnonzero(p > 0.5)
        while True:
            free = [i for i in self.owner[rows] if left[i] and not (self.has[rows[self.owner[rows] == i]] & left).any()]
            if not free:
                return [np.flatnonzero(left).tolist()] if left.any() else []
            left[free] = False

    def _clusters(self, p):
        """The most broken clusters first, as lists of vertices."""
        rows = np.flatnonzero(p > 1e-9)
        if self.masks is None:
            return self._grown_clusters(p, rows)
        n = self.program.n
        inside = np.zeros((n, 1 << n))  # of each vertex and set: how much of its families lies in the set
        np.add.at(inside, (self.owner[rows], self.masks[rows]), p[rows])
        for u in range(n):
            view = inside.reshape(n, -1, 2, 1 << u)
            view[:, :, 1] += view[:, :, 0]
        total = np.zeros(1 << n)
        sets = np.arange(1 << n)
        for v in range(n):
            total += np.where(sets >> v & 1, inside[v, ::-1], 0.0)
        total[0] = 1.0
        worst = np.flatnonzero(total < 1.0 - TOLERANCE)
        worst = worst[np.argsort(total[worst], kind="stable")][: self.most]
        return [[v for v in range(n) if mask >> v & 1] for mask in worst.tolist()]

    def _grown_clusters(self, p, rows):
        """Clusters grown from every vertex, each time by the vertex that breaks the constraint most."""
        n, found = self.program.n, {}
        has, owner, weight = self.has[rows], self.owner[rows], p[rows]
        for seed in range(n):
            cluster = [seed]
            clear = ~has[:, seed]  # families without a parent in the cluster
            for _ in range(min(n - 1, 12)):
                outside = [v for v in range(n) if v not in cluster]
                inner = np.isin(owner, cluster) & clear
                totals = [
                    weight[(inner | (clear & (owner == v))) & ~has[:, v]].sum() for v in outside
                ]
                best = int(np.argmin(totals))
                cluster.append(outside[best])
                clear &= ~has[:, outside[best]]
                if totals[best] < 1.0 - TOLERANCE:
                    found.setdefault(tuple(sorted(cluster)), totals[best])
        return [list(cluster) for cluster in sorted(found, key=found.get)][: self.most]

    def _crowds(self, y):
        """Sets with more edges than treewidth w allows."""
        n, w = self.program.n, self.program.w
        joined = np.zeros((n, n))
        np.add.at(joined, (self.tails, self.heads), y)
        joined += joined.T
        crowds = self._grown_cliques(joined) if self.members is None else self._any_crowds(joined)
        return [
            ([self.number[arc] for arc in permutations(crowd, 2)], None, most_edges(len(crowd), w)) for crowd in crowds
        ]

    def _any_crowds(self, joined):
        """The most crowded of all sets first."""
        edges = ((self.members @ joined) * self.members).sum(axis=1) / 2
        worst = np.flatnonzero(edges > self.allowed + TOLERANCE)
        worst = worst[np.argsort(self.allowed[worst] - edges[worst], kind="stable")][: self.most // 2]
        return [np.flatnonzero(self.members[mask]).tolist() for mask in worst]

    def _grown_cliques(self, joined):
        """Crowded sets of w + 2, grown from every vertex."""
        size, found = self.program.w + 2, {}
        for seed in range(self.program.n if size < self.program.n else 0):
            members, pull = [seed], joined[seed].copy()
            while len(members) < size:
                pull[members] = -1.0
                members.append(int(np.argmax(pull)))
                pull = joined[members].sum(axis=0)
            if joined[np.ix_(members, members)].sum() / 2 > most_edges(size, self.program.w) + TOLERANCE:
                found[tuple(sorted(members))] = None
        return list(found)


def _values(program, start, arcs):
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


def _order(n, joined):
    """The vertices so that all arcs (i, j) go forward."""
    left, order = set(range(n)), []
    while left:
        order.append(min(i for i in left if not any((j, i) in joined for j in left)))
        left.remove(order[-1])
    return order
