"""FLIP, the joint toggle of learned sets of edges: the kernel against lists, the distribution, the learning."""

import math

import networkx
import numpy as np
import pytest

from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.mnposterior import proposals
from cliquewise.mnposterior.config import PosteriorConfig
from cliquewise.mnposterior.flips import FlipSearch, ScoredDraws, connected, learned_sets, shifts
from cliquewise.mnposterior.flips_kernels import flip_scratch, mean_acceptance, network_score, toggle_all
from cliquewise.mnposterior.learn import learn
from tests.learning import learner
from tests.oracles.graphs import all_pairs, chordal_graphs, graph_score, maximal_cliques
from tests.oracles.posteriors import edge_probabilities
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, rows_of
from tests.search_parts import edges_of, rows_of_edges
from tests.slow import slow_cases

N = 5
PAIRS = all_pairs(N)
ENDS = np.array(PAIRS, np.int32)
sampled = learner(learn, PosteriorConfig("chains"))


def scored(seed):
    """Data, the kernels' scores of their sets, and the oracle's."""
    data = random_dataset(seed, N)
    scorer = SetScorer(data, Scoring(ess=1.0))
    return (
        scorer,
        (scorer.scores, scorer.scratch[0], flip_scratch(N, 1)),
        set_score(rows_of(data), arity_of(data), "bdeu", 1.0),
    )


def oracle_score(edges, score, max_clique):
    """The score of a graph, minus infinity if it is not chordal or has a clique that is too large."""
    if frozenset(edges) not in chordal_graphs(N) or max(map(len, maximal_cliques(N, edges))) > max_clique:
        return -math.inf
    return graph_score(N, edges, score)


@pytest.mark.parametrize("max_clique", [3, N])
def test_joint_toggles_and_their_acceptance(max_clique):
    scorer, work, score = scored(1)
    rng = np.random.default_rng(max_clique)
    starts = [edges for edges in chordal_graphs(N) if max(map(len, maximal_cliques(N, edges))) <= max_clique]
    infeasible = 0
    for _ in range(200):
        edges = starts[rng.integers(len(starts))]
        members = rng.choice(len(PAIRS), rng.integers(1, 5), replace=False).astype(np.int32)
        expected = edges ^ {PAIRS[i] for i in members}
        rows = rows_of_edges(N, edges)
        before = oracle_score(edges, score, max_clique)
        after = oracle_score(expected, score, max_clique)
        one = rows[None].copy(), np.array([before])
        accepted = mean_acceptance(*work, *one, ENDS, members, max_clique)
        assert accepted == pytest.approx(math.exp(min(0.0, after - before)), abs=1e-9)
        assert np.array_equal(one[0][0], rows)
        assert toggle_all(rows, ENDS, members) == len(expected) - len(edges) and edges_of(rows) == expected
        assert network_score(*work, rows, max_clique) == pytest.approx(after)
        infeasible += after == -math.inf
    assert 20 < infeasible < 180
    scorer.scores.required[0, 0], scorer.scores.required[1, 0] = 2, 1
    with_it = [network_score(*work, rows_of_edges(N, edges), N) > -math.inf for edges in starts]
    assert with_it == [(0, 1) in edges for edges in starts]


@pytest.mark.slow
@pytest.mark.parametrize("seed, bound", [(0, N), *slow_cases((1, 3))])
def test_flips_alone_have_the_posterior_distribution(seed, bound, monkeypatch):
    """Single pairs, so that every graph is reached, and random sets."""
    rng = np.random.default_rng(seed)
    sets = [(i,) for i in range(len(PAIRS))]
    sets += [tuple(rng.choice(len(PAIRS), size, replace=False).tolist()) for size in (2, 2, 2, 2, 3, 3, 3, 4, 6)]
    monkeypatch.setattr(proposals, "FLIP_SHARE", 1.0)
    monkeypatch.setattr(proposals, "learned_sets", lambda *_: sets)
    data = random_dataset(seed, N)
    result = sampled(data, PosteriorConfig("chains", max_clique=bound), iterations=4_000_000)
    exact, _ = edge_probabilities(N, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), max_clique=bound)
    found = dict(zip(result.graph.edges, result.graph.probabilities, strict=True))
    assert max(abs(found.get(edge, 0.0) - share) for edge, share in exact.items()) < 0.01


def test_sets_are_learned_with_the_shares_of_all_draws_in_which_a_pair_is_an_edge(monkeypatch):
    given = []
    monkeypatch.setattr(proposals, "learned_sets", lambda *arguments: given.append(arguments) or [])
    data = random_dataset(0, N)
    sampled(data, PosteriorConfig("chains"), iterations=200_000)
    exact, _ = edge_probabilities(N, set_score(rows_of(data), arity_of(data), "bdeu", 1.0), max_clique=N)
    _, ends, shares, *_ = given[-1]
    assert [exact.get((u, v), 0.0) for u, v in ends.tolist()] == pytest.approx(shares.tolist(), abs=0.1)


def test_shifts_are_differences_of_conditional_frequencies():
    present = np.random.default_rng(3).integers(0, 2, (50, 6)).astype(np.float32)
    found = shifts(present)
    for e in range(6):
        for f in range(6):
            there, not_there = ([row[f] for row in present if row[e] == state] for state in (1, 0))
            assert found[e, f] == pytest.approx(abs(np.mean(there) - np.mean(not_there)), abs=1e-6)


