"""Tiny data with which kernels are compiled."""

from __future__ import annotations

import numpy as np

from ..data.dataset import Dataset
from ..data.incomplete import IncompleteData
from ..files.scorefile import CliqueScores

FEW_ROWS = 200  # rows


def tiny_source(source: Dataset | CliqueScores) -> Dataset | CliqueScores:
    """A tiny source of scores for which the same kernels are compiled as for another: one row, or single variables.

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


def few_rows(data: Dataset) -> Dataset:
    """The first rows of a table, at most `FEW_ROWS`: learners call the same kernels for them as for all.

    Parameters
    ----------
    data
        Its variables, states and types of arrays are kept. Where cells are missing, all of the last row are.
    """
    kind = IncompleteData if isinstance(data, IncompleteData) else Dataset
    codes = np.array(data.codes[:FEW_ROWS], order="F")
    if kind is IncompleteData:
        codes[-1:] = -1
    return kind(data.names, data.states, codes, "-")
