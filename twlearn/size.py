"""Memory of a run of twlearn besides the score cache.

Included are the parent sets and their scores, the data in the form of the kernels, and the tables of the methods kp and
milp.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.data.dataset import Dataset
from ..common.files.parentsets import ParentSets
from ..common.scores.needs import Needs
from ..common.scores.scorer import ENTRY_BYTES, bytes_of_scores, scorer_bytes
from ..common.sets.set_orders import set_count
from . import kp
from .arc_gains import MAX_POSSIBLE_PARENTS
from .families import is_searched
from .parent_search import CANDIDATES, SETS_PER_VARIABLE
from .silander_myllymaki import bounds_fit, bytes_of_bounds

if TYPE_CHECKING:
    from .config import Config


def needs_of(source: Dataset, config: Config, threads: int) -> Needs:
    """The memory that a run needs.

    Parameters
    ----------
    source : Dataset, CliqueScores or ParentSets
    config
        Its method is not auto.

    Returns
    -------
    Needs
    """
    n = source.n
    max_parents = min(config.largest_parent_set, n - 1)
    fills = config.method == "kp" and config.treewidth < n - 1  # otherwise the bound excludes no network
    tables = kp.bytes_needed(n, config.treewidth, config.order is not None) if fills else 0
    scores = 0.0
    family = 4 * max_parents + 8
    if config.method == "milp" and bounds_fit(n, threads, config.memory):
        tables += bytes_of_bounds(n, threads)
    if isinstance(source, ParentSets):
        tables += family * sum(map(len, source.scores))
    elif config.method == "climb" and isinstance(source, Dataset):
        candidates = min(n - 1, MAX_POSSIBLE_PARENTS)
        tables += scorer_bytes(source, threads) + 24 * n * n + 17 * n * candidates + n * SETS_PER_VARIABLE * 2 * family
        scores = bytes_of_scores(source)
    elif is_searched(source, config):
        sets = config.parent_sets or SETS_PER_VARIABLE
        waiting = max(sets, CANDIDATES + 1) * CANDIDATES
        tables += scorer_bytes(source, threads) + 8 * n * n + n * sets * 2 * family + threads * 48 * waiting
        scores = bytes_of_scores(source)
    else:
        count = set_count(n - 1, max_parents)
        tables += scorer_bytes(source, threads) + threads * count * (family + 8) + n * count * 2 * family
        if isinstance(source, Dataset):  # all scores at once
            tables += ENTRY_BYTES << (2 * set_count(n, max_parents + 1) - 1).bit_length()
        else:
            scores = bytes_of_scores(source)
    return Needs(tables, scores, "give a smaller --max-parents or --parent-sets")
