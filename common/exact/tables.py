"""The layout and the memory of the states of the dynamic program and their values; see `recurrences_kernels`."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import LimitError
from ..sets.set_orders import set_count
from .recurrences_kernels import Tables
from .states_kernels import BLOCK, WORD, WORDS, number_states

if TYPE_CHECKING:
    from collections.abc import Callable

STATE_BYTES = 8  # g
PART_BYTES = 4  # a place in the lists of parts
INDEX_BYTES, BLOCK_BYTES = 4, 8 * WORDS
SET_BYTES = 4 * 8  # score, first block, and two masks while the layout is made
PRICE_OF_EDGE = 1e-13  # relative to the largest score
MAX_STATES = 2**31 - 1  # the largest count in a word


class States(NamedTuple):
    """The index of the states.

    Attributes
    ----------
    n : int
    sets : int64[m]
        Masks, by size; `fill` needs the smaller ones first.
    start : int64[2^n]
        By mask: where the blocks of a set begin in the index, or -1.
    blocks : int32[b + 1], the index
    words : int64[w]
        See `common.exact.states_kernels`.
    total : int
        All states.
    """

    n: int
    sets: np.ndarray
    start: np.ndarray
    blocks: np.ndarray
    words: np.ndarray
    total: int

    @property
    def all_there(self) -> bool:
        """Whether each of the sets has all its states."""
        return self.total == most_states(self.n, self.sets)

    @property
    def table_bytes(self) -> int:
        """Memory of the tables and of this index, in bytes."""
        lists = 0 if self.all_there else self.total * PART_BYTES + len(self.sets) * self.n * 8
        return self.total * STATE_BYTES + lists + self.words.nbytes + self.blocks.nbytes + SET_BYTES * 2**self.n


def free_vertices(n: int, masks: Any) -> Any:
    """Number of vertices that are neither in the set nor the root vertex n - 1 (int64, like masks)."""
    return n - 1 - np.bitwise_count(masks & ((1 << (n - 1)) - 1)).astype(np.int64)


def most_states(n: int, masks: np.ndarray) -> int:
    """The number of all states of some sets (int64[m])."""
    return int(np.sum(1 << free_vertices(n, masks)))


def layout(n: int, masks: np.ndarray) -> States:
    """An index for all states of some sets, without any state.

    Parameters
    ----------
    masks : int64[m]
        The sets that have states.
    """
    sets = masks[np.argsort(np.bitwise_count(masks), kind="stable")]
    counts = _blocks(free_vertices(n, sets))
    ends = np.cumsum(counts)
    start = np.full(1 << n, -1, np.int64)
    start[sets] = ends - counts
    return States(n, sets, start, np.full(int(ends[-1]) + 1, -1, np.int32), np.zeros(0, np.int64), 0)


def numbered(states: States) -> States:
    """The States with their numbers, after the bits have been set.

    Raises
    ------
    LimitError
        2^31 states or more.
    """
    count = int(np.bitwise_count(states.words).sum(dtype=np.int64))
    if count > MAX_STATES:
        raise LimitError(f"{count} states of {len(states.sets)} sets; the tables hold at most {MAX_STATES}")
    number_states(states.blocks, states.words)
    return states._replace(total=count)


def all_states(n: int, masks: np.ndarray) -> States:
    """All states of some sets.

    Parameters
    ----------
    masks : int64[m]

    Raises
    ------
    LimitError
        2^31 states or more.
    """
    states = layout(n, masks)
    states.blocks[:-1] = np.arange(len(states.blocks) - 1)
    free = free_vertices(n, states.sets)
    bits = np.clip((1 << np.arange(BLOCK + 1))[:, None] - WORD * np.arange(WORDS), 0, WORD)  # of each word, by free
    words = np.repeat(((1 << bits) - 1)[np.minimum(free, BLOCK)], _blocks(free), axis=0)
    return numbered(states._replace(words=words.reshape(-1)))


def _blocks(free: Any) -> Any:
    """Blocks of sets, given their numbers of free vertices (int or int64[m], like the result)."""
    return 1 + ((1 << free) - 1 >> BLOCK)


def bytes_needed(n: int, masks: np.ndarray) -> int:
    """Memory of the tables of all states of some sets, without allocating them."""
    blocks = int(_blocks(free_vertices(n, masks)).sum())
    return most_states(n, masks) * STATE_BYTES + blocks * BLOCK_BYTES + bytes_of_layout(n, masks)


def bytes_of_layout(n: int, masks: np.ndarray) -> int:
    """Memory of the index of some sets, and of the data stored for each set, in bytes."""
    return int(_blocks(free_vertices(n, masks)).sum() + 1) * INDEX_BYTES + SET_BYTES * 2**n


def most_bytes_needed(n: int, largest: int, lists: bool = False) -> Any:
    """Memory of the tables of all states of all sets of up to `largest` vertices, without listing them.

    Parameters
    ----------
    lists
        With lists of parts, as if some states were left out.
    """
    rest = n - 1

    def of_sets(each: Callable[[int], int]) -> int:
        """The sum of `each`, a function of the number of free vertices, over all sets without and with the root."""
        by_size = [comb(rest, size) * each(rest - size) for size in range(min(largest, rest) + 1)]
        return sum(by_size) + sum(by_size[:largest])

    states, sets, blocks = of_sets(lambda free: 1 << free), set_count(n, largest), of_sets(_blocks)
    of_lists = (states * PART_BYTES + sets * n * 8) * lists
    of_blocks = blocks * BLOCK_BYTES + (blocks + 1) * INDEX_BYTES
    return states * STATE_BYTES + of_lists + of_blocks + SET_BYTES * 2**n


def with_edge_price(n: int, scores: np.ndarray) -> np.ndarray:
    """The scores less a tiny price per edge, so that among networks with equal scores the fewest edges win.

    A set of k variables pays for its k (k - 1) / 2 pairs; then a chordal network pays for each of its edges once. The
    price is above rounding errors of the scores, and far below the rounding that bounds allow for.

    Parameters
    ----------
    scores : float64[2^n]
        By mask; minus infinity for sets without a score.

    Returns
    -------
    float64[2^n]
    """
    largest = np.abs(scores, where=np.isfinite(scores), out=np.zeros_like(scores)).max()
    sizes = np.bitwise_count(np.arange(1 << n, dtype=np.uint32))
    prices = PRICE_OF_EDGE * (1.0 + largest) * np.array([comb(size, 2) for size in range(n + 1)])
    return scores - prices[sizes]


def allocate(scores: np.ndarray, states: States) -> Tables:
    """Empty tables, whose optimum is a network of the highest score with the fewest edges.

    Parameters
    ----------
    scores : float64[2^n]

    Raises
    ------
    LimitError
        The system does not have that much memory.
    """
    n, sets, start, blocks, words, count = states
    lists = not states.all_there
    try:
        g = np.empty(count)
        parts, ends = np.empty(count * lists, np.int32), np.empty((len(sets) * lists, n), np.int64)
    except MemoryError:
        raise LimitError(f"no memory for tables of {states.table_bytes / 1e9:.1f} GB") from None
    return Tables(n, with_edge_price(n, scores), sets, start, blocks, words, g, parts, ends)
