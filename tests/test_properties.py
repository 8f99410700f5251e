"""What must not change when data are written down differently, and data that are large or odd."""

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.certify.set_scores import set_score
from cliquewise.common.data.dataset import Dataset
from cliquewise.common.graphs.chordal import junction_tree, perfect_elimination_order
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.learn import learn
from tests.commands import ROOT
from tests.learning import learner
from tests.random_inputs import dataset_of, random_chordal_edges, random_dataset
from tests.reading import read_csv
from tests.slow import slow

NEAR = 1e-8


@pytest.fixture(scope="module")
def data():
    """Six variables of up to four states, 200 rows, a third of them copies."""
    return random_dataset(11, n_vars=6, n_rows=200)


def best(source, iterations=60_000, seconds=None, ess=1.0, **options):
    """The result of a short search, certified."""
    config = Config(**options)
    result = learner(learn, config)(source, ess=ess, iterations=iterations, seconds=seconds)
    verdict = certify(result.graph, source, Scoring(ess=ess), claimed=result.score, max_clique=config.max_clique)
    assert verdict.ok, verdict.problems
    return result


def some_sets(n, seed=0, count=40):
    """Random sets of variables."""
    rng = np.random.default_rng(seed)
    return [sorted(rng.choice(n, rng.integers(1, n + 1), replace=False).tolist()) for _ in range(count)]


# ---- the same data, written down differently ---------------------------------------------------------


@pytest.mark.parametrize("kind", ["bdeu", "bic", "ll"])
def test_the_order_of_rows_does_not_matter(data, kind):
    rows = np.random.default_rng(1).permutation(data.n_rows)
    shuffled = Dataset(data.names, data.states, np.asfortranarray(data.codes[rows]))
    one, other = SetScorer(data, Scoring(kind)), SetScorer(shuffled, Scoring(kind))
    for members in some_sets(6):
        assert one.score(members) == pytest.approx(other.score(members), abs=NEAR)
    assert best(data).score == pytest.approx(best(shuffled).score, abs=NEAR)


def test_the_order_of_columns_does_not_matter(data):
    order = [3, 0, 5, 1, 4, 2]  # new column i is old column order[i]
    moved = Dataset(
        tuple(data.names[v] for v in order),
        tuple(data.states[v] for v in order),
        np.asfortranarray(data.codes[:, order]),
    )
    one, other = SetScorer(data), SetScorer(moved)
    for members in some_sets(6):
        assert other.score(members) == pytest.approx(one.score([order[v] for v in members]), abs=NEAR)
    here, there = best(data), best(moved)
    assert here.score == pytest.approx(there.score, abs=NEAR)
    back = tuple(sorted(tuple(sorted((order[u], order[v]))) for u, v in there.graph.edges))
    assert certify(Graph(6, back), data, claimed=here.score).ok


@pytest.mark.parametrize("seed", range(6))
def test_all_perfect_orders_give_the_same_score(seed):
    """Cliques less separators = sum over a perfect order of s(v and its later neighbours) - s(those)."""
    source = random_dataset(seed, n_vars=9, n_rows=80)
    scorer = SetScorer(source, Scoring(ess=2.0))
    graph = Graph(9, random_chordal_edges(seed, 9))
    cliques, tree = junction_tree(graph)
    total = sum(map(scorer.score, cliques)) - sum(scorer.score(separator) for _, _, separator in tree)
    left, by_order = set(range(9)), 0.0
    for v in perfect_elimination_order(graph):
        left.remove(v)
        later = graph.neighbours()[v] & left
        by_order += scorer.score(later | {v}) - scorer.score(later)
    assert by_order == pytest.approx(total, abs=NEAR)
    assert certify(graph, source, Scoring(ess=2.0)).score == pytest.approx(total, abs=NEAR)


# ---- odd columns -------------------------------------------------------------------------------------


def test_a_constant_column_changes_nothing(data):
    constant = np.zeros((data.n_rows, 1), np.int32)
    wider = dataset_of(np.hstack([data.codes, constant]))
    scorer, wide = SetScorer(data), SetScorer(wider)
    for members in some_sets(6):
        assert wide.score([*members, 6]) == pytest.approx(scorer.score(members), abs=NEAR)
    assert best(wider).score == pytest.approx(best(data).score, abs=NEAR)


def test_constant_columns_alone_have_no_edges():
    result = best(dataset_of(np.zeros((20, 4), int)), iterations=5000)
    assert result.graph.edges == () and result.score == pytest.approx(0, abs=NEAR)


@pytest.mark.parametrize("max_clique", [None, 2])
def test_two_equal_columns_are_joined(data, max_clique):
    duplicated = dataset_of(np.hstack([data.codes, data.codes[:, 2:3]]))
    assert (2, 6) in best(duplicated, max_clique=max_clique).graph.edges


def test_independent_columns_stay_apart():
    """Counts that fit independence exactly."""
    grid = np.stack(np.meshgrid(*[range(3)] * 4), axis=-1).reshape(-1, 4)
    assert best(dataset_of(grid.repeat(3, axis=0))).graph.edges == ()


# ---- large ---------------------------------------------------------------------------------------


def test_a_hundred_states():
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 100, (2000, 12))
    codes[:, 1] = codes[:, 0]  # a product of arities up to 10^24
    codes[:, 2] = codes[:, 0] // 10
    source = dataset_of(codes)
    assert source.arity.max() == 100
    scorer = SetScorer(source, Scoring(ess=10.0))
    everything = list(range(12))
    assert scorer.score(everything) == pytest.approx(set_score(source, everything, Scoring("bdeu", 10.0)), rel=1e-12)
    assert {(0, 1), (0, 2)} <= set(best(source, ess=10.0).graph.edges)


@pytest.mark.slow
def test_more_states_than_a_byte_counts():
    """Kernels of their own, which take a minute to compile."""
    rng = np.random.default_rng(6)
    codes = rng.integers(0, 300, (3000, 5))
    codes[:, 1] = codes[:, 0] // 2
    assert (0, 1) in best(dataset_of(codes), ess=10.0).graph.edges


@pytest.mark.parametrize("n", [64, 65, *slow(128, 129, 130)])
def test_sets_with_one_variable_more_than_their_words_hold(n):
    """Sets take a 64-bit word for every 64 variables; the last variables matter like all others."""
    source = random_dataset(n, n_vars=n, n_rows=60, max_arity=3)
    codes = source.codes.copy()
    codes[:, -1] = codes[:, 0]
    result = best(dataset_of(codes), iterations=3000)
    assert result.graph.n == n and (0, n - 1) in result.graph.edges


def test_many_rows_of_real_data():
    """3186 rows and 61 variables: better than the best forest after a short search."""
    source = read_csv(ROOT / "data/dna.csv")
    forest = best(source, iterations=1, max_clique=2, ess=10.0)
    assert best(source, iterations=10_000, ess=10.0).score > forest.score + 10
