"""Scores of all one-variable extensions of a blanket: the data in two forms, and work space per thread."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..common.scores.bit_planes import bit_planes, plane_places
from .extensions_kernels import (
    ROW_COST,
    Groups,
    ScanScratch,
    group_rows,
    score_extensions,
)
from .terms_kernels import BDEU, LIKELIHOOD, SMALL_COUNT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.scores.counting_kernels import CountingTable

KINDS = {"bdeu": BDEU, "ll": LIKELIHOOD}
PLANE_BYTES = 4  # per row and variable, as for 32 states
SMALL_PLANES = 1 << 26  # bytes
MAX_TERMS = 1 << 12  # more do not stay in the nearest cache


class Extensions:
    """The data that every thread scans.

    Parameters
    ----------
    table
        The data.
    base
        bdeu or ll.
    ess
        Equivalent sample size, > 0.
    threads
        Number of work spaces.
    denominator
        Counts are numbers of rows times this.
    """

    def __init__(self, table: CountingTable, base: str, ess: float, threads: int, denominator: float = 1) -> None:
        self.kind = KINDS[base]
        self.ess, self.denominator = float(ess), float(denominator)
        self.table = with_planes(table)
        self.by_states = np.argsort(table.arity, kind="stable")
        self.ln_arity = np.log(table.arity)
        self._spaces = [_work_space(self.table) for _ in range(threads)]

    def scores(self, variable: int, blanket: list[int], thread: int = 0, forbidden: Sequence[int] = ()) -> np.ndarray:
        """Local scores, without prior or penalty, of a variable with each of the other variables added to its blanket.

        Parameters
        ----------
        thread
            Whose work space to use.
        forbidden
            Variables to skip.

        Returns
        -------
        float64[n_vars]
            Natural logarithms; minus infinity for the variable, its blanket and forbidden ones. Overwritten by the
            next call.
        """
        groups, scratch, skipped, out = self._spaces[thread]
        skipped[:] = False
        skipped[[variable, *blanket]] = True
        skipped[np.asarray(forbidden, np.int64)] = True
        group_rows(self.table, variable, np.array(blanket, np.int64), groups, scratch)
        ln_q = math.fsum(self.ln_arity[blanket])
        candidates = self.by_states[~skipped[self.by_states]]
        scoring = self.kind, self.ess, self.denominator
        score_extensions(self.table, *scoring, variable, ln_q, candidates, groups, scratch, out)
        return out


def with_planes(table: CountingTable) -> CountingTable:
    """A CountingTable with the planes that a scan uses; often it has them."""
    n_merged = len(table.weights)
    first, count = affordable_planes(table.arity, table.columns.shape[1] - n_merged)
    if np.array_equal(first, table.first_plane):
        return table
    return table._replace(planes=bit_planes(table.columns[:, n_merged:], table.arity, first, count), first_plane=first)


def affordable_planes(arity: np.ndarray, n_rows: int) -> tuple[np.ndarray, int]:
    """The bit planes of variables: which have them, and their places.

    A variable with more than about 256 states has none: its rows are always looked up, which is cheaper even for a cell
    of all rows. The others get planes in order of their number of states, while all planes take at most `PLANE_BYTES`
    per row and variable, or `SMALL_PLANES`.

    Parameters
    ----------
    arity : int64[n_vars]
    n_rows
        Rows that have bits.

    Returns
    -------
    first_plane : int64[n_vars]
        As in CountingTable.
    count : int
        Total number of planes.
    """
    words = max(1, -(-n_rows // 64))
    chosen = (arity - 1) * words < max(1, ROW_COST * n_rows)
    capacity = max(SMALL_PLANES, PLANE_BYTES * n_rows * len(arity)) // (8 * words)
    by_size = np.argsort(np.where(chosen, arity, 0), kind="stable")
    chosen[by_size[np.cumsum(np.where(chosen, arity, 0)[by_size]) > capacity]] = False
    return plane_places(arity, chosen)


def _work_space(table: CountingTable) -> tuple[Groups, ScanScratch, np.ndarray, np.ndarray]:
    """Groups, ScanScratch, skipped and out of one thread."""
    n_vars, n_rows = table.columns.shape
    words = table.planes.shape[1]
    largest = int(table.arity.max())
    patterns = np.zeros((pattern_count(n_rows - len(table.weights)), words), np.uint64)
    rows, ends = (lambda: np.zeros(n_rows, np.int32)), (lambda: np.zeros(n_rows + 1, np.int32))
    states = lambda: np.zeros(largest, np.int32)  # noqa: E731
    counts = lambda: np.zeros(largest, table.weights.dtype)  # noqa: E731
    terms = _term_count(table)
    groups = Groups(rows(), ends(), ends(), patterns, rows(), np.zeros(3, np.int64))
    scratch = ScanScratch(
        rows(), ends(), ends(), counts(), counts(), states(), states(), np.zeros(terms), np.zeros(terms)
    )
    return groups, scratch, np.zeros(n_vars, bool), np.zeros(n_vars)


def _term_count(table: CountingTable) -> int:
    """The number of counts for which the terms of a CountingTable are tabulated."""
    n_rows = table.columns.shape[1] + int(table.weights.sum()) - len(table.weights)
    worth_it = len(table.arity) // len(np.unique(table.arity))  # a term costs what a candidate saves
    return max(SMALL_COUNT, min(n_rows + 1, worth_it, MAX_TERMS))


def pattern_count(n_rows: int) -> int:
    """The largest number of cells that can have enough rows for a bit pattern."""
    return max(1, min(n_rows, ROW_COST * n_rows // max(1, -(-n_rows // 64))))
