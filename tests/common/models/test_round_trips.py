"""500 random networks through every format, directed and not, with probabilities and without; files of others."""

import io
import json

import networkx
import numpy as np
import pytest

from cliquewise.common.errors import CliquewiseError
from cliquewise.common.files.graphfile import ARC_FORMATS, EXCHANGE_FORMATS, FORMATS, format_graph
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.models import model_file
from cliquewise.common.models.any_graph import parse_graph
from cliquewise.common.models.library_objects import graph_of_networkx
from cliquewise.common.models.model_file import MODEL_FORMATS, parse_model, read_model, write_model
from tests.common.models.test_genie_and_hugin import assert_same
from tests.common.models.test_library_objects import random_graph
from tests.oracles.graphs import is_chordal
from tests.random_models import small_model
from tests.slow import slow

NETWORKS = 500
GRAPH_FORMATS = tuple(dict.fromkeys((*FORMATS, *ARC_FORMATS, *EXCHANGE_FORMATS)))


def cannot_hold(graph, fmt):
    """Whether a format cannot hold a graph, as the documents say."""
    certain = getattr(graph, "probabilities", None) is None
    alone = set(range(graph.n)) - {v for edge in graph.edges for v in edge}
    return {
        "cliques": graph.directed or not certain or not is_chordal(graph.n, set(graph.edges)),
        "edges": graph.directed,
        "arcs": not graph.directed,
        "adjacency": not certain,
        "csv": bool(alone),
        "modelstring": not graph.directed,
    }.get(fmt, False)


def assert_same_graph(read, graph, fmt):
    """Names, edges and probabilities to six decimals; no edges have no direction."""
    named = {frozenset((read.names[u], read.names[v])) for u, v in read.edges}
    if graph.directed and read.directed:
        named = {(read.names[u], read.names[v]) for u, v in read.edges}
        assert named == {(graph.names[u], graph.names[v]) for u, v in graph.edges}
    else:
        assert named == {frozenset((graph.names[u], graph.names[v])) for u, v in graph.edges}
        assert read.directed == graph.directed or (fmt == "adjacency" and not graph.edges)
    assert set(read.names) == set(graph.names)
    values = getattr(graph, "probabilities", None)
    if values is not None:
        found = {
            frozenset((read.names[u], read.names[v])): p
            for (u, v), p in zip(read.edges, read.probabilities, strict=True)
        }
        for (u, v), p in zip(graph.edges, values, strict=True):
            assert found[frozenset((graph.names[u], graph.names[v]))] == pytest.approx(p, abs=1e-6)


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("fmt", GRAPH_FORMATS)
def test_graphs(fmt):
    held = 0
    for seed in range(NETWORKS):
        graph = random_graph(seed)
        if cannot_hold(graph, fmt):
            with pytest.raises(CliquewiseError) as refusal:
                format_graph(graph, fmt, use_names=True)
            assert "\n" not in str(refusal.value)
            continue
        text = format_graph(graph, fmt, use_names=True)
        read = parse_graph(text, "net").network
        assert_same_graph(read if read.names else parse_graph(text, "net", graph.names).network, graph, fmt)
        assert_same_graph(parse_graph(text, "net", graph.names[::-1]).network, graph, fmt)
        held += 1
    assert held > 100


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("fmt", MODEL_FORMATS)
@pytest.mark.parametrize("count", [200, *slow(NETWORKS)])
def test_models(monkeypatch, fmt, count):
    written = []
    monkeypatch.setattr(model_file, "write_whole", lambda path, pieces: written.append("".join(pieces)))
    for seed in range(count):
        network = small_model(seed)
        model_file.write_model("net", network, fmt, {"program": "test -- of it"})
        assert_same(network, model_file.parse_model(written[-1], "net"))
        if seed % 10 == 0:
            read = parse_graph(written[-1], "net").network
            assert_same_graph(read, Dag.from_parents(network.parents, network.names), fmt)
    assert len(written) == count


def test_a_model_through_all_formats_in_a_row(tmp_path):
    for seed in range(20):
        network = read = small_model(seed)
        for fmt in MODEL_FORMATS:
            write_model(tmp_path / "net", read, fmt, {})
            read = read_model(tmp_path / "net")
        assert_same(network, read)


def test_networkx_reads_and_writes():
    for seed in range(60):
        graph = random_graph(seed)
        text = format_graph(graph, "graphml")
        theirs = networkx.parse_graphml(text)
        assert {frozenset(edge) for edge in theirs.edges} == {frozenset(map(str, edge)) for edge in graph.edges}
        theirs = networkx.DiGraph() if graph.directed else networkx.Graph()
        theirs.add_nodes_from(graph.names)
        theirs.add_edges_from((graph.names[u], graph.names[v]) for u, v in graph.edges)
        written = [
            "\n".join(networkx.generate_graphml(theirs)),
            json.dumps(networkx.node_link_data(theirs, edges="edges")),
        ]
        if graph.edges:
            rows = networkx.to_numpy_array(theirs, dtype=int)
            matrix = io.StringIO()
            np.savetxt(matrix, rows, fmt="%d", delimiter=",", header=",".join(theirs.nodes), comments="")
            written.append(matrix.getvalue())
        for text in written:
            read = parse_graph(text, "net").network
            assert read.directed == graph.directed and set(read.names) == set(graph.names)
            assert_same_graph(read, graph_of_networkx(theirs), "theirs")


@pytest.mark.parametrize(("ending", "writer"), [("bif", "BIFWriter"), ("xml", "XMLBIFWriter"), ("net", "NETWriter")])
def test_what_pgmpy_writes_is_read(tmp_path, ending, writer):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    from cliquewise.common.models.library_objects import pgmpy_model

    for seed in range(5):
        network = small_model(seed)
        text = str(getattr(readwrite, writer)(pgmpy_model(network)))
        assert_same(network, parse_model(text, f"net.{ending}"))


@pytest.mark.parametrize("ending", ["bif", "bifxml", "net"])
def test_what_pyagrum_writes_is_read(tmp_path, ending):
    pyagrum = pytest.importorskip("pyagrum")
    from cliquewise.common.models.library_objects import pyagrum_model

    for seed in range(5):
        network, path = small_model(seed), tmp_path / f"net.{ending}"
        pyagrum.saveBN(pyagrum_model(network), str(path))
        assert_same(network, read_model(path))
