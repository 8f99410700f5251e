"""Rows of the linear program: true of every chordal graph, coefficients as defined, separation."""

from functools import cache, partial
from itertools import combinations, permutations, product

import numpy as np
import pytest

from cliquewise.common.bounds.cuts_kernels import (
    cluster_growth,
    separate_violated_clusters,
    separate_violated_flags,
    separate_violated_immoralities,
    separate_violated_pairs,
)
from cliquewise.common.bounds.families import FamilyPool
from cliquewise.common.bounds.rows_kernels import WIDTH, coefficients
from cliquewise.common.bounds.violated_rows import (
    SeparationLimits,
    Solution,
    _grown,
    chordless_cycle,
    empty_rows,
    separate,
)
from tests.as_oracles import mask_of, members_of
from tests.oracles import rows as oracle
from tests.oracles.graphs import chordal_graphs, is_chordal, neighbours
from tests.random_inputs import random_edges

NEAR = 1e-9
ONE_STEP = SeparationLimits(least=-100.0, steps=1)


def rows_of(pairs):
    """Rows of (members, base) pairs of frozensets."""
    rows = empty_rows(len(pairs))
    for r, (members, base) in enumerate(pairs):
        rows.base[r] = mask_of(base)
        rows.singles[r] = mask_of(frozenset().union(*(m for m in members if len(m) == 1)))
        larger = [mask_of(m) for m in members if len(m) > 1]
        rows.larger[r, : len(larger)] = larger
    return rows


def pairs_of(rows):
    """The inverse of `rows_of`."""
    for base, singles, larger, *_ in zip(*rows, strict=True):
        members = [frozenset([v]) for v in members_of(singles)] + [members_of(m) for m in larger if m]
        yield members, members_of(base)


def random_row(rng, n):
    """Members and a base that make a true row."""
    members = []
    for _ in range(rng.integers(1, 5)):
        size = rng.integers(1, n)
        members.append(frozenset(rng.choice(n, size, replace=False).tolist()))
    if min(map(len, members)) == 1 and rng.random() < 0.5:
        return members, frozenset()
    base = frozenset(rng.choice(n, rng.integers(1, 3 if rng.random() < 0.7 else n), replace=False).tolist())
    return members, base | members[0] if len(set(members)) == 1 else base


def all_rows(n):
    """Every row of two members at most, with every base."""
    sets = [frozenset(s) for size in range(1, n + 1) for s in combinations(range(n), size)]
    for count in (1, 2):
        for members in combinations(sets, count):
            if min(map(len, members)) == 1:
                yield members, frozenset()
            yield from ((members, base) for base in sets if count == 2 or members[0] <= base)


def shown_rows(rows):
    """Each of some Rows as a tuple of numbers."""
    return list(map(tuple, np.column_stack(rows).tolist()))


@cache
def perfect_orders(n):
    """All families of n variables, and for each perfect order of each chordal graph the numbers of its families."""
    every = all_families(n)
    number = {family: i for i, family in enumerate(every)}
    renamed = [[number[order[v], frozenset(order[u] for u in p)] for v, p in every] for order in permutations(range(n))]
    orders = np.array(renamed)[:, [[number[family] for family in enumerate(s)] for s in oracle.perfect_sequences(n)]]
    return every, np.unique(np.sort(orders.reshape(-1, n)), axis=0)


def all_families(n):
    """Each variable with each set of the others."""
    others = [[u for u in range(n) if u != v] for v in range(n)]
    return [(v, frozenset(p)) for v in range(n) for size in range(n) for p in combinations(others[v], size)]


def test_perfect_sequences_are_the_perfect_orders_of_chordal_graphs():
    for n in range(1, 5):
        every, orders = perfect_orders(n)
        expected = [families for edges in chordal_graphs(n) for families in oracle.perfect_families(n, edges)]
        assert len(expected) == len(orders)
        assert {frozenset(every[f] for f in order) for order in orders} == {frozenset(f.items()) for f in expected}


def must_hold(pairs, n):
    """Every row is true of every perfect order of every chordal graph."""
    every, orders = perfect_orders(n)
    for members, base in pairs:
        value = np.array([oracle.left_side(members, base, {family: 1}) for family in every])
        wrong = np.flatnonzero(value[orders].sum(axis=1) < (not base))
        assert len(wrong) == 0, ([every[i] for i in orders[wrong[0]]], members, base)


