"""FLIP: the edges of a set of pairs are toggled together.

Moves of single edges pass from one mode of the posterior to another through networks between them, which can be
improbable. Edges that change together in the draws are learned (`mnposterior.flips`); toggling them together leads to
the other mode in one move.

Toggling twice restores the edges. So if the set is drawn from a fixed list, the same draw reverses the move and the
proposal probabilities cancel for any sets. A network that is not chordal, has a clique that is too large, or lacks a
required edge has probability 0, any other the exponential of its score.

Cost: O(n^2) and two scores a vertex, 1 microsecond with 37 variables; less where the network is not chordal.

Throughout, `adjacency` is uint64[n, words], `ends` int32[pairs, 2], the pairs u < v by number, `members` a set of them
(int32[any]), `max_clique` an int, the largest clique allowed, `scores` and `scratch` SetScores and ScoreScratch, and
`work` a FlipScratch.
"""

import math
from typing import NamedTuple

import numpy as np

from ..common.chains.moves_kernels import graph_score
from ..common.compiled.jit import kernel
from ..common.compiled.records import by_address
from ..common.graphs.chordal_kernels import cardinality_search
from ..common.scores.edge_gain_kernels import finite
from ..common.sets.bitset_kernels import has, size_of, toggle


@by_address
class FlipScratch(NamedTuple):
    """Work space, overwritten: order, weight int64[n]; earlier uint64[n, words]; done uint64[words]."""

    order: np.ndarray
    weight: np.ndarray
    earlier: np.ndarray
    done: np.ndarray


def flip_scratch(n, words):
    """Work space for n vertices, sets of `words` words: a FlipScratch."""
    sets = np.zeros((n, words), np.uint64), np.zeros(words, np.uint64)
    return FlipScratch(np.zeros(n, np.int64), np.zeros(n, np.int64), *sets)


@kernel
def toggle_all(adjacency, ends, members):
    """Toggle the edges of these pairs; returns how many more edges there are then."""
    change = 0
    for i in range(members.shape[0]):
        v, w = np.int64(ends[members[i], 0]), np.int64(ends[members[i], 1])
        change += -1 if has(adjacency[v], w) else 1
        toggle(adjacency[v], w)
        toggle(adjacency[w], v)
    return change


@kernel
def network_score(scores, scratch, work, adjacency, max_clique):
    """The score of any graph; minus infinity for one that is no network within the bounds."""
    for v in range(adjacency.shape[0]):
        for k in range(adjacency.shape[1]):
            if scores.required[v, k] & ~adjacency[v, k] != np.uint64(0):
                return -np.inf
    if not cardinality_search(adjacency, work.order, work.earlier, work.weight, work.done):
        return -np.inf
    for v in range(adjacency.shape[0]):
        if size_of(work.earlier[v]) + 1 > max_clique:
            return -np.inf
    return finite(graph_score(scores, scratch, work.order, work.earlier))


@kernel
def mean_acceptance(scores, scratch, work, graphs, values, ends, members, max_clique):
    """How often FLIP is accepted with this set: the mean of min(1, e^gain) over some networks.

    Parameters
    ----------
    graphs : uint64[m, n, words], changed and changed back
    values : float64[m], their scores
    """
    total = 0.0
    for i in range(graphs.shape[0]):
        toggle_all(graphs[i], ends, members)
        gain = network_score(scores, scratch, work, graphs[i], max_clique) - values[i]
        toggle_all(graphs[i], ends, members)
        total += math.exp(min(0.0, gain))
    return total / graphs.shape[0]
