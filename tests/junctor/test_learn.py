"""`junctor.learn`: the optimum of every small problem, published optima, bounds that change nothing, memory, stops."""

from functools import partial

import numpy as np
import pytest

from cliquewise.common.bounds.orders import order_bounds
from cliquewise.common.bounds.orders_kernels import best_parents
from cliquewise.common.certify.cliques import certify
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.exact.backtrack import optimal_network
from cliquewise.common.exact.recurrences import fill
from cliquewise.common.exact.silander_myllymaki_kernels import best_completions
from cliquewise.common.exact.states_kernels import place_of
from cliquewise.common.exact.tables import all_states, allocate, bytes_needed
from cliquewise.common.files.scorefile import CliqueScores, read_scores
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED, OPTIMAL
from cliquewise.common.scores import growth
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.sets.set_orders import colex_masks
from cliquewise.junctor import dynamic_program
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config
from cliquewise.junctor.local_search import LocalSearch
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.lsmarkov.learn import learn as local_search
from tests.as_oracles import all_sets, dense, members_of
from tests.bench.figures import EXACT, TABLE_1
from tests.filled_tables import h_of
from tests.learning import Recorder, learned, learner
from tests.oracles import recurrences as oracle
from tests.oracles.graphs import junction_sets
from tests.oracles.learners import best_chordal
from tests.oracles.scores import decomposable_score, set_score
from tests.random_inputs import (
    arity_of,
    clique_scores,
    first_columns,
    random_dataset,
    random_set_scores,
    rows_of,
    without,
)
from tests.reading import read_csv
from tests.score_files import write_scores

NEAR = 1e-7
Tables = partial(Config, method="dp")
learn = learner(junctor.learn, Tables())


def must_be_optimal(source, how, optimum, kind="bdeu", ess=1.0):
    """Learn, certify and compare; returns the result."""
    result = learn(source, how, kind, ess)
    assert result.status == OPTIMAL
    verdict = certify(result.graph, source, Scoring(kind, ess), max_clique=how.max_clique)
    assert verdict.ok and result.score == pytest.approx(verdict.score, abs=NEAR), verdict.problems
    assert result.score == pytest.approx(optimum, abs=NEAR)
    assert result.upper_bound == pytest.approx(result.score, abs=NEAR)
    return result


@pytest.fixture
def bounded(monkeypatch):
    """Bounds also for few variables."""
    monkeypatch.setattr(dynamic_program, "BOUNDS_FROM", 2)


# ---- every small problem -----------------------------------------------------------------------------


def optima(n, score):
    """The best score of all chordal graphs for each bound on cliques, and the graphs that reach it."""
    found = {}
    for value, edges, largest in (
        (decomposable_score(cliques, separators.elements(), score), edges, max(map(len, cliques)))
        for edges, cliques, separators in junction_sets(n)
    ):
        for width in range(largest, n + 1):
            found.setdefault(width, []).append((value, edges))
    best = {width: max(value for value, _ in graphs) for width, graphs in found.items()}
    return {
        width: (best[width], [edges for value, edges in graphs if value > best[width] - NEAR])
        for width, graphs in found.items()
    }


@pytest.mark.fast_cases(5)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_random_scores_every_width(n):
    for seed in range(6 if n < 6 else 2):
        scores = random_set_scores(seed, n)
        for width, (best, graphs) in optima(n, scores.__getitem__).items():
            result = must_be_optimal(clique_scores(scores, n, width), Tables(width), best)
            assert frozenset(result.graph.edges) in graphs


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6])
def test_bdeu_every_width(n):
    for seed, ess in ((0, 1.0), (1, 10.0), (2, 0.1))[: 3 if n < 6 else 1]:
        data = random_dataset(seed, n_vars=n, n_rows=150, max_arity=3, constant=seed == 2)
        for width, (best, graphs) in optima(n, set_score(rows_of(data), arity_of(data), "bdeu", ess)).items():
            result = must_be_optimal(data, Tables(width), best, "bdeu", ess)
            assert frozenset(result.graph.edges) in graphs


@pytest.mark.parametrize("kind", ["bic", "ll"])
def test_other_scores(kind):
    data = random_dataset(3, n_vars=5, n_rows=150, max_arity=3)
    for width, (best, _) in optima(5, set_score(rows_of(data), arity_of(data), kind)).items():
        must_be_optimal(data, Tables(width), best, kind)


