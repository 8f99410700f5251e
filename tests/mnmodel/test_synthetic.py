"""Synthetic networks: the components are those of Table 1, and samples follow the product of the factors."""

from collections import Counter
from itertools import combinations

import networkx
import numpy as np
import pytest
from scipy.stats import chi2

from cliquewise.common.data import csvwriter
from cliquewise.common.data.csvwriter import csv_pieces
from cliquewise.common.graphs.graph import Graph
from cliquewise.mnmodel.components import COMPONENTS
from cliquewise.mnmodel.synthetic import draw_network
from tests.oracles.distributions import chi_square, marginal, markov_distribution
from tests.reading import read_csv
from tests.slow import slow

# vertices, edges, largest blanket, chordal: Table 1 of the paper, then what we chose for its Figure 1
PROPERTIES = {
    "grid": (16, 24, 4, False),
    "hub": (16, 15, 8, True),
    "loop": (16, 19, 4, False),
    "clique": (16, 20, 4, True),
    "figure1a": (6, 8, 5, True),
    "figure1b": (6, 5, 5, True),
    "figure1c": (6, 6, 2, False),
}


def as_networkx(cliques):
    graph = Graph.from_cliques(max(map(max, cliques)) + 1, cliques)
    result = networkx.Graph(graph.edges)
    result.add_nodes_from(range(graph.n))
    return result


def test_the_grid_is_square():
    across = {(4 * row + column, 4 * row + column + 1) for row in range(4) for column in range(3)}
    down = {(4 * row + column, 4 * row + column + 4) for row in range(3) for column in range(4)}
    assert {*COMPONENTS["grid"]} == across | down


@pytest.mark.parametrize("name", COMPONENTS)
def test_components(name):
    graph = as_networkx(COMPONENTS[name])
    largest = max(degree for _, degree in graph.degree)
    found = (len(graph), graph.number_of_edges(), largest, networkx.is_chordal(graph))
    assert found == PROPERTIES[name]
    assert name == "clique" or networkx.is_connected(graph)
    maximal = {tuple(sorted(clique)) for clique in networkx.find_cliques(graph)}
    assert sorted(maximal) == sorted(COMPONENTS[name])


def test_the_hub_is_a_tree_and_the_figures_fit_the_text():
    assert networkx.is_tree(as_networkx(COMPONENTS["hub"]))
    ring = as_networkx(COMPONENTS["figure1c"])
    missing = list(networkx.non_edges(ring))
    fill = [k for k in range(5) for some in combinations(missing, k) if networkx.is_chordal(_with(ring, some))]
    assert fill[0] == 3  # the paper: three spurious edges make it chordal


def _with(graph, edges):
    more = graph.copy()
    more.add_edges_from(edges)
    return more


@pytest.mark.slow
@pytest.mark.parametrize("name", ["grid", *slow(*(name for name in COMPONENTS if name != "grid"))])
def test_samples_follow_the_factors(name):
    """Joint distribution of small components; of large ones, that of each clique and of some far vertices."""
    network = draw_network([name], rng=np.random.default_rng(3))
    (component,) = network.components
    assert all((values > 0).all() and (values <= 1).all() for values in component.factors)
    truth = markov_distribution(component.n, component.cliques, [f.tolist() for f in component.factors])
    states = np.arange(2**component.n)
    listed = np.array([truth[tuple((int(x) >> i & 1) for i in range(component.n))] for x in states])
    mine = np.diff(component.cumulative, prepend=0.0) / component.cumulative[-1]
    np.testing.assert_allclose(mine, listed, rtol=1e-9, atol=1e-15)
    rows = list(map(tuple, component.sample(20000, np.random.default_rng(4)).tolist()))
    everything = tuple(range(component.n))
    groups = [everything] if component.n <= 6 else [*component.cliques, everything[::3], everything[1::3]]
    for group in groups:
        counts = Counter(tuple(row[v] for v in group) for row in rows)
        statistic, freedom = chi_square(marginal(truth, group), counts)
        assert statistic < chi2.isf(1e-4, freedom), (group, statistic, freedom)


def test_factors_are_uniform():
    network = draw_network(replicas=20, rng=np.random.default_rng(5))
    values = np.concatenate([factor for part in network.components for factor in part.factors])
    counts, _ = np.histogram(values, bins=20, range=(0, 1))
    expected = len(values) / 20
    assert ((counts - expected) ** 2 / expected).sum() < chi2.isf(1e-4, 19)


def test_replicas_are_unconnected_and_differ():
    network = draw_network(replicas=2, rng=np.random.default_rng(6))
    assert (network.graph.n, len(network.graph.edges)) == (128, 2 * (24 + 15 + 19 + 20))
    assert {(u // 16, v // 16) for u, v in network.graph.edges} == {(i, i) for i in range(8)}
    assert network.graph.names[:2] == ("grid_1_0", "grid_1_1") and network.graph.names[-1] == "clique_2_15"
    first, second = network.components[0], network.components[4]
    assert first.cliques == second.cliques and not np.array_equal(first.factors[0], second.factors[0])
    data = network.sample(4000, np.random.default_rng(7))
    one, two = data.codes[:, :16].astype(float), data.codes[:, 64:80].astype(float)
    correlation = np.corrcoef(one.T, two.T)[:16, 16:]
    assert np.abs(correlation).max() < 0.08  # 5 standard errors


def test_same_seed_same_data_and_the_file_reads_back(tmp_path):
    def draw():
        return draw_network(rng=np.random.default_rng(8)).sample(50, np.random.default_rng(9))

    first, second = draw(), draw()
    assert np.array_equal(first.codes, second.codes) and first.names == second.names
    (tmp_path / "d.csv").write_bytes(b"".join(csv_pieces(first)))
    back = read_csv(tmp_path / "d.csv")
    assert (back.names, back.states) == (first.names, first.states) and np.array_equal(back.codes, first.codes)


def test_the_network_without_a_generator_is_that_of_seed_1():
    alone, seeded = draw_network(["figure1b"]), draw_network(["figure1b"], rng=np.random.default_rng(1))
    assert all(map(np.array_equal, alone.components[0].factors, seeded.components[0].factors))


def test_the_size_of_blocks_changes_no_byte(monkeypatch):
    data = draw_network(["figure1b"]).sample(50, np.random.default_rng(10))
    whole = b"".join(csv_pieces(data))
    lines = [",".join(data.names)] + [",".join(map(str, row)) for row in data.codes.tolist()]
    assert whole.decode() == "".join(f"{line}\n" for line in lines)
    monkeypatch.setattr(csvwriter, "_BLOCK_BYTES", 100)
    pieces = list(csv_pieces(data))
    assert len(pieces) > 4 and b"".join(pieces) == whole
