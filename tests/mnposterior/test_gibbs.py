"""The Gibbs move: its draws against all sets that the same junction tree represents, and against all networks."""

from collections import Counter, defaultdict
from math import exp, log

import numpy as np
import pytest

from cliquewise.common.chains.moves_kernels import move_scratch
from cliquewise.common.compiled.jit import JIT
from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.common.graphs.edge_prior import EdgePrior
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from cliquewise.common.sets.bitset import members_of
from cliquewise.mnposterior import gibbs_kernels
from cliquewise.mnposterior.gibbs_kernels import gibbs_scratch, resample_neighbours
from tests.oracles import graphs, moves
from tests.oracles.scores import set_score, with_prior
from tests.random_inputs import arity_of, random_chordal_edges, random_dataset, random_set_scores, rows_of, scores_of
from tests.search_parts import edges_of, rows_of_edges
from tests.slow import slow, slow_cases

nojit = pytest.mark.nojit
ALLOWED = 4.5  # standard errors
WHOLE = [(5, 4, 1.0), *((6, largest, beta) for largest in range(2, 7) for beta in (1.0, 0.3))]


class Sampler:
    """The move on one graph after another, with scores from a file or of data."""

    def __init__(self, scorer, score, max_clique, beta=1.0, seed=1):
        self.scorer, self.score, self.max_clique, self.beta = scorer, score, max_clique, beta
        self.moves = move_scratch(scorer.n, scorer.words)
        self.work = gibbs_scratch(scorer.n, scorer.words, max_clique)
        self.random = random_states(seed, 1)[0]
        self.weights = {}

    def draw(self, rows, v):
        """Draw the neighbours of v again in the graph with these bit rows, in place; returns the gain."""
        scores, scratch = self.scorer.scores, self.scorer.scratch[0]
        own = scores, scratch, self.moves, self.work
        return resample_neighbours(*own, rows, v, self.max_clique, self.beta, self.random)

    def weight(self, edges):
        """ln of the weight of a graph; None if it has a clique that is too large."""
        if edges not in self.weights:
            n = self.scorer.n
            is_small = max(map(len, graphs.maximal_cliques(n, edges))) <= self.max_clique
            self.weights[edges] = self.beta * graphs.graph_score(n, edges, self.score) if is_small else None
        return self.weights[edges]

    def shares(self, found):
        """The probability of each of some graphs, without those that have larger cliques."""
        logs = {one: weight for one in found if (weight := self.weight(one)) is not None}
        top = max(logs.values())
        total = sum(exp(value - top) for value in logs.values())
        return {one: exp(value - top) / total for one, value in logs.items()}


def of_random_scores(n, max_clique, beta=1.0, seed=1):
    """A Sampler with random scores of sets."""
    values = {members: 0.7 * score for members, score in random_set_scores(seed, n).items()}
    return Sampler(SetScorer(scores_of(n, values.__getitem__)), values.__getitem__, max_clique, beta, seed)


def neighbours_of(edges, v):
    """A frozenset."""
    return frozenset(w for edge in edges if v in edge for w in edge if w != v)


def sets_of(data):
    """The sets in the bytes of uint64[m, 1]."""
    return [frozenset(members_of(row)) for row in np.frombuffer(data, np.uint64).reshape(-1, 1)]


def named(found, n):
    """Counts by edges, from counts by the bytes of bit rows."""
    return Counter({edges_of(np.frombuffer(rows, np.uint64).reshape(n, 1)): count for rows, count in found.items()})


def assert_drawn(found, shares):
    """Counts of draws agree with probabilities, and there are no others."""
    draws = sum(found.values())
    assert {*found} <= {*shares}
    for key, share in shares.items():
        assert abs(found[key] - draws * share) <= ALLOWED * (draws * share * (1 - share)) ** 0.5 + 3


