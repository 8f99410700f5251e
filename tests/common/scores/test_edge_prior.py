"""New scores and random priors on edges: every way to an optimum against all chordal graphs."""

from dataclasses import replace
from itertools import combinations
from math import log

import numpy as np
import pytest

from cliquewise.coarsen.candidates import candidate_gains, candidates
from cliquewise.coarsen.coarsening_program import greedy_choice, problem_of
from cliquewise.coarsen.coarsening_scip import solve
from cliquewise.coarsen.config import Config as CoarsenConfig
from cliquewise.coarsen.config import StepLimits
from cliquewise.coarsen.learn import learn as coarsen
from cliquewise.common.certify.bound import certify_bound
from cliquewise.common.certify.cliques import certify
from cliquewise.common.exact.scip import ProgramLimits
from cliquewise.common.graphs.edge_prior import EdgePrior
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.scores.spanning import pair_gains
from cliquewise.common.sets.set_orders import colex_masks
from cliquewise.junctor.config import Config as JunctorConfig
from cliquewise.junctor.learn import learn as junctor
from cliquewise.lsmarkov.config import Config as SearchConfig
from cliquewise.lsmarkov.learn import learn as lsmarkov
from cliquewise.mnposterior.config import PosteriorConfig
from cliquewise.mnposterior.learn import learn as mnposterior
from tests.as_oracles import candidates_of
from tests.learning import learned
from tests.oracles import coarsening
from tests.oracles.learners import best_chordal, scored_graphs
from tests.oracles.posteriors import edge_probabilities
from tests.oracles.scores import set_score, with_prior
from tests.random_inputs import arity_of, random_chordal_edges, random_dataset, rows_of
from tests.slow import slow_cases

NEAR = 1e-6
KINDS = ("bdeu", "aic", "ebic", "qnml")


def random_prior(seed, n):
    """Probabilities of some pairs, and another one of the rest."""
    rng = np.random.default_rng(seed)
    pairs = {(u, v): float(rng.uniform(0.02, 0.98)) for u in range(n) for v in range(u + 1, n) if rng.random() < 0.6}
    return EdgePrior(float(rng.uniform(0.1, 0.9)), pairs)


def expected_score(data, by):
    """The oracle's function from sets to scores."""
    kind = "bic" if by.score_type == "ebic" else by.score_type
    score = set_score(rows_of(data), arity_of(data), kind, by.ess)
    each = -2.0 * by.gamma * log(data.n) if by.score_type == "ebic" else 0.0

    def log_odds(u, v):
        p = by.prior.pairs.get((u, v), by.prior.probability)
        return each + log(p / (1.0 - p))

    return with_prior(score, log_odds)


def case(seed, n=5):
    """Data of few rows, and a Scoring with a prior."""
    kind = KINDS[seed % len(KINDS)]
    data = random_dataset(seed, n_vars=n, n_rows=30, max_arity=2 if kind == "qnml" else 3)
    return data, Scoring(kind, 1.0 + seed, 0.25 * (seed % 3), random_prior(seed, n))


@pytest.mark.parametrize("seed", range(8))
def test_scores_of_sets(seed):
    """In the cache, in the walk over all sets, on bit planes, and in the check."""
    data, by = case(seed, 4)
    score, scorer = expected_score(data, by), SetScorer(data, by)
    for mask, value in zip(colex_masks(4, 4).tolist()[1:], all_scores(data, by, 4)[1:], strict=True):
        members = [v for v in range(4) if mask >> v & 1]
        assert value == pytest.approx(score(members), abs=NEAR)
        assert scorer.score(members) == pytest.approx(score(members), abs=NEAR)


def test_pairs_on_bit_planes(monkeypatch):
    data, by = random_dataset(3, n_vars=9, n_rows=100, max_arity=4), Scoring("aic", prior=random_prior(3, 9))
    expected = pair_gains(SetScorer(data, by))
    monkeypatch.setattr("cliquewise.common.scores.spanning.MANY_VARIABLES", 1)
    assert pair_gains(SetScorer(data, by)) == pytest.approx(expected, abs=1e-9)


CASES = [(5, 5), (8, 5), (11, 5)]
MORE_CASES = [(seed, 5) for seed in range(12) if seed not in (5, 8, 11)] + [(seed, 6) for seed in range(12, 16)]


