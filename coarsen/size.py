"""Memory of a run of coarsen: the data in the form of the kernels, and two tables of all pairs.

The score cache and the integer programs, whose size is not known in advance, are not included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.scores.needs import Needs
from ..common.scores.scorer import bytes_of_scores, scorer_bytes

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from .config import Config


def needs_of(source: Dataset | CliqueScores, config: Config, threads: int) -> Needs:
    """Memory that a run needs."""
    tables = scorer_bytes(source, threads) + 16 * source.n**2
    return Needs(tables, bytes_of_scores(source, config.steps.max_clique))
