"""Moves and neighbourhoods against the oracle: all of every small chordal graph, samples of large ones."""

from functools import cache
from itertools import product

import numpy as np
import pytest

from cliquewise.common.chains.moves_kernels import graph_score, neighbours_gain
from cliquewise.common.graphs.chordal_kernels import cardinality_search
from cliquewise.common.scores.edge_gain_kernels import edge_gain
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.sets.bitset import members_of
from cliquewise.lsmarkov.neighbourhood_kernels import (
    CLIQUE,
    EDGES,
    VERTEX,
    best_edge_neighbour,
    best_stochastic_neighbour,
    list_cliques,
)
from tests.oracles import graphs, moves
from tests.oracles import scores as oracle
from tests.random_inputs import arity_of, random_dataset, random_set_scores, rows_of, scores_of
from tests.search_parts import LargeCase, bits_of, numbered, parts_of, random_state, rows_of_edges
from tests.slow import slow, slow_cases

nojit = pytest.mark.nojit

KINDS = [("bdeu", 0.01), ("bdeu", 1.0), ("bdeu", 10.0), ("bdeu", 1000.0), ("bic", 1.0), ("ll", 1.0)]
FILES = ["random file", "file with forbidden sets"]
SOURCES = KINDS + FILES
ALL = EDGES + VERTEX + CLIQUE
GO_ON = np.zeros(1, np.int64)


class Case:
    """A source of scores on n vertices: the kernels' parts, and what the oracle says of each graph.

    Parameters
    ----------
    n : int
    source : (kind, ess), or one of FILES
        "file with forbidden sets": some sets and all that hold them score minus infinity.
    """

    def __init__(self, n, source):
        if source in FILES:
            values = random_set_scores(n, n)
            forbidden = [{0, n - 1}, {1, 2, 3}] if source == "file with forbidden sets" else []
            score = {s: -np.inf if any(h <= s for h in forbidden) else x for s, x in values.items()}.__getitem__
            scorer = SetScorer(scores_of(n, score))
        else:
            data = random_dataset(n, n_vars=n, n_rows=50, max_arity=4, constant=n == 4)
            score = oracle.set_score(rows_of(data), arity_of(data), *source)
            scorer = SetScorer(data, Scoring(*source))
        self.n = n
        self.parts = parts_of(scorer)
        self.values = numbered(n).values(lambda members: score(frozenset(members)))

    def gains(self, number, max_clique):
        """The gain of a step from this graph to each other one: float64[2 ** pairs]."""
        return np.where(numbered(self.n).largest <= max_clique, self.values - self.values[number], -np.inf)

    def graphs(self):
        """Numbers of the graphs a search may be at."""
        return [g for g in numbered(self.n).chordal if self.values[g] > -np.inf]


def assert_same(found, expected, where):
    """Arrays of scores, minus infinity at the same places."""
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-8, err_msg=str(where))


def check_score(case, number):
    """The score of a whole graph."""
    rows = rows_of_edges(case.n, numbered(case.n).edges(number))
    assert_same(score_of(case.parts, rows), case.values[number], number)


def score_of(parts, rows):
    """The kernels' score of a chordal graph."""
    order, earlier = np.zeros(len(rows), np.int64), np.zeros_like(rows)
    assert cardinality_search(rows, order, earlier, np.zeros_like(order), np.zeros_like(rows[0]))
    return graph_score(parts.scores, parts.scratch, order, earlier)


def check_moves(case, number, max_clique):
    """Every toggle of an edge, and every set of neighbours for every vertex."""
    n, numbers = case.n, numbered(case.n)
    scores, scratch, work, _ = case.parts
    rows = rows_of_edges(n, numbers.edges(number))
    before = rows.copy()
    found, reached = [], []
    for v in range(n):
        for w in range(n):
            if v != w:
                found.append(edge_gain(scores, scratch, work, rows, v, w, max_clique))
                reached.append(number ^ numbers.spread(v, [w]))
        for mask in range(1 << n):
            if not mask >> v & 1:
                members = [w for w in range(n) if mask >> w & 1]
                wanted = bits_of(members, n)
                found.append(neighbours_gain(scores, scratch, work, rows, v, wanted, max_clique))
                reached.append(number & ~numbers.star[v] | numbers.spread(v, members))
    assert_same(found, case.gains(number, max_clique)[reached], (number, max_clique))
    assert np.array_equal(rows, before)


