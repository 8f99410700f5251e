"""Very little data for kernels to be compiled by."""

from __future__ import annotations

import numpy as np

from ..data.dataset import Dataset
from ..files.scorefile import CliqueScores


def tiny_source(source: Dataset | CliqueScores) -> Dataset | CliqueScores:
    """A source of scores for which the same kernels are compiled as for another one: one row, or single variables.

    Parameters
    ----------
    source
        Its variables, states and types of arrays are kept.
    """
    if isinstance(source, CliqueScores):
        singles = np.uint64(1) << np.arange(source.n, dtype=np.uint64)
        masks = np.concatenate([np.zeros(1, np.uint64), singles])
        return CliqueScores(source.n, 1, masks, np.zeros(len(masks)), source.source)
    row = np.zeros((1, source.n), source.codes.dtype, order="F")
    return Dataset(source.names, source.states, row, source.source)
