"""All sets of at most `max_size` of n variables, in the two orders that score files use.

Bit i of a mask stands for variable i. Colex order is the order of the masks as numbers: {} {0} {1} {0,1} {2}
and so on; lex order compares the ascending lists of elements: {} {0} {0,1} {0,2} {1} and so on. Both are
built variable by variable from two smaller lists, so the cost is O(sets) in time and memory, for any n.
"""

from collections.abc import Callable, Iterator
from math import comb
from typing import Any

import numpy as np

TASKS = 256  # approximate number of tasks, enough for all cores to finish together


def set_count(n: int, max_size: int) -> int:
    """Number of sets of at most `max_size` of n elements."""
    return sum(comb(n, k) for k in range(max_size + 1))


def set_counts(n: int, max_size: int) -> np.ndarray:
    """Sets of at most k of the first c elements: int64[n, max_size + 1], indexed by c and k (see `colex_rank`).

    >>> set_counts(3, 2).tolist()
    [[1, 1, 1], [1, 2, 2], [1, 3, 4]]
    """
    return np.array([[set_count(c, k) for k in range(max_size + 1)] for c in range(n)], np.int64)


def colex_masks(n: int, max_size: int) -> np.ndarray:
    """The sets in colex order: uint64[set_count(n, max_size)], ascending; n <= 64.

    >>> colex_masks(3, 2).tolist()
    [0, 1, 2, 3, 4, 5, 6]
    """

    # With one more variable, the sets without it come first; the sets with it follow in the same order.
    def put_last(without: np.ndarray, smaller: np.ndarray, bit: np.uint64) -> tuple[np.ndarray, np.ndarray]:
        return without, smaller | bit

    return _masks(range(n), max_size, put_last)


def lex_masks(n: int, max_size: int) -> np.ndarray:
    """The sets in lex order: uint64[set_count(n, max_size)]; n <= 64.

    >>> lex_masks(3, 2).tolist()
    [0, 1, 3, 5, 2, 6, 4]
    """

    # With one more variable in front, {} comes first, then the sets with that variable, then the rest.
    def put_first(without: np.ndarray, smaller: np.ndarray, bit: np.uint64) -> tuple[np.ndarray, ...]:
        return without[:1], smaller | bit, without[1:]

    return _masks(range(n - 1, -1, -1), max_size, put_first)


def all_within(masks: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Which sets have only good subsets, including themselves.

    Parameters
    ----------
    masks : uint64[m]
        Ascending, closed under subsets.
    good : bool[m]

    Returns
    -------
    bool[m]

    >>> all_within(colex_masks(3, 2), np.array([True, True, False, True, True, True, True])).tolist()
    [True, True, False, False, True, True, False]
    """
    kept = good.copy()
    if good.all():
        return kept
    # For one variable v after the other, a set with v is good only if the set without v is: in the end, if all are.
    for v in range(int(masks[-1]).bit_length()):
        if len(masks) == 1 << int(masks[-1]).bit_length():  # all sets: a set's place is its mask
            pairs = kept.reshape(-1, 2, 1 << v)
            pairs[:, 1] &= pairs[:, 0]
        else:
            bit = np.uint64(1 << v)
            holding = np.flatnonzero(masks & bit)
            kept[holding] &= kept[np.searchsorted(masks, masks[holding] ^ bit)]
    return kept


def set_tasks(n: int, largest: int, bound: int) -> Iterator[tuple[tuple[int, ...], bool, int]]:
    """The sets of one to `largest` of n elements, cut into tasks.

    Parameters
    ----------
    bound
        Largest number of sets per task, if it is n or more; fewer if the cores could not finish together.

    Yields
    ------
    (tuple of int, bool, int)
        A set, ascending; whether the task is this set alone, or also all sets that extend it by larger elements; and
        the number of sets.
    """
    share = max(n, min(bound, set_count(n, largest) // TASKS))  # below n, many tasks would be a single set

    def split(prefix: Any) -> Iterator[tuple[tuple[int, ...], bool, int]]:
        later, left = n - 1 - prefix[-1], largest - len(prefix)
        count = sum(comb(later, k) for k in range(left + 1))
        if count <= share:
            yield prefix, False, count
            return
        yield prefix, True, 1
        for following in range(prefix[-1] + 1, n):
            yield from split((*prefix, following))

    for first in range(n):
        yield from split((first,))


def _masks(variables: range, max_size: int, join: Callable) -> np.ndarray:
    """The sets, built variable by variable; `join` orders the sets without it and the smaller sets to put it in."""
    by_size: list[np.ndarray] = [np.zeros(1, np.uint64)]  # by_size[k]: sets of at most k of the variables so far
    for done, v in enumerate(variables, 1):
        # Smaller sets cannot reach max_size any more; with them the cost would be max_size times higher.
        lowest, highest = max(0, max_size - (len(variables) - done)), min(max_size, done)
        grown: list[np.ndarray] = [np.zeros(0, np.uint64)] * (highest + 1)
        for k in range(lowest, highest + 1):
            without = by_size[min(k, len(by_size) - 1)]
            grown[k] = np.concatenate(join(without, by_size[k - 1], np.uint64(1 << v))) if k else without
        by_size = grown
    return by_size[-1]
