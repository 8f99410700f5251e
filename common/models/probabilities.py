"""Tables of probabilities as files have them: printed numbers are rounded, and other programs leave small errors."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from ..number_text import has_plain_digits, is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

LOG = logging.getLogger("cliquewise")
ROUNDING = 0.01  # of printed probabilities: the most by which their sum differs from 1
TINY = 1e-6  # a number so little below 0 is 0: a rounding error of another program
_SLIGHT = 1e-5  # difference of a sum from 1 that single precision, or six digits of each number, leave
_BORDER = 1e-9  # of sums in floating point: 0.33 + 0.33 + 0.33 differs from 1 by 0.01


def numbers_of(words: Sequence[str]) -> list[float]:
    """The words of a table as numbers.

    Raises
    ------
    ValueError
        With the first word that is none, such as `1_0` (`common.number_text`).
    """
    try:
        if has_plain_digits("".join(words)):
            return list(map(float, words))
    except ValueError:
        pass
    odd = next(word for word in words if not is_number(word))
    raise ValueError(f"found '{odd}', expected a number")


def sums_to_one(sums: np.ndarray) -> np.ndarray:
    """Whether sums of probabilities, float64[rows], are 1 but for `ROUNDING`: bool[rows]."""
    return np.abs(sums - 1) <= ROUNDING + _BORDER


def proper_table(table: np.ndarray, path: str, name: str, parents: Sequence[tuple[str, Sequence[str]]]) -> np.ndarray:
    """A table whose rows sum to 1.

    Parameters
    ----------
    table : float64[q, r]
        As in a file: rows whose sum differs from 1 by at most `ROUNDING` are scaled, as by `scaled_table`.
    path, name, parents
        For messages: the file, the variable, names and states of its parents if the rows are their joint states.

    Raises
    ------
    DataError
        A number that is not a probability, or another sum; with the row.
    """
    table = without_negatives(table, path, name)
    wrong = ~(np.isfinite(table) & (table >= 0) & (table <= 1 + ROUNDING + _BORDER))
    if wrong.any():
        raise DataError(f"{table[wrong][0]:.6g} for '{name}' is not a probability", path)
    sums = table.sum(axis=1)
    wrong = ~sums_to_one(sums)
    if wrong.any():
        row = int(wrong.argmax())
        found = f"probabilities of '{name}'{_given(row, parents)} sum to {sums[row]:.6g}, must be 1"
        raise DataError(found, path)
    return scaled_table(table, path, name, parents)


def normalised_table(
    table: np.ndarray, path: str, name: str, parents: Sequence[tuple[str, Sequence[str]]]
) -> np.ndarray:
    """A table of weights or counts as probabilities, with a warning if its rows did not sum to 1.

    Parameters
    ----------
    table, path, name, parents
        As for `proper_table`.

    Raises
    ------
    DataError
        A number that is negative or not finite, or a row of zeros.
    """
    table = without_negatives(table, path, name)
    if not (np.isfinite(table) & (table >= 0)).all():
        found = table[~(np.isfinite(table) & (table >= 0))][0]
        raise DataError(f"{found:.6g} for '{name}' is neither a probability nor a count", path)
    sums = table.sum(axis=1)
    if not sums.all():
        row = int((sums == 0).argmax())
        raise DataError(f"numbers for '{name}'{_given(row, parents)} are all zero, so no state is possible", path)
    return scaled_table(table, path, name, parents)


def scaled_table(table: np.ndarray, path: str, name: str, parents: Sequence[tuple[str, Sequence[str]]]) -> np.ndarray:
    """A table with its rows divided by their sums, none of which is 0.

    A warning names the first row whose sum differs from 1 by more than rounding: r numbers that are rounded to d
    decimals change a sum by at most r / 2 * 10**-d.

    Parameters
    ----------
    table, path, name, parents
        As for `proper_table`.
    """
    sums = table.sum(axis=1)
    far = np.flatnonzero(np.abs(sums - 1) > _SLIGHT)
    decimals = np.floor(np.log10(table.shape[1] / 2 / np.abs(sums[far] - 1)) + _BORDER)
    last_digits = table[far] * 10 ** decimals[:, None]
    is_rounded = sums_to_one(sums[far]) & (np.abs(last_digits - np.rint(last_digits)) < TINY).all(axis=1)
    wrong = far[~is_rounded]
    if len(wrong):
        row = int(wrong[0])
        message = f"'{name}': rows that do not sum to 1 and are normalised: {len(wrong)} of {len(sums)}; the first"
        LOG.warning("%s: %s%s sums to %.6g", path, message, _given(row, parents), sums[row])
    return table / sums[:, None]


def without_negatives(table: np.ndarray, path: str, name: str) -> np.ndarray:
    """A table in which numbers that are by at most `TINY` below 0 are 0, with a warning."""
    tiny = (table < 0) & (table >= -TINY)
    if not tiny.any():
        return table
    LOG.warning("%s: '%s': %d numbers just below 0 are taken as 0, such as %.3g", path, name, tiny.sum(), table.min())
    return np.where(tiny, 0.0, table)


def _given(row: int, parents: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The states of the parents in a row of a table: ` given rain=no, wind=weak`; empty without parents."""
    states = []
    for name, labels in reversed(parents):
        row, k = divmod(row, len(labels))
        states.append(f"{name}={labels[k]}")
    return f" given {', '.join(reversed(states))}" if states else ""
