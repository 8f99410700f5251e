"""Sets of edges that change together, learned from draws, for the move FLIP (`mnposterior.flips_kernels`).

The edges with the fewest effective samples indicate the modes between which the chains rarely move. For such an edge e
the *shift* of an edge f is |P(f | e) - P(f | not e)|, over the draws. The edges with a shift of at least
`MIN_CORE_SHIFT` change whenever e does. A set for e is this core and some of the edges that shift less: it is found by
hill climbing, one edge in or out at a time, from all edges that shift by at least `MIN_START_SHIFT`, and from known
sets. The objective is the mean acceptance of the joint toggle, over draws in which e is in its rarer state. (By
detailed balance as many accepted moves lead from the rarer state to the other as back, and few draws of the rarer state
give more information on them than many of the other.) The acceptance of a set is then measured over other draws.

So a set contains the edges that must change in one step, without those that vary freely. The two largest modes of autos
(26 variables) differ in 35 to 45 edges. Toggling all edges that shift by 0.5 is accepted in none of 4000 draws; the
sets found are accepted in 1 to 9 of 100 draws of the rarer mode.

Where ladders stay in different modes, the edges that shift together are all those that one ladder has and another has
not, in many independent places. So the first sets are these differences of two ladders, divided into parts that share
no variable.

Cost: draws * edges^2 for the shifts, and as many trials of sets as the caller allows.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.chains.diagnostics import MIN_DRAWS, halves, plain_effective_samples
from .presence import blocks_of, presence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MIN_CORE_SHIFT = 0.8  # of an edge that is in every set
MIN_START_SHIFT = 0.5  # of the edges in the set from which a climb starts
MIN_FREE_SHIFT = 0.1  # of an edge that may enter or leave a set
MAX_SWEEPS = 3  # of a climb over the free edges
GOOD_ACCEPTANCE, MIN_ACCEPTANCE = 0.3, 1e-3  # acceptance that need not be improved, and that a set must have
SLOW_EFFICIENCY = 0.5  # effective samples per draw below which an edge is slow
MIN_DRAWS_PER_STATE = 8  # with an edge, and without it
MAX_DRAWS, MAX_EDGES = 8192, 600  # from which sets are learned
DRAWS_PER_SAMPLE = 100  # in which the acceptance of sets is measured: for a climb, and others after it


class ScoredDraws(NamedTuple):
    """Some networks: graphs uint64[m, n, words], and their scores, values float64[m]."""

    graphs: np.ndarray
    values: np.ndarray


class FlipSearch:
    """Searches for sets within a budget.

    Parameters
    ----------
    acceptance
        Takes a ScoredDraws and a set of pairs int32[any]; returns the mean acceptance.
    budget
        Number of networks in which sets may be tried; the last climb may exceed it.
    """

    def __init__(self, acceptance: Callable[[ScoredDraws, np.ndarray], float], budget: float) -> None:
        self._acceptance, self.remaining = acceptance, budget

    def rate(self, sample: ScoredDraws, members: Iterable[int]) -> float:
        """The mean acceptance of a set."""
        self.remaining -= len(sample.values)
        return self._acceptance(sample, np.array(sorted(members), np.int32))

    def climb(self, sample: ScoredDraws, start: Iterable[int], free: Iterable[int]) -> tuple[int, ...]:
        """A set that is accepted more often.

        Parameters
        ----------
        sample
        start
            A set of pairs.
        free
            Pairs that may enter or leave, in this order.
        """
        members = {*start}
        best = self.rate(sample, members)
        for _ in range(MAX_SWEEPS):
            before = best
            for pair in free:
                other = self.rate(sample, members ^ {pair})
                if other > best:
                    members, best = members ^ {pair}, other
            if best == before:
                break
        return tuple(sorted(members))


def shifts(present: np.ndarray) -> np.ndarray:
    """|P(f | e) - P(f | not e)| for all pairs of edges.

    Parameters
    ----------
    present : float32[draws, edges]
        1 where the draw has the edge; each is in some draws and not in others.

    Returns
    -------
    float32[edges, edges]
        A row for each e.
    """
    count = present.sum(0)
    both = present.T @ present
    return np.abs(both / count[:, None] - (count - both) / (len(present) - count[:, None]))


def learned_sets(
    draws: list[ScoredDraws], ends: np.ndarray, shares: np.ndarray, known: list[tuple[int, ...]], search: FlipSearch
) -> list[tuple[int, ...]]:
    """Sets for ladders that differ and for the slowest edges, until the search's budget is spent.

    Parameters
    ----------
    draws
        Those of each ladder, equally many, in the order of time.
    ends : int32[pairs, 2]
        The pairs of variables by number.
    shares : float64[pairs]
        How often each pair is an edge.
    known
        Sets from which a climb may start, too.
    search

    Returns
    -------
    list of tuple of int
        Sets of at least two pairs, those of ladders first, then those of the slowest edges; none if there are too few
        draws.
    """
    every = max(1, sum(len(one.values) for one in draws) // MAX_DRAWS)
    graphs, values = (np.concatenate([one[i][::every] for one in draws]) for i in (0, 1))
    if len(values) // len(draws) // 2 < MIN_DRAWS:
        return []
    used, present = _changing(graphs, ends, shares)
    if len(used) == 0:
        return []
    split = present.reshape(len(draws), -1, len(used)).transpose(2, 0, 1)
    slowness = np.concatenate([plain_effective_samples(halves(split[here])) for here in blocks_of(len(used))])
    shift = shifts(present)
    rarer = present == (present.mean(0) < 0.5)
    found = dict.fromkeys(_between_ladders(ScoredDraws(graphs, values), split.mean(2), used, ends, search))
    cores = set()
    for e in np.argsort(slowness, kind="stable"):
        if search.remaining <= 0 or slowness[e] > SLOW_EFFICIENCY * len(values):
            break
        core = frozenset(used[shift[e] >= MIN_CORE_SHIFT].tolist())
        if core in cores:
            continue
        cores.add(core)
        climbed_in, tested_in = _two_samples(graphs, values, np.flatnonzero(rarer[:, e]))
        shifting = tuple(used[shift[e] >= MIN_START_SHIFT].tolist())
        starts = dict.fromkeys([shifting, *(one for one in known if core <= {*one})])
        if max(search.rate(tested_in, one) for one in starts) < GOOD_ACCEPTANCE:
            order = np.argsort(-shift[e], kind="stable")
            free = used[order[(shift[e, order] < MIN_CORE_SHIFT) & (shift[e, order] >= MIN_FREE_SHIFT)]].tolist()
            starts = dict.fromkeys(search.climb(climbed_in, one, free) for one in starts)
        found |= dict.fromkeys(one for one in starts if len(one) > 1 and search.rate(tested_in, one) > MIN_ACCEPTANCE)
    return [*found]


def _between_ladders(
    draws: ScoredDraws, shares: np.ndarray, used: np.ndarray, ends: np.ndarray, search: FlipSearch
) -> list[tuple[int, ...]]:
    """Accepted sets of edges that two ladders differ in, each connected by variables that its edges share.

    Parameters
    ----------
    draws
        Of all ladders, one after the other, equally many.
    shares : float64[edges, ladders]
        How often each of the pairs `used` is an edge.
    used : int64[edges]
        Numbers of pairs.
    ends, search
        As for `learned_sets`.
    """
    found: dict[tuple[int, ...], None] = {}
    ladders = np.split(np.arange(len(draws.values)), shares.shape[1])
    for i, j in itertools.combinations(range(len(ladders)), 2):
        samples = [_two_samples(*draws, ladders[k])[0] for k in (i, j)]
        parts = connected(used[np.abs(shares[:, i] - shares[:, j]) >= MIN_CORE_SHIFT].tolist(), ends)
        alone = [one for one in parts if not _is_accepted(one, samples, search)]
        pairs = (tuple(sorted(one + other)) for one, other in itertools.combinations(alone, 2))
        found |= dict.fromkeys(one for one in parts if one not in alone and len(one) > 1)
        found |= dict.fromkeys(both for both in pairs if _is_accepted(both, samples, search))
    return [*found]


def _is_accepted(members: tuple[int, ...], samples: list[ScoredDraws], search: FlipSearch) -> bool:
    """Whether a set is accepted in one of the samples, as far as the search may go on."""
    return any(search.remaining > 0 and search.rate(sample, members) > MIN_ACCEPTANCE for sample in samples)


def connected(pairs: list[int], ends: np.ndarray) -> list[tuple[int, ...]]:
    """The parts of a set of pairs that share no variable: ascending numbers, as `pairs`."""
    parts: list[tuple[set[int], list[int]]] = []  # their variables, their pairs
    for pair in pairs:
        own = {*ends[pair].tolist()}
        touched = [part for part in parts if part[0] & own]
        parts = [part for part in parts if not part[0] & own]
        parts.append((own.union(*(part[0] for part in touched)), sum((part[1] for part in touched), [pair])))
    return [tuple(sorted(members)) for _, members in parts]


def _changing(graphs: np.ndarray, ends: np.ndarray, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pairs that change most: their numbers int64[edges], and where they are edges, float32[draws, edges]."""
    used = np.sort(np.argsort(np.abs(shares - 0.5), kind="stable")[:MAX_EDGES])
    present = presence(graphs, ends[used])
    count = present.sum(0)
    seen = np.minimum(count, len(graphs) - count) >= MIN_DRAWS_PER_STATE
    return used[seen], present[:, seen]


def _two_samples(graphs: np.ndarray, values: np.ndarray, numbers: np.ndarray) -> tuple[ScoredDraws, ScoredDraws]:
    """Two disjoint samples of up to `DRAWS_PER_SAMPLE` of the draws with these numbers, which are ascending."""
    numbers = numbers[np.linspace(0, len(numbers) - 1, min(len(numbers), 2 * DRAWS_PER_SAMPLE)).astype(np.int64)]
    one, two = (ScoredDraws(graphs[half], values[half]) for half in (numbers[::2], numbers[1::2]))
    return one, two
