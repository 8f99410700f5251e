"""A start for the search over arcs: a chordal network, grown from the best forest by the best edges.

The edges of a chordal graph are chosen by their gain, in all of the graph at any time (`common.scores.greedy`). Its
cliques have at most w + 1 variables, so in a perfect order each variable's earlier neighbours can be its parents: then
the network scores as much as the chordal one.

Cost: all pairs of variables, then about a millisecond per edge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.counted import counted
from ..common.graphs.chordal import bit_rows
from ..common.scores.greedy import compile_growth, grow_by_edges
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains, maximum_spanning_forest, pair_gains

if TYPE_CHECKING:
    import numpy as np

    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config


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
        """Compile the kernels before the clock runs: run them for no edge."""
        compile_pair_gains(self.scorer)
        compile_growth(self.scorer)

    def graph(self, monitor: Monitor) -> np.ndarray:
        """The graph: uint64[n, words].

        Parameters
        ----------
        monitor
            If it stops the run, the graph has fewer edges.
        """
        gains = pair_gains(
            self.scorer, monitor.map, monitor.should_continue, monitor.reporter.phase("pairs of variables")
        )
        forest = maximum_spanning_forest(gains)

        def report(edges: int, _: float) -> None:
            monitor.reporter.progress(f"growing: {counted(edges, 'edge')}")

        grown = grow_by_edges(
            self.scorer, bit_rows(forest), forest.edges, self.largest, monitor.should_continue, report
        )
        return grown.rows
