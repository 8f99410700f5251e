"""Starts of the ladders of mnposterior: searches, and with many variables chains that are cooled from no edges."""

from types import SimpleNamespace

import numpy as np
import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.scorefile import CliqueScores
from cliquewise.common.graphs.chordal import bit_rows, chordal_score, graph_of
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED
from cliquewise.common.run.saved import Saved
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import learn as lsmarkov
from cliquewise.lsmarkov.config import Config as Search
from cliquewise.mnposterior import ladders as of_ladders
from cliquewise.mnposterior.chains import ADAPTATION_SHARE
from cliquewise.mnposterior.config import PosteriorConfig
from cliquewise.mnposterior.cooling import COOLING_SHARE, HOTTEST, STEPS, Cooling
from cliquewise.mnposterior.ladders import Ladders
from cliquewise.mnposterior.learn import learn
from cliquewise.mnposterior.starts import LONG_SEARCH_SHARE, SEARCH_SHARE, Starts
from tests.commands import ROOT
from tests.learning import Recorder, learner, run_in_parts
from tests.learning import run as run_learner
from tests.oracles.posteriors import edge_probabilities
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, first_columns, random_dataset, rows_of
from tests.reading import read_csv
from tests.slow import slow

ZOO = ROOT / "data/zoo.csv"
ESS_1 = Scoring(ess=1.0)
sampled = learner(learn, PosteriorConfig("chains"))
search = learner(lsmarkov.learn, Search(max_clique=3))


def starts_of(data, config, max_clique=3, scoring=ESS_1, **limits):
    """The starts of the ladders, as graphs."""

    def find(*run):
        ladders = Ladders(SetScorer(data, scoring), config, max_clique, run[-1])
        return Starts(data, scoring, config, max_clique, run[-1]).networks(ladders)

    return [graph_of(start) for start in run_learner(find, **limits)]


def test_every_other_ladder_of_few_variables_starts_at_the_best_network_found():
    data, scoring = first_columns(read_csv(ZOO), 14), Scoring(ess=10.0)
    score = SetScorer(data, scoring).score
    graphs = starts_of(data, PosteriorConfig("chains"), 3, scoring, iterations=400_000)
    scores = [chordal_score(graph, score) for graph in graphs]
    assert graphs[0] == graphs[2] and len(graphs[1].edges) == 13 and graphs[3].edges == ()
    assert scores[0] == pytest.approx(search(data, ess=10.0, iterations=20_000).score)
    assert scores[0] > scores[1] + 20.0 > scores[3] + 40.0


@pytest.mark.parametrize("ladders", [2, *slow(5)])
def test_one_ladder_of_many_variables_starts_at_a_network_found_and_the_others_at_cooled_ones(monkeypatch, ladders):
    searched = Graph(60, ((3, 7),))
    monkeypatch.setattr(lsmarkov, "learn", lambda *_: SimpleNamespace(graph=searched))
    config = PosteriorConfig("chains", ladders=ladders)
    graphs = starts_of(random_dataset(3, n_vars=60), config, iterations=40_000)
    assert graphs[0] == searched and len(graphs) == len({*graphs}) == ladders
    assert all(len(graph.edges) > 1 for graph in graphs[1:])


@pytest.mark.parametrize(("n", "share"), [(49, SEARCH_SHARE), (50, LONG_SEARCH_SHARE)])
def test_the_search_is_longer_where_other_ladders_are_cooled(monkeypatch, n, share):
    seen = []

    def search_in(*run):
        seen.append(run[-1].limits.iterations)
        return SimpleNamespace(graph=Graph(n, ()))

    monkeypatch.setattr(lsmarkov, "learn", search_in)
    starts_of(random_dataset(3, n_vars=n), PosteriorConfig("chains", ladders=2), iterations=40_000)
    assert seen == [share * 40_000]


