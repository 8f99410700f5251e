"""Scores of any set of variables, from data or a score file, fast and from many threads.

`SetScorer` contains the records that the kernels need (`SetScores`), one scratch area per thread, and the memory limit.
Scores of data are computed on first use; scores of a file are all stored at once, and a set that is not in the file
scores minus infinity, so `largest_set` is a bound on cliques.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counted import counted
from ..data.counts import MAX_ROWS
from ..data.dataset import Dataset
from ..data.incomplete import IncompleteData
from ..data.merging import distinct_rows
from ..errors import LimitError
from ..graphs.chordal import bit_rows
from ..graphs.edge_prior import log_odds
from ..run.free_threads import on_free_threads
from ..run.resources import check_fits
from ..sets.bitset import bit_set, bit_sets, induced
from ..sets.bitset_kernels import words_for
from ..sets.set_orders import set_count, set_tasks
from .allowed import allowed_graph, allowed_rows, complete_sets
from .bit_planes import FEW_STATES, bit_planes, plane_places
from .counting_kernels import LEVELS, PATTERN, CountingScratch, CountingTable
from .regret import log_regrets, whole_rows
from .score_cache_kernels import (
    COMPUTED,
    STORED,
    ScoreScratch,
    SetScores,
    compute_sets,
    move_entries,
    score_of,
    store_all,
)
from .score_kernels import AIC, BDEU, BIC, LANES, LOG_LIKELIHOOD, QNML, SMALL_COUNT, Formula
from .scoring import BDEU_1, Scoring

if TYPE_CHECKING:
    from ..files.scorefile import CliqueScores
    from ..graphs.graph import Graph

LOG = logging.getLogger("cliquewise")
KINDS = {"bdeu": BDEU, "bic": BIC, "ll": LOG_LIKELIHOOD, "aic": AIC, "ebic": BIC, "qnml": QNML}
ENTRY_BYTES = 24
FIRST_SLOTS = 1 << 16
MAX_TASK_CELLS = 1 << 23  # sets times (rows and variables): computed between two checks of the clock


def counting_table(dataset: Dataset) -> CountingTable:
    """The data in the form of the kernels: equal rows merged, rows of larger weight than 1 first.

    Raises
    ------
    TypeError
        Data with missing cells: an error of the program, they must be completed first.
    """
    if isinstance(dataset, IncompleteData):
        raise TypeError("data with missing cells have no counts")
    chosen, counts = (slice(None), dataset.counts) if dataset.counts is not None else distinct_rows(dataset)
    columns = np.empty((dataset.n, len(counts)), code_type(dataset))
    for v in range(dataset.n):
        columns[v] = dataset.codes[chosen, v]
    heavy = int(np.count_nonzero(counts > 1))
    weight_type = np.int64 if counts.sum() > MAX_ROWS else np.int32  # a compiled kernel for each
    return table_of(columns, counts[:heavy].astype(weight_type), dataset.arity)


def table_of(columns: np.ndarray, weights: np.ndarray, arity: np.ndarray) -> CountingTable:
    """A CountingTable with its bit planes, which take no more memory than the columns.

    Parameters
    ----------
    columns, weights, arity
        See CountingTable.
    """
    first_plane, count = plane_places(arity, arity <= FEW_STATES)
    planes = bit_planes(columns[:, len(weights) :], arity, first_plane, count)
    return CountingTable(columns, weights, arity, planes, first_plane)


def code_type(dataset: Dataset) -> Any:
    """The dtype of codes in kernels' tables."""
    return np.dtype(np.uint8 if dataset.arity.max(initial=1) <= 256 else np.int32)