@pytest.mark.nojit
def test_the_tables_hold_the_recurrences():
    n = 5
    for seed, width in ((1, 5), (2, 3), (3, 2)):
        scores = random_set_scores(seed, n)
        table = dense({s: value for s, value in scores.items() if len(s) <= width}, n)
        tables = allocate(table, all_states(n, all_sets(n, width)))
        with Monitor(threads=1) as monitor:
            assert fill(tables, monitor)
        _, g, h = oracle.recurrences(scores.__getitem__, width, proper=False)
        for mask in map(int, all_sets(n, width)[1:]):
            free = [v for v in range(n - 1) if not mask >> v & 1]
            for u in range(1 << len(free)):
                rest = frozenset(free[p] for p in range(len(free)) if u >> p & 1)
                at = place_of(tables.blocks, tables.words, tables.start[mask], u)
                assert tables.g[at] == pytest.approx(g(members_of(mask), rest), abs=NEAR)
                if rest:  # attached in parts to a smaller set, or as one part
                    assert h(members_of(mask), rest) - NEAR <= h_of(tables, mask, u) <= tables.g[at] + NEAR
        best = oracle.optimum(n, scores.__getitem__, width)
        assert optimal_network(tables)[1] == pytest.approx(best, abs=NEAR)


@pytest.mark.nojit
def test_forbidden_sets():
    """A network with a clique or separator that scores minus infinity is no network."""
    n = 5
    for seed in range(20):
        rng = np.random.default_rng(seed)
        scores = random_set_scores(seed, n)
        forbidden = [s for s in scores if s and rng.random() < (0.2 if len(s) > 1 else 0.05)]
        scores = without(scores, forbidden)
        table, (best, _) = dense(scores, n), best_chordal(n, scores.__getitem__)
        source = clique_scores(scores, n, n)
        if best == -np.inf:
            with pytest.raises(DataError, match="no network has a finite score"):
                learn(source)
            continue
        result = learn(source, Tables())
        assert result.score == pytest.approx(best, abs=NEAR)
        assert len(order_bounds(n, table, all_sets(n, n), result.score)[0]) == 1 << n


# ---- bounds ------------------------------------------------------------------------------------------


@pytest.mark.nojit
def test_the_relaxation_equals_its_oracle():
    n = 5
    for seed, width in ((1, 5), (2, 3), (3, 1)):
        scores = random_set_scores(seed, n)
        table = dense(scores, n)
        low, rest = seed + 1, np.empty(1 << n)
        for high in reversed(range(1 << (n - low))):
            gains = np.full((n, 1 << low), np.nan)
            for v in range(n):
                if v >= low and high >> (v - low) & 1:
                    continue
                mine = gains[v, : 1 << (low - (v < low))]
                best_parents(table, v, low, high, np.bitwise_count(np.arange(1 << n)) <= width, mine)
                inside = [u for u in range(low) if u != v]
                for x in range(len(mine)):
                    among = {inside[p] for p in range(len(inside)) if x >> p & 1}
                    among |= {low + p for p in range(n - low) if high >> p & 1}
                    found = oracle.best_parents(scores.__getitem__, v, frozenset(among), width)
                    assert mine[x] == pytest.approx(found, abs=NEAR)
            best_completions(gains, low, high, rest)
        for mask in range(1 << n):
            found = oracle.best_completion(n, scores.__getitem__, members_of(mask), width)
            assert rest[mask] == pytest.approx(found, abs=NEAR)


@pytest.mark.nojit
def test_every_complete_set_of_every_optimum_stays():
    n = 5
    for seed in range(10):
        scores = random_set_scores(seed, n)
        best, graphs = best_chordal(n, scores.__getitem__)
        left, upper = order_bounds(n, dense(scores, n), all_sets(n, n), best)
        assert upper >= best - NEAR
        kept = set(map(members_of, left))
        assert all(kept >= {s - {v} for v in s} for s in kept)
        for edges in graphs:
            complete = [s for s in scores if all((u, v) in edges for u in s for v in s if u < v)]
            assert kept.issuperset(complete)


