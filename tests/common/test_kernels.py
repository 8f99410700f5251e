"""Bit sets, random numbers, chordal graphs and counting against Python's sets, integers and Counter."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.compiled import random_kernels
from cliquewise.common.errors import DataError
from cliquewise.common.graphs import chordal
from cliquewise.common.graphs.chordal_kernels import (
    are_separated,
    can_have_neighbours,
    cardinality_search,
    cliques_and_separators,
    is_complete,
    replace_neighbours,
)
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.counting_kernels import joint_counts
from cliquewise.common.scores.scorer import _scratch, counting_table, table_of
from cliquewise.common.sets import bitset_kernels as bitset
from cliquewise.common.sets.bitset import bit_set
from tests.oracles import graphs
from tests.oracles import scores as oracle
from tests.random_inputs import (
    dataset_of,
    random_chordal_edges,
    random_dataset,
    random_edges,
    random_sets,
    rows_of,
)
from tests.search_parts import bits_of, edges_of, numbered, rows_of_edges

nojit = pytest.mark.nojit
slow = pytest.mark.slow


# ---- sets ------------------------------------------------------------------------------------------------


@nojit
@pytest.mark.parametrize("n, words", [(1, 1), (64, 1), (65, 2), (128, 2), (129, 3), (1024, 16)])
def test_operations_on_words(n, words):
    assert bitset.words_for(n) == words


@nojit
@pytest.mark.parametrize("n", [1, 6, 63, 64, 65, 128, 140, 200])
def test_bit_sets_behave_as_sets(n):
    rng = np.random.default_rng(n)
    out = np.full(n + 1, -1)
    sets = [set(), {0}, {n - 1}, set(range(n)), {v for v in (63, 64, 127, 128) if v < n}]
    sets += [set(np.flatnonzero(rng.random(n) < share).tolist()) for share in (0.1, 0.5, 0.9)]
    for members in sets:
        bits = bits_of(members, n)
        ascending = sorted(members)
        assert bitset.size_of(bits) == len(members) and bitset.is_empty(bits) == (not members)
        assert bitset.elements(bits, out) == len(members) and out[: len(members)].tolist() == ascending
        assert [bitset.element_at(bits, i) for i in range(len(members))] == ascending
        assert bitset.element_at(bits, len(members)) == -1
        assert [v for v in range(n) if bitset.has(bits, v)] == ascending
        for v in {0, n - 1, n // 2}:
            bitset.toggle(bits, v)
            assert np.array_equal(bits, bits_of(members ^ {v}, n))
            bitset.toggle(bits, v)
        copy = np.ones_like(bits)
        bitset.copy_set(bits, copy)
        assert np.array_equal(bits, copy)


@nojit
def test_copy_rows():
    rows = rows_of_edges(70, random_chordal_edges(1, 70))
    copy = np.ones_like(rows)
    bitset.copy_rows(rows, copy)
    assert np.array_equal(rows, copy)


# ---- random numbers --------------------------------------------------------------------------------------


def xoshiro(state):
    """xoshiro256++ on Python's integers: yields 64-bit words."""

    def rotl(x, k):
        return (x << k | x >> 64 - k) % 2**64

    s = list(state)
    while True:
        yield (rotl((s[0] + s[3]) % 2**64, 23) + s[0]) % 2**64
        t = (s[1] << 17) % 2**64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)


@nojit
def test_random_words_are_those_of_the_reference():
    state = np.array([1, 2, 3, 4], np.uint64)
    published = [41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205]
    assert [int(random_kernels.next_word(state)) for _ in range(5)] == published
    for seed in range(5):
        state = random_kernels.random_states(seed, 1)[0]
        words = xoshiro(state.tolist())
        for _ in range(100):
            assert int(random_kernels.next_word(state)) == next(words)


@nojit
def test_random_numbers_are_spread_evenly():
    state = random_kernels.random_states(3, 1)[0]
    draws = [random_kernels.uniform(state) for _ in range(4000)]
    assert 0 <= min(draws) < 0.01 and 0.99 < max(draws) < 1
    assert abs(np.mean(draws) - 0.5) < 0.02
    counts = Counter(int(random_kernels.below(state, 5)) for _ in range(5000))
    assert sorted(counts) == [0, 1, 2, 3, 4] and max(abs(c - 1000) for c in counts.values()) < 150
    assert {int(random_kernels.below(state, 1)) for _ in range(10)} == {0}
    assert 0 <= random_kernels.below(state, 2**31 - 1) < 2**31 - 1


