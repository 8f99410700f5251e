"""A column of counts: how many rows each row of a contingency table stands for.

Learning and fitting read such a table with `common.data.csvfile`, which merges equal rows. Here the rows stay in the
order of the file, for commands with a result per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError, abridged, nearest
from ..number_text import is_number

if TYPE_CHECKING:
    from .dataset import Dataset

MAX_ROWS = 2**31 - 1  # of all rows together: kernels count in 32 bits


def count_of(label: str) -> int:
    """The number in a cell, -1 if it is not a count."""
    number = float(label) if is_number(label) else -1.0
    return int(number) if 0 <= number <= MAX_ROWS and number.is_integer() else -1


def no_count(label: str) -> str:
    """The message for a cell that is not a count."""
    return f"'{label}' is not a count; expected a whole number from 0 to {MAX_ROWS}"


def no_column(name: str, names: Sequence[str], what: str, called: str = "the columns are") -> str:
    """The message for a column that does not exist.

    Parameters
    ----------
    names
        Those that there are.
    what
        Its expected content, for messages.
    called
        How the names are introduced.
    """
    return f"no column '{name}' of {what}; {called} {abridged(names)}{nearest(name, names)}"


def split_counts(data: Dataset, column: str | None) -> tuple[Dataset, np.ndarray]:
    """A table and its column of counts.

    Parameters
    ----------
    data
        As read with `keep_counts`, with the counts as states of a column.
    column
        None: each row counts once.

    Returns
    -------
    (Dataset, int64[n_stored])
        All rows in order, including those of count 0, without that column; and the counts.

    Raises
    ------
    DataError
        A cell that is not a count.
    """
    if column is None:
        return data, np.ones(data.n_stored, np.int64)
    v = data.names.index(column)
    counts = np.array([count_of(label) for label in data.states[v]], np.int64)[data.codes[:, v]]
    if (counts < 0).any():
        row = int((counts < 0).argmax())
        label = data.states[v][data.codes[row, v]]
        raise DataError(f"row {row + 1}: {no_count(label)}", data.source, column=column)
    return without_column(data, v), counts


def without_column(data: Dataset, v: int) -> Dataset:
    """The table without a column; its rows stay, and may then be equal."""
    others = [u for u in range(data.n) if u != v]
    names, states = (tuple(part[u] for u in others) for part in (data.names, data.states))
    return replace(data, names=names, states=states, codes=data.codes[:, others])