@nojit
@pytest.mark.parametrize("most", [7, 2, 1])
@pytest.mark.parametrize("n, largest, beta", [(5, 5, 1.0), (6, 3, 0.4), (6, 4, 1.0), (7, 2, 2.0), (7, 5, 1.0)])
def test_a_draw_has_the_conditional_distribution(monkeypatch, n, largest, beta, most):
    monkeypatch.setattr(gibbs_kernels, "MAX_FREE", most)
    seen = 0
    for seed in range(3):
        sampler = of_random_scores(n, largest, beta, seed)
        edges, v = frozenset(random_chordal_edges(seed, n, largest)), seed % n
        rows, start = np.zeros((n, 1), np.uint64), rows_of_edges(n, edges)
        count = len(graphs.cliques_and_separators(n, [uv for uv in edges if v not in uv])[0])
        found, gains, free = defaultdict(Counter), {}, sampler.work.free
        for _ in range(1000 if JIT else 20):
            rows[:] = start
            gain = sampler.draw(rows, v)
            given = (*(part[:count].tobytes() for part in sampler.work.tree[5:8]), free.tobytes())
            found[given][rows.tobytes()] += 1
            gains[rows.tobytes()] = gain
        for (cliques, _, parents, free), drawn in found.items():
            tree = sets_of(cliques), [p if p >= 0 else None for p in np.frombuffer(parents, np.int64)]
            (free,) = sets_of(free)
            sets = moves.represented({*range(n)} - {v}, *tree)
            fixed = neighbours_of(edges, v) - free
            graphs_of = [graphs.with_neighbours(edges, v, one) for one in sets if one - free == fixed]
            if edges not in graphs_of:
                graphs_of = [edges]
            assert_drawn(named(drawn, n), sampler.shares(graphs_of))
            seen += len(drawn)
        for after, gain in gains.items():
            change = sampler.weight(edges_of(np.frombuffer(after, np.uint64).reshape(n, 1))) - sampler.weight(edges)
            assert gain == pytest.approx(change / beta, abs=1e-9)
    assert seen > 20


def over_all(sampler, draws, keep=lambda edges: True, start=frozenset()):
    """How far frequencies in a chain of this move alone are from probabilities: of edges, and of networks."""
    n = sampler.scorer.n
    rows, found = rows_of_edges(n, start), Counter()
    for vertex in np.random.default_rng(draws).integers(n, size=draws):
        sampler.draw(rows, vertex)
        found[rows.tobytes()] += 1
    found, shares = named(found, n), sampler.shares(filter(keep, graphs.chordal_graphs(n)))
    assert {*found} <= {*shares}
    errors = [
        abs(sum(found[one] for one in found if edge in one) / draws - sum(shares[one] for one in shares if edge in one))
        for edge in graphs.all_pairs(n)
    ]
    return max(errors), sum(abs(found[one] / draws - share) for one, share in shares.items()) / 2


@pytest.mark.parametrize("n, largest, beta", [(5, 2, 0.3), (5, 3, 1.0), (5, 5, 0.3), *slow_cases(*WHOLE)])
def test_draws_have_the_posterior_over_all_networks(n, largest, beta):
    edge, network = over_all(of_random_scores(n, largest, beta), 40_000 if n == 5 else 1_000_000)
    assert edge < 0.01 and network < 0.06


@pytest.mark.parametrize("n", [5, *slow(6)])
@pytest.mark.parametrize("most", [7, 1])
def test_required_forbidden_and_expected_edges(monkeypatch, n, most):
    """Some edges must be there, some cannot (one by its prior probability), others are likely or unlikely."""
    monkeypatch.setattr(gibbs_kernels, "MAX_FREE", most)
    data = random_dataset(2, n, n_rows=20)
    pairs = {(0, 1): 0.9, (1, 2): 0.2}
    required, forbidden = Graph(n, ((0, 3), (2, 3))), Graph(n, ((0, 4), (1, 4)))
    odds = {pair: log(p / (1 - p)) for pair, p in pairs.items()}
    score = with_prior(set_score(rows_of(data), arity_of(data), "bdeu"), lambda u, v: odds.get((u, v), 0.0))
    scorer = SetScorer(data, Scoring(prior=EdgePrior(pairs=pairs)), forbidden=forbidden, required=required)
    start = frozenset(required.edges)
    keep = lambda one: start <= one and not one & {*forbidden.edges}  # noqa: E731
    edge, network = over_all(Sampler(scorer, score, n - 1), 40_000 if n == 5 else 1_000_000, keep, start)
    assert edge < 0.01 and network < 0.04
