"""`lsmarkov.learn` in parts: a search that was paused or interrupted continues, and loses nothing."""

from dataclasses import replace

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.errors import DataError
from cliquewise.common.run.checkpoint import Checkpoint
from cliquewise.common.run.checkpoint_record import CheckpointRecord, RunInputs
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import learn as lsmarkov
from cliquewise.lsmarkov.config import Config
from tests.learning import learner
from tests.random_inputs import random_dataset

STEPS = 100_000  # of the long part
learn = learner(lsmarkov.learn, Config())


@pytest.mark.slow
def test_a_search_continues_wherever_it_was_paused():
    """In short parts, which end inside every kind of phase: none loses, and the steps are those of all."""
    data, config = random_dataset(3, 20, 200), Config(max_clique=4, cache_mb=64)
    scores, steps, paused = [], 0, None
    with Monitor(threads=1) as monitor:
        for more in (*range(1500, 20_000, 1000), STEPS, 5000):
            with monitor.part(iterations=more, paused=paused) as part:
                found = lsmarkov.learn(data, Scoring("bdeu", 1.0), config, part)
            assert part.paused is not paused and found.iterations == part.paused.position.iterations >= steps + more
            paused, steps = part.paused, found.iterations
            scores.append(found.score)
            assert certify(found.graph, data, Scoring("bdeu", 1.0), claimed=found.score, max_clique=4).ok
    state = paused.saved.state
    assert scores == sorted(scores) and state["annealing-number"] > 1 and state["joint-batches"] > 1


class OneSafePoint(Checkpoint):
    """A checkpoint of a run whose first phase does not end: only the state at its beginning is kept."""

    def keep(self, *state, **more):
        if self._kept is None:
            super().keep(*state, **more)


class StoppedMonitor(Monitor):
    """A run that is interrupted after some steps."""

    def __init__(self, steps, checkpoint):
        super().__init__(threads=1, checkpoint=checkpoint)
        self.steps = steps

    def advance(self, iterations, score=None):
        super().advance(iterations, score)
        if self.iterations >= self.steps:
            self.interrupt()


def test_what_was_found_after_the_last_safe_point_is_not_lost(tmp_path):
    data, scoring = random_dataset(3, n_vars=20, n_rows=300), Scoring("bdeu", 1.0)
    path, inputs = str(tmp_path / "c"), RunInputs("test", "0", "0", {})

    def part(steps):
        with StoppedMonitor(steps, OneSafePoint(path, inputs, resume=True)) as monitor:
            return lsmarkov.learn(data, scoring, Config(), monitor)

    start = learn(data, iterations=1).score
    first = part(200_000)
    assert first.score > start and first.status == INTERRUPTED
    for _ in range(2):
        again = part(2000)
        assert (again.graph, again.score) == (first.graph, pytest.approx(first.score, abs=1e-9))
    assert part(300_000).score >= first.score - 1e-9
    record = CheckpointRecord.load(path)
    forged = np.flip(np.eye(20, dtype=np.uint64)) << np.arange(20, dtype=np.uint64)
    replace(record, state={**record.state, "found_graph": forged}).save(path)
    with pytest.raises(DataError, match="a checkpoint whose 'found_graph' is not valid"):
        part(2000)
