"""Graph files: formats preserve the graph, files of other programs are read, errors are reported with the line."""

import io
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.files import graph_lists
from cliquewise.common.files.graphfile import FORMATS, format_graph, raw_of, resolved, write_graph
from cliquewise.common.files.header_words import NUMBERS
from cliquewise.common.files.scorefile import CliqueScores
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.models.any_graph import parse_graph, read_graph, read_graph_of
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.model_file import write_model
from cliquewise.common.models.model_header import header_of, network_lines
from cliquewise.mntools.header_lines import _FORMS
from tests.random_inputs import dataset_of, random_chordal_edges, random_edges

AWKWARD = (
    "plain", "two words", "comma,inside", 'a "quote"', "#hash", " lead", "trail ", "größe", "温", "a--b",
    "0", "7", "", "graph", "<tag>&amp;", "back\\slash", "\\N", "tab\there", "-1", "'", "a\u2028b", "{}",
)  # fmt: skip
HEADER = {"score": "-10.500000", "score-type": "bdeu", "note": 'two words, <&> "quoted" # über'}


def written(tmp_path, text, name="graph"):
    """A file with this text (or these bytes)."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def reread(tmp_path, graph, fmt, **options):
    """The graph that is read after writing."""
    path = str(tmp_path / "graph")
    write_graph(path, graph, fmt, HEADER, **options)
    return read_graph(path)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("seed", range(6))
def test_round_trip(tmp_path, fmt, seed):
    n = 1 + 3 * seed
    graph = Graph(n, random_chordal_edges(seed, n))
    file = reread(tmp_path, graph, fmt)
    assert (file.graph, file.kind, file.header, file.stated) == (graph, fmt, HEADER, True)
    assert list(file.header) == list(HEADER)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("seed", range(4))
def test_round_trip_of_awkward_names(tmp_path, fmt, seed):
    names = tuple(np.random.default_rng(seed).permutation(AWKWARD).tolist())
    graph = Graph(len(names), random_chordal_edges(seed, len(names), max_clique=3), names)
    assert reread(tmp_path, graph, fmt, use_names=True).graph == graph


@pytest.mark.parametrize("fmt", ["edges", "dot", "graphml", "json"])
def test_round_trip_of_a_graph_that_is_not_chordal(tmp_path, fmt):
    graph = Graph(9, random_edges(3, 9))
    assert reread(tmp_path, graph, fmt).graph == graph


@pytest.mark.parametrize("fmt", ["dot", "graphml", "json"])
def test_names_with_line_breaks(tmp_path, fmt):
    graph = Graph(2, ((0, 1),), ("a\nb", "c"))
    assert reread(tmp_path, graph, fmt).graph == graph
    with pytest.raises(UsageError, match="has a line break"):
        format_graph(graph, "edges", use_names=True)


@pytest.mark.parametrize("seed", range(40))
def test_a_graph_in_memory_is_read_as_its_json(seed):
    rng = np.random.default_rng(seed)
    n, header = int(rng.integers(1, 7)), {"score": "-1.5", "names": "x", "source": "a\nb"}
    names, edges = tuple(f"x{v}" for v in rng.permutation(n)) if seed % 2 else None, random_edges(seed, n)
    columns = (tuple(rng.random(len(edges))) if edges and seed % 3 == 1 else None for _ in range(2))
    graph = Dag(n, edges, names) if seed % 3 == 2 else Graph(n, edges, names, *columns)
    others = None if names is None or seed % 4 == 1 else names[::-1]  # the same variables in another order
    found = resolved(raw_of(graph, header), "net", others)
    read = parse_graph(format_graph(graph, "json", header), "net", others)
    assert replace(found, cliques=read.cliques) == read


@pytest.mark.parametrize("fmt", FORMATS)
def test_same_bytes_whatever_the_order_of_the_sets(fmt):
    one = Graph.from_cliques(7, [(0, 1, 2), (2, 3), (5, 4)])
    other = Graph.from_cliques(7, [(4, 5), (3, 2), (2, 1, 0)])
    assert format_graph(one, fmt, HEADER) == format_graph(other, fmt, HEADER)


def test_a_clique_list_in_full():
    graph = Graph.from_cliques(12, [(0, 10), (0, 2, 3), (11, 1)], tuple("abcdefghij") + ("k,l", "m n"))
    assert format_graph(graph, "cliques", {"score": "-1.5"}) == (
        "# score -1.5\n# format cliques\n# variables 12\n0,2,3\n0,10\n1,11\n4\n5\n6\n7\n8\n9\n"
    )
    assert format_graph(graph, "edges", {"score": "-1.5"}, use_names=True) == (
        '# score -1.5\n# format edges\n# variables 12\n# names a,b,c,d,e,f,g,h,i,j,"k,l","m n"\n'
        'a,c\na,d\na,"k,l"\nb,"m n"\nc,d\n'
    )


def test_the_cliques_of_a_list_and_of_json_are_kept_as_they_stand(tmp_path):
    file = read_graph(written(tmp_path, "# format cliques\n2,0\n1,2\n1\n"))
    assert file.cliques == ((0, 2), (1, 2), (1,))
    assert reread(tmp_path, file.graph, "json").cliques == ((0, 2), (1, 2))
    assert reread(tmp_path, file.graph, "edges").cliques is None


def test_a_graph_that_is_not_chordal_has_no_clique_list():
    square = Graph(4, ((0, 1), (0, 3), (1, 2), (2, 3)))
    with pytest.raises(DataError, match=r"graph is not chordal; write it as edges \(--format edges\)"):
        format_graph(square, "cliques")
    assert '"cliques"' not in format_graph(square, "json")


def test_unknown_names_are_refused():
    with pytest.raises(UsageError, match="--names: this graph has no names"):
        format_graph(Graph(1, ()), "edges", use_names=True)
    for bad in ("\x01", "\ud800"):
        with pytest.raises(UsageError, match=re.escape(f"character {bad!r}, which XML cannot")):
            format_graph(Graph(1, (), (bad,)), "graphml")
    with pytest.raises(ValueError, match="unknown graph format 'gml'"):
        format_graph(Graph(1, ()), "gml")


@pytest.mark.parametrize(
    "text, n, cliques",
    [
        ("0,3,4\n3,4,5\n1\n2\n", 6, [(0, 3, 4), (3, 4, 5)]),
        ("0,3,4 3,4,5 1 2", 6, [(0, 3, 4), (3, 4, 5)]),
        ("0, 3 ,4\r\n\r\n3,4,5 1,2\r\n", 6, [(0, 3, 4), (3, 4, 5), (1, 2)]),
        ("\ufeff# a comment\n2,1\n1,0\n", 3, [(0, 1), (1, 2)]),
        ("7", 8, []),
        ("# variables 3\n", 3, []),
        ("# variables 5\n# format edges\n", 5, []),
        ("007,1\n", 8, [(1, 7)]),
    ],
)
def test_lists_of_other_programs(tmp_path, text, n, cliques):
    assert read_graph(written(tmp_path, text)).graph == Graph.from_cliques(n, cliques)


def test_kinds_of_lists(tmp_path):
    def kind(text, name="graph"):
        return read_graph(written(tmp_path, text, name)).kind

    assert kind("0,1\n1,2\n") == "edges"
    assert kind("0,1\n1,2\n", "x.cliques") == "cliques"
    assert kind("0,1\n1,2\n", "x.ARCS") == "arcs"
    assert kind("0,1,2\n") == "cliques"
    assert kind("# format arcs\n1,0\n", "x.edges") == "arcs"
    assert read_graph(written(tmp_path, "# format arcs\n1,0\n")).graph.edges == ((0, 1),)


@pytest.mark.parametrize(
    "text, edges, names",
    [
        ("strict digraph G { a -> b -> c; d }", [(0, 1), (1, 2)], ("a", "b", "c", "d")),
        (
            'graph "my graph" {\n rank=same; node [shape=box, color="red"]\n 1 -- 0 -- {2; 3} [weight=2] }',
            None,
            None,
        ),
        ('/* c */ graph { subgraph s { a b } -- "c d":n:w // e\n}', [(0, 2), (1, 2)], ("a", "b", "c d")),
        ("graph { x [label=<<b>X</b>>] y [label=Y] x--y }", [(0, 1)], ("<<b>X</b>>", "Y")),
        ('graph { a [label="same"] b [label="same"] a--b }', [(0, 1)], ("a", "b")),
    ],
)
def test_dot_of_other_programs(tmp_path, text, edges, names):
    graph = read_graph(written(tmp_path, text)).graph
    assert graph.edges == tuple(edges or [(0, 1), (0, 2), (0, 3)])
    assert graph.names == names


@pytest.mark.parametrize("labels", [["b", "a", "c d"], [2, 0, 1]])
def test_files_of_networkx(tmp_path, labels):
    networkx = pytest.importorskip("networkx")
    theirs = networkx.Graph([labels[:2]], data="x")
    theirs.add_node(labels[2], name="named")
    names = None if labels[0] == 2 else ("b", "a", "c d")
    edges = ((0, 2),) if names is None else ((0, 1),)
    text = "\n".join(networkx.generate_graphml(theirs))
    assert read_graph(written(tmp_path, text)).graph == Graph(3, edges, names)

    text = json.dumps(networkx.node_link_data(theirs, edges="links"))
    assert read_graph(written(tmp_path, text)).graph == Graph(3, edges, names)


@pytest.mark.parametrize("fmt", ["graphml", "json"])
def test_networkx_reads_ours(fmt):
    networkx = pytest.importorskip("networkx")

    text = format_graph(Graph(3, ((0, 2),), ("a", 'b"<', "c")), fmt, HEADER)
    if fmt == "json":
        theirs = networkx.node_link_graph(json.loads(text), edges="edges")
    else:
        theirs = networkx.parse_graphml(text, node_type=int)
    assert (
        sorted(theirs.edges) == [(0, 2)] and theirs.nodes[1]["name"] == 'b"<' and float(theirs.graph["score"]) == -10.5
    )


def test_vertices_are_matched_to_the_data_by_name(tmp_path):
    graph = Graph(3, ((0, 1),), ("a", "b", "c"))
    for fmt in FORMATS:
        path = str(tmp_path / fmt)
        write_graph(path, graph, fmt, use_names=True)
        assert read_graph(path, names=("c", "a", "b")).graph == Graph(3, ((1, 2),), ("c", "a", "b"))
        with pytest.raises(DataError, match="vertex 'a' is not a variable of the data"):
            read_graph(path, names=("x", "y", "c"))
    bare = written(tmp_path, "b,c\n")
    assert read_graph(bare, names=("a", "b", "c")).graph.edges == ((1, 2),)
    by_index = written(tmp_path, "0,2\n")
    assert read_graph(by_index, names=("2", "0", "1")).graph.edges == ((0, 1),)  # by name


def test_the_number_of_variables_comes_from_the_data(tmp_path):
    path = written(tmp_path, "0,1\n")
    assert read_graph(path).graph.n == 2 and not read_graph(path).stated
    data = dataset_of([[0, 0, 1], [1, 1, 0]])
    assert read_graph_of(path, data).graph == Graph(3, ((0, 1),), data.names)
    scores = CliqueScores(5, 1, np.zeros(1, np.uint64), np.zeros(1))
    assert read_graph_of(path, scores).graph == Graph(5, ((0, 1),))
    assert read_graph_of(path, None).graph.n == 2


REFUSED = [
    ("", "the file is empty; expected a graph"),
    (" \n\n", "the file is empty"),
    ("# score 1\n", "no vertex in this file"),
    ("0,1\n1,1\n", ":2: self loop at vertex 1"),
    ("0,1,2\n3,4,3\n", ":2: vertex 3 is repeated"),
    ("# variables 3\n0,3\n", ":2: unknown vertex 3; vertices are 0 to 2"),
    ("0,1\n\n0,smoke\n", ":3: found 'smoke' where an index was expected"),
    ("0,1\n0,-1\n", ":2: found '-1' where an index was expected"),
    ("0,1\n0,99999999999999999999\n", ":2: unknown vertex 99999999999999999999; at most 1000000"),
    ("0 1 2\n", ":1: indices are separated by commas"),
    ("0,1,\n", ":1: '0,1,': an index is missing"),
    ("# format edges\n0,1,2\n", ":2: 3 vertices on a line of an edge list, expected 2"),
    ("# format blankets\n# variables 2\n0: 1\n1: 0\n", ":1: a list of blankets, no network; mplearn --blankets"),
    ("# format tree\n0,1\n", ":1: unknown format 'tree'; expected cliques, edges, arcs"),
    ("# variables many\n0,1\n", ":1: '# variables many': expected a whole number"),
    ("# variables 0\n", ":1: '# variables 0': expected a whole number from 1"),
    ("# names a,b,a\na,b\n", ":1: a name is listed twice"),
    ("# variables 3\n# names a,b\na,b\n", ":2: 2 names, but '# variables' is 3"),
    ("# names a,b\na,c\n", ":2: unknown vertex 'c'"),
    ("# names\n", "a graph needs at least one vertex"),
    ('# names a,b\n"a,b\n', ":2: not comma-separated names"),
    ("\xff".encode("latin1"), ":1: not UTF-8 text"),
    ("<graphml><graph><node id='a'/>", ":1: broken XML: no element found"),
    ("<graphml>\n<graph>\n<node id='a'/></edge>", ":3: broken XML: mismatched tag"),
    ("<graphml/>", "no <graph> in this file"),
    ("<graphml><graph/></graphml>", "a graph needs at least one vertex"),
    ("<graphml><graph>\n<node/></graph></graphml>", ":2: <node> without 'id'"),
    ("<graphml><graph><node id='a'/>\n<node id='a'/></graph></graphml>", ":2: node id 'a' is used twice"),
    (
        "<graphml><graph><node id='a'/>\n<edge source='a' target='b'/></graph></graphml>",
        ":2: unknown vertex 'b'",
    ),
    ("<graphml><graph><node id='a'/>\n<edge source='a'/></graph></graphml>", ":2: <edge> without 'target'"),
    ("<graphml><graph/>\n<graph/></graphml>", ":2: a second or nested <graph>"),
    ("<graphml><graph>\n<hyperedge/></graph></graphml>", ":2: <hyperedge> is not supported"),
    (
        "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY b 'c'>]>\n<a>&b;</a>",
        ":2: a document type .* is not accepted",
    ),
    ("<graphml>&b;</graphml>", ":1: broken XML: undefined entity"),
    ("<a/>", ":1: the root of this XML is <a>, not <graphml>; a graph is"),
    ("{", ":1: broken JSON"),
    ('{"nodes":\n[}', ":2: broken JSON"),
    ("[" * 100_000, "JSON that is too deep|broken JSON"),
    ("[1]", "no list 'nodes' at the top"),
    ('{"nodes": [{"id": 0}]}', "neither 'edges' nor 'links' nor 'cliques'"),
    ('{"nodes": [], "edges": []}', "a graph needs at least one vertex"),
    ('{"nodes": [{}], "edges": []}', r"nodes\[0\] is not an object with an 'id'"),
    ('{"nodes": [{"id": null}], "edges": []}', r"nodes\[0\]: null is neither"),
    ('{"nodes": [{"id": 0}, {"id": "0"}], "edges": []}', r"nodes\[1\]: id '0' is used twice"),
    ('{"nodes": [{"id": 0}], "edges": 3}', "'edges' is not a list"),
    ('{"nodes": [{"id": 0}], "edges": [[0, 0]]}', r"edges\[0\] is not an object with 'source'"),
    ('{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 1}]}', "unknown vertex '1'"),
    ('{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 0}]}', "self loop at vertex 0"),
    ('{"nodes": [{"id": 0}], "cliques": [0]}', r"cliques\[0\] is not a list"),
    ('{"nodes": [{"id": 0}], "graph": 1, "edges": []}', "'graph' is not an object"),
    ("graph {", "found 'the end of the file' where"),
    ("graph {\n a -- -- b }", ":2: found '--' where a name was expected"),
    ("graph {\n a ! b }", ":2: found '! b }', which is not dot"),
    ("graph { a }\ngraph { b }", ":2: found 'graph' where 'end' was expected"),
    ("graph { a [label=<b] }", ":1: '<' is never closed"),
    ("graph " + "{" * 100, "more than 50 nested subgraphs"),
    ("graph {}", "a graph needs at least one vertex"),
    ("// only a comment", "a dot file starts with 'graph {'"),
    ("graph {\n a -- a }", ":2: self loop at vertex a"),
]


@pytest.mark.parametrize("text, message", REFUSED, ids=range(len(REFUSED)))
def test_refusals(tmp_path, text, message):
    with pytest.raises(DataError, match=message) as caught:
        read_graph(written(tmp_path, text))
    assert str(caught.value).startswith(str(tmp_path)) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text, message",
    [
        ("0,3\n", ":1: unknown vertex 3; vertices are 0 to 2"),
        ("# variables 4\n0,1\n", "the graph has 4 vertices but the data has 3 variables"),
        ("graph { a -- b }", "the graph has 2 vertices but the data has 3 variables"),
        ("a,b\n\na,x\n", ":3: unknown vertex 'x': neither an index nor a variable of the data"),
        (
            "a,b\n0,1\n",
            ":2: unknown vertex '0': not a variable of the data, and other lines use names such as 'a'",
        ),
    ],
)
def test_refusals_with_data(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_graph(written(tmp_path, text), names=("a", "b", "c"))


def test_more_vertices_than_allowed_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(graph_lists, "MAX_VERTICES", 3)
    assert read_graph(written(tmp_path, "# variables 3\n0,2\n")).graph.n == 3
    with pytest.raises(DataError, match="expected a whole number from 1 to 3"):
        read_graph(written(tmp_path, "# variables 4\n0,2\n"))


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0,1\n0,x\n")))
    with pytest.raises(DataError, match="^standard input:2: found 'x'"):
        read_graph("-")


TWICE = {
    "edges": "# format edges\n# variables 2\n# columns u,v,probability\n0,1,0.25\n1,0,{}\n",
    "dot": "graph {{\n 0; 1;\n 0 -- 1 [probability=0.25];\n 1 -- 0 [probability={}];\n}}\n",
    "json": '{{"nodes": [{{"id": 0}}, {{"id": 1}}], "edges": [{{"source": 0, "target": 1, "probability": 0.25}}, '
    '{{"source": 1, "target": 0, "probability": {}}}]}}',
    "graphml": '<graphml><graph edgedefault="undirected"><node id="0"/><node id="1"/><edge source="0" target="1">'
    '<data key="probability">0.25</data></edge><edge source="1" target="0"><data key="probability">{}</data></edge>'
    "</graph></graphml>",
}


@pytest.mark.parametrize("kind", TWICE)
def test_an_edge_with_two_probabilities(kind):
    assert parse_graph(TWICE[kind].format("0.250"), "net").graph.probabilities == (0.25,)
    with pytest.raises(DataError, match="edge 1,0 is listed twice, with the probabilities 0.25 and 0.5; keep one"):
        parse_graph(TWICE[kind].format("0.5"), "net")
    with pytest.raises(DataError, match="'1.5' is not a probability"):
        parse_graph(TWICE[kind].format("1.5"), "net")


def test_probabilities_of_some_edges_only():
    text = "graph { 0 -- 1 [probability=0.25]; 1 -- 2; }"
    with pytest.raises(DataError, match="edge 1,2 has no 'probability', which other edges have"):
        parse_graph(text, "net")


def test_blanks_of_unicode_belong_to_names_of_a_list():
    names = ("x", "\u00a0x", "x\u2003")
    file = parse_graph("\u00a0x,x\nx,x\u2003\n", "net.edges", names)
    assert file.graph.edges == ((0, 1), (0, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# format edges\n# score -1\n# ess 2\n# score -2\n0,1\n", "graph:4: '# score' is given twice in the header;"),
        ("# format edges\n# variables 3\n# variables 2\n0,1\n", "graph:3: '# variables' is given twice"),
        ("# status optimal\n# status optimal\n0,1\n", "graph:2: '# status' is given twice"),
        ("// score -1\n// score -2\ngraph {\n0 -- 1\n}\n", "graph:2: '# score' is given twice"),
        (
            '{"graph": {"score": "-1", "score": "-2"}, "nodes": [{"id": 0}], "edges": []}',
            "graph: 'score' is given twice in one object; keep one of them",
        ),
        (
            '<graphml><graph edgedefault="undirected"><data key="score">-1</data>\n<data key="score">-2</data>'
            '<node id="0"/></graph></graphml>',
            "graph:2: '# score' is given twice",
        ),
    ],
)
def test_a_repeated_key_is_refused(tmp_path, text, message):
    with pytest.raises(DataError) as caught:
        read_graph(written(tmp_path, text))
    assert message in str(caught.value)


def test_comments_that_begin_alike_are_read(tmp_path):
    file = read_graph(written(tmp_path, "# made by hand\n# made in haste\n#\n#\n# format edges\n0,1\n"))
    assert file.graph.edges == ((0, 1),)


def test_columns_that_a_graph_does_not_have_are_named(tmp_path):
    path = tmp_path / "net"
    path.write_text("# variables 2\n# format cliques\na,b\n")
    message = "2 vertices but the data has 4 variables; leave out those that it does not have: '--drop=id,the note'"
    with pytest.raises(DataError, match=message):
        read_graph(path, ("id", "a", "b", "the note"))
    with pytest.raises(DataError, match="2 vertices but the data has 3 variables$"):
        read_graph(path, ("id", "x", "b"))


NUMBERED = {
    **{"program": "lsmarkov", "score": "-12.500000", "ess": "10", "upper-bound": "inf", "gap": "1e-7", "seed": "1"},
    **{"counts": "2", "status": "optimal", "r-hat-edges": "1.000", "max-clique": "03"},
}


def test_numbers_of_a_header_are_numbers_in_json(tmp_path):
    """But not a name that is a number, nor what JSON cannot have as one; their digits are kept."""
    text = format_graph(Graph(2, ((0, 1),)), "json", NUMBERED)
    found = json.loads(text)["graph"]
    expected = {"score": -12.5, "ess": 10, "upper-bound": "inf", "gap": 1e-7, "seed": 1, "counts": "2"}
    assert found == {**NUMBERED, **expected, "r-hat-edges": 1.0} and type(found["ess"]) is int
    assert parse_graph(text, "net.json").header == NUMBERED
    model = BayesianNetwork(("a",), (("x", "y"),), ((),), (np.array([[0.5, 0.5]]),))
    lines = network_lines("chordal", NUMBERED)
    write_model(tmp_path / "m.json", model, "json", lines)
    written = (tmp_path / "m.json").read_text()
    assert json.loads(written)["header"]["network-score"] == -12.5 and header_of(written) == lines


def test_every_line_that_is_a_number_is_one_in_json():
    assert {key for key, (what, _) in _FORMS.items() if what in ("a number", "a whole number")} <= NUMBERS
    assert not NUMBERS & {key for key, (what, _) in _FORMS.items() if what not in ("a number", "a whole number")}
