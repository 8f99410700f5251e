"""The dynamic program of Kangas, Niinimaki and Koivisto (NIPS 2014): the best chordal network, exactly.

Networks are searched as rooted junction trees. With s the score of a set and disjoint C (or S) and U (or R):

* f(S, R): the best network on S + R that has a clique which contains S properly, when R is attached to the rest by the
  separator S; f(S, R) = max over C with S < C <= S + R of s(C) + g(C, R - C);
* g(C, U): the best way to attach all of U to the clique C, in parts;
  g(C, U) = max over R <= U holding one fixed vertex of U of h(C, R) + g(C, U - R), g(C, {}) = 0;
* h(C, R): the best way to attach R as one part, by the best separator;
  h(C, R) = max over S <= C of f(S, R) - s(S).

The optimum is the maximum over the root cliques C of s(C) + g(C, V - C).

Where we differ. (1) f and h are computed by transforms on the lattice of sets, one vertex at a time, as in Yates
(1937). Let F(S, R) = max(f(S, R), s(S) + g(S, R)): f without "properly". A clique C > S holds some v in R, and then C
>= S + v, where C = S + v is the term s + g of F and C > S + v the term f. Likewise a separator S <= C is C itself or
lies in C - v for some v in C. So

    f(S, R) = max over v in R of F(S + v, R - v)                        (superset maxima within S + R),
    h(C, R) = max(f(C, R) - s(C), max over v in C of h(C - v, R))       (subset maxima for each R),

and each costs at most n reads for each of the 3^n states, while the maxima over C and S above take 4^n steps. Only g, a
max-plus subset convolution, still takes 4^n / 2 steps, as it fixes a vertex of U. (2) In h the paper requires S < C. S
= C attaches a larger clique to C, which then is not maximal but still a bag of a junction tree of its graph, so nothing
new is scored. (3) Any clique can be the root, so we use one that holds the vertex n - 1: U and R never hold it, which
halves the states. (4) Sets that can be in no clique of an optimum (`common.bounds.orders`) have no states.

States are evaluated in layers of |U|: f(S, R) needs only smaller U, h(C, R) the same R and smaller C, g(C, U) R and U
up to the same size. Within a layer the blocks of the tables are distributed over the cores.

Cost: O(4^n) time, 2 * 3^(n-1) states of 24 bytes without bounds on the sets.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .recurrences_kernels import LANES, fill_empty, fill_f_and_h, fill_g_and_f
from .tables import free_vertices

if TYPE_CHECKING:
    from ..run.monitor import Monitor
    from .recurrences_kernels import Tables

SLICES = 8  # of equal work, per thread
READ = 3.0  # additions of g in the time of one read of f or h, which is mostly not from cache


def fill(tables: Tables, monitor: Monitor) -> bool:
    """Fill the tables f, g and h.

    Parameters
    ----------
    tables : Tables, from `common.exact.tables.allocate`
    monitor
        If it stops the run, the kernels end at once, and the tables are invalid.

    Returns
    -------
    bool
        Whether the tables are complete.
    """
    stop, threads, began = monitor.stop, monitor.threads, time.monotonic()
    sizes = np.bitwise_count(tables.sets[:, 0])
    starts = [0, *(np.flatnonzero(np.diff(sizes)) + 1), len(sizes)]
    groups = list(zip(starts[:-1], starts[1:], strict=True))  # blocks of sets of one size
    largest = int(tables.free.max(initial=0))
    f_and_h_work = [READ * tables.n * _states(tables.free, k) for k in range(largest + 1)]
    g_work = [_states(tables.free, k) * 2.0**k / 2 * (sizes > 0) for k in range(largest + 1)]
    total = float(sum(work.sum() for work in f_and_h_work[1:] + g_work[1:]))
    done = 0.0

    def run(task: Callable, slices: list[tuple[int, int]]) -> bool:
        list(monitor.map(lambda part: task(*part), slices))
        return monitor.may_go_on()

    def tell(done: float) -> None:
        left = (time.monotonic() - began) * (total - done) / done
        monitor.progress(f"tables, about {left:.0f} s left", done, total)

    def empty_slice(first: int, last: int) -> None:  # here the system allocates gigabytes of memory
        if monitor.may_go_on():
            fill_empty(tables, first, last)

    if not run(empty_slice, _slices(2.0**tables.free, 0, len(sizes), SLICES * SLICES * threads)):
        return False
    for k in range(1, largest + 1):

        def f_and_h_slice(first: int, last: int, k: int = k) -> None:
            fill_f_and_h(tables, k, first, last, np.zeros((3, tables.n, LANES), np.int64), np.zeros(LANES), stop)

        def g_slice(first: int, last: int, k: int = k) -> None:
            fill_g_and_f(tables, k, first, last, np.zeros(LANES), stop)

        for first, last in groups:
            if not run(f_and_h_slice, _slices(f_and_h_work[k], first, last, threads)):
                return False
        done += float(f_and_h_work[k].sum())
        tell(done)
        if not run(g_slice, _slices(g_work[k], 0, len(sizes), SLICES * threads)):
            return False
        done += float(g_work[k].sum())
        tell(done)
    return True


def additions(n: int, masks: np.ndarray) -> float:
    """The additions of g, which are most of the work of `fill` over some sets.

    Parameters
    ----------
    masks : int64[m]
    """
    return float(np.sum(0.5 * 3.0 ** free_vertices(n, masks)))


def _states(free: np.ndarray, k: int) -> np.ndarray:
    """Entries of each block in layer k: eight per U of k vertices."""
    ways = np.zeros(int(free.max(initial=0)) + 1)
    for m in range(k, len(ways)):
        ways[m] = ways[m - 1] * m / (m - k) if m > k else 1.0  # m over k
    return ways[free] * LANES


def _slices(work: np.ndarray, first: int, last: int, count: int) -> list[tuple[int, int]]:
    """The blocks first, ..., last - 1 in at most `count` runs of about equal work."""
    totals = np.cumsum(work[first:last])
    if totals.size == 0 or totals[-1] == 0.0:
        return []
    cuts = np.searchsorted(totals, totals[-1] * np.arange(1, count) / count)
    edges = np.unique(np.concatenate([[0], cuts, [last - first]])) + first
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
