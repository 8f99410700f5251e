"""Attempts: when a search begins again, where, and that nothing is lost."""

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import attempts
from cliquewise.lsmarkov.attempts import Attempts
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.ensemble import Ensemble, put
from cliquewise.lsmarkov.learn import learn
from cliquewise.lsmarkov.walker_kernels import BEST
from tests.learning import Told, run, run_in_parts
from tests.random_inputs import random_dataset
from tests.search_parts import rows_of_edges

SCORING = Scoring("bdeu", 1.0)


def phases(tried, ensemble, count, scores=(), graph=None):
    """So many phases, which find these scores at their numbers; the number of the one after which it began again."""
    for number in range(count):
        if number in scores:
            put(ensemble.walkers[0], graph, scores[number])
        if tried.count_phase():
            return number
    return None


def test_where_attempts_begin(monkeypatch):
    """At the start network, and every other one at the best network."""
    monkeypatch.setattr(attempts, "PATIENCE", 5)
    data = random_dataset(3, n_vars=6, n_rows=100)
    start, good, poor = (rows_of_edges(6, edges) for edges in ([(0, 1)], [(0, 1), (1, 2)], [(3, 4)]))
    with Monitor(threads=1) as monitor:
        ensemble = Ensemble(SetScorer(data, SCORING, 16, 1), 3, 1, monitor)
        ensemble.place(start)
        ensemble.run_slice(ensemble.score_start, ensemble.walkers[-1:])
        first = ensemble.best.numbers[BEST]
        tried = Attempts(ensemble, 6)

        def placed():
            return {walker.adjacency.tobytes() for walker in ensemble.walkers}

        # the first one and another from the start: phases after the fifth without improvement
        assert phases(tried, ensemble, 20, {2: first + 1.0}, good) == 7
        assert placed() == {start.tobytes()} and ensemble.best.numbers[BEST] == first
        assert ensemble.best_of_all.numbers[BEST] == first + 1.0
        # one that took long may stay as long where it is; the next goes on from the best, for as long
        assert phases(tried, ensemble, 40, {4: first + 0.2, 8: first + 0.3, 12: first + 0.5}, poor) == 25
        assert placed() == {good.tobytes()} and np.array_equal(ensemble.best_of_all.best, good)
        assert phases(tried, ensemble, 40) == 26
        assert placed() == {start.tobytes()}
        assert phases(tried, ensemble, 20, {1: first + 50.0}, poor) == 6
        assert placed() == {poor.tobytes()} and ensemble.best_of_all.numbers[BEST] == first + 50.0


@pytest.mark.parametrize("patience, moves", [(1, 1_000_000), (3, 4_000_000)])
def test_attempts_lose_nothing_and_can_be_resumed(monkeypatch, tmp_path, patience, moves):
    monkeypatch.setattr(attempts, "PATIENCE", patience)
    data, config, limits = random_dataset(7, n_vars=14, n_rows=300), Config(max_clique=4), {"iterations": moves}
    begun, count = [], Attempts.count_phase

    def counted(self):
        begins = count(self)
        begun.append(begins)
        return begins

    monkeypatch.setattr(Attempts, "count_phase", counted)
    told = Told()
    whole = run(learn, data, SCORING, config, told=told, **limits)
    assert sum(begun) > 1
    scores = [row.score for row in told.rows]
    assert scores == sorted(scores) and scores[-1] == pytest.approx(whole.score)
    assert certify(whole.graph, data, claimed=whole.score, max_clique=4).ok
    parts = run_in_parts(learn, str(tmp_path / "c"), data, SCORING, config, stops=[20, 30, 40], **limits)
    assert parts == (whole, 4)
