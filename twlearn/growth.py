"""A start for the search over arcs: a chordal network, grown from the best forest by the best edges.

The edges of a chordal graph are chosen by their gain, in all of the graph at any time (`common.scores.greedy`). Its
cliques have at most w + 1 variables, so in a perfect order each variable's earlier neighbours can be its parents: then
the network scores as much as the chordal one.

Cost: all pairs of variables, whose scores the search over arcs has mostly cached, then about a millisecond per edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.counted import counted
from ..common.graphs.chordal import bit_rows, graph_of
from ..common.scores.greedy import grow_by_edges
from ..common.scores.spanning import maximum_spanning_forest, pair_gains

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor
    from ..common.scores.scorer import SetScorer


def chordal_growth(scorer: SetScorer, w: int, monitor: Monitor) -> Graph:
    """The network that grows.

    Parameters
    ----------
    w
        Bound on the treewidth, >= 1.
    monitor
        If it stops the run, the network has fewer edges.
    """
    gains = pair_gains(scorer, monitor.map, monitor.should_continue, monitor.reporter.phase("pairs of variables"))
    forest = maximum_spanning_forest(gains)

    def report(edges: int, _: float) -> None:
        monitor.reporter.progress(f"growing: {counted(edges, 'edge')}")

    largest = min(w + 1, scorer.largest_set)
    return graph_of(
        grow_by_edges(scorer, bit_rows(forest), forest.edges, largest, monitor.should_continue, report).rows
    )
