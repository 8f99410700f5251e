"""A bound for more variables than a word has bits: the variables are divided into windows.

Let W be a window, some of the variables. A perfect order of a chordal graph, restricted to W, is a perfect order of the
graph on W, and the earlier neighbours of v in W are its earlier neighbours P restricted to W. So the score of the graph
is at most the sum, over windows that partition the variables, of the best score of a chordal graph on W with the gains

    g(v, Q)  =  max of s(P + v) - s(P) over all P that the bound on cliques allows with P restricted to W = Q;

each of these is bounded by the program of `common.bounds.cutting`, which accepts any gains of families. Parents outside
the window are free, and there is no root row; so the bound is weaker than that of one program. The windows are pieces
of the best forest, whose strong edges keep related variables together.

Cost: the scores and families of all sets once, then the programs.
"""

import itertools
import math

import numpy as np

from cliquewise.common.bounds.branching import prove
from cliquewise.common.bounds.families import Choice
from cliquewise.common.bounds.incumbent import Incumbent
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.spanning import maximum_spanning_forest
from cliquewise.common.search.result import COMPLETE, LearnResult
from cliquewise.common.sets.set_orders import colex_masks, set_counts

MOST = 64  # largest number of variables per window


class Everything:
    """The sets of up to `largest` of many variables and their scores.

    Parameters
    ----------
    n, largest : int
    scores : float64[m]
        In colex order.

    Attributes
    ----------
    members : list of int64[m, size]
        The sets by size, ascending in each row.
    """

    def __init__(self, n, largest, scores):
        self._counts, self._largest, self._scores = set_counts(n, largest), largest, scores
        self.members = []
        for size in range(1, largest + 1):
            flat = itertools.chain.from_iterable(itertools.combinations(range(n), size))
            self.members.append(np.fromiter(flat, np.int64, math.comb(n, size) * size).reshape(-1, size))

    def score(self, sets):
        """The scores of sets of one size, int64[m, size], ascending in each row: float64[m]."""
        place = np.zeros(len(sets), np.int64)
        for before, column in enumerate(reversed(range(sets.shape[1]))):
            place += self._counts[sets[:, column], self._largest - before]
        return self._scores[place]

    def families(self):
        """Yields all families in batches: child int64[m], parents int64[m, size], gain float64[m]."""
        for sets in self.members:
            whole = self.score(sets)
            for j in range(sets.shape[1]):
                parents = np.delete(sets, j, axis=1)
                yield sets[:, j], parents, whole - self.score(parents)


def bound_by_windows(source, scoring, monitor, max_clique, known, most=MOST):
    """A bound on the score of every chordal network.

    Parameters
    ----------
    source : Dataset
        Of more than 64 variables.
    scoring : Scoring
    monitor : Monitor
    max_clique : int
    known : Graph or None
        A network, chordal.
    most : int
        Variables of a window.

    Returns
    -------
    LearnResult
        The upper bound, and the network known, or the best forest.

    Raises
    ------
    DataError
        Scores from a file.
    """
    if not isinstance(source, Dataset):
        raise DataError(f"{source.n} variables; with scores from a file, bounds take at most {MOST}", source.source)
    how = {"threads": monitor.threads, "may_go_on": monitor.may_go_on}
    scores = all_scores(source, scoring.score_type, scoring.ess, max_clique, **how)
    if not monitor.may_go_on():
        return LearnResult(known or Graph(source.n, ()), -math.inf, monitor.status)
    everything = Everything(source.n, max_clique, scores)
    tree = _forest(source.n, everything)
    graph = known or Graph(source.n, tree.edges, source.names)
    own = _families(graph)
    terms = [float(everything.score(np.array([sorted((*p, v))]))[0] - _one(everything, p)) for v, p in enumerate(own)]
    upper, windows = 0.0, _windows(tree, most)
    for done, window in enumerate(windows):
        choice = _choice(window, max_clique, everything, monitor)
        first = Incumbent(len(window), score=sum(terms[v] for v in window) - 1.0)
        left = monitor.seconds_left
        with monitor.part(None if left is None else left / (len(windows) - done)) as part:
            told = f"window {done + 1} of {len(windows)}"

            def tell(work, told=told, part=part):
                part.progress(f"{told}, bound {work.node.bound:.4f}, {work.left} families left")

            upper += prove(choice, -1, first, None, part.may_go_on, tell).bound
    score = math.fsum(terms)
    return LearnResult(graph, score, monitor.status or COMPLETE, 0, max(score, upper))


def _one(everything, members):
    """The score of one set."""
    return float(everything.score(np.array([sorted(members)], np.int64).reshape(1, -1))[0])


def _forest(n, everything):
    """The forest of maximum weight: Graph."""
    single, pairs = everything.score(everything.members[0]), everything.members[1]
    gains = np.zeros((n, n))
    gain = everything.score(pairs) - single[pairs[:, 0]] - single[pairs[:, 1]]
    gains[pairs[:, 0], pairs[:, 1]] = gains[pairs[:, 1], pairs[:, 0]] = gain
    return maximum_spanning_forest(gains)


def _families(graph):
    """The earlier neighbours of each vertex in a perfect order of a chordal Graph: list of set."""
    near, place = graph.neighbours(), {}
    weight = dict.fromkeys(range(graph.n), 0)
    found = [set() for _ in range(graph.n)]
    while weight:
        v = max(weight, key=lambda u: (weight[u], -u))
        del weight[v]
        found[v] = near[v] & place.keys()
        place[v] = len(place)
        for u in near[v] & weight.keys():
            weight[u] += 1
    return found


def _windows(tree, most):
    """The vertices of a forest in pieces of at most `most`, connected if possible: lists of int."""
    near, order, seen = tree.neighbours(), [], set()
    for root in range(tree.n):
        waiting = [root]
        while waiting:
            v = waiting.pop()
            if v not in seen:
                seen.add(v)
                order.append(v)
                waiting += sorted(near[v] - seen, reverse=True)
    count = -(-tree.n // most)
    return [sorted(part.tolist()) for part in np.array_split(np.array(order), count)]


def _choice(window, largest, everything, monitor):
    """The families of a window, with the best gains by any parents outside."""
    n = len(window)
    sets = colex_masks(n, min(largest, n))
    choice = Choice(n, sets, np.zeros(len(sets)), monitor.map)
    place = np.full(1 + max(int(sets.max()) for sets in everything.members), -1)
    place[window] = np.arange(n)
    bit = np.where(place >= 0, np.uint64(1) << place.clip(0).astype(np.uint64), np.uint64(0))
    gains = choice.families.gain
    gains[:] = -np.inf
    for child, parents, gain in everything.families():
        mine = place[child] >= 0
        inside = np.bitwise_or.reduce(bit[parents[mine]], axis=1, initial=np.uint64(0))
        np.maximum.at(gains, choice.find(place[child[mine]], inside), gain[mine])
    return choice
