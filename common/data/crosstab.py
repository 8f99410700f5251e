"""Detection of a table of counts whose columns are the states of a further variable, a row for each combination.

Such a table (a crosstab, a contingency table in wide form) has no observations as rows. It has at least two columns of
counts, some of them above 1, and at least two others. No two rows agree in these, none of which differs in all rows, as
identifiers do; and at least half of all combinations of their states are there.
"""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

import numpy as np

from ..errors import abridged
from .counts import count_of
from .odd_rows import odd_rows, odd_rows_sentence

if TYPE_CHECKING:
    from .dataset import Dataset

LOG = logging.getLogger("cliquewise")
MAX_ROWS = 1000  # of a crosstab
MIN_COLUMNS = 2  # of counts, and of others
_SHOWN = 3


def columns_of_counts(data: Dataset) -> list[str]:
    """The names of the columns of counts; none if the table does not seem to be a crosstab.

    Parameters
    ----------
    data
        Missing cells are a last state `?`; without counts or weights.
    """
    if not data.n_stored == data.n_rows <= MAX_ROWS:
        return []
    is_counted = np.array([all(count_of(label) >= 0 for label in labels) for labels in data.states])
    counted, others = np.flatnonzero(is_counted), np.flatnonzero(~is_counted)
    if min(len(counted), len(others)) < MIN_COLUMNS or data.arity[others].max() >= data.n_rows:
        return []
    if not any(count_of(label) > 1 for v in counted for label in data.states[v]):
        return []  # states 0 and 1
    if 2 * data.n_rows < math.prod(map(int, data.arity[others])):
        return []
    return [data.names[v] for v in counted] if _all_differ(data, others) else []


def _all_differ(data: Dataset, columns: np.ndarray) -> bool:
    """Whether no two rows agree in these columns."""
    return len(np.unique(data.codes[:, columns], axis=0)) == data.n_stored


def sentence_about_rows(data: Dataset) -> str:
    """Rows that are no observations, with advice, to be read after `the table has`; empty if all are some."""
    odd = odd_rows_sentence(odd_rows(data))
    found = [] if odd else columns_of_counts(data)
    if not found:
        return odd
    others = [name for name in data.names if name not in found]
    shown = f"{abridged(found, _SHOWN)}, as it seems, for each combination of {abridged(others, _SHOWN)}"
    return f"counts in {shown}; make them one column, in pandas by table.melt({others}, value_name='n'), for --counts=n"


def warn_of_rows(data: Dataset) -> None:
    """Warn of rows that are no observations."""
    sentence = sentence_about_rows(data)
    if sentence:
        LOG.warning("%s: %s", data.source, sentence)
