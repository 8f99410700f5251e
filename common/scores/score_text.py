"""The scores of all sets as the text of a file: written by `dmscore` in one run, and by `mntools merge` from parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Form:
    """The form of a score file.

    Attributes
    ----------
    layout
        dmst, junctor or cussens.
    order
        colex, lex or free.
    pair
        Two sections instead of one.
    precision
        Decimals; None is the shortest text that reads back exactly.
    prune
        Leave out parent sets if a subset scores at least as well.
    """

    layout: str
    order: str
    pair: bool
    precision: int | None
    prune: bool


def text_of(form: Form, names: Sequence[str], largest: int, scores: np.ndarray) -> Iterable[str]:
    """The pieces of the file.

    Parameters
    ----------
    names
        Variable names in the file.
    largest
        Size of the largest sets.
    scores : float64[set_count(n, largest)]
        In colex order.
    """
    from ..files.parentsets import parent_set_text
    from ..files.scorewriter import score_text
    from .parent_scores import families

    if form.layout == "cussens":
        blocks = families(len(names), largest - 1, scores, form.prune)
        return parent_set_text(names, blocks, form.precision)
    return score_text(len(names), largest, scores, form.layout, form.order, form.pair, form.precision)