def test_pairs_are_connected_by_their_ends():
    rng = np.random.default_rng(4)
    ends = np.array(all_pairs(30), np.int32)
    for size in (0, 1, 5, 20, 40):
        pairs = np.sort(rng.choice(len(ends), size, replace=False)).tolist()
        numbers = {tuple(ends[pair].tolist()): pair for pair in pairs}
        graph = networkx.Graph([*numbers])
        parts = [graph.subgraph(part).edges for part in networkx.connected_components(graph)]
        expected = {tuple(sorted(numbers[min(edge), max(edge)] for edge in part)) for part in parts}
        assert {*connected(pairs, ends)} == expected


def test_ladders_that_differ_in_two_places_get_a_set_for_each():
    """The set of all their differences is never accepted, that of each place only from one of the ladders."""
    ends = np.array(all_pairs(8), np.int32)
    number = {tuple(pair): i for i, pair in enumerate(ends.tolist())}
    places = [((0, 1), (1, 2), (0, 2)), ((4, 5), (5, 6), (4, 6))]
    networks = [rows_of_edges(8, {pair for place in places for pair in place[2 * k : 2 * k + 2]}) for k in (0, 1)]
    draws = [ScoredDraws(np.repeat(network[None], 40, axis=0), np.zeros(40)) for network in networks]
    shares = np.isin(np.arange(len(ends)), [number[pair] for place in places for pair in place]) * 0.5
    sets = [tuple(sorted(number[pair] for pair in place)) for place in places]
    accepted = {(*one, network.tobytes()) for one, network in zip(sets, networks, strict=True)}

    def acceptance(sample, members):
        return np.mean([(*members.tolist(), network.tobytes()) in accepted for network in sample.graphs])

    search = FlipSearch(acceptance, 10_000)
    assert {*learned_sets(draws, ends, shares, [], search)} == {*sets}


def test_edges_far_apart_that_ladders_change_only_together_get_a_set():
    """Each ladder lacks another edge of a cycle, and adding it closes the cycle; they differ elsewhere, too."""
    ends = np.array(all_pairs(8), np.int32)
    cycle, elsewhere = {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}, [{(5, 6), (6, 7)}, {(5, 7)}]
    missing = [(0, 1), (2, 3)]
    edges = [[cycle - {pair} | other for pair in missing] for other in elsewhere]
    possible = {rows_of_edges(8, one).tobytes() for some in edges for one in some}
    networks = [rows_of_edges(8, edges[k][k]) for k in (0, 1)]
    draws = [ScoredDraws(np.repeat(network[None], 40, axis=0), np.zeros(40)) for network in networks]
    shares = np.mean([[tuple(pair) in edges[k][k] for pair in ends.tolist()] for k in (0, 1)], axis=0)
    numbers = {tuple(pair): i for i, pair in enumerate(ends.tolist())}

    def acceptance(sample, members):
        graphs = sample.graphs.copy()
        for graph in graphs:
            toggle_all(graph, ends, members)
        return np.mean([graph.tobytes() in possible for graph in graphs])

    found = learned_sets(draws, ends, shares, [], FlipSearch(acceptance, 10_000))
    assert {*found} >= {tuple(sorted(numbers[pair] for pair in some)) for some in (missing, set.union(*elsewhere))}


def like(target):
    """An acceptance that falls with the number of pairs by which a set differs from the target."""
    return lambda _sample, members: math.exp(-2.0 * len({*members.tolist()} ^ {*target}))


def test_the_climb_finds_the_set_that_is_accepted():
    search = FlipSearch(like({1, 2, 5, 8}), 1000)
    sample = ScoredDraws(np.zeros((10, N, 1), np.uint64), np.zeros(10))
    assert search.climb(sample, {1, 2, 3, 4}, [3, 4, 5, 6, 7, 8]) == (1, 2, 5, 8)
    assert search.climb(sample, {1, 3}, [3, 5]) == (1, 5)  # only those that are free
    assert search.remaining < 1000 and search.remaining % 10 == 0


def test_edges_that_change_together_are_learned():
    """Two modes that differ in four edges, each ladder mostly in one; the other edges change freely."""
    rng = np.random.default_rng(0)
    together, draws = {0, 3, 4, 9}, []
    for ladder in range(4):
        rows = []
        for i in range(200):
            other = (ladder % 2 == 1) ^ (i < 50)
            free = {int(k) for k in np.flatnonzero(rng.random(10) < 0.3)} - together
            rows.append(rows_of_edges(N, [PAIRS[k] for k in free | ({0, 3} if other else {4, 9})]))
        draws.append(ScoredDraws(np.array(rows), np.zeros(200)))
    shares = np.full(len(PAIRS), 0.5)
    search = FlipSearch(like(together), 100_000)
    assert learned_sets(draws, ENDS, shares, [], search) == [(0, 3, 4, 9)] and search.remaining < 100_000
    assert learned_sets(draws, ENDS, shares, [], FlipSearch(like(together), 0)) == []
    assert learned_sets([ScoredDraws(*(part[:6] for part in one)) for one in draws], ENDS, shares, [], search) == []
