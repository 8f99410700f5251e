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
    wanted, barred : list of set of int
        Of each variable, the variables that must, and must not, be in its blanket.

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
        self.wanted, self.barred = (Graph(n, tuple(edges)).neighbours() for edges in (self.required, self.forbidden))
        for v, wanted in enumerate(self.wanted):
            if config.max_blanket is not None and len(wanted) > config.max_blanket:
                edge = shown(sorted((v, max(wanted))), required.names)
                message = f"a blanket of more than --max-blanket {config.max_blanket}"
                raise DataError(f"--required-edges: edge {edge} makes {message}; require fewer edges, or allow more")

    def among(self, edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Edges (pairs, u < v) without the forbidden and with the required ones: an ascending list."""
        return sorted(({*edges} | self.required) - self.forbidden)
