"""One coherent graph from the eligible edges, by hill climbing (Algorithm 2 of the paper).

Starting from the empty graph, the eligible edge whose addition or removal raises the score most is added or removed,
while there is one. A change of the edge uv affects only the blankets of u and v, so after a step only the edges that
overlap its edge are evaluated again (Section 5.3). Differences from the paper: gains below 1e-9 are treated as
rounding, and of edges with equal gain up to that, the first is taken.

Cost: two local scores per edge at first, and after each step for each edge at its ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.graphs.graph import Graph
from .local import MIN_GAIN, first_best

if TYPE_CHECKING:
    from .run import BlanketRun


def hill_climb(run: BlanketRun, edges: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int, bool]:
    """Algorithm 2.

    Parameters
    ----------
    run : BlanketRun
    edges : list of (int, int)
        The eligible edges, u < v, ascending; required ones are among them and are never removed.

    Returns
    -------
    chosen : list of (int, int)
        Ascending.
    steps : int
    done : bool
        Whether no step gains any more; False after an interruption.
    """
    local, checkpoint = run.local, run.checkpoint
    required = run.known.required
    checkpoint.edges &= {*edges}
    checkpoint.edges |= required
    chosen = checkpoint.edges
    blankets = Graph(local.n, tuple(chosen)).neighbours()
    scores = [local.score(v, blanket) for v, blanket in enumerate(blankets)]
    edges_at: list[list[int]] = [[] for _ in range(local.n)]  # numbers of the edges at each variable
    for number, edge in enumerate(edges):
        for v in edge:
            edges_at[v].append(number)
    gains = np.full(len(edges), -np.inf)

    def toggled_score(v: int, u: int) -> float:
        """The local score of v with u added to its blanket or taken from it."""
        return local.score(v, blankets[v] ^ {u})

    def update_gains(numbers: Any) -> None:
        for number in numbers:
            if not run.monitor.should_continue():
                return
            u, v = edges[number]
            if edges[number] in required:
                continue
            gains[number] = (toggled_score(u, v) - scores[u]) + (toggled_score(v, u) - scores[v])

    update_gains(range(len(edges)))
    while run.monitor.should_continue():
        local.sets.make_room()
        best = first_best(gains) if edges else -1
        if best < 0 or gains[best] <= MIN_GAIN:
            return sorted(chosen), checkpoint.steps, True
        u, v = edges[best]
        scores[u], scores[v] = toggled_score(u, v), toggled_score(v, u)
        blankets[u] ^= {v}
        blankets[v] ^= {u}
        chosen ^= {edges[best]}
        checkpoint.steps += 1
        checkpoint.keep()
        sign = "+" if edges[best] in chosen else "-"
        run.report_graph("hc", checkpoint.steps, f"{sign}{u}-{v}", sum(scores), len(chosen), len(edges))
        update_gains(sorted({*edges_at[u], *edges_at[v]}))
    return sorted(chosen), checkpoint.steps, False
