"""The checkpoint of junctor: the best network known, and the proved bound.

A resumed run starts with both: it does not search for a network again, rules out more from the start, and never reports
a worse bound. The tables of the dynamic program are not kept: writing gigabytes takes longer than filling them.
"""

import math
from dataclasses import replace

from ..common.graphs.chordal import is_chordal, maximal_cliques
from ..common.graphs.graph import Graph
from ..common.run.checkpoint import is_edges
from ..common.run.result import INTERRUPTED, LearnResult


class Kept:
    """The best network and bound so far.

    Parameters
    ----------
    monitor : Monitor
    n, largest : int
        Number of variables, and the bound on cliques.
    names : tuple of str or None

    Attributes
    ----------
    first : LearnResult or None
        The network of an earlier part of the run.
    bound : float
        On the score of all networks, proved by the earlier part.
    """

    def __init__(self, monitor, n, largest, names):
        self._monitor = monitor
        self.first, self.bound = None, math.inf
        saved = monitor.saved
        if saved is not None:
            edges = saved.value("edges", list, lambda edges: is_edges(edges, n))
            graph = Graph(n, tuple(sorted({(u, v) for u, v in edges})), names)
            if not is_chordal(graph) or max(map(len, maximal_cliques(graph)), default=0) > largest:
                raise saved.wrong("edges")
            self.first = LearnResult(graph, saved.value("score", float, math.isfinite), INTERRUPTED)
            self.bound = saved.value("bound", float, lambda bound: bound >= self.first.score - 1e-6 * abs(bound))

    def tell(self, graph, score, bound=math.inf):
        """A safe point.

        Parameters
        ----------
        graph : callable
            Returns the best network known, a Graph.
        score, bound : float
            Score of that network, and bound on all networks.
        """
        self.bound = min(self.bound, bound)

        def state():
            return {"edges": [list(edge) for edge in graph().edges], "score": float(score), "bound": self.bound}

        self._monitor.keep(state, lasting=True)

    def with_bound(self, result):
        """A LearnResult with the bound of all parts of the run, unless its own is to be certified."""
        if result.proof is not None or self.bound >= result.upper_bound:
            return result
        return replace(result, upper_bound=self.bound)