@pytest.mark.parametrize("width", [None, 2, 3])
def test_bounds_change_nothing(bounded, width):
    for seed in range(2):
        data = random_dataset(seed, n_vars=12, n_rows=200, max_arity=3)
        plain = learn(data, Tables(width, bounds=False), ess=10.0)
        pruned = learn(data, Tables(width), ess=10.0)
        assert pruned.score == pytest.approx(plain.score, abs=NEAR)
        assert pruned.iterations < plain.iterations * (2 if width == 3 else 1)
        source = clique_scores(random_set_scores(seed, 8, width), 8, width or 8)
        assert learn(source, Tables(width)).score == pytest.approx(
            learn(source, Tables(width, bounds=False)).score, abs=NEAR
        )


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("width", [None, 3])
def test_a_search_leaves_fewer_sets_and_the_same_optimum(bounded, monkeypatch, width):
    monkeypatch.setattr(growth, "MANY_VARIABLES", 0)  # growth by vertices finds these optima
    for seed in range(3):
        data = random_dataset(seed, n_vars=10, n_rows=60, max_arity=3)
        scores = clique_scores(random_set_scores(seed, 8, width), 8, width or 8)
        for source in (data, scores):
            monkeypatch.setattr(dynamic_program, "SEARCH_FROM", np.inf)
            grown = learn(source, Tables(width), ess=10.0)
            monkeypatch.setattr(dynamic_program, "SEARCH_FROM", 0.0)
            searched = learn(source, Tables(width), ess=10.0)
            assert searched.status == OPTIMAL
            assert searched.score == pytest.approx(grown.score, abs=NEAR)
            assert searched.iterations <= grown.iterations - (source is data)


# ---- published optima --------------------------------------------------------------------------------


