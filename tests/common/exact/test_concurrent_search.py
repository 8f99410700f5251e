"""Searches beside the cutting planes: when they begin, when their result is taken, and how they end."""

import time

import pytest

from cliquewise.common.exact import concurrent_search
from cliquewise.common.exact.concurrent_search import PACE, ROUNDS, ConcurrentSearch
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.position import Paused, Position
from cliquewise.common.run.result import OPTIMAL
from cliquewise.common.run.saved import Saved
from cliquewise.junctor import ilp
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config
from tests.learning import learner
from tests.random_inputs import random_dataset

learn = learner(junctor.learn, Config(method="ilp"))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_continues_when_it_can_be_afforded_and_its_result_is_used_rounds_later(threads):
    begun = []

    def search(part):
        begun.append((part.limits.iterations, part.threads))
        return len(begun)

    with Monitor(threads=threads) as monitor, ConcurrentSearch(search, monitor, 10 * PACE) as searches:
        efforts = (10, 0, 0, *[0] * ROUNDS, 25, 15, 159, *[0] * (3 * ROUNDS), 1, *[0] * ROUNDS, 160)
        taken = [searches.after_round(effort) for effort in efforts]
    second, third = ROUNDS + 4, 4 * ROUNDS + 6
    assert {at: found for at, found in enumerate(taken) if found} == {
        ROUNDS: 1,
        second + ROUNDS: 2,
        third + ROUNDS: 3,
    }
    steps = [(10 * PACE, 1), (40 * PACE, 1), (160 * PACE, 1), (160 * PACE, 1)]
    assert begun == steps, "each four times as long as the one before, up to 16 times the first"


def test_a_search_waits_twice_as_long_each_time_that_it_finds_nothing_better():
    """Its parts cost 1, 4 and 16; rounds bring 1, after the fourth 1 / 2, after the ninth 1 / 4."""
    rounds, begun = 0, []

    def search(_part):
        begun.append(rounds)
        return len(begun)

    with Monitor(threads=1) as monitor, ConcurrentSearch(search, monitor, PACE) as searches:
        for rounds in range(1, 70):  # noqa: B007, `search` looks at it
            if searches.after_round(1):
                searches.back_off()
    assert begun == [1, 6, 67]


@pytest.mark.parametrize("before", [0, 7])
def test_a_search_continues_where_it_was_paused(before):
    """Its parts count the steps of all of them; it costs less where it has a larger share."""
    begun = []

    def search(part):
        begun.append((part.saved and part.saved.state["at"], part.iterations, part.limits.iterations))
        part.advance(part.iterations_left)
        part.pause(lambda: {"at": part.iterations})
        return part.iterations

    earlier = Paused(Saved({"at": before}, "a search"), Position(0.0, before)) if before else None
    with Monitor(threads=1) as monitor, ConcurrentSearch(search, monitor, PACE, 2.0, earlier) as searches:
        for _ in range(14):
            searches.after_round(1)
    ends = [before, before + PACE, before + 5 * PACE, before + 21 * PACE]
    assert begun == [(before or None, ends[0], ends[1]), (ends[1], *ends[1:3]), (ends[2], *ends[2:])]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_result_is_left_until_it_is_used(threads):
    def search(_part):
        return 10

    for rounds, left in ((0, None), (1, 10), (ROUNDS, 10), (ROUNDS + 1, None)):
        with Monitor(threads=threads) as monitor:
            with ConcurrentSearch(search, monitor, PACE) as searches:
                for at in range(rounds):
                    searches.after_round(1 if at == 0 else 0)
            assert searches.left() == left


def test_a_running_search_ends_with_the_proof():
    ended = []

    def search(part):
        while part.should_continue():
            time.sleep(0.001)
        ended.append(part.status)

    with Monitor(threads=2) as monitor:
        with ConcurrentSearch(search, monitor, PACE) as searches:
            searches.after_round(1)
        assert ended and monitor.should_continue(), "the whole run goes on"


def test_the_result_does_not_depend_on_the_threads(monkeypatch):
    """With a poor first network and searches all the time; the networks found on the way are the same, too."""
    monkeypatch.setattr(ilp, "FIRST_STEPS", 1)
    monkeypatch.setattr(ilp, "STEPS_PER_SET", 0)
    monkeypatch.setattr(concurrent_search, "PACE", 10)
    data = random_dataset(3, n_vars=14, n_rows=80, max_arity=2)
    results = [learn(data, Config(4, method="ilp"), threads=threads) for threads in (1, 2)]
    assert results[0] == results[1] and results[0].status == OPTIMAL
    best = learn(data, Config(4, method="dp"))
    assert results[0].score == pytest.approx(best.score, abs=1e-6)
