"""The check of a proof that no chordal network has a higher score, in exact arithmetic.

No code is shared with the solver. Scores come from `common.certify.set_scores`, over all sets of up to K variables, and
are rounded to multiples of 1/D, where D is a common denominator of all multipliers; everything else is integers and
fractions, and the largest effect of rounding on a network's score is added to the bound.

**The proof.** Let a chordal graph have cliques of at most K vertices. A perfect order of it can begin with any vertex
r; each v then has a set P of earlier neighbours, which is complete, and the graph scores the sum of s(P + v) - s(P)
over these *families*. A row has members and a base. Let h(S) be 1 if a member lies inside S, b(S) if the base does and
is not empty. In every such graph

    sum over its families of h(P + v) - h(P)   >=   sum of b(P + v) - b(P),  or 1 for an empty base,

if the base is empty and a member is complete in each of the graphs (a single vertex, or an edge that the part
requires), or if the base holds a member. Proof: each term is 0 or 1. On the right only the last vertex of the base
contributes, and only if the base is complete: so the right side is at most 1, and if it is 1 there is a complete
member. Of all complete members take the one whose last vertex v comes first in the order. Its other vertices are
earlier neighbours of v, so h(P + v) = 1; a member inside P would be complete, with a last vertex before v, so h(P) = 0.

So with multipliers y >= 0 of rows, and W(S) = s(S) + the sum of y (h(S) - b(S)), no graph scores more than

    sum over v of max over P of (W(P + v) - W(P))   -   the sum of y over the rows with an empty base,

where the maximum is over all remaining families. This is a *step*. The loss of a family is its difference to the
maximum of its v. A graph that uses the family (v, P) has at least this loss; and as P is complete in it, so have the
families of the vertices of P: let L(S) be the least loss of a graph in which S is complete, L(S) >= min over the last
vertex u of S of L(S - u) + the least loss of a family of u whose parents hold S - u. If the step's bound minus both
losses is at most the upper bound to be proved, the family is ruled out: no graph that uses it scores more than the
upper bound. If the step's bound itself is at most the upper bound, or a vertex has no family left, the part is done. A
part may be split over an edge: without the edge, no family may hold both ends; with it, the edge is a complete member.
Of a split over an edge that is decided already, one part is about no network at all, and is not looked at.

Cost: one score per set of up to K variables, tens of microseconds each; a step takes about ten operations per row on
arrays with one number per set, and K^2 to rule out families.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..scores.scoring import BDEU_1, Scoring
from .set_scores import set_score

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.prooffile import BoundProof, ProofPart, ProofRow
    from ..files.scorefile import CliqueScores

FINEST = 1 << 30  # the least common denominator to compute with
LARGEST_WORD = 1 << 60  # above this, Python's integers instead of 64 bits
HUGE = 1 << 60  # a loss larger than any slack
MOST_SETS = 1 << 22  # more would take hours and too much memory


def certify_bound(
    proof: BoundProof,
    source: Dataset | CliqueScores,
    by: Scoring = BDEU_1,
    may_go_on: Callable = lambda: True,
) -> tuple[str, ...]:
    """Check the proof of an upper bound.

    Parameters
    ----------
    by
        Of CliqueScores only the prior is used. The bound is about the networks that have all its edges of probability
        1 and none of probability 0.
    may_go_on
        Called many times per second; once it returns False, the check ends.

    Returns
    -------
    tuple of str
        The problems; empty if the bound is proved.
    """
    if source.n != proof.n:
        return (f"the certificate is about {proof.n} variables, the data have {source.n}",)
    if proof.max_clique > source.max_size:
        return (f"sets of {proof.max_clique} variables, the scores go up to {source.max_size}",)
    count = sum(math.comb(proof.n, size) for size in range(proof.max_clique + 1))
    if count > MOST_SETS:
        return (f"{count} sets of up to {proof.max_clique} variables; at most {MOST_SETS} can be gone through",)
    rows = [row for part in _parts(proof.whole) for step in part.steps for row in step]
    problem = next(filter(None, map(_row_problem, rows)), None)
    if problem is not None:
        return (problem,)
    table = _Table(proof, (source, by), may_go_on)
    number = {id(part): k for k, part in enumerate(_parts(proof.whole), 1)}
    waiting = [_whole(proof.whole, table, by)]
    while waiting:
        part = waiting.pop()
        if not may_go_on():
            return ("the check was stopped",)
        problem, done = table.go_through(part)
        if done:
            continue
        if problem is None and part.proof.edge is None:
            problem = f"the bound is not proved: its last step shows {_shown(table.last)} only"
        if problem is not None:
            return (f"part {number[id(part.proof)]} of {len(number)}: {problem}",)
        waiting += part.split(table)
    return ()


def _whole(proof: ProofPart, table: _Table, by: Scoring) -> _Part:
    """The part of all networks that have the edges of prior probability 1, and none of probability 0."""
    alive = table.every_family()
    for edge in by.prior.forbidden:
        alive = table.without(alive, edge)
    forbidden, required = (frozenset(map(frozenset, edges)) for edges in (by.prior.forbidden, by.prior.required))
    return _Part(proof, alive, required, forbidden)


def _shown(number: Any) -> Any:
    """A Fraction with six decimals, or the digits of a float if it is very large."""
    try:
        return f"{float(number):.6f}" if abs(number) < 10**15 else f"{float(number):.15g}"
    except OverflowError:
        return "beyond 1e308"


def _parts(whole: ProofPart) -> Iterator[ProofPart]:
    """All parts of a proof, in the order of their file, without recursion."""
    waiting = [whole]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(part.parts or [])


def _row_problem(row: ProofRow) -> Any:
    """The problem of a row, whatever its part; None if there is none."""
    if row.multiplier < 0:
        return f"a negative multiplier, {row.multiplier}"
    if not row.members or not all(row.members):
        return "a row without members"
    if row.base and not any(member <= row.base for member in row.members):
        return f"a row whose base {sorted(row.base)} holds no member"
    return None


@dataclass
class _Part:
    """A ProofPart with its remaining families (alive, bool[sets, size] for each size), required and absent edges."""

    proof: Any
    alive: list
    required: frozenset = frozenset()
    absent: frozenset = frozenset()

    def split(self, table: Any) -> Any:
        """The two parts over an edge; if it is decided already, only the one with networks."""
        edge = frozenset(self.proof.edge)
        if edge in self.required:
            return [replace(self, proof=self.proof.parts[1])]
        if edge in self.absent:
            return [replace(self, proof=self.proof.parts[0])]
        without, with_edge = self.proof.parts
        return [
            _Part(without, table.without(self.alive, self.proof.edge), self.required, self.absent | {edge}),
            _Part(with_edge, self.alive, self.required | {edge}, self.absent),
        ]


class _Table:
    """All sets of up to K variables, by size, and their scores as integers.

    Parameters
    ----------
    scored_by
        As for `certify_bound`.

    Attributes
    ----------
    denominator : int
    members : list of int64[m, size]
        Ascending in each row.
    below : list of int64[m, size]
        Index of the set without that member among the sets of one size less.
    holds : list of bool[n, m]
        Whether the set holds the variable.
    score : list of int64[m]
        Times the denominator.
    last : Fraction
        The bound that the last step showed.
    """

    def __init__(self, proof: BoundProof, scored_by: tuple[Any, ...], may_go_on: Callable) -> None:
        self.n, self.largest, self.root = proof.n, proof.max_clique, proof.root
        steps = [[row.multiplier for row in step] for part in _parts(proof.whole) for step in part.steps]
        self.denominator = math.lcm(FINEST, *(number.denominator for step in steps for number in step))
        self.goal = math.floor(proof.upper_bound * self.denominator)
        self.last, self._may_go_on = Fraction(0), may_go_on
        self.members = [_sets(self.n, size) for size in range(self.largest + 1)]
        self.below = [np.zeros((1, 0), np.int64)]
        self.holds = [np.zeros((self.n, 1), bool)]
        for size in range(1, self.largest + 1):
            sets = self.members[size]
            columns = [_place(np.delete(sets, j, axis=1)) for j in range(size)]
            self.below.append(np.stack(columns, axis=1))
            holds = np.zeros((self.n, len(sets)), bool)
            for j in range(size):
                holds[sets[:, j], np.arange(len(sets))] = True
            self.holds.append(holds)
        scores = [np.array([self._score(row, scored_by) for row in sets.tolist()]) for sets in self.members]
        self._good = [np.isfinite(values) for values in scores]
        for size in range(1, self.largest + 1):  # a set is forbidden if one inside it is
            self._good[size] &= self._good[size - 1][self.below[size]].all(axis=1)
        largest_score = max(
            float(np.abs(values[good]).max(initial=0.0)) for values, good in zip(scores, self._good, strict=True)
        )
        total = largest_score + float(max(map(sum, steps), default=0)) + 1.0
        self.kind = np.int64 if total * self.denominator * 4 * self.n < LARGEST_WORD else object
        self.score = [
            self._integers(np.where(good, values, 0.0)) for values, good in zip(scores, self._good, strict=True)
        ]

    def _score(self, members: list[int], scored_by: tuple[Any, ...]) -> float:
        """The score of a set; 0 once the check has ended early."""
        return set_score(scored_by[0], members, *scored_by[1:]) if self._may_go_on() else 0.0

    def _integers(self, values: np.ndarray) -> np.ndarray:
        """Floats times the denominator, to the nearest integer, exactly."""
        exact = [round(Fraction(value) * self.denominator) for value in values.tolist()]
        return np.array(exact, self.kind)

    def every_family(self) -> list[np.ndarray]:
        """The initial families: all of allowed sets, but only the one without parents for the root."""
        alive = []
        for size, good in enumerate(self._good):
            left = np.repeat(good[:, None], size, axis=1)
            alive.append(left & (self.members[size] != self.root) if size > 1 else left)
        return alive

    def without(self, alive: list[np.ndarray], edge: tuple[int, int]) -> list[np.ndarray]:
        """The families of `alive` that do not hold both ends of an edge."""
        u, v = edge
        left = [families.copy() for families in alive]
        for families, holds in zip(left[2:], self.holds[2:], strict=True):
            families[holds[u] & holds[v]] = False
        return left

    def go_through(self, part: _Part) -> tuple[str | None, bool]:
        """The steps of a part: their problem, and whether nothing above the upper bound is left."""
        for number, step in enumerate(part.proof.steps, 1):
            if not self._may_go_on():
                return "the check was stopped", False
            for row in step:
                surely = any(len(member) == 1 or member in part.required for member in row.members)
                if not row.base and not surely:
                    return f"step {number}: a row with an empty base and no member that is in every network", False
            losses, bound = self._bound(part, step)
            if losses is None:
                return None, True
            self.last = Fraction(bound, self.denominator)
            if bound <= self.goal:
                return None, True
            self._leave_out(part, losses, bound)
        return None, any(not count for count in self._left(part))

    def _left(self, part: Any) -> np.ndarray:
        """The number of remaining families of each variable: int64[n]."""
        count = np.zeros(self.n, np.int64)
        for sets, left in zip(self.members, part.alive, strict=True):
            count += np.bincount(sets[left], minlength=self.n)
        return count

    def _bound(self, part: _Part, step: list[ProofRow]) -> tuple[list[np.ndarray] | None, int]:
        """The losses of all families by size, and the bound (int, both times the denominator); None, 0 if one has none.

        The bound holds for unrounded scores: each differs by at most half a unit, and a network has n families of two
        scores.
        """
        profits = [values.copy() for values in self.score]
        constant = 0
        for row in step:
            times = int(row.multiplier * self.denominator)
            constant += 0 if row.base else times
            single = np.zeros(self.n, bool)
            single[[v for member in row.members if len(member) == 1 for v in member]] = True
            larger = [sorted(member) for member in row.members if len(member) > 1]
            for size in range(1, self.largest + 1):
                holds = self.holds[size]
                inside = holds[single].any(axis=0)
                for member in larger:
                    if len(member) <= size:
                        inside |= holds[member].all(axis=0)
                profits[size][inside] += times
                if 0 < len(row.base) <= size:
                    profits[size][holds[sorted(row.base)].all(axis=0)] -= times
        gains = [profits[size][:, None] - profits[size - 1][self.below[size]] for size in range(1, self.largest + 1)]
        best: list = [None] * self.n
        for sets, gain, left in zip(self.members[1:], gains, part.alive[1:], strict=True):
            top = np.full(self.n, -4 * LARGEST_WORD, self.kind)
            np.maximum.at(top, sets[left], gain[left])
            for v in np.unique(sets[left]).tolist():
                best[v] = int(top[v]) if best[v] is None else max(best[v], int(top[v]))
        if None in best:
            return None, 0
        most = np.array(best, self.kind)
        losses = [most[sets] - gain for sets, gain in zip(self.members[1:], gains, strict=True)]
        for loss, left in zip(losses, part.alive[1:], strict=True):
            loss[~left] = HUGE
        return [np.zeros((1, 0), self.kind), *losses], sum(best) - constant + self.n

    def _leave_out(self, part: Any, losses: list[np.ndarray], bound: float) -> None:
        """Remove the families with which no network scores more than the upper bound."""
        least = [loss.copy() for loss in losses]  # over the families of the same variable whose parents hold these
        for size in range(self.largest, 1, -1):
            for i, j in itertools.permutations(range(size), 2):  # the set without member i, child j
                at: Any = self.below[size][:, i], j - (i < j)
                np.minimum.at(least[size - 1], at, least[size][:, j])
        complete = [np.zeros(1, self.kind)]
        for size in range(1, self.largest + 1):
            ways = complete[size - 1][self.below[size]] + least[size]
            complete.append(np.minimum(ways.min(axis=1), HUGE))
        alive = [part.alive[0]]
        for size in range(1, self.largest + 1):
            lost = complete[size - 1][self.below[size]] + losses[size]
            alive.append(part.alive[size] & (bound - lost > self.goal))
        part.alive = alive


def _sets(n: int, size: int) -> np.ndarray:
    """All sets of `size` of n variables, in the order of `_place`: int64[m, size]."""
    count = math.comb(n, size)
    flat = itertools.chain.from_iterable(itertools.combinations(range(n), size))
    sets = np.fromiter(flat, np.int64, count * size).reshape(count, size)
    ordered = np.empty_like(sets)
    ordered[_place(sets)] = sets
    return ordered


def _place(sets: np.ndarray) -> np.ndarray:
    """Index of sets among those of their size: the sum of (member i over i + 1), members ascending."""
    place = np.zeros(len(sets), np.int64)
    for i in range(sets.shape[1]):
        over = np.array([math.comb(v, i + 1) for v in range(int(sets[:, i].max(initial=0)) + 1)])
        place += over[sets[:, i]]
    return place
