"""The smallest of networks with equal scores: edges that change the sum of the local scores by 0 are removed.

Such edges come from the combination `or`, from blankets in a file, and, under a score without a penalty, from constant
columns.

Cost: two local scores an edge, and again for the edges at both ends of one that was removed.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from ..common.graphs.graph import Graph
from ..common.graphs.zero_gain_edges import is_equal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .run import BlanketRun


def without_zero_gain_edges(run: BlanketRun, edges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The edges that are left when those that do not change the score are removed, one after the other.

    Parameters
    ----------
    edges : sequence of (int, int)
        u < v; required ones are kept.

    Returns
    -------
    list of (int, int)
    """
    local = run.local
    near = Graph(local.n, tuple(edges)).neighbours()
    scores = [local.score(v, blanket) for v, blanket in enumerate(near)]
    left, queue = {*edges} - run.known.required, deque(edges)
    while queue:
        u, v = edge = queue.popleft()
        if edge not in left:
            continue
        without = local.score(u, near[u] - {v}), local.score(v, near[v] - {u})
        if is_equal(sum(without) - scores[u] - scores[v], abs(scores[u]) + abs(scores[v])):
            left.remove(edge)
            near[u].remove(v)
            near[v].remove(u)
            scores[u], scores[v] = without
            queue.extend((min(end, w), max(end, w)) for end in edge for w in sorted(near[end]))
    return [edge for edge in edges if edge in left or edge in run.known.required]
