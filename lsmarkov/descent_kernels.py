"""The search of the lsmarkov paper (Algorithm 1 and Section 3.4).

A step moves to the best stochastic neighbour, better or worse. After `patience` steps without improvement of the best
score since the last start, the search restarts from a random graph whose maximal cliques are disjoint and of 1 to 3
vertices.

The greedy baseline (Section 5.2) restarts whenever the score falls. With `fixed`, the steps since the start are counted
instead of those since the last improvement.

Cost of a step: see `lsmarkov.neighbourhood_kernels`, plus O(n^2) to list the cliques again.

Throughout, `walker` is a Walker, `scores` and `scratch` are SetScores and ScoreScratch, `hood` is the walker's
Neighbourhood, `rules` a DescentRules.
"""

from typing import NamedTuple

import numpy as np

from ..common.chains.moves_kernels import graph_score
from ..common.compiled.jit import kernel
from ..common.compiled.random_kernels import below
from ..common.compiled.records import by_address
from ..common.graphs.chordal_kernels import replace_neighbours
from ..common.sets.bitset_kernels import toggle
from .neighbourhood_kernels import best_edge_neighbour, best_stochastic_neighbour, list_cliques
from .walker_kernels import EVALUATED, IDLE, SCORE, SINCE_START, STARTS, STEPS, TOLERANCE, record


@by_address
class DescentRules(NamedTuple):
    """Settings of a descent.

    operations : int, sum of EDGES, VERTEX, CLIQUE; 0 is the greedy baseline
    patience : int, >= 1
    fixed : bool
    max_clique : int
    """

    operations: int
    patience: int
    fixed: bool
    max_clique: int


@kernel
def random_disjoint_cliques(adjacency, state, order, max_clique):
    """Make `adjacency` the paper's random restart graph.

    Parameters
    ----------
    adjacency : uint64[n, words], overwritten
    state : uint64[4], random state, advanced
    order : int64[n], overwritten
    max_clique : int, no clique gets larger
    """
    n, words = adjacency.shape
    for v in range(n):
        order[v] = v
        for k in range(words):
            adjacency[v, k] = np.uint64(0)
    for i in range(n - 1, 0, -1):
        j = below(state, i + 1)
        order[i], order[j] = order[j], order[i]
    start = 0
    while start < n:
        end = min(n, start + 1 + below(state, min(3, max_clique)))
        for i in range(start, end):
            for j in range(start, end):
                if i != j:
                    toggle(adjacency[order[i]], order[j])
        start = end


@kernel
def begin_descent(walker, scores, scratch, hood):
    """Score the walker's graph in full and restart its step count."""
    list_cliques(hood, walker.adjacency)
    walker.numbers[SCORE] = graph_score(scores, scratch, hood.order, hood.earlier)
    walker.numbers[SINCE_START] = walker.numbers[SCORE]
    walker.counts[IDLE] = 0
    record(walker)


@kernel
def restart(walker, scores, scratch, hood, rules):
    """A random restart."""
    random_disjoint_cliques(walker.adjacency, walker.random, hood.order, rules.max_clique)
    walker.counts[STARTS] += 1
    begin_descent(walker, scores, scratch, hood)


@kernel
def descend(walker, scores, scratch, work, hood, rules, steps, stop):
    """Take up to `steps` steps.

    Parameters
    ----------
    walker : Walker; its graph's cliques must be those in `hood` (see `begin_descent`)
    scores, scratch, work : SetScores, ScoreScratch, MoveScratch
    hood : Neighbourhood
    rules : DescentRules
    steps : int
    stop : int64[1], the search ends when it is not zero
    """
    adjacency, state = walker.adjacency, walker.random
    n = adjacency.shape[0]
    for _ in range(steps):
        if stop[0] != 0:
            return
        if rules.operations == 0:
            gain, v, evaluated = best_edge_neighbour(
                scores, scratch, work, hood, adjacency, rules.max_clique, state, stop
            )
        else:
            v, c = below(state, n), below(state, hood.count[0])
            gain, v, evaluated = best_stochastic_neighbour(
                scores, scratch, work, hood, adjacency, v, c, rules.operations, rules.max_clique, state, stop
            )
        if stop[0] != 0:
            return  # an interrupted step does not count
        walker.counts[STEPS] += 1
        walker.counts[EVALUATED] += evaluated
        walker.counts[IDLE] += 1
        if gain > -np.inf:
            replace_neighbours(adjacency, v, hood.wanted)
            list_cliques(hood, adjacency)
            walker.numbers[SCORE] += gain
        if walker.numbers[SCORE] > walker.numbers[SINCE_START] + TOLERANCE:
            walker.numbers[SINCE_START] = walker.numbers[SCORE]
            if not rules.fixed:
                walker.counts[IDLE] = 0
            record(walker)
        worse = rules.operations == 0 and gain < -TOLERANCE
        if worse or walker.counts[IDLE] >= rules.patience:
            restart(walker, scores, scratch, hood, rules)
