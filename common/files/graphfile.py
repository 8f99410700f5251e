"""Graph files: one record, one parser that detects the format, one writer (`common.models.any_graph` is the reader).

Formats: cliques, edges and arcs (`common.files.graph_lists`), dot, GraphML and JSON (`graph_dot`, `graph_xml`,
`graph_json`). Lists contain indices, or names on request; the other three always contain the index and, if known, the
name. Every one of them preserves isolated vertices, names with any character that the format can represent, and the
header. The same graph and header always give the same bytes. Formats of other programs (`graph_exchange`) contain no
header.

Directed graphs (`Dag`) are written as arcs, dot, GraphML or JSON. Such a file is read as a directed graph and, for
callers that need undirected graphs, as the graph of its arcs.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import DataError, UsageError
from ..graphs.dag import Dag
from ..graphs.graph import PROBABILITIES, Graph
from ..graphs.pdag import Pdag
from .atomic_write import write_whole
from .file_kinds import FOREIGN, MODELS, READ_AS_GRAPH, described, kind_of_text
from .graph_exchange import KINDS as EXCHANGE_FORMATS
from .graph_exchange import format_exchange, parse_exchange
from .graph_labels import RawGraph, Vertices, resolve_vertices
from .graph_lists import RESERVED
from .result_header import renumbered

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

AnyGraph = Graph | Dag | Pdag
LOG = logging.getLogger("cliquewise")
NOT_CHORDAL = "graph is not chordal; write it as edges (--format edges)"
FORMATS = ("cliques", "edges", "dot", "graphml", "json")
PDAG_FORMATS = ("dot", "graphml", "csv", "adjacency")
ARC_FORMATS = ("arcs", "dot", "graphml", "json")
_DOT = re.compile(r'//|/\*|(?:#[^\n]*\n\s*)*+(strict\s+)?(di)?graph(\s+("([^"\\]|\\.)*"|[\w.-]+))?\s*\{', re.IGNORECASE)


@dataclass(frozen=True)
class GraphFile:
    """The content of a graph file.

    Attributes
    ----------
    graph
        With the names of the caller or the file; in the caller's order, if given.
    kind
        cliques, edges, arcs, dot, graphml, json, or one of `EXCHANGE_FORMATS`.
    header : dict of str to str
        `# key value` lines (or the equivalent of the format), in order; without format, variables and
        names.
    cliques : tuple of tuple of int, or None
        The cliques as listed, each ascending; None if the file lists none.
    path
        For messages; `-` for standard input.
    stated
        Whether the number of vertices is given, not only the largest index plus 1.
    dag
        The arcs, if the file's edges are directed; they may contain a cycle.
    pdag
        The edges with and without a direction, if only some have one.
    positions : tuple of (float, float), or None
        Where the file shows the vertices, y upwards.
    titles : tuple of str, or None
        Their labels in a picture.
    """

    graph: Graph
    kind: str
    header: dict = field(default_factory=dict)
    cliques: tuple | None = None
    path: str = "-"
    stated: bool = True
    dag: Dag | None = None
    pdag: Pdag | None = None
    positions: tuple[tuple[float, float], ...] | None = None
    titles: tuple[str, ...] | None = None

    @property
    def network(self) -> Dag | Graph:
        """The Dag if the edges are directed, otherwise the Graph."""
        return self.dag or self.graph

    def check_network(self) -> None:
        """Refuse a list of edges with probabilities, which is no network, with a DataError."""
        if self.graph.probabilities is not None:
            raise DataError(PROBABILITIES, self.path)

    def check_acyclic(self) -> None:
        """Refuse a cycle of arcs, and edges with probabilities, with a DataError."""
        self.check_network()
        if self.dag is not None and self.dag.order() is None:
            raise DataError("the arcs form a cycle; mntools check names it", self.path)


def resolved(
    raw: RawGraph, path: str, names: Sequence[str] | None = None, n: int | None = None, in_part: bool = False
) -> GraphFile:
    """The GraphFile of a parsed file.

    Parameters
    ----------
    path
        For messages.
    names
        The data's variables: vertices are matched to them by name if the file has names, otherwise by index.
    n
        The data's number of variables, if it has no names.
    in_part
        As for `common.files.graph_labels.resolve_vertices`.

    Raises
    ------
    DataError
        Not a graph on these variables.
    """
    vertices = resolve_vertices(raw, path, None if names is None else tuple(names), n, in_part)
    edges, cliques = (
        group if group is None else tuple(vertices.find(line, labels, path) for line, labels in group)
        for group in (raw.edges, raw.cliques)
    )
    graph = Graph.from_cliques(vertices.n, (cliques or ()) if edges is None else edges, vertices.names)
    if cliques is not None:
        cliques = tuple(tuple(sorted(members)) for members in cliques)
    dag = Dag(vertices.n, tuple(sorted(set(edges))), vertices.names) if raw.directed and edges is not None else None
    if raw.note is not None:
        LOG.info("%s: %s", path, raw.note)
    pdag = None
    if raw.are_arcs is not None:
        LOG.info("%s: only some edges have a direction; all count as undirected in a network", path)
        arcs, pairs = _by_direction(edges or (), raw.are_arcs)
        pdag = Pdag(vertices.n, arcs, pairs, vertices.names)
    if raw.probabilities is not None and edges is not None:
        at = _place_of_edges(raw, edges, path)
        order = [at[edge] for edge in graph.edges]
        errors: Any = raw.errors and tuple(raw.errors[i] for i in order)
        graph = replace(graph, probabilities=tuple(raw.probabilities[i] for i in order), errors=errors)
    header = renumbered(raw.header, vertices.places)
    positions, titles = (_in_order(listed, vertices) for listed in (raw.positions, raw.titles))
    return GraphFile(graph, raw.kind, header, cliques, path, vertices.stated, dag, pdag, positions, titles)


def raw_of(graph: Graph | Dag, header: dict[str, str]) -> RawGraph:
    """A graph in memory as a file has it: numbers with six decimals, its vertices not yet found among others."""
    edges = [(None, (str(u), str(v))) for u, v in graph.edges]
    number = {str(v): v for v in range(graph.n)}
    raw = RawGraph("json", _clean(header), edges, n=graph.n, number=number, names=graph.names, directed=graph.directed)
    columns = (getattr(graph, name, None) for name in ("probabilities", "errors"))
    raw.probabilities, raw.errors = (None if one is None else [round(value, 6) for value in one] for one in columns)
    return raw


def _clean(header: dict[str, str]) -> dict[str, str]:
    """A header as files have it: no line break in a value, no key of the format itself."""
    return {key: re.sub(r"[\r\n]+", " ", str(value)) for key, value in header.items() if key not in RESERVED}


def _in_order(listed: tuple | None, vertices: Vertices) -> tuple | None:
    """The values of a file for its vertices, in the caller's order; None if the caller has others, too."""
    if listed is None or vertices.places is None:
        return listed
    place = {v: i for i, v in enumerate(vertices.places)}
    return tuple(listed[place[v]] for v in range(vertices.n)) if len(place) == vertices.n else None


