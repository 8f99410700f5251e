"""Where the states of the dynamic program lie, and their memory; see `common.exact.recurrences_kernels`."""

from math import comb
from typing import Any

import numpy as np

from ..errors import LimitError
from ..sets.set_orders import set_count
from .recurrences_kernels import LANES, Tables

STATE_BYTES = 3 * 8  # f, g, h
SET_BYTES = 4 * 8  # score, base, and two masks while the layout is made


def free_vertices(n: int, masks: int | np.ndarray) -> int | np.ndarray:
    """Number of vertices that are neither in the set nor the root vertex n - 1 (int64, like masks)."""
    return n - 1 - np.bitwise_count(masks & ((1 << (n - 1)) - 1)).astype(np.int64)


def layout(n: int, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any, int]:
    """The sets in blocks of eight of equal size and equal free vertices, by size.

    Parameters
    ----------
    masks : int64[m]
        The sets that have states, ascending.

    Returns
    -------
    (int64[blocks, 8], int64[blocks], int64[blocks], int)
        Sets (-1 where a block is not full), first entry and free vertices of each block, and total entries.
    """
    size = np.bitwise_count(masks).astype(np.int64)
    free = free_vertices(n, masks)
    kind = size * n + free
    blocks = []
    for one in np.unique(kind):
        sets = masks[kind == one]
        padded = np.full(-(-len(sets) // LANES) * LANES, -1, np.int64)
        padded[: len(sets)] = sets
        blocks.append(padded.reshape(-1, LANES))
    sets = np.concatenate(blocks)
    free = free_vertices(n, sets[:, 0])
    ends = np.cumsum(LANES << free)
    return sets, ends - (LANES << free), free, int(ends[-1])


def bytes_needed(n: int, masks: np.ndarray) -> int:
    """Memory of the tables, without allocating them."""
    sets, _, free, entries = layout(n, masks)
    return entries * STATE_BYTES + sets.size * 8 + SET_BYTES * 2**n


def most_bytes_needed(n: int, largest: int) -> Any:
    """Memory of the tables of all sets of up to `largest` vertices, without listing them; blocks count as full."""
    rest = n - 1
    without_root = sum(comb(rest, size) << (rest - size) for size in range(min(largest, rest) + 1))
    with_root = sum(comb(rest, size) << (rest - size) for size in range(min(largest - 1, rest) + 1))
    return (without_root + with_root) * STATE_BYTES + 8 * set_count(n, largest) + SET_BYTES * 2**n


def allocate(n: int, scores: np.ndarray, masks: np.ndarray) -> Tables:
    """Empty tables.

    Parameters
    ----------
    scores : float64[2^n]
    masks : int64[m]
        The sets that have states, ascending and closed under subsets.

    Raises
    ------
    LimitError
        The system does not have that much memory.
    """
    sets, offset, free, entries = layout(n, masks)
    base = np.full(1 << n, -1, np.int64)
    entry = offset[:, None] + np.arange(LANES)
    base[sets[sets >= 0]] = entry[sets >= 0]
    try:
        f, g, h = (np.empty(entries) for _ in range(3))
    except MemoryError:
        raise LimitError(f"no memory for tables of {entries * STATE_BYTES / 1e9:.1f} GB") from None
    return Tables(n, scores, base, sets, offset, free, f, g, h)
