"""Data are recognised by content: a network is refused, and tables that begin similarly are read."""

import gzip
import io
import sys

import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.graphfile import ARC_FORMATS, FORMATS, format_graph
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.learning.load import load_input
from cliquewise.common.models.any_graph import read_graph
from tests.common.models.test_bif import WEATHER

HEADER = {"program": "lsmarkov", "score": "-1.5"}
PATH = Graph(3, ((0, 1), (1, 2)), ("a", "b", "c"))
ARCS = Dag(3, ((0, 1), (1, 2)), ("a", "b", "c"))
CALLED = {"cliques": "clique list", "edges": "edge list", "arcs": "arc list", "graphml": "GraphML", "json": "JSON"}
NETWORKS = {
    **{fmt: format_graph(PATH, fmt, HEADER) for fmt in FORMATS},
    **{f"directed {fmt}": format_graph(ARCS, fmt, HEADER) for fmt in ARC_FORMATS},
    "BIF": WEATHER,
    "dot ": '\ufeff/* by hand */\nstrict graph "a b" {\n 0 -- 1;\n}\n',
    "list of blankets": "# program mplearn\r\n# format blankets\r\n# variables 2\r\n0: 1\r\n1: 0\r\n",
}


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_is_refused_as_data(tmp_path, monkeypatch, name):
    path = tmp_path / "net"
    path.write_text(NETWORKS[name])
    kind = name.removeprefix("directed ").strip()
    message = rf"a network \({CALLED.get(kind, kind)}\), not data; give the table or the scores to learn from"
    for parent_sets in (False, True):
        with pytest.raises(DataError, match=f"net: {message}"):
            load_input(path, parent_sets=parent_sets)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(NETWORKS[name].encode())))
    with pytest.raises(DataError, match=f"standard input: {message}"):
        load_input("-")


LINES = ['{"a": 1, "b": "x"}\n{"a": 0, "b": "y"}\n', '{"a": 1}\r\n{"a": 0}\r\n']
COLUMNS = ['{"a": [1, 2], "b": ["x", "y"]}', '{"a":{"0":1,"1":2}}', '{\n "a": [\n  "x", "y"]}']  # as pandas, and lists
NO_CSV = {
    "JSON lines": r"JSON lines, not a CSV; with pandas: read_json\(file, lines=True\)",
    "JSON of columns": r"JSON, not a CSV; if it is a table, with pandas: read_json\(file\)",
}


@pytest.mark.parametrize(
    "kind, text", [*(("JSON lines", text) for text in LINES), *(("JSON of columns", text) for text in COLUMNS)]
)
def test_json_of_rows_or_columns_is_a_table(tmp_path, kind, text):
    """That is not read, and no network."""
    path = tmp_path / ("t.jsonl" if kind == "JSON lines" else "t.json")
    path.write_text(text)
    with pytest.raises(DataError, match=f"{path.name}: {NO_CSV[kind]}"):
        load_input(path)
    with pytest.raises(DataError, match=rf"{path.name}: a table \({kind}\), which is not read"):
        read_graph(path)


@pytest.mark.parametrize("source", ["a file", "standard input"])
@pytest.mark.parametrize("text", [b"2 1\n0.0\n-1\n-2\n", b"# parent sets\n2\na 1\n-1.5 0\nb 2\n-3 0\n-2 1 a\n"])
def test_scores_may_be_compressed(tmp_path, monkeypatch, text, source):
    """As all other inputs; a damaged file is called so."""
    plain, path = tmp_path / "plain", tmp_path / "scores.gz"
    plain.write_bytes(text)
    path.write_bytes(gzip.compress(text))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    found = load_input(path if source == "a file" else "-", parent_sets=True)
    expected = load_input(plain, parent_sets=True)
    assert type(found) is type(expected) and found.n == 2
    assert (
        [*map(list, found.scores)] == [*map(list, expected.scores)]
        if hasattr(found, "parents")
        else (found.scores == expected.scores).all()
    )
    path.write_bytes(gzip.compress(text)[:-6])
    with pytest.raises(DataError, match=r"scores.gz: a damaged gzip file"):
        load_input(path, parent_sets=True)


@pytest.mark.parametrize(
    "first",
    ["graph,b", "digraph,{b", "network b", "variable;{x}", "{a},b", "<5,>=5", "# format,edges", "//a,b", "<a>\t</a>"],
)
def test_a_table_that_begins_like_a_network_is_data(tmp_path, first):
    path = tmp_path / "t.csv"
    separator = next(sign for sign in "\t;, " if sign in first)
    path.write_text(first + "\n" + f"x{separator}1\ny{separator}0\n" * 3)
    data = load_input(path)
    assert data.names == tuple(first.removeprefix("# ").split(separator)) and data.n_rows == 6
