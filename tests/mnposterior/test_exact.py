"""mnposterior by exact weighted draws: against the sum over all chordal graphs, and against the chains."""

from collections import Counter
from itertools import product
from math import exp, log

import numpy as np
import pytest

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.mnposterior.config import PosteriorConfig
from cliquewise.mnposterior.exact import _summary, fill_tables
from cliquewise.mnposterior.exact_kernels import draw_tree, log_rooted_trees
from cliquewise.mnposterior.learn import learn
from tests.commands import ROOT
from tests.learning import learner, run
from tests.oracles.graphs import maximal_cliques
from tests.oracles.posteriors import edge_probabilities
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, first_columns, random_dataset, random_set_scores, rows_of
from tests.reading import read_csv
from tests.search_parts import random_state
from tests.slow import slow_cases

WINE = ROOT / "data/wine.csv"
drawn = learner(learn, PosteriorConfig("exact", draws=20_000))
sampled = learner(learn, PosteriorConfig("chains"))


def compare(result, data, ess=1.0, **prior):
    """The largest error of an edge's probability; the log normaliser must be within five standard errors."""
    score = set_score(rows_of(data), arity_of(data), "bdeu", ess)
    exact, log_total = edge_probabilities(data.n, score, **prior)
    found = dict(zip(result.graph.edges, result.graph.probabilities, strict=True))
    estimate, error = float(result.details["log-normaliser"]), float(result.details["log-normaliser-error"])
    assert abs(estimate - log_total) < 5 * error + 1e-4
    for edge, of in zip(result.graph.edges, result.graph.errors, strict=True):
        assert abs(found[edge] - exact[edge]) < 5 * of + 1e-3
    return max(abs(found.get(edge, 0.0) - share) for edge, share in exact.items())


@pytest.mark.fast_cases(10)
@pytest.mark.parametrize("seed", range(20))
def test_all_graphs_of_five_variables(seed):
    data = random_dataset(seed, 5)
    assert compare(drawn(data), data) < 0.01


@pytest.mark.parametrize("bound", [1, 2, 3, 4])
def test_a_bound_and_an_edge_prior(bound):
    data, config = random_dataset(bound, 5), PosteriorConfig("exact", draws=20_000, max_clique=bound)
    assert compare(drawn(data, config, edge_prior=0.3), data, max_clique=bound, edge_prior=0.3) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("ess", [1.0, 10.0])
@pytest.mark.parametrize("name", ["Voting", "autos", "Flag", "alarm"])
def test_all_graphs_of_six_variables(shared, name, ess):
    data = first_columns(read_csv(shared / f"data/coarsen/{name}.csv"), 6)
    assert compare(drawn(data, PosteriorConfig("exact", draws=50_000), ess=ess), data, ess) < 0.01


@pytest.mark.slow
@pytest.mark.parametrize("n, moves", [(10, 40_000_000), (12, 60_000_000), (14, 120_000_000)])
@pytest.mark.parametrize("name", ["Voting", "autos", "Flag", "alarm"])
def test_chains_and_exact_draws_agree(shared, name, n, moves):
    """With 40 million moves on 14 columns of autos the standard error of an edge is 0.01, too much to detect 0.02."""
    data = first_columns(read_csv(shared / f"data/coarsen/{name}.csv"), n)
    exact, chains = drawn(data, PosteriorConfig("exact", draws=200_000)), sampled(data, iterations=moves)
    one, other = (dict(zip(r.graph.edges, r.graph.probabilities, strict=True)) for r in (exact, chains))
    errors = {edge: abs(one.get(edge, 0.0) - other.get(edge, 0.0)) for edge in one.keys() | other.keys()}
    assert max(errors.values()) < 0.02


@pytest.mark.slow
@pytest.mark.parametrize("edge_prior, draws", [(0.01, 200), *slow_cases((0.5, 2000))])
def test_errors_are_the_spread_of_many_runs(draws, edge_prior):
    """Also of edges in few heavy draws, or in none."""
    spreads, rare, normalisers = [], [], []
    for seed in range(5):
        data = random_dataset(seed, 5)
        score = set_score(rows_of(data), arity_of(data), "bdeu", 1.0)
        exact, log_total = edge_probabilities(data.n, score, edge_prior=edge_prior)
        for repeat in range(20):
            config = PosteriorConfig("exact", draws=draws, seed=100 * seed + repeat)
            result = drawn(data, config, edge_prior=edge_prior)
            details = result.details
            edges = zip(
                result.graph.edges, zip(result.graph.probabilities, result.graph.errors, strict=True), strict=True
            )
            found = {**dict.fromkeys(exact, (0.0, float(details["error-of-other-edges"]))), **dict(edges)}
            assert all(error >= 1e-6 for _, error in found.values())
            of = {edge: (share - exact[edge]) / error for edge, (share, error) in found.items()}
            spreads += of.values()
            rare += [of[edge] for edge, share in exact.items() if 1 / draws < share < 0.05]
            error = float(details["log-normaliser-error"])
            normalisers.append((float(details["log-normaliser"]) - log_total) / error)
    for z in (spreads, rare, normalisers):
        z = np.array(z)
        assert len(z) >= 20 and 0.3 < np.sqrt((z**2).mean()) < 1.2
        assert (abs(z) > 4).mean() < 0.01


def test_equal_draws_have_large_standard_errors():
    """The empty network of 5 independent variables has 125 rooted junction trees, those with an edge 10 or 20."""
    data = Dataset(tuple("abcde"), (("0", "1"),) * 5, np.zeros((1, 5), np.uint8, order="F"))
    for seed in range(100):
        result = drawn(data, PosteriorConfig("exact", draws=100, seed=seed), edge_prior=0.003)
        if not result.graph.edges:
            break
    score = set_score(rows_of(data), arity_of(data), "bdeu", 1.0)
    log_total = edge_probabilities(5, score, edge_prior=0.003)[1]
    estimate, error = float(result.details["log-normaliser"]), float(result.details["log-normaliser-error"])
    assert not result.graph.edges and abs(estimate - log_total) < 2 * error
    assert float(result.details["error-of-other-edges"]) == pytest.approx(0.01)


