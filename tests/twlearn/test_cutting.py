"""The cutting-plane program: its columns, rows, bounds and optima against all small networks."""

from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.bounds.incumbent import KnownScore
from cliquewise.common.bounds.violated_rows import Solution, join_rows
from cliquewise.twlearn import milp_cutting
from cliquewise.twlearn.families import ScoredFamilies
from cliquewise.twlearn.kp import kp
from cliquewise.twlearn.milp_columns import columns_of, suits
from cliquewise.twlearn.milp_cutting import Prover
from cliquewise.twlearn.milp_relaxation import MilpRelaxation
from cliquewise.twlearn.milp_separation import cluster_cuts, solution_of, violated_rows
from tests.as_oracles import members_of
from tests.oracles.families import parent_sets
from tests.oracles.graphs import pair
from tests.oracles.networks import best_network, moral_edges, networks, treewidth
from tests.oracles.rows import left_side, perfect_families
from tests.random_inputs import random_dataset
from tests.slow import slow
from tests.twlearn.scored import certified, families_of
from tests.twlearn.test_exact import solved
from tests.twlearn.test_families import listed


def all_families(n, most, seed):
    """Families of every parent set, with random scores; small sets score more on the whole."""
    rng = np.random.default_rng(seed)
    start, parents, scores = [0], [], []
    for v in range(n):
        sets = {s: rng.normal() - 0.3 * len(s) for s in parent_sets(n, v, most)}
        for s in sorted(sets, key=sets.get, reverse=True):
            parents.append([*sorted(s), *[-1] * (max(1, most) - len(s))])
            scores.append(sets[s])
        start.append(len(scores))
    return ScoredFamilies(np.array(start), np.array(parents, np.int32), np.array(scores))


