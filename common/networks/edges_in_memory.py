"""Edges, arcs, networks, tiers, states and tables in memory, given by a caller in Python, as the text of their file.

So learners read both in the same way, with the same checks and messages. Variables are named as columns of the data,
or numbered from 0, as in files. Probabilities of edges have the text of `DataFrame.to_csv(index=False)` with the
columns u, v and probability, and so the fingerprint of that file.

Cost: linear in the number of edges.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..errors import UsageError
from ..files.text_in_memory import TextInMemory
from ..graphs.dag import Dag
from ..graphs.graph import PROBABILITIES, Graph

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..data.frame import Frame

EDGES, ARCS, NETWORK, PRIORS, TIERS, ORDER = "edges", "arcs", "network", "priors", "tiers", "order"
STATES, TABLE = "states", "table"
FORMS = {  # what stands for a file of these
    EDGES: "a list of pairs (name, name), a Network, a graph of networkx or a DataFrame",
    ARCS: "a list of pairs (parent, child), a directed Network, a DiGraph of networkx or a DataFrame",
    NETWORK: "a Network, a graph of networkx, a list of pairs (name, name) or a DataFrame",
    PRIORS: "a dict {(name, name): probability}, a list of (name, name, probability), a DataFrame with these columns, "
    "or a Network of probabilities",
    TIERS: "a list of tiers, each a list of names",
    ORDER: "a list of names",
    STATES: "a dict {name: [state, ...]}",
    TABLE: "a DataFrame, a dict of columns or the result of read_csv",
}
_FIRST_LINE = {EDGES: "# format edges", ARCS: "# format arcs", NETWORK: "# format edges", PRIORS: "u,v,probability"}


def file_or_memory(name: str, given: Any, kind: str) -> Any:
    """The name of a file, or `text_in_memory` of something else; of a table, a Dataset or Frame."""
    if isinstance(given, str | os.PathLike):
        return os.fspath(given)
    return table_in_memory(name, given) if kind == TABLE else text_in_memory(name, given, kind)


def table_in_memory(name: str, content: Any) -> Dataset | Frame:
    """A table that stands for a file; UsageError for something else."""
    from ..data.dataset import Dataset
    from ..data.frame import data_or_frame, is_frame

    if not isinstance(content, Dataset) and not is_frame(content):
        raise _refused(name, content, TABLE)
    return data_or_frame(content)


def text_in_memory(name: str, content: Any, kind: str) -> str:
    r"""The text of the file in whose place something in memory was given.

    Parameters
    ----------
    name
        The argument, for messages.
    content
        As in `FORMS`.
    kind
        A key of `FORMS`.

    Raises
    ------
    UsageError, DataError
        Something else, with the pair that is none; its names are not compared with the data here.

    Examples
    --------
    >>> text_in_memory("required_edges", [("a", "b"), ("a", "c,d")], EDGES).text
    '# format edges\na,b\na,"c,d"\n'
    """
    if kind == STATES and isinstance(content, Mapping):
        from ..data.frame import states_as_text

        return states_as_text(name, content)
    if (
        kind == STATES
        or isinstance(content, str | bytes)
        or not (isinstance(content, Iterable) or _graph_of(content) is not None)
    ):
        raise _refused(name, content, kind)
    if kind in (TIERS, ORDER):
        from ..data.frame import list_as_text

        lines = [list_as_text(part if kind == TIERS else [part]) for part in content]
        if not all(isinstance(line, str) for line in lines):
            raise _refused(name, content, kind)
    else:
        rows, is_directed = _rows(name, content, kind)
        lines = ["# format arcs" if is_directed else _FIRST_LINE[kind], *(",".join(map(_cell, row)) for row in rows)]
    return TextInMemory(f"<{name}>", "".join(f"{line}\n" for line in lines))


def _rows(name: str, content: Any, kind: str) -> tuple[list[list[str]], bool]:
    """The cells of each line, two names or with a probability; whether a network is directed."""
    from ..data.frame import Frame, cell_as_text, library_of, name_as_text

    width = 3 if kind == PRIORS else 2
    graph = _graph_of(content)
    if graph is not None:
        return _rows_of_graph(name, graph, kind), bool(graph.directed) and kind != PRIORS
    if isinstance(content, Mapping) and kind == PRIORS and all(isinstance(pair, tuple) for pair in content):
        content = [(*pair, probability) for pair, probability in content.items()]
    elif isinstance(content, Mapping) or library_of(content) is not None:
        columns = Frame(content).columns
        if len(columns) < width:
            raise UsageError(f"{name}: a table of {counted(len(columns), 'column')}; give {FORMS[kind]}")
        chosen = list(columns.values())[:width]
        if kind == PRIORS and "probability" in columns:
            chosen[2] = columns["probability"]
        return [list(row) for row in zip(*chosen, strict=True)], False
    rows = []
    for pair in content.tolist() if hasattr(content, "tolist") else content:
        is_list = isinstance(pair, Iterable) and not isinstance(pair, str | bytes | Mapping)
        cells = list(pair)[: width if hasattr(pair, "_fields") else None] if is_list else []  # of `Network.edges`
        if len(cells) != width or (isinstance(pair, Set) and kind in (ARCS, PRIORS)):
            raise UsageError(f"{name}: found {pair!r}; give {FORMS[kind]}")
        rows.append([*map(name_as_text, cells[:2]), *map(cell_as_text, cells[2:])])
    return rows, False


def _graph_of(content: Any) -> Graph | Dag | None:
    """The graph of a `Network` or of networkx; None if it is neither."""
    from ..models.library_objects import graph_of_networkx

    if hasattr(content, "is_directed"):
        return graph_of_networkx(content)
    graph = getattr(content, "graph", None)
    return graph if isinstance(graph, Graph | Dag) else None


def _rows_of_graph(name: str, graph: Graph | Dag, kind: str) -> list[list[str]]:
    """The cells of each line of a graph."""
    from ..data.frame import cell_as_text

    labels = graph.labels
    rows = [[labels[u], labels[v]] for u, v in graph.edges]
    probabilities = getattr(graph, "probabilities", None)
    if kind == ARCS and not graph.directed:
        raise UsageError(f"{name}: a network without directions; give {FORMS[kind]}")
    if kind == NETWORK and probabilities is not None:
        raise UsageError(f"{name}: {PROBABILITIES}")
    if kind == PRIORS:
        if probabilities is None:
            raise UsageError(f"{name}: a network without probabilities; give {FORMS[kind]}")
        return [[*row, cell_as_text(share)] for row, share in zip(rows, probabilities, strict=True)]
    return rows


def _cell(text: str) -> str:
    """A cell of CSV, in quotes only if it would be read as another: that of `to_csv`, but for blanks and a first #."""
    is_plain = text and text == text.strip() and not text.startswith("#") and not set(text) & {*',"\n\r'}
    return text if is_plain else '"' + text.replace('"', '""') + '"'


def _refused(name: str, content: Any, kind: str) -> UsageError:
    found = repr(content) if isinstance(content, str | bytes | int | float) else f"of the type {type(content).__name__}"
    return UsageError(f"{name}: {found}; give the name of a file, or {FORMS[kind]}")
