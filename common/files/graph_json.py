"""JSON in the node-link layout that networkx and d3 read, one vertex, edge or clique per line.

`{"directed": false, "multigraph": false, "graph": {header}, "nodes": [{"id": 0, "name": "a"}], "edges":
[{"source": 0, "target": 1}], "cliques": [[0, 1]]}`. With `"directed": true` the edges are arcs. Edges with
probabilities have `"probability": 0.25` and perhaps `"error"`, its standard error. The maximal cliques
are our addition, for chordal graphs only; other programs ignore them. The older name `links` for the edges is
read too. The parser does not keep positions, so errors other than syntax errors name the entry instead of the line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..errors import DataError
from .graph_labels import RawGraph, edge_values, number_nodes, set_directions, set_edge_values
from .json_text import WrittenNumber, header_json, header_text, parsed_json

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph


def format_json(graph: Graph | Dag, cliques: Sequence[tuple[int, ...]] | None, header: dict[str, str]) -> str:
    """The JSON text of a graph.

    Parameters
    ----------
    cliques
        Its maximal cliques; None for a graph that is directed or not chordal.

    Returns
    -------
    str
        The same bytes for the same arguments.
    """
    nodes = [{"id": v, "name": graph.names[v]} if graph.names else {"id": v} for v in range(graph.n)]
    edges = [
        {"source": u, "target": v, **{name: float(number) for name, number in values.items()}}
        for (u, v), values in zip(graph.edges, edge_values(graph), strict=True)
    ]
    parts = [f'"graph": {header_json(header)}', f'"nodes": {_rows(nodes)}', f'"edges": {_rows(edges)}']
    if cliques is not None:
        parts.append(f'"cliques": {_rows(cliques)}')
    return f'{{"directed": {_dump(graph.directed)}, "multigraph": false,\n' + ",\n".join(parts) + "\n}\n"


def parse_json(text: str, path: str) -> RawGraph:
    """Read a node-link JSON file.

    Parameters
    ----------
    text
        The file's content.
    path
        For messages.

    Raises
    ------
    DataError
        Not JSON (with the line), or JSON that is not a graph (with the entry).
    """
    top = parsed_json(text, path, lambda pairs: _object(pairs, path), WrittenNumber)
    if not isinstance(top, dict) or not isinstance(top.get("nodes"), list):
        raise DataError("no list 'nodes' at the top; expected a node-link graph", path)
    header = top.get("graph", {})
    if not isinstance(header, dict):
        raise DataError("'graph' is not an object of attributes", path)
    header = {key: header_text(value) for key, value in header.items()}
    ids, labels = _nodes(top["nodes"], path)
    raw = RawGraph("json", header, n=len(ids), directed=top.get("directed") is True)
    raw.number, raw.names = number_nodes(ids, labels)
    links = "edges" if "edges" in top else "links"
    if links in top:
        raw.edges = [(None, _ends(edge, links, i, path)) for i, edge in enumerate(_list(top, links, path))]
        if raw.directed:
            set_directions(raw, [True] * len(raw.edges))
        set_edge_values(raw, top[links], path)
    if "cliques" in top:
        raw.cliques = [(None, _members(clique, i, path)) for i, clique in enumerate(_list(top, "cliques", path))]
    if raw.edges is None and raw.cliques is None:
        raise DataError("neither 'edges' nor 'links' nor 'cliques'; expected a node-link graph", path)
    return raw


def _dump(value: Any) -> str:
    """One value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def _rows(values: Sequence) -> str:
    """A JSON list with one entry per line."""
    return "[\n" + ",\n".join("  " + _dump(value) for value in values) + "\n]" if values else "[]"


def _list(top: dict[str, Any], key: str, path: str) -> list:
    """A member that must be a list."""
    if not isinstance(top[key], list):
        raise DataError(f"'{key}' is not a list", path)
    return top[key]


def _object(pairs: Any, path: str) -> Any:
    """A dict from the keys and values of an object, in which no key may be repeated."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        key = next(key for key in keys if keys.count(key) > 1)
        raise DataError(f"'{key}' is given twice in one object; keep one of them", path)
    return found


def _nodes(nodes: list[dict[str, int | str | None]], path: str) -> tuple[list[str], list[str | None]]:
    """Ids and names (None where missing) of the vertices."""
    names = {}
    for i, node in enumerate(nodes):
        if not isinstance(node, dict) or "id" not in node:
            raise DataError(f"nodes[{i}] is not an object with an 'id'", path)
        key, name = _label(node["id"], f"nodes[{i}]", path), node.get("name")
        if key in names:
            raise DataError(f"nodes[{i}]: id '{key}' is used twice", path)
        names[key] = name if isinstance(name, str) else None
    return list(names), list(names.values())


def _ends(edge: dict[str, int], links: str, i: int, path: str) -> tuple[str, ...]:
    """Labels of the two ends of an edge."""
    if not isinstance(edge, dict) or "source" not in edge or "target" not in edge:
        raise DataError(f"{links}[{i}] is not an object with 'source' and 'target'", path)
    return tuple(_label(edge[key], f"{links}[{i}]", path) for key in ("source", "target"))


def _members(clique: list[int], i: int, path: str) -> tuple[str, ...]:
    """Labels of the vertices of a clique."""
    if not isinstance(clique, list) or not clique:
        raise DataError(f"cliques[{i}] is not a list of vertices", path)
    return tuple(_label(vertex, f"cliques[{i}]", path) for vertex in clique)


def _label(value: Any, where: str, path: str) -> str:
    """A vertex id as text; whole numbers and strings are accepted."""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return str(value)
    raise DataError(f"{where}: {_dump(value)} is neither a whole number nor a string", path)
