"""Memory of a run of mnposterior: the tables of the sums and the draws, or those of the chains besides the scores.

The latter are a table of all pairs, the data in the form of the kernels, the networks of the ladders and their draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.data.incomplete import IncompleteData
from ..common.scores.needs import Needs
from ..common.scores.scorer import bytes_of_scores, scorer_bytes
from ..common.sets.bitset_kernels import words_for
from . import exact
from .batch_means import batch_capacity
from .gibbs_kernels import gibbs_bytes
from .ladders import bytes_of_ladder, bytes_of_rules, has_gibbs_move

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from .config import PosteriorConfig


def needs_of(source: Dataset | CliqueScores, config: PosteriorConfig, threads: int) -> Needs:
    """Memory of a run.

    Parameters
    ----------
    source
    config
        Its method is chains or exact.
    threads

    Returns
    -------
    Needs

    Raises
    ------
    LimitError
        Too many variables for exact draws.
    """
    n = source.n
    if config.method == "exact":
        exact.check_variables(n)
        return Needs(exact.bytes_needed(n, config.draws), advice=exact.ADVICE)
    threads = min(config.ladders, threads)
    ladders = config.ladders * bytes_of_ladder(n, words_for(n)) + bytes_of_rules(n)
    scorers = 1
    if isinstance(source, IncompleteData):  # rows, scores and batches of each ladder
        scorers, pairs = config.ladders, n * (n - 1) // 2
        ladders += config.ladders * batch_capacity(pairs) * pairs * 4
    elif has_gibbs_move(n):
        ladders += threads * gibbs_bytes(n, words_for(n), config.max_clique or n)
    return Needs(
        scorers * scorer_bytes(source, threads) + ladders,
        bytes_of_scores(source, config.max_clique),
        "use fewer --ladders",
    )
