"""The size of a graph in words: `8 variables, 1 edge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..counted import counted

if TYPE_CHECKING:
    from .dag import Dag
    from .graph import Graph


def size_text(graph: Graph | Dag) -> str:
    """How many variables and how many edges or arcs it has."""
    return f"{counted(graph.n, 'variable')}, {counted(len(graph.edges), 'arc' if graph.directed else 'edge')}"