def ktrees(n, w):
    """All k-trees, k = w: the graphs of treewidth w with the largest number of edges."""
    pairs = [pair(a, b) for a, b in combinations(range(n), 2)]
    found = (frozenset(edges) for edges in combinations(pairs, w * n - w * (w + 1) // 2))
    return [edges for edges in found if treewidth(n, edges) <= w]


def as_columns(network, order, n):
    """{(child, parents): 1} of a network {v: parents} and a k-tree's families {v: parents}."""
    raised = {(v + n, frozenset(u + n for u in parents)): 1.0 for v, parents in order.items()}
    return {(v, frozenset(parents)): 1.0 for v, parents in network.items()} | raised


def ways_of(columns, edges, n):
    """The k-tree's families in the orders that its columns have."""
    own = columns.pick(columns.child >= n)
    there = {(int(own.child[k]) - n, members_of(own.parents[k])) for k in range(len(own.child))}
    there = {(v, frozenset(u - n for u in parents)) for v, parents in there}
    return [order for order in perfect_families(n, edges) if there.issuperset(order.items())]


@pytest.mark.parametrize(("n", "w"), [(3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 2), (5, 3)])
def test_every_ktree_has_columns(n, w):
    for root in (0, n - 1):
        columns = columns_of(all_families(n, 1, 1), w, root)
        sizes = np.bitwise_count(columns.parents)[columns.child >= n]
        assert (columns.size[columns.child >= n] == np.where((sizes > 0) & (sizes < w), sizes, 0)).all()
        for edges in ktrees(n, w):
            ways = ways_of(columns, edges, n)
            assert ways
            for way in ways:
                assert sorted(map(len, way.values())) == [*range(w), *[w] * (n - w)] and way[root] == frozenset()


def random_point(columns, rng):
    """A value of every column, which sum to 1 for every child."""
    x = rng.gamma(0.15, size=len(columns.child)) + 1e-12
    return x / np.bincount(columns.child, weights=x)[columns.child]


def rows_found(columns, n, rng, points):
    """Rows that random points violate, and a program that has them."""
    found = [
        violated_rows(*solution_of(columns, random_point(columns, rng), n), is_slow=i % 2 == 1) for i in range(points)
    ]
    rows, sizes = join_rows(found), len(np.unique(columns.size)) - 1
    program = MilpRelaxation(columns, 2 * n, sizes, 1.0)
    program.add_rows(rows)
    return rows, program


def listed_rows(rows):
    """[(members, base)] of Rows."""
    return [
        ([frozenset((v,)) for v in members_of(single)] + [members_of(m) for m in larger if m], members_of(base))
        for base, single, larger, *_ in zip(*rows, strict=True)
    ]


def is_shared(members, base, n):
    """Has a row without a base members of both kinds?"""
    return not base and min(map(min, members)) < n <= max(map(max, members))


def left(members, base, point, n):
    """The left side of a row; of a shared cluster, the network's begun members less the k-tree's."""
    if not is_shared(members, base, n):
        return left_side(members, base, point)
    parts = [[m for m in members if (min(m) < n) == own] for own in (True, False)]
    return left_side(parts[0], base, point) - left_side(parts[1], base, point)


def check_validity(n, w, points, seed):
    """Every row found holds for every network within the treewidth, with every k-tree around it."""
    columns = columns_of(all_families(n, w, seed), w, root=seed % n)
    rows, program = rows_found(columns, n, np.random.default_rng(seed), points)
    listed_ones = [(*row, b) for row, b in zip(listed_rows(rows), program.least, strict=True)]
    kinds = [bool(base) and min(base) < n <= max(map(max, members)) for members, base, _ in listed_ones]
    assert any(kinds) and not all(kinds)  # links and others
    assert any(is_shared(members, base, n) and b == 0 for members, base, b in listed_ones)
    around = [(edges, ways_of(columns, edges, n)) for edges in ktrees(n, w)]
    pairs = [
        as_columns(dict(enumerate(network)), way, n)
        for network in networks(n, w)
        for edges, ways in around
        if moral_edges(network) <= edges
        for way in ways
    ]
    assert len({frozenset(point) for point in pairs}) == len(pairs) > 20
    for members, base, b in listed_ones:
        assert all(left(members, base, point, n) >= b for point in pairs), (members, base)


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("w", [1, 3, *slow(2)])
def test_every_row_holds_for_every_network(w):
    check_validity(4, w, 3 if w < 3 else 2, seed=w)


@pytest.mark.parametrize("first", [0, 500])
def test_every_cycle_of_a_network_violates_a_cluster(first):
    """Growing sets from each vertex misses some cycles, where families have more parents outside."""
    cyclic = 0
    for seed in range(first, first + 500):
        rng = np.random.default_rng(seed)
        sets = [{*rng.choice(v, min(v, 3), replace=False).tolist()} for v in range(9)]
        sets[rng.integers(5)] |= {int(rng.integers(5, 9))}
        masks = np.array([sum(1 << u for u in members) for members in sets], np.uint64)
        found = cluster_cuts(Solution(9, np.arange(9), masks, np.ones(9))).singles
        assert all(mask & 1 << v == 0 or mask & int(masks[v]) for mask in map(int, found) for v in range(9))
        left = set(range(9))
        while free := {v for v in left if not sets[v] & left}:
            left -= free
        assert (len(found) > 0) == (len(left) > 0)
        cyclic += len(left) > 0
    assert cyclic > 200


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_further_rows_hold_for_every_network(seed):
    check_validity(4, 1 + seed % 3, 25, seed)


@pytest.mark.parametrize("seed", range(3))
def test_every_bound_is_true(seed):
    """By weak duality, for any multipliers and prices; the profit of a column is its gain and what its rows add."""
    n, w, rng = 4, 2, np.random.default_rng(seed)
    families = all_families(n, w, seed)
    columns = columns_of(families, w, 0)
    rows, program = rows_found(columns, n, rng, 2)
    program.multipliers, program.prices = rng.random(len(program.least)) ** 4, rng.normal(size=2 * n + w - 1)
    alive = rng.random(len(columns.child)) < 0.9
    profit, best, bound = program.price(alive)
    price = np.where(columns.size > 0, program.prices[2 * n + columns.size - 1], 0.0)
    assert (profit[~alive] == -np.inf).all() and alive.any()
    for k in np.flatnonzero(alive)[::7]:
        one = {(int(columns.child[k]), members_of(columns.parents[k])): 1.0}
        added = [y * left(*row, one, n) for y, row in zip(program.multipliers, listed_rows(rows), strict=True)]
        assert profit[k] == pytest.approx(columns.gain[k] - price[k] + sum(added))
    assert best == pytest.approx([profit[columns.child == v].max() for v in range(2 * n)])
    _, _, bound = program.price(np.ones(len(alive), bool))
    assert bound >= best_network(listed(families), w, w)[0]


@pytest.mark.fast_cases(12)
@pytest.mark.parametrize("patience, most", [(0, 1000), (8, 1000), (8, -1)])
@pytest.mark.parametrize("w", [1, 2, 3])
@pytest.mark.parametrize("seed", [*range(3), *slow(*range(3, 6))])
def test_optima_of_random_scores(seed, w, patience, most, monkeypatch):
    """Against all networks, with and without much branching; the result lies inside the graph that is returned.

    With at most -1 pivots all programs are improved before they are solved.
    """
    monkeypatch.setattr(milp_cutting, "PATIENCE", patience)
    monkeypatch.setattr(milp_cutting, "SLOW_PIVOTS", most)
    monkeypatch.setattr(milp_cutting, "MANY_COLUMNS", 5)
    n = 4 + (w < 3) * (seed % 2)
    families = all_families(n, min(w, 2), seed)
    best, _ = best_network(listed(families), min(w, 2), w)
    empty = families.scores[[r for r in range(len(families.scores)) if (families.parents[r] < 0).all()]].sum()
    prover = Prover(families, w, KnownScore(empty - 1.0), seed % n)
    proof, (rows, joined) = prover.run(), prover.found
    assert proof.finished and proof.bound == pytest.approx(best, abs=1e-7) and proof.root_bound >= best - 1e-9
    assert families.scores[rows].sum() == pytest.approx(best) == prover.known.score
    edges = frozenset(pair(u, v) for v in range(n) for u in joined[v])
    network = tuple(frozenset(families.parents[row].tolist()) - {-1} for row in rows)
    assert moral_edges(network) <= edges and treewidth(n, edges) <= w


@pytest.mark.parametrize("seed", range(4))
def test_known_networks_and_those_found_elsewhere_are_used(seed):
    """With the optimum known, nothing better is found; one that something else found counts, and its bound."""
    families = all_families(5, 2, seed)
    best, _ = best_network(listed(families), 2, 2)
    prover = Prover(families, 2, KnownScore(best), 0)
    proof = prover.run()
    assert proof.finished and prover.found == (None, None) and proof.bound == pytest.approx(best, abs=1e-7)

    def take(prover):
        assert len(prover.families_left()) >= 5
        prover.known.score = best

    known = KnownScore(best - 50.0)
    proof = Prover(families, 2, known, 0, on_round=take).run()
    assert proof.finished and proof.bound == pytest.approx(best, abs=1e-7)
    known = KnownScore(best - 50.0)
    proof = Prover(families, 2, known, 0, on_round=lambda prover: vars(known).update(score=best, upper=best)).run()
    assert (proof.finished, proof.bound, proof.nodes) == (True, best, 1)


@pytest.mark.parametrize("seed", [0, *slow(1, 2)])
def test_programs_from_which_columns_are_dropped_stay_feasible(seed, monkeypatch):
    """Of 7 variables, where parts require pairs of the k-tree that no column left in the program joins."""
    for name, value in (("SLOW_PIVOTS", -1), ("MANY_COLUMNS", 50), ("PATIENCE", 1)):
        monkeypatch.setattr(milp_cutting, name, value)
    families = families_of(random_dataset(500 + seed, n_vars=7, n_rows=100, max_arity=3), 3)
    best = solved(kp, families, 2).score
    proof = Prover(families, 2, KnownScore(best - 10.0), 0).run()
    assert proof.finished and proof.bound == pytest.approx(best, abs=1e-6)


def test_a_part_in_which_a_variable_has_no_family_is_empty():
    families = families_of(random_dataset(500, n_vars=5, n_rows=60, max_arity=2), 2)
    known = solved(kp, families, 2).score - 10.0
    prover = Prover(families, 2, KnownScore(known), 0, chosen=families.child != 1)
    proof = prover.run()
    assert proof.finished and prover.found == (None, None) and (proof.bound, proof.root_bound) == (known, -np.inf)


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("rounds", [0, 1, 3, 10])
def test_a_stopped_proof_has_a_bound(rounds):
    data = random_dataset(5, n_vars=9, n_rows=500, max_arity=3)
    families = families_of(data, 3)
    best = certified(data, solved(kp, families, 2), 2).score
    left = [rounds]

    def should_continue():
        left[0] -= 1
        return left[0] >= 0

    prover = Prover(families, 2, KnownScore(best - 20.0), 0, should_continue=should_continue)
    proof = prover.run()
    assert proof.bound >= best - 1e-7 and proof.root_bound >= best - 1e-7
    assert not proof.finished or prover.found[0] is not None


def test_programs_that_are_too_large_are_not_tried():
    assert suits(32, 2) and not suits(33, 2) and suits(22, 4) and not suits(31, 6)
