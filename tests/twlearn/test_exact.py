"""The exact methods: optima against exhaustive search and against each other, what they refuse, how they stop."""

from itertools import product

import numpy as np
import pytest

from cliquewise.common.errors import LimitError
from cliquewise.common.files.checkpointfile import read_checkpoint
from cliquewise.common.files.parentsets import ParentSets
from cliquewise.common.run.result import INTERRUPTED, OPTIMAL, TIME_LIMIT
from cliquewise.twlearn import kp as kp_module
from cliquewise.twlearn import milp as milp_module
from cliquewise.twlearn.chordal import chordal
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.dandelion_kernels import decode
from cliquewise.twlearn.families_lookup import lookup_of
from cliquewise.twlearn.kp import bytes_needed, kp, suits
from cliquewise.twlearn.learn import learn, method_for
from cliquewise.twlearn.milp import milp
from cliquewise.twlearn.skp import scratch_of, skp
from cliquewise.twlearn.skp_kernels import best_inside
from tests.learning import Recorder, learned, run, run_in_parts
from tests.oracles.networks import best_network, moral_edges, networks
from tests.random_inputs import random_dataset
from tests.slow import slow
from tests.twlearn.scored import certified, families_of, sum_of_best
from tests.twlearn.test_families import listed
from tests.twlearn.test_s2 import edges_of


def solved(method, families, width, **limits):
    """The result of a method."""
    return run(method, families, Config(width), **limits)


@pytest.fixture
def no_shortcuts(monkeypatch):
    """kp must fill its tables, milp must solve its program from a poor start: nothing is known from elsewhere."""
    for module in (kp_module, milp_module):
        monkeypatch.setattr(module, "best_of_any_treewidth", lambda *_, **__: (None, float("inf")))
        monkeypatch.setattr(module, "START_MOVES", 1)


# ---- optima


@pytest.mark.parametrize("width", [1, 2, 3, 4, 7])
@pytest.mark.parametrize(("n", "seed"), [(2, 1), (3, 6), (4, 2), (5, 3), (5, 4)])
def test_best_of_all_networks(n, seed, width):
    data = random_dataset(seed, n_vars=n, n_rows=50, max_arity=3)
    families = families_of(data, min(3, width))
    best, _ = best_network(listed(families), min(3, n - 1), width)
    for method, limits in ((kp, {}), (milp, {}), (skp, {"iterations": 300})):
        result = certified(data, solved(method, families, width, **limits), width)
        assert result.score == pytest.approx(best, abs=1e-9), method
        if method is not skp:
            assert (result.status, result.upper_bound) == (OPTIMAL, result.score)


@pytest.mark.parametrize("width", [1, 3, *slow(2)])
@pytest.mark.parametrize(("n", "seed"), [(4, 11), (5, 12), (5, 13), (5, 14)])
def test_the_tables_and_the_program_alone(no_shortcuts, n, seed, width):
    data = random_dataset(seed, n_vars=n, n_rows=300, max_arity=3)
    families = families_of(data, min(3, width))
    best, _ = best_network(listed(families), min(3, n - 1), width)
    methods = (kp, milp) if width <= n - 2 else (milp,)
    for method in methods:
        result = certified(data, solved(method, families, width), width)
        assert result.score == pytest.approx(best, abs=1e-9)
        assert (result.status, result.upper_bound) == (OPTIMAL, result.score)


@pytest.mark.nojit
def test_the_tables_as_plain_python(no_shortcuts):
    families = families_of(random_dataset(3, n_vars=4, n_rows=200, max_arity=2), 2)
    for width in (1, 2):
        best, _ = best_network(listed(families), 2, width)
        assert solved(kp, families, width).score == pytest.approx(best, abs=1e-9)


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("width", [2, 3])
@pytest.mark.parametrize("seed", [*slow(1, 2), 3])
def test_tables_program_and_searches_agree_on_eight_variables(no_shortcuts, seed, width):
    data = random_dataset(seed, n_vars=8, n_rows=400, max_arity=3)
    check_agreement(data, families_of(data, min(3, width)), width)


