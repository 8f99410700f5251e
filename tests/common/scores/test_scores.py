"""Scores of sets, their table, pairwise gains and forests, against the oracles."""

import logging
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from math import exp, fsum, inf, lgamma, log, log1p, prod
from threading import Thread

import numpy as np
import pytest

from cliquewise.common.errors import LimitError
from cliquewise.common.files.scorefile import read_scores
from cliquewise.common.scores.score_cache_kernels import key_of, score_with
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.scores.spanning import maximum_spanning_forest, pair_gains
from cliquewise.common.scores.spanning_kernels import fill_pair_gains
from tests.oracles import graphs, learners
from tests.oracles import scores as oracle
from tests.random_inputs import arity_of, dataset_of, random_dataset, random_set_scores, random_sets, rows_of, scores_of
from tests.search_parts import bits_of
from tests.slow import slow

nojit = pytest.mark.nojit

KINDS = [("bdeu", 0.01), ("bdeu", 1.0), ("bdeu", 10.0), ("bdeu", 1000.0), ("bic", 1.0), ("ll", 1.0)]


def subsets(n, sizes):
    """All sets of the given sizes of n variables."""
    return [c for size in sizes for c in combinations(range(n), size)]


def both(data, kind="bdeu", ess=1.0):
    """The scores under test and the oracle's, as functions on sets."""
    return SetScorer(data, Scoring(kind, ess)).score, oracle.set_score(rows_of(data), arity_of(data), kind, ess)


def masks_to_sets(masks):
    """Bit masks as tuples."""
    return [tuple(v for v in range(mask.bit_length()) if mask >> v & 1) for mask in masks]


# ---- set scores ------------------------------------------------------------------------------------------