def cooled(data, iterations, count=2, max_clique=3, scoring=ESS_1, monkeypatch=None):
    """Graphs of chains after a cooling, its temperatures, and the moves of the run before each."""
    config, seen = PosteriorConfig("chains", ladders=4), []
    with Monitor(Limits(iterations=iterations), threads=1) as monitor:
        ladders = Ladders(SetScorer(data, scoring), config, max_clique, monitor)
        cooling = Cooling(ladders, monitor, np.zeros((data.n, 1), np.uint64), count)
        seen.append((1.0 / ladders.beta[0], 0))
        set_temperature = ladders.set_temperature

        def noted(temperature):
            seen.append((temperature, monitor.iterations))
            set_temperature(temperature)

        monkeypatch.setattr(ladders, "set_temperature", noted)
        graphs = [graph_of(rows) for rows in cooling.networks()]
        return graphs, *map(np.array, zip(*seen, strict=True)), monitor.iterations


def test_temperatures_fall_in_equal_steps_of_the_logarithm(monkeypatch):
    """Each lasts for an equal part of the share of the run; a slice has 56 moves."""
    length = COOLING_SHARE * 600_000 / STEPS
    graphs, temperatures, moves, ended = cooled(random_dataset(3, 7), 600_000, monkeypatch=monkeypatch)
    assert len(graphs) == 2 and len(temperatures) == STEPS
    assert temperatures[0] == HOTTEST and temperatures[-1] == pytest.approx(1.0)
    assert np.diff(np.log(temperatures)) == pytest.approx(-np.log(HOTTEST) / (STEPS - 1))
    late = np.append(moves, ended) - length * np.arange(STEPS + 1)
    assert np.all((late >= 0) & (late < length))


def test_a_short_run_skips_temperatures(monkeypatch):
    _, temperatures, _, ended = cooled(random_dataset(3, 7), 6000, monkeypatch=monkeypatch)
    assert 1 < len(temperatures) < STEPS / 2 and temperatures[-1] < 3.0 and ended < 2 * COOLING_SHARE * 6000


def test_proposals_are_adapted_at_each_temperature(monkeypatch):
    adapted = []
    monkeypatch.setattr(Ladders, "adapt", lambda own, is_last: adapted.append((1.0 / own.beta[0], is_last)))
    _, temperatures, _, _ = cooled(random_dataset(3, 7), 6000, monkeypatch=monkeypatch)
    at, last = zip(*adapted, strict=True)
    assert at == pytest.approx(temperatures[1:]) and not any(last)


def test_a_run_without_a_limit_of_moves_has_a_slice_for_each_temperature(monkeypatch):
    """Its time is enough for 64 slices of its ladders."""
    monkeypatch.setattr(of_ladders, "MOVES_PER_SLICE", 4000)
    monkeypatch.setattr(Monitor, "share_done", property(lambda run: run.iterations / (of_ladders.BLOCKS * 4000)))
    _, temperatures, _, _ = cooled(random_dataset(3, 7), None, count=1, monkeypatch=monkeypatch)
    assert len(temperatures) > 0.9 * STEPS and temperatures[-1] == pytest.approx(1.0)


@pytest.mark.slow
def test_slow_cooling_ends_in_draws_from_the_posterior(monkeypatch):
    """Of sixteen chains, edges are as frequent as they are probable: an edge of 0.5 has a standard error of 0.125."""
    data = first_columns(read_csv(ZOO), 6)
    graphs, *_ = cooled(data, 4_000_000, 16, 6, ESS_1, monkeypatch)
    exact, _ = edge_probabilities(6, set_score(rows_of(data), arity_of(data), "bdeu", 1.0))
    for edge, probability in exact.items():
        share = sum(edge in graph.edges for graph in graphs) / 16
        assert abs(share - probability) < 4 * np.sqrt(probability * (1 - probability) / 16) + 0.01, edge


@pytest.mark.slow
def test_the_run_goes_on_where_it_was_ended(tmp_path, monkeypatch):
    """In a search, in the cooling, in the measurement of temperatures, and later."""
    monkeypatch.setattr(of_ladders, "MIN_GIBBS_VARIABLES", 2)
    data, config = random_dataset(7, n_vars=9, n_rows=300), PosteriorConfig("chains", max_clique=4, ladders=3)
    limits = {"iterations": 200_000}
    whole = run_learner(learn, data, ESS_1, config, **limits)
    for number, stops in enumerate(([1, 3, 9, 2, 40], [5] * 12, [20, 30])):
        path = str(tmp_path / str(number))
        result, parts = run_in_parts(learn, path, data, ESS_1, config, stops=stops, **limits)
        assert result == whole and parts == len(stops) + 1


