"""GraphML, as networkx, igraph, Gephi and yEd read it: a writer, and a reader for simple graphs.

The header's keys become string attributes of the graph, the name of a vertex its attribute `name` (`label` is also
read), the probability of an edge and its standard error the attributes `probability` and `error`. A file with only
directed edges contains a directed graph; in other files a directed edge counts as an edge. The reader uses expat, so
that errors have a line. A document type is refused, and with it every entity: a graph needs neither, and they would
allow a small file to use all memory or to read another file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape, quoteattr

from ..errors import DataError, UsageError
from .file_kinds import READ_AS_GRAPH
from .graph_labels import RawGraph, edge_values, number_nodes, set_directions, set_edge_values
from .result_header import refuse_repeated
from .xml_reader import XmlReader
from .xml_text import NOT_XML

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from ..graphs.pdag import Pdag

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"


def format_graphml(graph: Dag | Graph | Pdag, header: dict[str, str]) -> str:
    """The GraphML text of a graph; same graph and header, same bytes."""
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<graphml xmlns="{_NAMESPACE}">']
    for i, key in enumerate(header):
        lines.append(f'  <key id="h{i}" for="graph" attr.name={_quoted(key)} attr.type="string"/>')
    if graph.names:
        lines.append('  <key id="name" for="node" attr.name="name" attr.type="string"/>')
    values = edge_values(graph)
    for name in values[0] if values else ():
        lines.append(f'  <key id="{name}" for="edge" attr.name="{name}" attr.type="double"/>')
    lines.append(f'  <graph edgedefault="{"" if graph.directed else "un"}directed">')
    lines += [f'    <data key="h{i}">{_text(value)}</data>' for i, value in enumerate(header.values())]
    undirected = {*getattr(graph, "undirected", ())}
    for v in range(graph.n):
        name = f'<data key="name">{_text(graph.names[v])}</data></node>' if graph.names else ""
        lines.append(f'    <node id="{v}"' + (f">{name}" if name else "/>"))
    for (u, v), numbers in zip(graph.edges, values, strict=True):
        data = "".join(f'<data key="{name}">{number}</data>' for name, number in numbers.items())
        none = ' directed="false"' * ((u, v) in undirected)
        lines.append(f'    <edge source="{u}" target="{v}"{none}' + (f">{data}</edge>" if data else "/>"))
    return "\n".join(lines) + "\n  </graph>\n</graphml>\n"


def parse_graphml(text: str, path: str) -> RawGraph:
    """Read a GraphML file.

    Parameters
    ----------
    text
        The file's content.
    path
        For messages.

    Raises
    ------
    DataError
        Broken XML, a document type, no graph or more than one, an edge without ends; with the line.
    """
    return _Reader(path).read(text)


def _legal(text: str) -> str:
    """Refuse the characters that XML cannot represent."""
    bad = NOT_XML.search(text)
    if bad is not None:
        raise UsageError(f"{text!r} holds the character {bad[0]!r}, which XML cannot; use --format json")
    return text


def _text(value: str) -> str:
    """Character data; a carriage return is preserved only as a reference."""
    return escape(_legal(value), {"\r": "&#13;"})


def _quoted(value: str) -> str:
    """An attribute value with its quotes."""
    return quoteattr(_legal(value))


class _Reader(XmlReader):
    """Collects vertices, edges and graph attributes from the stream of elements."""

    namespaces = True

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.attribute: dict = {}  # key id -> attr.name
        self.open: list = []  # names of the open elements
        self.graphs = 0
        self.header: dict = {}
        self.names: dict = {}
        self.edges: list = []
        self.values: list = []  # of the edges: {attribute: text}
        self.are_arcs: list[bool] = []  # of the edges: whether it has a direction; the default is the graph's
        self.by_default = False
        self.key = None  # attribute set by the open <data>
        self.data: list = []

    def read(self, text: str) -> RawGraph:
        """Parse a whole text into a RawGraph."""
        self.parse(text)
        if not self.graphs:
            raise DataError("no <graph> in this file; expected GraphML", self.path)
        raw = RawGraph("graphml", self.header, edges=self.edges, n=len(self.names), directed=self.by_default)
        set_directions(raw, self.are_arcs)
        set_edge_values(raw, self.values, self.path)
        raw.number, raw.names = number_nodes(list(self.names), list(self.names.values()))
        return raw

    def need(self, attributes: dict[str, str], *keys: Any) -> tuple[str, ...]:
        """The values of required attributes."""
        for key in keys:
            if key not in attributes:
                self.fail(f"<{self.open[-1]}> without '{key}'")
        return tuple(attributes[key] for key in keys)

    def on_doctype(self, *_: Any) -> None:
        self.fail("a document type (<!DOCTYPE ...>) is not accepted; remove it")

    def on_start(self, tag: str, attributes: dict[str, str]) -> None:
        space, _, tag = tag.rpartition(" ")
        if not self.open and (tag != "graphml" or (space and "graphml" not in space)):
            self.fail(f"the root of this XML is <{tag}>, not <graphml>; {READ_AS_GRAPH}")
        self.open.append(tag)
        if tag == "key":
            (key,) = self.need(attributes, "id")
            self.attribute[key] = attributes.get("attr.name", key)
        elif tag == "graph":
            self.graphs += 1
            if self.graphs > 1:
                self.fail("a second or nested <graph>; one graph a file")
            self.by_default = attributes.get("edgedefault") == "directed"
        elif tag == "hyperedge":
            self.fail("<hyperedge> is not supported; write it as edges")
        elif tag == "node":
            (self.node,) = self.need(attributes, "id")
            if self.node in self.names:
                self.fail(f"node id '{self.node}' is used twice")
            self.names[self.node] = None
        elif tag == "edge":
            self.are_arcs.append(attributes.get("directed", "true" if self.by_default else "false") in ("true", "1"))
            self.edges.append((self.parser.CurrentLineNumber, self.need(attributes, "source", "target")))
            self.values.append({})
        elif tag == "data":
            (key,) = self.need(attributes, "key")
            self.key, self.data = self.attribute.get(key, key), []

    def on_text(self, text: str) -> None:
        if self.key is not None:
            self.data.append(text)

    def on_end(self, tag: str) -> None:
        self.open.pop()
        if self.key is None or tag.rpartition(" ")[2] != "data":
            return
        value, owner = "".join(self.data), self.open[-1] if self.open else ""
        if owner == "graph":
            refuse_repeated(self.key, self.header, self.path, self.parser.CurrentLineNumber)
            self.header[self.key] = value
        elif owner == "edge":
            self.values[-1][self.key] = value
        elif owner == "node" and (self.key == "name" or (self.key == "label" and self.names[self.node] is None)):
            self.names[self.node] = value
        self.key = None
