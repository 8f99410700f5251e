"""Graphs as plain lines that other programs of the field exchange: without header, and without comments.

* adjacency: CSV, a line of names, then a row of 0 and 1 for each vertex; a[i][j] = 1 is the arc i -> j, and a symmetric
  matrix an undirected graph. Benchpress, bnlearn's `amat` and pcalg use it. If some edges have a direction and others
  have none (a CPDAG), all count as undirected, as in GraphML.
* csv: a head with `source,target` (edges), `from,to` or `parent,child` (arcs, as bnlearn's `arcs`), then a line for
  each. Further columns of edges are `weight`, a probability, and `error`, its standard error; Gephi's `Type` says
  Directed or Undirected for each. The `strength` beside bnlearn's `direction` is a probability too. Other columns are
  ignored, but arcs with weights are refused. Vertices without edges cannot be written; a file is read on the variables
  of the data, or else on those that it names.
* modelstring: bnlearn's `[A][B|A][C|A:B]`, a directed acyclic graph.

A graph without names has its indices in their place.
"""

from __future__ import annotations

import csv
import io
import math
import re
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..errors import DataError, UsageError
from ..graphs.pdag import Pdag
from ..number_text import is_number, is_whole_number
from .graph_labels import RawGraph, edge_values, number_nodes, set_directions, set_edge_values

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph

KINDS = ("adjacency", "csv", "modelstring")
# the names of a column, of which we write the first
_COLUMNS = {"probability": ("weight", "probability", "strength"), "error": ("error",)}
_HEADS = {("source", "target"): False, ("from", "to"): True, ("parent", "child"): True}  # whether it is directed
_NODE = re.compile(r"\[([^\[\]|:]+)(?:\|([^\[\]|:]+(?::[^\[\]|:]+)*))?\]")
_MODELSTRING = re.compile(rf"(?:\s*+{_NODE.pattern})++\s*+")
_MATRIX = re.compile(r"\s*+[^#\s][^\n]*+\n[01., \t]++(?:\r?\n|\Z)")  # a line of names, and one of numbers
_ENTRY = re.compile(r"[01](?:\.0*)?")


def format_exchange(graph: Graph | Dag | Pdag, kind: str) -> str:
    """The text of a graph in one of these formats.

    Parameters
    ----------
    kind
        One of `KINDS`.

    Raises
    ------
    UsageError
        Content that the format cannot hold: probabilities in a matrix, a vertex without edges in a list, an undirected
        or cyclic graph or a name with one of `[]|:",{}` in a model string, a line break in a name, whole numbers as
        names that would be read as numbers of vertices.
    """
    numbers = tuple(str(v) for v in range(graph.n))
    labels = graph.names or numbers
    broken = next((name for name in labels if "\n" in name or "\r" in name), None)
    if broken is not None:
        raise UsageError(f"the name {broken!r} has a line break, which --format {kind} cannot hold; use --format json")
    are_numbers = all(map(is_whole_number, labels)) if kind == "csv" else {*labels} == {*numbers}
    if are_numbers and labels != numbers:
        raise UsageError(f"the names are whole numbers, which --format {kind} has for vertices; use --format json")
    if kind == "modelstring":
        return _modelstring(graph, labels)
    if kind == "csv":
        return _edge_table(graph, labels)
    if getattr(graph, "probabilities", None) is not None:
        raise UsageError("edges with probabilities do not fit a matrix of 0 and 1; use --format csv")
    undirected = {*getattr(graph, "undirected", ())}
    rows = [["0"] * graph.n for _ in range(graph.n)]
    for u, v in graph.edges:
        rows[u][v] = "1"
        rows[v][u] = rows[v][u] if graph.directed and (u, v) not in undirected else "1"
    plain = all(re.fullmatch(r"\w+", name) for name in labels)
    return _table([labels], csv.QUOTE_MINIMAL if plain else csv.QUOTE_ALL) + _table(rows)


