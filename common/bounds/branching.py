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
from typing import TYPE_CHECKING

import numpy as np

from .callbacks import NO_CALLBACKS, Callbacks
from .cutting import CuttingPlaneLoop, Rules
from .node import first_node
from .proof_log import ProofLog
from .row_program import StoppedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .families import FamilyPool
    from .incumbent import Incumbent
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
    first: tuple[int, ...]
    log: ProofLog | None = None


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
    number, rules = itertools.count(), rules or Rules()
    first = first_node(pool, incumbent, log)
    first.rows = first.rows if rows is None else rows
    waiting = [(-np.inf, next(number), first)]
    closed, root_bound, nodes = -np.inf, waiting[0][2].bound, 0  # closed: the highest bound of the nodes set aside

    def bound() -> float:
        return max([closed, incumbent.floor, *(node.bound for _, _, node in waiting)])

    while waiting:
        _, _, node = heapq.heappop(waiting)
        if node.bound <= incumbent.floor + incumbent.tolerance:
            closed = max(closed, node.bound)
            continue
        nodes += 1
        work = loop(node, incumbent, rules, callbacks)
        try:
            done = work.run()
            edge = 0 if done else work.branching_edge()
        except StoppedError:
            waiting.append((0.0, 0, node))
            return Proof(bound(), False, nodes, node.bound if nodes == 1 else root_bound, pool.first, log)
        root_bound = node.bound if nodes == 1 else root_bound
        if done:
            closed = max(closed, min(node.bound, incumbent.floor + incumbent.tolerance))
            continue
        parts = _split(node, edge)
        if not parts and not incumbent.covers_leaf(node.pool, node.required):
            closed = max(closed, node.bound)
        for part in parts:
            heapq.heappush(waiting, (-part.bound, next(number), part))
    return Proof(bound(), bound() <= incumbent.floor + incumbent.tolerance, nodes, root_bound, pool.first, log)


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