def formula_of(scoring: Scoring, n: int, total: float, denominator: float = 1) -> Formula:
    """A score in the form of the kernels.

    Parameters
    ----------
    n
        Number of variables.
    total
        Of the data, see Dataset; 0 for scores from a file.
    denominator
        Of the data's counts.

    Raises
    ------
    LimitError
        No memory for the probabilities of all pairs.
    """
    prior = scoring.prior
    each = log_odds(scoring.prior.probability)
    pairs = np.zeros((0, 0))
    if prior.pairs:
        check_fits(8 * n * n, None, f"a prior on the edges of {n} variables", "leave --edge-priors out")
        pairs = np.zeros((n, n))
        for (u, v), probability in prior.pairs.items():
            pairs[u, v] = pairs[v, u] = log_odds(probability) - each
    if scoring.score_type == "ebic":
        each -= 2.0 * scoring.gamma * math.log(n)
    regrets = log_regrets(whole_rows(total)) if scoring.score_type == "qnml" and total else np.zeros(1)
    return Formula(KINDS[scoring.score_type], float(scoring.ess), regrets, each, pairs, float(denominator))


def slots_within(cache_mb: int) -> int:
    """Number of scores that fit in this many megabytes: a power of two."""
    return 1 << max(10, (cache_mb * 1_000_000 // ENTRY_BYTES).bit_length() - 1)


def cache_bytes(cache_mb: int) -> int:
    """Largest memory of the scores of a SetScorer in bytes: their table, plus the previous one while it is doubled."""
    return slots_within(cache_mb) * ENTRY_BYTES * 3 // 2


def bytes_of_scores(source: Any, largest: int | None = None) -> float:
    """Bytes of a SetScorer that stores all scores, with its table at least a quarter full; as `cache_bytes`.

    Parameters
    ----------
    largest
        Size of the largest sets used.
    """
    return 4.0 * max(source.score_count(largest), FIRST_SLOTS // 4) * ENTRY_BYTES * 3 / 2


def scorer_bytes(source: Any, threads: int) -> int:
    """Approximate bytes of a SetScorer without its scores."""
    rows = source.n_stored
    if rows == 0:
        return 0
    capacity = max(1024, 4 * rows)
    slots = 1 << (capacity - 1).bit_length()
    return table_bytes(source) + 4 * threads * (3 * max(rows, 1024) + capacity + slots)


def table_bytes(dataset: Dataset) -> int:
    """Bytes that the CountingTable of a Dataset takes: its columns and bit planes."""
    rows, few = dataset.n_stored, dataset.arity[dataset.arity <= FEW_STATES]
    return rows * dataset.n * code_type(dataset).itemsize + 8 * int(few.sum()) * -(-rows // 64)


class SetScorer:
    """Scores of sets of variables.

    Parameters
    ----------
    scoring
        Of scores from a file only the prior is used.
    cache_mb
        Memory limit of the score table, in megabytes.
    threads
        Number of scratch areas.
    allowed
        Sets with a pair that is no edge of this graph score minus infinity; None: all pairs are allowed.
    forbidden
        Sets with a pair that is an edge of this graph also score minus infinity.
    required
        Edges that no move may remove.

    Attributes
    ----------
    n : int
        Number of variables.
    words : int
        Number of 64-bit words per set.
    largest_set : int
        No larger set has a finite score.
    scores : SetScores
    scratch : list of ScoreScratch, one per thread
    """

    def __init__(
        self,
        source: Any,
        scoring: Scoring = BDEU_1,
        cache_mb: int = 1024,
        threads: int = 1,
        allowed: Graph | None = None,
        forbidden: Graph | None = None,
        required: Graph | None = None,
    ) -> None:
        from_data = isinstance(source, Dataset)
        self.n = source.n
        self.words = words_for(self.n)
        self.largest_set = source.max_size
        self.bound = slots_within(cache_mb)
        self.full = False
        if from_data:
            table = counting_table(source)
        else:
            arity = np.ones(self.n, np.int64)
            table = table_of(np.zeros((self.n, 0), np.uint8), np.zeros(0, np.int32), arity)
        entries = np.zeros((min(FIRST_SLOTS, self.bound), 3), np.uint64)
        keys = _keys(self.n)
        constant = (0,) * min(self.words, 2)
        near = allowed_rows(allowed, self.n, forbidden)
        kept = np.zeros_like(near) if required is None else bit_rows(required, self.n)
        of_rows = (source.total, source.denominator) if from_data else (0,)
        formula = formula_of(scoring, self.n, *of_rows)
        self.scores = SetScores(table, formula, from_data, near, kept, keys, entries, constant)
        self.scratch = [_scratch(table) for _ in range(threads)]
        if not from_data:
            self._store_file(source, scoring, cache_mb, allowed_graph(allowed, forbidden, self.n))

    @property
    def computed(self) -> int:
        """Number of scores computed so far."""
        return sum(int(scratch.counters[COMPUTED]) for scratch in self.scratch)

    def score(self, members: Sequence[int], thread: int = 0) -> float:
        """Score of an iterable of variables, natural log, in the work space of a thread."""
        return score_of(self.scores, self.scratch[thread], self.bits_of(members))

    def compile(self) -> None:
        """Compile the kernels of single scores and of a table that grows."""
        self.score(())
        move_entries(self.scores.entries[:0], self.scores, self.scratch[0])

    def bits_of(self, members: Sequence[int]) -> np.ndarray:
        """Some variables as a set, uint64[words]."""
        return bit_set(members, self.words)

    def restricted(self, members: np.ndarray, complete: Sequence[tuple[int, ...]]) -> SetScores:
        """The same scores for chains on some of the variables, with the same cache.

        Parameters
        ----------
        members : int64[k], ascending
        complete
            Sets of them whose edges no move may remove, in addition to the required edges.

        Returns
        -------
        SetScores
            With more than 64 variables, the members are renumbered.
        """
        whole = self.scores
        ends = [pair for clique in complete for pair in itertools.permutations(clique, 2)]
        u, v = np.array(ends, np.int64).reshape(-1, 2).T
        if self.words == 1:
            required = (whole.required & bit_set(members, 1)) | bit_sets(u, v, self.n, 1)
            return whole._replace(required=required)
        columns = np.ascontiguousarray(whole.table.columns[members])
        few = {name: getattr(whole.table, name)[members] for name in ("arity", "first_plane")}
        k, (u, v) = len(members), np.searchsorted(members, (u, v))
        formula = whole.formula
        if len(formula.pairs):
            formula = formula._replace(pairs=np.ascontiguousarray(formula.pairs[np.ix_(members, members)]))
        return whole._replace(
            formula=formula,
            table=whole.table._replace(columns=columns, **few),
            allowed=induced(whole.allowed, members),
            required=induced(whole.required, members) | bit_sets(u, v, k, words_for(k)),
            keys=whole.keys[members],
        )

    def precompute(
        self,
        largest: int,
        parallel_map: Callable = map,
        should_continue: Callable = lambda: True,
        on_progress: Callable = lambda share: None,
    ) -> None:
        """Compute and store the scores of all sets of up to `largest` variables.

        Parameters
        ----------
        parallel_map
            Like `map`; a thread pool's `map` shares the work.
        should_continue
            Called several times per second, from several threads; once it returns False, the remaining sets are
            skipped.
        on_progress : callable taking a float
            The share of the scores that is done.

        Raises
        ------
        LimitError
            The scores exceed the limit of the table.
        """
        count = set_count(self.n, largest)
        slots = 1 << (2 * count - 1).bit_length()
        if slots > self.bound:
            need = slots * ENTRY_BYTES // 1_000_000 + 1
            raise LimitError(f"{count} scores of sets up to {largest} need --cache-mb {need}")
        while self.scores.entries.shape[0] < slots:
            self._double()
        LOG.info("computing %d scores of sets of up to %s", count, counted(largest, "variable"))
        threads = len(self.scratch)
        tasks = list(set_tasks(self.n, largest, MAX_TASK_CELLS // sum(self.scores.table.columns.shape)))
        done = [0] * threads
        stacks = np.zeros((threads, largest + 1), np.int64)

        def fill(i: int, t: int) -> None:
            (*before, last), alone, sets = tasks[i]
            more = 1 if alone else largest - len(before)
            compute_sets(self.scores, self.scratch[t], self.bits_of(before), stacks[t], more, last, self.n)
            done[t] += sets
            if t == 0:
                on_progress(sum(done) / count)

        on_free_threads(fill, len(tasks), threads, parallel_map, should_continue)

    def make_room(self, more: int = 0) -> None:
        """Double the table until it is at most half full, if the bound allows; call while no kernel runs.

        Parameters
        ----------
        more
            Scores that are expected before the next call.
        """
        while not self.full:
            slots = self.scores.entries.shape[0]
            stored = sum(int(scratch.counters[STORED]) for scratch in self.scratch)
            if 2 * (stored + more) <= slots:
                return
            if 2 * slots > self.bound:
                if 2 * stored <= slots:
                    return
                self.full = True
                size = slots * ENTRY_BYTES / 1e6
                LOG.info(
                    "score cache full at %.0f MB (%d sets); new scores now replace old ones; raise --cache-mb",
                    size,
                    stored,
                )
            else:
                self._double()

    def _double(self) -> None:
        old = self.scores.entries
        self.scores = self.scores._replace(entries=np.zeros((2 * old.shape[0], 3), np.uint64))
        for scratch in self.scratch:
            scratch.counters[STORED] = 0
        move_entries(old, self.scores, self.scratch[0])

    def _store_file(self, source: CliqueScores, scoring: Scoring, cache_mb: int, allowed: Graph | None) -> None:
        """Store all scores of a file, with the prior; all must fit."""
        scores = source.scores + scoring.prior.added(source.masks)
        if allowed is not None:
            scores = np.where(complete_sets(source.masks, allowed), scores, -np.inf)
        slots = 1 << (4 * len(source.masks) - 1).bit_length()
        while True:
            if slots > max(self.bound, FIRST_SLOTS):
                need = slots * ENTRY_BYTES // 1_000_000 + 1
                raise LimitError(f"{len(source.masks)} scores take {need} MB; --cache-mb {cache_mb} allows less")
            self.scores = self.scores._replace(entries=np.zeros((slots, 3), np.uint64))
            self.scratch[0].counters[STORED] = 0
            store_all(source.masks, scores, self.scores, self.scratch[0])
            if self.scratch[0].counters[STORED] == len(source.masks) - 1:  # all but the empty set
                return
            slots *= 2


def _keys(n: int) -> np.ndarray:
    """A pair of words per variable: its own bit for up to 128 variables, otherwise random (fixed seed)."""
    if n > 128:
        return np.random.default_rng(20201).integers(1, 2**64 - 1, (n, 2), dtype=np.uint64)
    keys = np.zeros((n, 2), np.uint64)
    for v in range(n):
        keys[v, v >> 6] = np.uint64(1 << (v & 63))
    return keys


def counting_scratch(table: CountingTable) -> CountingScratch:
    """Work space of one thread for counting the rows of a CountingTable; `CountingScratch` has the sizes."""
    rows = table.columns.shape[1]
    capacity = max(1024, 4 * rows)
    slots = 1 << (capacity - 1).bit_length()
    return CountingScratch(
        code=np.zeros(max(rows, 1024), np.int32),
        rows=np.zeros(max(rows, 1), np.int32),
        counts=np.zeros(capacity, table.weights.dtype),
        remap=np.zeros(slots, np.int32),
        opened=np.zeros(max(rows, 1), np.int32),
        of_count=np.zeros(LANES * SMALL_COUNT, np.int64),
        patterns=np.zeros((LEVELS, PATTERN), np.uint64),
        states=np.zeros(LEVELS, np.int64),
    )


def _scratch(table: CountingTable) -> ScoreScratch:
    """Work space of one thread for scores."""
    bits = np.zeros(1, np.uint64)
    members = np.zeros(table.columns.shape[0] + 2, np.int64)
    counters = np.zeros(2, np.int64)
    return ScoreScratch(counting_scratch(table), members, counters, bits, bits.view(np.float64))
