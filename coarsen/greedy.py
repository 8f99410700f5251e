"""Greedy search by single edges, `common.scores.greedy`, as a method of coarsen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.counted import counted
from ..common.graphs.chordal import bit_rows, graph_of
from ..common.scores.greedy import grow_by_edges
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
    forest = maximum_spanning_forest(run.gains).edges

    def report(edges: int, gained: float) -> None:  # without the graph, which would cost more than a step
        run.monitor.reporter.progress(f"{counted(edges, 'edge')}, gain {gained:.2f}")

    grown = grow_by_edges(run.scorer, bit_rows(graph), forest, max_clique, run.monitor.should_continue, report)
    run.steps += grown.steps
    new = graph_of(grown.rows, graph.names)
    after = checked(new, grown.gained, score, run)
    run.report("greedy", new, after, grown.gained)
    return new, after, grown.is_done
