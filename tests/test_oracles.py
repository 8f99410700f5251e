"""The oracles against each other, against numbers worked out by hand, and against published ones."""

import csv
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations
from math import log, prod

import pytest

from tests.oracles import blankets, graphs, learners, moves, scores
from tests.oracles.families import bdeu_of_family
from tests.oracles.networks import moral_edges, networks, treewidth, treewidth_by_sets
from tests.random_inputs import (
    arity_of,
    random_chordal_edges,
    random_dataset,
    random_edges,
    random_set_scores,
    rows_of,
)

# Figure 1 of the lsmarkov paper, its v1 .. v6 as 0 .. 5: cliques {v1,v6} {v1,v5} {v1,v2,v3} {v2,v3,v4}
FIGURE_1 = frozenset({(0, 5), (0, 4), (0, 1), (0, 2), (1, 2), (1, 3), (2, 3)})


def bdeu_by_urn(rows, arity, members, ess):
    """The probability behind BDeu, row by row: (times seen + ess/q) / (rows so far + ess), as a fraction."""
    members = list(members)
    share = Fraction(ess) / prod(arity[v] for v in members)
    seen, probability = Counter(), Fraction(1)
    for k, row in enumerate(rows):
        state = tuple(row[v] for v in members)
        probability *= (seen[state] + share) / (k + ess)
        seen[state] += 1
    return probability


def test_bdeu_by_hand():
    rows = [(0, 0), (1, 1)]
    # one binary column, a = 1: 1/2 * (1/2)/2;  both: 1/4 * (1/4)/2
    assert scores.bdeu(rows, [2, 2], {0}, 1) == pytest.approx(log(1 / 8), abs=1e-12)
    assert scores.bdeu(rows, [2, 2], {0, 1}, 1) == pytest.approx(log(1 / 32), abs=1e-12)
    assert scores.bdeu(rows, [2, 2], set(), 1) == 0
    # the same value twice, a = 2: 1/2 * 2/3
    assert scores.bdeu([(0,), (0,)], [2], {0}, 2) == pytest.approx(log(1 / 3), abs=1e-12)


def test_likelihood_by_hand():
    rows = [(0,), (0,), (0,), (1,)]
    likelihood = 3 * log(3 / 4) + log(1 / 4)
    for kind, penalty in (("ll", 0), ("bic", log(4) / 2), ("aic", 1)):
        score = scores.set_score(rows, [2], kind)
        assert score({0}) == pytest.approx(likelihood - penalty, abs=1e-12) and score(()) == 0


