"""What tests of the search need: the kernels' arguments, every small graph by number, large ones at random.

A graph on n vertices is numbered by its edges: bit i stands for the i-th of `oracles.graphs.all_pairs(n)`.
With the oracle's score of every number at hand, a move's gain is the difference of two table entries.
"""

import math
from collections import namedtuple
from functools import cache

import numpy as np

from cliquewise.common.chains.moves_kernels import move_scratch
from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.common.graphs.chordal import bit_rows, graph_of
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.sets.bitset import bit_set
from cliquewise.common.sets.bitset_kernels import words_for
from cliquewise.lsmarkov.ensemble import new_walker
from cliquewise.lsmarkov.neighbourhood_kernels import neighbourhood
from tests.oracles import graphs
from tests.oracles.graphs import all_pairs, junction_sets, pair
from tests.oracles.scores import decomposable_score, set_score
from tests.random_inputs import arity_of, random_chordal_edges, random_dataset, rows_of

Parts = namedtuple("Parts", "scores scratch work hood")


def parts_of(scorer):
    """Scores and one thread's work space: the kernels' arguments scores, scratch, work, hood."""
    n, words = scorer.n, scorer.words
    return Parts(scorer.scores, scorer.scratch[0], move_scratch(n, words), neighbourhood(n, words))


def is_near(count, draws, share):
    """Whether this count out of so many draws is within four standard deviations of a share."""
    return abs(count - draws * share) <= 4.0 * math.sqrt(draws * share * (1.0 - share)) + 1e-9


def bits_of(members, n):
    """A set of variables below n as uint64[words]."""
    return bit_set(members, words_for(n))


def rows_of_edges(n, edges):
    """Adjacency as uint64[n, words]."""
    return bit_rows(Graph(n, tuple(sorted(edges))))


def edges_of(rows):
    """Edges of an adjacency, which must be symmetric and without loops, as a frozenset of pairs."""
    edges = graph_of(rows).edges
    assert np.array_equal(rows_of_edges(len(rows), edges), rows)
    return frozenset(edges)


def random_state(seed):
    """The kernels' random state, uint64[4]."""
    return random_states(seed, 1)[0]


def walker_at(n, edges, seed=1):
    """A walker at a graph; its score is not known yet."""
    return new_walker(rows_of_edges(n, edges), random_state(seed))


class Numbered:
    """All graphs on n vertices by number; the chordal ones with their cliques and separators.

    Parameters
    ----------
    n : int

    Attributes
    ----------
    chordal : {int: (edges, cliques, separators)}, see `oracles.graphs.junction_sets`
    largest : int64[2 ** pairs], size of the largest clique of a chordal graph, n + 1 of any other
    star : list of int, all pairs at each vertex
    """

    def __init__(self, n):
        self.n = n
        self.bit = {uv: 1 << i for i, uv in enumerate(all_pairs(n))}
        self.chordal = {self.number(edges): (edges, *sets) for edges, *sets in junction_sets(n)}
        self.largest = np.full(1 << len(self.bit), n + 1)
        for number, (_, cliques, _) in self.chordal.items():
            self.largest[number] = max(map(len, cliques))
        self.star = [self.spread(v, range(n)) for v in range(n)]

    def number(self, edges):
        """The number of a set of edges."""
        return sum(self.bit[uv] for uv in edges)

    def edges(self, number):
        """The edges of any graph, also one that is not chordal."""
        return frozenset(uv for uv, bit in self.bit.items() if number & bit)

    def spread(self, v, members):
        """The number of the edges from v to `members` (v itself does not count)."""
        return self.number(pair(v, w) for w in members if w != v)

    def values(self, score):
        """float64[2 ** pairs]: the score of every graph by a function on sets; -inf if it may not be.

        A graph may not be if it is not chordal or one of its cliques scores minus infinity.
        """
        values = np.full(1 << len(self.bit), -np.inf)
        for number, (_, cliques, separators) in self.chordal.items():
            values[number] = decomposable_score(cliques, separators.elements(), score)
        return values


@cache
def numbered(n):
    """`Numbered(n)`, made once."""
    return Numbered(n)


class LargeCase:
    """A random chordal graph with cliques of at most 6, and data for it, scored by the oracle as need be."""

    def __init__(self, n, seed=1):
        data = random_dataset(seed, n_vars=n, n_rows=40, max_arity=3)
        self.n = n
        self.rng = np.random.default_rng(seed)
        self.score = set_score(rows_of(data), arity_of(data), "bdeu", 10.0)
        self.scorer = SetScorer(data, Scoring(ess=10.0))
        self.parts = parts_of(self.scorer)
        self.edges = frozenset(random_chordal_edges(seed, n, max_clique=6))
        self.adjacent = graphs.neighbours(n, self.edges)
        self.total = graphs.graph_score(n, self.edges, self.score)
        self.cliques = sorted(map(sorted, graphs.cliques_and_separators(n, self.edges)[0]))

    def gain(self, edges, max_clique):
        """What going over to other edges must gain."""
        if graphs.elimination_order(self.n, edges) is None:
            return -np.inf
        if max(map(len, graphs.cliques_and_separators(self.n, edges)[0])) > max_clique:
            return -np.inf
        return graphs.graph_score(self.n, edges, self.score) - self.total

    def random_neighbours(self, v):
        """A set of vertices to put instead of v's neighbours, more often one that may be."""
        clique = set(self.cliques[self.rng.integers(len(self.cliques))]) - {v}
        near = [c for c in self.cliques if v in c]
        beside = set(near[self.rng.integers(len(near))]) - {v}
        some = set(self.rng.choice(self.n, 2, replace=False).tolist()) - {v}
        now = self.adjacent[v]
        choices = [clique, set(sorted(clique)[1:]), now - beside, now | clique, some]
        return choices[self.rng.integers(len(choices))]
