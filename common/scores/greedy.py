"""The best single edge, again and again (Deshpande, Garofalakis and Jordan 2001), and the best to take away.

An edge u-v keeps a chordal graph chordal iff the common neighbours S of u and v separate them; it then gains d(u,v|S).
After it was added

* only pairs with u or v in them have other common neighbours than before: u with the neighbours of v, and v with
  those of u. These are looked at anew.
* A pair x-y that could be added can be no more only if its S is that of u-v and the new edge joins the components
  of x and y. Such pairs stay in the queue and are dropped when their turn comes and they no longer gain what it says.

Between components S is empty, and the order in which such edges are taken is Kruskal's: those of the forest of
maximum weight over all pairs are enough, whichever edges are there. So a step costs what changed: the pairs at its two
ends, each O(n words) and one to four scores.

Where we differ from the paper: when no edge gains any more, those that gain by going are taken away, the best first.
Such an edge was right when it came, and later ones took over what it told. Taking u-v away changes the common
neighbours only of u with S and of v with S, and no other edge can be taken away that could not before. Then edges are
added again, until neither gains. On the 1024 variables of qsar_androgen_receptor that gains 57 more.
"""

import heapq

import numpy as np

from cliquewise.common.scores.edge_gain_kernels import EdgeScratch, flip_gains
from cliquewise.common.sets.bitset import bit_set, members_of
from cliquewise.common.sets.bitset_kernels import flip, has

GAIN_ROUNDING = 1e-9  # of a gain computed twice


class GreedySearch:
    """A chordal graph, and a queue of the edges that could be added, or taken away.

    Parameters
    ----------
    scorer : SetScorer
    rows : uint64[n, words], chordal
        Changed.
    forest : iterable of (int, int)
        The edges of the maximum-weight forest.
    max_clique : int
    may_go_on : callable
        Whether it is not yet time to end.

    Attributes
    ----------
    removing : bool
        Whether edges are taken away now, not added.
    done : bool
        Whether no edge gains any more, added or taken away.
    """

    def __init__(self, scorer, rows, forest, max_clique, may_go_on):
        self.scorer = scorer
        self.rows = rows
        self.max_clique = max_clique
        self.work = edge_scratch(scorer)
        self.gains = np.zeros(len(rows))
        self.forest = forest
        self.may_go_on = may_go_on
        self.queue, self.removing, self.done = [], False, False

    def steps(self):
        """Add the best edge until none gains, take away those that gain by it, and so on; yields the gain of each."""
        while self.may_go_on() and not self.done:
            removed = False
            for removing in (False, True):
                self.look_everywhere(removing)
                while self.may_go_on() and (gain := self.take_next()) is not None:
                    removed = removed or removing
                    yield gain
            self.done = self.may_go_on() and not removed  # without removals: the edges added were looked at already

    def look_everywhere(self, removing):
        """Queue all edges that gain: those to be added, or those to be taken away."""
        self.queue, self.removing = [], removing
        if not removing:
            for u, v in self.forest:
                self._push(u, v, self.gain(u, v))
        later = ~np.zeros(self.rows.shape[1], np.uint64)
        for u in range(len(self.rows)):
            if not self.may_go_on():
                break
            later[u >> 6] &= ~np.uint64(1 << (u & 63))  # kept from vertex to vertex: building it anew costs O(n)
            self._look(u, (self.rows[u] if removing else self._common_with(u)) & later)

    def _common_with(self, u):
        """The vertices with a neighbour in common with u: uint64[words]."""
        neighbours = list(members_of(self.rows[u]))
        return np.bitwise_or.reduce(self.rows[neighbours], axis=0) if neighbours else np.zeros_like(self.rows[u])

    def gain(self, u, v):
        """What adding the edge u-v gains now, or taking it away; minus infinity if that cannot be."""
        if has(self.rows[u], v) != self.removing:
            return -np.inf
        self._fill_gains(u, bit_set([v], self.rows.shape[1]))
        return self.gains[v]

    def _fill_gains(self, u, others):
        scorer = self.scorer
        place = (self.work, self.rows, u, others, self.max_clique)
        flip_gains(scorer.scores, scorer.scratch[0], *place, self.gains)

    def _look(self, u, others):
        """Queue the edges from u to `others` (uint64[words], without u) that gain."""
        others = others & self.rows[u] if self.removing else others & ~self.rows[u]
        self.scorer.make_room()
        self._fill_gains(u, others)
        for v in members_of(others):
            self._push(u, v, self.gains[v])

    def _push(self, u, v, gain):
        if gain > 0.0:
            heapq.heappush(self.queue, (-float(gain), min(u, v), max(u, v)))

    def take_next(self):
        """Add the best edge, or take it away: what that gains, or None if none does."""
        while self.queue:
            worth, u, v = heapq.heappop(self.queue)
            if abs(self.gain(u, v) + worth) <= GAIN_ROUNDING * (1.0 - worth):
                self._flip(u, v)
                return -worth
        return None

    def _flip(self, u, v):
        rows = self.rows
        changed = rows[u] & rows[v] if self.removing else rows[u] ^ rows[v]
        for a, b in ((u, v), (v, u)):
            flip(rows[a], b)
        for a, b in ((u, v), (v, u)):
            # the neighbours of b: those a has not, to be added, or those a has, too, to be taken away
            self._look(a, changed & rows[b] & ~bit_set([a], rows.shape[1]))


def edge_scratch(scorer):
    """Work space for the gains of single edges."""
    return EdgeScratch(
        np.zeros(scorer.words, np.uint64), np.zeros(scorer.words, np.uint64), np.zeros(scorer.n + 1, np.int64)
    )
