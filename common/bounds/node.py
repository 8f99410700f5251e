"""A part of the problem of `common.bounds.cutting`, and the first one: the whole problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .first_clique import first_clique
from .trail import Trail

if TYPE_CHECKING:
    from .families import Choice
    from .incumbent import Incumbent
    from .relaxation import WarmStart

FIRST = 20  # families of each variable to begin with


@dataclass
class Node:
    """A part of the problem: some edges are forbidden, others required.

    Attributes
    ----------
    choice : Choice
        Without the families that hold forbidden edges.
    required : tuple of int
        The required edges, named like sets of the choice.
    bound : float
        On the score of its networks.
    rows : Rows or LongRows
        Found so far.
    columns : (int64[k], uint64[k])
        Child and parents of the families to begin with.
    trail : Trail or None
        Collects the multipliers that a proof needs.
    start : WarmStart or None
        Of the linear program.
    is_rough : bool
        Whether the last solution was improved instead of solved.
    """

    choice: Choice
    required: tuple[int, ...]
    bound: float
    rows: Any
    columns: tuple[np.ndarray, np.ndarray]
    trail: Trail | None = None
    start: WarmStart | None = None
    is_rough: bool = False


def first_node(choice: Choice, known: Incumbent, trail: Trail | None = None) -> Node:
    """The whole problem, without the families that are not needed, or that the scores alone exclude.

    Parameters
    ----------
    choice
    known
    trail

    Returns
    -------
    Node
    """
    choice.begin_with((0,) if known.near is None else first_clique(choice, known.near))
    none = choice.empty_rows(0)
    bound = choice.bound(none, np.zeros(0), np.zeros(0))
    before = int(choice.alive.sum())
    left = choice.fix_families(known.gap(bound))
    if trail is not None:
        trail.add(none, np.zeros(0), True, left < before)
    choice.bound_again()
    columns = _first_columns(choice, known)
    choice.shrink()
    return Node(choice, known.required, bound, none, columns, trail)


def _first_columns(choice: Choice, known: Incumbent) -> tuple[np.ndarray, np.ndarray]:
    """The best families of each variable, those without parents, and those of the known network."""
    without = np.flatnonzero(choice.families.parents == 0)
    parts = [choice.masks(choice.best_families(FIRST)), choice.masks(without)]
    if known.near is not None:
        parts.append(known.families(choice))
    child, parents = (np.concatenate(part) for part in zip(*parts, strict=True))
    return child, parents
