"""The best single edge, again and again (Deshpande, Garofalakis and Jordan 2001).

An edge u-v keeps a chordal graph chordal iff the common neighbours S of u and v separate them; it then gains
d(u,v|S). After an edge u-v was added

* only pairs with u or v in them have other common neighbours than before: u with the neighbours of v, and v with
  those of u. These are looked at anew.
* A pair x-y that could be added can be no more only if its S is that of u-v and the new edge joins the components
  of x and y. Such pairs stay in the queue and are dropped when their turn comes and they no longer gain what it says.

Between components S is empty, and the order in which such edges are taken is Kruskal's: those of the forest of
maximum weight are enough. So a step costs what changed: the pairs at its two ends, each O(n words) and one to four
scores.
"""

import heapq

import numpy as np

from cliquewise.coarsen.gains_kernels import addition_gain, addition_gains
from cliquewise.coarsen.run import edge_scratch, with_edges
from cliquewise.common.graphs.chordal import bit_rows, graph_of
from cliquewise.common.scores.spanning import maximum_spanning_forest
from cliquewise.common.sets.bitset import bit_set, members_of
from cliquewise.common.sets.bitset_kernels import flip

GAIN_ROUNDING = 1e-9  # of a gain computed twice


class GreedySearch:
    """A chordal graph, and a queue of the edges that could be added.

    Parameters
    ----------
    run : Run
    graph : Graph, chordal
    max_clique : int
    """

    def __init__(self, run, graph, max_clique):
        self.scorer = run.scorer
        self.names = graph.names
        self.rows = bit_rows(graph)
        self.max_clique = max_clique
        self.work = edge_scratch(self.scorer)
        self.gains = np.zeros(graph.n)
        self.queue = []
        for u, v in self._between_components(graph, run):
            self._push(u, v, self.gain(u, v))
        later = ~np.zeros(self.rows.shape[1], np.uint64)
        for u in range(graph.n):
            if not run.monitor.may_go_on():
                break
            later[u >> 6] &= ~np.uint64(1 << (u & 63))  # kept from vertex to vertex: building it anew costs O(n)
            self._look(u, self._common_with(u) & later)

    def _between_components(self, graph, run):
        """The edges that join the graph's components to a forest of maximum weight."""
        gains = run.pair_gains()
        within = 1.0 + gains.max(initial=0.0)  # an edge that is there is taken before all others
        for u, v in graph.edges:
            gains[u, v] = gains[v, u] = within
        there = set(graph.edges)
        return [edge for edge in maximum_spanning_forest(gains).edges if edge not in there]

    def _common_with(self, u):
        """The vertices with a neighbour in common with u: uint64[words]."""
        neighbours = list(members_of(self.rows[u]))
        return np.bitwise_or.reduce(self.rows[neighbours], axis=0) if neighbours else np.zeros_like(self.rows[u])

    def gain(self, u, v):
        """What the edge u-v gains now; minus infinity if it cannot be added."""
        scorer = self.scorer
        return addition_gain(scorer.scores, scorer.scratch[0], self.work, self.rows, u, v, self.max_clique)

    def _look(self, u, others):
        """Queue the edges from u to `others` (uint64[words], without u) that gain."""
        scorer = self.scorer
        scorer.make_room()
        place = (self.work, self.rows, u, others, self.max_clique)
        addition_gains(scorer.scores, scorer.scratch[0], *place, self.gains)
        for v in members_of(others):
            self._push(u, v, self.gains[v])

    def _push(self, u, v, gain):
        if gain > 0.0:
            heapq.heappush(self.queue, (-float(gain), min(u, v), max(u, v)))

    def next_edge(self):
        """Take the best edge: (u, v, gain), or None if none gains."""
        while self.queue:
            worth, u, v = heapq.heappop(self.queue)
            if abs(self.gain(u, v) + worth) <= GAIN_ROUNDING * (1.0 - worth):
                self._add(u, v)
                return u, v, -worth
        return None

    def _add(self, u, v):
        changed = self.rows[u] ^ self.rows[v]
        for a, b in ((u, v), (v, u)):
            flip(self.rows[a], b)
        for a, b in ((u, v), (v, u)):
            # the neighbours of b, those of a left out
            self._look(a, changed & self.rows[b] & ~self.rows[a] & ~bit_set([a], self.rows.shape[1]))

    @property
    def graph(self):
        """The present Graph."""
        return graph_of(self.rows, self.names)


def greedy(run, graph, score, max_clique):
    """Add the best edge until none gains, or the run may not go on.

    Parameters
    ----------
    run : Run
    graph : Graph, chordal
    score : float
        Its score.
    max_clique : int

    Returns
    -------
    (Graph, float, bool)
        The network, its score, and whether no edge gains any more.
    """
    search = GreedySearch(run, graph, max_clique)
    added, total = [], 0.0
    done = False
    while run.monitor.may_go_on():
        edge = search.next_edge()
        if edge is None:
            done = True
            break
        added.append(edge[:2])
        total += edge[2]
        run.steps += 1
        # told without the graph, which would cost more than the step
        run.monitor.progress(f"{len(added)} edges, gain {total:.2f}")
    new, after = with_edges(graph, added, total, score, run)
    run.report("greedy", new, after, total)
    return new, after, done
