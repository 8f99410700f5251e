"""Obstructions, and the program of the networks' families alone: against all graphs and networks, and each other."""

from itertools import combinations
from random import Random

import numpy as np
import pytest

from cliquewise.common.exact.scip import ProgramLimits
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.graphs.treewidth import treewidth as bounds
from cliquewise.common.graphs.treewidth_search import order_within
from cliquewise.common.run.result import OPTIMAL
from cliquewise.twlearn import milp as milp_module
from cliquewise.twlearn.families import ScoredFamilies
from cliquewise.twlearn.kp import kp
from cliquewise.twlearn.milp import milp
from cliquewise.twlearn.networks_scip import NetworkConstraints, UndecidedError, attempt
from cliquewise.twlearn.obstructions import is_wider, obstruction
from tests.oracles.networks import (
    best_network,
    moral_edges,
    networks,
    treewidth,
    treewidth_by_sets,
    width_of_order,
)
from tests.random_inputs import random_dataset
from tests.slow import slow
from tests.twlearn.scored import certified, families_of
from tests.twlearn.test_cutting import all_families, members_of
from tests.twlearn.test_exact import solved
from tests.twlearn.test_families import listed


def near_of(n, edges):
    near = [0] * n
    for u, v in edges:
        near[u] |= 1 << v
        near[v] |= 1 << u
    return near


def edges_of_cliques(cliques):
    return frozenset(pair for clique in cliques for pair in combinations(sorted(members_of(clique)), 2))


def random_network(n, most, rng):
    """Parents of each vertex, among those before it."""
    return {v: frozenset(rng.sample(range(v), min(v, rng.randint(0, most)))) for v in range(n)}


def families_of_network(network):
    return {v: sum(1 << u for u in (v, *parents)) for v, parents in network.items() if parents}


@pytest.mark.parametrize("n", [1, 3, 5])
def test_treewidth_of_all_small_graphs(n):
    pairs = list(combinations(range(n), 2))
    for chosen in range(1 << len(pairs)):
        edges = frozenset(edge for i, edge in enumerate(pairs) if chosen >> i & 1)
        width = treewidth(n, edges)
        for w in range(1, n):
            assert is_wider(near_of(n, edges), w) == (width > w)


@pytest.mark.parametrize("seed", range(40))
def test_graphs_where_rules_do_not_suffice(seed):
    """Of 8 to 11 vertices with 2 to 3 times as many edges; also the order that proves it, and both bounds."""
    rng = Random(seed)
    n = rng.randint(8, 11)
    pairs = list(combinations(range(n), 2))
    edges = sorted(rng.sample(pairs, min(len(pairs), rng.randint(2 * n, 3 * n))))
    width, found = treewidth_by_sets(n, edges), bounds(Graph(n, tuple(edges)))
    assert (found.lower, found.upper, width_of_order(n, edges, found.order)) == (width,) * 3
    for w in (width - 1, width):
        assert is_wider(near_of(n, edges), w) == (width > w)
        order, left = order_within(near_of(n, edges), w, 10**6)
        assert left > 0 and (order is None) == (width > w)
        assert order is None or width_of_order(n, edges, order) <= w


def test_a_graph_that_takes_too_long_is_undecided():
    grid = [(8 * i + j, 8 * i + j + 1) for i in range(8) for j in range(7)]
    grid += [(8 * i + j, 8 * i + j + 8) for i in range(7) for j in range(8)]
    assert is_wider(near_of(64, grid), 7, most=3) is None


@pytest.mark.fast_cases(6)
@pytest.mark.parametrize("w", [1, 2, 3])
@pytest.mark.parametrize("seed", [*range(7), *slow(*range(7, 20))])
def test_obstructions_are_too_wide_and_smallest(seed, w):
    """By all elimination orders; no part can be left out, and no vertex of a part but the one it belongs to."""
    rng = Random(100 * w + seed)
    n = 7
    cliques = families_of_network(random_network(n, 3, rng))
    if treewidth(n, edges_of_cliques(cliques.values())) <= w:
        cliques = families_of_network({v: frozenset(range(max(0, v - w - 1), v)) for v in range(n)})
    found = obstruction(cliques, w, rng.sample(list(cliques), len(cliques)), rng)
    assert all(found[v] & ~cliques[v] == 0 and found[v] >> v & 1 for v in found)

    def is_too_wide(parts):
        return treewidth(n, edges_of_cliques(parts.values())) > w

    assert is_too_wide(found)
    for v, part in found.items():
        assert not is_too_wide({u: other for u, other in found.items() if u != v})
        for u in members_of(part) - {v}:
            assert not is_too_wide({**found, v: part ^ 1 << u})


def constraints_of(families, w):
    """The constraint handler of a program of all families, without a program."""
    return NetworkConstraints([], families, np.arange(len(families.scores)), w)


