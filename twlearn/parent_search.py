"""Parent sets by search, if there are too many to score them all.

The candidate parents of a variable are the variables with the largest pairwise gains, found among all pairs (on bit
planes if there are few states, see `common.scores.spanning`); among these, parent sets are searched best first
(`twlearn.parent_search_kernels`). So the memory is bounded: `SETS_PER_VARIABLE` scored sets per variable, and n^2
numbers for the pairs. The search can miss a parent that is informative only together with others, unless it is among
the first `CANDIDATES` anyway, and sets with low estimates. The number of pairs with positive gain that were left out
is logged.

Cost: all pairs, O(n^2 rows / 64) on bit planes; then at most `SETS_PER_VARIABLE` n family scores, O(rows) each.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains, pair_gains
from ..common.sets.bitset import bit_set
from .known_families import PARTNER, Block, candidates_of, marks_of, useful
from .parent_search_kernels import SearchScratch, keep_useful, search_parents

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.graphs.knowledge import Knowledge
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config

LOG = logging.getLogger("cliquewise")
CANDIDATES = 24  # per variable, at most `MAX_CANDIDATES`
MAX_CANDIDATES = 64  # with the ends of required edges
SETS_PER_VARIABLE = 400  # scored per variable
BATCH_VARIABLES = 64  # variables between two checks of the room in the score table


def searched_blocks(dataset: Dataset, scoring: Scoring, config: Config, monitor: Monitor) -> list[Block] | None:
    """The useful parent sets found by a search.

    Parameters
    ----------
    dataset, scoring
    config
        At most `parent_sets` sets are scored per variable, including the empty set, if not given `SETS_PER_VARIABLE`;
        all single candidates always are. Under prior knowledge only possible sets are scored, and an empty one where
        others are required. The sets of the template are added.
    monitor
        Checked from time to time; if it stops the run, the result is None.

    Returns
    -------
    list of (int32[m, max_parents], float64[m]) or None
        For each variable its sets by decreasing score, ascending and padded with -1, the empty set last.
    """
    known, max_parents = config.known, min(config.largest_parent_set, dataset.n - 1)
    scorer = SetScorer(dataset, scoring, config.cache_mb, monitor.threads)
    monitor.compile(partial(compile_pair_gains, scorer), partial(compile_search, scorer, max_parents))
    count = min(CANDIDATES, scorer.n - 1)
    chosen = candidate_parents(scorer, count, monitor, known) if max_parents else [np.zeros(0, np.int64)] * scorer.n
    progress = monitor.reporter.phase("parent sets")
    sizes = max(map(len, chosen)), config.parent_sets or SETS_PER_VARIABLE
    idle = [ParentSearch(scorer, dataset.total, sizes, known, t, monitor.stop.flag) for t in range(monitor.threads)]

    def block(v: int) -> Block:
        search = idle.pop()
        found = search.block(v, chosen[v], max_parents)
        idle.append(search)
        return found

    blocks = []
    for first in range(0, scorer.n, BATCH_VARIABLES):
        if not monitor.should_continue():
            return None
        scorer.make_room()
        blocks += monitor.map(block, range(first, min(scorer.n, first + BATCH_VARIABLES)))
        progress(len(blocks) / scorer.n)
    for v, own in enumerate(() if config.template is None else config.template.parents):
        if len(own) <= max_parents and (known is None or known.admits(v, own)):
            blocks[v], _ = with_family(blocks[v], own, scorer.score((*own, v)) - scorer.score(own))
    return blocks if monitor.should_continue() else None


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


def candidate_parents(scorer: SetScorer, count: int, monitor: Monitor, known: Knowledge | None) -> list[np.ndarray]:
    """The variables with the largest pairwise gains for each variable, and the ends of required edges.

    Parameters
    ----------
    scorer
    count
        Less than n.
    monitor

    Returns
    -------
    list of int64[c]
        Ascending; those that may be parents.
    """
    gains = pair_gains(scorer, monitor.map, monitor.should_continue, monitor.reporter.phase("pairs of variables"))
    chosen, left_out = [], 0
    for v in range(scorer.n):
        chosen.append(best_candidates(gains[v], v, count, known))
        left_out += int(np.count_nonzero(gains[v] > 0.0) - np.count_nonzero(gains[v][chosen[v]] > 0.0))
    LOG.info("%s each; pairs that gain and are left out: %d", counted(count, "candidate parent"), left_out)
    return chosen


def best_candidates(gains: np.ndarray, v: int, count: int, known: Knowledge | None) -> np.ndarray:
    """A variable's possible parents with the largest pairwise gains, and the ends of required edges: int64[c].

    Parameters
    ----------
    gains : float64[n], changed: minus infinity for impossible parents
    count
        How many, at most.
    """
    possible = candidates_of(known, v, len(gains))
    impossible = np.ones(len(gains), bool)
    impossible[possible] = False
    gains[impossible] = -np.inf
    count = min(count, len(possible))
    if not count:
        return np.zeros(0, np.int64)
    chosen = np.sort(np.argpartition(-gains, count - 1)[:count])
    if known is None:
        return chosen
    ends = [u for u in known.partners(v) if known.may[u, v]]
    return np.union1d(chosen[: MAX_CANDIDATES - len(ends)], ends).astype(np.int64)[:MAX_CANDIDATES]


class ParentSearch:
    """Searches for the parent sets of one variable after another, by one thread.

    Parameters
    ----------
    scorer
    n_rows
        Of the data, the sum of their weights.
    sizes : (int, int)
        Most candidates of a variable, and sets that are scored for it; all single candidates are.
    known
        Prior knowledge about arcs.
    thread
        Whose scratch of the scorer is used.
    stop : int64[1], optional
        No more sets are scored once it is not zero.
    """

    def __init__(
        self,
        scorer: SetScorer,
        n_rows: float,
        sizes: tuple[int, int],
        known: Knowledge | None = None,
        thread: int = 0,
        stop: np.ndarray | None = None,
    ) -> None:
        self.scorer = scorer
        self.n_rows = float(n_rows)
        self.known = known
        self._scratch = scorer.scratch[thread]
        self._work = _search_scratch(scorer, *sizes)
        self._stop = np.zeros(1, np.int64) if stop is None else stop

    def block(self, v: int, candidates: np.ndarray, max_parents: int) -> Block:
        """The useful parent sets found for one variable.

        Under knowledge about arcs there is one search for the sets that contain all required parents, and one for each
        end of a required edge with it.

        Parameters
        ----------
        v
        candidates : int64[c], ascending
        max_parents
            Largest number of parents.

        Returns
        -------
        (int32[m, max_parents], float64[m])
            By decreasing score.
        """
        known = self.known
        if known is None or not (known.arcs or known.edges):
            return self._with_base(v, candidates, max_parents)
        own, marks = known.parents(v), marks_of(known, v, self.scorer.n)
        ends = [u for u in known.partners(v) if known.may[u, v] and len(own) < max_parents]
        parts = [
            self._with_base(v, candidates, max_parents, (*own, *more), marks) for more in ((), *((u,) for u in ends))
        ]
        if own:
            parts.append((np.full((1, max_parents), -1, np.int32), np.array([self.scorer.score((v,))])))
        sets, scores = (np.concatenate(one) for one in zip(*parts, strict=True))
        _, first = np.unique(sets, axis=0, return_index=True)
        sets, scores = sets[first], scores[first]
        kept = useful(sets, scores, np.flatnonzero(marks))
        kept.sort(key=lambda i: -scores[i])
        return sets[kept], scores[kept]

    def _with_base(
        self,
        v: int,
        candidates: np.ndarray,
        max_parents: int,
        base: tuple[int, ...] = (),
        marks: np.ndarray | None = None,
    ) -> Block:
        """The useful parent sets found that contain a base; marks, uint8[n], are those of `known_families.marks_of`."""
        work = self._work
        candidates = np.setdiff1d(candidates, base)
        work.bits[:] ^= bit_set(base, len(work.bits))
        more = max_parents - len(base)
        scores = self.scorer.scores, self._scratch
        count = search_parents(*scores, work, v, candidates, more, self.n_rows, self._stop)
        work.bits[:] = 0
        found, values = work.sets[:count], work.scores[:count]
        order = np.lexsort((found, np.bitwise_count(found), -values))
        parents, out = np.empty((count, more), np.int32), np.empty(count)
        ends = () if marks is None else np.flatnonzero(marks[candidates] == PARTNER).tolist()
        fixed = np.uint64(sum(1 << i for i in ends))
        kept = keep_useful(work, order, candidates, fixed, parents, out)
        return _joined(parents[:kept], base), out[:kept].copy()


def _joined(parents: np.ndarray, base: tuple[int, ...]) -> np.ndarray:
    """Parent sets with some more members, again ascending and padded with -1: int32[m, k + len(base)]."""
    if not base:
        return parents.copy()
    last = np.iinfo(np.int32).max
    more = np.tile(np.array(base, np.int32), (len(parents), 1))
    wide = np.concatenate([np.where(parents < 0, last, parents), more], axis=1)
    wide.sort(axis=1)
    return np.where(wide == last, -1, wide).astype(np.int32)


def _search_scratch(scorer: SetScorer, candidates: int, sets: int) -> SearchScratch:
    """SearchScratch for this many candidates and sets."""
    sets = max(sets, candidates + 1)
    capacity = sets * max(1, candidates)
    return SearchScratch(
        bits=np.zeros(scorer.words, np.uint64),
        single=np.zeros(64),
        estimates=np.zeros(capacity),
        waiting=np.zeros(capacity, np.uint64),
        seen=np.zeros(1 << (2 * capacity).bit_length(), np.uint64),
        sets=np.zeros(sets, np.uint64),
        scores=np.zeros(sets),
    )


def compile_search(scorer: SetScorer, max_parents: int = 0) -> None:
    """Run the kernels for one set, so that none is compiled in a thread."""
    ParentSearch(scorer, 1, (0, 1)).block(0, np.zeros(0, np.int64), max_parents)
