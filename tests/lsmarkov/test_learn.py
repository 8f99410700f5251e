"""`lsmarkov.learn`: the optimum of small problems, published optima of larger ones, why it ends."""

import threading
import time
from functools import cache

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.errors import DataError, LimitError, UsageError
from cliquewise.common.files.scorefile import read_scores
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED, ITERATION_LIMIT, LOCAL_OPTIMUM, TARGET, TIME_LIMIT
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import annealing, exact, rebuilding
from cliquewise.lsmarkov import learn as lsmarkov
from cliquewise.lsmarkov.config import Config
from tests.bench.figures import EXACT, TABLE_1
from tests.commands import ROOT
from tests.learning import Recorder, learner
from tests.oracles.graphs import graph_score
from tests.oracles.learners import best_chordal, best_forest
from tests.oracles.scores import set_score
from tests.random_inputs import (
    arity_of,
    clique_scores,
    dataset_of,
    first_columns,
    random_chordal_edges,
    random_dataset,
    random_set_scores,
    rows_of,
    without,
)
from tests.reading import read_csv
from tests.score_files import write_scores
from tests.slow import slow

NEAR = 1e-7
STEPS = 100_000  # phases of rebuilding, and of annealing
PUBLISHED_STEPS = 20_000


learn = learner(lsmarkov.learn, Config())


@pytest.fixture(autouse=True)
def searching(monkeypatch):
    """The search itself, for few variables too."""
    monkeypatch.setattr(exact, "FEW_VARIABLES", 0)


def search(iterations=STEPS, preset="default", **options):
    """The arguments of `learn` besides the data, for a search that ends after so many steps."""
    limits = {name: options.pop(name) for name in ("seconds", "target", "threads") if name in options}
    return {"config": Config(preset, **options), "iterations": iterations, **limits}


def published(**options):
    """As `search`, for the search as published, with restarts that suit a handful of variables."""
    return search(**{"iterations": PUBLISHED_STEPS, "preset": "ecai2020", "restart_rate": 20, **options})


@cache
def small_problem(seed, n, kind="bdeu", ess=1.0):
    """Data and the oracle's function from sets to scores."""
    data = random_dataset(seed, n_vars=n, n_rows=150, max_arity=3, constant=seed % 5 == 4)
    return data, set_score(rows_of(data), arity_of(data), kind, ess)


def must_find(source, how, optimum, kind="bdeu", ess=1.0):
    """Learn, certify, and compare with the optimum; returns the result."""
    result = learn(source, score_type=kind, ess=ess, **how)
    bound = how["config"].max_clique
    verdict = certify(result.graph, source, Scoring(kind, ess), max_clique=bound)
    assert verdict.ok and result.score == pytest.approx(verdict.score, abs=NEAR), verdict.problems
    assert result.score == pytest.approx(optimum, abs=NEAR)
    return result


# ---- every small problem -----------------------------------------------------------------------------


@pytest.mark.fast_cases(8)
@pytest.mark.parametrize("max_clique", [None, 2, 3, 4])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("seeds", [range(2), *slow(range(2, 5))])
def test_default_search_finds_the_optimum(n, max_clique, seeds):
    for seed in seeds:
        data, score = small_problem(seed, n)
        best, _ = best_chordal(n, score, max_clique)
        must_find(data, search(max_clique=max_clique, seed=seed), best)


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("kind, ess", [("bdeu", 0.1), ("bdeu", 10), ("bdeu", 1000), ("bic", 1), ("ll", 1)])
def test_every_score(kind, ess):
    for seed in range(3):
        data, score = small_problem(seed, 4, kind, ess)
        best, _ = best_chordal(4, score, 3)
        must_find(data, search(max_clique=3, seed=seed), best, kind, ess)
        must_find(data, published(max_clique=3, seed=seed), best, kind, ess)


@pytest.mark.parametrize("operations", ["", "C", "E", "V", "CE", "CV", "EV", "CEV"])
@pytest.mark.parametrize("max_clique", [None, 2, 3])
@pytest.mark.parametrize("seeds", [range(1), *slow(range(1, 3))])
def test_published_search_finds_the_optimum(operations, max_clique, seeds):
    for seed in seeds:
        data, score = small_problem(seed, 5)
        best, _ = best_chordal(5, score, max_clique)
        must_find(data, published(operations=operations, max_clique=max_clique, seed=seed), best)


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize(
    "options",
    [
        {"dynamic_bound": True},
        {"dynamic_bound": True, "operations": "", "iterations": 4000},
        {"fixed_iters": True},
        {"chow_liu": False},
        {"chow_liu": False, "operations": ""},
        {"precompute": True, "max_clique": 4},
        {"restart_rate": 1},
        {"restart_rate": 1000},
    ],
    ids=str,
)
def test_published_options_find_the_optimum(options):
    for seed in range(3):
        data, score = small_problem(seed, 5)
        best, _ = best_chordal(5, score, options.get("max_clique"))
        must_find(data, published(seed=seed, **options), best)


