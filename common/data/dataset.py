"""Discrete data in memory: one frozen record that every scorer and learner starts from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counted import counted
from ..files.fingerprint import NO_EFFECT, without_effect
from ..sets.set_orders import set_count

if TYPE_CHECKING:
    from .reading import Reading


@dataclass(frozen=True, eq=False)
class RowWeights:
    """The rows of a table with weights, of which equal ones are stored once.

    Attributes
    ----------
    place : int32[n_rows]
        Where each row of the table is stored, in the order of the table.
    units : int64[n_rows]
        Its weight, in parts of a row as counts are, >= 1.
    is_scaled
        Whether the sum of the weights is the number of rows.
    unit
        The weight of a unit, as weights are written.
    """

    place: np.ndarray
    units: np.ndarray
    is_scaled: bool
    unit: float = without_effect(1.0)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table of state codes.

    Attributes
    ----------
    names : tuple of str, length n_vars
        Column names, all different.
    states : tuple of tuple of str
        `states[v][k]` is the label of state k of variable v (see `common.data.states` for the order).
    codes : uint8 or int32[n_stored, n_vars]
        0 <= codes[r, v] < arity[v]; read-only, stored column by column (Fortran order).
    source
        The file it came from, for messages; `-` for standard input.
    counts : int64[n_stored], or None
        How many rows of the data each stored row stands for, >= 1. With counts the stored rows are distinct, those that
        stand for several rows come first, and both parts keep the original order (`common.data.merging`). None: each
        stands for one row, and rows may repeat.
    denominator
        Counts are in this part of a row, > 0: with m completions of each row of incomplete data, each of which has the
        weight 1/m, it is m. With weights it may be any number (`common.data.weights`).
    has_names
        False if the table had no names and the columns are numbered, V0, V1, ...
    rows
        The single rows of a table with weights; None: a row stands for one, or for as many as its count.
    origin
        For a caller in Python: the table in memory, or the name of the file, that it was read from.
    reading
        And how, for the header of a result.
    """

    names: tuple
    states: tuple
    codes: np.ndarray
    source: str = without_effect("-")
    counts: np.ndarray | None = None
    denominator: float = 1
    has_names: bool = without_effect(True)
    rows: RowWeights | None = None
    origin: Any = field(default=None, repr=False, kw_only=True, metadata=NO_EFFECT)
    reading: Reading | None = field(default=None, repr=False, kw_only=True, metadata=NO_EFFECT)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} of {counted(self.n_rows, 'row')} and {counted(self.n, 'column')}, {self.source}>"
        )

    @property
    def n_rows(self) -> int:
        """Number of rows of the data, regardless of their weights; stored rows count as often as their counts say."""
        if self.rows is not None:
            return len(self.rows.place)
        return round(self.total)

    @property
    def total(self) -> float:
        """The sum of the weights of all rows: N of every score; the number of rows if they have none."""
        if self.counts is None:
            return float(self.n_stored)
        return int(self.counts.sum()) / self.denominator

    @property
    def row_counts(self) -> np.ndarray:
        """int64[n_stored]: how many rows of the data each stored row stands for, in parts of a row as counts are."""
        return np.ones(self.n_stored, np.int64) if self.counts is None else self.counts

    @property
    def weights(self) -> np.ndarray:
        """int64 or float64[n_stored]: the same in rows."""
        return self.row_counts if self.denominator == 1 else self.row_counts / self.denominator

    @property
    def unweighted_row_counts(self) -> np.ndarray:
        """int64 or float64[n_stored]: how many rows of the data each stored row stands for, regardless of weights."""
        return self.weights if self.rows is None else np.bincount(self.rows.place, minlength=self.n_stored)

    @property
    def n_stored(self) -> int:
        """Number of rows in memory."""
        return self.codes.shape[0]

    @property
    def n(self) -> int:
        """Number of variables (columns)."""
        return self.codes.shape[1]

    @property
    def max_size(self) -> int:
        """The largest set of variables that can be scored: all of them."""
        return self.n

    def score_count(self, largest: int | None) -> int:
        """Number of sets of at most `largest` variables (None: all sets), each of which has a score.

        It is exact up to sets of 64 variables, and at most 2**900, which is a number for floating point.
        """
        if largest is not None and largest < self.n:
            return set_count(self.n, min(largest, 64))
        return 2 ** min(self.n, 900)

    @property
    def arity(self) -> np.ndarray:
        """int64[n_vars]: states of each variable, at least 1."""
        return np.array([len(labels) for labels in self.states], dtype=np.int64)
