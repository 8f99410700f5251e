"""Graphviz dot: a writer, and a reader for the parts of the language that define vertices and edges.

We write comment lines `// key value`, then a line for every vertex (its id is the index, its label the name,
if known), then the edges. The reader accepts graphs and digraphs, edge chains, subgraphs (also as the end of an edge),
attribute lists and all four kinds of ids. The only attributes kept are the label of a vertex, and the probability and
error of an edge.

An edge has a direction if Graphviz draws one arrow head: by `dir`, `arrowhead` and `arrowtail` of the edge, or their
defaults where it stands. So `a -> b [dir=back]` is the arc from b to a; with `dir=none`, `dir=both`, or a circle at an
end (`odot`, of a PAG) there is no direction. Without `dir`, `a -> b` in a graph is an edge, and so is `a -- b` in a
digraph.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .graph_labels import RawGraph, edge_values, number_nodes, set_directions, set_edge_values
from .result_header import refuse_repeated

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from ..graphs.pdag import Pdag

_TOKEN = re.compile(
    r"""(?P<skip>[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/|^\#[^\n]*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<word>[^\W\d]\w*|-?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?))
      | (?P<edge>--|->)
      | (?P<mark>[{}\[\]=;,:])
      | (?P<html><)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_HEADS = {"forward": (False, True), "back": (True, False), "both": (True, True), "none": (False, False)}
_CIRCLES = ("odot", "dot", "circle")  # of a PAG: there may be a head or not
_MAX_NESTING = 50  # deepest nesting of subgraphs


def format_dot(graph: Dag | Graph | Pdag, header: dict[str, str]) -> str:
    """The dot text of a graph; same graph and header, same bytes."""
    lines = [f"// {key} {value}".rstrip() for key, value in header.items()]
    word, arrow = ("digraph", "->") if graph.directed else ("graph", "--")
    lines.append(f"{word} {{")
    undirected = {*getattr(graph, "undirected", ())}
    for v in range(graph.n):
        lines.append(f"  {v}" + (f" [label={_label(graph.names[v])}]" if graph.names else "") + ";")
    for (u, v), values in zip(graph.edges, edge_values(graph), strict=True):
        none = ["dir=none"] * ((u, v) in undirected)
        numbers = ", ".join([*none, *(f"{name}={number}" for name, number in values.items())])
        lines.append(f"  {u} {arrow} {v}" + (f" [{numbers}]" if numbers else "") + ";")
    return "\n".join(lines) + "\n}\n"


def parse_dot(text: str, path: str) -> RawGraph:
    """Read a dot file.

    Parameters
    ----------
    text
        The file's content.
    path
        For messages.

    Raises
    ------
    DataError
        Not dot, with the line.
    """
    header: dict[str, str] = {}
    for at, line in enumerate(text.split("\n"), 1):
        if not line.startswith("//"):
            break
        key, _, value = line[2:].strip().partition(" ")
        refuse_repeated(key, header, path, at)
        header[key] = value.strip()
    reader = _Reader(text, path)
    reader.graph()
    ids = list(reader.labels)
    directions = [_direction(edge) for edge in reader.edges]
    edges = [(edge.line, edge.ends[::-1] if way < 0 else edge.ends)
             for edge, way in zip(reader.edges, directions, strict=True)]  # fmt: skip
    raw = RawGraph("dot", header, edges=edges, n=len(ids), directed=reader.directed)
    set_directions(raw, [way != 0 for way in directions])
    set_edge_values(raw, [edge.attributes for edge in reader.edges], path)
    raw.number, raw.names = number_nodes(ids, list(reader.labels.values()))
    return raw


def _label(name: str) -> str:
    """A quoted label; backslashes are doubled, since labels have their own escapes."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _read_label(text: str) -> str:
    """Undo the escapes of a label."""
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] in "nlr" else match[1], text, flags=re.DOTALL)


def _tokens(text: str, path: str) -> list[tuple[int, str, str]]:
    """List of (line, kind, value); kind is word, string, edge, or the mark itself, and `end` comes last."""
    tokens, at, line = [], 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if not match:
            raise DataError(f"found {text[at : at + 20].splitlines()[0]!r}, which is not dot", path, line)
        kind, value = str(match.lastgroup), match.group()
        if kind == "html":
            value = _html(text, at, path, line)
            tokens.append((line, "string", value))
        elif kind == "string":  # \" and line continuations belong to the string, all other escapes to the label
            tokens.append((line, kind, re.sub(r'\\(["\n])|(\\.)', _unquote, value[1:-1], flags=re.DOTALL)))
        elif kind != "skip":
            tokens.append((line, value if kind == "mark" else kind, value))
        line += value.count("\n")
        at += len(value)
    tokens.append((line, "end", "the end of the file"))
    return tokens


def _unquote(match: Any) -> str:
    """One escape inside a quoted string."""
    return match[2] or match[1].strip("\n")


def _html(text: str, start: int, path: str, line: int) -> str:
    """The balanced `<...>` that begins at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "<") - (text[at] == ">")
        if depth == 0:
            return text[start : at + 1]
    raise DataError("'<' is never closed", path, line)


@dataclass
class _Edge:
    """An edge as in the file; `points` is whether it has an arrow without attributes."""

    line: int
    ends: tuple[str, str]
    points: bool
    attributes: dict[str, str]


def _direction(edge: _Edge) -> int:
    """1 from the first end to the second, -1 back, 0 if there is no direction or both."""
    usual = "forward" if edge.points else "none"
    drawn = _HEADS.get(edge.attributes.get("dir", "").lower(), _HEADS[usual])
    shapes = [edge.attributes.get(key, "").strip().lower() for key in ("arrowtail", "arrowhead")]
    if any(has and shape in _CIRCLES for has, shape in zip(drawn, shapes, strict=True)):
        return 0
    tail, head = (has and shape != "none" for has, shape in zip(drawn, shapes, strict=True))
    return head - tail


class _Reader:
    """Recursive descent over the tokens.

    It fills `labels` (id to label or None, as they come), `edges` and `directed`.
    """

    def __init__(self, text: str, path: str) -> None:
        self.tokens = _tokens(text, path)
        self.path = path
        self.at = 0
        self.labels: dict = {}
        self.edges: list[_Edge] = []
        self.known: dict[tuple[str, str], _Edge] = {}  # of a strict graph, which has one edge for two ends
        self.defaults: dict[str, str] = {}  # of edges, where the reader is
        self.directed = self.strict = False

    def kind(self, ahead: int = 0) -> str:
        """Kind of the token `ahead` positions from here."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)][1]

    def keyword(self, *words: Any) -> bool:
        """Whether the next token is one of these, unquoted."""
        _, kind, value = self.tokens[self.at]
        return kind == "word" and value.lower() in words

    def take(self, *kinds: Any) -> str:
        """The next token's value; DataError if it is of another kind."""
        line, kind, value = self.tokens[self.at]
        if kind not in kinds:
            expected = " or ".join("a name" if k == "word" else f"'{k}'" for k in kinds if k != "string")
            raise DataError(f"found {value!r} where {expected} was expected", self.path, line)
        self.at += 1
        return value

    def graph(self) -> None:
        """[strict] (graph | digraph) [id] { statements }"""
        if self.keyword("strict"):
            self.strict = bool(self.take("word"))
        if not self.keyword("graph", "digraph"):
            raise DataError("a dot file starts with 'graph {' or 'digraph {'", self.path, self.tokens[self.at][0])
        self.directed = self.take("word").lower() == "digraph"
        if self.kind() in ("word", "string"):
            self.take("word", "string")
        self.block(0)
        self.take("end")

    def block(self, depth: int) -> dict[str, None]:
        """{ statements }; returns the ids in it, in order."""
        if depth > _MAX_NESTING:
            raise DataError(f"more than {_MAX_NESTING} nested subgraphs", self.path, self.tokens[self.at][0])
        self.take("{")
        inside: dict = {}
        outer, self.defaults = self.defaults, {**self.defaults}
        while self.kind() != "}":
            if self.kind() == ";":
                self.take(";")
            elif self.keyword("graph", "node", "edge") and self.kind(1) == "[":
                word, attributes = self.take("word"), self.attributes()
                self.defaults |= attributes if word.lower() == "edge" else {}
            elif self.kind() in ("word", "string") and self.kind(1) == "=":
                self.assignment()
            else:
                inside.update(self.chain(depth))
        self.take("}")
        self.defaults = outer
        return inside

    def chain(self, depth: int) -> dict[str, None]:
        """A node, or ends joined by edges, with attributes; returns the ids in it."""
        line = self.tokens[self.at][0]
        ends, signs = [self.end(depth)], []
        while self.kind() == "edge":
            signs.append(self.take("edge"))
            ends.append(self.end(depth))
        attributes = self.attributes()
        if len(ends) == 1 and "label" in attributes:
            for node in ends[0]:
                self.labels[node] = _read_label(attributes["label"])
        for left, right, sign in zip(ends, ends[1:], signs, strict=False):
            for u in left:
                for v in right:
                    self.add((u, v), line, sign == "->", attributes)
        return {node: None for end in ends for node in end}

    def add(self, ends: tuple[str, str], line: int, points: bool, attributes: dict[str, str]) -> None:
        """An edge; in a strict graph perhaps further attributes of one that is there."""
        key = ends if self.directed or ends[0] <= ends[1] else ends[::-1]
        if self.strict and key in self.known:
            self.known[key].attributes |= attributes
            return
        edge = _Edge(line, ends, points and self.directed, self.defaults | attributes)
        self.known[key] = edge
        self.edges.append(edge)

    def end(self, depth: int) -> dict[str, None]:
        """A node (with a port, ignored) or a subgraph; returns its ids."""
        if self.keyword("subgraph"):
            self.take("word")
            if self.kind() in ("word", "string"):
                self.take("word", "string")
        if self.kind() == "{":
            return self.block(depth + 1)
        node = self.take("word", "string")
        while self.kind() == ":":
            self.take(":")
            self.take("word", "string")
        self.labels.setdefault(node, None)
        return {node: None}

    def attributes(self) -> dict[str, str]:
        """Any number of [key=value, ...]; returns them as a dict."""
        found = {}
        while self.kind() == "[":
            self.take("[")
            while self.kind() != "]":
                key, value = self.assignment()
                found[key] = value
                if self.kind() in (",", ";"):
                    self.take(",", ";")
            self.take("]")
        return found

    def assignment(self) -> tuple[str, str]:
        """key = value"""
        key = self.take("word", "string")
        self.take("=")
        return key, self.take("word", "string")