@pytest.mark.parametrize("options", [{"chow_liu": False}, {"precompute": True, "max_clique": 3}], ids=str)
def test_start_and_precomputing_do_not_matter_to_the_default_search(options):
    data, score = small_problem(0, 5)
    best, _ = best_chordal(5, score, options.get("max_clique"))
    must_find(data, search(**options), best)


def test_a_bound_of_two_is_the_best_forest():
    """At the start: Chow and Liu's forest needs no search."""
    for seed in range(5):
        data, score = small_problem(seed, 5)
        must_find(data, search(iterations=1, max_clique=2), best_forest(5, score)[0])


def test_the_bound_grows_with_each_restart():
    """With restarts that never come the first bound, two, stays."""
    data, score = small_problem(0, 5)
    forest, best = best_forest(5, score)[0], best_chordal(5, score)[0]
    assert best > forest + 1
    must_find(data, published(dynamic_bound=True, restart_rate=10**6), forest)


@pytest.mark.nojit
def test_a_short_search_of_either_kind(monkeypatch):
    """Few and short rounds: fast enough as plain Python, where an index out of bounds is an error."""
    monkeypatch.setattr(annealing, "PHASE_MOVES", 500)
    monkeypatch.setattr(annealing, "HEATING_MOVES", 5)
    monkeypatch.setattr(annealing, "COOLING_MOVES", (50, 50))
    monkeypatch.setattr(rebuilding, "SLICE_SEARCHES", 20)
    monkeypatch.setattr(rebuilding, "PHASE_SEARCHES", 20)
    data, score = small_problem(1, 4)
    best, _ = best_chordal(4, score)
    must_find(data, search(iterations=1500), best)
    for operations in ("CEV", ""):
        must_find(data, published(iterations=250, operations=operations), best)


