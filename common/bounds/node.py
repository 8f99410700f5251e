"""A part of the problem of `common.bounds.cutting`, and the first one: the whole problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .trail import Trail

if TYPE_CHECKING:
    from .families import Choice
    from .incumbent import Incumbent


@dataclass
class Node:
    """A part of the problem: some edges are forbidden, others required.

    Attributes
    ----------
    choice : Choice
        Without the families that hold forbidden edges.
    root : int
        The variable without parents; -1 if none is chosen.
    required : tuple of int
        Masks of the required edges.
    bound : float
        On the score of its networks.
    rows : Rows or LongRows
        Found so far.
    columns : (int64[k], uint64[k])
        Child and parents of the families to begin with.
    trail : Trail or None
        Collects the multipliers that a proof needs.
    """

    choice: Choice
    root: int
    required: tuple[int, ...]
    bound: float
    rows: Any
    columns: tuple[np.ndarray, np.ndarray]
    trail: Trail | None = None


def first_node(choice: Choice, root: int, known: Incumbent, trail: Trail | None = None) -> Node:
    """The whole problem, without the families that the scores alone exclude.

    Parameters
    ----------
    choice
    root
    known
    trail

    Returns
    -------
    Node
    """
    families = choice.families
    choice.alive[(families.child == root) & (families.parents != 0)] = False
    none = choice.empty_rows(0)
    bound = choice.bound(none, np.zeros(0), np.zeros(0))
    before = int(choice.alive.sum())
    left = choice.fix_families(known.gap(bound))
    if trail is not None:
        trail.add(none, np.zeros(0), True, left < before)
    choice.shrink()
    return Node(choice, root, known.required, bound, none, _first_columns(choice, root, known), trail)


def _first_columns(choice: Choice, root: int, known: Incumbent, each: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """The best families of each variable, those without parents, and those of the known network."""
    families = choice.families
    order = np.lexsort((-families.gain, families.child))
    order = order[choice.alive[order]]
    first = np.searchsorted(families.child[order], np.arange(choice.n))
    rank = np.arange(len(order)) - first[families.child[order]]
    child, parents = choice.masks(order[(rank < each) | (families.parents[order] == 0)])
    if known.near is None:
        return child, parents
    own = known.families(root)
    return np.concatenate([child, own[0]]), np.concatenate([parents, own[1]])