def parse_exchange(text: str, path: str) -> RawGraph | None:
    """Read a graph in one of these formats.

    Parameters
    ----------
    path
        For messages.

    Returns
    -------
    RawGraph or None
        None if the text begins like none of them.

    Raises
    ------
    DataError
        A line that does not fit the others, with its number.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip().startswith("["):
        return _parse_modelstring(text, path) if _MODELSTRING.fullmatch(text) else None
    try:
        ends = ends_in_head(text)
        if ends[:2] == [0, 1]:
            return _parse_edge_table(text, path)
        matrix = _parse_matrix(text, path) if _MATRIX.match(text) else None
        return _parse_edge_table(text, path) if matrix is None and ends else matrix
    except csv.Error as error:
        raise DataError(f"not comma-separated: {error}", path) from None


def _rows(text: str, separator: str = ",") -> list[tuple[int, list[str]]]:
    """The rows of a table that are not empty, with the numbers of their lines."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    return [(reader.line_num, row) for row in reader if row]


def _table(rows: Any, quoting: Any = csv.QUOTE_MINIMAL) -> str:
    """Rows as CSV."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=quoting).writerows(rows)
    return out.getvalue()


def _edge_table(graph: Graph | Dag | Pdag, labels: tuple[str, ...]) -> str:
    """Edges, one per line."""
    alone = set(range(graph.n)) - {v for edge in graph.edges for v in edge}
    if alone:
        name = labels[min(alone)]
        others = f"{'arcs' if graph.directed else 'edges'} or adjacency"
        raise UsageError(f"vertex '{name}' has no edge, so --format csv would lose it; use --format {others}")
    if isinstance(graph, Pdag):
        kinds = ["Undirected" if edge in graph.undirected else "Directed" for edge in graph.edges]
        typed = [[labels[u], labels[v], kind] for (u, v), kind in zip(graph.edges, kinds, strict=True)]
        return _table([["source", "target", "type"], *typed])
    head = next(list(head) for head, directed in _HEADS.items() if directed == graph.directed)
    values = edge_values(graph)
    head += [_COLUMNS[name][0] for name in (values[0] if values else ())]
    rows = [[labels[u], labels[v], *more.values()] for (u, v), more in zip(graph.edges, values, strict=True)]
    return _table([head, *rows])


def _head(text: str) -> tuple[str, list[str]]:
    """The separator of the cells of a table, by its first line, and the names of its columns in lower case."""
    first = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=first.count)
    return separator, [cell.strip().lower() for cell in next(csv.reader([first], delimiter=separator), [])]


def ends_in_head(text: str) -> list[int]:
    """The columns of the two ends of an edge; empty if the first line is not the head of a table of edges."""
    _, head = _head(text)
    return next(([head.index(one) for one in ends] for ends in _HEADS if {*ends} <= {*head}), [])


def _parse_edge_table(text: str, path: str) -> RawGraph:
    """A table of edges, see the top of this file."""
    separator, head = _head(text)
    first, second = ends_in_head(text)
    usual = _HEADS[head[first], head[second]]
    raw = RawGraph("csv", edges=[], directed=usual)
    are_arcs = []
    values = []
    edges: list[tuple[int, tuple[str, str]]] = []
    for line, row in _rows(text, separator)[1:]:
        if len(row) != len(head):
            raise DataError(f"{counted(len(row), 'cell')}, expected {len(head)}: {','.join(head)}", path, line)
        cells = dict(zip(head, row, strict=True))
        edges.append((line, (row[first], row[second])))
        are_arcs.append(_is_arc(cells, usual, path, line))
        values.append({kind: cells[name] for kind, names in _COLUMNS.items() for name in names if name in cells})
    ids = list(dict.fromkeys(label for _, ends in edges for label in ends))
    if "strength" in head:
        if "direction" not in head:
            message = "strengths without a column 'direction' may be p-values or differences of scores"
            raise DataError(f"{message}; call them weight if they are probabilities, or leave them out", path, 1)
        raw.note = "strength is read as the probability of an edge; the column direction is not kept"
        kept = [k for k, each in enumerate(values) if _number(each["probability"]) != 0]
        edges, values, are_arcs = [edges[k] for k in kept], [values[k] for k in kept], [False] * len(kept)
        raw.directed = False
    raw.edges = edges
    set_directions(raw, are_arcs)
    if raw.directed or raw.are_arcs:
        if any(_number(each.get("probability", "1")) != 1 for each in values):
            message = "arcs with weights; only edges without a direction can have them, as probabilities"
            raise DataError(f"{message}: leave the column out, or call the ends source and target", path, 1)
    else:
        set_edge_values(raw, values, path)
    if not all(map(is_whole_number, ids)):
        raw.number, raw.names = number_nodes(ids)
    return raw


def _is_arc(cells: dict[str, str], usual: bool, path: str, line: int) -> bool:
    """Whether a row is an arc: as its Type says (Gephi: Directed, Undirected), or else as the head does."""
    kind = cells.get("type", "").strip().lower()
    if kind in ("directed", "undirected"):
        return kind == "directed"
    if kind and not usual:
        raise DataError(f"type '{kind}' of an edge; expected Directed or Undirected", path, line)
    return usual


def _number(text: str) -> float:
    """A number; NaN for another text, which is refused where it matters."""
    return float(text) if is_number(text.strip()) else math.nan


def _parse_matrix(text: str, path: str) -> RawGraph | None:
    """An adjacency matrix; None if the text is no square of 0 and 1 below a line of names."""
    try:
        (_, head), *rows = _rows(text)
    except csv.Error:
        return None
    if len(head) == 1 and is_whole_number(head[0]):  # a list of two cliques
        return None
    if len(rows) != len(head) or any(len(row) != len(head) for _, row in rows):
        return None
    cells = [(line, [cell.strip() for cell in row]) for line, row in rows]
    if not all(_ENTRY.fullmatch(cell) for _, row in cells for cell in row):
        return None
    if len(set(head)) < len(head):
        raise DataError("two vertices of the same name in the first line of this matrix", path, 1)
    raw = RawGraph("adjacency", n=len(head), edges=[])
    raw.number, raw.names = number_nodes(head)
    ones = {(i, j): line for i, (line, row) in enumerate(cells) for j, cell in enumerate(row) if cell[0] == "1"}
    raw.edges = [(line, (head[i], head[j])) for (i, j), line in ones.items()]
    set_directions(raw, [True] * len(ones))
    return raw


def _modelstring(graph: Graph | Dag | Pdag, labels: tuple[str, ...]) -> str:
    """bnlearn's string; parents before children."""
    from ..graphs.dag import Dag

    if not isinstance(graph, Dag):
        raise UsageError("an undirected graph cannot be a model string; write it as edges (--format edges)")
    order = graph.order()
    if order is None:
        raise UsageError("a graph with a cycle cannot be a model string; write it as arcs (--format arcs)")
    bad = next((name for name in labels if re.search(r'[\[\]|:",{}]', name) or name != name.strip() or not name), None)
    if bad is not None:
        raise UsageError(f"the name {bad!r} cannot be written in a model string; write arcs (--format arcs)")
    parents = graph.parents()
    given = ("|" + ":".join(labels[u] for u in parents[v]) if parents[v] else "" for v in order)
    return "".join(f"[{labels[v]}{parents}]" for v, parents in zip(order, given, strict=True)) + "\n"


def _parse_modelstring(text: str, path: str) -> RawGraph | None:
    """A directed graph; None for a list of JSON."""
    nodes = [(name.strip(), parents) for name, parents in _NODE.findall(text)]
    ids = [name for name, _ in nodes]
    if any(re.search(r'[",{}]', name) for name in ids) or (len(ids) == 1 and is_whole_number(ids[0])):
        return None
    twice = next((name for name in ids if ids.count(name) > 1), None) if len(set(ids)) < len(ids) else None
    if twice is not None:
        raise DataError(f"'{twice}' has two entries in this model string; keep one of them", path)
    edges = [(None, (one.strip(), name)) for name, parents in nodes for one in (parents.split(":") if parents else ())]
    raw = RawGraph("modelstring", n=len(ids), edges=edges, directed=True)
    raw.number, raw.names = number_nodes(ids)
    return raw
