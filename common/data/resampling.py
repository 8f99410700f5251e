"""A bootstrap sample: as many rows as the data have, drawn from them with replacement (Efron 1979).

Networks learned from many such samples show how certain their edges are (Friedman, Goldszmidt and Wyner 1999). The
sample consists of the rows with new, multinomially distributed counts; rows that are not drawn are left out, but no
state is dropped, so that scores keep their priors. The numbers come from the PCG64 generator itself, whose stream never
changes, so that a seed gives the same sample with any version of numpy.

Cost: one binary search per row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .merging import merged

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
    assert data.counts is not None
    ends, times = np.cumsum(data.counts), np.zeros(data.n_stored, np.int64)
    n_rows, stream = int(ends[-1]), np.random.PCG64(seed)
    for start in range(0, n_rows, _BLOCK):
        words = stream.random_raw(min(_BLOCK, n_rows - start))
        rows = ((words >> np.uint64(11)) * (n_rows / 2.0**53)).astype(np.int64)
        times += np.bincount(np.searchsorted(ends, np.minimum(rows, n_rows - 1), side="right"), minlength=len(times))
    return merged(data, times)
