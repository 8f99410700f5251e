"""Data are recognised by content: a network is refused, and tables that begin similarly are read."""

import io
import sys

import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.graphfile import ARC_FORMATS, FORMATS, format_graph
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.learning.load import load_input
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
