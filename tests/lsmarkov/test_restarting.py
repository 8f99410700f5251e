"""Restarting: annealing from nothing, while another walker keeps the best network."""

import numpy as np
import pytest

from cliquewise.common.graphs.chordal import chordal_score, graph_of
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import annealing, merging, restarting, search
from cliquewise.lsmarkov.annealing import Annealing
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.ensemble import Ensemble
from cliquewise.lsmarkov.learn import learn
from cliquewise.lsmarkov.restarting import CHAINS, PATIENCE, Restarting
from cliquewise.lsmarkov.walker_kernels import BEST, EVALUATED, STEPS
from tests.learning import run
from tests.oracles.graphs import elimination_order, graph_score
from tests.oracles.learners import best_chordal
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, rows_of
from tests.search_parts import edges_of

N, LARGEST = 6, 3


@pytest.fixture
def data(monkeypatch):
    """Of six variables; restarts are shorter."""
    monkeypatch.setattr(restarting, "COOLING_MOVES", (4000, 4000))
    return random_dataset(4, n_vars=N, n_rows=150)


def waiting(data, monitor, threads=1):
    """A Restarting at the empty graph."""
    scorer = SetScorer(data, Scoring("bdeu", 1.0), threads=threads)
    ensemble = Ensemble(scorer, 2, 1, monitor)
    ensemble.place(ensemble.walkers[0].best)
    gains = np.zeros((data.n, data.n))
    return Restarting(ensemble, Annealing(ensemble, ensemble.walkers[-1], gains, LARGEST))


def restarting_of(data, monitor, threads=1):
    """A Restarting at the empty graph, which need not wait."""
    restarts = waiting(data, monitor, threads)
    assert restarts.cost > 0
    restarts.cost = 0
    return restarts


def test_a_restart_finds_the_best_network(data):
    """That of all chordal graphs, also from the best; its score is that of its graph."""
    score = set_score(rows_of(data), arity_of(data), "bdeu")
    best, _ = best_chordal(N, score, LARGEST)
    with Monitor(threads=1) as monitor:
        monitor.start()
        restarts = restarting_of(data, monitor)
        walker = restarts.annealing.walker
        for number in (1, 2):
            restarts.cost = 0
            restarts.phase()
            edges = edges_of(restarts.ends[-1])
            assert restarts.number == number and len(restarts.ends) == CHAINS * number
            assert elimination_order(N, edges) is not None
            assert walker.numbers[BEST] == pytest.approx(graph_score(N, edges, score), abs=1e-6)
            assert restarts.ensemble.best.numbers[BEST] == pytest.approx(best, abs=1e-6)
        assert len(restarts.annealing.ends) == 0


def test_the_best_network_is_kept(data, monkeypatch):
    """Also while another one is annealed, and if that is worse."""
    with Monitor(threads=1) as monitor:
        monitor.start()
        restarts = restarting_of(data, monitor)
        restarts.phase()
        ensemble, scores = restarts.ensemble, []
        best, score = ensemble.best.best.copy(), ensemble.best.numbers[BEST]
        monkeypatch.setattr(restarting, "HOT_RATE", 0.0)  # so that it stays where it is,
        monkeypatch.setattr(restarting, "IDLE_CUTS", 0)
        restarts.annealing.coldest = 1e5  # hot
        monkeypatch.setattr(ensemble, "report", lambda: scores.append(float(ensemble.best.numbers[BEST])))
        restarts.cost = 0
        restarts.phase()
        assert scores and min(scores) >= score
        assert chordal_score(graph_of(ensemble.best.best), ensemble.scorer.score) == pytest.approx(score)
        assert np.array_equal(ensemble.best.best, best)


def test_a_restart_waits_until_other_methods_gain_no_more(data):
    """A share of the work of the last one must have gained nothing; with each gain the wait begins again."""
    with Monitor(threads=1) as monitor:
        monitor.start()
        restarts = restarting_of(data, monitor)
        restarts.phase()
        assert restarts.cost > 0 and restarts.known == restarts.ensemble.best.numbers[BEST]
        counts, number = restarts.annealing.walker.counts, restarts.number
        between = int(PATIENCE * restarts.cost)
        counts[EVALUATED] += between - 10
        restarts.phase()
        assert restarts.number == number
        restarts.known -= 1.0  # a better network was found since
        counts[EVALUATED] += 20
        restarts.phase()
        counts[EVALUATED] += between - 10
        restarts.phase()
        assert restarts.number == number
        counts[EVALUATED] += 20
        restarts.phase()
        assert restarts.number == number + 1


def test_an_unfinished_restart_is_not_merged(data):
    """At the limit of steps it ends, with the best network known."""
    with Monitor(Limits(iterations=20_000), threads=1) as monitor:
        monitor.start()
        restarts = restarting_of(data, monitor)
        restarts.phase()
        ensemble = restarts.ensemble
        assert ensemble.status is not None and len(restarts.ends) == 0
        assert sum(walker.counts[STEPS] for walker in ensemble.walkers) == 20_000
        best = ensemble.best
        assert chordal_score(graph_of(best.best), ensemble.scorer.score) == pytest.approx(best.numbers[BEST])


def test_ends_do_not_depend_on_threads(data, monkeypatch):
    """Two chains of a phase may cool at once; they have random states of their own."""
    monkeypatch.setattr(restarting, "IDLE_CUTS", 0)
    monkeypatch.setattr(restarting, "COOLING_MOVES", (40, 40))
    ends = []
    for threads in (1, 2):
        with Monitor(threads=threads) as monitor:
            monitor.start()
            restarts = restarting_of(data, monitor, threads)
            restarts.annealing.coldest = 1e5  # they end anywhere
            restarts.phase()
            assert len(restarts.ends) == CHAINS and not np.array_equal(*restarts.ends)
            ends.append((restarts.ends, restarts.ensemble.steps, restarts.cost))
    assert np.array_equal(ends[0][0], ends[1][0]) and ends[0][1:] == ends[1][1:]


@pytest.mark.parametrize("n, number", [(N, 0), (66, 1), (201, 0)])
def test_a_first_restart_of_few_or_many_variables_waits(monkeypatch, n, number):
    monkeypatch.setattr(restarting, "IDLE_CUTS", 0)
    monkeypatch.setattr(restarting, "COOLING_MOVES", (40, 40))
    with Monitor(threads=1) as monitor:
        monitor.start()
        restarts = waiting(random_dataset(1, n_vars=n, n_rows=20), monitor)
        restarts.phase()
        assert restarts.number == number


def test_a_search_of_more_variables_than_are_merged_restarts(monkeypatch):
    for module in (annealing, merging, restarting):
        monkeypatch.setattr(module, "MAX_VARIABLES", 13)
    monkeypatch.setattr(restarting, "COOLING_MOVES", (1000, 1000))
    monkeypatch.setattr(search, "FROM_LIMITS", (0.25, 30_000))
    cooled, merged = [], []
    monkeypatch.setattr(Restarting, "_keep", lambda self, found: cooled.append(found))
    monkeypatch.setattr(merging.Merging, "phase", lambda self: merged.append(self))
    run(learn, random_dataset(3, n_vars=14, n_rows=100), Scoring("bdeu", 1.0), Config(max_clique=3), iterations=500_000)
    assert cooled and not merged
