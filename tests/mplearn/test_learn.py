"""mplearn against the definition of its algorithms and against exhaustive search."""

from functools import lru_cache
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.errors import LimitError, UsageError
from cliquewise.common.run.result import COMBINED, INTERRUPTED, LOCAL_OPTIMUM, OPTIMAL, OPTIMAL_OF_BLANKETS, TIME_LIMIT
from cliquewise.mplearn import learn as mplearn
from cliquewise.mplearn.blanket import Blanket
from cliquewise.mplearn.blanket_scoring import BlanketScoring
from cliquewise.mplearn.blankets import eligible_edges, mutual_edges
from cliquewise.mplearn.config import Config
from cliquewise.mplearn.local import first_best
from cliquewise.mplearn.pbo_program import count_candidates
from tests.learning import Recorder, run
from tests.mplearn.test_scores import SCORINGS, defined
from tests.oracles import blankets as oracle
from tests.random_inputs import clique_scores, dataset_of, random_dataset, random_set_scores, rows_of

nojit = pytest.mark.nojit
PAIRS = sorted(combinations(range(4), 2))


def learn(data, scoring=None, config=None, **limits):
    """The result of mplearn on data; `limits` are those of `tests.learning.run`."""
    return run(mplearn.learn, data, scoring or BlanketScoring(), config or Config(), **limits)


def blankets(data, scoring=None, config=None, **limits):
    """The blankets that mplearn finds in data."""
    return run(mplearn.blankets, data, scoring or BlanketScoring(), config or Config(), **limits)


def cached(data, scoring):
    """The local scores of the definition, each computed once."""
    local = defined(data, scoring)
    return lru_cache(maxsize=None)(lambda v, members: local(v, sorted(members)))


def all_others(n):
    """Blankets that make every edge eligible."""
    return [Blanket(v, tuple(u for u in range(n) if u != v), 0.0) for v in range(n)]


def case(seed, n_vars):
    """Data with some structure."""
    return random_dataset(seed, n_vars=n_vars, n_rows=(40, 150, 400)[seed % 3], max_arity=3)


@nojit
@pytest.mark.parametrize("name", SCORINGS)
@pytest.mark.parametrize("seed", range(3))
def test_blankets_are_those_of_algorithm_1(name, seed):
    data = case(seed, 6)
    local = cached(data, SCORINGS[name])
    for bound in (None, 2):
        found = blankets(data, SCORINGS[name], Config(max_blanket=bound))
        for blanket in found:
            expected = oracle.hill_climb_blanket(6, blanket.variable, local, bound)
            assert set(blanket.members) == expected
            assert blanket.score == pytest.approx(local(blanket.variable, expected), abs=1e-9)


