"""The N best networks: lists against enumeration, proofs that nothing is left out, stops."""

import itertools

import numpy as np
import pytest

from cliquewise.common.bounds.best_networks import BestNetworks
from cliquewise.common.bounds.problem import Problem
from cliquewise.common.certify.bound import certify_bound
from cliquewise.common.graphs.edge_prior import EdgePrior
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.learning.network_lists import listing
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.run.result import INTERRUPTED, OPTIMAL
from cliquewise.common.scores.scoring import Scoring
from cliquewise.junctor import learn as junctor
from cliquewise.junctor.config import Config
from tests.learning import Recorder, Stopping, learned
from tests.oracles.learners import scored_graphs
from tests.oracles.scores import set_score
from tests.random_inputs import (
    arity_of,
    clique_scores,
    dataset_of,
    random_dataset,
    random_edges,
    random_set_scores,
    rows_of,
)
from tests.slow import slow, slow_cases

METHODS = pytest.mark.parametrize("method", ["dp", "ilp"])
TIE = 1e-6
CASES = set(itertools.product(range(4), (2, 3, 6)))
SOME = [(1, 2), (0, 3), (3, 6)]


def ranked(graphs, most):
    """The best (score, edges), by score; tied ones, but for rounding, by the number of edges, then in their order."""
    left, found = sorted(graphs, key=lambda each: -each[0]), []
    left = [each for each in left if each[0] > left[:most][-1][0] - TIE]
    while left:
        tied = [each for each in left if each[0] > left[0][0] - TIE]
        found += sorted(tied, key=lambda each: (len(each[1]), sorted(each[1])))
        left = left[len(tied) :]
    return found[:most]


def agree(result, graphs, most):
    """Whether a list is that of an enumeration, but for those that are tied with the last one."""
    wanted = ranked(graphs, most)
    assert result.status == OPTIMAL and len(result.networks) == len(wanted)
    last = wanted[-1][0]
    for (graph, score), (value, edges) in zip(result.networks, wanted, strict=True):
        assert score == pytest.approx(value, abs=TIE)
        assert frozenset(graph.edges) == edges or value < last + TIE
    assert len({graph.edges for graph, _ in result.networks}) == len(wanted)
    assert max(sorted(value for value, _ in graphs)[:-most], default=-np.inf) <= result.others + TIE
    return wanted


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize(("seed", "width"), SOME + slow_cases(*CASES.difference(SOME)))
@METHODS
def test_all_networks_of_six_variables(seed, width, method):
    data = random_dataset(seed, n_vars=6, n_rows=(30, 300)[seed % 2], max_arity=3)
    graphs = scored_graphs(6, set_score(rows_of(data), arity_of(data), "bdeu", 2.0), width)
    for most in (1, 2, 30):
        result = learned(junctor.learn, data, Config(width, method=method, best=most), Scoring(ess=2.0))
        agree(result, graphs, most)


@METHODS
@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_scores_without_any_structure(seed, method):
    scores = random_set_scores(seed, 5)
    result = learned(junctor.learn, clique_scores(scores, 5, 4), Config(4, method=method, best=40))
    agree(result, scored_graphs(5, scores.__getitem__, 4), 40)


@pytest.mark.parametrize("seed", [4, *slow(0, 1, 2, 3, 5)])
def test_known_edges_and_priors(seed):
    data = random_dataset(seed, n_vars=6, n_rows=100, max_arity=3)
    edges = random_edges(seed, 6, 0.5)
    required, forbidden = Graph(6, edges[:2]), Graph(6, edges[2:5])
    pairs = {edge: 0.8 for edge in itertools.combinations(range(6), 2) if edge not in edges}
    score = set_score(rows_of(data), arity_of(data), "bdeu", 1.0)
    allowed = {*itertools.combinations(range(6), 2)} - {*edges[2:5]}
    graphs = [
        (value + sum(np.log(0.8 / 0.2) for edge in found if edge in pairs), found)
        for value, found in scored_graphs(6, score, 3, allowed, edges[:2])
    ]
    config = Config(3, required=required, forbidden=forbidden, best=25)
    agree(learned(junctor.learn, data, config, Scoring(prior=EdgePrior(pairs=pairs))), graphs, 25)
    certain = EdgePrior(pairs=pairs, required=edges[:2], forbidden=edges[2:5])
    config = Config(3, required=required, forbidden=forbidden, best=25, certificate=True)
    result = learned(junctor.learn, data, config, Scoring(prior=certain))
    agree(result, graphs, 25)
    listed = [graph.edges for graph, _ in result.networks]
    assert certify_bound(result.proof, data, Scoring(prior=certain), listed=listed) == ()


@METHODS
@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 8), (4, 61)])
def test_a_list_ends_with_the_last_network_that_exists(n, count, method):
    data = random_dataset(3, n_vars=n, n_rows=50)
    graphs = scored_graphs(n, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), n)
    result = learned(junctor.learn, data, Config(method=method, best=1000))
    assert len(agree(result, graphs, 1000)) == len(graphs) == count
    assert result.others < min(graphs)[0]


