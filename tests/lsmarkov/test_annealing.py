"""Regions that are replaced together against the oracles, and annealing in them."""

import random
from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import TIME_LIMIT
from cliquewise.common.scores.score_cache_kernels import score_of
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import annealing, search
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.ensemble import Ensemble
from cliquewise.lsmarkov.joint import JointSets
from cliquewise.lsmarkov.learn import learn
from cliquewise.lsmarkov.regions import put_back, regions_of, take_out
from cliquewise.lsmarkov.walker_kernels import BEST
from tests.learning import run, run_in_parts
from tests.oracles import graphs
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, dataset_of, random_chordal_edges, random_dataset, rows_of
from tests.search_parts import bits_of, edges_of, parts_of, rows_of_edges

SCORING = Scoring("bdeu", 1.0)


def is_chordal(n, edges):
    """Whether there is a perfect elimination order: fast enough for seventy vertices."""
    return graphs.elimination_order(n, edges) is not None


def changed(region, edges, rng):
    """Another chordal graph on a region: edges toggled at random, those of the kept cliques left alone."""
    fixed = {pair for clique in region.shared for pair in combinations(clique, 2)}
    members = [int(v) for v in region.members]
    here = {(u, v) for u, v in edges if u in members and v in members}
    place = {v: i for i, v in enumerate(members)}
    for _ in range(30 if len(members) > 1 else 0):
        pair = tuple(sorted(rng.sample(members, 2)))
        after = here ^ {pair}
        if pair not in fixed and is_chordal(len(members), [(place[u], place[v]) for u, v in after]):
            here = after
    return here


@pytest.mark.parametrize("n", [2, 9, 14, 66, 71])
@pytest.mark.parametrize("seed", range(4))
def test_regions_can_be_replaced_all_at_once(n, seed):
    """The result is chordal, and the score changes by the sum of the changes in the regions."""
    rng = random.Random(100 * n + seed)
    edges = random_chordal_edges(seed, n, max_clique=4 if n > 20 else None)
    size = rng.randint(2, 12)
    regions = regions_of(Graph(n, edges), size, np.random.default_rng(seed))
    assert {pair for pair in edges if any(set(pair) <= set(region.members) for region in regions)} == set(edges)
    largest = max(map(len, graphs.cliques_and_separators(n, edges)[0]))
    assert all(len(region.members) <= size + largest for region in regions)

    values = {}

    def score(members):
        return values.setdefault(frozenset(members), rng.random())

    rows, expected = rows_of_edges(n, edges), graphs.graph_score(n, edges, score)
    for region in regions:
        members = [int(v) for v in region.members]
        place = {v: i for i, v in enumerate(members)}
        before = {(u, v) for u, v in edges if u in place and v in place}
        after = changed(region, edges, rng)
        gains = [
            graphs.graph_score(
                len(members),
                [(place[u], place[v]) for u, v in pairs],
                lambda sets, members=members: score(members[i] for i in sets),
            )
            for pairs in (before, after)
        ]
        expected += gains[1] - gains[0]
        alone = take_out(rows_of_edges(n, after), region.members)
        assert len(alone) == (n if n <= 64 else len(members))
        put_back(rows, region.members, alone)
        assert np.array_equal(take_out(rows, region.members), alone)
    found = edges_of(rows)
    assert is_chordal(n, found)
    assert graphs.graph_score(n, found, score) == pytest.approx(expected, abs=1e-9)


def test_isolated_variables_share_regions():
    """Components are put together, so that edges between them can be found."""
    regions = regions_of(Graph(100, ((0, 1), (4, 5))), 30, np.random.default_rng(1))
    sizes = sorted(len(region.members) for region in regions)
    assert sizes[-1] <= 30 and sizes[0] + sizes[1] > 30  # no two could be one
    assert sorted(v for region in regions for v in region.members.tolist()) == list(range(100))
    assert not any(region.shared for region in regions)


@pytest.mark.parametrize("n", [9, 70])
def test_scores_of_a_region_are_those_of_the_whole(n):
    """Each score is the oracle's, and one that is computed in a region is known outside of it."""
    data = random_dataset(3, n_vars=n, n_rows=50)
    scorer, score = SetScorer(data, Scoring("bdeu", 5.0)), set_score(rows_of(data), arity_of(data), "bdeu", 5.0)
    parts, rng = parts_of(scorer), random.Random(n)
    members = np.array(sorted(rng.sample(range(n), 6)))
    restricted = scorer.restricted(members, [tuple(members[:3].tolist())])
    numbers = members if n <= 64 else np.arange(6)
    for size in (1, 2, 3):
        for chosen in combinations(range(6), size):
            of = bits_of([int(numbers[i]) for i in chosen], n if n <= 64 else 6)
            whole = {int(members[i]) for i in chosen}
            assert score_of(restricted, parts.scratch, of) == pytest.approx(score(frozenset(whole)), abs=1e-9)
            before = scorer.computed
            scorer.score(whole)
            assert scorer.computed == before
    kept = {frozenset(pair) for pair in combinations(numbers[:3].tolist(), 2)}
    assert {frozenset(pair) for pair in edges_of(restricted.required)} == kept


