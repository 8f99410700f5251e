"""Networks as objects of networkx, pgmpy and pyAgrum: the same arcs, names, states and numbers, both ways."""

import networkx
import numpy as np
import pytest

from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models import library_objects
from tests.random_inputs import random_arcs, random_edges
from tests.random_models import small_model


def random_graph(seed):
    """Up to nine vertices, directed for odd seeds, with probabilities for some even ones."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 10))
    names = tuple(f"x{v}" for v in rng.permutation(n))
    if seed % 2:
        return Dag(n, random_arcs(rng, n, 0.3), names)
    edges = random_edges(seed, n, 0.3)
    return Graph(n, edges, names, tuple(rng.random(len(edges))) if seed % 4 and edges else None)


def test_networkx_holds_500_graphs():
    for seed in range(500):
        graph = random_graph(seed)
        made = library_objects.networkx_graph(graph, graph.names)
        assert library_objects.graph_of_networkx(made) == graph


def test_networkx_with_arcs_both_ways_is_undirected():
    made = networkx.DiGraph([("a", "b"), ("b", "a"), ("a", "c")])
    assert library_objects.graph_of_networkx(made) == Graph(3, ((0, 1), (0, 2)), ("a", "b", "c"))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.Graph(), "without nodes"),
        (networkx.Graph([(1, "1")]), "two of the same name"),
        (networkx.MultiGraph([("a", "b")]), "parallel edges"),
        (networkx.Graph([("a", "a")]), "self loop at node 'a'"),
        (networkx.Graph([("a", "b", {"probability": 0.5}), ("a", "c")]), "some edges have a probability"),
    ],
)
def test_refusals(graph, message):
    with pytest.raises(DataError, match=message):
        library_objects.graph_of_networkx(graph)


def test_pgmpy_has_the_arcs_and_numbers():
    pytest.importorskip("pgmpy")
    for seed in range(25):
        network = small_model(seed)
        made = library_objects.pgmpy_model(network)
        assert made.check_model()
        expected = Dag.from_parents(network.parents, network.names)
        assert library_objects.graph_of_networkx(made) == expected
        for v, name in enumerate(network.names):
            cpd = made.get_cpds(name)
            assert cpd.state_names[name] == list(network.states[v])
            for row, above in enumerate(np.ndindex(*(len(network.states[u]) for u in network.parents[v]))):
                given = {network.names[u]: network.states[u][k] for u, k in zip(network.parents[v], above, strict=True)}
                for k, label in enumerate(network.states[v]):
                    assert cpd.get_value(**{name: label}, **given) == network.tables[v][row, k]
        graph = random_graph(seed)
        assert (
            library_objects.graph_of_networkx(library_objects.pgmpy_structure(graph, graph.names)).edges == graph.edges
        )


def test_pyagrum_has_the_arcs_and_numbers():
    pyagrum = pytest.importorskip("pyagrum")
    for seed in range(25):
        network = small_model(seed)
        made = library_objects.pyagrum_model(network)
        for v, name in enumerate(network.names):
            assert made.variable(name).labels() == network.states[v]
            for row, above in enumerate(np.ndindex(*(len(network.states[u]) for u in network.parents[v]))):
                at = pyagrum.Instantiation(made.cpt(name))
                for u, k in zip(network.parents[v], above, strict=True):
                    at.chgVal(network.names[u], k)
                for k in range(len(network.states[v])):
                    at.chgVal(name, k)
                    assert made.cpt(name).get(at) == network.tables[v][row, k]
        graph = random_graph(seed)
        theirs = library_objects.pyagrum_structure(graph)
        assert sorted(theirs.nodes()) == list(range(graph.n))
        found = theirs.arcs() if graph.directed else {tuple(sorted(edge)) for edge in theirs.edges()}
        assert tuple(sorted(found)) == graph.edges


def test_a_library_that_is_not_installed():
    with pytest.raises(UsageError, match="no_such_library is not installed; pip install no_such_library"):
        library_objects.library("no_such_library.models")