@cache
def neighbourhoods(n, number):
    """Numbers of the feasible neighbours by kind: {("E", v), ("V", v), ("C", clique): list}."""
    edges = numbered(n).edges(number)
    found = {}
    for v in range(n):
        found["E", v] = moves.edge_moves(n, edges, v)
        found["V", v] = moves.node_moves(n, edges, v)
    for clique in graphs.maximal_cliques(n, edges):
        found["C", clique] = moves.clique_moves(n, edges, clique)
    return {key: [numbered(n).number(e) for e in neighbours.values()] for key, neighbours in found.items()}


def check_step(case, number, result, neighbours, gains):
    """A neighbour chosen by the kernels must be one of the best of the oracle's."""
    best = max((gains[after] for part in neighbours for after in part), default=-np.inf)
    gain, v, _ = result
    assert gain == best or abs(gain - best) < 1e-8
    if best > -np.inf:
        members, numbers = members_of(case.parts.hood.wanted), numbered(case.n)
        after = number & ~numbers.star[v] | numbers.spread(v, members)
        assert v not in members and any(after in part for part in neighbours)
        assert gains[after] >= best - 1e-8


def check_neighbourhoods(case, number, max_clique, state):
    """The best neighbour for every vertex, clique and choice of operations, and the best toggle anywhere."""
    n = case.n
    scores, scratch, work, hood = case.parts
    rows = rows_of_edges(n, numbered(n).edges(number))
    list_cliques(hood, rows)
    sets, gains = neighbourhoods(n, number), case.gains(number, max_clique).tolist()
    cliques = [frozenset(members_of(row)) for row in hood.cliques[: hood.count[0]]]
    for operations, v, c in product(range(1, 8), range(n), range(len(cliques))):
        keys = {EDGES: ("E", v), VERTEX: ("V", v), CLIQUE: ("C", cliques[c])}
        neighbours = [sets[key] for operation, key in keys.items() if operations & operation]
        result = best_stochastic_neighbour(
            scores, scratch, work, hood, rows, v, c, operations, max_clique, state, GO_ON
        )
        check_step(case, number, result, neighbours, gains)
        extent = {EDGES: n - 1, VERTEX: len(cliques), CLIQUE: n}
        evaluated = sum(extent[operation] for operation in extent if operations & operation)
        both = operations & VERTEX and operations & CLIQUE  # v and the clique are met by both
        assert result[2] == evaluated - bool(both)
    result = best_edge_neighbour(scores, scratch, work, hood, rows, max_clique, state, GO_ON)
    check_step(case, number, result, [sets["E", v] for v in range(n)], gains)
    assert np.array_equal(rows, rows_of_edges(n, numbered(n).edges(number)))


def bounds(case, number):
    """Bounds on cliques a search at this graph may have: as tight as can be, one more, none."""
    largest = int(numbered(case.n).largest[number])
    return sorted({max(2, largest), min(case.n, largest + 1), case.n})


def one_of(choices, i):
    """Choice number i, cyclically."""
    return choices[i % len(choices)]


# ---- every small graph -----------------------------------------------------------------------------------


@nojit
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_scores_of_small_graphs(n, source):
    case = Case(max(n, 4) if source == "file with forbidden sets" else n, source)
    for number in case.graphs():
        check_score(case, number)


