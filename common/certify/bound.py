"""The check of a proof that no chordal network has a higher score, in exact arithmetic.

No code is shared with the solver. Scores come from `common.certify.all_set_scores`, over all sets of up to K variables,
and are rounded to multiples of 1/D, where D is a common denominator of all multipliers; everything else is integers and
fractions, and the largest effect of rounding on a network's score is added to the bound.

**The proof.** Let a chordal graph have cliques of at most K vertices. In a perfect order of it each v has a set P of
earlier neighbours, which is complete, and the graph scores the sum of s(P + v) - s(P) over these *families*. A perfect
order can begin with any clique, in any order of its vertices. So for given vertices f_1, f_2, ... there is one that
begins with as many of them, from f_1 on, as are all joined. If the earlier neighbours of f_i include all of f_1 to
f_(i-1), then f_1 to f_i are joined, and f_i has no other earlier neighbours: families (f_i, P) in which P contains
these and more are left out; of f_1, all but the one without parents. A row has members and a base. Let h(S) be 1 if a
member lies inside S, b(S) if one does together with the base, 0 everywhere for an empty base. In every such graph

    sum over its families of h(P + v) - h(P)   >=   sum of b(P + v) - b(P),  or 1 for an empty base,

if the base is not empty, or a member is complete in each of the graphs (a single vertex, or an edge that the part
requires). Proof: each term is 0 or 1. If a member is complete, take the one whose last vertex v comes first in the
order. Its other vertices are earlier neighbours of v, so h(P + v) = 1; a member inside P would be complete, with a last
vertex before v, so h(P) = 0: the left side is at least 1. For a base of one vertex w, a vertex v whose term on the
right is 1 has w in P + v. If w is in P, a member inside P + v or P is also inside together with w, and both sides have
the same term for v. Otherwise w is v, and only this one vertex is left to be compared. If no member lies inside its P,
the left side has its term, too; otherwise take of all members inside P the one whose last vertex u comes first: as
before, the left side has a term for u, whose own earlier neighbours do not contain w, and the right side has none. A
base of more vertices follows vertex by vertex: the members together with some of them are the members for the next.

So with multipliers y >= 0 of rows, and W(S) = s(S) + the sum of y (h(S) - b(S)), no graph scores more than

    sum over v of max over P of (W(P + v) - W(P))   -   the sum of y over the rows with an empty base,

where the maximum is over all remaining families. This is a *step*. The loss of a family is its difference to the
maximum of its v. A graph that uses the family (v, P) has at least this loss; and as P is complete in it, so have the
families of the vertices of P: let L(S) be the least loss of a graph in which S is complete, L(S) >= min over the last
vertex u of S of L(S - u) + the least loss of a family of u whose parents contain S - u. If the step's bound minus both
losses is at most the upper bound to be proved, the family is ruled out: no graph that uses it scores more than the
upper bound. Then the maxima of the others can be lower, and the step is taken again, until it rules out no more. If the
step's bound itself is at most the upper bound, or a vertex has no family left, the part is done. A part may be split
over an edge: without the edge, no family may hold both ends; with it, the edge is a complete member. Of a split over an
edge that is decided already, one part is about no network at all, and is not looked at.

If networks are listed, the bound is about all others. Where the families left of a part contain no edges but those that
it requires, it has the network of these edges alone, which must be a listed one.

Of a row with one member, y (h(S) - b(S)) is a sum over the subsets of S: y for the member, -y for the member with the
base. The other rows' are added set by set.

Cost: one score per set of up to K variables, microseconds each. A step takes about K operations for each set and child,
K^2 to rule out families, and some for each set and member of the rows with several members; sets that the remaining
families do not need are dropped.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from ..scores.scoring import BDEU_1, Scoring
from .all_set_scores import all_set_scores, colex_sets

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.prooffile import BoundProof, ProofPart, ProofRow
    from ..files.scorefile import CliqueScores

MAX_DENOMINATOR = 1 << 30  # the least common denominator to compute with
MAX_WORD = 1 << 60  # above this, Python's integers instead of 64 bits
HUGE = 1 << 60  # a loss larger than any slack
MAX_SETS = 1 << 23  # more would take an hour and gigabytes


def certify_bound(
    proof: BoundProof,
    source: Dataset | CliqueScores,
    by: Scoring = BDEU_1,
    should_continue: Callable = lambda: True,
    listed: Iterable[Iterable[Iterable[int]]] = (),
) -> tuple[str, ...]:
    """Check the proof of an upper bound.

    Parameters
    ----------
    by
        Of CliqueScores only the prior is used. The bound is about the networks that have all its edges of probability
        1 and none of probability 0.
    should_continue
        Called many times per second; once it returns False, the check ends.
    listed
        The edges of each network that the bound is not about.

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
    if count > MAX_SETS:
        return (f"{count} sets of up to {proof.max_clique} variables; at most {MAX_SETS} can be gone through",)
    rows = [row for part in _parts(proof.whole) for step in part.steps for row in step]
    problem = next(filter(None, map(_row_problem, rows)), None)
    if problem is not None:
        return (problem,)
    check = _Check(proof, (source, by), should_continue)
    known = {_edges(network) for network in listed}
    number = {id(part): k for k, part in enumerate(_parts(proof.whole), 1)}
    waiting = [_whole(proof.whole, check, by)]
    while waiting:
        part = waiting.pop()
        if not should_continue():
            return ("the check was stopped",)
        problem, done = check.check_steps(part)
        if done:
            continue
        if problem is None and part.proof.edge is None and (known and part.only_network() in known):
            continue
        if problem is None and part.proof.edge is None:
            problem = f"the bound is not proved: its last step shows {_shown(check.last)} only"
        if problem is not None:
            return (f"part {number[id(part.proof)]} of {len(number)}: {problem}",)
        waiting += part.split()
    return ()


