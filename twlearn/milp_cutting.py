"""A proof of the best network of bounded treewidth, by cutting planes and branching.

The program of the NIPS 2014 paper has, for a chordal graph around the network, only the joined pairs in the order of an
elimination; its linear relaxation is weak. Here the chordal graph is a k-tree, k = w, with one 0/1 variable per
*family* of a perfect order, a vertex with the complete set of its earlier neighbours, like the network's own
(`twlearn.milp_columns`). For a set T let p(T) be the sum over the network's families, and c(T) the sum over the
k-tree's, in which one member of T is the child and the others are among its parents. The rows are

* clusters: in every set C of vertices one has no parent in C (Jaakkola et al., AISTATS 2010), so there is no cycle;
* shared clusters: as many of the network's families at least as of the k-tree's have no parent in C. The k-tree's are
  as many as C has connected parts in it, since parents are joined; and an arc inside C is inside one part, of which the
  first vertex in the network's order has no parent in C;
* all rows of chordal graphs (`common.bounds.cutting`): clusters of the k-tree, no immorality, and others that tighten
  the relaxation. There c(T) = 1 if T is complete, else 0;
* links: p(T) <= c(T). A family makes v and its parents P a clique of the moral graph, which is part of the k-tree, so
  T = P + v and all its subsets are complete; and in a network without cycle at most one member of T has all the others
  as parents.

If the values of the network's arcs, of p, and of the k-tree's pairs, of c, are all 0 or 1 and no row is violated, the
solution is a network: the pairs form a chordal graph with cliques of at most w + 1 (`common.bounds.cutting`), a family
P of v has p(P + v) = 1, and c of a set is at most that of any pair in it. So it is sufficient to branch over arcs and
pairs.

Rows are added when a solution violates them (`twlearn.milp_separation`), columns when their reduced gain is positive. A
column that must lose more than the bound exceeds the best known network is removed for good, by multipliers of any
round: sums over the reduced profit of the best columns bound all solutions (weak duality), whether the columns are in
the program or not.

As there, a program whose solution takes many pivots is improved instead (`common.bounds.pdhg`): the k-tree's
columns have no gains, and the simplex method can take minutes for one of 5000.

With 14 variables of housing and treewidths 2 and 3 the first linear program's bound is the optimum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..common.bounds.branching import branch_and_bound
from ..common.bounds.cutting import CLEARLY_FRACTIONAL, IMPROVED_VIOLATION, IMPROVING_STEPS
from ..common.bounds.families_kernels import best_of_each
from ..common.bounds.incumbent import KnownScore
from ..common.bounds.row_program import PRICE, StoppedError, useful_columns
from ..common.bounds.violated_rows import empty_rows
from .families import ScoredFamilies
from .milp_columns import columns_of
from .milp_relaxation import MilpRelaxation
from .milp_separation import MIN_VIOLATION, solution_of, violated_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..common.bounds.branching import Proof
    from ..common.bounds.rows_kernels import Rows
    from ..common.bounds.violated_rows import Solution

BOUND_TOLERANCE = 1e-4  # more than the rounding errors of a bound and an integral solution that is as good
FIRST_FAMILIES = 20  # best families of each variable to begin with
ADDED_COLUMNS = 1000  # columns added per round, of each kind
OPEN_FROM = 1e-5  # an arc or pair is open if its value is farther than this from 0 and 1
PATIENCE, PROGRESS = 8, 0.01  # rounds without progress before branching; share of the gap that counts as progress
PRICING_ROUND, IMPROVED_PRICING_ROUND = 0.3, 0.05  # as how many of these a round counts that adds columns
SLOW_ROUNDS = 2  # rounds without progress before expensive rows are searched
SLOW_PIVOTS = 1000  # a program that took more is improved from then on, while more columns than MANY_COLUMNS are left
MANY_COLUMNS = 2000
KEPT_COLUMNS = 6000  # columns without a value that stay in such a program
ARTIFICIAL_COST = 100.0  # cost of an artificial column, times the gap


@dataclass
class MilpNode:
    """A part of the problem.

    Attributes
    ----------
    bound : float
        On the score of its networks.
    alive : bool[k]
        Its columns; packed until it is solved.
    required : tuple of int
        Masks of the pairs that must be joined in the k-tree.
    """

    bound: float
    alive: np.ndarray
    required: tuple[int, ...] = ()


class Prover:
    """The proof of one problem.

    Parameters
    ----------
    families
    w
        Bound on the treewidth, 1 <= w < n.
    known
        The score of a network; updated.
    root
        The first vertex of the k-tree.
    chosen : bool[m] or None
        The families that a better network can have; None: any.
    should_continue
        Called every round, and about every second between pivots.
    on_round : callable taking the Prover
        Called after every round; it may update `known`.

    Attributes
    ----------
    known : KnownScore
    found : (list of int, list of set of int), or None twice
        The best network found, if it is better than the first: the family of each variable, by row, and for each vertex
        its neighbours in a chordal graph around the network.
    bound : float
        Of the part in hand.
    """

    def __init__(
        self,
        families: ScoredFamilies,
        w: int,
        known: KnownScore,
        root: int,
        chosen: np.ndarray | None = None,
        should_continue: Callable = lambda: True,
        on_round: Callable = lambda prover: None,
    ) -> None:
        self.n, self.families, self.known = families.n, families, known
        self._should_continue, self._on_round = should_continue, on_round
        best = families.scores[families.start[:-1]]
        self.found: tuple[list[int], list[set[int]]] | tuple[None, None] = None, None
        self.bound = math.fsum(best)
        self._owner = families.child
        columns, gap = columns_of(families, w, root), known.gap(self.bound)
        row = np.full(len(columns.child), -1)  # of each column's family, -1 in the k-tree
        row[: len(self._owner)] = np.arange(len(self._owner))
        good = columns.gain >= np.concatenate([best, best])[columns.child] - gap
        good = (row < 0) | (good if chosen is None else good & chosen[row])
        self.columns, self._row = columns.pick(good), row[good]
        self.program = MilpRelaxation(self.columns, 2 * self.n, w - 1, ARTIFICIAL_COST * (gap + 1.0), should_continue)
        self._root = MilpNode(self.bound, np.packbits(np.ones(len(self.columns.child), bool)))

    def run(self) -> Proof:
        """Prove as much as there is time for.

        Returns
        -------
        Proof
        """
        self.program.add_columns(self._first_columns())
        return branch_and_bound(self._root, self.known, self._solve)

    def families_left(self) -> np.ndarray:
        """The families that a better network can have, by row: int64[]."""
        return self._row[self._root.alive & (self._row >= 0)]

    def _first_columns(self) -> np.ndarray:
        """The best families of each variable, and all but the largest of the k-tree."""
        rank = self._row - self.families.start[:-1][np.minimum(self.columns.child, self.n - 1)]
        return np.flatnonzero(np.where(self._row >= 0, rank < FIRST_FAMILIES, self.columns.size > 0))

    def _solve(self, node: MilpNode) -> list[MilpNode]:
        """Tighten a part until it is solved, or there is no progress; returns the parts to continue with."""
        node.alive = np.unpackbits(node.alive, count=len(self.columns.child)).view(bool)
        self.program.allow(node.alive)
        self.program.require(_pairs(node.required, self.n))
        idle, before, many = 0.0, np.inf, float(MANY_COLUMNS)
        while True:
            if not self._should_continue():
                raise StoppedError
            profit = self._tighten(node, many)
            if self.known.is_proved(node.bound):
                return []
            priced = self._pricing(node, profit)
            network, ktree = self._solution()
            is_slow = self.program.is_approximate or idle >= SLOW_ROUNDS
            least_violation = IMPROVED_VIOLATION if self.program.is_approximate else MIN_VIOLATION
            rows = violated_rows(network, ktree, is_slow, least_violation)
            if before - node.bound > PROGRESS * self.known.gap(node.bound):
                idle, before = 0.0, node.bound
            else:
                idle += self._idleness(len(priced))
            is_settled = not len(priced) and not len(rows.base)
            if is_settled or idle > PATIENCE:
                parts = self._split(node, network, ktree)
                if parts:
                    return parts
                if self.program.is_approximate:
                    many, idle = math.inf, 0.0  # the program is solved from now on
                elif is_settled:
                    self._close(node, ktree)
                    return []
            self._change(node, profit, priced)
            self.program.add_rows(rows)

    def _tighten(self, node: MilpNode, many: float) -> np.ndarray:
        """Solve the program, or improve its solution, and bound the part by it; returns the columns' reduced profit."""
        program = self.program
        program.solve_or_improve(int(np.count_nonzero(node.alive)), many, SLOW_PIVOTS, IMPROVING_STEPS)
        profit, best, bound = program.price(node.alive)
        self.bound = node.bound = min(node.bound, bound)
        alive = np.flatnonzero(node.alive)  # of a variable without one, the best is minus infinity, and so is the bound
        node.alive[alive] = profit[alive] - best[self.columns.child[alive]] >= -self.known.gap(bound)
        self._on_round(self)
        return profit

    def _solution(self) -> tuple[Solution, Solution]:
        """The families of the network and of the k-tree in the program's solution."""
        used = self.program.x > PRICE
        return solution_of(self.columns.pick(self.program.used[used]), self.program.x[used], self.n)

    def _idleness(self, priced: int) -> float:
        """The weight of a round among those without progress: less while columns are added."""
        if self.program.is_approximate and priced >= ADDED_COLUMNS:
            return IMPROVED_PRICING_ROUND
        return PRICING_ROUND if priced else 1.0

    def _close(self, node: MilpNode, ktree: Solution) -> None:
        """Set aside a part whose solution is integral."""
        self._decode(ktree)
        if node.bound <= self.known.score + BOUND_TOLERANCE:  # which rounding explains
            node.bound = self.known.score

    def _change(self, node: MilpNode, profit: np.ndarray, priced: np.ndarray) -> None:
        """Drop rows and columns of no use, and add columns."""
        program = self.program
        program.drop_rows()
        if self.program.is_approximate:
            loss = program.prices[self.columns.child[program.used]] - profit[program.used]
            program.keep(useful_columns(program.x, loss, self.known.gap(node.bound), KEPT_COLUMNS))
        if node is self._root:
            priced = self._shrink(node)[priced]
        program.allow(node.alive)
        program.add_columns(priced)

    def _pricing(self, node: MilpNode, profit: np.ndarray) -> np.ndarray:
        """The columns with the largest reduced gains, as many of each child, of both kinds."""
        program = self.program
        left = node.alive.copy()
        left[program.used] = False
        each = -(-ADDED_COLUMNS // self.n)
        chosen, value = np.empty((2 * self.n, each), np.int64), np.empty((2 * self.n, each))
        best_of_each(self.columns.child, left, profit, program.prices, PRICE, chosen, value)
        return chosen[chosen >= 0]

    def _shrink(self, node: MilpNode) -> np.ndarray:
        """Drop the columns that are fixed to 0, if they are many; returns the new number of each column."""
        if np.count_nonzero(node.alive) > 0.9 * len(node.alive):
            return np.arange(len(node.alive))
        moved = np.where(node.alive, np.cumsum(node.alive) - 1, -1)
        self.columns = self.columns.pick(node.alive)
        self._row = self._row[node.alive]
        self.program.drop_columns(self.columns, moved)
        node.alive = np.ones(len(self.columns.child), bool)
        return moved

    def _split(self, node: MilpNode, network: Solution, ktree: Solution) -> list[MilpNode]:
        """Two parts, without and with the most fractional pair, or if there is none, arc; none if all are integral.

        In an approximate solution they are so if they are nearly integral.
        """
        least = CLEARLY_FRACTIONAL if self.program.is_approximate else OPEN_FROM
        pairs, openness = ktree.edges()[0], ktree.openness(node.required)
        if openness.max(initial=0.0) > least:
            pair = int(pairs[np.argmax(openness)])
            both = np.uint64(pair | pair << self.n)
            inside = (np.uint64(1) << self.columns.child.astype(np.uint64) | self.columns.parents) & both
            without = (inside != np.uint64(pair)) & (inside != np.uint64(pair << self.n))
            ways = ((node.alive & without, node.required), (node.alive, (*node.required, pair)))
            return [MilpNode(node.bound, np.packbits(alive), required) for alive, required in ways]
        arcs = _arcs(network)
        openness = np.minimum(arcs, 1.0 - arcs)
        if openness.max() <= least:
            return []
        tail, head = np.unravel_index(np.argmax(openness), openness.shape)
        own = self.columns.child == head
        there = self.columns.parents >> np.uint64(tail) & np.uint64(1) == 1
        kept = [node.alive & ~(own & kind) for kind in (there, ~there)]
        return [MilpNode(node.bound, np.packbits(alive), node.required) for alive in kept]

    def _decode(self, ktree: Solution) -> None:
        """Take the network of an integral solution if it is better than the known one."""
        rows = [0] * self.n
        for row, x in zip(self._row[self.program.used].tolist(), self.program.x.tolist(), strict=True):
            if row >= 0 and x > 0.5:
                rows[self._owner[row]] = row
        score = math.fsum(self.families.scores[rows])
        if score > self.known.score:
            joined = [{u for u in range(self.n) if near >> u & 1} for near in map(int, ktree.near())]
            self.known.score, self.found = score, (rows, joined)


def _pairs(masks: Sequence[int], n: int) -> Rows:
    """Rows that require pairs in the k-tree."""
    rows = empty_rows(len(masks))
    rows.larger[:, 0] = np.array(masks, np.uint64) << np.uint64(n)
    return rows


def _arcs(network: Solution) -> np.ndarray:
    """The value of each arc: float64[n, n], tail and head."""
    arcs = np.zeros((network.n, network.n))
    for u in range(network.n):
        there = network.parents >> np.uint64(u) & np.uint64(1) == 1
        np.add.at(arcs[u], network.child[there], network.x[there])
    return arcs


def compile_prover() -> None:
    """Solve a small problem, and separate as in a large one, so that no kernel is compiled later."""
    start, parents = np.array([0, 2, 4, 6]), np.array([[1], [-1], [2], [-1], [0], [-1]], np.int32)
    families = ScoredFamilies(start, parents, np.array([1.0, 0.0] * 3))
    Prover(families, 1, KnownScore(0.0), 0).run()
    columns = columns_of(families, 1, 0)
    violated_rows(*solution_of(columns, np.full(len(columns.child), 0.4), 3), is_slow=True)