def test_a_cooling_goes_on_from_a_safe_point(monkeypatch):
    kept, ends, data = [], [], random_dataset(3, 5)
    for _ in range(2):
        with Monitor(Limits(iterations=6000), threads=1) as monitor:
            ladders = Ladders(SetScorer(data, ESS_1), PosteriorConfig("chains", ladders=2), 5, monitor)
            if kept:
                monitor.iterations, state = kept[len(kept) // 2]
            cooling = Cooling(ladders, monitor, np.zeros((5, 1), np.uint64), 1)
            if kept:
                cooling.restore(Saved(state, "kept"))
            monkeypatch.setattr(monitor, "keep", lambda state, run=monitor: kept.append((run.iterations, state())))
            ends.append([graph_of(rows) for rows in cooling.networks()])
            ends[-1].append((ladders.current(), monitor.iterations))
    assert ends[0] == ends[1]


def test_a_run_that_was_ended_in_its_cooling_goes_on_with_that(tmp_path, monkeypatch):
    monkeypatch.setattr(of_ladders, "MIN_GIBBS_VARIABLES", 2)
    monkeypatch.setattr(Starts, "_best_network", lambda _, scorer: np.zeros((5, 1), np.uint64))
    run, how = (random_dataset(3, 5), ESS_1, PosteriorConfig("chains", ladders=2)), {"iterations": 12_000, "threads": 1}
    result, parts = run_in_parts(learn, str(tmp_path / "kept"), *run, stops=[30], **how)
    assert parts == 2 and result == run_learner(learn, *run, **how)


def test_a_network_of_the_search_that_the_scores_forbid_is_refused(monkeypatch):
    monkeypatch.setattr(lsmarkov, "learn", lambda *_: SimpleNamespace(graph=Graph(3, ((0, 1),))))
    sets = np.arange(8, dtype=np.uint64)
    forbidding = CliqueScores(3, 3, sets, np.where(sets & 3 == 3, -np.inf, 0.0), "scores")
    with pytest.raises(DataError, match="scores: a set of the start network scores minus infinity"):
        starts_of(forbidding, PosteriorConfig("chains", ladders=2), iterations=1000)


def test_adaptation_has_a_share_of_what_the_starts_leave(monkeypatch):
    monkeypatch.setattr(of_ladders, "MIN_GIBBS_VARIABLES", 2)
    recorder = Recorder()
    sampled(random_dataset(3, 7), iterations=300_000, recorder=recorder)
    adapting = max(row.step for row in recorder.rows if row.adapting) / 300_000
    end = COOLING_SHARE + ADAPTATION_SHARE * (1.0 - COOLING_SHARE)
    assert recorder.rows[0].step > COOLING_SHARE * 300_000 and end - 0.05 < adapting < end


def test_a_checkpoint_with_a_network_that_is_not_chordal_is_refused(tmp_path):
    config, data = PosteriorConfig("chains", ladders=2), random_dataset(3, 5)
    with Monitor(Limits(iterations=1000), threads=1) as monitor:
        ladders = Ladders(SetScorer(data, ESS_1), config, 5, monitor)
        cooling = Cooling(ladders, monitor, np.zeros((5, 1), np.uint64), 1)
        state = cooling._state()
        cooling.restore(Saved(state, "kept"))
        cycle = bit_rows(Graph(5, ((0, 1), (1, 2), (2, 3), (0, 3))))
        with pytest.raises(DataError, match="'cooling-searched' is not valid"):
            cooling.restore(Saved({**state, "cooling-searched": cycle}, "kept"))


def test_a_stop_before_the_first_search_still_gives_a_result():
    result = sampled(random_dataset(3, 60), iterations=300_000, stopped=True)
    assert result.status == INTERRUPTED and len(result.witnesses) == 4 and result.samples