def check_agreement(data, families, width):
    """kp and milp find the same optimum, which skp, s2 and chordal do not exceed; s2 and chordal reach it."""
    exact = certified(data, solved(kp, families, width), width)
    program = certified(data, solved(milp, families, width), width)
    assert exact.status == program.status == OPTIMAL
    assert program.score == pytest.approx(exact.score, abs=1e-7)
    for method, iterations in (("skp", 300), ("s2", 500_000), ("chordal", 300_000)):
        found = certified(data, learned(learn, data, Config(width, method), iterations=iterations), width)
        assert found.score <= exact.score + 1e-7
        if method != "skp":
            assert found.score == pytest.approx(exact.score, abs=1e-7)


@pytest.mark.nojit
@pytest.mark.parametrize(("n", "k"), [(3, 1), (4, 2), (5, 1), (5, 2), (4, 3), (5, 3)])
def test_the_best_inside_a_ktree(n, k):
    """Against all networks whose moral graph is part of the k-tree."""
    families = families_of(random_dataset(n + k, n_vars=n, n_rows=200, max_arity=3), min(2, k))
    scores, table, work = listed(families), lookup_of(families), scratch_of(n, k)
    rng = np.random.default_rng(1)
    for _ in range(6):
        work.tree.root[:] = np.sort(rng.permutation(n)[:k])
        decode(work.tree, rng.integers(0, 1 + k * (n - k), max(n - k - 2, 0)))
        edges = edges_of(work.tree)
        inside = [
            sum(scores[v][parents] for v, parents in enumerate(network))
            for network in networks(n, min(2, k))
            if all(parents in scores[v] for v, parents in enumerate(network)) and moral_edges(network) <= edges
        ]
        work.best[0] = -np.inf
        assert best_inside(table, work) == pytest.approx(max(inside), abs=1e-9)
        chosen = sum(families.scores[row] for row in work.best_row)
        assert chosen == pytest.approx(max(inside), abs=1e-9)


# ---- bounds, limits, stopping


def test_a_program_that_is_stopped_has_a_bound(monkeypatch):
    data = random_dataset(5, n_vars=12, n_rows=500, max_arity=3)
    families = families_of(data, 2)
    monkeypatch.setattr(milp_module, "START_MOVES", 1)
    result = certified(data, solved(milp, families, 2, seconds=0.5), 2)
    best = solved(kp, families, 2)
    assert result.status in (TIME_LIMIT, OPTIMAL)
    assert result.score <= best.score + 1e-7 and result.upper_bound >= best.score - 1e-7


def test_the_checkpoint_of_a_program_has_the_bound_and_the_network_of_its_end(no_shortcuts, tmp_path):
    path, families = str(tmp_path / "a"), families_of(random_dataset(3, n_vars=6, n_rows=300), 2)
    result, _ = run_in_parts(milp, path, families, Config(2), stops=())
    _, state = read_checkpoint(path)
    assert result.status == OPTIMAL and state["bound"] == pytest.approx(result.upper_bound, abs=1e-6)
    assert families.scores[state["rows"]].sum() == pytest.approx(result.score, abs=1e-6)


def test_a_program_that_cannot_be_written_down_in_time():
    data = random_dataset(5, n_vars=60, n_rows=50, max_arity=2)
    result = certified(data, solved(milp, families_of(data, 2), 3, seconds=0.2), 3)
    assert result.status == TIME_LIMIT and result.upper_bound > result.score


@pytest.mark.parametrize("method", ["kp", "milp", "skp"])
def test_an_interruption_leaves_a_network(method):
    data = random_dataset(5, n_vars=9, n_rows=500, max_arity=3)
    families = families_of(data, 2)
    function = {"kp": kp, "milp": milp, "skp": skp}[method]
    result = solved(function, families, 2, seconds=10.0, stopped=True)
    assert certified(data, result, 2).status in (INTERRUPTED, OPTIMAL)


def test_stopped_tables_leave_the_network_of_a_short_search(monkeypatch):
    data = random_dataset(5, n_vars=9, n_rows=500, max_arity=3)
    families = families_of(data, 2)
    monkeypatch.setattr(kp_module, "best_of_any_treewidth", lambda *_, **__: (None, float("inf")))

    def stop_in_the_tables(monitor, progress):
        if progress.iterations:  # 1 after the first layer
            monitor.interrupt()

    recorder = Recorder(stop_in_the_tables)
    result = certified(data, solved(kp, families, 2, recorder=recorder), 2)
    seen = recorder.rows
    assert (result.status, result.iterations, seen[-1].iterations) == (INTERRUPTED, 1, 1)
    assert result.score == pytest.approx(max(progress.score for progress in seen))
    assert result.score > families.scores[families.start[1:] - 1].sum() + 10
    times = [progress.seconds for progress in seen]
    assert times == sorted(times)


