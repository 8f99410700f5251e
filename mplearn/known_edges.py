"""Edge constraints of both phases: the edges that every network has, and those that none has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.errors import DataError
from ..common.graphs.edge_constraints import check_edges
from ..common.graphs.graph import Graph, shown

if TYPE_CHECKING:
    from .config import Config


class KnownEdges:
    """The required and the forbidden edges.

    Parameters
    ----------
    n
        Number of variables.

    Attributes
    ----------
    required, forbidden : set of (int, int)
        u < v.
    required_neighbours, forbidden_neighbours : list of set of int
        For each variable, the variables that must, and must not, be in its blanket.

    Raises
    ------
    UsageError
        Edges that contradict each other.
    DataError
        Edges that contradict the bound on blankets.
    """

    def __init__(self, config: Config, n: int) -> None:
        check_edges(config)
        required, forbidden = (graph or Graph(n, ()) for graph in (config.required, config.forbidden))
        self.required, self.forbidden = {*required.edges}, {*forbidden.edges}
        self.required_neighbours, self.forbidden_neighbours = (
            Graph(n, tuple(edges)).neighbours() for edges in (self.required, self.forbidden)
        )
        for v, neighbours in enumerate(self.required_neighbours):
            if config.max_blanket is not None and len(neighbours) > config.max_blanket:
                edge = shown(sorted((v, max(neighbours))), required.names)
                message = f"a blanket of more than --max-blanket {config.max_blanket}"
                raise DataError(f"--required-edges: edge {edge} makes {message}; require fewer edges, or allow more")

    def among(self, edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """These edges (pairs, u < v) with the required ones and without the forbidden ones: an ascending list."""
        return sorted(({*edges} | self.required) - self.forbidden)
