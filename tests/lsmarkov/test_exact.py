"""Few variables: `lsmarkov.learn` proves the optimum instead of searching, whatever the limits and the start."""

import numpy as np
import pytest

from cliquewise.common.certify.cliques import certify
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.result import ITERATION_LIMIT, OPTIMAL, TIME_LIMIT
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov import exact
from cliquewise.lsmarkov import learn as lsmarkov
from cliquewise.lsmarkov.config import Config
from tests.learning import Recorder, learner
from tests.oracles.learners import best_chordal
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, clique_scores, dataset_of, random_dataset, random_set_scores, rows_of, without

learn = learner(lsmarkov.learn, Config())


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("max_clique", [None, 2, 3])
def test_the_optimum_is_proved(n, max_clique):
    for seed in range(3):
        data, recorder = random_dataset(seed, n_vars=n, n_rows=60, max_arity=3), Recorder()
        best, _ = best_chordal(n, set_score(rows_of(data), arity_of(data), "bdeu", 2.0), max_clique)
        result = learn(data, Config(max_clique=max_clique, seed=seed), ess=2.0, iterations=1, recorder=recorder)
        assert result.score == pytest.approx(best, abs=1e-7) and result.upper_bound == result.score
        assert (result.status, result.iterations, recorder.rows[-1].score) == (OPTIMAL, 0, result.score)
        assert certify(result.graph, data, Scoring(ess=2.0), claimed=result.score, max_clique=max_clique).ok


def test_edges_that_are_allowed_and_forbidden():
    path, pair = Graph(4, ((0, 1), (1, 2), (2, 3), (0, 3))), Graph(4, ((1, 2),))
    for seed in range(4):
        scores = random_set_scores(seed, 4)
        source = clique_scores(scores, 4, 4)
        for config, edges in (
            (Config(allowed=path), {*path.edges}),
            (Config(allowed=path, forbidden=pair), {*path.edges} - {*pair.edges}),
        ):
            result, (best, _) = learn(source, config, seconds=5.0), best_chordal(4, scores.get, None, edges)
            assert result.score == pytest.approx(best, abs=1e-9) and result.status == OPTIMAL
            assert {*result.graph.edges} <= edges


def test_sets_that_score_files_forbid():
    lost = 0
    for seed in range(8):
        scores = random_set_scores(seed, 5)
        left = without(scores, [{0, 1}, {2, 3, 4}])
        best, graphs = best_chordal(5, left.__getitem__)
        result = learn(clique_scores(left, 5, 5), seconds=5.0)
        assert result.score == pytest.approx(best, abs=1e-9) and result.status == OPTIMAL
        assert {*result.graph.edges} in [set(edges) for edges in graphs]
        lost += best_chordal(5, scores.get)[0] - best
    assert lost > 0


def test_twelve_variables_whatever_the_seed_and_the_start():
    """Parities by five: what no search is sure to find."""
    rng = np.random.default_rng(1)
    codes = rng.integers(2, size=(2000, 12))
    for last in (4, 9):
        codes[:, last] = codes[:, last - 4 : last].sum(axis=1) % 2
    data = dataset_of(codes.tolist())
    starts = Config(), Config(seed=2), Config(chow_liu=False), Config(init=Graph(12, ((0, 1),)))
    found = [learn(data, config, ess=10.0, iterations=1) for config in starts]
    assert all(result == found[0] for result in found) and found[0].status == OPTIMAL
    assert {(u, v) for u, v in found[0].graph.edges} >= {(u, v) for v in range(5) for u in range(v)}


def test_problems_that_are_searched_instead(monkeypatch):
    """As published, with required edges, with too many variables or too much to count."""
    data = random_dataset(1, n_vars=5, n_rows=50)
    for config in (Config("ecai2020"), Config(required=Graph(5, ((0, 1),)))):
        assert learn(data, config, iterations=2).status == ITERATION_LIMIT
    for name, least in (("FEW_VARIABLES", 4), ("MAX_WORK", 100)):
        with monkeypatch.context() as changed:
            changed.setattr(exact, name, least)
            assert learn(data, Config(), iterations=2).status == ITERATION_LIMIT


def test_a_run_without_time_returns_its_start():
    data = random_dataset(1, n_vars=12, n_rows=5000)  # the clock is a thread, which needs a moment to begin
    result = learn(data, seconds=1e-9)
    assert result.status == TIME_LIMIT and certify(result.graph, data, claimed=result.score).ok
