"""The dynamic program of Kangas, Niinimaki and Koivisto (NIPS 2014): the best chordal network, exactly.

Networks are searched as rooted junction trees. With s the score of a set and disjoint C (or S) and U (or R):

* f(S, R): the best network on S + R that has a clique which contains S properly, when R is attached to the rest by the
  separator S; f(S, R) = max over C with S < C <= S + R of s(C) + g(C, R - C);
* g(C, U): the best way to attach all of U to the clique C, in parts;
  g(C, U) = max over R <= U holding one fixed vertex of U of h(C, R) + g(C, U - R), g(C, {}) = 0;
* h(C, R): the best way to attach R as one part, by the best separator;
  h(C, R) = max over S <= C of f(S, R) - s(S).

The optimum is the maximum over the root cliques C of s(C) + g(C, V - C).

Differences from the paper: (1) The only table is g. In h the paper requires S < C. We allow S = C too, which attaches a
larger clique to C: then C is not maximal but still a bag of a junction tree of its graph, so nothing new is scored. So
f(C, R) <= s(C) + h(C, R) <= s(C) + g(C, R), and f(S, R) needs only cliques S + v; all larger ones are attached to
these. Likewise a separator S < C lies in C - v for some v in C, and R may be attached to C - v in parts, as these can
be attached to C too. So, one vertex at a time as in Yates (1937),

    h(C, R) = max(max over v in R of s(C + v) - s(C) + g(C + v, R - v), max over v in C of g(C - v, R)),

which costs at most n reads for each state, while the maxima over C and S above take 4^n steps. g(C - v, R) may be more
than the paper's h, but then R is no better whole than in parts, and g(C, R) is the same. For C = {}, g is h. Only g, a
max-plus subset convolution, still takes 4^n / 2 steps over all states, as it fixes a vertex of U. (2) In g, a part that
is not better whole than in its best parts is not tried again. If the optimum has such a part, the network with its
parts instead is an optimum too, whose states are all there. (3) Any clique can be the root, so we use one that
contains the vertex n - 1: U and R never contain it, which halves the states. (4) In every state (C, U) the network has
C complete, and C separates U from the rest. The score of such a network is bounded (`common.bounds.separated_states`),
and the states in which no network is as good as a known one are left out: of the 86 million of steel's first 17 columns
(BDeu, ess 10), 52,004 remain. A state that is left out counts as minus infinity.

States are evaluated in layers of |U|: h(C, R) needs smaller R, and the same R with smaller C, g(C, U) R and U up to the
same size. Within a layer the sets of one size are distributed over the cores.

Cost: over all states, O(4^n) time and 2 * 3^(n-1) states of 8 bytes; over those that bounds leave, n look-ups for each
besides g, together about half a microsecond, and 12 bytes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from .recurrences_kernels import fill_empty, fill_layer
from .states_kernels import count_before, count_layers
from .tables import free_vertices

if TYPE_CHECKING:
    from ..run.monitor import Monitor
    from .recurrences_kernels import Tables


def fill(tables: Tables, monitor: Monitor) -> bool:
    """Fill the table g.

    Parameters
    ----------
    tables : Tables, from `common.exact.tables.allocate`
    monitor
        If it stops the run, the kernels return at once, and the tables are invalid.

    Returns
    -------
    bool
        Whether the tables are complete.
    """
    n = tables.n
    sets = tables.sets
    stop = monitor.stop.flag
    began = time.monotonic()
    layers = np.zeros(n, np.int64)
    count_layers(tables.blocks, tables.words, tables.start[sets], free_vertices(n, sets), layers)
    before = np.empty(len(sets) + 1, np.int64)
    count_before(tables.blocks, tables.words, np.append(tables.start[sets], len(tables.blocks) - 1), before)
    sizes = np.searchsorted(np.bitwise_count(sets), np.arange(n + 2))
    total = float(layers[1:].sum())
    done = 0.0
    fill_empty(tables)
    for k in (np.flatnonzero(layers[1:]) + 1).tolist():

        def part(slice_of_sets: tuple[int, int], k: int = k) -> None:
            fill_layer(tables, k, *slice_of_sets, np.zeros((3, n), np.int64), np.zeros(n), stop)

        for first, last in zip(sizes[:-1].tolist(), sizes[1:].tolist(), strict=True):
            list(monitor.map(part, _slices(before, first, last, monitor.threads)))
            if not monitor.should_continue():
                return False
        done += float(layers[k])
        left = (time.monotonic() - began) * (total - done) / done
        monitor.reporter.progress(f"tables, about {left:.0f} s left", done, total)
    return monitor.should_continue()


def _slices(before: np.ndarray, first: int, last: int, count: int) -> list[tuple[int, int]]:
    """The sets first, ..., last - 1 in at most `count` runs with about as many states.

    Parameters
    ----------
    before : int64[m + 1], the states before each set
    """
    if first == last:
        return []
    cuts = np.searchsorted(before, np.linspace(before[first], before[last], count + 1)[1:-1])
    edges = np.unique(np.clip([first, *cuts, last], first, last))
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