def linked(n, rows=400, seed=1):
    """Binary columns, each wrong in one row of five about an earlier one, so that a network of n variables is found."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(2, size=(rows, n))
    for v in range(1, n):
        codes[:, v] = codes[:, rng.integers(max(0, v - 5), v)] ^ (rng.random(rows) < 0.2)
    return dataset_of(codes)


@pytest.mark.slow
def test_many_variables_are_annealed_in_regions(monkeypatch):
    """From 1001 variables on nothing else is done; here already from 66, the same on one thread and on three."""
    monkeypatch.setattr(search, "MANY_VARIABLES", 65)
    data, config = linked(66), Config(max_clique=4, chow_liu=False)
    start = run(learn, data, SCORING, config, iterations=1)
    one, three = (run(learn, data, SCORING, config, iterations=900_000, threads=threads) for threads in (1, 3))
    assert one == three
    assert one.score > start.score + 1000.0
    assert certify(one.graph, data, claimed=one.score, max_clique=4).ok


@pytest.mark.slow
def test_a_run_in_regions_can_be_resumed(tmp_path):
    data, config, limits = linked(66), Config(), {"iterations": 1_200_000}
    whole = run(learn, data, SCORING, config, **limits)
    result, parts = run_in_parts(learn, str(tmp_path / "c"), data, SCORING, config, stops=[40, 100], **limits)
    assert result == whole and parts == 3


def test_required_edges_are_kept_in_regions():
    """Required edges of a region and across its border stay, below 64 variables and above."""
    for n in (20, 66):
        data, kept = linked(n), Graph(n, ((0, n - 1), (1, n - 2)))
        found = run(learn, data, SCORING, Config(required=kept), iterations=300_000)
        assert set(kept.edges) <= set(found.graph.edges)
        assert is_chordal(n, found.graph.edges)


def test_a_phase_never_loses_the_best_network(monkeypatch):
    """The best network known stays known, also in restarts, and its score is that of its graph."""
    scores, taken = [], annealing.Annealing._anneal

    def watched(self, *arguments):
        ends = taken(self, *arguments)
        scores.append(float(self.ensemble.best.numbers[BEST]))
        return ends

    monkeypatch.setattr(annealing.Annealing, "_anneal", watched)
    data = random_dataset(5, n_vars=16, n_rows=200)
    found = run(learn, data, SCORING, Config(), iterations=2_000_000)
    assert scores == sorted(scores) and len(scores) > 3
    assert certify(found.graph, data, claimed=found.score).ok


def test_a_run_may_end_before_the_first_regions(monkeypatch):
    """The time may be over when the sets of joint moves have been looked at."""
    data = random_dataset(4, n_vars=6, n_rows=60)
    with Monitor(threads=1) as monitor:
        ensemble = Ensemble(SetScorer(data, SCORING, threads=1), 2, 1, monitor)
        ensemble.place(ensemble.walkers[0].best)
        tried = annealing.Annealing(ensemble, ensemble.walkers[-1], np.zeros((6, 6)), 3)
        monkeypatch.setattr(Ensemble, "status", TIME_LIMIT)
        tried.phase()
    assert tried.number == 0


def test_a_search_continues_that_was_paused_before_the_first_cut(monkeypatch):
    """The sets of joint moves that it had looked at are more than its cuts."""
    data, look = random_dataset(3, 20, 200), JointSets.look
    config = Config(max_clique=4, cache_mb=64)
    with Monitor(threads=1) as monitor:
        with monitor.part(iterations=5000) as part, monkeypatch.context() as patch:
            patch.setattr(JointSets, "look", lambda self, *args: look(self, *args) or part.interrupt())
            learn(data, SCORING, config, part)
        state = part.paused.saved.state
        assert (state["annealing-number"], state["joint-batches"]) == (0, 1)
        with monitor.part(iterations=5000, paused=part.paused) as part:
            found = learn(data, SCORING, config, part)
    assert part.paused.saved.state["annealing-number"] > 0
    assert certify(found.graph, data, SCORING, claimed=found.score).ok
