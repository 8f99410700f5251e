"""A start for `pieces` from scores of sets: the chordal network that grows by the best edges, with the best families.

Insertion along one k-tree (`twlearn.insertion`) decides early which variables are near each other, and pieces cannot
bring together what is far apart in the tree. The edges of a chordal graph are chosen by their gain, in all of the graph
at any time (`common.scores.greedy`). Its cliques have at most w + 1 variables, so in a perfect order each variable's
earlier neighbours can be its parents, and it gets the best family among them: the network scores at least as well as
the chordal one, unless families of that size are excluded or were not found.

Cost: all pairs of variables, then about a millisecond per edge.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..common.graphs.chordal import bit_rows, graph_of
from ..common.graphs.treewidth import later_neighbours
from ..common.scores.greedy import compile_growth, grow_by_edges
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains, maximum_spanning_forest, pair_gains
from .bag_tree import cliques_of
from .chordal import elimination_order
from .insertion import PartialKTree

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config
    from .families import ScoredFamilies


class ChordalGrowth:
    """The growth of a chordal graph.

    Parameters
    ----------
    source : Dataset or CliqueScores
    """

    def __init__(self, source: Dataset | CliqueScores, scoring: Scoring, config: Config, threads: int) -> None:
        self.scorer = SetScorer(source, scoring, config.cache_mb, threads)
        self.largest = min(config.treewidth + 1, self.scorer.largest_set)

    def compile(self) -> None:
        """Run the kernels for no edge, so that none is compiled while the clock runs."""
        compile_pair_gains(self.scorer)
        compile_growth(self.scorer)

    def network(self, families: ScoredFamilies, monitor: Monitor) -> PartialKTree:
        """The network with the best families of the graph.

        Parameters
        ----------
        monitor
            If it stops the run, the graph has fewer edges.

        Returns
        -------
        PartialKTree
        """
        gains = pair_gains(self.scorer, monitor.map, monitor.may_go_on, monitor.phase("pairs of variables"))
        forest = maximum_spanning_forest(gains)

        def report(edges: int, _: float) -> None:
            monitor.progress(f"growing: {edges} edges")

        grown = grow_by_edges(self.scorer, bit_rows(forest), forest.edges, self.largest, monitor.may_go_on, report)
        return best_within(families, grown.rows)


def best_within(families: ScoredFamilies, rows: np.ndarray) -> PartialKTree:
    """The network with the best families inside a chordal graph.

    Parameters
    ----------
    rows : uint64[n, words], chordal

    Returns
    -------
    PartialKTree
    """
    graph, order = graph_of(rows), elimination_order(rows)
    later, chosen = later_neighbours(graph, order), np.zeros(families.n, np.int64)
    for v in range(families.n):
        allowed = {-1, *later[v]}
        row = families.start[v]
        while not allowed.issuperset(families.parents[row].tolist()):
            row += 1
        chosen[v] = row
    cliques, clique_parent = cliques_of(graph, order)
    return PartialKTree(math.fsum(families.scores[chosen]), chosen, cliques, np.array(clique_parent, np.int64))
