"""The monitor of a run: clock, threads, stop signal, parts, batches, status."""

import gc
import threading
import time

import numpy as np
import pytest

from cliquewise.common.run.clock import Clock
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED, ITERATION_LIMIT, TARGET, TIME_LIMIT
from cliquewise.common.run.stop_token import INTERRUPT, TIME_UP, StopToken
from tests.learning import Recorder


def until(condition, seconds=10.0):
    """Waits for a condition; whether it came true."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def test_nothing_ends_a_run_without_limits():
    with Monitor(threads=1) as monitor:
        monitor.start()
        monitor.advance(1_000_000, 5.0)
        assert monitor.should_continue() and monitor.status is None
        assert monitor.clock.seconds_left is None and monitor.iterations_left is None


def test_the_time_limit_counts_from_the_start():
    with Monitor(Limits(time_limit=0.2), threads=1) as monitor:
        time.sleep(0.3)
        assert monitor.clock.seconds == 0.0 and monitor.should_continue()
        monitor.start()
        began = monitor.clock.seconds
        monitor.start()  # a second start does not give more time
        assert monitor.clock.seconds >= began
        assert until(lambda: not monitor.should_continue(), 2.0)
        assert monitor.status == TIME_LIMIT and monitor.stop.flag[0] == TIME_UP
        assert monitor.clock.seconds >= 0.2 and monitor.clock.seconds_left == 0.0


def test_a_stop_by_the_user_takes_precedence():
    with Monitor(Limits(time_limit=0.05, iterations=1), threads=1) as monitor:
        monitor.start()
        assert until(lambda: not monitor.should_continue())
        monitor.interrupt()
        monitor.advance(1)
        assert monitor.status == INTERRUPTED and monitor.stop.flag[0] == INTERRUPT | TIME_UP


def test_iterations_and_target():
    with Monitor(Limits(iterations=10, target_score=-5.0), threads=1) as monitor:
        monitor.advance(9, -6.0)
        assert monitor.status is None and monitor.iterations_left == 1
        monitor.advance(3, -7.0)
        assert monitor.status == ITERATION_LIMIT and monitor.iterations_left == 0
        monitor.advance(0, -5.0 - 1e-10)
        assert monitor.status == TARGET


def test_a_part_has_limits_of_its_own():
    with Monitor(Limits(time_limit=30.0), threads=1) as monitor:
        monitor.start()
        with monitor.part(seconds=0.1, iterations=3) as part:
            part.start()
            assert part.threads == monitor.threads and part.clock.seconds_left <= 0.1
            assert until(lambda: not part.should_continue()) and part.status == TIME_LIMIT
            part.advance(3)
        assert monitor.should_continue() and monitor.iterations == 0
        with monitor.part(seconds=1000.0) as part:
            assert part.limits.time_limit <= 30.0


def test_a_part_continues_where_an_earlier_one_was_paused():
    """Its limits are for further iterations and seconds, and what it counts is of both."""
    with Monitor(Limits(time_limit=30.0), threads=1) as monitor:
        monitor.start()
        with monitor.part(iterations=5) as first:
            assert first.paused is None and first.saved is None
            first.start()
            first.advance(5)
            time.sleep(0.02)
            first.pause(lambda: {"there": 7})
        paused = first.paused
        assert paused.position.iterations == 5 and paused.position.seconds >= 0.02
        with monitor.part(10.0, 3, paused=paused) as second:
            second.start()
            assert second.saved.value("there", int) == 7 and second.iterations == 5 and second.iterations_left == 3
            assert second.clock.seconds >= 0.02 and 9.0 < second.clock.seconds_left <= 10.0 and second.status is None
            second.advance(3)
            assert second.status == ITERATION_LIMIT and second.paused is paused
        monitor.pause(lambda: 1 / 0)  # a whole run has its checkpoint
        assert monitor.iterations == 0


@pytest.mark.parametrize(("overrun", "seconds"), [(1e9, 0.3), (30.0, 60.0)])
def test_kernels_continue_when_the_time_of_a_part_is_up(overrun, seconds):
    """Until the whole's time is up, or a share of the part's time more."""
    with Monitor(Limits(time_limit=seconds), threads=1) as monitor:
        monitor.start()
        with monitor.part(0.01, overrun=overrun) as part:
            part.start()
            assert until(lambda: part.status == TIME_LIMIT) and part.should_continue()
            assert until(lambda: not part.should_continue()) and monitor.should_continue() == (seconds == 60.0)


def test_a_part_ends_with_the_whole():
    with Monitor(threads=1) as monitor:
        with monitor.part() as part, part.part() as smaller:
            monitor.interrupt()
            assert part.status == smaller.status == INTERRUPTED
        with monitor.part() as part:  # begun after the signal
            assert part.status == INTERRUPTED


def test_a_part_ends_when_the_time_of_the_whole_is_up():
    with Monitor(Limits(time_limit=0.1), threads=1) as monitor:
        monitor.start()
        with monitor.part() as part:
            assert until(lambda: not part.should_continue()) and part.status == TIME_LIMIT


def test_threads_work_side_by_side():
    with Monitor(threads=2) as monitor:
        both = threading.Barrier(2, timeout=10)
        assert sorted(monitor.map(lambda i: both.wait() * 0 + i, range(2))) == [0, 1]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("iterations, sizes", [(10, [4, 4, 2]), (8, [4, 4]), (1, [1])])
def test_batches_come_in_order_and_end_at_the_limit(threads, iterations, sizes):
    def run(number, size):
        time.sleep(0.01 * (number % 2))  # later ones may be ready first
        return number, size

    with Monitor(Limits(iterations=iterations), threads=threads) as monitor:
        assert list(monitor.batches(run, 4)) == list(enumerate(sizes))


def test_batches_end_when_the_user_stops():
    with Monitor(threads=2) as monitor:
        found = []
        for number in monitor.batches(lambda number, _size: number, 1):
            found.append(number)
            if number == 20:
                monitor.interrupt()
        assert found == list(range(len(found))) and 20 < len(found) < 40


def test_running_kernels_are_asked_to_end_with_the_run():
    monitor = Monitor(threads=1)
    with monitor:
        running = monitor.submit(lambda: until(lambda: monitor.stop.flag[0] != 0))
    assert running.result() and monitor.stop.flag[0] == TIME_UP


def test_an_error_in_a_run_passes_on():
    with pytest.raises(ZeroDivisionError), Monitor(threads=1) as monitor:
        list(monitor.map(lambda _: 1 // 0, range(3)))


def test_progress_is_the_share_of_the_nearest_limit():
    heard = Recorder()
    with Monitor(Limits(iterations=4), 1, heard) as monitor:
        monitor.reporter.progress("begun")
        monitor.advance(3)
        monitor.reporter.progress("going on", 1, 100)
        monitor.advance(7)
        monitor.reporter.progress("over")
    with Monitor(None, 1, heard) as monitor:
        monitor.reporter.progress("a phase", 1, 4)
        monitor.reporter.progress("who knows")
        monitor.reporter.record("row")
    with Monitor(Limits(time_limit=1e6), 1, heard) as monitor, monitor.part(iterations=2) as part:
        part.start()
        part.reporter.progress("by time")
    assert heard.shares[:5] == [0.0, 0.75, 1.0, 0.25, None] and heard.rows == ["row"]
    assert heard.shares[5] == pytest.approx(0.0, abs=1e-3) and heard.texts[-1] == "by time"


def test_reports_of_parts_reach_the_whole():
    heard = Recorder()
    with Monitor(Limits(iterations=10, target_score=-1.0), 1, heard) as monitor:
        monitor.report(3, -6.0)
        with monitor.part(iterations=100) as part:
            part.report(50, -4.0)
            part.reporter.record("a row of another kind")
            assert part.iterations == 50 and part.status is None
        monitor.report(2, -4.0)
        assert [(row.iterations, row.score) for row in heard.rows] == [(3, -6.0), (3, -4.0), (5, -4.0)]
        assert heard.shares == [0.3, 0.3, 0.5] and "5 iterations, best -4.0000" in heard.texts[-1]
        with monitor.part() as part:
            part.report(1, -1.0)
        assert monitor.status == TARGET


def test_the_stop_array_is_for_kernels():
    with Monitor(threads=1) as monitor:
        assert monitor.stop.flag.dtype == np.int64 and monitor.stop.flag.shape == (1,)


def test_kernels_are_compiled_with_progress_before_the_clock_starts():
    heard, done = Recorder(), []
    with Monitor(threads=1, listener=heard) as monitor:
        monitor.compile(*[lambda: done.append(monitor.clock.has_started)] * 2)
        assert heard.shares == [0.0, 0.5] and heard.texts == ["preparing kernels"] * 2
        assert not monitor.clock.has_started
        with monitor.part() as part:
            part.start()
            assert part.clock.root.has_started and monitor.clock.has_started
            part.compile(lambda: done.append(part.clock.root.has_started))
    assert done == [False, False, True] and len(heard.texts) == 2


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_collection_pauses_while_kernels_are_compiled(collects):
    seen, before = [], gc.isenabled()

    def failing():
        seen.append(gc.isenabled())
        raise ValueError

    try:
        (gc.enable if collects else gc.disable)()
        with Monitor(threads=1) as monitor, pytest.raises(ValueError):
            monitor.compile(failing)
        assert seen == [False] and gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()


def test_a_continued_run_outlives_the_time_limit_but_not_the_user():
    heard = Recorder()
    with Monitor(Limits(time_limit=0.05), threads=1, listener=heard) as monitor:
        monitor.start()
        assert until(lambda: not monitor.should_continue())
        with monitor.continued(60.0) as more:
            more.start()
            assert more.should_continue() and more.status is None
            more.reporter.progress("on")
            assert heard.texts == ["on"] and heard.shares[0] < 0.5
            monitor.stop.set(TIME_UP)
            assert more.should_continue()
            monitor.interrupt()
            assert not more.should_continue() and more.status == INTERRUPTED
        with monitor.continued(60.0) as more:
            assert more.status == INTERRUPTED
        assert monitor.status == INTERRUPTED
    with Monitor(threads=1) as monitor, monitor.continued(0.05) as more:
        more.start()
        assert until(lambda: not more.should_continue()) and monitor.should_continue()


@pytest.mark.parametrize("limits", [Limits(time_limit=0.0), Limits(iterations=0), Limits(0.0, 0), Limits(0.0, 5)])
def test_a_limit_of_zero_is_reached(limits):
    heard = Recorder()
    with Monitor(limits, 1, heard) as monitor:
        monitor.start()
        monitor.reporter.progress("at once")
        assert monitor.shares_done()[0] == 1.0 and heard.shares == [1.0]
        assert until(lambda: monitor.status is not None)
    assert Monitor(threads=1).shares_done() == []


def test_a_stop_token_passes_on_the_signals_that_a_part_handles():
    whole, part, continued = StopToken(), StopToken(), StopToken(handled=INTERRUPT)
    whole.set(TIME_UP)
    whole.add(part)
    whole.add(continued)
    assert part.is_set(TIME_UP) and not part.is_set(INTERRUPT) and not continued.is_set()
    continued.set(TIME_UP)  # its own
    assert whole.flag[0] == TIME_UP and continued.flag[0] == TIME_UP
    whole.remove(part)
    whole.set(INTERRUPT)
    assert continued.flag[0] == INTERRUPT | TIME_UP and part.flag[0] == TIME_UP


def test_a_clock_starts_that_of_the_whole_and_ends_alone():
    rung = []
    whole = Clock(60.0, lambda: rung.append("whole"), before=2.0)
    part = Clock(0.05, lambda: rung.append("part"), whole=Clock(None, lambda: rung.append("no limit"), whole=whole))
    assert part.root is whole and whole.root is whole and not whole.has_started and whole.seconds_left == 58.0
    part.start()
    assert whole.has_started and part.seconds < whole.seconds and part.root.seconds >= 2.0
    assert until(lambda: rung == ["part"]) and part.seconds_left == 0.0 and not part.is_overrun
    part.end()
    whole.end()
    assert rung == ["part"]


def test_a_part_beside_other_work_reports_its_score_but_no_progress():
    heard = Recorder()
    with Monitor(threads=2, listener=heard) as monitor, monitor.part(in_background=True) as part:
        part.reporter.progress("aside")
        assert heard.texts == [] and part.threads == 1
        part.report(3, -2.0)
        assert [row.score for row in heard.rows] == [-2.0] and len(heard.texts) == 1