@pytest.mark.parametrize("seed, n", CASES + slow_cases(*MORE_CASES))
def test_every_learner_finds_the_optimum(seed, n):
    """With a random prior, and of seeds 8 to 11 without."""
    data, by = case(seed, n)
    if 8 <= seed < 12:
        by = replace(by, prior=EdgePrior())
    bound = 2 + seed % 4 if n == 5 else n
    best, _ = best_chordal(n, expected_score(data, by), bound)
    for learn, config in (
        (lsmarkov, SearchConfig(max_clique=bound)),
        (junctor, JunctorConfig(bound, method="dp")),
        (junctor, JunctorConfig(bound, method="ilp", certificate=True)),
    ):
        result = learned(learn, data, config, by, seconds=10.0)
        assert result.score == pytest.approx(best, abs=NEAR)
        assert certify(result.graph, data, by, result.score, bound).ok
    assert certify_bound(result.proof, data, by) == ()
    other = replace(by, prior=EdgePrior(0.97))
    if best_chordal(n, expected_score(data, other), bound)[0] > best + NEAR:
        assert certify_bound(result.proof, data, other) != ()


@pytest.mark.parametrize("seed", range(8))
def test_certificates_with_certain_edges(seed):
    """A certificate is about the networks with all edges of probability 1 and none of 0, and about no others."""
    data, by = case(seed)
    pairs = np.random.default_rng(seed).permutation([*combinations(range(5), 2)]).tolist()
    absent, present = ([tuple(pair) for pair in some] for some in (pairs[:2], pairs[2:4]))
    certain = replace(by, prior=replace(by.prior, forbidden=tuple(absent), required=tuple(present)))
    graphs = [
        (value, edges)
        for value, edges in scored_graphs(5, expected_score(data, by), 3)
        if edges.issuperset(present) and edges.isdisjoint(absent)
    ]
    edges = {"forbidden": Graph(5, tuple(sorted(absent))), "required": Graph(5, tuple(sorted(present)))}
    config = JunctorConfig(3, method="ilp", certificate=True, **edges)
    result = learned(junctor, data, config, certain, seconds=10.0)
    assert result.score == pytest.approx(max(value for value, _ in graphs), abs=NEAR)
    assert certify(result.graph, data, certain, result.score, 3).ok
    assert certify_bound(result.proof, data, certain) == ()
    if best_chordal(5, expected_score(data, by), 3)[0] > result.score + NEAR:
        assert certify_bound(result.proof, data, by) != ()


@pytest.mark.parametrize("seed", range(8))
def test_a_step_of_coarsening(seed):
    """The optimum of the step's program is the best of all assignments."""
    data, by = case(seed)
    if seed >= 4:
        by = replace(by, prior=EdgePrior())
    edges, score = random_chordal_edges(seed, 5, 3), expected_score(data, by)
    found = candidates(Graph(5, edges))
    task = problem_of(found, candidate_gains(found, SetScorer(data, by)))
    best = coarsening.best_gain(5, edges, set(candidates_of(found)), score)
    solution = solve(task, greedy_choice(task), ProgramLimits()) if len(task.found) else None
    assert (0.0 if solution is None else solution.gain) == pytest.approx(best, abs=NEAR)


@pytest.mark.parametrize("seed", range(4))
def test_coarsening(seed):
    """The result is what its score says, and no worse than the best forest."""
    data, by = case(seed)
    steps = CoarsenConfig(method="ic", steps=StepLimits(max_clique=3))
    result = learned(coarsen, data, steps, by)
    assert certify(result.graph, data, by, result.score, 3).ok
    assert result.score >= best_chordal(5, expected_score(data, by), 2)[0] - NEAR
    assert result.score <= best_chordal(5, expected_score(data, by), 3)[0] + NEAR


@pytest.mark.parametrize("seed", range(4))
def test_posterior(seed):
    data, by = case(seed)
    exact, _ = edge_probabilities(5, expected_score(data, by))
    result = learned(mnposterior, data, PosteriorConfig("exact", draws=80_000), by)
    found = dict(zip(result.graph.edges, result.graph.probabilities, strict=True))
    assert max(abs(found.get(edge, 0.0) - share) for edge, share in exact.items()) < 0.01


def test_a_certain_edge_is_checked():
    data, by = case(0)
    graph = learned(lsmarkov, data, SearchConfig(max_clique=3), by, seconds=5.0).graph
    here, (u, v) = graph.edges[0], next((u, v) for u in range(5) for v in range(u) if (v, u) not in graph.edges)
    for prior, message in (
        (EdgePrior(forbidden=(here,)), "has prior probability 0"),
        (EdgePrior(required=((v, u),)), "of prior probability 1 is missing"),
    ):
        assert message in certify(graph, None, Scoring(prior=prior)).problems[0]