def test_degenerate_weights_are_reported(caplog):
    data, graph = random_dataset(1, 6), np.zeros((1000, 6), np.uint32)
    light = np.full(1000, log(1296))
    light[:5] = 0.0
    graph[:5] = [63 ^ 1 << v for v in range(6)]
    with Monitor(Limits(), 1) as monitor:
        result = _summary(graph, light, 0.0, np.zeros(64), data, PosteriorConfig("exact", draws=1000), monitor)
    assert "1000 draws have an effective sample size of only 6." in caplog.text
    assert min(result.graph.errors) > 0.18 and float(result.details["effective-samples-edges"]) < 6


def trees_by_definition(n, edges):
    """Junction trees of a graph rooted at a clique with the vertex n - 1, counted by trying all parents."""
    cliques = [frozenset(clique) for clique in maximal_cliques(n, edges)]
    m, found = len(cliques), 0
    for root in (i for i in range(m) if n - 1 in cliques[i]):
        others = [i for i in range(m) if i != root]
        for parents in product(range(m), repeat=m - 1):
            parent = dict(zip(others, parents, strict=True))
            ways = [path(i, parent, root) for i in range(m)]
            if None not in ways:
                found += all(
                    cliques[i] & cliques[j] <= cliques[k]
                    for i in range(m)
                    for j in range(i)
                    for k in between(ways[i], ways[j])
                )
    return found


def path(i, parent, root):
    """The cliques from i to the root; None if there is a cycle."""
    way = [i]
    while way[-1] != root:
        if parent[way[-1]] in way:
            return None
        way.append(parent[way[-1]])
    return way


def between(one, other):
    """The cliques on the way from the first of `one` to the first of `other`."""
    shared = [k for k in one if k in other]
    return {*one, *other} - set(shared) | {shared[0]}


def test_trees_are_drawn_by_their_weight_and_counted():
    n, scores = 4, random_set_scores(3, 4)
    by_mask = np.array([scores[frozenset(v for v in range(n) if mask >> v & 1)] / 4 for mask in range(1 << n)])
    tables = run(fill_tables, n, by_mask)
    state, work, seen = random_state(1), np.zeros((5, n), np.int64), Counter()
    root, draws = 0b1100, 4000
    for _ in range(draws):
        count = draw_tree(tables, root, state, *work[:4])
        cliques = tuple(sorted(work[0, :count].tolist()))
        weight = sum(by_mask[work[0, :count]]) - sum(by_mask[work[1, 1:count]])
        tree = tuple(sorted(zip(work[0, 1:count].tolist(), work[0, work[2, 1:count]].tolist(), strict=True)))
        seen[cliques, tree, weight] += 1
        edges = {(u, v) for c in cliques for u in range(n) for v in range(u + 1, n) if c >> u & c >> v & 1}
        known = log_rooted_trees(n, *work[:3], count, work[4])
        assert exp(known) == pytest.approx(trees_by_definition(n, edges))
    total = tables.score_plus_g[tables.place[root] + 2 * tables.place[0b0011]]
    for (_, _, weight), times in seen.items():
        share = exp(weight - total)
        assert abs(times / draws - share) < 5 * (share * (1 - share) / draws) ** 0.5
    assert sum(exp(weight - total) for _, _, weight in seen) == pytest.approx(1, abs=0.02)


def test_counts_of_junction_trees():
    for edges in ((), ((0, 1),), ((0, 1), (2, 3)), ((0, 5), (1, 5), (2, 5)), ((0, 1), (1, 2), (3, 4), (4, 5))):
        cliques, separators, parents = tree_of(6, edges)
        member_of = np.zeros(6, np.int64)
        known = log_rooted_trees(6, cliques, separators, parents, len(cliques), member_of)
        assert known == pytest.approx(log(trees_by_definition(6, edges)))


def tree_of(n, edges):
    """Some junction tree of a graph: masks of cliques, separators, and parents, a parent before its children."""
    left = [sum(1 << v for v in clique) for clique in maximal_cliques(n, edges)]
    cliques, separators, parents = [left.pop(0)], [0], [-1]
    while left:
        links = [(i, j) for i in range(len(left)) for j in range(len(cliques))]
        i, j = max(links, key=lambda link: (left[link[0]] & cliques[link[1]]).bit_count())
        parents.append(j)
        separators.append(left[i] & cliques[j])
        cliques.append(left.pop(i))
    return tuple(np.array(part, np.int64) for part in (cliques, separators, parents))


def test_edges_that_are_not_allowed_never_occur():
    data, allowed = random_dataset(1, 5), Graph(5, ((0, 1), (0, 2), (1, 2), (3, 4)))
    result = drawn(data, PosteriorConfig("exact", draws=500, allowed=allowed))
    assert {*result.graph.edges} <= {*allowed.edges}


def test_the_same_seed_gives_the_same_whatever_the_threads():
    data = random_dataset(3, 6)
    one, two = (drawn(data, PosteriorConfig("exact", draws=3000), threads=threads) for threads in (1, 2))
    assert one == two and one.iterations == 3000
    assert one != drawn(data, PosteriorConfig("exact", draws=3000, seed=2))


def test_one_variable():
    result = drawn(random_dataset(1, 1), PosteriorConfig("exact", draws=10))
    assert result.graph.edges == () and result.details["log-normaliser-error"] == "0.000000"