def test_every_small_row_is_true_of_every_graph():
    must_hold(list(all_rows(4)), 4)


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("n, limit", [(3, 4), (4, 4), (5, 2), (6, 2), (5, 3), (5, 4), (6, 3), (6, 4)])
def test_weighted_clusters_are_true_of_every_graph(n, limit):
    """With all weights; renaming the variables of a graph gives an order that is a sequence."""
    every = all_families(n)
    number = {family: i for i, family in enumerate(every)}
    sequences = np.array([[number[family] for family in enumerate(one)] for one in oracle.perfect_sequences(n)])
    for weights in product(range(1, limit + 1), repeat=n):
        members = oracle.weighted_members(dict(enumerate(weights)))
        begins = np.array([oracle.begins(members, v, parents) for v, parents in every])
        wrong = np.flatnonzero(begins[sequences].sum(axis=1) < 1)
        assert len(wrong) == 0, (weights, [every[i] for i in sequences[wrong[0]]])


@pytest.mark.slow
def test_random_rows_are_true_of_every_graph_on_five_vertices():
    rng = np.random.default_rng(1)
    must_hold([random_row(rng, 5) for _ in range(400)], 5)
    must_hold(list(all_rows(5))[::9], 5)


@pytest.mark.slow
def test_all_rows_of_two_members_are_true_of_every_graph_on_five_vertices():
    must_hold(all_rows(5), 5)


@pytest.mark.slow
def test_rows_are_true_of_every_graph_on_six_vertices():
    rng = np.random.default_rng(6)
    must_hold([random_row(rng, 6) for _ in range(300)], 6)
    for seed in range(6):
        must_hold(pairs_of(separate(solution_of(6, random_solution(seed, 6, 5)), SeparationLimits(least=1e-6))), 6)


def test_a_row_without_a_single_member_needs_its_base():
    """The condition on rows is needed: two disjoint pairs begin nowhere in the empty graph."""
    members = [frozenset({0, 1}), frozenset({2, 3})]
    families = {(v, frozenset()): 1 for v in range(4)}
    assert oracle.left_side(members, frozenset(), families) == 0


@pytest.mark.nojit
def test_coefficients_are_as_defined():
    rng = np.random.default_rng(2)
    n = 6
    pairs = [random_row(rng, n) for _ in range(30)]
    families = [(v, frozenset(rng.choice([u for u in range(n) if u != v], rng.integers(0, 5), replace=False).tolist()))
                for v in rng.integers(0, n, 40).tolist()]  # fmt: skip
    child, parents = np.array([v for v, _ in families]), np.array([mask_of(p) for _, p in families])
    buffers = np.zeros(2000, np.int32), np.zeros(2000, np.int32), np.zeros(2000)
    count = coefficients(rows_of(pairs), child, parents, *buffers)
    found = {(r, k): value for r, k, value in zip(*(part[:count].tolist() for part in buffers), strict=True)}
    for r, (members, base) in enumerate(pairs):
        for k, family in enumerate(families):
            assert found.get((r, k), 0.0) == oracle.left_side(members, base, {family: 1})
    assert coefficients(rows_of(pairs), child, parents, *(part[:5] for part in buffers)) == count


def random_solution(seed, n, largest):
    """Random families of every variable with values that sum to 1."""
    rng = np.random.default_rng(seed)
    values = {}
    for v in range(n):
        share = rng.dirichlet(np.ones(3))
        for x in share.tolist():
            others = [u for u in range(n) if u != v]
            parents = frozenset(rng.choice(others, rng.integers(0, largest), replace=False).tolist())
            values[v, parents] = values.get((v, parents), 0.0) + x
    return values


def solution_of(n, values):
    """A Solution of {(v, parents): x}."""
    child, parents = np.array([v for v, _ in values]), np.array([mask_of(p) for _, p in values])
    return Solution(n, child, parents, np.array(list(values.values())))


def growth_of(solution):
    """Work space for clusters in a Solution."""
    return cluster_growth(solution.child, solution.parents, solution.x, solution.first)


@pytest.mark.nojit
def test_arrays_of_clusters_are_contiguous_as_kernels_are_compiled_for_them():
    for seed in range(4):
        growth = growth_of(solution_of(5, random_solution(seed, 5, 4)))
        assert all(array.flags.c_contiguous for array in growth), growth


