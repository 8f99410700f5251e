"""Branch and bound over edges, where the linear program of `common.bounds.cutting` alone does not prove the optimum.

A node forbids some edges and requires others. The node with the highest bound is solved next. It is split at a
fractional edge, the one whose removal and whose requirement lower the value of the linear program most (strong
branching, Applegate, Bixby, Chvatal and Cook 1995). If all edges are integral and no row is violated, the solution is a
network (see `common.bounds.cutting`); if tied solutions with integral edges violate rows in turn, the node is split at
one of these edges.
A part with few sets is not split: the dynamic program solves it (`common.bounds.finish`).
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .callbacks import NO_CALLBACKS, Callbacks
from .cutting import CuttingPlaneLoop, Rules
from .node import first_node
from .proof_log import ProofLog
from .row_program import StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .families import FamilyPool
    from .incumbent import Incumbent, KnownScore
    from .node import Node
    from .rows_kernels import Rows


@dataclass(frozen=True)
class Proof:
    """The result of a proof.

    Attributes
    ----------
    bound : float
        No network has a higher score.
    finished : bool
        Whether the best network known is proved optimal, within the requested tolerance.
    nodes : int
        Number of parts of the problem that were solved.
    root_bound : float
        The bound of the first part.
    first : tuple of int
        The variables that the orders begin with, up to the first that is not joined to all before it.
    log : ProofLog or None
        The data that the proof needs, if they were collected.
    """

    bound: float
    finished: bool
    nodes: int
    root_bound: float
    first: tuple[int, ...] = ()
    log: ProofLog | None = None


def branch_and_bound(whole: Any, known: KnownScore, solve: Callable) -> Proof:
    """Solve and split parts of a problem, until none can have a network of interest, or as far as time allows.

    Parameters
    ----------
    whole
        The first part. Each has a `bound` on the scores of its networks; the one with the highest is the next.
    known
        May be updated while a part is solved.
    solve : callable taking a part
        Lowers its bound, and returns the parts into which it is split; none if the bound is final. It may raise
        StoppedError, which ends the search.

    Returns
    -------
    Proof
    """
    number = itertools.count()
    waiting = [(-whole.bound, next(number), whole)]
    closed, nodes = -np.inf, 0  # closed: the highest bound of the parts set aside
    while waiting and not known.is_proved(-waiting[0][0]):
        part = heapq.heappop(waiting)[2]
        nodes += 1
        try:
            parts = solve(part)
        except StoppedError:
            closed = max(closed, part.bound)
            break
        if not parts:
            closed = max(closed, part.bound)
        for each in parts:
            heapq.heappush(waiting, (-each.bound, next(number), each))
    bound = max(known.floor, min(known.upper, max([closed, *(-bound for bound, _, _ in waiting)])))
    return Proof(bound, known.is_proved(bound), nodes, whole.bound)


def prove(
    pool: FamilyPool,
    incumbent: Incumbent,
    rules: Rules | None = None,
    callbacks: Callbacks = NO_CALLBACKS,
    log: ProofLog | None = None,
    loop: Callable = CuttingPlaneLoop,
    rows: Rows | None = None,
) -> Proof:
    """Find the best network and prove it optimal.

    Parameters
    ----------
    pool
        The families of all networks considered; changed.
    incumbent
        Updated.
    rules
    callbacks
    log
        Collects the data that the proof needs.
    loop
        The class that solves the linear program of a part: CuttingPlaneLoop, or a subclass of it.
    rows
        Those of the first program to begin with, which every chordal network satisfies.

    Returns
    -------
    Proof
    """
    rules, first = rules or Rules(), first_node(pool, incumbent, log)
    first.rows = first.rows if rows is None else rows

    def solve(node: Node) -> list[Node]:
        work = loop(node, incumbent, rules, callbacks)
        if work.run():
            node.bound = min(node.bound, incumbent.floor + incumbent.tolerance)
            return []
        parts = _split(node, work.branching_edge())
        if not parts and incumbent.covers_leaf(node.pool, node.required):
            node.bound = incumbent.floor
        return parts

    return replace(branch_and_bound(first, incumbent, solve), first=pool.first, log=log)


def _split(node: Node, edge: int) -> list[Node]:
    """The two parts of a node, without and with an edge; none for edge 0, which stands for nothing to split."""
    if edge == 0:
        return []
    without = node.pool.copy()
    without.forbid(np.uint64(edge))
    logs = (None, None) if node.log is None else node.log.split(edge)
    return [
        replace(node, pool=without, log=logs[0]),
        replace(node, required=(*node.required, edge), log=logs[1]),
    ]