def _whole(proof: ProofPart, check: _Check, by: Scoring) -> _Part:
    """The part of all networks that have the edges of prior probability 1, and none of probability 0."""
    alive = check.every_family()
    for edge in by.prior.forbidden:
        alive = check.sets.without(alive, edge)
    forbidden, required = (frozenset(map(frozenset, edges)) for edges in (by.prior.forbidden, by.prior.required))
    return _Part(proof, check.sets, alive, required, forbidden)


def _shown(number: Any) -> Any:
    """A Fraction with six decimals, or the digits of a float if it is very large."""
    try:
        return f"{float(number):.6f}" if abs(number) < 10**15 else f"{float(number):.15g}"
    except OverflowError:
        return "beyond 1e308"


def _edges(network: Iterable[Iterable[int]]) -> frozenset:
    """The edges of a network as sets of two."""
    return frozenset(map(frozenset, network))


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
    return None


@dataclass
class _Part:
    """A ProofPart, its _Sets and remaining families (alive, bool[sets, size] by size), required and absent edges."""

    proof: Any
    sets: Any
    alive: list
    required: frozenset = frozenset()
    absent: frozenset = frozenset()

    def split(self) -> Any:
        """The two parts over an edge; if it is decided already, only the one with networks."""
        edge = frozenset(self.proof.edge)
        without, with_edge = self.proof.parts
        if edge in self.required:
            return [replace(self, proof=with_edge)]
        if edge in self.absent:
            return [replace(self, proof=without)]
        left = self.sets.without(self.alive, edge)
        return [
            replace(self, proof=without, alive=left, absent=self.absent | {edge}),
            replace(self, proof=with_edge, required=self.required | {edge}),
        ]

    def only_network(self) -> frozenset | None:
        """The edges of the only network that can be left, those required; None if the families left contain others."""
        for sets, left in zip(self.sets.members, self.alive, strict=True):
            for members in sets[left.any(axis=1)].tolist():
                if not self.required.issuperset(map(frozenset, itertools.combinations(members, 2))):
                    return None
        return self.required

    def shrink(self) -> None:
        """Drop the sets that no remaining family needs, if these are many."""
        needed = [left.any(axis=1) for left in self.alive]
        needed[0][:] = True
        for size in range(len(needed) - 1, 0, -1):
            needed[size - 1][self.sets.below[size][needed[size]]] = True
        if 2 * sum(map(np.count_nonzero, needed)) < sum(map(len, needed)):
            self.sets = self.sets.picked(needed)
            self.alive = [left[chosen] for left, chosen in zip(self.alive, needed, strict=True)]