@pytest.mark.nojit
def test_rows_that_separation_returns_are_violated_and_true():
    n, total = 5, 0
    for seed in range(6):
        values = random_solution(seed, n, 4)
        found = list(pairs_of(separate(solution_of(n, values), SeparationLimits(least=1e-6))))
        total += len(found)
        assert len({(frozenset(members), base) for members, base in found}) == len(found)
        for members, base in found:
            assert oracle.left_side(members, base, values) < (not base) - 1e-7
            assert any(len(m) == 1 for m in members) if not base else len(members) > 1 or members[0] <= base
        must_hold(found, n)
    assert total > 25


@pytest.mark.nojit
def test_a_row_grows_by_the_member_that_violates_it_most():
    n, better = 5, 0
    for seed in range(40):
        values, rng = random_solution(seed, n, 4), np.random.default_rng(seed)
        if seed % 2:
            base, first = frozenset({4}), [frozenset({0, 1}), frozenset(rng.choice(4, 2, replace=False).tolist()) | {2}]
        else:
            base, first = frozenset(), [frozenset({int(v)}) for v in rng.choice(n, 2, replace=False)]
        ((members, _),) = pairs_of(_grown(solution_of(n, values), rows_of([(first, base)]), ONE_STEP))
        before, least = oracle.left_side(first, base, values), oracle.least_left_side(first, base, values)
        grows = least < min(before - 1e-8, not base)
        assert len(members) == len(first) + grows
        assert oracle.left_side(members, base, values) == pytest.approx(least if grows else before, abs=1e-9)
        better += grows
    assert 10 < better


@pytest.mark.nojit
def test_a_row_grows_by_several_members():
    """At least as far as by one best member after the other."""
    n, better, limits = 6, 0, SeparationLimits(least=-100.0, steps=4)
    for seed in range(20):
        values, rng = random_solution(seed, n, 5), np.random.default_rng(seed)
        base = frozenset({5} if seed % 2 else ())
        first = [frozenset(rng.choice(5, 2, replace=False).tolist()), frozenset({0, 1, 2} if base else {3})]
        ((members, _),) = pairs_of(_grown(solution_of(n, values), rows_of([(first, base)]), limits))
        found = oracle.left_side(members, base, values)
        assert found <= oracle.grown_row(first, base, values, limits.steps) + NEAR
        better += len(members) > len(first) + 1
    assert better > 3


@pytest.mark.nojit
def test_a_row_has_as_many_larger_members_as_allowed():
    """Some reach the bound, and one more member makes some of them more violated."""
    n, reached, better = 6, 0, 0
    for seed in range(20):
        values, left = random_solution(seed, n, 5), []
        for larger in (1, 2, WIDTH):
            limits = SeparationLimits(least=-100.0, steps=6, larger=larger)
            first = rows_of([([frozenset({0, 1})], frozenset({5}))])
            ((members, base),) = pairs_of(_grown(solution_of(n, values), first, limits))
            count = sum(len(member) > 1 for member in members)
            assert count <= larger
            reached += count == larger
            left.append(oracle.left_side(members, base, values))
        better += left[2] < left[0] - NEAR
    assert reached > 3
    assert better > 0


@pytest.mark.nojit
def test_clusters_grow_from_every_joined_pair():
    for seed in range(8):
        n, values = 6, random_solution(seed, 6, 4)
        solution = solution_of(n, values)
        rows, violations = empty_rows(50), np.zeros(50)
        count = separate_violated_clusters(growth_of(solution), -0.5, rows, violations)
        found = {members_of(mask): value for mask, value in zip(rows.singles[:count], violations, strict=False)}
        expected = {cluster: 1.0 - value for cluster, value in oracle.grown_clusters(n, values).items()}
        assert found == pytest.approx({cluster: value for cluster, value in expected.items() if value > -0.5})


