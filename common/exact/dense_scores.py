"""The scores of all sets of variables as the dynamic program wants them: by mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..scores.all_scores import scores_within

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.scorefile import CliqueScores
    from ..run.monitor import Monitor
    from ..scores.scoring import Scoring


def dense_scores(source: Dataset | CliqueScores, scoring: Scoring, largest: int, monitor: Monitor) -> np.ndarray:
    """The scores of all sets of up to `largest` variables.

    Returns
    -------
    float64[2^n]
        By mask; minus infinity for larger sets.
    """
    masks, values = scores_within(source, scoring, largest, monitor)
    scores = np.full(1 << source.n, -np.inf)
    scores[masks.astype(np.int64)] = values
    return scores
