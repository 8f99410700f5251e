"""A bootstrap sample: as many rows as the data have, drawn from them with replacement (Efron 1979).

Networks learned from many such samples show how certain their edges are (Friedman, Goldszmidt and Wyner 1999). The
sample consists of the rows with new, multinomially distributed counts; rows that are not drawn are left out, but no
state is dropped, so that scores keep their priors. Rows with weights are drawn alike, and keep their weights. The
numbers come from the PCG64 generator itself, whose stream never changes, so that a seed gives the same sample with any
version of numpy.

Cost: one binary search per row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .merging import merged
from .weights import chosen_rows

if TYPE_CHECKING:
    from .dataset import Dataset

_BLOCK = 1 << 22  # rows drawn at a time


def resampled(data: Dataset, seed: int) -> Dataset:
    """A bootstrap sample of the rows.

    Parameters
    ----------
    seed
        >= 0.

    Returns
    -------
    Dataset
        With counts, and as many rows as the data.

    Examples
    --------
    >>> from cliquewise.common.data.dataset import Dataset
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]], dtype=np.int32)
    >>> resampled(Dataset(("a", "b"), (("n", "y"), ("n", "y")), codes), 2).n_rows
    3
    """
    data = merged(data)
    if data.rows is not None:
        return chosen_rows(data, np.concatenate(list(_draws(data.n_rows, seed))))
    assert data.counts is not None
    ends, row_counts = np.cumsum(data.counts), np.zeros(data.n_stored, np.int64)
    for rows in _draws(int(ends[-1]), seed):
        row_counts += np.bincount(np.searchsorted(ends, rows, side="right"), minlength=len(row_counts))
    return merged(data, row_counts)


def _draws(n_rows: int, seed: int) -> Iterator[np.ndarray]:
    """As many numbers of rows as there are rows, drawn with replacement: int64[any] each."""
    stream = np.random.PCG64(seed)
    for start in range(0, n_rows, _BLOCK):
        words = stream.random_raw(min(_BLOCK, n_rows - start))
        rows = ((words >> np.uint64(11)) * (n_rows / 2.0**53)).astype(np.int64)
        yield np.minimum(rows, n_rows - 1)
