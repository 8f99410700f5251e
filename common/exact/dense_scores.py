"""The scores of all sets of variables as the dynamic program wants them: by mask."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.sets.set_orders import colex_masks, set_count

if TYPE_CHECKING:
    from cliquewise.common.files.scorefile import CliqueScores
    from cliquewise.common.scores.scoring import Scoring
    from cliquewise.common.search.monitor import Monitor


def dense_scores(source: Dataset | CliqueScores, scoring: Scoring, largest: int, monitor: Monitor) -> np.ndarray:
    """The scores of all sets of up to `largest` variables.

    Parameters
    ----------
    source : Dataset or CliqueScores
    scoring : Scoring
    largest : int
    monitor : Monitor

    Returns
    -------
    float64[2^n]
        By mask; minus infinity for larger sets.
    """
    n = source.n
    if isinstance(source, Dataset):
        total = set_count(n, largest)

        def tell(done):
            monitor.progress(f"scores: {done:,} of {total:,}", done, total)

        by = scoring.score_type, scoring.ess
        values = all_scores(source, *by, largest, monitor.threads, tell, monitor.may_go_on)
        masks = colex_masks(n, largest)
    else:
        kept = np.bitwise_count(source.masks) <= largest
        masks, values = source.masks[kept], source.scores[kept]
    scores = np.full(1 << n, -np.inf)
    scores[masks.astype(np.int64)] = values
    return scores