@nojit
def test_random_states_differ_and_are_reproducible():
    states = random_kernels.random_states(7, 20)
    assert states.shape == (20, 4) and len({tuple(s) for s in states.tolist()}) == 20
    assert np.array_equal(states, random_kernels.random_states(7, 20))
    assert np.array_equal(states[:5], random_kernels.random_states(7, 5))
    assert not np.array_equal(states[0], random_kernels.random_states(8, 1)[0])


# ---- chordal graphs --------------------------------------------------------------------------------------


def search_of(rows):
    """Cardinality search: (chordal?, order, earlier)."""
    n, words = rows.shape
    order, weight = np.full(n, -1), np.zeros(n, np.int64)
    earlier, done = np.zeros_like(rows), np.zeros(words, np.uint64)
    found = cardinality_search(rows, order, earlier, weight, done)
    assert not found or sorted(order.tolist()) == list(range(n))
    return found, order, earlier


def check_junction_sets(n, edges, cliques, separators):
    """The kernels' order, cliques and separators of a chordal graph against those of the oracle."""
    rows = rows_of_edges(n, edges)
    chordal_graph, order, earlier = search_of(rows)
    assert chordal_graph
    found, between = np.zeros_like(rows), np.zeros_like(rows)
    count = cliques_and_separators(order, earlier, found, between)
    found = [frozenset(chordal.members_of(row)) for row in found[:count]]
    between = [frozenset(chordal.members_of(row)) for row in between[:count]]
    assert len(found) == len(cliques) and set(found) == set(cliques)
    assert not between[0] and Counter(between[1:]) == separators
    in_python, tree = chordal.junction_tree(chordal.graph_of(rows))  # the same, in the same order
    assert [frozenset(clique) for clique in in_python] == found
    assert [(i, frozenset(separator)) for i, _, separator in tree] == [(i, s) for i, s in enumerate(between) if s]
    assert all(j < i and set(separator) <= found[j] for i, j, separator in tree)
    assert chordal.perfect_elimination_order(chordal.graph_of(rows)) == tuple(order[::-1].tolist())
    met = found[0]
    for clique, separator in zip(found[1:], between[1:], strict=True):
        assert clique & met == separator  # the running intersection property
        assert any(separator <= earlier_clique for earlier_clique in found[: found.index(clique)])
        met |= clique