class _Sets:
    """Sets of variables, closed under subsets, by size and then in colex order.

    Parameters
    ----------
    members : list of int64[m, size]
        The sets of each size, ascending in each row.
    score : (int64 or object)[m in all]
        Their scores, times the denominator.
    n

    Attributes
    ----------
    members, score
        As the parameters.
    masks : list of (uint64 or object)[m]
        The sets of each size as bits, ascending.
    below : list of int64[m, size]
        Index of the set without that member among the sets of one size less.
    """

    def __init__(self, members: list[np.ndarray], score: np.ndarray, n: int) -> None:
        self.members, self.score, self._n = members, score, n
        bits = np.array([1 << v for v in range(n)], np.uint64 if n <= 64 else object)
        self.masks = [np.bitwise_or.reduce(bits[sets], axis=1) if sets.shape[1] else bits[:1] * 0 for sets in members]
        self._every = np.concatenate(self.masks)
        self.below = [np.zeros((1, 0), np.int64)]
        for size in range(1, len(members)):
            without = self.masks[size][:, None] ^ bits[members[size]]
            self.below.append(np.searchsorted(self.masks[size - 1], without))

    def by_size(self, values: np.ndarray) -> list[np.ndarray]:
        """Views of an array with one number per set, by size."""
        return np.split(values, np.cumsum([len(sets) for sets in self.members])[:-1])

    def picked(self, chosen: list[np.ndarray]) -> _Sets:
        """Those chosen (bool[m] by size), which are closed under subsets."""
        members = [sets[which] for sets, which in zip(self.members, chosen, strict=True)]
        return _Sets(members, self.score[np.concatenate(chosen)], self._n)

    def without(self, alive: list[np.ndarray], edge: Iterable[int]) -> list[np.ndarray]:
        """The families of `alive` that do not contain both ends of an edge."""
        return [left & ~_contain(masks, _mask(edge))[:, None] for left, masks in zip(alive, self.masks, strict=True)]

    def weights(self, step: Iterable[tuple[ProofRow, int]]) -> list[np.ndarray]:
        """W of all sets for a step, rows with their multipliers times the denominator: by size.

        The terms of rows with one member are summed over the subsets of each set; those of rows with several members
        are added to all sets that contain one of these.
        """
        terms = np.zeros_like(self.score)
        weights, by_size = self.score.copy(), self.by_size(terms)
        for row, multiplier in step:
            whole = {member | row.base for member in row.members} if row.base else set()
            for members, number in ((set(row.members), multiplier), (whole, -multiplier)):
                if len(members) == 1:
                    self._add(by_size, next(iter(members)), number)
                elif members:
                    weights[self._contain_any(members)] += number
        self._add_up(by_size)
        return self.by_size(weights + terms)

    def _add(self, terms: list[np.ndarray], members: frozenset, number: int) -> None:
        """Add a number to the term of a set that is not empty, if it is one of these."""
        size = len(members)
        if 0 < size < len(terms):
            masks, mask = self.masks[size], _mask(members)
            at = int(np.searchsorted(masks, masks.dtype.type(mask)))
            if at < len(masks) and masks[at] == mask:
                terms[size][at] += number

    def _contain_any(self, members: Iterable[frozenset]) -> np.ndarray:
        """Which of all sets contain one of the members: bool[m in all]."""
        single = _mask(v for member in members if len(member) == 1 for v in member)
        inside = self._every & self._every.dtype.type(single) != 0
        for member in members:
            if len(member) > 1:
                inside |= _contain(self._every, _mask(member))
        return inside

    def _add_up(self, terms: list[np.ndarray]) -> None:
        """Replace the term of each set by the sum over its subsets.

        After step t it is the sum over those that contain all its members from the (t + 1)-th on; those of them without
        the next member are the subsets of the set without it that contain all from there.
        """
        for t in range(len(terms) - 1):
            for size in range(len(terms) - 1, t, -1):
                terms[size] += terms[size - 1][self.below[size][:, t]]


def _contain(masks: np.ndarray, members: int) -> np.ndarray:
    """Which of the masks contain all members: bool[m]."""
    mask = masks.dtype.type(members)
    return masks & mask == mask


def _mask(members: Iterable[int]) -> int:
    """Members as the bits of a number."""
    mask = 0
    for v in members:
        mask |= 1 << v
    return mask