def test_a_program_whose_optimum_is_zero(no_shortcuts):
    """Scores that are 0 in sum: the gap is relative to nothing."""
    families = families_of(random_dataset(5, n_vars=5, n_rows=500, max_arity=3), 2)
    best = solved(milp, families, 2).score
    shifted = families.scores + 0.0
    shifted[: families.start[1]] -= best
    assert solved(milp, families._replace(scores=shifted), 2).score == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_nothing(no_shortcuts, threads):
    data = random_dataset(8, n_vars=7, n_rows=300)
    families = families_of(data, 2)
    for method, limits in ((kp, {}), (skp, {"iterations": 50})):
        one, many = (solved(method, families, 2, threads=t, **limits) for t in (1, threads))
        assert (one.graph, one.order, one.score) == (many.graph, many.order, many.score)


def test_what_does_not_fit_is_refused(monkeypatch):
    families = families_of(random_dataset(1, n_vars=23, n_rows=30, max_arity=2), 1)
    with pytest.raises(LimitError, match="23 variables; method kp takes at most 22"):
        solved(kp, families, 1)
    with pytest.raises(LimitError, match="treewidth 7; method skp takes at most 6"):
        solved(skp, families, 7)
    monkeypatch.setattr(kp_module, "usable_memory", lambda: 1000)
    families = families_of(random_dataset(2, n_vars=8, n_rows=400, max_arity=3), 3)
    monkeypatch.setattr(kp_module, "best_of_any_treewidth", lambda *_, **__: (None, float("inf")))
    with pytest.raises(LimitError, match=r"8 variables with treewidth 2 need .* GB, there are 1e-06 GB; use --method"):
        solved(kp, families, 2)


def test_memory_is_what_is_allocated():
    for n, w in ((5, 1), (6, 2), (7, 3), (4, 3), (5, 3)):
        tables = kp_module._allocate(n, w, np.zeros((n, 1 << n - 1)))
        assert bytes_needed(n, w) == sum(part.nbytes for part in tables[2:])


def test_the_default_is_exact_where_that_is_quick():
    assert [suits(n, w) for n, w in ((10, 2), (10, 5), (12, 3), (20, 4), (30, 2), (6, 9))] == [
        True, True, True, False, False, True,
    ]  # fmt: skip

    def table(n, rows=3):
        return random_dataset(1, n_vars=n, n_rows=rows)

    def file(n, sets):
        scores = [np.zeros(sets // n + (v < sets % n)) for v in range(n)]
        empty = tuple(np.full((len(own), 1), -1, np.int32) for own in scores)
        return ParentSets(tuple(map(str, range(n))), empty, tuple(scores))

    chosen = [method_for(table(n), Config(w)) for n, w in product((5, 15, 25, 26), (2, 5))]
    assert chosen == ["kp", "kp", "kp", "milp", "milp", "chordal", "chordal", "chordal"]
    assert [method_for(table(n), Config(2), has_iteration_limit=True) for n in (5, 25, 99, 100)] == [
        "kp", "chordal", "chordal", "climb",
    ]  # fmt: skip
    assert [method_for(table(n, 10_000), Config(2)) for n in (39, 60)] == ["chordal", "climb"]
    of_files = [method_for(file(n, sets), Config(5)) for n, sets in ((26, 780), (26, 781), (64, 64), (65, 65))]
    assert of_files == ["milp", "chordal", "milp", "chordal"]
    assert method_for(file(26, 26), Config(5), has_iteration_limit=True) == "chordal"
    assert method_for(table(40), Config(2, "s2")) == "s2"
    assert method_for(table(5), Config(2, template=object())) == "chordal"


# ---- many variables


def test_with_more_variables_than_a_word_has_bits_there_are_the_search_and_a_bound():
    data = random_dataset(4, n_vars=milp_module.MAX_WORD_VARIABLES + 1, n_rows=60, max_arity=2)
    families = families_of(data, 1)
    found = certified(data, solved(milp, families, 1, iterations=2000), 1)
    searched = solved(chordal, families, 1, iterations=2000)
    assert (found.graph, found.score) == (searched.graph, searched.score)
    assert found.upper_bound == pytest.approx(sum_of_best(families)) and found.status != OPTIMAL
    assert found.upper_bound > found.score