@nojit
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_chordality_of_every_small_graph(n):
    known = numbered(n).chordal
    for number in range(1 << n * (n - 1) // 2):
        rows = rows_of_edges(n, numbered(n).edges(number))
        assert search_of(rows)[0] == (number in known), number
        assert chordal.is_chordal(chordal.graph_of(rows)) == (number in known), number


@slow
def test_chordality_of_every_graph_of_six_vertices():
    known = numbered(6).chordal
    for number in range(1 << 15):
        assert search_of(rows_of_edges(6, numbered(6).edges(number)))[0] == (number in known), number


@nojit
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_cliques_and_separators_of_every_small_chordal_graph(n):
    for sets in graphs.junction_sets(n):
        check_junction_sets(n, *sets)


@nojit
def test_cliques_and_separators_of_a_sample_of_six_vertices():
    for i in np.random.default_rng(6).choice(18154, 500, replace=False):
        check_junction_sets(6, *graphs.junction_sets(6)[i])


@slow
def test_cliques_and_separators_of_every_chordal_graph_of_six_vertices():
    for sets in graphs.junction_sets(6):
        check_junction_sets(6, *sets)


@nojit
@pytest.mark.parametrize("n", [63, 64, 65, 128, 140])
def test_large_chordal_graphs(n):
    edges = random_chordal_edges(n, n, max_clique=8)
    check_junction_sets(n, edges, *graphs.cliques_and_separators(n, edges))
    v = n - 4  # a chordless cycle through the last vertices
    cycle = {(v, v + 1), (v + 1, v + 2), (v + 2, v + 3), (v, v + 3)}
    apart = {uv for uv in edges if max(uv) < v}
    assert search_of(rows_of_edges(n, apart))[0] and not search_of(rows_of_edges(n, apart | cycle))[0]


@nojit
@pytest.mark.parametrize("n", [20, 70, 140])
def test_random_graphs_are_rarely_chordal(n):
    found = []
    for seed in range(8):
        edges = random_edges(seed, n, density=(0.3 + 0.3 * seed) / n)
        found.append(search_of(rows_of_edges(n, edges))[0])
        assert found[-1] == (graphs.elimination_order(n, edges) is not None)
    assert True in found and False in found


def check_replacements(n, number):
    """`can_have_neighbours`, `replace_neighbours` for every vertex and every set of neighbours."""
    numbers = numbered(n)
    rows = rows_of_edges(n, numbers.edges(number))
    rest, boundary, stack = np.zeros(1, np.uint64), np.zeros(1, np.uint64), np.zeros(n, np.int64)
    for v in range(n):
        for mask in range(1 << n):
            if mask >> v & 1:
                continue
            new = number & ~numbers.star[v] | numbers.spread(v, [w for w in range(n) if mask >> w & 1])
            wanted = np.array([mask], np.uint64)
            allowed = can_have_neighbours(rows, v, wanted, rest, boundary, stack)
            assert allowed == (new in numbers.chordal), (number, v, mask)
            changed = rows.copy()
            replace_neighbours(changed, v, wanted)
            assert np.array_equal(changed, rows_of_edges(n, numbers.edges(new)))


@nojit
@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_replacement_of_neighbours(n):
    for number in numbered(n).chordal:
        check_replacements(n, number)


@slow
def test_every_replacement_of_neighbours_of_five_vertices():
    for number in numbered(5).chordal:
        check_replacements(5, number)


@nojit
@pytest.mark.parametrize("n", [4, 5])
def test_complete_and_separated(n):
    """For all graphs of four vertices and a sample of five: any set may be queried, in any graph."""
    rng = np.random.default_rng(n)
    pairs = n * (n - 1) // 2
    for number in range(64) if n == 4 else rng.choice(1 << pairs, 60, replace=False):
        edges = numbered(n).edges(int(number))
        rows, adjacent = rows_of_edges(n, edges), graphs.neighbours(n, edges)
        visited, stack = np.zeros(1, np.uint64), np.zeros(n, np.int64)
        for mask in range(1 << n):
            members = {v for v in range(n) if mask >> v & 1}
            bits = np.array([mask], np.uint64)
            assert is_complete(rows, bits) == graphs.is_complete(members, adjacent)
            left = {uv for uv in edges if not members & set(uv)}
            parts = graphs.components(n, left)
            for v, w in combinations(set(range(n)) - members, 2):
                together = any({v, w} <= part for part in parts)
                assert are_separated(rows, bits, v, w, visited, stack) == (not together)


@pytest.mark.parametrize("edges", [260, 330, 500])
def test_separated_in_large_graphs(edges):
    """Paths with some edges more: neither side is small, or one, or both."""
    rng, n = np.random.default_rng(edges), 320
    path = {(v, v + 1) for v in range(n - 1) if v % 80 or edges > 300}
    for _ in range(20):
        others = {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(edges - len(path))}
        rows = rows_of_edges(n, path | others)
        members = set(map(int, rng.choice(n, int(rng.integers(1, 60)), replace=False)))
        parts = graphs.components(n, {uv for uv in path | others if not members & set(uv)})
        between, visited, stack = bit_set(members, 5), np.zeros(5, np.uint64), np.zeros(n, np.int64)
        for v, w in rng.choice(sorted(set(range(n)) - members), (50, 2)).tolist():
            if v != w:
                together = any({v, w} <= part for part in parts)
                assert are_separated(rows, between, v, w, visited, stack) == (not together)


# ---- chordal graphs as records ---------------------------------------------------------------------------


@nojit
def test_graphs_as_bit_rows():
    for n in (1, 6, 64, 70, 140):
        edges = random_chordal_edges(n, n)
        rows = chordal.bit_rows(Graph(n, edges))
        assert rows.shape == (n, bitset.words_for(n)) and edges_of(rows) == set(edges)
        assert chordal.graph_of(rows) == Graph(n, edges)
    assert chordal.graph_of(np.zeros((2, 1), np.uint64), ("a", "b")) == Graph(2, (), ("a", "b"))


@nojit
@pytest.mark.parametrize("n", [1, 2, 4, 9, 70])
def test_junction_trees(n):
    for seed in range(6):
        edges = random_chordal_edges(seed, n)
        graph = Graph(n, edges)
        cliques, tree = chordal.junction_tree(graph)
        sets, between = graphs.cliques_and_separators(n, edges)
        assert set(map(frozenset, cliques)) == sets and len(cliques) == len(sets)
        assert Counter(frozenset(s) for _, _, s in tree) == Counter({s: c for s, c in between.items() if s})
        assert [i for i, _, _ in tree] == sorted({i for i, _, _ in tree})  # no clique hangs on two others
        for i, j, separator in tree:
            assert j < i and set(separator) == set(cliques[i]) & set(cliques[j])
            assert list(separator) == sorted(separator)
        assert chordal.maximal_cliques(graph) == tuple(sorted(tuple(sorted(c)) for c in sets))
        assert chordal.separators(graph) == tuple(sorted(tuple(sorted(s)) for s in between.elements() if s))
        assert chordal.is_chordal(graph)
        order, adjacent = chordal.perfect_elimination_order(graph), graph.neighbours()
        assert sorted(order) == list(range(n))
        for i, v in enumerate(order):
            assert graphs.is_complete(adjacent[v] & set(order[i:]), adjacent)


@nojit
def test_graphs_that_are_not_chordal_are_refused():
    square = Graph(4, ((0, 1), (0, 3), (1, 2), (2, 3)))
    assert not chordal.is_chordal(square)
    functions = ("perfect_elimination_order", "junction_tree", "maximal_cliques", "separators")
    for function in functions:
        with pytest.raises(DataError, match="^graph is not chordal"):
            getattr(chordal, function)(square)


@nojit
def test_the_graph_without_vertices():
    empty = Graph(0, ())
    assert chordal.is_chordal(empty) and chordal.junction_tree(empty) == ((), ())
    assert chordal.maximal_cliques(empty) == chordal.separators(empty) == ()
    assert chordal.perfect_elimination_order(empty) == ()


# ---- counting --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "n_vars, n_rows, max_arity", [(3, 200, 3), (2, 900, 400), (70, 60, 4), (200, 40, 2), (5, 1, 2)]
)
def test_equal_rows_are_merged(n_vars, n_rows, max_arity):
    """Merged rows come first, sorted by first occurrence; the rows fit in one word, or need many."""
    data = random_dataset(n_vars, n_vars, n_rows, max_arity)
    codes = np.asfortranarray(data.codes[np.random.default_rng(1).integers(0, n_rows, 2 * n_rows)])
    data = replace(data, codes=codes)
    counts = Counter(map(tuple, codes.tolist()))
    expected = [row for row in counts if counts[row] > 1] + [row for row in counts if counts[row] == 1]
    table = counting_table(data)
    assert table.columns.T.tolist() == list(map(list, expected))
    assert table.weights.tolist() == [counts[row] for row in expected if counts[row] > 1]
    assert table.columns.flags.c_contiguous and table.weights.dtype == np.int32
    assert table.columns.dtype == (np.uint8 if data.arity.max() <= 256 else np.int32)


