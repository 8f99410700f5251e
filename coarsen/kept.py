"""The checkpoint of coarsen: results of finished stages, and the last complete step of the current stage.

The stages are: the steps from one start with one length of edges, the local search, the steps after it, and the forced
steps. A step depends only on the network before it. Stages that take seconds, such as the greedy one, start again.
"""

from ..common.graphs.chordal import is_chordal, maximal_cliques
from ..common.graphs.graph import Graph
from ..common.run.checkpoint import is_edges, is_index
from ..common.run.result import LearnResult


class Kept:
    """The work done so far.

    Parameters
    ----------
    monitor : Monitor
        Of the whole run.
    n : int
        Number of variables.
    names : tuple of str or None
    scored : callable
        Takes a chordal Graph and returns its score.
    max_clique : int
        Bound on the cliques.

    Attributes
    ----------
    finished : dict of str to LearnResult
        By stage.
    """

    def __init__(self, monitor, n, names, scored, max_clique):
        self.finished = {}
        self._stage = self._last = None
        self._monitor, self._n, self._names = monitor, n, names
        self._scored, self._max_clique = scored, max_clique
        saved = monitor.saved
        if saved is not None:
            results = saved.value("finished", dict)
            self.finished = {stage: self._result(saved, "finished", found) for stage, found in results.items()}
            self._stage = saved.value("stage", (str, type(None)))
            self._last = None if self._stage is None else self._result(saved, "last", saved.value("last", list))

    def _result(self, saved, name, found):
        """A LearnResult from JSON; its score is recomputed."""
        try:
            n, edges, status, steps = found
        except (TypeError, ValueError):
            raise saved.wrong(name) from None
        if n != self._n or not is_edges(edges, self._n) or not isinstance(status, str) or not is_index(steps):
            raise saved.wrong(name)
        graph = Graph(self._n, tuple((u, v) for u, v in edges), self._names)
        if not is_chordal(graph):
            raise saved.wrong(name)
        if max(map(len, maximal_cliques(graph)), default=0) > self._max_clique:
            raise saved.wrong(name)
        return LearnResult(graph, self._scored(graph), status, steps)

    def stage(self, name, graph, score, steps):
        """Begin a stage, or continue it.

        Parameters
        ----------
        name : str
        graph : Graph
        score : float
        steps : int
            The state at its beginning.

        Returns
        -------
        (Graph, float, int)
            The state to continue from.
        """
        if self._stage == name and self._last is not None:
            return self._last.graph, self._last.score, self._last.iterations
        self._stage, self._last = name, None
        return graph, score, steps

    def step(self, graph, score, steps):
        """Record a complete step of the current stage."""
        self._last = LearnResult(graph, score, "", steps)
        self._tell()

    def finish(self, name, result):
        """Record this LearnResult of a finished stage, unless a signal ended it; returns the result."""
        if self._monitor.may_go_on():
            self.finished[name] = result
            self._stage = self._last = None
            self._tell()
        return result

    def _tell(self):
        self._monitor.keep(self._state, lasting=True)

    def _state(self):
        finished = {stage: _plain(result) for stage, result in self.finished.items()}
        if self._last is None:
            return {"finished": finished, "stage": None}
        return {"finished": finished, "stage": self._stage, "last": _plain(self._last)}


def _plain(result):
    """A LearnResult as JSON, without its score."""
    return [result.graph.n, [list(edge) for edge in result.graph.edges], result.status, result.iterations]
