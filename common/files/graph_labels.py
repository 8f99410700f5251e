"""From the labels in a graph file to vertex numbers, for all formats.

A parser (`common.files.graph_lists`, `graph_dot`, `graph_xml`, `graph_json`) returns a `RawGraph`, whose edges and
cliques still contain the labels of the file. Three cases:

* the file lists its vertices (dot, GraphML, JSON, or `# names` in a list): labels are looked up there;
* the labels are whole numbers: 0-based indices;
* otherwise they are names, which only the caller's names (the data's header) can resolve.

Where the data's names are whole numbers too, numbers in a file of another program are names, if all of them are; if
some would be another vertex as an index and others are no names, the file is refused. Our own files say `# variables`
or `# names`.

If both the file and the caller have names, vertices are matched by name, and numbered in the caller's order.
"""

from __future__ import annotations

import logging
import math
import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..errors import DataError, nearest
from ..number_text import is_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from ..graphs.pdag import Pdag

LOG = logging.getLogger("cliquewise")
_SEPARATORS = "; vertices are separated by commas"
MAX_VERTICES = 1_000_000  # far above any method here; a stray 999999999999 must not fill the memory
_SHOWN_COLUMNS = 8  # columns that a message lists
_INDEX = re.compile("[0-9]{1,4000}")  # Python refuses to convert more


@dataclass
class RawGraph:
    """A parsed graph file, its labels not yet resolved.

    Attributes
    ----------
    kind
        One of cliques, edges, arcs, dot, graphml, json.
    header : dict of str to str
        Key-value lines, without the keys that define how to read the file.
    edges, cliques : list of (int or None, tuple of str), or None
        Line of the file and labels; None if the file has no such list.
    n
        Number of vertices the file states.
    number : dict of str to int, or None
        Label to vertex number, when the file lists its vertices.
    names : tuple of str or None
        Vertex names in the order of the numbers.
    directed
        Whether the edges are arcs, from parent to child.
    are_arcs : list of bool, or None
        Whether each edge has a direction, if only some have (a CPDAG).
    note
        A remark on how the file was read, for the log.
    probabilities : list of float or None
        Of the edges, if the file has them.
    errors : list of float or None
        Standard errors of the probabilities, if the file has them.
    positions : tuple of (float, float), or None
        Where the file shows the vertices, y upwards.
    titles : tuple of str, or None
        Their labels in a picture.
    """

    kind: str
    header: dict = field(default_factory=dict)
    edges: list | None = None
    cliques: list | None = None
    n: int | None = None
    number: dict | None = None
    names: tuple | None = None
    directed: bool = False
    are_arcs: list | None = None
    note: str | None = None
    probabilities: list | None = None
    errors: list | None = None
    positions: tuple[tuple[float, float], ...] | None = None
    titles: tuple[str, ...] | None = None

    @property
    def labels(self) -> set[str]:
        """The vertices as the file calls them: all that it lists, or those of its edges and cliques."""
        listed = self.names or self.number
        lines = (self.edges or []) + (self.cliques or [])
        return {*listed} if listed else {label for _, members in lines for label in members}


@dataclass(frozen=True)
class Vertices:
    """The vertex set that a file and its reader agree on, and how to find a label in it.

    Attributes
    ----------
    n
        Number of vertices.
    stated
        Whether the file or the caller gave n; otherwise it is the largest index plus 1.
    names : tuple of str or None
        Names in the order of the numbers.
    number : dict of str to int
        Label to vertex number.
    places : tuple of int, or None
        The positions of the file's vertices 0, 1, ... in the caller's order, if that differs.
    """

    n: int
    stated: bool
    names: tuple | None
    number: dict
    places: tuple | None = None

    def find(self, line: int | None, labels: tuple[str, ...], path: str) -> tuple[int, ...]:
        """Vertex numbers of the labels of one line, in order; DataError for an unknown or repeated one."""
        members = []
        for label in labels:
            if label not in self.number:
                raise DataError(f"unknown vertex '{label}'{nearest(label, self.number)}", path, line)
            vertex = self.number[label]
            if vertex in members:
                what = f"self loop at vertex {label}" if len(labels) == 2 else f"vertex {label} is repeated"
                raise DataError(f"{what}; the vertices of a line must differ", path, line)
            members.append(vertex)
        return tuple(members)


def edge_values(graph: Dag | Graph | Pdag) -> list[dict[str, str]]:
    """The attributes of the edges, for formats that have them: for each edge {name: number with six decimals}."""
    columns: dict = {"probability": getattr(graph, "probabilities", None), "error": getattr(graph, "errors", None)}
    columns = {name: values for name, values in columns.items() if values is not None}
    return [{name: f"{values[i]:.6f}" for name, values in columns.items()} for i in range(len(graph.edges))]


