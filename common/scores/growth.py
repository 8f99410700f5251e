"""A network that grows greedily: from the best forest by single edges, then vertex by vertex.

Edges are added and removed while that gains (`common.scores.greedy`); then better neighbours are searched for every
vertex, all at once and one by one (`common.scores.vertex_search_kernels`). The second part matters if some variables
depend on many others: single edges make cliques of a few variables, after which no single edge gains any more. On the
indicators of 22 variables' states, 117 columns, edges reach -67070 and vertices then -46600; on plants -242676 and
-231000.

Cost: about n^2 scores, then a few searches at each vertex; half a second for 100 variables. With more than
`MANY_VARIABLES` variables only single edges are tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.chordal import chordal_score, graph_of
from .greedy import compile_growth, grow_by_edges
from .vertex_search_kernels import enqueue, improve, vertex_search

if TYPE_CHECKING:
    from .scorer import SetScorer

MANY_VARIABLES = 1000  # with more, vertices are not searched
SEARCHES = 20  # searches at a vertex between two checks of the clock


def grown(
    scorer: SetScorer,
    forest: np.ndarray,
    max_clique: int,
    should_continue: Callable,
    on_step: Callable = lambda edges, gained: None,
) -> np.ndarray:
    """The network that grows from a forest.

    Parameters
    ----------
    forest : uint64[n, words]
        Or a chordal network with required edges, which stay.
    max_clique
        Largest clique allowed.
    should_continue
        Once it returns False, the network so far is the result.
    on_step
        Called at each step with the number of edges, and the gain since the start.

    Returns
    -------
    uint64[n, words]
    """
    rows, gained, *_ = grow_by_edges(scorer, forest, graph_of(forest).edges, max_clique, should_continue, on_step)
    if scorer.n > MANY_VARIABLES or not should_continue():
        return rows
    start = chordal_score(graph_of(rows), scorer.score)
    if not math.isfinite(start):
        return rows
    work, stop = vertex_search(scorer.n, scorer.words), np.zeros(1, np.int64)
    work.score[0] = start
    for v in range(scorer.n):
        enqueue(work, v)
    while work.ends[1] > 0 and should_continue():
        scorer.make_room(SEARCHES * scorer.n)
        improve(scorer.scores, scorer.scratch[0], work, rows, max_clique, SEARCHES, stop)
        on_step(len(graph_of(rows).edges), gained + work.score[0] - start)
    return rows


def compile_grown(scorer: SetScorer) -> None:
    """Compile the kernels: run them for no edge and no vertex."""
    compile_growth(scorer)
    work, none = vertex_search(scorer.n, scorer.words), np.zeros((scorer.n, scorer.words), np.uint64)
    improve(scorer.scores, scorer.scratch[0], work, none, 1, 0, np.zeros(1, np.int64))
    enqueue(work, 0)
