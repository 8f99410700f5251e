"""The dynamic program of Kangas, Niinimaki and Koivisto (NIPS 2014): the best chordal network, exactly.

Networks are searched as rooted junction trees. With s the score of a set and disjoint C (or S) and U (or R):

* f(S, R): the best network on S + R that has a clique which contains S properly, for R hung onto the rest by the
  separator S; f(S, R) = max over C with S < C <= S + R of s(C) + g(C, R - C);
* g(C, U): the best way to hang all of U onto the clique C, in parts;
  g(C, U) = max over R <= U holding one fixed vertex of U of h(C, R) + g(C, U - R), g(C, {}) = 0;
* h(C, R): the best way to hang R as one part, by the best separator;
  h(C, R) = max over S <= C of f(S, R) - s(S).

The optimum is the maximum over the root cliques C of s(C) + g(C, V - C).

Where we differ. (1) f and h are not searched but spread through their lattices, one vertex at a time: f(S, R) is the
maximum over v in R of F(S + v, R - v) with F(S, R) = max(f(S, R), s(S) + g(S, R)), and h(C, R) the maximum of
f(C, R) - s(C) and all h(C - v, R). (2) In h the paper wants S < C. S = C hangs a larger clique onto C, which then is
not maximal but still a bag of a junction tree of its graph, so nothing new is scored. (3) Any clique can be the
root, so one that holds the vertex n - 1 is: U and R never hold it, which halves the states. (4) Sets that can be in
no clique of an optimum (`junctor.bounds`) have no states at all.

States are evaluated in layers of |U|: f(S, R) needs only smaller U, h(C, R) the same R and smaller C, g(C, U) R and U
up to the same size. Within a layer the blocks of the tables are shared among the cores.

Cost: O(4^n) time, 2 * 3^(n-1) states of 24 bytes without bounds on the sets.
"""

import numpy as np

from cliquewise.junctor.recurrences_kernels import LANES, begin, combine, hang

SLICES = 8  # of equal work, for each thread
READ = 3.0  # additions of g in the time of a read of f or h, which is mostly out of cache


def fill(tables, each, threads, stop=None, on_layer=lambda done, total: None):
    """Fill the tables f, g and h.

    Parameters
    ----------
    tables : Tables, from `junctor.tables.allocate`
    each : callable
        Like `map`; a thread pool's `map` shares the work.
    threads : int
    stop : int64[1], optional
        Once it is not zero the kernels end at once, and the tables are worthless.
    on_layer : callable taking two floats
        Work done so far, and in all, in additions; called now and then.

    Returns
    -------
    bool
        Whether the tables are complete.
    """
    stop = np.zeros(1, np.int64) if stop is None else stop
    sizes = np.bitwise_count(tables.sets[:, 0])
    starts = [0, *(np.flatnonzero(np.diff(sizes)) + 1), len(sizes)]
    groups = list(zip(starts[:-1], starts[1:], strict=True))  # blocks of sets of one size
    largest = int(tables.free.max(initial=0))
    hanging = [READ * tables.n * _states(tables.free, k) for k in range(largest + 1)]
    combining = [_states(tables.free, k) * 2.0**k / 2 * (sizes > 0) for k in range(largest + 1)]
    total = float(sum(work.sum() for work in hanging[1:] + combining[1:]))
    begin(tables, 0, len(sizes))
    done = 0.0

    def run(task, slices):
        list(each(lambda part: task(*part), slices))
        return stop[0] == 0

    for k in range(1, largest + 1):

        def hang_slice(first, last, k=k):
            hang(tables, k, first, last, np.zeros((3, tables.n, LANES), np.int64), np.zeros(LANES), stop)

        def combine_slice(first, last, k=k):
            combine(tables, k, first, last, np.zeros(LANES), stop)

        for first, last in groups:
            if not run(hang_slice, _slices(hanging[k], first, last, threads)):
                return False
        done += float(hanging[k].sum())
        on_layer(done, total)
        if not run(combine_slice, _slices(combining[k], 0, len(sizes), SLICES * threads)):
            return False
        done += float(combining[k].sum())
        on_layer(done, total)
    return True


def _states(free, k):
    """Entries of each block in layer k: eight for each U of k vertices."""
    ways = np.zeros(int(free.max(initial=0)) + 1)
    for m in range(k, len(ways)):
        ways[m] = ways[m - 1] * m / (m - k) if m > k else 1.0  # m over k
    return ways[free] * LANES


def _slices(work, first, last, count):
    """The blocks first, ..., last - 1 in at most `count` runs of about equal work."""
    totals = np.cumsum(work[first:last])
    if totals.size == 0 or totals[-1] == 0.0:
        return []
    cuts = np.searchsorted(totals, totals[-1] * np.arange(1, count) / count)
    edges = np.unique(np.concatenate([[0], cuts, [last - first]])) + first
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
