"""Directions of edges in dot: attributes of edges, of graphs and of subgraphs."""

import re

import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.models.any_graph import parse_graph

DIRECTIONS = {
    "digraph { a -> b }": "ab",
    "digraph { a -> b [dir=forward] }": "ab",
    "digraph { a -> b [dir=back]; c -> b }": "ba cb",
    'digraph { a -> b [dir="back", color=red] [label=<<b>x</b>>] }': "ba",
    "digraph { a -> b [DIR=back, dir=back] }": "ba",
    "digraph { a -> b [dir=none]; b -> c [dir=none] }": None,
    "digraph { a -> b [dir=both] }": None,
    "digraph { a -> b [dir=back]; b -> c [dir=none] }": None,  # a CPDAG
    "digraph { a -> b; b -> a; c -> a }": None,
    "digraph { a -> b [arrowhead=none] }": None,
    "digraph { a -> b [arrowhead=none, dir=back] }": "ba",
    "digraph { a -> b [dir=both, arrowhead=none] }": "ba",
    "digraph { a -> b [dir=both, arrowtail=none, arrowhead=normal] }": "ab",  # Tetrad
    "digraph { a -> b [dir=both, arrowtail=odot, arrowhead=normal] }": None,
    'digraph { a -> b [arrowtail="none", arrowhead="none"] }': None,
    "digraph { edge [dir=none]; a -> b -> c }": None,
    "digraph { a -> b; edge [dir=back] b -> c }": "ab cb",
    "digraph { subgraph x { edge [dir=back]; a -> b } b -> c }": "ba bc",
    "digraph { edge [dir=back]; subgraph { a -> b; { edge [dir=forward] b -> c } d -> c } }": "ba bc cd",
    "digraph { edge [dir=back]; a -> b [dir=forward] -> c }": "",
    "digraph { edge [arrowhead=none, dir=both]; a -> b -> c }": "ba cb",
    "digraph { {a b} -> c [dir=back] }": "ca cb",
    "digraph { a -> b -> c [dir=back] }": "ba cb",
    "digraph { edge [dir=back] [color=red]; graph [dir=none]; node [dir=none]; a -> b }": "ba",
    "strict digraph { a -> b; a -> b [dir=back] }": "ba",
    "strict digraph { a -> b [dir=none]; edge [dir=forward] a -> b }": None,
    "graph { a -- b [dir=forward]; c -- b [dir=back] }": "ab bc",
    "graph { a -- b; b -- c [dir=forward] }": None,
    "strict graph { a -- b [dir=forward]; b -- a [color=red] }": "ab",
    "graph { edge [dir=forward] a -- b -- c }": "ab bc",
    "graph { a -> b }": None,
    "digraph { a -- b; b -> c }": None,
    '# pygraphviz\nstrict digraph "" {\n a -> b [key=0,\n dir=back];\n}\n': "ba",
    "digraph { a:n -> b:s [dir=back]; {c;d} -> b }": "ba cb db",
}


@pytest.mark.parametrize("text, arcs", DIRECTIONS.items())
def test_directions_in_dot(text, arcs, caplog):
    if arcs == "":
        with pytest.raises(DataError, match="found '->'"):
            parse_graph(text, "net")
        return
    caplog.set_level("INFO", "cliquewise")
    file = parse_graph(text, "net")
    if arcs is None:
        pairs = {frozenset(pair) for pair in re.findall(r"(?=\b([a-d]) -[->] ([a-d]))", text)}
        assert file.dag is None
        assert {frozenset(file.graph.names[v] for v in edge) for edge in file.graph.edges} == pairs
        mixed = text in ("digraph { a -> b [dir=back]; b -> c [dir=none] }", "digraph { a -> b; b -> a; c -> a }")
        if mixed:
            assert "net: only some edges have a direction; all count as undirected in a network" in caplog.text
    else:
        found = {file.graph.names[u] + file.graph.names[v] for u, v in file.dag.arcs}
        assert found == set(arcs.split())