class _Check:
    """Goes through the steps of parts.

    Parameters
    ----------
    scored_by
        As for `certify_bound`.

    Attributes
    ----------
    denominator : int
    sets : _Sets
        All of up to K variables.
    last : Fraction
        The bound that the last step showed.
    """

    def __init__(self, proof: BoundProof, scored_by: tuple[Any, ...], should_continue: Callable) -> None:
        self.n, self.largest, self.first = proof.n, proof.max_clique, proof.first
        steps = [[row.multiplier for row in step] for part in _parts(proof.whole) for step in part.steps]
        self.denominator = math.lcm(MAX_DENOMINATOR, *(number.denominator for step in steps for number in step))
        self.goal = math.floor(proof.upper_bound * self.denominator)
        self.last = Fraction(0)
        self._should_continue = should_continue
        members = [colex_sets(self.n, size) for size in range(self.largest + 1)]
        scores = all_set_scores(scored_by[0], self.largest, scored_by[1], should_continue)
        self._good = [np.isfinite(values) for values in scores]
        largest_score = max(
            float(np.abs(values[good]).max(initial=0.0)) for values, good in zip(scores, self._good, strict=True)
        )
        total = largest_score + float(max(map(sum, steps), default=0)) + 1.0
        self.kind = np.int64 if total * self.denominator * 4 * self.n < MAX_WORD else object
        exact = [self._integers(np.where(good, values, 0.0)) for values, good in zip(scores, self._good, strict=True)]
        self.sets = _Sets(members, np.concatenate(exact), self.n)
        for size in range(1, self.largest + 1):  # a set is forbidden if one inside it is
            self._good[size] &= self._good[size - 1][self.sets.below[size]].all(axis=1)

    def _integers(self, values: np.ndarray) -> np.ndarray:
        """Floats times the denominator, to the nearest integer, exactly."""
        if self.kind is np.int64 and self.denominator & (self.denominator - 1) == 0:  # then the product is exact
            return np.rint(values * float(self.denominator)).astype(np.int64)
        exact = [round(Fraction(value) * self.denominator) for value in values.tolist()]
        return np.array(exact, self.kind)

    def every_family(self) -> list[np.ndarray]:
        """The initial families: all of allowed sets, without those not needed as some variables come first."""
        alive = []
        for size, good in enumerate(self._good):
            left = np.repeat(good[:, None], size, axis=1)
            for i, v in enumerate(self.first[: max(0, size - 1)]):  # with more parents than the i before it
                holds = _contain(self.sets.masks[size], _mask(self.first[:i]))
                left &= ~(holds[:, None] & (self.sets.members[size] == v))
            alive.append(left)
        return alive

    def check_steps(self, part: _Part) -> tuple[str | None, bool]:
        """The steps of a part: their problem, and whether nothing above the upper bound is left."""
        for number, step in enumerate(part.proof.steps, 1):
            for row in step:
                surely = any(len(member) == 1 or member in part.required for member in row.members)
                if not row.base and not surely:
                    return f"step {number}: a row with an empty base and no member that is in every network", False
            if self._take(part, step):
                return None, True
            part.shrink()
            if not self._should_continue():
                return "the check was stopped", False
        return None, any(not count for count in self._left(part))

    def _left(self, part: Any) -> np.ndarray:
        """The number of remaining families of each variable: int64[n]."""
        count = np.zeros(self.n, np.int64)
        for sets, left in zip(part.sets.members, part.alive, strict=True):
            count += np.bincount(sets[left], minlength=self.n)
        return count

    def _take(self, part: _Part, step: list[ProofRow]) -> bool:
        """Rule out families by a step, repeatedly; returns whether nothing above the upper bound is left."""
        multipliers = [int(row.multiplier * self.denominator) for row in step]
        constant = sum(number for number, row in zip(multipliers, step, strict=True) if not row.base)
        weights = part.sets.weights(zip(step, multipliers, strict=True))
        below = part.sets.below
        gains = [weights[size][:, None] - weights[size - 1][below[size]] for size in range(1, self.largest + 1)]
        before, left = -1, sum(map(np.count_nonzero, part.alive))
        while left != before and self._should_continue():
            losses, bound = self._bound(part, gains, constant)
            if losses is None:
                return True
            self.last = Fraction(bound, self.denominator)
            if bound <= self.goal:
                return True
            self._leave_out(part, losses, bound)
            before = left
            left = sum(map(np.count_nonzero, part.alive))
        return False

    def _bound(self, part: _Part, gains: list[np.ndarray], constant: int) -> tuple[list[np.ndarray] | None, int]:
        """The losses of all families by size, and the bound (int, both times the denominator); None, 0 if one has none.

        The bound holds for unrounded scores: each differs by at most half a unit, and a network has n families of two
        scores.
        """
        if not self._left(part).all():
            return None, 0
        most = np.full(self.n, min(gain.min(initial=0) for gain in gains), self.kind)
        for sets, gain, left in zip(part.sets.members[1:], gains, part.alive[1:], strict=True):
            np.maximum.at(most, sets[left], gain[left])
        best = [int(one) for one in most]
        losses = [most[sets] - gain for sets, gain in zip(part.sets.members[1:], gains, strict=True)]
        for loss, left in zip(losses, part.alive[1:], strict=True):
            loss[~left] = HUGE
        return [np.zeros((1, 0), self.kind), *losses], sum(best) - constant + self.n

    def _leave_out(self, part: Any, losses: list[np.ndarray], bound: int) -> None:
        """Remove the families with which no network scores more than the upper bound."""
        below = part.sets.below
        least = [loss.copy() for loss in losses]  # over the families of the same variable whose parents contain these
        for size in range(self.largest, 1, -1):
            smaller = least[size - 1].reshape(-1)
            for i, j in itertools.permutations(range(size), 2):  # the set without member i, child j
                np.minimum.at(smaller, below[size][:, i] * (size - 1) + (j - (i < j)), least[size][:, j])
        complete = [np.zeros(1, self.kind)]
        for size in range(1, self.largest + 1):
            ways = complete[size - 1][below[size]] + least[size]
            complete.append(np.minimum(ways.min(axis=1), HUGE))
        alive = [part.alive[0]]
        for size in range(1, self.largest + 1):
            lost = complete[size - 1][below[size]] + losses[size]
            alive.append(part.alive[size] & (bound - lost > self.goal))
        part.alive = alive
