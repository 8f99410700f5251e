"""Time limits and stops in every phase, with more variables than a search had time for.

Processor time is measured, of all threads: it does not depend on what else the machine does.
"""

import os
import signal
import subprocess
import time

import numpy as np
import pytest

from cliquewise.coarsen import learn as coarsening
from cliquewise.coarsen.candidates import candidate_gains, candidates
from cliquewise.coarsen.coarsening_program import greedy_choice, problem_of, shorter
from cliquewise.coarsen.coarsening_scip import solve
from cliquewise.coarsen.config import Config as Coarsening
from cliquewise.coarsen.config import StepLimits
from cliquewise.common.certify.cliques import certify
from cliquewise.common.exact.scip import ProgramLimits
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.result import INTERRUPTED, LOCAL_OPTIMUM, TIME_LIMIT
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.junctor import dynamic_program
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config as Exact
from cliquewise.lsmarkov import learn as local_search
from cliquewise.lsmarkov.config import Config as Search
from tests.commands import IMPORTABLE, command_line, run_process
from tests.learning import Recorder, learned, learner
from tests.random_inputs import dataset_of, random_dataset

lsmarkov = learner(local_search.learn, Search())
coarsen = learner(coarsening.learn, Coarsening())


def branching_data(n, n_rows=300, seed=1):
    """Binary columns, each drawn given an earlier one and the one that this was drawn from."""
    rng = np.random.default_rng(seed)
    codes, above = rng.integers(0, 2, (n_rows, n)), [0] * n
    for v in range(1, n):
        above[v] = int(rng.integers(max(0, v - 40), v))
        shares = rng.beta(0.3, 0.3, 4)
        codes[:, v] = rng.random(n_rows) < shares[2 * codes[:, above[v]] + codes[:, above[above[v]]]]
    return dataset_of(codes)


@pytest.fixture(scope="module")
def compiled():
    """Kernels of coarsen that many variables need."""
    coarsen(branching_data(1100, 20), Coarsening(steps=StepLimits(3, 1)), seconds=0.1)
    coarsen(branching_data(1100, 20), Coarsening("greedy", "empty", steps=StepLimits(3)), seconds=0.1)


@pytest.fixture(scope="module")
def wide(compiled):
    """Two thousand variables."""
    return branching_data(2000)


def spent(function, *args, **options):
    """Processor seconds, and the result."""
    began = time.process_time()
    result = function(*args, **options)
    return time.process_time() - began, result


@pytest.mark.slow
def test_local_search_of_many_variables_keeps_its_limit(wide):
    """One core, half a second; it took four to get to the first step, and more for each."""
    lsmarkov(branching_data(1100, 20), iterations=1)  # compiles
    seconds, result = spent(lsmarkov, wide, seconds=1e-6, threads=1)
    assert seconds < 1.5 and result.status == TIME_LIMIT and certify(result.graph, wide, claimed=result.score).ok
    seconds, forest = spent(coarsen, wide, Coarsening("forest", "forest"), threads=1)
    assert seconds < 2.5 and len(forest.graph.edges) > 1900
    seconds, result = spent(lsmarkov, wide, iterations=3000, threads=1)
    assert seconds < 6.0 and result.score > forest.score + 500.0


@pytest.mark.slow
def test_coarsening_of_many_variables_ends(wide):
    """It took minutes for the first of these steps."""
    how = Coarsening("ic", "forest", steps=StepLimits(3, 1))
    seconds, result = spent(coarsen, wide, how, threads=1)
    assert seconds < 12.0 and result.status == LOCAL_OPTIMUM and result.iterations > 1
    assert certify(result.graph, wide, claimed=result.score, max_clique=3).ok


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("method, start", [("ic", "best"), ("ic", "tree"), ("greedy", "empty"), ("fic", "forest")])
def test_coarsening_stopped_in_any_phase(compiled, method, start):
    """The stop comes with the first, fifth, ... word of progress; the network that comes back is what it claims."""
    data = branching_data(1100)
    for after in (1, 12):
        messages = []

        def interrupt(monitor, text, after=after, messages=messages):
            messages.append((text, time.process_time()))
            if len(messages) >= after:
                monitor.interrupt()

        result = coarsen(data, Coarsening(method, start, steps=StepLimits(3, 2)), recorder=Recorder(at_text=interrupt))
        assert time.process_time() - messages[min(after, len(messages)) - 1][1] < 3.0, messages[-1]
        assert result.status == INTERRUPTED and certify(result.graph, data, claimed=result.score, max_clique=3).ok


