"""The states of the dynamic program that a network at least as good as a known one can pass through.

In every state (C, U) of `common.exact.recurrences` the network has C complete, and no edges between U and the vertices
W outside C and U. So a perfect elimination order, reversed, can begin with C, and continue with U and W, where vertices
of U have earlier neighbours in C and U only, and those of W in C and W. As in `common.bounds.orders`, we drop the
condition that earlier neighbours are complete. Let loss(v, X) be what v gains with its best parents within X less than
with its best parents among all vertices, and l_C(X) the least sum of losses over all orders of X after C. Then the
network scores at most

    s(C) + (gains of all v outside C from their best parents) - l_C(U) - l_C(W),
    l_C(X) = min over v in X of l_C(X - v) + loss(v, C + X - v),      l_C({}) = 0.

Each l_C is a dynamic program over orders, by which Silander and Myllymaki (2006) find the best Bayesian network; one
array of it bounds all states of C. Losses are rounded down to whole numbers of two bytes, so that sums are exact and
no state is excluded wrongly.

The losses of C are a part of those of C without its last vertex. So the sets are visited depth first, and the losses of
all prefixes of the current set are stored.

Cost: about m 2^m / 2 additions of adjacent two-byte numbers for a set with m vertices outside it, 4 ns for each of the
2^m states. Memory: an eighth of a bit for each state, two more for each in a block of 256 with one that is left, n 2^n
bytes of losses, and as many for each thread.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from ..exact.states_kernels import BLOCK, WORDS
from ..exact.tables import States, all_states, bytes_of_layout, layout, numbered
from ..run.monitor import Monitor
from ..run.resources import check_fits
from .orders import least_allowed, membership
from .orders_kernels import best_parents
from .separated_states_kernels import (
    DONE,
    FOUND,
    SATURATED,
    SeparationProblem,
    mark_sets_from,
    shift_blocks,
)

MAX_LOSS = float(SATURATED) - 2.0  # allowed loss, in units
ADVICE = "bound the cliques with --max-clique"
CAPACITY = 2**16  # blocks that are stored at a time, or those of a set if it has more


def steps(n: int, masks: np.ndarray) -> float:
    """The number of values l_C(X) that the bounds of some sets (int64[m]) need."""
    return float(np.sum(2.0 ** (n - np.bitwise_count(masks).astype(float))))


def bytes_of_separations(n: int, masks: np.ndarray, threads: int) -> int:
    """Bytes that `separated_states` needs for some sets (int64[m]), without the blocks that it stores."""
    return bytes_of_layout(n, masks) + (1 + threads) * n * 2**n + threads * 8 * 2**n


def separated_states(
    n: int, scores: np.ndarray, masks: np.ndarray, floor: float, monitor: Monitor, memory: float = math.inf
) -> States:
    """The states that may occur in a network of at least this score.

    Parameters
    ----------
    scores : float64[2^n]
        By mask; finite for these sets.
    masks : int64[m]
        The sets that may be complete: ascending, closed under subsets.
    floor
        Minus infinity for all states.
    monitor
        If it stops the run, the result is invalid.
    memory
        Bytes that may be used.

    Returns
    -------
    States

    Raises
    ------
    LimitError
        The memory is too small, or there are 2^31 states or more.
    """
    if floor == -np.inf:
        return all_states(n, masks)
    needed, what = bytes_of_separations(n, masks, monitor.threads), f"states of {len(masks)} sets of {n} variables"
    check_fits(needed, memory, what, ADVICE)
    states, possible, least = layout(n, masks), membership(n, masks), least_allowed(floor)
    most = np.array([_most(v, scores, masks) for v in range(n)])
    allowed = float(scores[0] + most.sum() - least)
    unit = max(allowed, 1e-9 * (1.0 + abs(floor))) / MAX_LOSS
    losses = np.empty((n, 1 << (n - 1)), np.uint16)
    problem = SeparationProblem(n, scores, possible, most, least, unit, losses.reshape(-1), states.start, states.blocks)
    capacity, runs, number = max(CAPACITY, 1 << n - 1 >> BLOCK), dict[int, np.ndarray](), itertools.count()
    phase, total = monitor.reporter.phase("states"), steps(n, masks)
    done, taken = np.zeros(n + 1), np.zeros(n + 1)  # by first vertex: numbers found, and bytes

    def find_losses(v: int) -> None:
        gains = np.empty(1 << (n - 1))
        if monitor.should_continue():
            best_parents(scores, v, n, 0, possible, gains)
            np.subtract(most[v], gains, out=gains)
            gains /= unit
            losses[v] = np.minimum(gains, float(SATURATED), out=gains)  # in whole units, rounded down

    def mark(v: int) -> None:
        walk, work = np.array([v, 0, v, 0, 0]), (np.empty(n << (n - 1), np.uint16), np.empty(1 << n, np.uint16))
        while not walk[DONE] and monitor.should_continue():
            run, words = next(number), np.empty(capacity * WORDS, np.int64)
            stored = mark_sets_from(problem, walk, *work, run * capacity, words, monitor.stop.flag)
            runs[run], done[v] = words[: stored * WORDS], walk[FOUND]
            taken[v] += runs[run].nbytes
            phase(done.sum() / total)
            check_fits(needed + taken.sum(), memory, what, ADVICE)

    list(monitor.map(find_losses, range(n)))
    list(monitor.map(mark, range(-1, n)))
    return numbered(_joined(states, runs, capacity))


def _joined(states: States, runs: dict[int, np.ndarray], capacity: int) -> States:
    """The States with the stored blocks of all runs, each of which has up to `capacity`; empties `runs`."""
    lengths = np.array([len(runs[run]) for run in range(len(runs))], np.int64)
    words, begins = np.empty(int(lengths.sum()), np.int64), np.cumsum(lengths) - lengths
    for run, begin in enumerate(begins.tolist()):
        words[begin : begin + lengths[run]] = runs.pop(run)
    shift_blocks(states.blocks, capacity, np.arange(len(begins)) * capacity - begins // WORDS)
    return states._replace(words=words)


def _most(v: int, scores: np.ndarray, masks: np.ndarray) -> float:
    """The gain of a vertex from its best parents."""
    families = masks[masks >> v & 1 == 1]
    return float(np.max(scores[families] - scores[families ^ 1 << v], initial=-np.inf))


def compile_separations() -> None:
    """Compile the kernels: bound the states of two vertices."""
    with Monitor(threads=1) as monitor:
        separated_states(2, np.zeros(4), np.arange(4), -1.0, monitor)
