"""Networks that a user gives a learner to start from."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..errors import DataError, UsageError
from .chordal import bit_rows, is_chordal, maximal_cliques
from .edge_constraints import check_edges, edges_of
from .graph import PROBABILITIES, shown

if TYPE_CHECKING:
    import numpy as np

    from .graph import Graph


def check_start(graph: Graph, n: int, max_clique: int, named: str, constraints: Any = None) -> None:
    """Refuse a start that does not fit the data, the bound or the edge constraints.

    Parameters
    ----------
    n
        Variables of the data.
    named
        Option and file, for messages.
    constraints : record with `allowed`, `forbidden` and `required`, optional
        Graphs or None: the edge constraints.

    Raises
    ------
    UsageError
        Probabilities of edges, too many vertices, not chordal, a clique larger than the bound, an edge that is not
        allowed, or one that is lacking.
    """
    if graph.probabilities is not None:
        raise UsageError(f"{named}: {PROBABILITIES}")
    if graph.n > n:
        raise UsageError(f"{named}: {counted(graph.n, 'vertex', 'vertices')}, the data have {counted(n, 'variable')}")
    if not is_chordal(graph):
        raise UsageError(f"{named}: the graph is not chordal; mntools convert --chordal adds the edges it lacks")
    largest = max(map(len, maximal_cliques(graph)), default=0)
    if largest > max_clique:
        raise UsageError(
            f"{named}: a clique of {largest} vertices, the bound is {max_clique}; raise it, or give another network"
        )
    if constraints is None:
        return
    check_edges(constraints)
    edges, (allowed, forbidden, required) = {*graph.edges}, edges_of(constraints)
    if allowed is not None and edges - {*allowed.edges}:
        edge = shown(min(edges - {*allowed.edges}), graph.names)
        raise UsageError(f"{named}: edge {edge} is not allowed (--allowed-edges, --edge-priors); remove it or allow it")
    if forbidden is not None and edges & {*forbidden.edges}:
        edge = shown(min(edges & {*forbidden.edges}), graph.names)
        raise UsageError(
            f"{named}: edge {edge} is forbidden (--forbidden-edges, --edge-priors); remove it from one of them"
        )
    if required is not None and {*required.edges} - edges:
        edge = shown(min({*required.edges} - edges), graph.names)
        raise UsageError(f"{named}: edge {edge} is required (--required-edges, --edge-priors), but missing; add it")


def check_start_score(score: float, path: str) -> None:
    """DataError if the scores of a file forbid the start network, whose score is minus infinity."""
    if not math.isfinite(score):
        raise DataError("a set of the start network scores minus infinity; start from another", path)


def init_network(config: Any, n: int, max_clique: int) -> np.ndarray:
    """The network of `--init`, checked.

    Parameters
    ----------
    config : record with `init` and `init_path`, and edge constraints
        The network and its file name.
    n
        Variables of the data.

    Returns
    -------
    uint64[n, words]

    Raises
    ------
    UsageError
        As `check_start`.
    """
    check_start(config.init, n, max_clique, f"--init {config.init_path}", config)
    return bit_rows(config.init, n)
