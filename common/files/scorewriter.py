"""Writing clique-score files: both layouts of `common.files.scorefile`, in every order.

The text is made in pieces of 65,536 lines, so that only the scores of a large file are held in memory. Cost: O(lines);
2^20 scores take about a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from ..sets.set_orders import colex_masks, lex_masks, set_count

_PIECE = 1 << 16


def score_text(
    n: int, max_size: int, values: np.ndarray, layout: str, order: str, pair: bool, precision: int | None
) -> Iterator[str]:
    """The pieces of a clique-score file.

    Parameters
    ----------
    values : float64[set_count(n, max_size)]
        Scores in colex order.
    layout : {"dmst", "junctor"}
        See `common.files.scorefile`.
    order : {"colex", "lex", "free"}
        Order of the sets; "junctor" has only colex.
    pair
        `clique_scores` and `separator_scores` instead of `subset_scores` ("dmst" only).
    precision
        As for `number_text`.

    Yields
    ------
    str
        Whole lines.
    """
    if layout == "junctor":
        yield f"{n} {max_size}\n"
        yield from _body(n, max_size, values, order, precision)
        return
    yield f"DMST\n{n}\n"
    for heading in ("clique_scores", "separator_scores") if pair else ("subset_scores",):
        size = max_size
        if heading == "separator_scores":
            size -= 1
            values = values[np.bitwise_count(colex_masks(n, max_size)) <= size]
        count = f" {set_count(n, size)}" if order == "free" else ""
        yield f"{heading}\n{order}_order {size}{count}\n"
        yield from _body(n, size, values, order, precision)


def number_text(values: np.ndarray, precision: int | None) -> Any:
    """Numbers as text.

    Parameters
    ----------
    values : float64[m]
    precision
        Decimals (the originals have 6); None: the shortest text that reads back as the same number.

    Returns
    -------
    iterator of str
    """
    return map(repr if precision is None else f"%.{precision}f".__mod__, (values + 0.0).tolist())  # 0.0, not -0.0


def _body(n: int, max_size: int, values: np.ndarray, order: str, precision: int | None) -> Iterator[str]:
    """The lines of one section, `values` being in colex order."""
    masks = np.empty(0) if order == "colex" else colex_masks(n, max_size)
    if order == "lex":
        values = values[np.searchsorted(masks, lex_masks(n, max_size))]
    for start in range(0, len(values), _PIECE):
        lines = number_text(values[start : start + _PIECE], precision)
        if order == "free":
            sets = map(_listed, masks[start : start + _PIECE].tolist())
            lines = map(" ".join, zip(lines, sets, strict=True))
        yield "\n".join(lines) + "\n"


def _listed(mask: int) -> str:
    """A set as `k v1 ... vk`."""
    quarters = (_members(mask >> first & 0xFFFF, first) for first in range(0, mask.bit_length(), 16))
    return f"{mask.bit_count()}{''.join(quarters)}"


@cache
def _members(bits: int, first: int) -> str:
    """The elements of 16 bits as text, the lowest bit being `first`; many sets share a quarter."""
    return "".join(f" {first + v}" for v in range(16) if bits >> v & 1)