def _by_direction(edges: Sequence[tuple[int, ...]], are_arcs: Sequence[bool]) -> tuple[tuple, tuple]:
    """The arcs among some edges, and the pairs without a direction, each ascending; without wins over with."""
    pairs = {tuple(sorted(edge)) for edge, is_arc in zip(edges, are_arcs, strict=True) if not is_arc}
    arcs = {edge for edge, is_arc in zip(edges, are_arcs, strict=True) if is_arc and tuple(sorted(edge)) not in pairs}
    return tuple(sorted(arcs)), tuple(sorted(pairs))


def _place_of_edges(raw: RawGraph, edges: Sequence[tuple[int, ...]], path: str) -> dict[tuple[int, ...], int]:
    """Where each edge is listed: {edge: place}; DataError for one that is listed with two probabilities."""
    at: dict = {}
    for i, (edge, (line, labels)) in enumerate(zip(edges, raw.edges or (), strict=True)):
        first = at.setdefault((min(edge), max(edge)), i)
        for values, what in ((raw.probabilities, "probabilities"), (raw.errors, "standard errors")):
            if values is not None and values[first] != values[i]:
                found = f"edge {','.join(labels)} is listed twice, with the {what} {values[first]:g} and {values[i]:g}"
                raise DataError(f"{found}; keep one of them", path, line)
    return at


