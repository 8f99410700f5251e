"""`mnmodel d-separated` and `blanket`: independences that follow from the graph of a network."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from ..common.errors import DataError, abridged, nearest
from ..common.models.any_graph import read_graph
from .d_separation import blanket, open_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.files.graphfile import GraphFile


def separated(path: str, first: Sequence[str], second: Sequence[str], given: Sequence[str]) -> str:
    """Whether two sets of variables are separated in a network, given a third.

    Parameters
    ----------
    path
        Of a graph or a model; `-` is standard input.
    first, second, given
        Names; without names in the file, numbers of variables.

    Returns
    -------
    str
        `d-separated` (`separated` in an undirected network), or `connected:` and an open path.

    Raises
    ------
    DataError
        A broken file, a directed cycle, an unknown name, or one in two of the sets.
    """
    file = _network(path)
    names = _names(file)
    sets = [[_number(name, names, path) for name in given_names] for given_names in (first, second, given)]
    seen: set[int] = set()
    for members in sets:
        for v in members:
            if v in seen:
                raise DataError(f"variable '{names[v]}' is named twice", path)
            seen.add(v)
    graph = file.dag or file.graph
    found = open_path(graph, *sets)
    if found is None:
        return "d-separated" if file.dag else "separated"
    arcs = set(file.dag.arcs) if file.dag else set()
    text = names[found[0]]
    for u, v in pairwise(found):
        sign = "->" if (u, v) in arcs else "<-" if (v, u) in arcs else "-"
        text += f" {sign} {names[v]}"
    return f"connected: {text}"


def blanket_of(path: str, name: str) -> list[str]:
    """The names of the Markov blanket of a variable, in the order of the network's variables.

    Parameters
    ----------
    path
        As for `separated`.
    name
        As for `separated`.

    Raises
    ------
    DataError
        As `separated`.
    """
    file = _network(path)
    names = _names(file)
    return [names[v] for v in blanket(file.dag or file.graph, _number(name, names, path))]


def _network(path: str) -> GraphFile:
    """A graph without directed cycles."""
    file = read_graph(path)
    file.check_acyclic()
    return file


def _names(file: GraphFile) -> list[str]:
    """The names of the variables, or their numbers."""
    return list(file.graph.labels)


def _number(name: str, names: list[str], path: str) -> int:
    """The number of a variable."""
    for spelled in (name, name.strip()):
        if spelled in names:
            return names.index(spelled)
    raise DataError(f"no variable '{name}'; its variables are {abridged(names)}{nearest(name, names)}", path)