@pytest.mark.nojit
@pytest.mark.parametrize("kind", ["immoralities", "flags", "pairs", "clusters"])
def test_separation_keeps_the_rows_that_are_violated_most(kind):
    """Also where there are many times more than wanted."""
    n, most = 7, 4
    for seed in range(5):
        solution = solution_of(n, random_solution(seed, n, 6))
        sets, near = (solution.keys, solution.values), solution.near()
        search = {
            "immoralities": partial(separate_violated_immoralities, *sets),
            "flags": partial(separate_violated_flags, *sets, near),
            "pairs": partial(separate_violated_pairs, *sets, near),
            "clusters": partial(separate_violated_clusters, growth_of(solution)),
        }[kind]
        every, excess = empty_rows(3000), np.zeros(3000)
        count = search(-0.9 if kind == "clusters" else 0.01, every, excess)
        rows, violations = empty_rows(most), np.zeros(most)
        assert count > 2 * most
        assert search(-0.9 if kind == "clusters" else 0.01, rows, violations) == most
        assert sorted(violations) == sorted(excess[:count])[-most:]
        every = dict(zip(shown_rows(every), excess, strict=True))
        assert [every[row] for row in shown_rows(rows)] == violations.tolist()


@pytest.mark.nojit
def test_separation_finds_every_immorality_and_flag():
    n = 5
    for seed in range(12):
        values = random_solution(seed, n, 4)

        def c(s, values=values):
            holding = (x for (v, parents), x in values.items() if oracle.completes(s, v, parents))
            return sum(holding) if len(s) > 1 else 1.0

        found = {(frozenset(members), base) for members, base in pairs_of(separate(solution_of(n, values)))}
        for size in range(1, n - 1):
            for t in map(frozenset, combinations(range(n), size)):
                for k in set(range(n)) - t:
                    if size > 1 and c(t | {k}) > c(t) + 1e-3:
                        assert (frozenset([t]), t | {k}) in found
                    for j in set(range(k)) - t:  # where one of the sums is 0, an immorality is broken as well
                        excess = c(frozenset({j, k})) + c(t | {j}) + c(t | {k}) - c(t) - c(t | {j, k}) - 1.0
                        if excess > 1e-3 and min(c(t | {j}), c(t | {k}), c(frozenset({j, k}))) > 1e-3:
                            one = {frozenset({v}) for v in t} if size == 1 else {t}
                            assert (frozenset({frozenset({j}), frozenset({k})} | one), frozenset()) in found


@pytest.mark.nojit
def test_a_network_violates_no_row():
    for edges in chordal_graphs(5)[::25]:
        for families in oracle.perfect_families(5, edges)[:3]:
            values = {family: 1.0 for family in families.items()}
            assert len(separate(solution_of(5, values)).base) == 0


@pytest.mark.nojit
def test_every_integral_solution_that_is_no_network_violates_a_row():
    """Random families, one per variable: acyclic with complete parents, or a row is found."""
    rng = np.random.default_rng(4)
    n, networks = 4, 0
    for _ in range(300):
        families = {v: frozenset(u for u in range(n) if u != v and rng.random() < 0.35) for v in range(n)}
        edges = {(min(u, v), max(u, v)) for v, parents in families.items() for u in parents}
        is_network = any(families == order for order in oracle.perfect_families(n, edges))
        found = separate(solution_of(n, {family: 1.0 for family in families.items()}))
        assert (len(found.base) == 0) == is_network
        networks += is_network
    assert 20 < networks < 280


def test_chordless_cycles_are_found():
    for seed in range(60):
        n = 7
        edges = random_edges(seed, n, 0.45)
        near = neighbours(n, edges)
        cycle = chordless_cycle(near)
        assert bool(cycle) == (not is_chordal(n, set(edges)))
        if cycle:
            assert len(cycle) == len(set(cycle)) >= 4
            assert all(len(near[v] & set(cycle)) == 2 for v in cycle)
            assert all(cycle[i - 1] in near[v] for i, v in enumerate(cycle))


def test_families_are_found_again_and_follow_their_sets():
    sets = np.array([m for m in range(64) if bin(m).count("1") <= 3], np.uint64)
    pool = FamilyPool(6, sets, np.zeros(len(sets)))
    child, parents = pool.masks(np.arange(len(pool.alive)))
    assert (pool.find(child, parents) == np.arange(len(child))).all()
    assert pool.find(np.array([0]), np.array([0b11110], np.uint64)) == [-1]
    keep = (child == 2) & (parents == np.uint64(0b1000)) | (parents == 0)
    pool.alive[:] = keep
    moved = pool.shrink()
    assert (moved[keep] >= 0).all() and pool.alive[moved[keep]].all() and pool.alive.sum() == keep.sum()
    again = pool.masks(moved[keep])
    assert (again[0] == child[keep]).all() and (again[1] == parents[keep]).all()
