"""Memory of a run of lsmarkov besides the score cache.

Included are two tables of all pairs, the data in the form of the kernels, once more for the regions being searched
(those of a restart have up to all variables), and the networks of the walkers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.scores.needs import Needs
from ..common.scores.scorer import bytes_of_scores, scorer_bytes
from ..common.sets.bitset_kernels import words_for
from .annealing import CUTS, REGION_SIZE
from .search import MANY_VARIABLES, MAX_THREADS, walkers_for

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from .config import Config

GRAPHS = 8  # per walker: its network, the best one, and their cliques and separators


def needs_of(source: Dataset | CliqueScores, config: Config, threads: int) -> Needs:
    """Memory of a search.

    Parameters
    ----------
    source : Dataset or CliqueScores

    Returns
    -------
    Needs
    """
    n, threads = source.n, min(MAX_THREADS, threads)
    walkers = walkers_for(n) * GRAPHS * n * words_for(n) * 8
    columns = max(threads * REGION_SIZE, min(threads, CUTS) * n if n <= MANY_VARIABLES else 0)
    regions = columns * scorer_bytes(source, 0) // n if n > REGION_SIZE else 0
    return Needs(
        scorer_bytes(source, threads) + 16 * n * n + walkers + regions, bytes_of_scores(source, config.max_clique)
    )