def check_counts(data, sets):
    """Count sets, none empty, with equal rows merged and without; returns the merged table."""
    rows = rows_of(data)
    merged = counting_table(data)
    every_row = np.ascontiguousarray(data.codes.T.astype(merged.columns.dtype))
    tables = [merged, table_of(every_row, merged.weights[:0], data.arity)]
    for table in tables:
        scratch = _scratch(table).counting
        for members in map(sorted, sets):
            cells, singles = joint_counts(table, np.array(members, np.int64), len(members), scratch)
            found = Counter(scratch.counts[:cells].tolist()) + Counter({1: singles})
            found.pop(0, None)
            assert found == Counter(oracle.joint_counts(rows, members).values()), members
    return merged


@pytest.mark.slow
@nojit
@pytest.mark.parametrize("n_rows", [64, 1025, 2600])
def test_counts_on_bit_planes(n_rows):
    """Where one row is alone, and where one stands for several; up to 8 variables, constant ones and wide ones too."""
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(0, [2, 2, 3, 1, 4, 9, 2, 2, 2, 2, 1], (n_rows, 11))
    codes = np.concatenate([codes, codes[: n_rows // 5], codes[: n_rows // 9]])
    sets = [*([v] for v in (0, 3, 4, 5)), [0, 1], [3, 10], [0, 3, 6, 10], [2, 4], [0, 2, 4], [1, 5], [0, 1, 2, 6, 7]]
    sets += [[6, 7, 8, 9], [0, 1, 6, 7, 8], [0, 1, 3, 6, 7, 8, 9, 10], list(range(11))]
    table = check_counts(dataset_of(codes), sets)
    assert len(table.weights) > 0 and table.first_plane[5] < 0 <= table.first_plane[4]
    for r in range(len(table.weights), table.columns.shape[1]):  # every row that is alone is in one plane
        states = [table.columns[v, r] for v in (0, 4)]
        places = [table.first_plane[v] + state for v, state in zip((0, 4), states, strict=True)]
        assert all(
            np.unpackbits(table.planes[p].view(np.uint8), bitorder="little")[r - len(table.weights)] for p in places
        )


@nojit
@pytest.mark.parametrize("seed", range(3))
def test_dense_counts(seed):
    data = random_dataset(seed, n_vars=6, n_rows=60, max_arity=3, constant=seed == 1)
    table = check_counts(data, [c for size in range(1, 7) for c in combinations(range(6), size)])
    assert len(table.weights) > 0 and table.columns.dtype == np.uint8


def test_dense_counts_of_several_blocks_of_rows():
    """2500 different rows, too many for one block; and many rows of weight, which end inside a block."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, (4000, 12))
    sets = random_sets(1, 12, [1, 2, 3, 4, 5, 6, 8, 12])
    check_counts(dataset_of(codes), sets)
    table = check_counts(dataset_of(np.concatenate([codes, codes[:1500], codes[:700]])), sets)
    assert len(table.weights) == 1500 and table.weights.max() == 3


@nojit
def test_counts_beyond_the_table_are_renumbered():
    data = random_dataset(5, n_vars=30, n_rows=80, max_arity=4)
    check_counts(data, random_sets(5, 30, [5, 6, 8, 10, 15, 20, 30]))


@pytest.mark.slow
def test_counts_of_variables_with_many_states():
    """Arity 500 on 2000 rows: the third step is one hash table, and codes no longer fit a byte."""
    rng = np.random.default_rng(2)
    wide = rng.integers(0, 500, (2000, 6))
    wide[:, 3] = wide[:, 0]  # so that cells with several rows remain
    wide[:, 4] = (wide[:, 1] + rng.integers(0, 2, 2000)) % 500
    data = dataset_of(np.column_stack([wide, rng.integers(0, 3, (2000, 2))]))
    table = check_counts(data, [c for size in range(1, 9) for c in combinations(range(8), size)])
    assert table.columns.dtype == np.int32


@pytest.mark.slow
def test_counts_of_hundred_states():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 100, (3000, 8)) * rng.integers(0, 2, (3000, 1))  # half of the rows are equal
    codes[:, 5] = codes[:, 2] // 2
    table = check_counts(dataset_of(codes), [c for size in range(1, 9) for c in combinations(range(8), size)])
    assert table.columns.dtype == np.uint8 and len(table.weights) == 1


@nojit
def test_256_states_fit_a_byte_and_257_do_not():
    for states, dtype in [(256, np.uint8), (257, np.int32)]:
        codes = np.column_stack([np.arange(600) % states, np.arange(600) % 7])
        assert check_counts(dataset_of(codes), [[0], [1], [0, 1]]).columns.dtype == dtype


@nojit
@pytest.mark.parametrize("n_rows", [1, 2, 5])
def test_counts_of_few_rows(n_rows):
    data = random_dataset(n_rows, n_vars=5, n_rows=n_rows)
    check_counts(data, [[0], [0, 1], [2, 3, 4], range(5)])
    check_counts(dataset_of(np.zeros((n_rows, 3))), [[0], [0, 1, 2]])