def test_a_dependence_given_a_third_variable_is_found():
    """c depends on a; b is independent of c, but not given a."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 2, (2, 2000))
    c = rng.random(2000) < np.where(a == 1, 0.5 + 0.4 * b, 0.5 - 0.4 * b)
    c ^= rng.random(2000) < 0.1
    found = learn(dataset_of(np.column_stack([a, b, c])), config=Config("or")).graph.edges
    assert {(0, 2), (1, 2)} <= {*found}


def test_members_are_removed_again():
    """x = a xor b, seen through noisy copies first: Algorithm 1 drops them, once it has what they stand for."""
    removed = 0
    for seed in range(30):
        for one in blankets(random_dataset(seed, n_vars=8, n_rows=400, max_arity=2), threads=1):
            removed += (one.steps - len(one.members)) // 2
    assert removed > 0


@pytest.mark.parametrize("name", SCORINGS)
@pytest.mark.parametrize("seed", range(3))
def test_hill_climbing_is_algorithm_2(name, seed):
    data = case(seed, 6)
    local = cached(data, SCORINGS[name])
    eligible = eligible_edges(blankets(data, SCORINGS[name]))
    result = learn(data, SCORINGS[name], Config("hc"))
    assert result.status == LOCAL_OPTIMUM
    assert set(result.graph.edges) == oracle.hill_climb_graph(6, eligible, local)


@pytest.mark.fast_cases(15)
@pytest.mark.parametrize("name", SCORINGS)
@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_graphs_of_four_variables(name, seed):
    """The best of all 64 graphs: pbo over all edges equals it, hc never exceeds it."""
    data = case(seed, 4)
    _, best = oracle.best_graph(4, PAIRS, cached(data, SCORINGS[name]))
    exact = learn(data, SCORINGS[name], Config("pbo", blankets=all_others(4)))
    assert exact.status == OPTIMAL and exact.score == pytest.approx(best, abs=1e-7)
    assert exact.upper_bound == pytest.approx(best, abs=1e-6)
    for plan in (Config("hc"), Config("pbo"), Config("and"), Config("or")):
        assert learn(data, SCORINGS[name], plan).score <= best + 1e-7
    climbed = learn(data, SCORINGS[name], Config("hc", blankets=all_others(4)))
    assert climbed.score <= best + 1e-7


@pytest.mark.parametrize("name", ["mpl", "pic by parameters"])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_subgraph_of_six_variables(name, seed):
    """pbo is the best subgraph of G_or."""
    data = case(seed, 6)
    found = blankets(data, SCORINGS[name])
    eligible = eligible_edges(found)
    assert len(eligible) <= 12
    _, best = oracle.best_graph(6, eligible, cached(data, SCORINGS[name]))
    exact = learn(data, SCORINGS[name], Config("pbo", blankets=found))
    assert exact.score == pytest.approx(best, abs=1e-7)
    assert exact.status == OPTIMAL_OF_BLANKETS  # of the other edges nothing is known
    assert {*exact.graph.edges} <= {*eligible}
    assert learn(data, SCORINGS[name], Config("hc", blankets=found)).score <= exact.score


def test_pbo_beats_hill_climbing_somewhere_and_never_loses():
    better = 0
    for seed in range(12):
        data = random_dataset(seed, n_vars=7, n_rows=100, max_arity=3)
        found = blankets(data, BlanketScoring("pic"))
        exact, climbed = (learn(data, BlanketScoring("pic"), Config(how, blankets=found)) for how in ("pbo", "hc"))
        assert exact.score >= climbed.score
        better += exact.score > climbed.score + 1e-6
    assert better > 0


def test_and_or():
    found = [Blanket(0, (1, 2), 0.0), Blanket(1, (0,), 0.0), Blanket(2, (), 0.0), Blanket(3, (2,), 0.0)]
    assert mutual_edges(found) == [(0, 1)] and eligible_edges(found) == [(0, 1), (0, 2), (2, 3)]
    assert count_candidates(4, eligible_edges(found)) == 4 + 2 + 4 + 2
    data = case(1, 4)
    for how, edges in (("and", mutual_edges(found)), ("or", eligible_edges(found))):
        result = learn(data, None, Config(how, blankets=found))
        assert list(result.graph.edges) == edges and result.status == COMBINED
        assert result.score == pytest.approx(oracle.graph_score(4, edges, cached(data, BlanketScoring())), abs=1e-9)


@pytest.mark.parametrize("combine", ["hc", "pbo"])
def test_a_gain_counts_however_small(combine):
    """The edge gains rows x (mutual information - threshold) on either side."""
    data = random_dataset(7, n_vars=2, n_rows=80)
    information = oracle.mutual_information(rows_of(data), 0, 1, [])
    for gain, members in ((1e-6, (1,)), (-1e-6, ())):
        scoring = BlanketScoring("cmi", threshold=information - gain / 80)
        assert blankets(data, scoring)[0].members == members
        assert bool(learn(data, scoring, Config(combine, blankets=all_others(2))).graph.edges) == (gain > 0)


def test_the_first_of_equal_scores_is_taken():
    assert first_best([3.0, 4.0 - 1e-6, 4.0]) == 2
    assert first_best([3.0, 4.0 - 1e-12, 4.0, 4.0 + 1e-12]) == 1


@pytest.mark.parametrize("combine", ["hc", "pbo"])
def test_threads_change_nothing(combine):
    data = random_dataset(4, n_vars=30, n_rows=200, max_arity=4)
    one, two, five = (learn(data, None, Config(combine), threads=threads) for threads in (1, 2, 5))
    assert one == two == five


def test_too_many_candidates():
    with pytest.raises(LimitError, match="32 candidate blankets, --pbo-limit is 31; raise it, or use --combine hc"):
        learn(case(1, 4), None, Config("pbo", blankets=all_others(4), pbo_limit=31))


def test_pbo_with_little_time_is_no_worse_than_hill_climbing():
    data = random_dataset(1, n_vars=14, n_rows=60, max_arity=2)
    found = [Blanket(v, tuple(u for u in range(14) if 0 < abs(u - v) < 6), 0.0) for v in range(14)]
    result = learn(data, None, Config("pbo", blankets=found, pbo_limit=1 << 20, pbo_seconds=0.01))
    climbed = learn(data, None, Config("hc", blankets=found))
    assert result.status in (TIME_LIMIT, OPTIMAL_OF_BLANKETS) and result.score >= climbed.score
    assert result.upper_bound >= result.score - 1e-6


def test_blankets_are_counted():
    recorder = Recorder()
    learn(random_dataset(5, n_vars=8, n_rows=200), recorder=recorder)
    assert [row.step for row in recorder.rows if row.phase == "blanket"] == [*range(1, 9)]


@pytest.mark.parametrize("after", [0, 3])
def test_stopped(after):
    def on_event(monitor, _event):
        if len(recorder.rows) >= after:
            monitor.interrupt()

    recorder = Recorder(on_event)
    data = random_dataset(5, n_vars=8, n_rows=200)
    result = learn(data, threads=1, recorder=recorder, stopped=after == 0)
    # variables not reached (threads may be ahead of the trace) have no blanket, and an edge needs both
    whole = mutual_edges(blankets(data))
    assert result.status == INTERRUPTED and {*result.graph.edges} <= {*whole} and whole
    assert after or (not recorder.rows and result.graph.edges == ())


@pytest.mark.parametrize("combine", ["hc", "pbo", "and"])
def test_the_time_is_up_in_either_phase(combine):
    """However much of the time is left for the second phase, the status says so, and nothing is claimed."""
    data = random_dataset(5, n_vars=12, n_rows=200)
    whole = learn(data, None, Config(combine))
    statuses = set()
    for seconds in (1e-9, 0.001, 0.003, 0.01, 60):
        result = learn(data, None, Config(combine), seconds=seconds)
        statuses.add(result.status)
        if result.status == TIME_LIMIT:
            assert not result.upper_bound < result.score
        else:
            assert (result.status, result.graph.edges) == (whole.status, whole.graph.edges)
    assert statuses == {TIME_LIMIT, whole.status}


@pytest.mark.parametrize("combine", ["hc", "and"])
def test_steps_are_those_of_both_phases(combine):
    data = case(1, 6)
    found = blankets(data)
    given = tuple(Blanket(one.variable, one.members, one.score) for one in found)
    second = learn(data, config=Config(combine, blankets=given)).iterations
    first = sum(one.steps for one in found)
    assert first > 0 and (second > 0) == (combine == "hc")
    assert learn(data, config=Config(combine)).iterations == first + second


def test_a_stop_while_climbing_keeps_the_steps_done():
    edges = []

    def on_event(monitor, event):
        if event.phase == "hc":
            edges.append(event.item)
            if len(edges) == 2:
                monitor.interrupt()

    data = random_dataset(5, n_vars=8, n_rows=200)
    result = learn(data, recorder=Recorder(on_event))
    assert result.status == INTERRUPTED and {f"+{u}-{v}" for u, v in result.graph.edges} == set(edges)


def test_degenerate_data():
    rng = np.random.default_rng(0)
    column = rng.integers(0, 2, 100)
    other = rng.integers(0, 3, 100)
    double = learn(dataset_of(np.column_stack([column, other, column])))
    assert double.graph.edges == ((0, 2),)  # identical columns
    constant = learn(dataset_of(np.column_stack([column, np.zeros(100), column])))
    assert constant.graph.edges == ((0, 2),)  # a column of one state
    for combine in ("hc", "pbo", "and", "or"):
        assert learn(dataset_of(column[:, None]), None, Config(combine)).graph.edges == ()  # d = 1
        assert learn(dataset_of(column[:1, None]), None, Config(combine)).score == 0.0  # and one row
        pair = learn(dataset_of(np.column_stack([column, column])), None, Config(combine))
        assert pair.graph.edges == ((0, 1),)  # d = 2
        single = learn(dataset_of(np.column_stack([column, other])[:1]), None, Config(combine))
        assert single.graph.edges == () and single.score == 0.0  # one row
        wide = learn(dataset_of(np.column_stack([np.arange(500) % 500, np.arange(500) % 2])), None, Config(combine))
        assert wide.graph.n == 2 and np.isfinite(wide.score)  # 500 states


def test_regression_recovers_a_chain():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(3)
    codes = np.zeros((2000, 5), int)
    codes[:, 0] = rng.integers(0, 2, 2000)
    for v in range(1, 5):
        codes[:, v] = np.where(rng.random(2000) < 0.8, codes[:, v - 1], 1 - codes[:, v - 1])
    data = dataset_of(codes)
    chain = tuple((v, v + 1) for v in range(4))
    result = learn(data, None, Config("and", lasso=80.0))
    assert result.graph.edges == chain
    assert result.score == pytest.approx(oracle.graph_score(5, chain, cached(data, BlanketScoring())), abs=1e-7)
    assert learn(data, None, Config("or", lasso=1e6)).graph.edges == ()
    assert len(learn(data, None, Config("or", lasso=0.01)).graph.edges) == 10
    constant = dataset_of(np.column_stack([codes, np.zeros(2000, int)]))
    assert learn(constant, None, Config("and", lasso=80.0)).graph.edges == chain


def test_what_regression_refuses():
    with pytest.raises(UsageError, match="--score l1lr has no local score for --combine hc; choose 'and' or 'or'"):
        learn(case(0, 4), None, Config("hc", lasso=1.0))
    with pytest.raises(UsageError, match="binary data; column 'x[0-3]' has 3 states"):
        learn(case(0, 4), None, Config("and", lasso=1.0))


def test_scores_are_not_data():
    with pytest.raises(UsageError, match="mplearn needs data, not scores; give a CSV file"):
        learn(clique_scores(random_set_scores(1, 3), 3, 3))
