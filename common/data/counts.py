"""A column of counts: how many rows each row of a contingency table stands for.

Whoever learns or fits reads such a table with `common.data.csvfile`, which merges equal rows. Here the rows stay as
they are in the file, for who answers for each of them.
"""

from dataclasses import replace

import numpy as np

from cliquewise.common.data.states import is_number
from cliquewise.common.errors import DataError

MOST_ROWS = 2**31 - 1  # of all rows together: kernels count in 32 bits
_SHOWN = 8


def count_of(label):
    """The number in a cell, -1 if it is no count."""
    number = float(label) if is_number(label) else -1.0
    return int(number) if 0 <= number <= MOST_ROWS and number.is_integer() else -1


def no_count(label):
    """What is said of a cell that is none."""
    return f"'{label}' is not a count; expected a whole number from 0 to {MOST_ROWS}"


def no_column(name, names):
    """What is said where there is no such column."""
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    return f"no column '{name}' of counts; the columns are {shown}"


def split_counts(data, column):
    """A table and its column of counts.

    Parameters
    ----------
    data : Dataset
        As it was read, the counts being states like others.
    column : str or None
        None: each row stands for itself.

    Returns
    -------
    (Dataset, int64[n_stored])
        All rows in their order, also those of count 0, without that column; and the counts.

    Raises
    ------
    DataError
        No such column, or a cell that is no count.
    """
    if column is None:
        return data, np.ones(data.n_stored, np.int64)
    if column not in data.names:
        raise DataError(no_column(column, data.names), data.source)
    v = data.names.index(column)
    counts = np.array([count_of(label) for label in data.states[v]], np.int64)[data.codes[:, v]]
    if (counts < 0).any():
        row = int((counts < 0).argmax())
        label = data.states[v][data.codes[row, v]]
        raise DataError(f"row {row + 1}: {no_count(label)}", data.source, column=column)
    others = [u for u in range(data.n) if u != v]
    names, states = (tuple(part[u] for u in others) for part in (data.names, data.states))
    return replace(data, names=names, states=states, codes=data.codes[:, others]), counts