@pytest.mark.fast_cases(2)
@nojit
@pytest.mark.parametrize("source", SOURCES)
def test_moves_of_every_graph_of_four_vertices(source):
    case = Case(4, source)
    for number in case.graphs():
        for max_clique in bounds(case, number):
            check_moves(case, number, max_clique)


@pytest.mark.parametrize("source, step", [(("bdeu", 10.0), 5), *slow_cases(*((source, 1) for source in SOURCES))])
def test_moves_of_every_graph_of_five_vertices(source, step):
    """Of every fifth one that is not slow."""
    case = Case(5, source)
    for i, number in enumerate(case.graphs()[::step]):
        check_moves(case, number, one_of(bounds(case, number), i))


@pytest.mark.slow
@nojit
@pytest.mark.parametrize("n", [2, 3])
def test_moves_of_two_and_three_vertices(n):
    case, state = Case(n, "random file"), random_state(n)
    for number in case.graphs():
        for max_clique in bounds(case, number):
            check_moves(case, number, max_clique)
            check_neighbourhoods(case, number, max_clique, state)


@nojit
@pytest.mark.parametrize("source", [("bdeu", 1.0), *FILES])
def test_best_neighbours_of_graphs_of_four_vertices(source):
    case, state = Case(4, source), random_state(4)
    for i, number in enumerate(case.graphs()):
        check_neighbourhoods(case, number, one_of(bounds(case, number), i), state)


@pytest.mark.slow
@pytest.mark.parametrize("source", [FILES[1], *slow(FILES[0], ("bdeu", 10.0))])
def test_best_neighbours_of_every_graph_of_five_vertices(source):
    case, state = Case(5, source), random_state(5)
    for i, number in enumerate(case.graphs()):
        check_neighbourhoods(case, number, one_of(bounds(case, number), i), state)