# ---- score files -----------------------------------------------------------------------------------


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("layout", ["dmst", "junctor"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", [0, *slow(1)])
def test_score_files_give_the_optimum(tmp_path, n, layout, seed):
    """Arbitrary scores are more difficult than scores of data."""
    for width in range(1, n + 1):
        scores = random_set_scores(seed, n)
        write_scores(tmp_path / "s.score", clique_scores(scores, n, width), layout)
        source = read_scores(tmp_path / "s.score")
        for bound in {None, 2, width} - {1}:
            largest = min(width, bound or n)
            best, _ = best_chordal(n, scores.get, largest)
            result = must_find(source, search(max_clique=bound, seed=seed), best)
            assert result.status == (LOCAL_OPTIMUM if n == 1 else ITERATION_LIMIT)
    must_find(source, published(), best)


def test_a_forbidden_set_is_avoided():
    lost = 0
    for seed in range(4):
        free = random_set_scores(seed, 5)
        scores = without(free, [{0, 1}, {2, 3, 4}])
        best, _ = best_chordal(5, scores.get)
        lost += best_chordal(5, free.get)[0] - best
        source = clique_scores(scores, 5, 5)
        must_find(source, search(seed=seed), best)
        must_find(source, published(seed=seed), best)
    assert lost > 0


# ---- start and end ---------------------------------------------------------------------------------


def test_starting_at_the_optimum_loses_nothing():
    for seed in range(3):
        data, score = small_problem(seed, 5)
        best, graphs = best_chordal(5, score)
        for edges in graphs[:2]:
            init = Graph(5, tuple(sorted(edges)))
            must_find(data, search(iterations=1, init=init), best)
            must_find(data, published(iterations=1, init=init), best)


def test_a_good_start_network_is_kept(zoo):
    """A good network is kept by a search too short to find it."""
    good = learn(zoo, ess=10.0, **search(300_000))
    for how in (search(1, init=good.graph), published(iterations=1, init=good.graph)):
        assert learn(zoo, ess=10.0, **how).score >= good.score - NEAR
    assert learn(zoo, ess=10.0, **published(iterations=1)).score < good.score - 1


def test_a_start_network_with_fewer_vertices():
    data, score = small_problem(0, 5)
    must_find(data, search(init=Graph(3, ((0, 1), (0, 2), (1, 2)))), best_chordal(5, score)[0])


@pytest.mark.parametrize(
    "graph, message",
    [
        (Graph(6, ()), "--init -: 6 vertices, the data have 5 variables"),
        (Graph(5, ((0, 1), (0, 3), (1, 2), (2, 3))), "--init -: the graph is not chordal"),
        (Graph(5, ((0, 1), (0, 2), (1, 2))), "--init -: a clique of 3 vertices, the bound is 2"),
    ],
)
def test_start_networks_that_do_not_fit(graph, message):
    with pytest.raises(UsageError, match=f"^{message}"):
        learn(small_problem(0, 5)[0], **search(1, max_clique=2, init=graph))


@pytest.mark.parametrize("how", [search, published])
def test_a_start_worse_than_no_edges_at_all(how):
    """The start's score counts, not that of the graph on which kernels were compiled."""
    data = dataset_of(np.random.default_rng(3).integers(0, 3, (100, 5)))
    best, _ = best_chordal(5, set_score(rows_of(data), arity_of(data), "bdeu"))
    complete = Graph(5, tuple((u, v) for v in range(5) for u in range(v)))
    recorder = Recorder()
    result = learn(data, recorder=recorder, **how(init=complete))
    assert recorder.rows[0].score == pytest.approx(certify(complete, data).score, abs=NEAR)
    assert recorder.rows[0].score < best - 50 and result.score == pytest.approx(best, abs=NEAR)


@pytest.mark.parametrize("forbidden, init", [({0}, None), ({0, 1}, Graph(3, ((0, 1),)))])
def test_a_start_network_that_is_forbidden(forbidden, init):
    scores = random_set_scores(0, 3)
    for members in scores:
        if forbidden <= members:
            scores[members] = -np.inf
    with pytest.raises(
        DataError, match="^standard input: a set of the start network scores minus infinity; start from another$"
    ):
        learn(clique_scores(scores, 3, 3), **search(1, init=init))


@pytest.mark.parametrize("how", [search, published])
def test_target(how):
    data, score = small_problem(0, 5)
    best, _ = best_chordal(5, score)
    result = must_find(data, how(iterations=10**9, target=best), best)
    assert result.status == TARGET and result.iterations < 10**6


@pytest.mark.parametrize("how", [search, published])
def test_time_limit(zoo, how):
    began = time.monotonic()
    result = learn(zoo, ess=10.0, **how(iterations=None, seconds=0.3))
    assert result.status == TIME_LIMIT
    assert time.monotonic() >= began + 0.3
    assert certify(result.graph, zoo, Scoring(ess=10.0), claimed=result.score).ok


@pytest.mark.parametrize("how", [search, published])
def test_another_thread_may_stop_the_search(zoo, how):
    threads = []

    def stop_soon(monitor, row):
        if row.steps and not threads:
            threads.append(threading.Thread(target=monitor.interrupt))
            threads[0].start()

    recorder = Recorder(at_row=stop_soon)
    result = learn(zoo, ess=10.0, recorder=recorder, **how(iterations=None))
    threads[0].join()
    assert result.status == INTERRUPTED and result.iterations == recorder.rows[-1].steps > 0
    assert result.score == pytest.approx(max(row.score for row in recorder.rows), abs=NEAR)
    assert certify(result.graph, zoo, Scoring(ess=10.0), claimed=result.score).ok


@pytest.mark.parametrize("how", [search, published])
def test_a_search_stopped_before_its_start_returns_the_start_network(how):
    """The start network is still a result; without one the graph without edges, for no pair was scored."""
    data, score = small_problem(0, 5)
    for init in (None, Graph(5, ((0, 1), (1, 2)))):
        result = learn(data, stopped=True, **how(iterations=None, init=init))
        edges = () if init is None else init.edges
        assert result.status == INTERRUPTED and result.graph.edges == edges
        assert result.score == pytest.approx(graph_score(5, edges, score), abs=NEAR)


# ---- the same and not the same -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def zoo():
    """101 rows, 17 variables."""
    return read_csv(ROOT / "data/zoo.csv")


def path_of(data, how):
    """The result, and all that the search reported on its way but the time."""
    seen = []

    def note(_monitor, row):
        best = None if row.best is None else row.best.tobytes()
        seen.append((row.steps, row.restarts, row.score, best))

    return learn(data, ess=10.0, recorder=Recorder(note), **how), seen


@pytest.mark.parametrize("how", [search, published])
def test_threads_and_runs_do_not_matter(zoo, how):
    first = path_of(zoo, how(iterations=200_000 if how is search else 3000, seed=5, threads=1))
    for threads in (1, 2, 3, None):
        again = path_of(zoo, how(iterations=200_000 if how is search else 3000, seed=5, threads=threads))
        assert again == first


@pytest.mark.parametrize("options", [{}, {"preset": "ecai2020"}, {"preset": "ecai2020", "dynamic_bound": True}])
def test_no_more_steps_than_the_limit(zoo, options):
    """In descents, and in phases of rebuilding and annealing."""
    for steps in (1, 3, 10, 499, 501, 2001, 6003, *([100_001, 1_600_007] if options == {} else ())):
        result = learn(zoo, ess=10.0, **search(steps, threads=2, **options))
        assert result.iterations == steps and result.status == ITERATION_LIMIT


@pytest.mark.parametrize("how", [search, published])
def test_seeds_matter(zoo, how):
    paths = []
    for seed in (1, 2):
        result, path = path_of(zoo, how(iterations=2000, seed=seed))
        assert certify(result.graph, zoo, Scoring(ess=10.0), claimed=result.score).ok
        paths.append(path)
    assert paths[0] != paths[1]


@pytest.mark.slow
def test_little_memory_changes_nothing_but_time(caplog):
    """Scores that were replaced are recomputed, to the last bit."""
    data = read_csv(ROOT / "data/breast_cancer.csv")
    how = {"iterations": 1_000_000, "seed": 2}
    caplog.set_level("INFO", logger="cliquewise")
    plenty = path_of(data, search(**how))
    assert "score cache full" not in caplog.text
    scarce = path_of(data, search(cache_mb=1, **how))
    assert caplog.text.count("score cache full at 1 MB") == 1
    assert scarce == plenty
    assert certify(plenty[0].graph, data, Scoring(ess=10.0), claimed=plenty[0].score).ok


def test_scores_of_an_earlier_search_are_not_computed_again():
    data, _ = small_problem(4, 7)
    scorer = SetScorer(data, Scoring(ess=2.0), threads=2)

    def found(*known):
        with Monitor(Limits(iterations=STEPS), 2) as monitor:
            return lsmarkov.learn(data, Scoring(ess=2.0), Config(), monitor, *known)

    first, computed = found(scorer), scorer.computed
    again = found(scorer)
    assert computed > 0
    assert scorer.computed == computed
    assert (first.graph, first.score) == (again.graph, again.score) == (found().graph, found().score)


def test_too_little_memory_is_refused():
    data = read_csv(ROOT / "data/breast_cancer.csv")
    with pytest.raises(LimitError, match=r"^\d+ scores of sets up to 5 need --cache-mb \d+$"):
        learn(data, **search(1, max_clique=5, precompute=True, cache_mb=1))


# ---- published optima --------------------------------------------------------------------------------


def reach(data, ess, score, seconds, near=1e-5, **options):
    """Find a network of a published score in time; `near` is how exact its figures can be.

    Junctor's were added up from scores of six decimals, the paper's are printed with one.
    """
    how = search(iterations=None, seconds=seconds, target=score - near, **options)
    result = learn(data, ess=ess, **how)
    assert result.status == TARGET, f"{result.score:.6f} after {seconds} s, published {score}"
    assert abs(result.score - score) <= near
    assert certify(result.graph, data, Scoring(ess=ess), claimed=result.score, max_clique=how["config"].max_clique).ok


@pytest.mark.parametrize("name, ess", EXACT, ids=str)
def test_published_optima(shared, name, ess):
    data = read_csv(shared / f"data/coarsen/{name}.csv")
    for n, optimum in EXACT[name, ess].items():
        reach(first_columns(data, n), float(ess), optimum, 5 if n <= 12 else 30)


@pytest.mark.fast_cases(10)
@pytest.mark.parametrize("name", TABLE_1)
def test_table_1_of_the_paper(shared, name):
    data = read_csv(shared / f"data/lsmarkov/{name}.csv")
    reach(first_columns(data, 17), 10.0, TABLE_1[name], 30, 0.06)


def test_voting_with_small_cliques(shared):
    data = read_csv(shared / "data/coarsen/Voting.csv")
    reach(data, 1.0, -4642.765929, 30, max_clique=4)


def test_a_random_network_is_kept_chordal_and_bounded():
    """Any start, more variables than an exhaustive search could take."""
    data = random_dataset(3, n_vars=12, n_rows=200)
    for seed in range(5):
        init = Graph(12, random_chordal_edges(seed, 12, max_clique=4))
        result = learn(data, **search(20_000, max_clique=4, init=init, seed=seed))
        assert certify(result.graph, data, claimed=result.score, max_clique=4).ok
