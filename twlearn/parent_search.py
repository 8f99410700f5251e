"""Parent sets by search, if there are too many to score them all.

The candidate parents of a variable are the variables with the largest pairwise gains, found among all pairs (on bit
planes if there are few states, see `common.scores.spanning`); among these, parent sets are searched best first
(`twlearn.parent_search_kernels`). So the memory is bounded: `SETS` scored sets per variable, and n^2 numbers for the
pairs. The search can miss a parent that is informative only together with others, unless it is among the first
`CANDIDATES` anyway, and sets with low estimates. The number of pairs with positive gain that were left out is logged.

Cost: all pairs, O(n^2 rows / 64) on bit planes; then at most `SETS` n family scores, O(rows) each.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains, pair_gains
from .parent_search_kernels import SearchScratch, keep_useful, search_parents

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring

    Block = tuple[np.ndarray, np.ndarray]


LOG = logging.getLogger("cliquewise")
CANDIDATES = 24  # per variable, at most 64
SETS = 400  # scored per variable
BATCH = 64  # variables between two checks of the room in the score table


def searched_blocks(
    dataset: Any,
    most: int,
    scoring: Scoring,
    cache_mb: int,
    monitor: Monitor,
    sets: int = SETS,
    known: Sequence[tuple[int, ...]] = (),
) -> list[Block] | None:
    """The useful parent sets found by a search.

    Parameters
    ----------
    dataset
    most
        Largest number of parents, 0 <= most < n.
    scoring
    cache_mb
        Memory limit of the cache of set scores.
    monitor
        Checked from time to time; if it stops the run, the result is None.
    sets
        Largest number of sets to score per variable, including the empty set; all single candidates are always scored.
    known
        For each variable a set of at most `most` that is added.

    Returns
    -------
    list of (int32[m, most], float64[m]) or None
        For each variable its sets by decreasing score, ascending and padded with -1, the empty set last.
    """
    scorer = SetScorer(dataset, scoring, cache_mb, monitor.threads)
    monitor.compile(partial(compile_pair_gains, scorer), partial(compile_search, scorer, most))
    count = min(CANDIDATES, scorer.n - 1)
    chosen = candidate_parents(scorer, count, monitor) if most else np.zeros((scorer.n, 0), np.int64)
    told = monitor.reporter.phase("parent sets")
    work = [search_scratch(scorer, chosen.shape[1], sets) for _ in range(monitor.threads)]
    idle = list(range(monitor.threads))

    def block(v: int) -> Block:
        t = idle.pop()
        found = searched_block(
            scorer.scores, scorer.scratch[t], work[t], v, chosen[v], most, dataset.total, monitor.stop.flag
        )
        idle.append(t)
        return found

    blocks = []
    for first in range(0, scorer.n, BATCH):
        if not monitor.may_go_on():
            return None
        scorer.make_room()
        blocks += monitor.map(block, range(first, min(scorer.n, first + BATCH)))
        told(len(blocks) / scorer.n)
    for v, own in enumerate(known):
        if len(own) <= most:
            blocks[v], _ = with_family(blocks[v], own, scorer.score((*own, v)) - scorer.score(own))
    return blocks if monitor.may_go_on() else None


def with_family(block: Block, own: tuple[int, ...], score: float) -> tuple[Block, int]:
    """A block with a parent set in its place, if it is not there; and its row.

    Parameters
    ----------
    own
        Ascending, at most as many as the block has room for.
    """
    sets, scores = block
    row = np.array([*own, *[-1] * (sets.shape[1] - len(own))], np.int32)
    there = np.flatnonzero((sets == row).all(axis=1))
    if len(there):
        return block, int(there[0])
    at = int(np.searchsorted(-scores, -score))
    return (np.insert(sets, at, row, axis=0), np.insert(scores, at, score)), at


def candidate_parents(scorer: SetScorer, count: int, monitor: Monitor) -> np.ndarray:
    """The variables with the largest pairwise gains for each variable.

    Parameters
    ----------
    scorer
    count
        Less than n.
    monitor

    Returns
    -------
    int64[n, count]
        Ascending.
    """
    gains = pair_gains(scorer, monitor.map, monitor.may_go_on, monitor.reporter.phase("pairs of variables"))
    chosen, left_out = np.zeros((scorer.n, count), np.int64), 0
    for v in range(scorer.n):
        row = gains[v]
        row[v] = -np.inf
        if count:
            chosen[v] = np.sort(np.argpartition(-row, count - 1)[:count])
        left_out += int(np.count_nonzero(row > 0.0) - np.count_nonzero(row[chosen[v]] > 0.0))
    LOG.info("%d candidate parents each; %d pairs that gain are left out", count, left_out)
    return chosen


def searched_block(
    scores: Any,
    scratch: Any,
    work: SearchScratch,
    v: int,
    candidates: np.ndarray,
    most: int,
    n_rows: float,
    stop: np.ndarray,
) -> Block:
    """The useful parent sets found for one variable.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    work : SearchScratch
    v : int
    candidates : int64[c], ascending
    most, n_rows, stop
        See `search_parents`.

    Returns
    -------
    (int32[m, most], float64[m])
        By decreasing score.
    """
    count = search_parents(scores, scratch, work, v, candidates, most, n_rows, stop)
    found, values = work.sets[:count], work.scores[:count]
    order = np.lexsort((found, np.bitwise_count(found), -values))
    parents, out = np.empty((count, most), np.int32), np.empty(count)
    kept = keep_useful(work, order, candidates, parents, out)
    return parents[:kept].copy(), out[:kept].copy()


def search_scratch(scorer: SetScorer, candidates: int, sets: int) -> SearchScratch:
    """SearchScratch for this many candidates and sets."""
    sets = max(sets, candidates + 1)
    room = sets * max(1, candidates)
    return SearchScratch(
        bits=np.zeros(scorer.words, np.uint64),
        single=np.zeros(64),
        estimates=np.zeros(room),
        waiting=np.zeros(room, np.uint64),
        seen=np.zeros(1 << (2 * room).bit_length(), np.uint64),
        sets=np.zeros(sets, np.uint64),
        scores=np.zeros(sets),
    )


def compile_search(scorer: SetScorer, most: int = 0) -> None:
    """Run the kernels for one set, so that none is compiled in a thread."""
    work, none = search_scratch(scorer, 0, 1), np.zeros(0, np.int64)
    searched_block(scorer.scores, scorer.scratch[0], work, 0, none, most, 1, np.zeros(1, np.int64))