@pytest.mark.parametrize(("within", "seed"), [(0.0, 0), (0.5, 1), *slow_cases((0.0, 1), (0.5, 0), (1.5, 0), (1.5, 1))])
@METHODS
def test_all_within_a_difference(within, seed, method):
    data = random_dataset(seed, n_vars=6, n_rows=80, max_arity=3)
    graphs = scored_graphs(6, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), 3)
    best = max(graphs)[0]
    near = [each for each in graphs if each[0] >= best - within - 1e-9]
    result = learned(junctor.learn, data, listing(Config(3, method=method, within=within)))
    assert [edges for _, edges in agree(result, near, 1000)] == [frozenset(g.edges) for g, _ in result.networks]
    assert max(value for value, _ in graphs if value < best - within - 1e-9) <= result.others + TIE


@METHODS
def test_ties_are_reported_and_ordered(method):
    """Two columns that say the same: whatever is joined to one can be joined to the other."""
    rows = np.array([[0, 0, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1], [0, 0, 1, 1]] * 10)
    data = dataset_of(rows)
    graphs = ranked(scored_graphs(4, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), 4), 61)
    for most in (1, 5, 19):
        result = learned(junctor.learn, data, Config(method=method, best=most))
        agree(result, graphs, most)
        tied = sum(abs(value - graphs[most - 1][0]) < TIE for value, _ in graphs[most:])
        assert result.tied <= tied


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, *slow(0, 1)])
def test_certificates_of_lists(seed):
    data = random_dataset(seed, n_vars=6, n_rows=60, max_arity=3)
    result = learned(junctor.learn, data, Config(3, best=20, certificate=True))
    listed = [graph.edges for graph, _ in result.networks]
    assert certify_bound(result.proof, data, listed=listed) == ()
    assert certify_bound(result.proof, data) != ()
    inner = [k for k, (_, score) in enumerate(result.networks) if score > result.networks[-1][1] + TIE]
    for left_out in inner:
        assert certify_bound(result.proof, data, listed=listed[:left_out] + listed[left_out + 1 :]) != ()


@pytest.mark.slow
def test_a_stopped_run_keeps_the_networks_found():
    data = random_dataset(1, n_vars=12, n_rows=200, max_arity=3)
    whole = learned(junctor.learn, data, Config(3, method="ilp", best=40))
    for rounds in (1, 3, 10):
        recorder = Recorder(lambda monitor, row, rounds=rounds: row.node >= rounds and monitor.interrupt())
        part = learned(junctor.learn, data, Config(3, method="ilp", best=40), recorder=recorder)
        proved = [(graph.edges, score) for graph, score in part.networks if score > part.others + TIE]
        assert part.status == INTERRUPTED and len(part.networks) == 40
        assert proved == [(graph.edges, score) for graph, score in whole.networks[: len(proved)]]


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("seed", range(3))
def test_both_methods_list_the_same(seed):
    """Of 14 variables, of which bounds leave few states, within some edges."""
    data = random_dataset(20 + seed, n_vars=14, n_rows=300, max_arity=3)
    forbidden = Graph(14, random_edges(seed, 14, 0.2))
    by = {}
    for method in ("dp", "ilp"):
        config = Config((3, 4, 14)[seed], method=method, forbidden=forbidden, best=40)
        result = learned(junctor.learn, data, config)
        last = result.networks[-1][1]
        by[method] = [graph.edges for graph, score in result.networks if score > last + TIE]
        assert result.status == OPTIMAL and len(result.networks) == 40
        assert not {edge for graph, _ in result.networks for edge in graph.edges} & set(forbidden.edges)
    assert by["dp"] == by["ilp"]


def test_a_stopped_dynamic_program_keeps_the_networks_found():
    """At each place where it reports: the list has networks, none of which claims to be proved."""
    data = random_dataset(1, n_vars=14, n_rows=200, max_arity=3)
    whole = learned(junctor.learn, data, Config(3, method="dp", best=20))
    assert whole.status == OPTIMAL
    seen = set()
    for calls in range(0, 60, 4):
        with Stopping(calls) as monitor:
            try:
                part = junctor.learn(data, Scoring(), Config(3, method="dp", best=20), monitor)
            except KeyboardInterrupt:
                continue
        seen.add(part.status)
        if part.status == INTERRUPTED:
            assert not any(score > part.others + TIE for _, score in part.networks)
            assert part.upper_bound >= whole.score - TIE
        else:
            assert [graph.edges for graph, _ in part.networks] == [graph.edges for graph, _ in whole.networks]
    assert INTERRUPTED in seen


def test_neighbours_are_all_networks_with_an_edge_more_or_less():
    scores = random_set_scores(2, 5)
    with Monitor(threads=1) as monitor:
        problem = Problem(clique_scores(scores, 5, 3), Scoring(), monitor, 3)
        problem.compute()
        graphs = {edges: value for value, edges in scored_graphs(5, scores.__getitem__, 3)}
        for edges, value in list(graphs.items())[::20]:
            known = BestNetworks(5, problem.score_of, 10**6)
            known._add(_masks(5, edges), value)
            found = {_edges(other): score for other, score in known._neighbours(value, _masks(5, edges))}
            wanted = {other: graphs[other] for other in graphs if len(other ^ edges) == 1}
            assert found == {key: pytest.approx(score, abs=TIE) for key, score in wanted.items()}


def _masks(n, edges):
    return tuple(sum(1 << u for u in range(n) if (min(u, v), max(u, v)) in edges) for v in range(n))


def _edges(masks):
    n = len(masks)
    return frozenset((u, v) for u in range(n) for v in range(u + 1, n) if masks[u] >> v & 1)