def test_pseudo_likelihood_by_hand():
    rows = [(0, 0), (1, 1)]
    # alone: 1/2 * (1/2)/2; given the other, N/q = 1/2 in each configuration: the first row's state has half, twice
    assert bdeu_of_family(rows, [2, 2], 0, {}, 1.0) == pytest.approx(log(1 / 8), abs=1e-12)
    assert bdeu_of_family(rows, [2, 2], 0, {1}, 1.0) == pytest.approx(log(1 / 4), abs=1e-12)
    assert blankets.local_pic(rows, [2, 2], 0, {1}) == pytest.approx(-2 * log(2), abs=1e-12)
    assert blankets.local_pic(rows, [2, 2], 0, {}, "parameters") == pytest.approx(-2.5 * log(2), abs=1e-12)
    assert blankets.mutual_information(rows, 0, 1, ()) == pytest.approx(log(2), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_pseudo_likelihood_is_a_difference_of_bdeu(seed):
    data = random_dataset(seed, n_vars=4, n_rows=15, max_arity=3, constant=seed == 3)
    rows, arity = rows_of(data), arity_of(data)
    for members in [set(), {1}, {1, 2}, {1, 2, 3}]:
        difference = scores.bdeu(rows, arity, {0, *members}, 2.0) - scores.bdeu(rows, arity, members, 2.0)
        assert bdeu_of_family(rows, arity, 0, members, 2.0) == pytest.approx(difference, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ess", [Fraction(1, 2), 1, 10])
def test_forms_of_bdeu_agree(seed, ess):
    data = random_dataset(seed, n_vars=4, n_rows=15, max_arity=3, constant=seed == 3)
    rows, arity = rows_of(data), arity_of(data)
    for members in [{0}, {1, 3}, {0, 1, 2}, {0, 1, 2, 3}]:
        urn = bdeu_by_urn(rows, arity, members, ess)
        expected = log(urn.numerator) - log(urn.denominator)
        assert scores.bdeu(rows, arity, members, float(ess)) == pytest.approx(expected, abs=1e-9)
        for order in (sorted(members), sorted(members, reverse=True)):
            by_columns = sum(bdeu_of_family(rows, arity, v, order[:i], float(ess)) for i, v in enumerate(order))
            assert by_columns == pytest.approx(expected, abs=1e-9)


def test_chordality_agrees_on_every_graph_of_five_vertices():
    for size in range(11):
        for edges in combinations(graphs.all_pairs(5), size):
            assert graphs.is_chordal(5, edges) == (graphs.elimination_order(5, edges) is not None)


@pytest.mark.parametrize("seed", range(30))
def test_chordality_agrees_on_random_graphs(seed):
    edges = random_edges(seed, 8, density=0.2 + 0.02 * seed)
    assert graphs.is_chordal(8, edges) == (graphs.elimination_order(8, edges) is not None)
    assert graphs.is_chordal(8, random_chordal_edges(seed, 8))


@pytest.mark.parametrize("n, count", [(1, 1), (2, 2), (3, 8), (4, 61), (5, 822), (6, 18154)])
def test_number_of_chordal_graphs(n, count):
    assert len(graphs.chordal_graphs(n)) == count


def test_cliques_and_separators_agree():
    for n in range(1, 6):
        for edges, cliques, separators in graphs.junction_sets(n):
            assert cliques == set(graphs.maximal_cliques(n, edges))
            assert separators == graphs.separators_by_tree(n, edges)
            assert separators[frozenset()] == len(graphs.components(n, edges)) - 1


def test_figure_1():
    cliques, separators = graphs.cliques_and_separators(6, FIGURE_1)
    assert cliques == {frozenset(c) for c in [{0, 5}, {0, 4}, {0, 1, 2}, {1, 2, 3}]}
    assert separators == Counter({frozenset({0}): 2, frozenset({1, 2}): 1})


def test_score_of_a_graph_is_that_of_a_bayesian_network():
    """On the chain 0 - 1 - 2, log-likelihood splits as p(x0) p(x1|x0) p(x2|x1)."""
    data = random_dataset(1, n_vars=3)
    rows = rows_of(data)
    score = scores.set_score(rows, arity_of(data), "ll")
    chain_of_three = 0.0
    for row in rows:
        both = sum(r[:2] == row[:2] for r in rows)
        later = [r for r in rows if r[1] == row[1]]
        chain_of_three += log(both / len(rows)) + log(sum(r[2] == row[2] for r in later) / len(later))
    assert graphs.graph_score(3, {(0, 1), (1, 2)}, score) == pytest.approx(chain_of_three, abs=1e-9)


def test_best_chordal_grows_with_the_clique_bound():
    score = random_set_scores(5, 5).__getitem__
    best = [learners.best_chordal(5, score, bound)[0] for bound in (1, 2, 3, 4, 5)]
    assert best == sorted(best) and best[-1] == learners.best_chordal(5, score)[0]
    assert best[0] == pytest.approx(sum(score(frozenset({v})) for v in range(5)))
    assert learners.best_forest(5, score)[0] == best[1]


def test_best_chordal_reports_every_tie():
    # all sets score alike but the empty one: every clique but the last is paid back by its separator
    best, winners = learners.best_chordal(3, lambda members: -1.0 if members else 0.0)
    assert best == -1.0 and all(len(graphs.components(3, edges)) == 1 for edges in winners)
    assert len(winners) == 4


def test_edge_moves_of_example_3_5():
    found = moves.edge_moves(6, FIGURE_1, 2)
    assert set(found) == {4, 5, 0, 3}
    assert found[4] == FIGURE_1 | {(2, 4)} and found[0] == FIGURE_1 - {(0, 2)}


def test_node_moves_of_example_3_4():
    found = moves.node_moves(6, FIGURE_1, 3)
    assert found[frozenset({0, 1, 2})] == FIGURE_1 | {(0, 3)}
    assert found[frozenset({1, 2, 3})] == FIGURE_1 - {(1, 3), (2, 3)}
    # chordal too, though the example says otherwise
    assert graphs.is_chordal(6, found[frozenset({0, 4})]) and graphs.is_chordal(6, found[frozenset({0, 5})])


def test_clique_moves_of_example_3_3():
    found = moves.clique_moves(6, FIGURE_1, {1, 2, 3})
    assert found[1] == FIGURE_1 - {(1, 2), (1, 3)} and found[0] == FIGURE_1 | {(0, 3)}
    assert set(found) == {0, 1, 2, 3, 4, 5}


def test_moves_change_one_vertex_and_stay_chordal():
    for edges in graphs.chordal_graphs(4):
        for v in range(4):
            found = [moves.edge_moves(4, edges, v), moves.node_moves(4, edges, v)]
            found += [moves.clique_moves(4, edges, clique) for clique in graphs.maximal_cliques(4, edges)]
            for neighbour in chain.from_iterable(each.values() for each in found):
                assert graphs.is_chordal(4, neighbour)
                touched = Counter(chain.from_iterable(neighbour ^ edges))
                assert not touched or max(touched.values()) == len(neighbour ^ edges)


def test_restart_graphs():
    assert moves.is_restart_graph(6, {(0, 1), (0, 2), (1, 2), (3, 4)})
    assert not moves.is_restart_graph(6, {(0, 1), (1, 2)})
    assert not moves.is_restart_graph(4, graphs.all_pairs(4))


def read_table(path, columns=None):
    """Rows of codes and arities of a CSV with a header, by Python's csv module."""
    with open(path, newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    labels = [sorted(set(column)) for column in zip(*rows, strict=True)][:columns]
    return [tuple(known.index(cell) for known, cell in zip(labels, row, strict=False)) for row in rows], [
        len(known) for known in labels
    ]


def test_published_forest_of_voting(shared):
    """The best spanning forest of Voting at ess 1 has a known score."""
    rows, arity = read_table(shared / "data/coarsen/Voting.csv")
    score = scores.set_score(rows, arity, "bdeu", 1.0)
    gains = {uv: score(uv) - score({uv[0]}) - score({uv[1]}) for uv in graphs.all_pairs(17)}
    total, tree_of = sum(score({v}) for v in range(17)), list(range(17))
    for (u, v), gain in sorted(gains.items(), key=lambda item: -item[1]):
        if gain > 0 and tree_of[u] != tree_of[v]:
            tree_of = [tree_of[u] if t == tree_of[v] else t for t in tree_of]
            total += gain
    assert total == pytest.approx(-4653.915077797653, abs=1e-8)


def test_published_optimum_of_voting_16(shared):
    """The original Junctor's optimum on the first 16 columns of Voting at ess 10, and its cliques."""
    rows, arity = read_table(shared / "data/coarsen/Voting.csv", columns=16)
    text = "0,3,4 3,4,5 4,5,6 1,4,6 4,6,13,14 2,4,13 4,14,15 4,6,12 3,5,8 5,7,8 7,10 5,8,9 0,4,11"
    cliques = [[int(v) for v in word.split(",")] for word in text.split()]
    edges = {pair for clique in cliques for pair in combinations(sorted(clique), 2)}
    score = scores.set_score(rows, arity, "bdeu", 10.0)
    # Junctor added up scores of six decimals
    assert graphs.graph_score(16, edges, score) == pytest.approx(-4138.240386, abs=1e-5)


@pytest.mark.parametrize("name", ["bridges", "flare", "nursery"])
def test_bdeu_equals_junctors_files(shared, name):
    """Ess 1, a missing cell is a state: a sample of the sets, since the oracle is slow."""
    rows, arity = read_table(shared / f"data/junctor/{name}.csv")
    lines = (shared / f"data/junctor/junctor_junctor_{name}.score").read_text().split("\n")[1:]
    step = 1 + len(lines) * len(rows) // 200_000
    for mask in range(1, 1 << len(arity), step):
        members = [v for v in range(len(arity)) if mask >> v & 1]
        assert f"{scores.bdeu(rows, arity, members, 1.0):.6f}" == lines[mask]


@pytest.mark.parametrize("seed", range(20))
def test_treewidth_by_orders_and_by_sets(seed):
    n = 2 + seed % 5
    edges = frozenset(random_edges(seed, n, 0.6))
    assert treewidth_by_sets(n, edges) == treewidth(n, edges)


@pytest.mark.parametrize("n, count", [(1, 1), (2, 3), (3, 25), (4, 543)])
def test_number_of_acyclic_networks(n, count):
    assert len(networks(n, n - 1)) == count


def test_treewidth_by_every_order():
    assert treewidth(5, frozenset(combinations(range(5), 2))) == 4
    assert treewidth(5, frozenset({(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)})) == 2
    # a complete graph with a vertex on one edge: without the edges that join neighbours it would be 2
    assert treewidth(5, frozenset({(0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (0, 4), (1, 4)})) == 3
    assert treewidth(4, frozenset({(0, 1), (2, 3)})) == 1
    assert treewidth(3, frozenset()) == 0
    assert moral_edges((frozenset(), frozenset(), frozenset({0, 1}))) == {(0, 1), (0, 2), (1, 2)}
