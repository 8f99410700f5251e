"""The list of sets that are dependent only jointly, for the joint moves of `lsmarkov.joint_kernels`.

Sets of three variables are evaluated first, then of four and five: all of them, in random order, if there are few
enough, otherwise, with up to 500 variables, random ones until the search ends. A batch has up to 25,000, fewer with
many rows, so that it takes a small part of the time; the best are kept in the list.
"""

from __future__ import annotations

from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from ..common.run.state_record import ArrayField, StateRecord, ValueField, natural
from .joint_kernels import MAX_SET_SIZE, least_gains

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..common.run.saved import Saved
    from ..common.scores.scorer import SetScorer

KEPT_SETS = 256
EXHAUSTIVE_UP_TO = 1_000_000  # largest number of sets of a size to try all
MANY_VARIABLES = 500  # variables: with more no sets are drawn, for hardly any would be one of those looked for
BATCH_SETS = 25_000  # sets in a batch, on few rows; of random ones a quarter
BATCH_NANOSECONDS = 5e7  # nanoseconds for the sets of a batch, at most, about
ROW_NANOSECONDS, CELL_NANOSECONDS = (
    4.0,
    0.0025,
)  # nanoseconds for a row of a set: without bit planes, and for each cell with them
MIN_BATCH_SETS = 500


class JointSets:
    """Sets that are dependent only jointly.

    Parameters
    ----------
    seed : int or sequence of int

    Attributes
    ----------
    listed : int64[m, MAX_SET_SIZE]
        The best found so far, best first, padded with -1.
    gains : float64[m]
    batches : int
        Evaluated.
    """

    record = StateRecord(
        ArrayField("listed", lambda sets, joint: _are_sets(sets, joint.scorer.n), any_length=True),
        ArrayField("gains", lambda gains, own: len(gains) == len(own.listed) and (gains > 0).all(), any_length=True),
        ValueField("batches", int, natural),
        prefix="joint-",
    )

    def __init__(self, scorer: SetScorer, max_clique: int, seed: int) -> None:
        self.scorer = scorer
        self.listed = np.zeros((0, MAX_SET_SIZE), np.int64)
        self.gains = np.zeros(0)
        self.batches = 0
        rows = scorer.scores.table.columns.shape[1]
        cells = float(scorer.scores.table.arity.max(initial=1)) ** MAX_SET_SIZE
        self._number = int(
            min(
                BATCH_SETS,
                max(
                    MIN_BATCH_SETS, BATCH_NANOSECONDS / max(1.0, rows * min(ROW_NANOSECONDS, cells * CELL_NANOSECONDS))
                ),
            )
        )
        self._rng = np.random.default_rng(seed)
        self._batches = _batches(
            scorer.n, range(3, min(scorer.n, max_clique, MAX_SET_SIZE) + 1), self._number, self._rng
        )

    def state(self) -> dict[str, int | np.ndarray]:
        """The state to continue from."""
        return self.record.save(self)

    def restore(self, saved: Saved, most: int) -> None:
        """Continue where an earlier part of the run ended, after `most` batches or fewer, which are drawn again."""
        self.record.load(saved, self)
        batches, self.batches = self.batches, 0
        if batches > most:
            raise saved.invalid("joint-batches")
        for _ in range(batches):
            self._next_batch()

    def _next_batch(self) -> np.ndarray | None:
        self.batches += 1
        return next(self._batches, None)

    def look(self, parallel_map: Callable, stop: np.ndarray) -> None:
        """Evaluate some more sets.

        Parameters
        ----------
        stop : int64[1]
            Ends the work when not zero.
        """
        sets = self._next_batch()
        if sets is None:
            return
        gains = np.full(len(sets), -np.inf)
        scratch = self.scorer.scratch

        def share(t: int) -> None:
            members = np.zeros(self.scorer.words, np.uint64)
            least_gains(self.scorer.scores, scratch[t], members, sets, t, len(scratch), gains, stop)

        list(parallel_map(share, range(len(scratch))))
        self.scorer.make_room()
        sets, gains = np.concatenate([self.listed, sets]), np.concatenate([self.gains, gains])
        best = np.argsort(-gains, kind="stable")
        best = best[gains[best] > 0.0]
        _, first = np.unique(sets[best], axis=0, return_index=True)  # drawn twice
        best = best[np.sort(first)][:KEPT_SETS]
        self.listed = np.ascontiguousarray(sets[best])
        self.gains = gains[best]

    def within(self, members: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """The listed sets of some variables alone.

        Parameters
        ----------
        members : int64[k], ascending
        numbers : int64[k]
            Their numbers in the result.

        Returns
        -------
        int64[m, MAX_SET_SIZE]
        """
        sets = self.listed[(np.isin(self.listed, members) | (self.listed < 0)).all(axis=1)]
        return np.where(sets < 0, sets, numbers[np.searchsorted(members, sets)])


def _batches(n: int, sizes: Sequence[int], number: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield int64[., MAX_SET_SIZE] without end, unless all sets were evaluated or there are too many.

    Parameters
    ----------
    number
        Of sets at once.
    """
    sets = _all_sets(n, [size for size in sizes if comb(n, size) <= EXHAUSTIVE_UP_TO], rng)
    for start in range(0, len(sets), number):
        yield sets[start : start + number].astype(np.int64)
    del sets  # a search continues for long after that
    large = [size for size in sizes if comb(n, size) > EXHAUSTIVE_UP_TO and n <= MANY_VARIABLES]
    while large:
        for size in large:
            drawn = rng.integers(n, size=(max(MIN_BATCH_SETS, number // 4), size))
            drawn.sort(axis=1)
            yield _filled(drawn[(np.diff(drawn, axis=1) > 0).all(axis=1)])


def _all_sets(n: int, sizes: Sequence[int], rng: np.random.Generator) -> np.ndarray:
    """All sets of these sizes, those of each size in random order: int16[m, MAX_SET_SIZE]."""
    every = [np.zeros((0, MAX_SET_SIZE), np.int16)]
    for size in sizes:
        flat = np.fromiter(chain.from_iterable(combinations(range(n), size)), np.int16, comb(n, size) * size)
        every.append(rng.permutation(_filled(flat.reshape(-1, size))))
    return np.concatenate(every)


def _are_sets(rows: np.ndarray, n: int) -> bool:
    """Whether int64[m, MAX_SET_SIZE] are ascending sets of at least three of n variables, padded by `_filled`."""
    filled = np.where(rows == -1, n + np.arange(MAX_SET_SIZE), rows)
    return bool((rows >= -1).all() and (rows < n).all() and (rows[:, :3] >= 0).all() and (np.diff(filled) > 0).all())


def _filled(sets: np.ndarray) -> np.ndarray:
    """Sets of one size, int[m, size], as int[m, MAX_SET_SIZE] of the same type."""
    rows = np.full((len(sets), MAX_SET_SIZE), -1, sets.dtype)
    rows[:, : sets.shape[1]] = sets
    return rows
