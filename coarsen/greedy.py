"""The best single edge, again and again: `common.scores.greedy`, as a method of coarsen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.graphs.chordal import bit_rows, graph_of
from ..common.scores.greedy import GreedySearch
from ..common.scores.spanning import maximum_spanning_forest
from .run import checked

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph
    from .run import CoarseningRun


def greedy(run: CoarseningRun, graph: Graph, score: float, max_clique: int) -> tuple[Graph, float, bool]:
    """Add the best edge until none gains, remove edges whose removal gains, and repeat, while the run may continue.

    Parameters
    ----------
    graph : Graph, chordal
    score
        Its score.

    Returns
    -------
    (Graph, float, bool)
        The network, its score, and whether no addition or removal of an edge gains.
    """
    forest = maximum_spanning_forest(run.pair_gains()).edges
    total, edges = 0.0, len(graph.edges)

    def may_go_on() -> bool:
        # asked at each vertex and each step; told without the graph, which would cost more than the step
        run.monitor.progress(f"{edges} edges, gain {total:.2f}")
        return run.monitor.may_go_on()

    search = GreedySearch(run.scorer, bit_rows(graph), forest, max_clique, may_go_on)
    for gain in search.steps():
        total += gain
        edges += -1 if search.removing else 1
        run.steps += 1
    new = graph_of(search.rows, graph.names)
    after = checked(new, total, score, run)
    run.report("greedy", new, after, total)
    return new, after, search.done
