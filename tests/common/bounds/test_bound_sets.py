"""Families of many variables: sets by number, what rows add to their profit, and rows found in windows."""

import time
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest

from cliquewise.common.bounds import windows
from cliquewise.common.bounds.bound import bound
from cliquewise.common.bounds.cutting import Rules
from cliquewise.common.bounds.families import FamilyPool
from cliquewise.common.bounds.set_families import ColexFamilyPool
from cliquewise.common.bounds.violated_rows import empty_rows
from cliquewise.common.bounds.weighted_clusters import separate_weighted_clusters
from cliquewise.common.bounds.windows import WindowedSolution, _incumbent, bound_by_windows
from cliquewise.common.certify.cliques import certify
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.result import INTERRUPTED
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.sets.set_orders import set_count
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config
from tests.common.bounds.test_bound_rows import random_row, rows_of
from tests.learning import Recorder, learner, run
from tests.oracles import rows as oracle
from tests.oracles.scores import bdeu
from tests.random_inputs import random_dataset
from tests.slow import slow_cases

NEAR = 1e-9
ROUGH = {"many": 30, "slow": -1}  # nearly all programs are improved instead of solved
PARTLY = {"whole": 60, "part": 40}  # most rounds price some families only
exact = learner(junctor.learn, Config(method="dp"))


def choice_of(rng, n, largest):
    """A ColexFamilyPool with random scores."""
    scores = rng.normal(0.0, 1.0, set_count(n, largest))
    scores[0] = 0.0
    return ColexFamilyPool(n, largest, scores)


def listed_choice_of(rng, n, largest, edges):
    """A ColexFamilyPool of some sets, those within a graph with so many edges, with random scores."""
    pairs = [*combinations(range(n), 2)]
    graph = {pairs[i] for i in rng.choice(len(pairs), edges, replace=False)}
    sets = [s for k in range(largest + 1) for s in combinations(range(n), k) if graph.issuperset(combinations(s, 2))]
    sets.sort(key=lambda s: sum(1 << v for v in s))
    members = np.array([(*s, *[-1] * (largest - len(s))) for s in sets], np.int16)
    scores = rng.normal(0.0, 1.0, len(sets))
    scores[0] = 0.0
    return ColexFamilyPool(n, largest, scores, members=members), sets


def families_of(pool):
    """Every family left, by number: (child, frozenset of parents)."""
    families = pool.families
    sets = [frozenset(row[row >= 0].tolist()) for row in pool.members]
    numbers = families.sets[families.parents].astype(int).tolist()
    return [(v, sets[p]) for v, p in zip(families.child.tolist(), numbers, strict=True)]


