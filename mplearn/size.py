"""Memory of a run of mplearn, estimated and checked before it is allocated.

Besides the data, each row and variable takes 1 byte (4 if a variable has more than 256 states) and at most 4 for bit
planes, and each row about 120 bytes per thread; less if rows are equal, since these are merged. Cached scores are added
as they are found, up to --cache-mb.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.data.dataset import Dataset
from ..common.errors import UsageError
from ..common.scores.needs import Needs
from ..common.scores.scorer import bytes_of_scores, table_bytes
from .extensions import affordable_planes, pattern_count

if TYPE_CHECKING:
    from ..common.files.scorefile import CliqueScores


def memory_needed(dataset: Dataset, threads: int, regression: bool = False) -> int:
    """Approximate upper bound on the bytes of a run besides the data and the cached scores.

    If few rows are in large cells, half of it is never used.

    Parameters
    ----------
    regression
        Whether blankets are found by logistic regression.
    """
    n_rows, cells = dataset.n_stored, dataset.n_stored * dataset.n
    plane = 8 * -(-n_rows // 64)
    states = np.log2(dataset.arity).sum() / 63
    tables = table_bytes(dataset) + plane * affordable_planes(dataset.arity, n_rows)[1]
    sorting = n_rows * (8 * int(states + 1) + 48)  # freed before the threads' space is allocated
    slots = 4 << (max(1024, 4 * n_rows) - 1).bit_length()
    space = pattern_count(n_rows) * plane + 56 * n_rows + slots + 16 * int(dataset.arity.max())
    if regression:  # a copy as floating point; per thread another, and liblinear's
        tables, space = tables + 8 * cells, space + 24 * cells
    return tables + max(sorting, threads * space)


def refuse_scores(source: CliqueScores | Dataset) -> None:
    """Raise UsageError for scores instead of data."""
    if not isinstance(source, Dataset):
        raise UsageError("mplearn needs data, not scores; give a CSV file")


def needs_of(source: Dataset, threads: int, regression: bool) -> Needs:
    """The memory that a run needs; see `memory_needed`.

    Raises
    ------
    UsageError
        Scores instead of data.
    """
    refuse_scores(source)
    return Needs(memory_needed(source, threads, regression), bytes_of_scores(source))
