"""Where coarsening starts: the spanning tree or forest of maximum weight, the empty graph, or a network from a file.

The paper's Algorithm 1 starts at the forest; its published scores are those of the tree, which also has edges that
lose. The tree gives a better result on some data and a worse one on others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..common.graphs.graph import Graph
from ..common.scores.spanning import forest_around

if TYPE_CHECKING:
    from .run import CoarseningRun


def spanning_starts(
    run: CoarseningRun,
    kinds: Sequence[str],
    max_clique: int,
    names: tuple[str, ...] | None,
    required: Graph | None,
) -> dict[str, Graph]:
    """The requested starts, without repetition.

    Parameters
    ----------
    kinds
        tree, forest or empty.
    max_clique
        With 1 there is only the empty graph.
    required
        A chordal graph that is part of every start.

    Returns
    -------
    dict of str to Graph
        By kind; of equal graphs only the first.
    """
    starts: dict = {}
    for kind in kinds:
        if kind == "empty" or max_clique == 1:
            start = Graph(run.scorer.n, () if required is None else required.edges, names)
        else:
            losses = kind == "tree" and run.monitor.should_continue()  # otherwise not all gains are known
            start = forest_around(required, run.gains, names, losses)
        if start not in starts.values():
            starts[kind] = start
    return starts