def test_the_clock_starts_after_all_scores_are_computed():
    """Computing takes longer than the limit, and the search has all of the limit still."""
    data = random_dataset(1, n_vars=18, n_rows=3000)
    lsmarkov(data, iterations=1)
    recorder = Recorder()
    result = lsmarkov(data, Search(max_clique=6, precompute=True), seconds=0.3, threads=1, recorder=recorder)
    assert result.iterations > 0 and result.status == TIME_LIMIT
    assert any(text.startswith("scores: ") for text in recorder.texts)


def test_local_search_stopped_while_scores_are_computed():
    recorder = Recorder(at_text=lambda monitor, text: monitor.interrupt() if text.startswith("scores: ") else None)
    data = random_dataset(1, n_vars=18, n_rows=3000)
    result = lsmarkov(data, Search(max_clique=6, precompute=True), seconds=60.0, threads=1, recorder=recorder)
    assert sum(text.startswith("scores: ") for text in recorder.texts) < 10 and result.status == INTERRUPTED
    assert any(text.startswith("scores: ") for text in recorder.texts)
    assert certify(result.graph, data, claimed=result.score).ok


@pytest.mark.parametrize("phase", ["edges, gain", "scores: "])  # of the greedy growth, and of what comes after it
def test_after_a_stop_junctor_begins_nothing_else(monkeypatch, phase):
    """No bounds, no tables, no word about memory; the network that grew comes back."""

    def refuse(*_):
        raise AssertionError("begun after a stop")

    monkeypatch.setattr(dynamic_program, "BOUNDS_FROM", 2)
    for name in ("order_bounds", "bytes_needed", "allocate", "fill"):
        monkeypatch.setattr(dynamic_program, name, refuse)

    def interrupt(monitor, text):
        if phase in text:
            monitor.interrupt()

    data, recorder = random_dataset(1, n_vars=10), Recorder(at_text=interrupt)
    result = learned(junctor.learn, data, Exact(), recorder=recorder)
    assert result.status == INTERRUPTED and certify(result.graph, data, claimed=result.score).ok
    assert result.graph.edges and phase in recorder.texts[-1]


def test_a_program_without_time_is_not_solved():
    data = random_dataset(4, n_vars=9, n_rows=200)
    graph = Graph(9, tuple((v, v + 1) for v in range(8)))
    found = candidates(graph)
    gains = candidate_gains(found, SetScorer(data))
    assert problem_of(found, gains, should_continue=lambda: False) is None
    task = problem_of(found, gains)
    first = greedy_choice(task)
    solution = solve(task, first, ProgramLimits(should_continue=lambda: False))
    assert first.any() and np.array_equal(solution.chosen, first) and solution.status == "userinterrupt"
    assert shorter(task, should_continue=lambda: False) == []
    assert len(candidates(graph, should_continue=lambda: False)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("after", [2.0, 4.0, 7.0])  # processor seconds: loading, pairs of variables, steps
@pytest.mark.parametrize(
    "words",
    [
        "lsmarkov --time-limit 60",
        "lsmarkov --preset ecai2020 --time-limit 60",
        "coarsen --max-clique 3 --max-length 2",
        "coarsen --method greedy",
    ],
)
def test_a_signal_takes_effect_with_thousands_of_variables(tmp_path, words, after):
    """Heeded within two seconds in every phase; it took up to 88."""
    data = branching_data(4000, 500)
    rows = [",".join(f"v{i}" for i in range(4000)), *(",".join(map(str, row)) for row in data.codes.tolist())]
    (tmp_path / "wide.csv").write_text("\n".join(rows) + "\n")
    name, *options = words.split()
    limited = run_process([*command_line(name), tmp_path / "wide.csv", "-q", "--time-limit", "0.1"])  # compiles
    assert limited.code == 0, limited.stderr
    process = subprocess.Popen(
        [*command_line(name), str(tmp_path / "wide.csv"), *options, "--threads", "1", "-o", str(tmp_path / "net")],
        env={**os.environ, **IMPORTABLE},
    )
    while process.poll() is None and processor_time(process.pid) < after:
        time.sleep(0.02)
    if process.poll() is None:
        used = processor_time(process.pid)
        process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode in (0, 130) and usage.ru_utime + usage.ru_stime - used < 2.0


def processor_time(pid):
    """The processor seconds of a process so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