@pytest.mark.parametrize("w", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_every_network_within_the_treewidth_satisfies_the_constraints(seed, w):
    """Those of random solutions, fractional and not; a network that is too wide violates one of its own."""
    n, rng = 4, np.random.default_rng(seed)
    families = all_families(n, 3, seed)
    handler = constraints_of(families, w)
    row_of = {
        (int(handler.child[row]), members_of(handler.parents[row])): row for row in range(len(families.scores))
    }  # fmt: skip
    every = networks(n, 3)
    values = np.zeros((len(every), len(families.scores)))
    for k, network in enumerate(every):
        values[k, [row_of[v, parents] for v, parents in enumerate(network)]] = 1.0
    wide = np.array([treewidth(n, moral_edges(network)) > w for network in every])
    seen = 0
    for _ in range(60):
        mixed = rng.dirichlet(np.full(6, 0.5)) @ values[rng.integers(len(every), size=6)]
        for rows, least, largest in handler.violated(mixed, False):
            sums = values[:, rows].sum(axis=1)
            assert (sums[~wide] <= (np.inf if largest is None else largest)).all()
            assert least is None or (sums >= least).all()
            seen += 1
    assert seen
    for k in rng.choice(np.flatnonzero(wide), 20):
        found = handler.violated(values[k], True)
        assert found and all(values[k, rows].sum() > largest for rows, _, largest in found)
    for k in rng.choice(np.flatnonzero(~wide), 20):
        assert handler.violated(values[k], True) == []


def test_a_cycle_violates_a_cluster():
    families = all_families(4, 1, 0)
    handler = constraints_of(families, 2)
    values = np.zeros(len(families.scores))
    for v, parent in enumerate((1, 2, 0, 0)):
        values[np.flatnonzero((handler.child == v) & (handler.parents == 1 << parent))] = 1.0
    found = handler.violated(values, True)
    assert all(least == 1 and largest is None and values[rows].sum() == 0.0 for rows, least, largest in found)
    assert [set(handler.child[rows]) for rows, _, _ in found] == [{0, 1, 2}, {0, 1, 2, 3}]


def test_an_undecided_network_ends_the_attempt(monkeypatch):
    families = all_families(5, 3, 1)
    monkeypatch.setattr("cliquewise.twlearn.networks_scip.is_wider", lambda near, w: None)
    with pytest.raises(UndecidedError):
        handler = constraints_of(families, 1)
        rows = [np.flatnonzero((handler.child == v) & (handler.parents == max(0, (1 << v) - 1)))[0] for v in range(4)]
        values = np.zeros(len(families.scores))
        values[rows] = 1.0
        values[np.flatnonzero((handler.child == 4) & (handler.parents == 0))] = 1.0
        handler.violated(values, True)
    assert attempt(families, np.arange(len(families.scores)), 1, -1e9, ProgramLimits()).bound == np.inf


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize("w", [1, 2, 3])
@pytest.mark.parametrize("seed", [*range(4), *slow(*range(4, 8))])
def test_optima_of_random_scores(seed, w):
    """Against all networks: of all families, of some, and with the optimum known."""
    n, most = 5 - (w == 3), min(w + 1, 3)
    families = all_families(n, most, seed)
    best, _ = best_network(listed(families), most, w)
    everything = np.arange(len(families.scores))
    found = attempt(families, everything, w, best - 100.0, ProgramLimits())
    assert families.scores[found.rows].sum() == pytest.approx(best) and found.bound <= best + 1e-6
    again = attempt(families, everything, w, best, ProgramLimits())
    assert again.rows is None and again.bound == best
    some = np.flatnonzero((np.arange(len(everything)) % 3 > 0) | (families.parents < 0).all(axis=1))
    scores = [{s: score for s, score in each.items()} for each in listed(families)]
    left = [members for members in zip(np.repeat(np.arange(n), np.diff(families.start)), families.parents, strict=True)]
    kept = [{} for _ in range(n)]
    for row in some:
        v, parents = left[row]
        members = frozenset(parents.tolist()) - {-1}
        kept[v][members] = scores[v][members]
    of_some, _ = best_network(kept, most, w)
    found = attempt(families, some, w, of_some - 100.0, ProgramLimits())
    assert families.scores[found.rows].sum() == pytest.approx(of_some)


@pytest.mark.fast_cases(7)
@pytest.mark.parametrize("w", [1, 2])
@pytest.mark.parametrize("seed", [*range(6), *slow(*range(6, 12))])
def test_optima_of_tied_scores(seed, w):
    """Equal scores make the program symmetric, and obstructions that are added later are not."""
    families = all_families(5, 2, seed)
    families = ScoredFamilies(families.start, families.parents, np.round(families.scores))
    best, _ = best_network(listed(families), 2, w)
    found = attempt(families, np.arange(len(families.scores)), w, best - 100.0, ProgramLimits())
    assert found.rows is not None and families.scores[found.rows].sum() == best


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("seconds", [0.0, 60.0])
@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_both_programs_find_the_optimum_of_data(seed, seconds, monkeypatch):
    """Of 8 variables, with no time for the first attempt, and with enough; `kp` has the same."""
    monkeypatch.setattr(milp_module, "FIRST_SECONDS", seconds)
    data = random_dataset(300 + seed, n_vars=8, n_rows=200, max_arity=3)
    monkeypatch.setattr(milp_module, "best_of_any_treewidth", lambda *_, **__: (None, np.inf))
    for w in (2, 3):
        families = families_of(data, w)
        result = certified(data, solved(milp, families, w), w)
        assert result.status == OPTIMAL and result.upper_bound == result.score
        assert result.score == pytest.approx(solved(kp, families, w).score)