def weighted_row(pool, weights):
    """A weighted cluster, given as {variable: weight}, as Rows."""
    row = pool.empty_rows(1)
    for v, weight in weights.items():
        row.weights[0, v // 8] |= np.uint64(weight << v % 8 * 8)
    return row


def long_rows(rng, pool, count, size):
    """Random rows, a quarter weighted clusters, the others over windows: Rows, and members and bases as variables."""
    parts, pairs = [], []
    for r in range(count):
        if r % 4 == 3:
            chosen = rng.choice(pool.n, min(pool.n, 2 * size), replace=False).tolist()
            weights = {v: 1 + i % 3 for i, v in enumerate(chosen)}
            parts.append(weighted_row(pool, weights))
            pairs.append((oracle.weighted_members(weights), frozenset()))
            continue
        window = np.sort(rng.choice(pool.n, size, replace=False)).astype(np.int64)
        members, base = random_row(rng, size)
        parts.append(pool.with_support(window, rows_of([(members, base)])))
        pairs.append(([frozenset(window[list(m)].tolist()) for m in members], frozenset(window[list(base)].tolist())))
    return type(parts[0])(*(np.concatenate(columns) for columns in zip(*parts, strict=True))), pairs


def check_numbers(pool, sets):
    """The sets of a pool have their places as numbers, and its families are those of the sets, with their gains."""
    assert [pool.number(s) for s in sets] == list(range(len(sets)))
    every, scores = families_of(pool), pool.families.scores
    assert every == [(v, frozenset(s) - {v}) for s in sets for v in s]
    at = {frozenset(s): i for i, s in enumerate(sets)}
    assert pool.families.gain == pytest.approx([scores[at[p | {v}]] - scores[at[p]] for v, p in every], abs=NEAR)
    assert pool.find(*pool.masks(np.arange(len(every)))).tolist() == list(range(len(every)))


@pytest.mark.parametrize("n, largest", [(1, 1), (4, 2), (6, 3), (7, 7), (70, 2), (130, 2)])
def test_sets_and_families_by_number(n, largest):
    pool = choice_of(np.random.default_rng(n), n, largest)
    sets = [s for size in range(largest + 1) for s in combinations(range(n), size)]
    sets.sort(key=lambda s: sum(1 << v for v in s))
    assert [tuple(row[row >= 0].tolist()) for row in pool.members] == sets
    check_numbers(pool, sets)


@pytest.mark.parametrize("n, largest, edges", [(6, 4, 11), (70, 3, 700), (130, 2, 300)])
def test_some_sets_and_their_families_by_number(n, largest, edges):
    pool, sets = listed_choice_of(np.random.default_rng(n), n, largest, edges)
    check_numbers(pool, sets)
    others = [s for s in combinations(range(n), 2) if s not in sets]
    assert {pool.number(s) for s in others} == {len(sets)} and pool.score_of(others[0]) == -np.inf
    there = np.array([others[0][0]]), np.array([pool.number(others[0][1:])], np.uint64)
    assert pool.find(*there).tolist() == [-1]


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize(
    "n, largest, size",
    [pytest.param(5, 3, 5, marks=pytest.mark.nojit), (9, 4, 6), (66, 2, 7), (67, 3, 6), (70, 3, 5), (131, 2, 6)],
)
def test_reduced_profits_of_families_and_coefficients_are_as_defined(n, largest, size):
    rng = np.random.default_rng(n)
    pool = choice_of(rng, n, largest) if n != 67 else listed_choice_of(rng, n, largest, 1500)[0]
    every = families_of(pool)
    for removed in (0.0, 0.9):  # then most sets are dropped
        pool.alive &= rng.random(len(pool.alive)) >= removed
        pool.alive[[f for f, (_, p) in enumerate(every) if not p]] = True
        before = [family for family, alive in zip(every, pool.alive, strict=True) if alive]
        moved = pool.shrink()
        assert moved is not None or removed == 0.0 or n < 10 or largest == 2
        every = families_of(pool)
        assert [family for family, alive in zip(every, pool.alive, strict=True) if alive] == before
        rows, pairs = long_rows(rng, pool, 12, size)
        least, multipliers = (rows.base == 0).astype(float), rng.random(12)
        bound = pool.bound(rows, multipliers)
        some = rng.choice(len(every), min(len(every), 3000), replace=False)
        best, table = np.full(n, -np.inf), {}
        for f in some.tolist():
            v, p = every[f]
            found = [oracle.coefficient(m, b, v, p) for m, b in pairs]
            table |= {(r, f): number for r, number in enumerate(found) if number}
            if pool.alive[f]:
                profit = pool.families.gain[f] + multipliers @ found
                assert pool.profit[f] == pytest.approx(profit, abs=NEAR)
                best[v] = max(best[v], profit)
            else:
                assert pool.profit[f] == -np.inf
        if len(some) == len(every):
            assert bound == pytest.approx(best.sum() - least @ multipliers, abs=1e-7)
        row, column, value = pool.coefficients(rows, *pool.masks(some))
        assert dict(zip(zip(row.tolist(), some[column].tolist(), strict=True), value, strict=True)) == table


def test_a_row_has_more_sets_of_members_than_can_be_tried():
    """A cluster of 64 variables has 1.8e11 sets of up to ten variables, and the pool 127 of them."""
    n, largest, cluster = 70, 10, range(64)
    sets = [(), *sorted([*((v,) for v in range(n)), *pairwise(range(n))], key=lambda s: sum(1 << v for v in s))]
    members = np.array([(*s, *[-1] * (largest - len(s))) for s in sets], np.int16)
    pool = ColexFamilyPool(n, largest, np.zeros(len(sets)), members=members)
    row = pool.with_support(np.arange(64), rows_of([([frozenset({v}) for v in cluster], frozenset())]))
    pool.bound(row, np.ones(1))
    expected = [oracle.coefficient([frozenset({v}) for v in cluster], frozenset(), *one) for one in families_of(pool)]
    assert pool.profit.tolist() == expected


def test_the_best_families_of_each_variable():
    rng = np.random.default_rng(4)
    pool = choice_of(rng, 66, 2)
    pool.bound(pool.empty_rows(0), np.zeros(0))
    pool.alive &= rng.random(len(pool.alive)) < 0.5  # removed after the bound
    child = pool.families.child
    prices = rng.random(66)
    for each, least, given in ((1, 0.0, prices), (7, 1.0, prices), (200, -np.inf, prices), (5, 1.0, None)):
        more = pool.profit if given is None else pool.profit - given[child]
        expected = set()
        for v in range(66):
            mine = np.flatnonzero((child == v) & pool.alive & (more > least))
            expected.update(mine[np.argsort(-more[mine])][:each].tolist())
        found = pool.best_families(each, given, least).tolist()
        assert set(found) == expected and len(found) == len(expected)


@pytest.mark.parametrize("kind", ["masks", "numbers"])
def test_a_part_has_the_families_that_lose_least_with_the_same_profits(kind):
    """And those inside their sets; the pool stays as it was."""
    rng = np.random.default_rng(7)
    if kind == "numbers":
        pool, n = choice_of(rng, 66, 3), 66
        rows, _ = long_rows(rng, pool, 12, 6)
    else:
        n = 12
        masks = np.array([m for m in range(1 << n) if m.bit_count() <= 4], np.uint64)
        pool = FamilyPool(n, masks, rng.normal(0.0, 1.0, len(masks)))
        rows = rows_of([random_row(rng, n) for _ in range(12)])
    families, multipliers = pool.families, rng.random(12)
    pool.alive &= (rng.random(len(pool.alive)) < 0.8) | (families.parents == 0)
    pool.bound(rows, multipliers)
    before = pool.alive.copy(), pool.best.copy(), families
    chosen = pool.least_losing(100)
    loss = np.where(pool.alive, pool.best[families.child] - pool.profit, np.inf)
    assert chosen.sum() == 101 and set(np.flatnonzero(chosen)) == set(np.argsort(loss)[:101])
    chosen[families.parents == 0] = True
    part = pool.part(chosen)
    numbers = pool.find(*part.masks(np.arange(len(part.alive))))
    assert set(np.flatnonzero(chosen)) <= set(numbers.tolist()) and len(part.alive) < len(pool.alive) / 2
    assert (part.alive == pool.alive[numbers]).all()
    assert (part.families.gain == families.gain[numbers]).all()
    part.bound(rows, multipliers)
    assert part.profit == pytest.approx(pool.profit[numbers], abs=NEAR)
    assert part.best == pytest.approx(before[1], abs=NEAR)
    assert (pool.alive == before[0]).all() and (pool.best == before[1]).all() and pool.families is before[2]


def test_lazy_elimination_never_removes_more():
    rng = np.random.default_rng(8)
    pool = choice_of(rng, 66, 2)
    for gap in (200.0, 150.0, 149.0, 30.0, 6.0, 5.9, 2.0, 1.0):
        pool.bound(pool.empty_rows(0), np.zeros(0))
        other = pool.copy()
        other.profit, other._through, other._loss = pool.profit.copy(), pool._through, pool._loss
        left, every = pool.fix_families(gap), FamilyPool.fix_families(other, gap)
        assert left == pool.alive.sum() and not (other.alive & ~pool.alive).any()
        assert left == every or gap > 1.0
    assert left < len(pool.alive)
    pool.bound(pool.empty_rows(0), np.zeros(0))
    assert pool.fix_families(-1.0) == 0 and not pool.alive.any()


def test_a_signal_ends_a_run_on_many_variables_soon():
    data, texts = random_dataset(2, n_vars=100, n_rows=100, max_arity=3), {"scores": 0.0, "best": 0.0}

    def stop(monitor, text):
        if text.startswith(phase) and not texts[phase]:
            texts[phase] = time.process_time()
            monitor.interrupt()

    for phase in texts:
        result = run(lambda m: bound(data, Scoring(), m, 3), recorder=Recorder(at_text=stop))
        assert result.status == INTERRUPTED and 0.0 < time.process_time() - texts[phase] < 2.0
        assert (result.upper_bound < np.inf) == (phase == "best")


def test_a_solution_inside_a_window():
    rng = np.random.default_rng(2)
    pool = choice_of(rng, 70, 3)
    numbers = rng.choice(len(pool.alive), 400, replace=False)
    x, every = rng.random(400), families_of(pool)
    window = np.array([0, 3, 20, 33, 64, 69])
    place = {v: i for i, v in enumerate(window.tolist())}
    expected = {}
    for f, value in zip(numbers.tolist(), x.tolist(), strict=True):
        v, p = every[f]
        if v in place:
            family = place[v], sum(1 << place[u] for u in p if u in place)
            expected[family] = expected.get(family, 0.0) + value
    child, parents, value = pool.inside(window, *pool.masks(numbers), x)
    found = dict(zip(zip(child.tolist(), parents.tolist(), strict=True), value.tolist(), strict=True))
    assert found.keys() == expected.keys() and all(found[f] == pytest.approx(expected[f]) for f in found)


@pytest.mark.parametrize("most", [3, 10, 64])
def test_windows_cover_every_variable(most):
    rng = np.random.default_rng(5)
    pool = choice_of(rng, 70, 3)
    shares = WindowedSolution(pool, *pool.masks(rng.choice(len(pool.alive), 90)), rng.random(90))
    windows = list(shares.windows((most,), rng))
    assert set(np.concatenate(windows).tolist()) == set(range(70))
    assert all(len(set(w.tolist())) == most and (np.diff(w) > 0).all() for w in windows)


@pytest.mark.parametrize("largest", [3, 4])
def test_weighted_clusters_are_violated_as_far_as_single_changes_of_weights_lead(largest):
    rng, n, some, limit = np.random.default_rng(6), 70, [0, 3, 33, 63, 64, 69], largest - 1
    pool = choice_of(rng, n, 2)
    every = [(v, frozenset(p)) for size in range(largest) for p in combinations(some, size) for v in {*some} - {*p}]
    for _ in range(4):
        numbers, x = rng.choice(len(every), 40, replace=False), rng.random(40)
        families = {every[f]: value for f, value in zip(numbers.tolist(), x.tolist(), strict=True)}
        others = [[v, *[-1] * limit] for v in range(n) if v not in some]
        table = np.array([*([v, *p, *[-1] * (limit - len(p))] for v, p in families), *others], np.int64)
        x = np.append(x, np.full(len(others), 99.0))
        starts = np.zeros((4, n), np.int64)
        starts[:, some] = [[1] * 6, *rng.integers(0, largest, (3, 6))]
        found = separate_weighted_clusters(table, x, starts, -99.0, pool.empty_rows(4))
        weights = [{v: w for v, w in enumerate(start) if w} for start in starts.tolist()]
        expected = [oracle.lowered_cluster(some, limit, start, families) for start in weights]
        assert found.weights.tolist() == [weighted_row(pool, weights).weights[0].tolist() for weights in expected]
        violations = [1.0 - oracle.left_side(oracle.weighted_members(w), frozenset(), families) for w in expected]
        for least in (max(violations) - NEAR, max(violations) + NEAR):
            found = separate_weighted_clusters(table, x, starts, least, pool.empty_rows(4))
            assert len(found.base) == sum(violation > least for violation in violations)


def test_a_known_network_of_many_variables():
    pool = choice_of(np.random.default_rng(1), 70, 3)
    graph = Graph(70, ((0, 1), (0, 65), (1, 65), (65, 69), (3, 4)))
    known, scores = _incumbent(pool, graph), pool.families.scores

    def of(*members):
        return scores[pool.number(members)]

    alone = sum(of(v) for v in range(70) if v not in (0, 1, 3, 4, 65, 69))
    assert known.score == pytest.approx(of(0, 1, 65) + of(65, 69) - of(65) + of(3, 4) + alone, abs=NEAR)
    for first, begins in (((65,), [65]), ((65, 1, 0), [65, 1, 0]), ((65, 4, 69), [65])):
        pool.first = first
        child, parents = known.families(pool)
        assert child[: len(begins)].tolist() == begins and sorted(child.tolist()) == list(range(70))
        assert parents[0] == 0 and parents[1] == pool.number((65,))
        assert pool.families.gain[pool.find(child, parents)].sum() == pytest.approx(known.score, abs=NEAR)


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("most, clusters", [(3, 0), (3, 10), (9, 0), (4, 10), (5, 10)])
def test_bounds_by_windows_against_the_dynamic_program(monkeypatch, most, clusters):
    """With rows from small windows only, the bound is above the optimum; weighted clusters or one window prove it."""
    monkeypatch.setattr(windows, "CLUSTERS", clusters)
    above = 0
    for seed in range(4 if most < 5 else 10):
        n, width = 6 + seed % 4, 2 + seed % 3
        data = random_dataset(seed, n_vars=n, n_rows=60, max_arity=3)
        optimum = exact(data, Config(method="dp", max_clique=width)).score
        found = run(lambda m, data=data, width=width: bound_by_windows(data, Scoring(), m, width, None, (most,)))
        assert found.upper_bound >= optimum - 1e-6 and found.score <= optimum + 1e-6
        above += found.upper_bound > optimum + 1e-6
    assert above > 0 if most == 3 and not clusters else above < 2


@pytest.mark.parametrize(("rules", "problems"), [({}, 3), *slow_cases(({}, 6), (ROUGH, 6), (PARTLY, 6))])
def test_problems_are_split_until_the_optimum_is_proved(monkeypatch, rules, problems):
    """Large programs are improved first, and priced partly; here those of more than a few families, with few rows."""
    monkeypatch.setattr(windows, "PATIENCE", 0)
    monkeypatch.setattr(windows, "GROWTH_STEPS", 0)
    monkeypatch.setattr(windows, "CLUSTERS", 0)
    monkeypatch.setattr(windows, "Rules", partial(Rules, **rules))
    recorder = Recorder()
    for seed in range(problems):
        n, width = 9 + seed % 3, 5 - seed % 2
        data = random_dataset(seed, n_vars=n, n_rows=60, max_arity=3)
        optimum = exact(data, Config(method="dp", max_clique=width))
        bounded = partial(bound_by_windows, data, Scoring(), max_clique=width, known=None, sizes=(n,))
        found = run(lambda m, bounded=bounded: bounded(monitor=m), recorder=recorder)
        assert found.upper_bound >= optimum.score - 1e-6
        assert found.score == pytest.approx(optimum.score, abs=1e-6)
        assert found.upper_bound == pytest.approx(optimum.score, abs=1e-5)
        assert certify(found.graph, data, Scoring(), max_clique=width).score == pytest.approx(found.score)
    assert max(row.node for row in recorder.rows) > 1


@pytest.mark.slow
def test_the_best_forest_of_many_variables_is_proved():
    data = random_dataset(4, n_vars=70, n_rows=80, max_arity=2)
    optimum = exact_forest(data)
    found = run(lambda m: bound(data, Scoring(), m, 2, Graph(70, ())))
    assert found.score == pytest.approx(optimum) and found.upper_bound == pytest.approx(optimum)


def exact_forest(data):
    """The score of the best network with cliques of at most 2: Kruskal's algorithm."""
    rows, arity = data.codes.tolist(), data.arity.tolist()
    score = {s: bdeu(rows, arity, s, 1.0) for size in (1, 2) for s in combinations(range(70), size)}
    gains = {(u, v): score[u, v] - score[(u,)] - score[(v,)] for u, v in combinations(range(70), 2)}
    tree, total = list(range(70)), sum(score[(v,)] for v in range(70))
    for (u, v), gain in sorted(gains.items(), key=lambda item: -item[1]):
        if gain > 0.0 and tree[u] != tree[v]:
            total += gain
            tree = [tree[u] if t == tree[v] else t for t in tree]
    return total


@pytest.mark.parametrize("n, largest", [(5, 3), (7, 4), (70, 2), (131, 2)])
def test_edges_by_number(n, largest):
    rng = np.random.default_rng(n)
    pool = choice_of(rng, n, largest)
    every = families_of(pool)
    some = rng.choice(len(every), min(len(every), 2000), replace=False)
    u, v = sorted(rng.choice(n, 2, replace=False).tolist())
    edge = np.array([pool.number((u, v))], np.uint64)
    assert pool.ends(edge).tolist() == [[u, v]]
    holding, with_child = pool.with_edge(edge[0], *pool.masks(some))
    held = [{u, v} <= every[f][1] | {every[f][0]} for f in some.tolist()]
    assert holding.tolist() == held
    assert with_child.tolist() == [h and every[f][0] in (u, v) for h, f in zip(held, some.tolist(), strict=True)]
    row, column, value = pool.coefficients(pool.edge_rows(edge), *pool.masks(some))
    assert (row == 0).all() and (value == 1.0).all() and column.tolist() == np.flatnonzero(with_child).tolist()
    part = pool.copy()
    part.forbid(edge[0])
    assert pool.alive.all()
    assert part.alive.tolist() == [not {u, v} <= p | {w} for w, p in every]


@pytest.mark.parametrize("n, largest", [(70, 3), (6, 4)])
def test_families_that_are_not_needed_as_some_variables_come_first(n, largest):
    """Of many variables and of few, whose sets are masks."""
    pool, first = choice_of(np.random.default_rng(2), n, largest), (3, 1, n - 1, 0)
    before = {v: set(first[:i]) for i, v in enumerate(first)}
    pool.begin_with(first)
    assert pool.alive.tolist() == [not before.get(v, {v}) < parents for v, parents in families_of(pool)]
    if n == 6:
        masks = np.array([m for m in range(1 << n) if m.bit_count() <= largest], np.uint64)
        few = FamilyPool(n, masks, np.zeros(len(masks)))
        few.begin_with(first)
        every = zip(*(part.tolist() for part in few.masks(np.arange(len(few.alive)))), strict=True)
        parents_of = [(v, {u for u in range(n) if mask >> u & 1}) for v, mask in every]
        assert few.alive.tolist() == [not before.get(v, {v}) < parents for v, parents in parents_of]


def test_the_network_of_some_families():
    pool = choice_of(np.random.default_rng(1), 70, 3)
    pool.first = (1,)
    graph = Graph(70, ((0, 1), (0, 65), (1, 65), (65, 69), (3, 4)))
    chosen = pool.find(*_incumbent(pool, graph).families(pool))
    assert pool.network(chosen).edges == tuple(sorted(graph.edges))


def test_rows_over_their_support():
    pool = choice_of(np.random.default_rng(3), 70, 2)
    window = np.array([1, 5, 30, 63, 64, 69])
    rows = empty_rows(2)
    rows.base[0], rows.singles[:], rows.larger[1, 0] = 0b100110, [0b10, 0b10001], 0b1010
    found = pool.with_support(window, rows)
    assert found.base.tolist() == [0b111, 0] and found.singles.tolist() == [0b1, 0b1001]
    assert found.larger[:, 0].tolist() == [0, 0b0110]
    words = [[1 << 5 | 1 << 30, 1 << 5], [1 << 1 | 1 << 5 | 1 << 63, 1 << 0]]
    assert found.support.tolist() == words
