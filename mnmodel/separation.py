"""`mnmodel d-separated` and `blanket`: independences that follow from the graph of a network."""

from __future__ import annotations

import logging
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from ..common.models.any_graph import read_graph
from ..common.models.model_names import variables_of
from .d_separation import blanket, open_path
from .evidence import as_named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.files.graphfile import GraphFile

LOG = logging.getLogger("cliquewise")


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
    file, names = _network(path)
    numbers = iter(_variables((*first, *second, *given), names, path))
    found = open_path(file.dag or file.graph, *(list(islice(numbers, len(part))) for part in (first, second, given)))
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
    file, names = _network(path)
    (v,) = _variables([name], names, path)
    members = [names[u] for u in blanket(file.dag or file.graph, v)]
    if not members:
        LOG.info("the blanket of %s is empty: it is independent of all others", name)
    return members


def _network(path: str) -> tuple[GraphFile, list[str]]:
    """A graph without directed cycles, and the names of its variables, or their numbers."""
    file = read_graph(path)
    file.check_acyclic()
    return file, list(file.graph.labels)


def _variables(wanted: Sequence[str], names: list[str], path: str) -> tuple[int, ...]:
    """The numbers of variables."""
    return variables_of(names, [as_named(names, name) for name in wanted], path, "named")