SMALL, LARGE = (10, 12, 14), (15, 16)


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("name, ess", EXACT)
def test_reference_optima(shared, name, ess):
    data = read_csv(shared / "data" / "coarsen" / f"{name}.csv")
    for n, optimum in EXACT[name, ess].items():
        if n in SMALL:
            result = learn(first_columns(data, n), ess=ess)
            assert result.score == pytest.approx(optimum, abs=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("bounds", [True, False])
@pytest.mark.parametrize("name, ess", EXACT)
def test_larger_reference_optima(shared, name, ess, bounds):
    data = read_csv(shared / "data" / "coarsen" / f"{name}.csv")
    for n, optimum in EXACT[name, ess].items():
        if n in LARGE:
            result = learn(first_columns(data, n), Tables(bounds=bounds), ess=ess)
            assert result.score == pytest.approx(optimum, abs=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLE_1)
def test_table_1(shared, name):
    data = first_columns(read_csv(shared / "data" / "lsmarkov" / f"{name}.csv"), 17)
    result = learn(data, ess=10.0)
    assert result.score == pytest.approx(TABLE_1[name], abs=0.051)
    assert certify(result.graph, data, Scoring(ess=10.0), claimed=result.score).ok


def test_wine_with_cliques_of_four(shared):
    data = read_csv(shared / "data" / "coarsen" / "Wine.csv")
    assert learn(data, Tables(4)).score == pytest.approx(-1260.555602, abs=1e-5)


def test_the_maximal_cliques_of_voting(shared):
    from cliquewise.common.graphs.chordal import maximal_cliques

    data = first_columns(read_csv(shared / "data" / "coarsen" / "Voting.csv"), 16)
    published = "0,3,4 3,4,5 4,5,6 1,4,6 4,6,13,14 2,4,13 4,14,15 4,6,12 3,5,8 5,7,8 7,10 5,8,9 0,4,11"
    cliques = sorted(tuple(map(int, clique.split(","))) for clique in published.split())
    assert maximal_cliques(learn(data, ess=10.0).graph) == tuple(cliques)


@pytest.mark.parametrize("file", ["adjunct_asia", "adjunct_bridges", "junctor_flare", "junctor_nursery"])
def test_local_search_never_exceeds_the_optimum_and_reaches_it(shared, file):
    scores = read_scores(shared / "data" / "junctor" / f"junctor_{file}.score")
    optimum = learn(scores)
    found = learned(local_search, scores, Search(), iterations=400_000)
    assert found.score == pytest.approx(optimum.score, abs=NEAR)


@pytest.mark.slow
@pytest.mark.parametrize("name, ess", EXACT)
def test_local_search_on_both_layouts(shared, tmp_path, name, ess):
    """The same scores from either file: never above the optimum, and reached on every case of the reference."""
    data = read_csv(shared / "data" / "coarsen" / f"{name}.csv")
    for n in EXACT[name, ess]:
        columns = first_columns(data, n)
        scores = CliqueScores(n, n, colex_masks(n, n), all_scores(columns, Scoring("bdeu", ess), n))
        optimum = learn(scores).score
        for layout in ("dmst", "junctor"):
            write_scores(tmp_path / layout, scores, layout)
            source = read_scores(tmp_path / layout)
            found = learned(local_search, source, Search(), seconds=30.0, target=optimum - NEAR)
            assert found.score == pytest.approx(optimum, abs=NEAR)


# ---- same bytes, memory, stops -----------------------------------------------------------------------


@pytest.mark.nojit
def test_ties_and_threads():
    """All networks score alike: the one printed has the score printed, and is always the same."""
    n = 7
    scores = clique_scores({members_of(mask): 0.0 for mask in range(1 << n)}, n, n)
    graphs = {learn(scores, threads=threads).graph for threads in (1, 1, 2, 3)}
    assert len(graphs) == 1
    data = random_dataset(3, n_vars=9, n_rows=40)
    results = [learn(data, threads=threads) for threads in (1, 2, 5)]
    assert len({(result.graph, result.score) for result in results}) == 1


def test_memory():
    data = random_dataset(1, n_vars=10)
    need = bytes_needed(10, all_sets(10, 10))
    assert need == pytest.approx(8 * 2 * 3**9, rel=0.4)
    with pytest.raises(LimitError, match=r"1024 sets of 10 variables need .* GB, .* GB may be used"):
        learn(data, Tables(memory=need - 1.0))
    assert learn(data, Tables(memory=float(need))).status == OPTIMAL
    with pytest.raises(LimitError, match="30 variables need"):
        learn(random_dataset(1, n_vars=30), Tables(memory=1e9))


def test_too_many_variables():
    with pytest.raises(DataError, match="33 variables; method dp takes at most 32"):
        learn(random_dataset(1, n_vars=33), Tables())


def test_stopped_without_a_network():
    with pytest.raises(KeyboardInterrupt):
        learn(random_dataset(1, n_vars=8), stopped=True)


@pytest.mark.parametrize("config", [Config(method="ilp", required=Graph(8, ((0, 1),))), Tables()])
def test_a_limit_before_the_first_network_is_not_called_an_interruption(config):
    with pytest.raises(LimitError, match="the time was up before the first network.*; allow more"):
        learn(random_dataset(1, n_vars=8), config, seconds=1e-9)


def test_stopped_in_the_search(bounded, monkeypatch):
    """The bounds are proved by then, the tables are not begun."""
    monkeypatch.setattr(dynamic_program, "SEARCH_FROM", 0.0)
    monkeypatch.setattr(dynamic_program, "FIRST_STEPS", 10_000_000)
    monkeypatch.setattr(dynamic_program, "allocate", None)

    def interrupt(monitor, text):
        if "steps/s" in text:
            monitor.interrupt()

    data = random_dataset(1, n_vars=14)
    recorder = Recorder(at_text=interrupt)
    result = learn(data, recorder=recorder)
    assert any("steps/s" in text for text in recorder.texts)
    assert result.status == INTERRUPTED and result.score - NEAR <= result.upper_bound < np.inf
    assert certify(result.graph, data, claimed=result.score).ok


@pytest.mark.parametrize(("limits", "ahead"), [(Limits(), False), (Limits(time_limit=60.0), True)])
def test_the_search_is_compiled_before_the_clock_only_where_that_counts(limits, ahead, monkeypatch):
    begun = []
    monkeypatch.setattr(dynamic_program, "SEARCH_FROM", 1000.0)
    monkeypatch.setattr(LocalSearch, "warm_up", lambda *_: begun.append(monitor.clock.has_started))
    monkeypatch.setattr(dynamic_program, "steps", lambda *_: 0.0)
    with Monitor(limits) as monitor:
        result = junctor.learn(random_dataset(1, n_vars=14), Scoring(), Tables(max_clique=3), monitor)
    assert result.status == OPTIMAL and begun == [False] * ahead


def test_progress_ends_at_the_total():
    recorder = Recorder()
    learn(random_dataset(2, n_vars=8), recorder=recorder)
    for phase in ("scores", "tables"):
        shares = [share for share, text in zip(recorder.shares, recorder.texts, strict=True) if text.startswith(phase)]
        assert shares == sorted(shares) and shares[-1] == pytest.approx(1.0) and 0.0 < shares[0], phase
        assert shares[-2] < 1.0 - NEAR, phase  # a share is cut off at 1, so the total is not reached too soon
    assert "scores: 256 of 256" in recorder.texts