@pytest.mark.slow
def test_every_graph_of_six_vertices():
    """All 18,154; each with all sources for its score, with one of them for its moves."""
    cases, state = [Case(6, source) for source in SOURCES], random_state(66)
    for i, number in enumerate(numbered(6).chordal):
        for case in cases:
            if case.values[number] > -np.inf:
                check_score(case, number)
        case = one_of(cases, i)
        if case.values[number] == -np.inf:
            case = cases[0]
        max_clique = one_of(bounds(case, number), i // len(cases))
        check_moves(case, number, max_clique)
        check_neighbourhoods(case, number, max_clique, state)


# ---- ties ------------------------------------------------------------------------------------------------


def two_edges(n):
    """The parts of a scorer for which every set scores 0, and a graph of two edges with its cliques listed."""
    parts, rows = parts_of(SetScorer(scores_of(n, lambda members: 0.0))), rows_of_edges(n, {(0, 1), (1, 2)})
    list_cliques(parts.hood, rows)
    return *parts, rows


@nojit
def test_ties_are_broken_evenly():
    """Where every set scores 0 all neighbours tie: all edges at v are as likely, and all edges anywhere."""
    n = 5
    scores, scratch, work, hood, rows = two_edges(n)
    state = random_state(5)
    at_vertex, anywhere = {}, {}
    for _ in range(2000):
        best_stochastic_neighbour(scores, scratch, work, hood, rows, 1, 0, EDGES, n, state, GO_ON)
        word = int(hood.wanted[0])
        at_vertex[word] = at_vertex.get(word, 0) + 1
        _, v, _ = best_edge_neighbour(scores, scratch, work, hood, rows, n, state, GO_ON)
        change = v, int(hood.wanted[0])
        anywhere[change] = anywhere.get(change, 0) + 1
    assert len(at_vertex) == 4 and all(abs(times - 500) < 80 for times in at_vertex.values())
    assert len(anywhere) == 10 and all(abs(times - 200) < 55 for times in anywhere.values())


# ---- large graphs ----------------------------------------------------------------------------------------


@pytest.mark.slow
@nojit
@pytest.mark.parametrize("n", [70, *slow(64, 140)])
def test_moves_of_large_graphs(n):
    large = LargeCase(n)
    scores, scratch, work, _ = large.parts
    rows = rows_of_edges(n, large.edges)
    assert_same(score_of(large.parts, rows), large.total, n)
    found, expected = [], []
    for i in range(30):
        v, w = map(int, large.rng.choice(n, 2, replace=False))
        if i % 3 == 0 and large.adjacent[v]:
            w = min(large.adjacent[v])
        elif i % 3 == 1:  # a neighbour's neighbour
            w = min(set().union(*(large.adjacent[u] for u in large.adjacent[v])) - {v}, default=w)
        found.append(edge_gain(scores, scratch, work, rows, v, w, 6))
        expected.append(large.gain(large.edges ^ {graphs.pair(v, w)}, 6))
        members = large.random_neighbours(v)
        found.append(neighbours_gain(scores, scratch, work, rows, v, bits_of(members, n), 6))
        expected.append(large.gain(graphs.with_neighbours(large.edges, v, members), 6))
    assert_same(found, expected, n)
    assert 10 < np.isfinite(found).sum() < len(found)


@pytest.mark.slow
@pytest.mark.parametrize("n", [70, *slow(64, 140)])
def test_best_neighbours_of_large_graphs(n):
    """The choice is one of the neighbours by definition, and none gains more (gains are tested above)."""
    large = LargeCase(n, seed=2)
    scores, scratch, work, hood = large.parts
    rows = rows_of_edges(n, large.edges)
    list_cliques(hood, rows)
    cliques = [set(members_of(row)) for row in hood.cliques[: hood.count[0]]]
    assert sorted(map(sorted, cliques)) == large.cliques
    state = random_state(n)
    for operations in (EDGES, VERTEX, CLIQUE, ALL):
        for _ in range(3):
            v, c = int(large.rng.integers(n)), int(large.rng.integers(len(cliques)))
            wanted = []
            if operations & EDGES:
                wanted += [(v, large.adjacent[v] ^ {w}) for w in range(n) if w != v]
            if operations & VERTEX:
                wanted += [(v, join_or_leave(large.adjacent[v], v, clique)) for clique in cliques]
            if operations & CLIQUE:
                wanted += [(u, join_or_leave(large.adjacent[u], u, cliques[c])) for u in range(n)]
            gains = [neighbours_gain(scores, scratch, work, rows, u, bits_of(members, n), 6) for u, members in wanted]
            gain, u, _ = best_stochastic_neighbour(scores, scratch, work, hood, rows, v, c, operations, 6, state, GO_ON)
            assert_same(gain, max(gains), (n, operations, v, c))
            members = set(members_of(hood.wanted))
            assert (u, members) in wanted
            assert_same(large.gain(graphs.with_neighbours(large.edges, u, members), 6), gain, (n, operations, v, c))
    gain, u, _ = best_edge_neighbour(scores, scratch, work, hood, rows, 6, state, GO_ON)
    swaps = [edge_gain(scores, scratch, work, rows, v, w, 6) for v, w in graphs.all_pairs(n)]
    assert_same(gain, max(swaps), n)


@nojit
def test_a_step_is_cut_short_by_a_signal():
    """With thousands of variables one step takes seconds: nothing is looked at once `stop` is set."""
    n = 5
    scores, scratch, work, hood, rows = two_edges(n)
    stop = np.ones(1, np.int64)
    for operations in (VERTEX, CLIQUE, VERTEX | CLIQUE):
        gain, _, evaluated = best_stochastic_neighbour(
            scores, scratch, work, hood, rows, 1, 0, operations, n, random_state(1), stop
        )
        assert (gain, evaluated) == (-np.inf, 0)
    assert best_edge_neighbour(scores, scratch, work, hood, rows, n, random_state(1), stop)[0] == -np.inf


def join_or_leave(adjacent, v, clique):
    """The neighbours of v once it has left the clique or joined all of it."""
    return adjacent - clique if v in clique else adjacent | clique
