"""Formats without a header: adjacency matrices, edge tables and model strings, written, read back, and refused."""

import csv
import io

import numpy as np
import pytest

from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.files.graphfile import EXCHANGE_FORMATS, format_graph
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.learning.load import load_input
from cliquewise.common.models.any_graph import parse_graph, read_graph
from cliquewise.common.models.model_file import read_model

NAMES = ("plain", "two words", "comma,inside", 'a "quote"', "#hash", " lead", "größe", "[x", "<t>", "{", "0", "")
KEPT = {"adjacency": (True, False), "csv": (True, False), "modelstring": (True,)}


def random_graph(seed, directed):
    """A graph of 2 to 9 vertices, perhaps with names; without isolated vertices, which a table of edges cannot hold."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    rank = rng.permutation(n)
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n) if v == u + 1 or rng.random() < 0.3]
    names = tuple(f"x{v}" for v in rng.permutation(n).tolist()) if seed % 2 else None
    if not directed:
        return Graph(n, tuple(pairs), names)
    return Dag(n, tuple(sorted((u, v) if rank[u] < rank[v] else (v, u) for u, v in pairs)), names)


@pytest.mark.parametrize("fmt", EXCHANGE_FORMATS)
def test_round_trips(fmt):
    for seed in range(200):
        for directed in KEPT[fmt]:
            graph = random_graph(seed, directed)
            text = format_graph(graph, fmt)
            file = parse_graph(text, "net", graph.names)
            assert (file.network, file.kind, file.header) == (graph, fmt, {})
            again = parse_graph(text, "net").network
            assert {frozenset(map(str, named(again, edge))) for edge in again.edges} == {
                frozenset(map(str, named(graph, edge))) for edge in graph.edges
            }


def named(graph, edge):
    return [graph.names[v] if graph.names else v for v in edge]


def test_matrices_are_those_of_networkx():
    networkx = pytest.importorskip("networkx")
    for seed in range(30):
        for directed in (True, False):
            graph = random_graph(seed, directed)
            theirs = networkx.DiGraph() if directed else networkx.Graph()
            theirs.add_nodes_from(range(graph.n))
            theirs.add_edges_from(graph.edges)
            rows = list(csv.reader(io.StringIO(format_graph(graph, "adjacency"))))
            assert (np.array(rows[1:], dtype=int) == networkx.to_numpy_array(theirs, dtype=int)).all()
            assert rows[0] == list(map(str, graph.names or range(graph.n)))


@pytest.mark.parametrize("first", range(len(NAMES)))
def test_awkward_names_of_a_matrix(first):
    names = NAMES[first:] + NAMES[:first]
    graph = Graph(len(names), ((0, 1), (2, 5)), names)
    assert parse_graph(format_graph(graph, "adjacency"), "net").graph == graph


def test_matrices_of_other_programs():
    assert parse_graph('"a","b"\r\n0,1\r\n0,0\r\n', "net").dag == Dag(2, ((0, 1),), ("a", "b"))
    assert parse_graph("\ufeffa,b\n0.0, 1.0\n1.0,0.0", "net").network == Graph(2, ((0, 1),), ("a", "b"))
    assert parse_graph("b,a\n0,1\n0,0\n", "net", ("a", "b")).dag == Dag(2, ((1, 0),), ("a", "b"))
    mixed = parse_graph("a,b,c\n0,1,0\n1,0,1\n0,0,0\n", "net")
    assert mixed.dag is None and mixed.graph.edges == ((0, 1), (1, 2))


def test_lists_that_look_like_matrices_remain_lists():
    assert parse_graph("1\n0\n", "net").graph == Graph(2, ())
    assert parse_graph("0,1\n0,1\n1,0\n", "net").graph == Graph(2, ((0, 1),))
    assert parse_graph("0,1\n1,0\n", "net").kind == "edges"
    assert parse_graph("2,3\n0,1\n", "net").graph.edges == ((0, 1), (2, 3))


def test_edge_tables():
    weighted = parse_graph("Source,Target,Type,Weight\na,b,Undirected,0.25\nb,c,Undirected,1\n", "net")
    assert weighted.graph == Graph(3, ((0, 1), (1, 2)), ("a", "b", "c"), (0.25, 1.0))
    assert format_graph(weighted.graph, "csv") == "source,target,weight\na,b,0.250000\nb,c,1.000000\n"
    assert parse_graph("from,to\nb,a\n", "net", ("a", "b", "c")).dag == Dag(3, ((1, 0),), ("a", "b", "c"))
    both = Graph(2, ((0, 1),), None, (0.5,), (0.125,))
    assert parse_graph(format_graph(both, "csv"), "net").graph == both


def test_a_model_string():
    dag = Dag(3, ((0, 2), (1, 2)), ("A", "B", "C"))
    assert format_graph(dag, "modelstring") == "[A][B][C|A:B]\n"
    assert parse_graph("[C|A:B][A]\n [B]", "net", ("A", "B", "C")).dag == dag


REFUSED = (
    (Graph(2, ((0, 1),)), "modelstring", "an undirected graph cannot be a model string; write it as edges"),
    (Dag(2, ((0, 1), (1, 0))), "modelstring", "a graph with a cycle cannot be a model string"),
    (Dag(2, (), ("a:b", "c")), "modelstring", "the name 'a:b' cannot be written in a model string"),
    (Graph(2, ((0, 1),), None, (0.5,)), "adjacency", "edges with probabilities do not fit a matrix"),
    (
        Graph(3, ((0, 1),), ("a", "b", "c")),
        "csv",
        "vertex 'c' has no edge, so --format csv would lose it; use --format edges",
    ),
    (Dag(3, ((0, 1),), ("a", "b", "c")), "csv", "use --format arcs or adjacency"),
    (Graph(1, (), ("a\nb",)), "adjacency", "has a line break"),
)


@pytest.mark.parametrize(("graph", "fmt", "message"), REFUSED)
def test_what_a_format_cannot_hold(graph, fmt, message):
    with pytest.raises(UsageError, match=message):
        format_graph(graph, fmt)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,a\n0,1\n1,0\n", "net:1: two vertices of the same name"),
        ("a,b\n1,0\n0,0\n", "net:2: self loop at vertex a"),
        ("source,target,weight\na,b,2\n", "net:2: '2' is not a probability"),
        ("source,target\na,b\na\n", "net:3: 1 cell, expected 2: source,target"),
        ("[A][A]", "'A' has two entries in this model string"),
        ("[A|B]", "unknown vertex 'B'"),
        ("from,to,weight\na,b,0.5\n", "net:1: arcs with weights"),
        ("Source,Target,Type,Weight\na,b,Directed,0.5\n", "net:1: arcs with weights"),
        ("Source,Target,Type,Weight\na,b,Directed,3\nb,c,Undirected,1\n", "net:1: arcs with weights"),
        ("Source,Target,Type,Weight\na,b,Undirected,3\n", "net:2: '3' is not a probability"),
        ("from,to,strength\na,b,-12.5\n", "net:1: strengths without a column 'direction' may be p-values"),
        ("from,to,strength,direction\na,b,x,1\n", "net:2: 'x' is not a probability"),
        ("from,to,strength,direction\na,b,.5,1\nb,a,.6,0\n", "net:3: edge b,a is listed twice, with the probabilities"),
        ("Source,Target,Type\na,b,Sideways\n", "net:2: type 'sideways' of an edge; expected Directed or Undirected"),
    ],
)
def test_refusals(text, message):
    with pytest.raises(DataError) as caught:
        parse_graph(text, "net")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "names, kinds",
    [
        (("1", "2", "3", "0"), EXCHANGE_FORMATS),
        (("1", "2", "3", "4"), ("csv",)),
        (('a"b', "a,b", "{", "}"), ("modelstring",)),
    ],
)
def test_names_that_would_be_read_as_others_are_refused(names, kinds):
    arcs = Dag(4, ((0, 1), (1, 2), (2, 3)), names)
    for kind in EXCHANGE_FORMATS:
        if kind in kinds:
            with pytest.raises(UsageError, match="whole numbers|cannot be written in"):
                format_graph(arcs, kind, {}, True)
        else:
            text = format_graph(arcs, kind, {}, True)
            read = parse_graph(text, "x", names).dag
            assert {(names[u], names[v]) for u, v in read.arcs} == {(names[u], names[v]) for u, v in arcs.arcs}


def test_whole_numbers_in_a_table_of_edges_are_names_of_the_data_first():
    text = "from,to\n1,2\n"
    assert parse_graph(text, "x", ("1", "2", "3")).dag.arcs == ((0, 1),)
    assert parse_graph(text, "x", ("a", "b", "c")).dag.arcs == ((1, 2),)


def test_a_quoted_line_is_not_a_head():
    with pytest.raises(DataError, match="found 'source,target' where an index was expected"):
        parse_graph('"source,target"\n"a,b"\n', "x")


STRENGTHS = """"from","to","strength","direction"
"A","B",0.9,0.5
"A","C",0,0
"B","A",0.9,0.5
"B","C",0.25,0.75
"C","A",0,0
"C","B",0.25,0.25
"""
TABLES = {  # text: directed, edges
    STRENGTHS: (False, {"AB": 0.9, "BC": 0.25}),
    "Source,Target,Type\na,b,Directed\nc,b,Directed\n": (True, ["ab", "cb"]),
    "Source,Target,Type,Id,Label,timeset,Weight\na,b,Directed,0,,,1.0\n": (True, ["ab"]),
    "Source;Target;Type;Weight\na;b;directed;1\nc;a;Directed;1\n": (True, ["ab", "ca"]),
    "Source\tTarget\tType\na\tb\tUndirected\n": (False, ["ab"]),
    "Source,Target,Type\na,b,Directed\nb,c,Undirected\n": (False, ["ab", "bc"]),
    "Id,Source,Target,Type\n1,b,a,Directed\n": (True, ["ba"]),
    '"","from","to"\n"1","a","b"\n"2","c","b"\n': (True, ["ab", "cb"]),
    "from,to,type\na,b,Undirected\n": (False, ["ab"]),
    "from,to\na,b\nb,a\nc,b\n": (False, ["ab", "bc"]),  # bnlearn's arcs of a CPDAG
    "from,to,weight\na,b,1\nc,b,1.0\n": (True, ["ab", "cb"]),
    "parent,child\r\na,b\r\n": (True, ["ab"]),
    "source,target,probability\na,b,0.5\n": (False, {"ab": 0.5}),
    "from,to": (True, []),
}


@pytest.mark.parametrize(("text", "found"), TABLES.items())
def test_edge_tables_of_other_programs(text, found):
    directed, edges = found
    names = tuple(sorted({*"ABC"} if text == STRENGTHS else {*"abc"}))
    file = parse_graph(text, "net", names)
    held = file.network
    got = ["".join(names[v] for v in edge) for edge in held.edges]
    assert (held.directed, got) == (directed, [*edges])
    assert getattr(held, "probabilities", None) == (tuple(edges.values()) if isinstance(edges, dict) else None)


FOREIGN = {
    '<?xml version="1.0"?>\n<gexf xmlns="http://gexf.net/1.3"><graph/></gexf>': "a graph (GEXF), which is not read",
    '<?xml version="1.0"?>\n<!-- c -->\n<graph label="x" xmlns="http://www.cs.rpi.edu/XGMML"/>': "a graph (XGMML)",
    "<graph><node id='a'/></graph>": "the root of this XML is <graph>, not <graphml>",
    "<?xml version='1.0'?><pmml/>": "the root of this XML is <pmml>, not <graphml>",
    '<?xml version="1.0" encoding="UTF-8"?>\n<ProbModelXML formatVersion="0.2.0">': "(OpenMarkov, .pgmx), which is not",
    '// Bayesian Network\n//   Elvira format\n\nbnet  "x" {\n\n//Network\n\nkindofgraph = "directed";': "Elvira",
    'belief network "Asia"\nnode A\n{': "a Bayesian network (MSBNx, .dsc), which is not read",
    "net Asia\n{\n HEADER = {": "GeNIe's old .dsl",
    'Creator "x"\ngraph [\n directed 1\n': "a graph (GML), which is not read",
    '*Vertices 2\n1 "a"\n': "a graph (Pajek, .net), which is not read",
    "dag {\nbb=\"0,0,1,1\"\nA -> B\n}": "a graph (dagitty), which is not read",
    "<!DOCTYPE html>\n<html>": "a page (HTML), which is not read",
    "<svg xmlns='http://www.w3.org/2000/svg'/>": "a picture (SVG), which is not read",
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), FOREIGN.items())
def test_files_of_other_kinds_are_refused_by_name(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        parse_graph(text, "net")
    assert message in str(caught.value) and "a graph is a clique" in str(caught.value)
    if "root of" in message:
        return
    (tmp_path / "net").write_text(text)
    for read in (read_model, load_input):
        with pytest.raises(DataError) as caught:
            read(str(tmp_path / "net"))
        assert message.partition("(")[2].partition(")")[0] in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04\x14\0[Content_Types].xml", ".xlsx"),
        (b"\x89PNG\r\n\x1a\n\0", "PNG"),
        (b"%PDF-1.4\n", "PDF"),
        (b"BZh9\0", "bzip2"),
        (b"PAR1\x15", "Parquet"),
    ],
)
def test_binary_files_are_refused_by_name(tmp_path, content, message):
    (tmp_path / "net").write_bytes(content)
    with pytest.raises(DataError) as caught:
        read_graph(tmp_path / "net")
    assert message in str(caught.value) and "expected a graph file" in str(caught.value)


def test_the_message_about_strengths_is_given_once(run, here):
    (here / "net").write_text(STRENGTHS)
    done = run(*"mntools convert net --format edges --names".split())
    assert done.stdout.endswith("A,B,0.900000\nB,C,0.250000\n")
    assert done.stderr.count("strength is read as the probability of an edge; the column direction is not kept") == 1
