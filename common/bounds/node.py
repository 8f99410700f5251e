"""The nodes of branch and bound: parts of the problem of `common.bounds.cutting`, the first of which is the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..sets.masks import members
from .first_clique import first_clique
from .proof_log import ProofLog

if TYPE_CHECKING:
    from .families import FamilyPool
    from .incumbent import Incumbent
    from .relaxation import WarmStart
    from .rows_kernels import Rows

FIRST_FAMILIES = 20  # families of each variable to begin with


@dataclass
class Node:
    """A part of the problem: some edges are forbidden, others required.

    Attributes
    ----------
    pool : FamilyPool
        Without the families that hold forbidden edges.
    required : tuple of int
        The required edges, named like sets of the pool.
    bound : float
        On the score of its networks.
    rows : Rows
        Found so far.
    columns : (int64[k], uint64[k])
        Child and parents of the families to begin with.
    log : ProofLog or None
        Collects the multipliers that a proof needs.
    start : WarmStart or None
        Of the linear program.
    """

    pool: FamilyPool
    required: tuple[int, ...]
    bound: float
    rows: Rows
    columns: tuple[np.ndarray, np.ndarray]
    log: ProofLog | None = None
    start: WarmStart | None = None


def first_node(pool: FamilyPool, incumbent: Incumbent, log: ProofLog | None = None) -> Node:
    """The whole problem, without the families that are not needed or excluded by the scores alone.

    Parameters
    ----------
    pool
    incumbent
    log

    Returns
    -------
    Node
    """
    pool.begin_with((0,) if incumbent.graph is None else first_clique(pool, incumbent.graph))
    none = pool.empty_rows(0)
    bound = pool.bound(none, np.zeros(0))
    before = int(pool.alive.sum())
    left = pool.fix_families(incumbent.gap(bound))
    if log is not None:
        log.add(none, np.zeros(0), True, left < before)
    pool.bound_again()
    columns = _first_columns(pool, incumbent)
    pool.shrink()
    required = tuple(pool.number(members(edge)) for edge in incumbent.required)
    return Node(pool, required, bound, none, columns, log)


def _first_columns(pool: FamilyPool, incumbent: Incumbent) -> tuple[np.ndarray, np.ndarray]:
    """The best families of each variable, those without parents, and those of the known network."""
    without = np.flatnonzero(pool.families.parents == 0)
    parts = [pool.masks(pool.best_families(FIRST_FAMILIES)), pool.masks(without)]
    if incumbent.graph is not None:
        parts.append(incumbent.families(pool))
    child, parents = (np.concatenate(part) for part in zip(*parts, strict=True))
    return child, parents
