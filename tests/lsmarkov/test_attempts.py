"""Attempts: when one is over, where the next begins, and that nothing is lost."""

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import attempts
from cliquewise.lsmarkov.annealing import Annealing
from cliquewise.lsmarkov.attempts import Attempts
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.ensemble import Ensemble, put
from cliquewise.lsmarkov.learn import learn
from cliquewise.lsmarkov.merging import Merging
from cliquewise.lsmarkov.walker_kernels import BEST, SCORE
from tests.learning import Recorder, run, run_in_parts
from tests.oracles.graphs import elimination_order, graph_score
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, rows_of
from tests.search_parts import edges_of, rows_of_edges

SCORING = Scoring("bdeu", 1.0)
N = 6


def phases_until_over(tried):
    """How many phases without improvement an attempt has."""
    for number in range(1, 100):
        if tried.count_phase():
            return number
    raise AssertionError("no attempt ends")


def placed(ensemble):
    """The edges of the networks where the walkers are."""
    return {edges_of(walker.adjacency) for walker in ensemble.walkers}


def test_where_attempts_begin(monkeypatch):
    """At the network of an annealing, or at one merged of those before; the best of all is kept."""
    data, other = random_dataset(3, n_vars=N, n_rows=100), frozenset({(3, 4)})
    score = set_score(rows_of(data), arity_of(data), "bdeu")
    monkeypatch.setattr(Annealing, "melted", lambda self: rows_of_edges(N, other))
    merged = [(None, 0.0)]
    monkeypatch.setattr(Merging, "merge", lambda self, networks, best: put(self.walker, *merged[0]))
    with Monitor(threads=1) as monitor:
        ensemble = Ensemble(SetScorer(data, SCORING, 16, 1), 3, 1, monitor)
        ensemble.run_slice(ensemble.score_start, ensemble.walkers[-1:])
        annealing = Annealing(ensemble, ensemble.walkers[-1], np.zeros((N, N)), None)
        tried = Attempts(ensemble, annealing, Merging(ensemble, annealing, ensemble.walkers[-1], N), N)
        first = rows_of_edges(N, [(0, 1), (1, 2)])
        put(ensemble.walkers[0], first, 100.0)
        merged[0] = first, 100.0  # nothing better
        assert phases_until_over(tried) == attempts.PATIENCE[0] + 1  # the first phase found it
        assert placed(ensemble) == {other}
        assert ensemble.best.numbers[SCORE] == pytest.approx(graph_score(N, other, score))
        assert edges_of(ensemble.best_of_all.best) == edges_of(first) and ensemble.best_of_all.numbers[BEST] == 100.0

        joined = rows_of_edges(N, [(0, 1), (1, 2), (3, 4)])
        merged[0] = joined, 101.0
        assert phases_until_over(tried) == attempts.PATIENCE[1] + 1
        assert placed(ensemble) == {edges_of(joined)} and ensemble.best_of_all.numbers[BEST] == 101.0
        assert [edges_of(network) for network in tried.networks] == [edges_of(first), other]


def test_melting(monkeypatch):
    """Long annealings end in chordal networks with the required edges, whatever the threads; the best is kept."""
    data, required = random_dataset(7, n_vars=14, n_rows=300), Graph(14, ((0, 5), (5, 9)))
    monkeypatch.setattr(attempts, "PATIENCE", (1, 1))
    found, melted = [], Annealing.melted

    def watched(self):
        before = self.ensemble.best_of_all.best.copy()
        network = melted(self)
        assert np.array_equal(self.ensemble.best_of_all.best, before)
        assert any(np.array_equal(network, end) for end in self.ends)
        found.append([edges_of(end) for end in self.ends])
        return network

    monkeypatch.setattr(Annealing, "melted", watched)
    config = Config(max_clique=4, required=required)
    one, two = (run(learn, data, SCORING, config, iterations=6_000_000, threads=threads) for threads in (1, 2))
    assert one == two and set(required.edges) <= set(one.graph.edges)
    assert len(found) % 2 == 0 and found[: len(found) // 2] == found[len(found) // 2 :] != []
    for edges in (edges for ends in found for edges in ends):
        assert set(required.edges) <= edges and elimination_order(14, edges) is not None


@pytest.mark.parametrize("patience, moves", [(1, 6_000_000), (3, 12_000_000)])
def test_attempts_lose_nothing_and_can_be_resumed(monkeypatch, tmp_path, patience, moves):
    monkeypatch.setattr(attempts, "PATIENCE", (patience, patience))
    data, config, limits = random_dataset(7, n_vars=14, n_rows=300), Config(max_clique=4), {"iterations": moves}
    begun, count = [], Attempts.count_phase

    def counted(self):
        begins = count(self)
        begun.append(begins)
        return begins

    monkeypatch.setattr(Attempts, "count_phase", counted)
    recorder = Recorder()
    whole = run(learn, data, SCORING, config, recorder=recorder, **limits)
    assert sum(begun) > 1
    scores = [row.score for row in recorder.rows]
    assert scores == sorted(scores) and scores[-1] == pytest.approx(whole.score)
    assert certify(whole.graph, data, claimed=whole.score, max_clique=4).ok
    parts = run_in_parts(learn, str(tmp_path / "c"), data, SCORING, config, stops=[20, 30, 40], **limits)
    assert parts == (whole, 4)


def test_short_runs_have_one_attempt(monkeypatch):
    monkeypatch.setattr(attempts, "PATIENCE", (0, 0))
    monkeypatch.setattr(Attempts, "count_phase", lambda self: pytest.fail("another attempt"))
    data = random_dataset(7, n_vars=14, n_rows=300)
    run(learn, data, SCORING, Config(max_clique=4), seconds=0.5)
