"""Statements about the arcs of a Bayesian network, from options and files.

A file of arcs is an arc list, any other directed network, or lines `parent,child`, also below a line `from,to`. A file
of tiers has one tier per line, the earliest first: names with commas between, ranges and patterns; a line that begins
with `none:` forbids arcs among its members, one that begins with `free:` or without a word does not. A file of an order
has all variables, one or several a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import DataError, UsageError
from ..graphs.statements import Statements
from .options import EdgeOptions

if TYPE_CHECKING:
    from collections.abc import Iterator


_HEADINGS = ("from,to", "parent,child")
_WITHIN = re.compile(r"\s*(free|none)\s*:(.*)", re.DOTALL)
_UNDIRECTED = re.compile(r"^#\s*format\s+edges\s*$|^[^#,\n]*--[^,\n]*$", re.MULTILINE)


@dataclass(frozen=True)
class ArcOptions:
    """Statements about the directions of arcs.

    Attributes
    ----------
    required_arcs, forbidden_arcs, tiers, total_order
        Files.
    roots, leaves
        Lists of names.
    """

    required_arcs: str | None = None
    forbidden_arcs: str | None = None
    tiers: str | None = None
    total_order: str | None = None
    roots: str | None = None
    leaves: str | None = None

    def read(self, data: Any, edges: EdgeOptions | dict[str, Any]) -> Statements:
        """The statements, with those about edges.

        Parameters
        ----------
        data : Dataset, CliqueScores, ParentSets or Graph
            Its variables.
        edges
            Options, or the edges already read: `allowed`, `forbidden` and `required`.

        Raises
        ------
        UsageError, DataError
            A file that cannot be read, names of no variable, a variable listed twice or not at all.
        """
        known = edges.read(data) if isinstance(edges, EdgeOptions) else edges
        tiers, without = _tiers(self.tiers, data) if self.tiers is not None else ((), ())
        return Statements(
            required_arcs=_arcs(self.required_arcs, data),
            forbidden_arcs=_arcs(self.forbidden_arcs, data),
            tiers=tiers,
            without_arcs=without,
            order=() if self.total_order is None else _order(self.total_order, data),
            roots=_listed(self.roots, data, "--roots"),
            leaves=_listed(self.leaves, data, "--leaves"),
            **known,
        )


def _arcs(path: str | None, data: Any) -> tuple[tuple[int, int], ...]:
    """The arcs in a file, ascending."""
    from ..files.graphfile import resolved
    from ..files.input_stream import read_text
    from ..models.any_graph import raw_graph

    if path is None:
        return ()
    text = read_text(path, "a file of arcs")
    if not text.strip():
        return ()
    raw = raw_graph(_without_heading(text), path)
    if raw.edges is None and raw.cliques == []:
        return ()
    if raw.edges is None or raw.probabilities is not None:
        raise DataError("not a list of arcs; expected lines parent,child", path)
    is_plain = raw.kind == "edges" and not path.endswith(".edges") and not _UNDIRECTED.search(text)
    if not raw.directed and not is_plain:
        raise DataError("edges without a direction; write arcs as parent,child or parent -> child", path)
    raw.directed = True
    dag = resolved(raw, path, getattr(data, "names", None), data.n, in_part=True).dag
    assert dag is not None
    return dag.arcs


def _without_heading(text: str) -> str:
    """A text with its first line a comment, if that is the heading of two columns."""
    lines = text.splitlines(keepends=True)
    if lines[0].startswith("# format"):  # our own, and an arc may lead from `parent` to `child`
        return text
    for i, line in enumerate(lines):
        if line.strip() and not line.startswith("#"):
            if line.replace('"', "").replace(" ", "").strip().lower() in _HEADINGS:
                lines[i] = "#\n"
            break
    return "".join(lines)


def _tiers(path: str, data: Any) -> tuple[tuple[tuple[int, ...], ...], tuple[bool, ...]]:
    """The members of each tier, and whether arcs among them are forbidden."""
    names, seen = _names(data), dict[int, int]()
    tiers, without = [], []
    for at, line in _lines(path, "a file of tiers"):
        word = _WITHIN.fullmatch(line)
        if word is not None and word[1] in names:  # a range that begins with this name
            word = None
        members = _in_file(line if word is None else word[2], data, path, at)
        for v in members:
            if v in seen:
                raise DataError(f"'{names[v]}' is in the tier of line {seen[v]} too; remove it from one", path, at)
            seen[v] = at
        tiers.append(tuple(sorted(members)))
        without.append(word is not None and word[1] == "none")
    if len(tiers) < 2 and not any(without):
        raise DataError("fewer than two tiers, which have no effect; write one tier per line, the earliest first", path)
    return tuple(tiers), tuple(without)


def _order(path: str, data: Any) -> tuple[int, ...]:
    """All variables in the order of a file."""
    names, order = _names(data), list[int]()
    for at, line in _lines(path, "a file of an order"):
        for v in _in_file(line, data, path, at):
            if v in order:
                raise DataError(f"'{names[v]}' is listed twice; an order has each variable once", path, at)
            order.append(v)
    lacking = [names[v] for v in range(data.n) if v not in {*order}]
    if lacking:
        message = f"without {len(lacking)} of {data.n} variables, '{lacking[0]}' the first"
        raise DataError(f"{message}; an order has all of them, --tiers may have some", path)
    return tuple(order)


def _lines(path: str, what: str) -> Iterator[tuple[int, str]]:
    """The lines that are neither blank nor comments, with their numbers."""
    from ..files.input_stream import read_text

    for at, line in enumerate(read_text(path, what).splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield at, line.replace("\t", ",") if "," not in line else line


def _in_file(text: str, data: Any, path: str, at: int) -> list[int]:
    """The variables that a line of a file names."""
    try:
        return _variables(text, data, "")
    except UsageError as error:
        raise DataError(str(error).removeprefix(":").strip(), path, at) from None


def _listed(text: str | None, data: Any, option: str) -> tuple[int, ...]:
    """The variables that an option names, ascending."""
    return () if text is None else tuple(sorted({*_variables(text, data, option)}))


def _variables(text: str, data: Any, option: str) -> list[int]:
    """The variables that a list names, in its order: by names, ranges and patterns, or all by number."""
    from ..data.columns import chosen_columns, split_list

    names, words = _names(data), split_list(text, option)
    if all(word.isdecimal() and int(word) < data.n for word in words) and not {*words} & {*names}:
        return [int(word) for word in words]
    return chosen_columns(text, names, option)


def _names(data: Any) -> tuple[str, ...]:
    """The names of the variables, or else their numbers."""
    return getattr(data, "names", None) or tuple(map(str, range(data.n)))