def listed_order(graph: Dag | Graph | Pdag) -> list[int]:
    """In which order a list names the edges: the most probable first, where probabilities are known."""
    probabilities = getattr(graph, "probabilities", None)
    places = range(len(graph.edges))
    return [*places] if probabilities is None else sorted(places, key=lambda i: -probabilities[i])


def set_edge_values(raw: RawGraph, attributes: Sequence[Mapping[str, object]], path: str) -> None:
    """Set the probabilities of a RawGraph from the attributes of its edges, if they are undirected.

    Parameters
    ----------
    raw
        With edges; changed.
    attributes
        Of each edge; `probability` and `error` are used.
    path
        For messages.

    Raises
    ------
    DataError
        An edge without a probability, although others have one; no probability.
    """
    if raw.directed or not any("probability" in each for each in attributes):
        return
    names = ["probability", *(["error"] if any("error" in each for each in attributes) else [])]
    columns: dict = {name: [] for name in names}
    for (line, labels), each in zip(raw.edges or (), attributes, strict=True):
        for name in names:
            if name not in each:
                raise DataError(f"edge {','.join(labels)} has no '{name}', which other edges have", path, line)
            columns[name].append(edge_number(name, each[name], path, line))
    raw.probabilities, raw.errors = columns["probability"], columns.get("error")


def set_directions(raw: RawGraph, are_arcs: Sequence[bool]) -> None:
    """Set whether a RawGraph is directed: if all its edges have a direction, and none has both.

    Otherwise it is a CPDAG or the like, and where a network is expected all edges count as undirected. A graph without
    edges stays what it is.

    Parameters
    ----------
    raw
        `directed` and `are_arcs` are changed.
    are_arcs
        Whether each edge has a direction.
    """
    if not raw.edges:
        return
    ends = [labels for _, labels in raw.edges]
    given = {*ends}
    single = [points and labels[::-1] not in given for labels, points in zip(ends, are_arcs, strict=True)]
    raw.directed = all(single)
    raw.are_arcs = single if any(single) and not raw.directed else None


def edge_number(name: str, value: Any, path: str, line: int | None) -> float:
    """A `probability` or its standard `error` as a number.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        Another number, or none.
    """
    what, most = ("probability", 1.0) if name == "probability" else ("standard error", math.inf)
    text = str(value).strip()
    number = float(text) if is_number(text) else -1.0
    if not 0 <= number <= most:
        raise DataError(f"'{value}' is not a {what}", path, line)
    return number


def number_nodes(
    ids: Sequence[str], labels: Sequence[str | None] = ()
) -> tuple[dict[str, int], tuple[str, ...] | None]:
    """Numbers and names for a format that lists its vertices with ids.

    Ids that are exactly 0 .. n-1 are the numbers (so our own files keep their order); any others are
    numbered in order of appearance. Names are the labels, if every vertex has one and all differ; otherwise the ids,
    unless those are numbers.

    Parameters
    ----------
    ids
        All different.
    labels
        Display name of each vertex, which may be None; or of none.

    Returns
    -------
    (dict of str to int, tuple of str or None)
        `RawGraph.number` and `RawGraph.names`.
    """
    indexed = set(ids) == {str(i) for i in range(len(ids))}
    number = {key: int(key) if indexed else position for position, key in enumerate(ids)}
    named = [label for label in labels if label is not None]
    if len(set(named)) < len(ids):
        if indexed:
            return number, None
        named = list(ids)
    of_number = {number[key]: name for key, name in zip(ids, named, strict=True)}
    return number, tuple(of_number[v] for v in range(len(ids)))


def resolve_vertices(raw: RawGraph, path: str, names: tuple[str, ...] | None, n: int | None, in_part: bool) -> Vertices:
    """Decide the vertex set of a parsed file.

    Parameters
    ----------
    raw
        The result of the parser.
    path
        For messages.
    names
        Names that the caller knows (the data's columns); they determine the order.
    n
        Number of variables that the caller knows; `len(names)` if names are given.
    in_part
        Whether a file that lists its vertices need not have all of the caller's.

    Raises
    ------
    DataError
        No vertex, a number of vertices that differs from the caller's, or labels that cannot be resolved.
    """
    n = n if names is None else len(names)
    fewer = in_part and raw.number is not None and n is not None and len(raw.number) < n
    if raw.n is not None and n is not None and raw.n != n and not fewer:
        found = f"the graph has {counted(raw.n, 'vertex', 'vertices')} but the data has {counted(n, 'variable')}"
        raise DataError(found + _advice(raw, names or ()), path)
    if raw.number is None:
        return _resolve_bare(raw, path, names, n)
    if not raw.number:
        raise DataError("a graph needs at least one vertex", path)
    known = raw.names
    if known is None and names is not None and _mean_names(raw, dict.fromkeys(raw.number), names, path):
        known = tuple(sorted(raw.number, key=raw.number.__getitem__))
    if names is None or known is None:
        return Vertices(n or len(raw.number), True, names or known, raw.number)
    place = {name: i for i, name in enumerate(names)}
    for name in known:
        if name not in place:
            raise DataError(f"vertex '{name}' is not a variable of the data{nearest(name, names)}", path)
    places = tuple(place[name] for name in known)
    return Vertices(len(names), True, names, {label: places[i] for label, i in raw.number.items()}, places)