@nojit
@pytest.mark.parametrize("kind, ess", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_scores_of_every_set(seed, kind, ess):
    data = random_dataset(seed, n_vars=6, n_rows=90, max_arity=5, constant=seed == 2)
    score, expected = both(data, kind, ess)
    assert score([]) == 0.0
    for members in subsets(6, range(1, 7)):
        assert score(members) == pytest.approx(expected(members), abs=1e-9, rel=1e-12), members


@nojit
@pytest.mark.parametrize("ess", [200.0, 1e5, 1e6])
@pytest.mark.parametrize("parts", [1, 3])
def test_a_constant_scores_zero_with_a_large_prior(parts, ess):
    data = replace(random_dataset(1, n_vars=6, n_rows=90, constant=True), denominator=parts)
    rows, arity = rows_of(data), arity_of(data)
    score = SetScorer(data, Scoring(ess=ess)).score
    assert abs(score([5])) < 1e-12
    for members in subsets(5, range(1, 5)):
        assert score([*members, 5]) == score(members)
        # without parts G(x + n) / G(x) is x^n times the product of 1 + k / x, and the powers of the ess cancel
        q = prod(arity[v] for v in members)
        cells = Counter(tuple(row[v] for v in members) for row in rows).values()
        terms = [log1p(k * q / ess) for count in cells for k in range(count)]
        expected = fsum(terms) - fsum(log1p(k / ess) for k in range(90)) - 90 * log(q)
        assert parts > 1 or score(members) == pytest.approx(expected, abs=1e-11), members


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("kind, ess", KINDS)
def test_scores_of_many_rows(kind, ess):
    """Counts of one row, of a few and of many, below and above the bound of the exact product."""
    rng = np.random.default_rng(4)
    data = dataset_of(np.minimum(rng.geometric(0.4, (5000, 7)) - 1, rng.integers(1, 12, 7)))
    score, expected = both(data, kind, ess)
    for members in subsets(7, [1, 3, 5, 7]):
        assert score(members) == pytest.approx(expected(members), rel=1e-12), members


@nojit
@pytest.mark.parametrize("n_rows", [1, 2])
@pytest.mark.parametrize("kind, ess", KINDS)
def test_scores_of_very_few_rows(n_rows, kind, ess):
    data = random_dataset(9, n_vars=4, n_rows=n_rows)
    score, expected = both(data, kind, ess)
    for members in subsets(4, range(1, 5)):
        assert score(members) == pytest.approx(expected(members), abs=1e-11)


@nojit
def test_scores_depend_on_counts_not_on_the_order_of_rows():
    """The order of the rows is nothing to a score; a row that comes three times counts three times."""
    data = random_dataset(3, n_vars=8, n_rows=40, max_arity=4)
    rng = np.random.default_rng(1)
    scorer = SetScorer(data)
    shuffled = SetScorer(dataset_of(rng.permutation(data.codes)))
    thrice = dataset_of(np.concatenate([data.codes] * 3))
    tripled, expected = SetScorer(thrice), oracle.set_score(rows_of(thrice), arity_of(thrice), "bdeu")
    for members in subsets(8, [1, 2, 5, 8]):
        assert shuffled.score(members) == pytest.approx(scorer.score(members), abs=1e-10)
        assert tripled.score(members) == pytest.approx(expected(members), abs=1e-10)


def bdeu_in_logs(data, members, ess):
    """BDeu with ln q, as a sum over the rows of every cell: x (x + 1) ... (x + N - 1) for x = ess / q."""
    ln_x = log(ess) - sum(log(data.arity[v]) for v in members)
    cells = Counter(map(bytes, np.ascontiguousarray(data.codes[:, sorted(members)])))
    total = lgamma(ess) - lgamma(ess + data.n_rows)
    return total + sum(ln_x + sum(log(k + exp(ln_x)) for k in range(1, count)) for count in cells.values())


@nojit
def test_the_form_in_logs_is_bdeu():
    data = random_dataset(1)
    for members in [[0], [1, 2], [0, 2, 5]]:
        for ess in (0.01, 10.0):
            expected = oracle.bdeu(rows_of(data), arity_of(data), members, ess)
            assert bdeu_in_logs(data, members, ess) == pytest.approx(expected, abs=1e-9)


@nojit
@pytest.mark.parametrize("ess", [0.01, 1.0, 1000.0])
def test_large_sets(ess):
    data = random_dataset(8, n_vars=35, n_rows=70, max_arity=6)
    scorer = SetScorer(data, Scoring(ess=ess))
    for members in random_sets(8, 35, [10, 15, 20, 25, 30, 30, 35]):
        assert scorer.score(members) == pytest.approx(bdeu_in_logs(data, members, ess), rel=1e-12)
        if ess != 0.01:  # with a/q this small the plain form has lost its digits
            plain = oracle.bdeu(rows_of(data), arity_of(data), members, ess)
            assert scorer.score(members) == pytest.approx(plain, rel=1e-9)


def test_sets_with_more_states_than_any_float():
    """180 variables of 100 states: q passes 1e308, a/q is no float any more, and the score is finite."""
    rng = np.random.default_rng(6)
    codes = np.column_stack([rng.permutation(200) % 100 for _ in range(180)])
    data = dataset_of(np.concatenate([codes, codes]))
    scorer = SetScorer(data, Scoring(ess=10.0))
    likelihood = SetScorer(data, Scoring("ll"))
    for members in random_sets(6, 180, [1, 2, 5, 30, 150, 165, 175, 180]):
        assert scorer.score(members) == pytest.approx(bdeu_in_logs(data, members, 10.0), rel=1e-12)
        expected = oracle.set_score(rows_of(data), arity_of(data), "ll")(members)
        assert likelihood.score(members) == pytest.approx(expected, rel=1e-12)
    assert data.arity.tolist() == [100] * 180
    assert SetScorer(data, Scoring("bic")).score(range(180)) == -inf  # as many parameters as no data can pay for


def test_variables_with_many_states():
    """500 states, codes beyond a byte, in sets of every size."""
    rng = np.random.default_rng(7)
    codes = np.column_stack([rng.integers(0, 500, (2000, 4)), rng.integers(0, 3, (2000, 4))])
    codes[:, 2] = codes[:, 0]
    data = dataset_of(codes)
    for kind, ess in KINDS:
        score, expected = both(data, kind, ess)
        for members in [(0,), (0, 1), (0, 2), (0, 1, 2), (0, 4), (4, 5, 6), (0, 2, 4, 7), tuple(range(8))]:
            assert score(members) == pytest.approx(expected(members), rel=1e-10), members


# ---- scores from a file ----------------------------------------------------------------------------------


@nojit
@pytest.mark.parametrize("max_size", [None, 1, 3])
def test_scores_of_a_file_are_taken_as_they_are(max_size):
    values = random_set_scores(2, 7)
    values |= {members: -inf for members in values if {2, 4} <= members}  # what holds a forbidden set is forbidden
    source = scores_of(7, values.__getitem__, max_size)
    scorer = SetScorer(source)
    assert scorer.n == 7 and scorer.largest_set == (max_size or 7)
    for members in subsets(7, range(8)):
        inside = len(members) <= scorer.largest_set
        assert scorer.score(members) == (values[frozenset(members)] if inside else -inf)
    assert scorer.computed == 0


@pytest.mark.parametrize("name", ["adjunct_asia", "junctor_flare"])
def test_real_score_files(shared, name):
    source = read_scores(shared / f"data/junctor/junctor_{name}.score")
    scorer = SetScorer(source)
    found = [scorer.score(members) for members in masks_to_sets(source.masks.tolist())]
    assert np.array_equal(found, source.scores)


def test_every_score_of_a_large_file_is_kept():
    """2^17 scores: the table grows until all fit."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(1 << 17)
    values[0] = 0.0
    source = scores_of(17, lambda members: values[sum(1 << v for v in members)])
    scorer = SetScorer(source)
    for mask in [1, 1 << 16, (1 << 17) - 1, *rng.integers(0, 1 << 17, 3000).tolist()]:
        assert scorer.score(masks_to_sets([mask])[0]) == values[mask]
    with pytest.raises(LimitError, match="131072 scores take 1. MB; --cache-mb 1 allows less"):
        SetScorer(source, cache_mb=1)


# ---- the table of scores ---------------------------------------------------------------------------------


def wide_data(n, n_rows=40):
    """Binary data, for a table to be filled with the scores of its pairs."""
    return dataset_of(np.random.default_rng(11).integers(0, 2, (n_rows, n)))


def test_scores_stay_when_the_table_grows():
    scorer = SetScorer(wide_data(258))  # 33,411 pairs and variables: a little over half of the places
    gains = pair_gains(scorer)
    assert 33_411 <= scorer.computed < 34_000 and len(scorer.scores.entries) == 1 << 16
    scorer.make_room()
    assert len(scorer.scores.entries) == 1 << 17
    scorer.make_room()
    assert len(scorer.scores.entries) == 1 << 17  # half full is not too full
    computed = scorer.computed
    assert np.array_equal(pair_gains(scorer), gains)
    assert scorer.computed - computed < 700  # in crowded places a few were lost


def test_scores_are_right_at_the_bound_of_memory(caplog):
    """45,150 scores, one megabyte for 32,768: the table forgets, says so once, and is never wrong."""
    data = wide_data(300)
    expected = pair_gains(SetScorer(data))
    scorer = SetScorer(data, cache_mb=1)
    caplog.set_level(logging.INFO, "cliquewise")
    for _ in range(3):
        assert np.array_equal(pair_gains(scorer), expected)
        scorer.make_room()
        assert scorer.scores.entries.nbytes <= 1_000_000
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 1 and messages[0].startswith("score cache full at 1 MB (")
    assert "--cache-mb" in messages[0] and scorer.computed > 45_150 + 2 * 10_000


@nojit
def test_a_tiny_cache_evicts_scores_and_stays_correct():
    data = random_dataset(2, n_vars=11, n_rows=20)
    expected = oracle.set_score(rows_of(data), arity_of(data), "bdeu", 1.0)
    scorer = SetScorer(data, cache_mb=0)
    sets = subsets(11, range(1, 12))
    assert len(sets) > len(scorer.scores.entries) == 1024
    for members in sets[::2] + sets[::3] + sets[::5]:
        assert scorer.score(members) == pytest.approx(expected(members), abs=1e-9)
        computed = scorer.computed
        scorer.score(members)
        assert scorer.computed == computed  # what was just stored is there
        scorer.make_room()
    assert scorer.full


@nojit
@pytest.mark.parametrize("n, largest, threads", [(9, 1, 1), (9, 4, 2), (9, 9, 1), (6, 3, 8), (66, 2, 2)])
def test_scores_computed_before_they_are_asked_for(n, largest, threads):
    data = random_dataset(n, n_vars=n, n_rows=20, max_arity=3)
    scorer, expected = SetScorer(data, threads=threads), SetScorer(data)
    scorer.precompute(largest)
    sets = subsets(n, range(1, largest + 1))
    assert scorer.computed == len(sets)
    for members in sets[:: 1 + len(sets) // 600]:
        assert scorer.score(members) == expected.score(members)
    assert scorer.computed == len(sets)


def test_more_scores_than_the_table_may_hold_are_not_computed():
    scorer = SetScorer(wide_data(300))
    with pytest.raises(LimitError, match="^4500251 scores of sets up to 3 need --cache-mb [0-9]+$"):
        SetScorer(wide_data(300), cache_mb=20).precompute(3)
    scorer.precompute(2)
    assert scorer.computed == 45_150 and len(scorer.scores.entries) >= 2 * 45_150


def test_two_threads_on_one_small_table():
    """Both write the same 1024 slots all the time; garbled entries must be rejected."""
    data = wide_data(140)
    expected = pair_gains(SetScorer(data))
    scorer = SetScorer(data, cache_mb=0, threads=2)
    assert len(scorer.scores.entries) == 1024
    found = [[np.zeros((140, 140)) for _ in range(20)] for _ in range(2)]

    def look_up_all(t):
        for k, gains in enumerate(found[t]):
            # the rows in another order, so that the threads meet now here, now there
            for first in range(k + 1):
                for u in range(first, 140, k + 1):
                    row = np.array([u, u + 1, 0, 140])
                    fill_pair_gains(scorer.scores, scorer.scratch[t], bits_of([], 140), np.zeros(140, bool), row, gains)

    threads = [Thread(target=look_up_all, args=(t,)) for t in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for gains in found[0] + found[1]:
        assert np.array_equal(gains, expected)


def test_threads_share_their_scores():
    scorer = SetScorer(wide_data(400), threads=2)
    with ThreadPoolExecutor(2) as pool:
        gains = pair_gains(scorer, pool.map)
    assert [scratch.counters[0] > 1000 for scratch in scorer.scratch] == [True, True]
    assert np.array_equal(gains, pair_gains(SetScorer(wide_data(400))))


@nojit
@pytest.mark.parametrize("n", [3, 64, 65, 128, 129, 300])
def test_keys_of_sets_are_unique(n):
    """Up to 128 variables a key is the set; beyond, words drawn once and for all, added without carry."""
    scores = SetScorer(dataset_of(np.random.default_rng(n).integers(0, 2, (5, n)))).scores
    again = SetScorer(dataset_of(np.random.default_rng(0).integers(0, 2, (3, n)))).scores
    assert np.array_equal(scores.keys, again.keys)
    assert len({tuple(key) for key in scores.keys.tolist()}) == n
    for members in [[], [0], [n - 1], *random_sets(n, n, [1, 2, 3]), range(n)]:
        low = high = 0
        for v in members:
            low ^= int(scores.keys[v, 0])
            high ^= int(scores.keys[v, 1])
        assert tuple(map(int, key_of(scores, bits_of(members, n)))) == (low, high)
        if n <= 128:
            assert low + (high << 64) == sum(1 << v for v in members)


def score_from(scorer, members, a=-1, b=-1):
    """`score_with` for a set without a and b."""
    bits = bits_of(members, scorer.n)
    key = tuple(map(np.uint64, key_of(scorer.scores, bits)))  # compiled code hands out Python's integers
    return score_with(scorer.scores, scorer.scratch[0], bits, key, a, b)


@nojit
@pytest.mark.parametrize("n", [64, 65, *slow(63, 128, 129)])
def test_scores_with_one_or_two_more_variables(n):
    """A set has one score however it is put together, also across the borders of words."""
    data = random_dataset(n, n_vars=n, n_rows=30, max_arity=3)
    warm, expected = SetScorer(data), oracle.set_score(rows_of(data), arity_of(data), "bdeu")
    borders = {0, 1, 62, 63, 64, 127, 128} & set(range(n))
    for members in [set(), {n - 1}, {n - 1, n // 2}, borders, set(random_sets(n, n, [6])[0])]:
        whole = warm.score(members)
        assert whole == pytest.approx(expected(members), abs=1e-9)
        for a in members:
            assert score_from(warm, members - {a}, a) == score_from(warm, members - {a}, -1, a) == whole
            for b in members - {a}:
                assert score_from(warm, members - {a, b}, a, b) == whole
                assert score_from(SetScorer(data, cache_mb=0), members - {a, b}, a, b) == whole
    assert score_from(warm, []) == 0.0


# ---- pairs and forests -----------------------------------------------------------------------------------


def kruskal(gains):
    """Weight of the best forest."""
    n, total = len(gains), 0.0
    tree_of = list(range(n))
    u, v = np.nonzero(np.triu(gains > 0, 1))
    for i in np.argsort(-gains[u, v]):
        a, b = tree_of[u[i]], tree_of[v[i]]
        if a != b:
            tree_of = [a if t == b else t for t in tree_of]
            total += gains[u[i], v[i]]
    return total


def weight(gains, forest):
    """Sum of the gains of a forest's edges; there must be no cycle."""
    assert len(graphs.components(forest.n, forest.edges)) == forest.n - len(forest.edges)
    return sum(gains[edge] for edge in forest.edges)


@nojit
@pytest.mark.parametrize("kind, ess", [("bdeu", 1.0), ("bdeu", 10.0), ("bic", 1.0), ("ll", 1.0)])
@pytest.mark.parametrize("n", [2, 4, 5])
def test_forests_of_few_variables_are_the_best(n, kind, ess):
    for seed in range(3):
        data = random_dataset(seed, n_vars=n, n_rows=40, max_arity=3)
        score = oracle.set_score(rows_of(data), arity_of(data), kind, ess)
        gains = pair_gains(SetScorer(data, Scoring(kind, ess)))
        assert np.array_equal(gains, gains.T) and not gains.diagonal().any()
        for u, v in graphs.all_pairs(n):
            assert gains[u, v] == pytest.approx(score({u, v}) - score({u}) - score({v}), abs=1e-9)
        forest = maximum_spanning_forest(gains, data.names)
        best = learners.best_forest(n, score)[0]
        assert graphs.graph_score(n, forest.edges, score) == pytest.approx(best, abs=1e-9)
        assert forest.names == data.names and list(forest.edges) == sorted(forest.edges)


@nojit
def test_edges_that_do_not_gain_are_left_out():
    gains = np.array([[0, 2, -1, -np.inf], [2, 0, 0, 1], [-1, 0, 0, -2], [-np.inf, 1, -2, 0]], float)
    assert maximum_spanning_forest(gains).edges == ((0, 1), (1, 3))
    assert maximum_spanning_forest(-np.abs(gains)).edges == ()


@nojit
def test_pairs_without_a_score_do_not_gain():
    values = {s: float(len(s) ** 2) for s in map(frozenset, subsets(4, range(3)))}
    values[frozenset({1, 3})] = -inf
    for max_size in (1, 2):
        gains = pair_gains(SetScorer(scores_of(4, values.__getitem__, max_size)))
        without = ~np.eye(4, dtype=bool) if max_size == 1 else np.zeros((4, 4), bool)
        without[1, 3] = without[3, 1] = True
        assert np.array_equal(gains == -inf, without) and not np.isnan(gains).any()
        assert (gains[~without & ~np.eye(4, dtype=bool)] == 2.0).all()


@nojit
def test_forests_of_many_variables_are_the_best():
    for seed in range(10):
        gains = np.random.default_rng(seed).standard_normal((30, 30)) - 1.5
        gains = np.triu(gains, 1) + np.triu(gains, 1).T
        assert weight(gains, maximum_spanning_forest(gains)) == pytest.approx(kruskal(gains), abs=1e-9)


def test_a_thousand_variables():
    rng = np.random.default_rng(12)
    codes = rng.integers(0, 3, (50, 1024))
    codes[:, 1::2] = np.where(rng.random((50, 512)) < 0.8, codes[:, ::2], codes[:, 1::2])
    data = dataset_of(codes)
    scorer = SetScorer(data, Scoring(ess=10.0))
    gains = pair_gains(scorer)
    scorer.make_room()
    forest = maximum_spanning_forest(gains)
    assert weight(gains, forest) == pytest.approx(kruskal(gains), rel=1e-12)
    assert {(v, v + 1) for v in range(0, 1024, 2)} <= set(forest.edges)
    for members in random_sets(12, 1024, [1, 2, 3, 10, 100, 1024]):
        assert scorer.score(members) == pytest.approx(bdeu_in_logs(data, members, 10.0), rel=1e-12)
