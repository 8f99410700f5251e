"""Clique, edge and arc lists: comment lines `# key value`, then one clique, `u,v` or `parent,child` per line.

Lines are sorted, by probability if the edges have some, and indices ascending except in arcs.

Three keys define how to read the rest: `# format cliques|edges|arcs`, `# variables n` (so that isolated
vertices survive), and `# names a,b,...`, if the lines contain these names, CSV-quoted, instead of
indices. In an edge list with the line `# columns u,v,probability` each line ends with the edge's probability; with `#
columns u,v,probability,error`, also its standard error. Lists made by other programs have none of these keys; a line of
them may also contain several cliques separated by blanks (`0,3,4 3,4,5`), as the first chordal learners printed them,
or have tabs in place of commas; and lines may be arcs `a -> b`, `b <- a` or edges `a -- b`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..counted import counted
from ..errors import DataError, UsageError
from .graph_labels import MAX_VERTICES, RawGraph, edge_number, edge_values, listed_order, set_directions
from .result_header import refuse_repeated

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph

KINDS = ("cliques", "edges", "arcs")
NETWORKS = "samples"  # the format of `network_list`: each line is a network
RESERVED = ("format", "variables", "names", "columns")
_COLUMNS = "u,v,probability"
_WITH_ERRORS = "u,v,probability,error"
_NUMERIC = re.compile(r"[0-9,\s]+")
BLANKS = " \t\r\n\f\v"  # other blanks of Unicode belong to names
_ARROW = re.compile(r"[^,]+?(<-|->|--)[^,]+")
_PLAIN = re.compile(r"[\w.+-]+")


def format_list(
    graph: Graph | Dag, kind: str, groups: Sequence[tuple[int, ...]], header: dict[str, str], use_names: bool
) -> str:
    """The text of a list.

    Parameters
    ----------
    graph
        Gives the number of vertices and, if requested, the names.
    kind
        One of `KINDS`; written into the header.
    groups
        The lines, already sorted.
    header
        Written first, in its order.
    use_names
        Names instead of indices.

    Returns
    -------
    str
        Ends with a line feed.

    Raises
    ------
    UsageError
        The requested names do not exist or do not fit in a line.
    """
    label = [str(v) for v in range(graph.n)]
    top = {**header, "format": kind, "variables": str(graph.n)}
    if use_names:
        if graph.names is None:
            raise UsageError("--names: this graph has no names; give the data, or leave the option out")
        label = [_quoted(name) for name in graph.names]
        top["names"] = name_line(graph.names)
    probabilities = getattr(graph, "probabilities", None) if kind == "edges" else None
    errors = None if probabilities is None else getattr(graph, "errors", None)
    if probabilities is not None:
        top["columns"] = _COLUMNS if errors is None else _WITH_ERRORS
    lines = [f"# {key} {value}".rstrip() for key, value in top.items()]
    rows = [[label[v] for v in group] for group in groups]
    if probabilities is not None:
        values = edge_values(graph)
        rows = [[*rows[i], *values[i].values()] for i in listed_order(graph)]
    lines += map(",".join, rows)
    return "\n".join(lines) + "\n"


def shows_names(wanted: bool | None, names: Sequence[str] | None, are_made_up: bool = False) -> bool:
    """Whether a list is written with names.

    Parameters
    ----------
    wanted
        None: if there are names, and they fit in a line.
    are_made_up
        Whether the names only number the columns; then None means indices.
    """
    if wanted is not None:
        return wanted
    return names is not None and not are_made_up and not any(set(name) & {"\n", "\r"} for name in names)


def name_line(names: Sequence[str]) -> str:
    """The value of a line `# names`; UsageError for names that do not fit in a line."""
    return ",".join(map(_quoted, names))


def name_fields(value: str, path: str, at: int | None = None) -> tuple[str, ...]:
    """The names in such a value; DataError if they are malformed, or one is there twice."""
    names = _csv_fields(at, value, path)
    if len(set(names)) < len(names):
        raise DataError("a name is listed twice in '# names'", path, at)
    return names


def parse_list(text: str, path: str) -> RawGraph:
    """Read a clique, edge or arc list.

    Parameters
    ----------
    text
        The file's content.
    path
        For messages; its suffix (.cliques, .edges, .arcs) is used if the header names no format.

    Raises
    ------
    DataError
        A malformed line, with its number.
    """
    header, body = _header_and_body(text, path)
    named = "names" in header
    if body and all(_ARROW.fullmatch(line) for _, line in body):
        return _arrow_list(body, header, path)
    if not named and all(_NUMERIC.fullmatch(line) for _, line in body):
        groups = [(at, group) for at, line in body for group in _blank_separated(at, line, path)]
    else:
        groups = [(at, _csv_fields(at, line, path)) for at, line in body]
    kind = _kind(header, groups, path)
    probabilities = errors = None
    if "columns" in header:
        groups, probabilities, errors = _split_probabilities(header["columns"], kind, groups, path)
    if kind != "cliques":
        for at, members in groups:
            if len(members) != 2:
                raise DataError(
                    f"{counted(len(members), 'vertex', 'vertices')} on a line of an {kind[:-1]} list, expected 2",
                    path,
                    at,
                )
    raw = RawGraph(kind, {key: value for key, (_, value) in header.items() if key and key not in RESERVED})
    raw.directed, raw.probabilities, raw.errors = kind == "arcs", probabilities, errors
    raw.edges, raw.cliques = (None, groups) if kind == "cliques" else (groups, None)
    raw.n = _variables(header, path)
    if named:
        at, value = header["names"]
        raw.names = name_fields(value, path, at)
        raw.number = {name: i for i, name in enumerate(raw.names)}
        if raw.n not in (None, len(raw.names)):
            raise DataError(f"{len(raw.names)} names, but '# variables' is {raw.n}", path, at)
        raw.n = len(raw.names)
    return raw


def _header_and_body(text: str, path: str) -> tuple[dict[str, tuple[int, str]], list[tuple[int, str]]]:
    """The values of the header by key, and the other lines, each with its number; tabs are commas if no comma is."""
    header: dict[str, tuple[int, str]] = {}
    body = []
    for at, line in enumerate(io.StringIO(text, newline=None), 1):
        line = line.strip(BLANKS)
        if line.startswith("#"):
            key, _, value = line[1:].strip(BLANKS).partition(" ")
            refuse_repeated(key, header, path, at)
            header[key] = (at, value.strip(BLANKS))
            if key == "format" and header[key][1] == NETWORKS:  # its lines # score are repeated
                raise DataError("a list of networks, for mntools average and check; give one of its lines", path, at)
        elif line:
            body.append((at, line))
    if any("\t" in line for _, line in body) and not any("," in line for _, line in body):
        body = [(at, line.replace("\t", ",")) for at, line in body]
    return header, body


def _arrow_list(body: list[tuple[int, str]], header: dict[str, tuple[int, str]], path: str) -> RawGraph:
    """Lines `a -> b`, `b <- a` and `a -- b`."""
    raw = RawGraph("arcs", {key: value for key, (_, value) in header.items() if key and key not in RESERVED}, edges=[])
    edges, are_arcs = [], []
    for at, line in body:
        first, *rest = re.split(r"\s*(<-|->|--)\s*", line)
        if len(rest) != 2:
            raise DataError("more than one arrow; write one edge a line", path, at)
        ends = tuple(str(int(end)) if re.fullmatch("[0-9]{1,19}", end) else end.strip('"') for end in (first, rest[1]))
        edges.append((at, ends[::-1] if rest[0] == "<-" else ends))
        are_arcs.append(rest[0] != "--")
    raw.edges, raw.n = edges, _variables(header, path)
    set_directions(raw, are_arcs)
    raw.kind = "arcs" if raw.directed else "edges"
    return raw


def _kind(header: dict[str, tuple[int, str]], groups: list[tuple[int, tuple[str, ...]]], path: str) -> str:
    """The format from the header, or else the suffix, or else the shape of the lines.

    Only pairs without other information are an edge list. It is the same graph as a list of pair cliques.
    """
    if "format" in header:
        at, kind = header["format"]
        if kind == "blankets":
            raise DataError("a list of blankets, no network; mplearn --blankets combines them", path, at)
        if kind not in KINDS:
            raise DataError(f"unknown format '{kind}'; expected {', '.join(KINDS)}", path, at)
        return kind
    suffix = str(path).rpartition(".")[2].lower()
    if suffix in KINDS:
        return suffix
    return "edges" if groups and all(len(members) == 2 for _, members in groups) else "cliques"


def _split_probabilities(
    columns: tuple[int, str], kind: str, groups: list[tuple[int, tuple[str, ...]]], path: str
) -> tuple:
    """The lines of an edge list without the cells after the two ends; probabilities; standard errors, or None."""
    at, value = columns
    value = value.replace(" ", "")
    if value not in (_COLUMNS, _WITH_ERRORS) or kind != "edges":
        raise DataError(f"'# columns {value}': expected {_COLUMNS} or {_WITH_ERRORS}, in an edge list", path, at)
    more = value.count(",") - 1
    numbers = []
    for at, members in groups:
        if len(members) != 2 + more:
            raise DataError(f"{counted(len(members), 'cell')}, expected {2 + more}: {value}", path, at)
        cells = zip(("probability", "error"), members[2:], strict=False)
        numbers.append([edge_number(name, cell, path, at) for name, cell in cells])
    found = [list(column) for column in zip(*numbers, strict=True)] or [[] for _ in range(more)]
    return [(at, members[:2]) for at, members in groups], *found, *[None] * (2 - more)


def _variables(header: dict[str, tuple[int, str]], path: str) -> int | None:
    """The stated number of vertices, or None."""
    if "variables" not in header:
        return None
    at, value = header["variables"]
    if not re.fullmatch("[0-9]{1,9}", value) or not 1 <= int(value) <= MAX_VERTICES:
        raise DataError(f"'# variables {value}': expected a whole number from 1 to {MAX_VERTICES}", path, at)
    return int(value)


def _blank_separated(at: int, line: str, path: str) -> list[tuple[str, ...]]:
    """Cliques of indices on one line: `0,3,4 3,4,5`; blanks beside a comma are ignored."""
    groups = re.sub(r"\s*,\s*", ",", line).split()
    if len(groups) > 1 and "," not in line:
        raise DataError("indices are separated by commas (blanks separate cliques)", path, at)
    for group in groups:
        if "" in group.split(","):
            raise DataError(f"'{group}': an index is missing beside a comma", path, at)
    return [tuple(str(int(index)) if len(index) < 20 else index for index in group.split(",")) for group in groups]


def _csv_fields(at: int | None, line: str, path: str) -> tuple[str, ...]:
    """Names of one line, CSV-quoted where needed."""
    try:
        fields = tuple(next(csv.reader([line], strict=True, skipinitialspace=True)))
    except (csv.Error, StopIteration) as error:
        raise DataError(f"not comma-separated names: {error}", path, at) from error
    return fields


def _quoted(name: str) -> str:
    """A name as a CSV field; quoted if necessary (comma, blank, leading #, empty)."""
    if "\n" in name or "\r" in name:
        raise UsageError(f"--names: the name {name!r} has a line break; use --indices, or --format json")
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'