def _advice(raw: RawGraph, names: tuple[str, ...]) -> str:
    """A vertex that is no column, or advice about columns that a graph does not have, if its labels are the others."""
    known = {*(raw.names or ()), *(label for _, labels in (raw.edges or []) + (raw.cliques or []) for label in labels)}
    others = [name for name in names if name not in known]
    unknown = [name for name in raw.names or () if names and name not in names]
    if unknown:
        return f"; the data have no column '{unknown[0]}'{nearest(unknown[0], names)}"
    if not others or len(others) != len(names) - (raw.n or 0):
        return ""
    shown = shlex.quote(f"--drop={','.join(others)}")
    return f"; leave out those that it does not have: {shown}" if len(others) <= _SHOWN_COLUMNS else ""


def _resolve_bare(raw: RawGraph, path: str, names: tuple[str, ...] | None, n: int | None) -> Vertices:
    """Labels that the file itself does not define: indices, or names of the data."""
    lines = (raw.edges or []) + (raw.cliques or [])
    labels = {label: line for line, members in lines for label in members}
    texts = [label for label in labels if not _INDEX.fullmatch(label)]
    if texts or (names is not None and _mean_names(raw, labels, names, path)):
        return _resolve_named(raw, path, names, texts, labels)
    known = n if n is not None else raw.n
    size = known if known is not None else max((int(label) + 1 for label in labels), default=0)
    if size < 1:
        raise DataError("no vertex in this file; a graph needs at least one", path)
    for label, line in labels.items():
        if int(label) >= min(size, MAX_VERTICES):
            what = f"vertices are 0 to {size - 1}" if size <= MAX_VERTICES else f"at most {MAX_VERTICES} are possible"
            raise DataError(f"unknown vertex {label}; {what}", path, line)
    return Vertices(size, known is not None, names, {label: int(label) for label in labels})


def _mean_names(raw: RawGraph, labels: Mapping[str, int | None], names: tuple[str, ...], path: str) -> bool:
    """Whether labels that are whole numbers are names of the data rather than indices.

    Parameters
    ----------
    labels
        With the line of each, if known.

    Raises
    ------
    DataError
        Some would be another vertex by name, and others are no names.
    """
    if "program" in raw.header or (raw.number is None and raw.n is not None):  # ours: indices
        return False
    place = {name: str(i) for i, name in enumerate(names)}
    other = next((label for label in labels if place.get(label, label) != label), None)
    if other is None:
        return False
    unknown = next((label for label in labels if label not in place), None)
    if unknown is None:
        LOG.info("%s: the numbers are names of variables, as in the data", path)
        return True
    message = f"'{other}' is the name of a variable, and '{unknown}' is not"
    raise DataError(
        f"{message}; write all vertices by name, or the line '# variables {len(names)}' if they are numbers from 0",
        path,
        labels[unknown],
    )


def _resolve_named(
    raw: RawGraph, path: str, names: tuple[str, ...] | None, texts: list[str], labels: dict[str, int]
) -> Vertices:
    """Labels of which some are not numbers: all must then be names of the data."""
    if names is None:
        raise DataError(
            f"found '{texts[0]}' where an index was expected; give the data if this is a name{_table_hint(raw)}",
            path,
            labels[texts[0]],
        )
    number = {name: i for i, name in enumerate(names)}
    for label in texts + list(labels):
        if label not in number:
            hint = (
                "neither an index nor a variable of the data"
                + (nearest(label, names) or _SEPARATORS * bool(re.search(r"[;\t ]", label)))
                if label in texts
                else f"not a variable of the data, and other lines use names such as '{texts[0]}'"
            )
            raise DataError(f"unknown vertex '{label}': {hint}{_table_hint(raw)}", path, labels[label])
    return Vertices(len(names), True, names, number)


def _table_hint(raw: RawGraph) -> str:
    """Advice if a list looks like a table: many lines of one length, more than two cells, some of them equal."""
    lines = [members for _, members in raw.cliques or ()]
    looks_so = len({len(members) for members in lines}) == 1 and len(lines) > len({*lines}) and len(lines[0]) > 2
    return "; is it a table? a graph lists cliques, edges or arcs" if looks_so else ""
