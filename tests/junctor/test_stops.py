"""A signal takes effect within two seconds of processor time in every phase of junctor."""

import time

import pytest

from cliquewise.common.bounds import problem
from cliquewise.common.certify.cliques import certify
from cliquewise.common.run.checkpoint import Checkpoint
from cliquewise.common.run.checkpoint_record import CheckpointRecord, RunInputs
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED, OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor import ilp
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config
from tests.learning import Recorder, learner
from tests.random_inputs import random_dataset
from tests.slow import slow_cases

learn = learner(junctor.learn, Config())
SECONDS = 2.0
INPUTS = RunInputs("test", "0", "0", {})


def test_a_resumed_run_that_is_stopped_at_once_has_the_bound_of_the_one_before(tmp_path):
    """Before the program, that is; the network is that of the one before, too."""
    data, config = random_dataset(2, n_vars=9, n_rows=200, max_arity=3), Config(4, method="ilp")
    path, results = str(tmp_path / "c"), []
    for stopped in (False, True):
        checkpoint = Checkpoint(path, INPUTS, every=0.0, resume=True)
        with Monitor(threads=1, checkpoint=checkpoint) as monitor:
            if stopped:
                monitor.interrupt()
            results.append(junctor.learn(data, Scoring(), config, monitor))
    whole, again = results
    assert (whole.status, again.status) == (OPTIMAL, INTERRUPTED)
    assert (again.graph, again.score, again.upper_bound) == (whole.graph, whole.score, whole.upper_bound)


def test_a_run_that_is_stopped_before_its_program_keeps_its_network(tmp_path, monkeypatch):
    """Stopped in the order bound, after which the longer search would begin."""
    path, bounds = str(tmp_path / "c"), problem.order_bounds

    def stopped(*given):
        monitor.interrupt()
        return bounds(*given)

    monkeypatch.setattr(problem, "order_bounds", stopped)
    with Monitor(threads=1, checkpoint=Checkpoint(path, INPUTS, every=0.0)) as monitor:
        result = junctor.learn(random_dataset(2, n_vars=9, n_rows=200), Scoring(), Config(4, method="ilp"), monitor)
    state = CheckpointRecord.load(path).state
    assert result.status == INTERRUPTED and state["score"] == result.score
    assert {*map(tuple, state["graph"])} == set(result.graph.edges)


def test_a_stop_in_the_order_bound_takes_effect(monkeypatch):
    """Then the program is not begun: it would be about all sets."""
    began, bounds = [], problem.order_bounds

    def stopped(n, *rest):
        began.append(time.process_time())
        monitors[0].interrupt()
        return bounds(n, *rest)

    monkeypatch.setattr(problem, "order_bounds", stopped)
    monkeypatch.setattr(ilp, "solve", None)
    data, monitors = random_dataset(2, n_vars=18, n_rows=200, max_arity=3), []
    recorder = Recorder(at_text=lambda monitor, text: monitors or monitors.append(monitor))
    result = learn(data, Config(method="ilp"), recorder=recorder)
    assert result.status == INTERRUPTED and time.process_time() - began[0] < SECONDS
    assert certify(result.graph, data, claimed=result.score).ok


@pytest.mark.parametrize(
    "method, phase, n",
    [
        ("dp", "scores", 16),
        ("dp", "tables", 16),
        ("ilp", "scores", 18),
        ("ilp", "best", 18),
        *slow_cases(("dp", "scores", 22), ("ilp", "scores", 22), ("ilp", "best", 22)),
    ],
)
def test_a_stop_takes_effect_in_every_phase(method, phase, n):
    began = []

    def stop(monitor, text):
        if text.startswith(phase) and not began:
            began.append(time.process_time())
            monitor.interrupt()

    data = random_dataset(2, n_vars=n, n_rows=200, max_arity=3)
    result = learn(data, Config(method=method, max_clique=None if n > 20 else 8), recorder=Recorder(at_text=stop))
    assert began and time.process_time() - began[0] < SECONDS
    assert result.status == INTERRUPTED and result.upper_bound >= result.score - 1e-7
    assert certify(result.graph, data, claimed=result.score).ok
