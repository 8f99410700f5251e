"""Weights of rows that need not be whole numbers, as in a survey.

A row of weight w counts as w rows wherever rows are counted, in every score and fit. Weights are scaled so that their
sum is the number of rows, unless they are to be used as they are: a survey's weights often sum to the size of a
population, and the data would seem to be as certain as that many rows.

Kernels count whole numbers. So a weight is a whole number of *units*, and one row is `Dataset.denominator` units: the
weights 0.5, 1.25 are 2 and 5 quarters. Decimal numbers are exact; only if all together have more than `MAX_UNITS`
units, as with fifteen digits each, they are rounded to as many units. Equal rows are merged, and the single rows kept
beside (`RowWeights`): cross-validation and bootstrap draw rows, not parts of them. Whole weights that are not scaled
give the same data as a column of counts.

Cost: sorting the rows.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import DataError
from ..number_text import is_number
from .counts import MAX_ROWS, split_counts, without_column
from .dataset import RowWeights
from .merging import merged, places, repeated_first, stored_once
from .number_forms import with_numbers_plain
from .reading import MISSING

if TYPE_CHECKING:
    from .dataset import Dataset
    from .reading import Reading

MAX_UNITS = 1 << 52  # of all rows together: their sums are exact in floating point
MAX_DIGITS = 300  # decimal digits of a weight
LOG = logging.getLogger("cliquewise")


def weights_of(labels: Sequence[str]) -> list[Decimal | None]:
    """The weights in cells, written in any form of numbers (`common.data.number_forms`); None for other cells."""
    return [_weight(label) for label in with_numbers_plain(labels, all_forms=False)]


def _weight(label: str) -> Decimal | None:
    number = Decimal(label) if is_number(label) else None
    if number is None or number < 0 or number.adjusted() > MAX_DIGITS:
        return None
    return number if number.adjusted() > -MAX_DIGITS else Decimal(0)


def no_weight(label: str) -> str:
    """The message for a cell that is not a weight."""
    if label in MISSING:
        return "the weight is missing; give it, or remove the row"
    negative = is_number(label) and float(label) < 0
    return f"'{label}' is {'negative' if negative else 'not a weight'}; expected a number, 0 or more"


def units_of(weights: Sequence[Decimal], counts: Sequence[int]) -> tuple[np.ndarray, Fraction]:
    """Weights as whole numbers of units.

    Parameters
    ----------
    weights
        Different ones, > 0.
    counts
        How many rows have each.

    Returns
    -------
    (int64[weights], Fraction)
        Units, >= 1, and how many of them are the weight 1.
    """
    ratios = [weight.as_integer_ratio() for weight in weights]
    per_one = math.lcm(*{below for _, below in ratios})
    units = [above * (per_one // below) for above, below in ratios]
    total = sum(map(mul, units, counts))
    if total <= MAX_UNITS:
        return np.array(units, np.int64), Fraction(per_one)
    rounded = [max(1, (2 * unit * MAX_UNITS + total) // (2 * total)) for unit in units]
    return np.array(rounded, np.int64), Fraction(per_one * MAX_UNITS, total)


def weighted(data: Dataset, weights: Sequence[Decimal | None], codes: np.ndarray, scale: str) -> Dataset:
    """Data whose rows have weights.

    Parameters
    ----------
    data
        Without counts.
    weights
        Of each code.
    codes : int[n_stored]
        Which of them each row has; it is positive.
    scale : {"rows", "none"}
        Whether the sum of the weights is made the number of rows.

    Returns
    -------
    Dataset
        With counts; if all weights are whole, as from a column of counts.
    """
    used, codes, row_counts = np.unique(codes, return_inverse=True, return_counts=True)
    found = [weight for weight in (weights[k] for k in used.tolist()) if weight is not None]
    of_label, per_one = units_of(found, row_counts.tolist())
    shared = math.gcd(*of_label.tolist())
    if scale == "none":
        shared = math.gcd(shared, per_one.numerator)
    units = (of_label // shared)[codes]
    total, n_rows = int(units.sum()), data.n_stored
    per_row = Fraction(total, n_rows) if scale == "rows" else per_one / shared
    size = f"{float(total * shared / per_one):.10g}" + (f", scaled to {n_rows}" if scale == "rows" else "")
    alike = total**2 / float((units.astype(float) ** 2).sum())
    LOG.info("%s: sum of the weights of %d rows: %s; worth %.0f rows of equal weight", data.source, n_rows, size, alike)
    if scale == "none" and total * shared < 2 * per_one:  # such as shares, whose sum is 1
        message = "%s: weights of less than two rows in all, which no score is made for; leave --weight-scale none out"
        LOG.warning(message, data.source)
    if per_row == 1 and total <= MAX_ROWS:
        return merged(data, units)
    first, counts, place = places(data, units)
    rows = RowWeights(place, units, scale == "rows", float(shared / per_one))
    return replace(stored_once(data, first, counts, rows), denominator=float(per_row))


class SingleRows(NamedTuple):
    """The rows that resampling draws: stored rows with their counts, or the table's rows if they have weights.

    place : int[k], where each is stored
    counts : int64[k], how often it occurs
    units : int64[k], for how much it counts each time, in parts of a row as counts are
    """

    place: np.ndarray
    counts: np.ndarray
    units: np.ndarray

    def stored_counts(self, counts: np.ndarray, n_stored: int) -> np.ndarray:
        """The counts of the stored rows, int64[n_stored], if row i occurs counts[i] times, int64[k]."""
        stored = np.zeros(n_stored, np.int64)
        np.add.at(stored, self.place, counts * self.units)
        return stored


def single_rows(data: Dataset) -> SingleRows:
    """The single rows of data."""
    if data.rows is None:
        return SingleRows(np.arange(data.n_stored), data.row_counts, np.ones(data.n_stored, np.int64))
    place = data.rows.place
    return SingleRows(place, np.ones(len(place), np.int64), data.rows.units)


def chosen_rows(data: Dataset, chosen: np.ndarray) -> Dataset:
    """Some rows of a table with weights, as a table of these rows would be.

    Parameters
    ----------
    data
        With `rows`.
    chosen : int[k]
        Numbers of rows in the order of the table; a row may come several times.
    """
    assert data.rows is not None
    place, units = data.rows.place[chosen], data.rows.units[chosen]
    counts = single_rows(data).stored_counts(np.bincount(chosen, minlength=data.n_rows), data.n_stored)
    first, counts = repeated_first(np.flatnonzero(counts), counts[counts > 0])
    number = np.zeros(data.n_stored, np.int32)
    number[first] = np.arange(len(first), dtype=np.int32)
    part = stored_once(data, first, counts, replace(data.rows, place=number[place], units=units))
    return replace(part, denominator=counts.sum() / len(chosen)) if data.rows.is_scaled else part


def split_weights(data: Dataset, reading: Reading) -> tuple[Dataset, np.ndarray, float]:
    """A table and the weight of each of its rows; the rows stay in order.

    Parameters
    ----------
    data
        As read with `keep_counts`, with counts or weights as states of a column.
    reading
        Which column that is; None: each row counts once.

    Returns
    -------
    (Dataset, int64[n_stored], float)
        All rows, without that column; in units; and how many of these are one row.

    Raises
    ------
    DataError
        A cell that is no count or weight, or weights that are all 0.
    """
    if reading.weights is None:
        return *split_counts(data, reading.counts), 1.0
    v = data.names.index(reading.weights)
    weights = weights_of(data.states[v])
    wrong = next((k for k, weight in enumerate(weights) if weight is None and (data.codes[:, v] == k).any()), None)
    if wrong is not None:
        row = int((data.codes[:, v] == wrong).argmax()) + 1
        raise DataError(f"row {row}: {no_weight(data.states[v][wrong])}", data.source, column=reading.weights)
    row_counts = np.bincount(data.codes[:, v], minlength=len(weights)).tolist()
    positive = [(k, weight) for k, weight in enumerate(weights) if weight and row_counts[k]]
    if not positive:
        raise DataError("all weights are 0; at least one must be above 0", data.source, column=reading.weights)
    of_label = np.zeros(len(weights), np.int64)
    of_label[[k for k, _ in positive]], per_one = units_of(
        [weight for _, weight in positive], [row_counts[k] for k, _ in positive]
    )
    units = of_label[data.codes[:, v]]
    per_row = float(per_one) if reading.weight_scale == "none" else units.sum() / np.count_nonzero(units)
    return without_column(data, v), units, float(per_row)
