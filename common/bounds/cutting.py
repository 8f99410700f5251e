"""The integer program for chordal networks over families, and the bound of its linear relaxation.

A chordal graph has perfect orders: the neighbours P of each vertex v that come before it, its *parents* in that order,
are complete; any clique can come first. With x[v, P] = 1 for the families (v, P) of one such order, and s the score
of a set, the network scores the sum of x[v, P] (s(P + v) - s(P)), and a set S is complete in it iff

    c(S)  =  sum of x[v, P] over v in S with S - v inside P

is 1; otherwise c(S) = 0. The program maximises that score subject to one family per v and rows of one kind
(`common.bounds.rows_kernels`); families that are not needed because some vertices can come first
(`common.bounds.first_clique`) are left out. A row has sets as its *members* and further vertices as its *base*, which
may be empty. A family begins some sets if one of them is inside P + v but none inside P:

    sum of x[v, P] over families that begin the members   >=   the same for the members, each together with the base;

with an empty base the right side is 1, and one member must be a single vertex. *Every chordal graph satisfies it.* If a
member is complete, take the one whose last vertex v in the order comes first: its others are inside P, and no member
is, since it would have a last vertex before v. So with an empty base the left side is at least 1. Let the base be one
vertex w. A family counted on the right has w in P + v. If w is in P, it begins the members too. If v = w, which is one
family, and it does not begin the members, one of them is inside P; then the family of the first last vertex of these
begins the members, and w is not in it. So the left side is as large. A base of more vertices follows one by one.

Rows of this kind are, among others,

* members {v} for v in C, the *cluster* C of Jaakkola et al. (AISTATS 2010): some vertex of C has no parent in C, so
  x has no directed cycle;
* member S, base {w}: c(S + w) <= c(S), there is no immorality;
* members {k}, {l} and T: c(kl) + c(T+k) + c(T+l) - c(T) - c(T+k+l) <= 1, pairwise joined sets are complete;
* with members of any size and an empty base, the clutter inequalities of Studeny and Cussens (IJAR 88, 2017): by
  inclusion and exclusion, the left side is the sum over sets B of members of (-1)^(|B|+1) c(union of B);
* several members and base {w}: the same sum for the members is at least that with w in every union;
* members, all sets of some weight: weighted clusters (`common.bounds.weighted_clusters`).

An integral x with the first two is a network: it has an order, and parents are joined. The other rows tighten the
relaxation so much that its solutions are mostly integral or nearly so. Violated rows are added
(`common.bounds.violated_rows`), families are added if their reduced gain is positive or nearly so; rows that do not
bind and families of poor reduced gain are dropped. Once the value is below the best score known, or far below the bound
while programs are not solved, only families are added.

*The bound* needs no optimal solution: for multipliers y >= 0 of rows `a x >= b`, no network scores more than the
sum over v of the largest *reduced profit*, s(P + v) - s(P) + y a[v, P], of any family of v, minus y b. The multipliers
come from the linear program, the maximum is over all families, in the program or not. Families that must lose more
against these maxima than the bound exceeds the best network known are removed: reduced-cost fixing
(`common.bounds.families_kernels.least_losses`).

If the edges of a solution, c of sets of two, are all 0 or 1 and no row is violated, it is a network: chordless cycles
violate a row, and so do cliques larger than allowed; by the third kind of row all cliques of the graph are complete. So
it is sufficient to branch over edges (`common.bounds.branching`).

*Large programs are not solved.* Once the simplex method takes long and while many families are left (`Rules.many`), a
round improves the last solution by some steps of a first-order method (`common.bounds.pdhg`): its
multipliers are nearly as good as those of the optimum, and solutions in the middle of the optimal face violate better
rows. If a round finds few rows, later ones take more steps and look for smaller violations; more families stay in the
program of `common.bounds.windows` if the bound stays above its value. Then the problem is split over the most open
edge: strong branching needs a solved program.

*Partial pricing.* While very many families are left (`Rules.whole`), most rounds price only those that lose the least;
the others, which price all, give the bound and remove families. They go on until the bound follows the value again.

GOBNILP's program for chordal graphs (Bartlett and Cussens, AIJ 244, 2017) has clusters, some immorality rows and all
orders; its linear relaxation is far weaker. Cost of a round: a linear program of some thousand families and rows, and
O(families * rows that bind) for the bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .incumbent import rounded
from .multipliers import Multipliers
from .relaxation import Relaxation
from .row_program import PRICE, StoppedError, useful_columns
from .violated_rows import OPEN_FROM, SeparationLimits, Solution, pick_rows, separate

if TYPE_CHECKING:
    from .callbacks import Callbacks
    from .incumbent import Incumbent
    from .node import Node
    from .rows_kernels import Rows

PRICING_ROUND = 0.3  # a round that adds families counts as this share of a round without progress
NEGATIVE_GAINS = 0.2  # share of the gap: families with a reduced gain above minus this are added, too
PROBE = 60  # pivots of the simplex method that estimate the loss of a part
TIED_PATIENCE = 4  # times the patience: rounds without progress before it branches over an edge that is not open
FIRST_ROUNDS = 4  # rounds before the dynamic program is tried, which is tried again each time they have doubled
IMPROVING_STEPS = 300  # of improving a solution
IMPROVED_VIOLATION = 0.005  # then the smallest violation of a row to report: the program's own rows have it too
CLEARLY_FRACTIONAL = 0.01  # an edge this far from 0 and 1 is fractional, not an error of an approximate solution
LAG = 0.25  # share of the gap: if the bound exceeds the program's value by more, rounds only add families
MAX_REFINEMENT = 4  # largest factor on the steps, and divisor of the violation, after rounds that find few rows
ROUNDS_DIVISOR = 2  # improved rounds are shorter: factor on the patience, and divisor of the progress wanted
ARTIFICIAL_COST = 1000.0  # times the loss allowed: the cost of a missing edge
PART_ROUNDS, AT_ONCE = 20, 50  # rounds between two that price all families; families priced in a unit of effort


@dataclass(frozen=True)
class Rules:
    """Settings of the cutting-plane method.

    Attributes
    ----------
    separation : SeparationLimits
    columns : int
        Families added per round at most, the same number of each child.
    kept : int
        Families without a value that stay in the program.
    patience : float
        Rounds without progress before the search branches.
    progress : float
        The share of the gap that counts as progress.
    rounding : int
        Number of rounds between two roundings of a solution to a network.
    candidates : int
        Edges that are tried before branching.
    many, slow : float, int
        While more than `many` families are left, a program whose solution took more than `slow` pivots is improved
        instead from then on; so many pivots take several times as long as the steps of improving.
    whole, part : int
        While more families than `whole` are left, most rounds price only about `part` of them.
    """

    separation: SeparationLimits = SeparationLimits()
    columns: int = 2500
    kept: int = 4000
    patience: float = 4
    progress: float = 0.05
    rounding: int = 3
    candidates: int = 8
    many: float = 1000
    slow: int = 1500
    whole: int = 1_000_000
    part: int = 250_000


class CuttingPlaneLoop:
    """Solve the linear program of a node, round by round.

    Parameters
    ----------
    node
        Its bound, rows and columns are updated.
    incumbent
    rules
    callbacks

    Attributes
    ----------
    node : Node
    program : Relaxation
    solution : Solution
        Of the last round.
    left : int
        Families left.
    rounds, idle : int
        Rounds, and those without progress, fewer while families are added.
    """

    def __init__(
        self,
        node: Node,
        incumbent: Incumbent,
        rules: Rules,
        callbacks: Callbacks,
    ) -> None:
        self.node, self.incumbent, self.rules, self._callbacks = node, incumbent, rules, callbacks
        cost = ARTIFICIAL_COST * incumbent.gap(node.bound)
        self.program = Relaxation(node.pool, node.required, cost, callbacks.should_continue)
        self.program.add_rows(node.rows)
        self.program.add_columns(self._numbers(*node.columns))
        if node.start is not None:
            self.program.begin(node.start)
        self.solution: Any = None
        self.left, self.rounds = int(node.pool.alive.sum()), 0
        self._best: tuple[float, Multipliers] | None = None
        self._last: Any = None
        self._dual_bound, self.idle, self._bound_before = np.inf, 0.0, np.inf
        self._allowed = np.inf  # what families can lose, when some were removed last
        self._finer, self._many, self._looks = 1, rules.many, 0

    def run(self) -> bool:
        """Continue until the node is solved, or there is no progress and an edge to branch over.

        It ends: a round moves the bound, adds a family, or adds a row that the program does not contain, and no row
        leaves until the bound has moved.

        Returns
        -------
        bool
            Whether the node contains nothing better than the best network known.

        Raises
        ------
        StoppedError
            The run was stopped; the node's bound is valid.
        """
        before, has_caught_up = np.inf, False
        while True:
            self.rounds += 1
            if not self._callbacks.should_continue():
                raise StoppedError
            last = self._bound()
            if self._is_done():
                return True
            priced, useful, rows = self._columns_and_rows(last)
            if self._is_done():
                return True
            progress = self.rules.progress / (ROUNDS_DIVISOR if self.program.is_approximate else 1)
            if before - self.node.bound > progress * self.incumbent.gap(self.node.bound):
                self.idle, before = 0.0, self.node.bound
            elif has_caught_up or self.program.value <= self.node.bound:  # which may be that of the problem split
                has_caught_up = True  # the bound lags behind while families are added
                self.idle += PRICING_ROUND if len(priced[0]) and not self.program.is_approximate else 1
            is_stuck = not len(priced[0]) and not len(rows.base) or self._is_stuck()
            if (is_stuck or self._have_doubled) and self._is_finished():
                return True
            if is_stuck and not self._begins_to_solve():
                return False
            self._change(self.node.bound, priced, useful, rows)
            self._price_partly()

    def _price_partly(self) -> None:
        """Rounds that price only the families that lose the least, if pricing all takes most of a round's time.

        They find rows and columns. The bound of some families is no bound of the node, which the next round of `run`
        computes.
        """
        whole, program = self.node.pool, self.program
        if self.left <= self.rules.whole or self._lags or whole.profit is None:  # families have just been renumbered
            return
        chosen = whole.least_losing(self.rules.part)
        chosen[program.columns] = True
        program.move_to(whole.part(chosen))
        self._bound_before, effort, most = np.inf, 0, self.left // AT_ONCE
        for _ in range(PART_ROUNDS):
            if not self._callbacks.should_continue():
                raise StoppedError
            self._solve()
            self._dual_bound = program.pool.bound(program.rows, program.multipliers)
            priced, useful, rows = self._columns_and_rows()
            if self._dual_bound <= self.incumbent.floor or not len(priced[0]) and not len(rows.base):
                break
            self._change(self._dual_bound, priced, useful, rows)
            effort += program.effort
            if effort > most:
                break
        self._bound_before = self.node.bound
        program.move_to(whole)
        if self.incumbent.graph is not None:
            self.add_incumbent()

    def _columns_and_rows(
        self, last: Multipliers | None = None
    ) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray, Rows]:
        """The families to add, the columns to keep, and violated rows, after a bound, perhaps with its Multipliers."""
        priced, useful = self._pricing(), self._useful()
        if last is not None:
            self._try_midpoint(last)
        rows = self._separate(priced)
        self._callbacks.on_round(self)
        return priced, useful, rows

    def _is_stuck(self) -> bool:
        """Whether to branch; over an edge that is not open only later, since rows mostly separate tied solutions."""
        patience = self.rules.patience * (ROUNDS_DIVISOR if self.program.is_approximate else 1)
        if self.idle <= patience:
            return False
        is_open = self.solution.openness().max(initial=0.0) >= OPEN_FROM
        return (
            is_open
            or self.idle > TIED_PATIENCE * patience
            and len(self.solution.branching_candidates(self.node.required, 1)) > 0
        )

    def _begins_to_solve(self) -> bool:
        """Solve instead of improving from now on, if no edge is left to branch over; returns whether it does."""
        if not self.program.is_approximate:
            return False
        if self.solution.openness(self.node.required).max(initial=0.0) > CLEARLY_FRACTIONAL:
            return False
        self._many, self.idle = np.inf, 0.0
        return True

    @property
    def _have_doubled(self) -> bool:
        """Whether the rounds are FIRST_ROUNDS, or that times a power of two."""
        ratio, rest = divmod(self.rounds, FIRST_ROUNDS)
        return rest == 0 and ratio.bit_count() == 1

    def _is_finished(self) -> bool:
        """Whether `finish` found the best network of the node."""
        if self.node.log is not None or not self._callbacks.finish(self.node.pool, self.incumbent, self.rounds):
            return False
        self.node.bound = self.incumbent.floor
        return True

    def _bound(self) -> Multipliers:
        """Solve, and remove families by the bound of the multipliers; returns these."""
        self._solve()
        last = Multipliers(self.program.rows, self.program.multipliers)
        self._fix_families(last)
        return last

    def _solve(self) -> None:
        """Solve the program, or improve its solution."""
        rules = self.rules
        self.program.solve_or_improve(self.left, self._many, rules.slow, IMPROVING_STEPS * self._finer)

    def _try_midpoint(self, last: Multipliers) -> None:
        """If the last Multipliers are not the best so far, try the midpoint of both.

        While families are added, bounds fluctuate, and the midpoint mostly has a better one.
        """
        if self._best is None or self._dual_bound < self._best[0]:
            self._best = self._dual_bound, last
            return
        midpoint = self._best[1].midpoint(last)
        self._fix_families(midpoint)
        if self._dual_bound < self._best[0]:
            self._best = self._dual_bound, midpoint

    def _fix_families(self, multipliers: Multipliers) -> None:
        """Reduced-cost fixing: remove families while that improves the bound of these multipliers."""
        pool, bound_before, left_before = self.node.pool, self.node.bound, self.left
        self._last, before = multipliers, left_before
        bound = pool.bound(multipliers.rows, multipliers.values)
        while True:
            self._dual_bound = bound
            self.node.bound = min(self.node.bound, bound)
            self._allowed = self.incumbent.gap(bound)
            self.left = pool.fix_families(self._allowed)
            if self.left in (0, before) or bound <= self.program.value + PRICE * (1.0 + abs(bound)):
                break
            before, bound = self.left, pool.bound_again()
        is_better, rules_out = self.node.bound < bound_before, self.left != left_before
        if self.node.log is not None and (is_better or rules_out):
            self.node.log.add(multipliers.rows, multipliers.values, is_better, rules_out)

    def _is_done(self) -> bool:
        """Whether the node contains nothing better than the best network known."""
        if self.incumbent.is_proved(self.node.bound):
            return True
        allowed, before = self.incumbent.gap(self._dual_bound), self.left
        if allowed < self._allowed:  # by a better network
            self._allowed, self.left = allowed, self.node.pool.fix_families(allowed)
            if self.node.log is not None and self.left != before:
                self.node.log.add(self._last.rows, self._last.values, False, True)
        return self.left == 0

    def _pricing(self) -> tuple[np.ndarray, np.ndarray]:
        """The families with the largest reduced gains, child and parents: none if no gain is positive.

        Each child gets the same number, since the largest gain of each is part of the bound. Families of nearly
        positive gain are included, since the next rows change the prices: without them the bound stays far above the
        value of the program.
        """
        program, pool = self.program, self.program.pool
        each = -(-self.rules.columns // pool.n)
        best = pool.best_families(each, program.prices, -NEGATIVE_GAINS * self.incumbent.gap(self.node.bound))
        new = np.setdiff1d(best, program.columns)
        gain = pool.profit[new] - program.prices[pool.families.child[new]]
        return pool.masks(new if gain.max(initial=0.0) > PRICE else new[:0])

    def _separate(self, priced: tuple[np.ndarray, np.ndarray]) -> Rows:
        """Round the solution and separate it."""
        used, rows = self.program.x > PRICE, self.program.pool.empty_rows(0)
        self._read(*self.program.pool.masks(self.program.columns[used]), self.program.x[used])
        if not self._lacks_families(priced):
            rows = self._violated_rows(not len(priced[0]))
            self._adapt_separation(len(rows.base))
        last = not len(priced[0]) and not len(rows.base)
        if last or self._looks % self.rules.rounding == 0:
            self._offer_rounded()
        self._looks += 1
        return rows

    def _read(self, child: np.ndarray, parents: np.ndarray, x: np.ndarray) -> None:
        """Store the solution: the families that have a value."""
        self.solution = Solution(self.program.pool.n, child, parents, x)

    def _violated_rows(self, is_last: bool) -> Rows:
        """Rows that the solution violates; the round is the last one if there are none and no family enters."""
        return separate(self.solution, self._separation)

    @property
    def _lags(self) -> bool:
        """Whether the bound of the last round is far above the value of the program, since families are missing."""
        return self._dual_bound - self.program.value > LAG * self.incumbent.gap(self.node.bound)

    def _lacks_families(self, priced: tuple[np.ndarray, np.ndarray]) -> bool:
        """Whether a round only adds the families priced: the bound lags, or has not moved for rounds.

        More rows would lower the value still further below the bound, and change the multipliers again.
        """
        program = self.program
        is_late = self._lags or self.idle > self.rules.patience and program.pool is self.node.pool
        return len(priced[0]) > 0 and (program.is_approximate and is_late or program.value <= self.incumbent.floor)

    @property
    def _separation(self) -> SeparationLimits:
        """The limits of the search for rows; if the program is not solved, only larger violations count."""
        limits = self.rules.separation
        return replace(limits, least=IMPROVED_VIOLATION / self._finer) if self.program.is_approximate else limits

    def _adapt_separation(self, count: int) -> None:
        """Adapt the separation to the number of rows that a round found: after few, later rounds are finer."""
        if self.program.is_approximate and count < self.program.pool.n:
            self._finer = min(2 * self._finer, MAX_REFINEMENT)

    def _offer_rounded(self) -> None:
        """Offer the rounded solution; an accepted network is added to the program."""
        if self.incumbent.offer(*rounded(self.program)):
            self.add_incumbent()

    def add_incumbent(self) -> None:
        """Add the families of the best network known to the program, if they are left."""
        self._add_families(*self.incumbent.families(self.program.pool))

    def _add_families(self, child: np.ndarray, parents: np.ndarray) -> None:
        """Add those of the families to the program that are left and not yet in it."""
        numbers = np.setdiff1d(self._numbers(child, parents), self.program.columns)
        if len(numbers):
            self.program.add_columns(numbers)

    def _numbers(self, child: np.ndarray, parents: np.ndarray) -> np.ndarray:
        """The numbers of the remaining families."""
        pool = self.program.pool
        numbers = pool.find(child, parents)
        numbers = numbers[numbers >= 0]
        return np.unique(numbers[pool.alive[numbers]])

    def _change(self, bound: float, priced: tuple[np.ndarray, np.ndarray], useful: np.ndarray, rows: Rows) -> None:
        """Prepare the next round, after one with this bound."""
        moved = self._bound_before - bound > PRICE * (1.0 + abs(bound))
        self._bound_before = bound if moved else self._bound_before
        self.program.drop_rows(moved)
        useful = np.append(useful, np.ones(len(self.program.columns) - len(useful), bool))  # a network found since
        self.program.drop_columns(useful | (len(rows.base) == 0))
        self._add_families(*priced)
        if len(rows.base):
            self.program.add_rows(rows)

    def _kept(self) -> int:
        """Families without a value that stay in the program."""
        return self.rules.kept

    def _useful(self) -> np.ndarray:
        """The columns of the program to keep: bool[k]."""
        program = self.program
        useful = useful_columns(program.x, program.losses(), self.incumbent.gap(self.node.bound), self._kept())
        if self.incumbent.graph is not None:  # with it the program remains feasible
            useful |= np.isin(program.columns, self._numbers(*self.incumbent.families(self.program.pool)))
        return useful

    def branching_edge(self) -> int:
        """The edge to branch over (a mask), 0 if there is none; stores in the node the start of its parts.

        Of the candidates, it is the edge with the largest product of the program's losses without it and with it; the
        first candidate if the program is not solved.

        Raises
        ------
        StoppedError
            As `run`.
        """
        most = 1 if self.program.is_approximate else self.rules.candidates
        edges = self.solution.branching_candidates(self.node.required, most)
        if not len(edges):
            edges = self.incumbent.edges_between(self.node.pool, self.node.required)[:most]
        if len(edges) > 1:
            edges = edges[[np.argmax([self._loss(edge) for edge in edges])]]
        self._save()
        return int(edges[0]) if len(edges) else 0

    def _loss(self, edge: int) -> float:
        """The product of the program's losses without an edge and with it, each at most the gap."""
        if not self._callbacks.should_continue():
            raise StoppedError
        gap = self.incumbent.gap(self.node.bound)
        losses = self.program.value - np.array(self.program.without_and_with(edge, PROBE))
        return float(np.clip(losses, 1e-3 * gap, gap).prod())

    def _save(self) -> None:
        """Store in the node the start of its parts."""
        program = self.program
        program.drop_columns()
        tight = np.flatnonzero(program.multipliers > 0.0)
        tight = tight[tight >= len(self.node.required)]
        self.node.rows, self.node.start = pick_rows(program.rows, tight), program.start(tight)
        self.node.columns = self.node.pool.masks(program.columns)
        self.node.pool.release()
