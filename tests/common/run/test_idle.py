"""A search without a limit ends when nothing better was found for long enough, also over several processes."""

import pytest

from cliquewise.common.bounds.proof_estimate import estimate_proof
from cliquewise.common.files.result_header import Claims
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.learning.conclusion import proof_line
from cliquewise.common.run import clock as clock_module
from cliquewise.common.run.checkpoint import Checkpoint
from cliquewise.common.run.checkpoint_record import RunInputs
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import COMPLETE, IDLE, INTERRUPTED, LearnResult

INPUTS = RunInputs("p", "1", "d", {})


@pytest.fixture
def now(monkeypatch):
    """The time, which stands still: a list of one number."""
    at = [100.0]
    monkeypatch.setattr(clock_module.time, "monotonic", lambda: at[0])
    return at


def ending(monitor, now, found):
    """When a run ends whose best score rises at these seconds; it reports every second."""
    began = now[0]
    monitor.start()
    while monitor.status is None:
        seconds = now[0] - began
        monitor.advance(1, float(sum(time <= seconds for time in found)))
        if monitor.status is None:
            now[0] += 1.0
    return now[0] - began


@pytest.mark.parametrize(
    "found, end",
    [
        ([0], 5),  # at least five seconds
        ([0, 1], 6),
        ([0, 4], 16),  # three times as long
        ([0, 4, 15], 60),
        ([0, 4, 17], 16),  # too late
        ([0, 4, 10, 30], 90),  # at most a minute
        ([0, *range(1, 101)], 160),
    ],
)
def test_a_search_ends_after_three_times_as_long_as_the_best_took(now, found, end):
    with Monitor(Limits(until_idle=True), 1) as monitor:
        assert ending(monitor, now, found) == end
        assert monitor.status == IDLE and not monitor.should_continue()


def test_a_search_with_a_limit_does_not_end_early(now):
    with Monitor(Limits(iterations=1000), 1) as monitor:
        assert ending(monitor, now, [0]) == 999


def test_a_part_reports_its_network_to_the_whole(now):
    with Monitor(Limits(until_idle=True), 1) as monitor:
        monitor.start()
        with monitor.part() as part:
            part.start()
            part.report(1, 1.0)
            now[0] += 6.0
            part.report(1, 1.0)
            assert not part.should_continue() and monitor.status == IDLE


def test_a_network_found_while_the_position_is_read_is_not_later_than_it(monkeypatch):
    with Monitor(Limits(), 1) as monitor:
        monitor.start()
        clock, plain = clock_module.Clock, clock_module.Clock.seconds.fget

        def seconds(at):  # a thread that searches reports just after the clock was read
            read = plain(at)
            with monkeypatch.context() as patch:
                patch.setattr(clock, "seconds", property(plain))
                monitor.advance(1, 1.0)
            return read

        monkeypatch.setattr(clock, "seconds", property(seconds))
        position = monitor.position
        assert position.improved <= position.seconds


def test_a_resumed_run_knows_when_the_best_was_found(now, tmp_path):
    path = str(tmp_path / "a")
    with Monitor(Limits(until_idle=True), 1, checkpoint=Checkpoint(path, INPUTS)) as monitor:
        monitor.start()
        now[0] += 4.0
        monitor.advance(1, -7.5)
        now[0] += 3.0
        monitor.advance(1, -7.5)
        monitor.keep(lambda: {"steps": 2})
        monitor.interrupt()
        assert monitor.status == INTERRUPTED
    with Monitor(Limits(until_idle=True), 1, checkpoint=Checkpoint(path, INPUTS, resume=True)) as monitor:
        monitor.start()
        assert monitor.improved == 4.0 and monitor.clock.seconds == 7.0
        monitor.advance(1, -7.5)  # known before
        assert monitor.improved == 4.0
        now[0] += 8.9
        monitor.advance(1, -7.5)
        assert monitor.status is None
        now[0] += 0.2
        monitor.advance(1, -7.5)
        assert monitor.status == IDLE


def test_the_time_of_a_proof_is_estimated():
    small, large = estimate_proof(20, 3, 0), estimate_proof(60, 12, 0)
    assert small.sets == 1351 and small.is_feasible and small.seconds < 2
    assert not large.is_feasible and "not feasible" in str(large)
    assert estimate_proof(20, 4, 0).seconds > small.seconds
    assert estimate_proof(20, 3, 2_000_000).seconds > 5 + small.seconds


@pytest.mark.parametrize(("n", "is_suggested"), [(60, True), (61, False)])
def test_a_proof_is_suggested_for_few_variables(n, is_suggested):
    result = LearnResult(Graph(n, ()), -1.0, COMPLETE)
    assert ("junctor" in proof_line(result, Claims(max_clique=3), may_suggest=True, stored_rows=10)) == is_suggested