def write_graph(
    out: str | PathLike[str] | None,
    graph: AnyGraph,
    fmt: str,
    header: dict[str, str] | None = None,
    use_names: bool = False,
) -> None:
    """Write a graph whole or not at all; see `format_graph`.

    Parameters
    ----------
    out : str, Path or None
        Target; `-` or None is standard output.
    graph, fmt, header, use_names
        As for `format_graph`.

    Raises
    ------
    CliquewiseError
        Of `format_graph` and `common.files.atomic_write.write_whole`; the target is then as it was.
    """
    write_whole(out, format_graph(graph, fmt, header, use_names))


def format_graph(graph: AnyGraph, fmt: str, header: dict[str, str] | None = None, use_names: bool = False) -> str:
    """The text of a graph file.

    Parameters
    ----------
    graph
        At least one vertex.
    fmt
        One of `FORMATS`; of `ARC_FORMATS` for a Dag; of `EXCHANGE_FORMATS`, which have no header, for both; of
        `PDAG_FORMATS` for a Pdag.
    header
        Keys are single words; written in this order. Line breaks in a value become blanks.
    use_names
        Names instead of indices in a list; the other formats have the names anyway.

    Raises
    ------
    DataError
        A clique list of a graph that is not chordal.
    UsageError
        Names that are missing or that the format cannot hold; a graph that it cannot hold.

    Examples
    --------
    >>> print(format_graph(Graph(4, ((0, 1), (0, 2), (1, 2))), "cliques", {"score": "-10.5"}), end="")
    # score -10.5
    # format cliques
    # variables 4
    0,1,2
    3
    """
    header = _clean(header or {})
    if fmt in EXCHANGE_FORMATS:
        return format_exchange(graph, fmt)
    if fmt == "dot":
        from .graph_dot import format_dot

        return format_dot(graph, header)
    if fmt == "graphml":
        from .graph_xml import format_graphml

        return format_graphml(graph, header)
    if isinstance(graph, Pdag):
        message = f"only some edges have a direction, which --format {fmt} cannot hold"
        raise UsageError(f"{message}; use {', '.join(PDAG_FORMATS)}")
    if fmt not in (ARC_FORMATS if graph.directed else FORMATS):
        raise _unknown(fmt)
    if fmt in ("cliques", "edges", "arcs"):
        from .graph_lists import format_list

        groups = _cliques(graph) if fmt == "cliques" else graph.edges
        if groups is None:
            has_numbers = getattr(graph, "probabilities", None) is not None
            raise DataError(PROBABILITIES if has_numbers else NOT_CHORDAL)
        return format_list(graph, fmt, groups, header, use_names)
    from .graph_json import format_json

    return format_json(graph, _cliques(graph), header)


def _cliques(graph: Graph | Dag) -> tuple[tuple[int, ...], ...] | None:
    """Maximal cliques of a chordal network; None of another graph."""
    from ..graphs.chordal import is_chordal, maximal_cliques

    if not isinstance(graph, Graph) or graph.probabilities is not None or not is_chordal(graph):
        return None
    return maximal_cliques(graph)


def _unknown(fmt: str) -> UsageError | ValueError:
    """The error for a format that such a graph does not have."""
    if fmt == "arcs":
        return UsageError("an undirected graph has no arcs; write it as edges (--format edges)")
    if fmt in FORMATS:
        return UsageError(f"--format {fmt} is for undirected graphs; a directed graph is written as arcs")
    return ValueError(f"unknown graph format {fmt!r}; expected one of {', '.join({*FORMATS, *ARC_FORMATS})}")


def parse_raw(text: str, path: str) -> RawGraph:
    """The graph in a text, whose format is detected, with the labels of the file.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Not a graph file, or malformed; with the line if there is one.
    """
    start = text.lstrip()
    if not start:
        raise DataError("the file is empty; expected a graph", path)
    kind = kind_of_text(text)
    if kind in (*MODELS, *FOREIGN):
        raise DataError(f"{described(text)}{', not a graph' * (kind in MODELS)}; {READ_AS_GRAPH}", path)
    exchanged = parse_exchange(text, path)
    if exchanged is not None:
        return exchanged
    if start.startswith("<"):
        from .graph_xml import parse_graphml

        return parse_graphml(text, path)
    if start.startswith(("{", "[")):
        from .graph_json import parse_json

        return parse_json(text, path)
    if _DOT.match(start):
        from .graph_dot import parse_dot

        return parse_dot(text, path)
    from .graph_lists import parse_list

    return parse_list(text, path)
