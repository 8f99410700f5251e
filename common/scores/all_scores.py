"""Scores of all sets of up to `largest` variables of a data set, on all cores.

The walk of `common.scores.all_scores_kernels` is divided into tasks, each a set with all its descendants, small enough
that threads finish together and an interruption takes effect soon. Variables with many states are visited first: they
split the rows early, and the last variables have few distinct rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.dataset import Dataset
from ..run.resources import available_cores
from ..sets.set_orders import colex_masks, set_count, set_counts, set_tasks
from .all_scores_kernels import Levels, Walk, walk_sets
from .scorer import code_type, counting_scratch, counting_table, formula_of, table_of
from .scoring import BDEU_1, Scoring

if TYPE_CHECKING:
    from ..files.scorefile import CliqueScores
    from ..files.shard import Shard
    from ..run.monitor import Monitor
    from .counting_kernels import CountingTable

MAX_SUFFIXES = 1024  # with more suffixes, rows are never merged
MAX_TASK_CELLS = 1 << 26  # sets times rows: a task takes well below a second


def all_scores(
    data: Dataset,
    scoring: Scoring,
    largest: int,
    threads: int | None = None,
    on_progress: Callable | None = None,
    should_continue: Callable = lambda: True,
    table: CountingTable | None = None,
    shard: Shard | None = None,
) -> np.ndarray:
    """The scores of all sets of at most `largest` variables.

    Parameters
    ----------
    largest
        1 <= largest <= n_vars.
    threads
        None is all cores.
    on_progress
        Called with the number of sets done so far.
    should_continue
        Called between tasks, from several threads; once it returns False, the remaining tasks are skipped.
    table
        Of the data, if it already exists.
    shard
        The part of the tasks to do.

    Returns
    -------
    float64[set_count(n_vars, largest)]
        Natural logarithms in colex order; the empty set's 0 first. NaN for the sets of other parts.
    """
    n = data.n
    table = counting_table(data) if table is None else table
    order = walk_order(data)
    scores = np.full(set_count(n, largest), np.nan)
    scores[0] = 0.0
    counts_below = set_counts(n, largest)
    formula, ln_arity = formula_of(scoring, n, data.total, data.denominator), np.log(table.arity)
    suffixes, suffix, example = _suffixes(table, order)
    walk = Walk(table, formula, order, ln_arity, counts_below, suffixes, suffix, example, scores)
    threads = threads or available_cores()
    idle = [(_levels(table, largest), counting_scratch(table)) for _ in range(threads)]

    def run(task: tuple[tuple[int, ...], bool, int]) -> int:
        prefix, alone, count = task
        if should_continue():
            levels, scratch = idle.pop()
            walk_sets(walk, levels, scratch, np.array(prefix, np.int64), len(prefix), alone)
            idle.append((levels, scratch))
        return count

    todo: Sequence = list(set_tasks(n, largest, MAX_TASK_CELLS // table.columns.shape[1]))
    if shard is not None:
        todo = shard.stride(todo)
    done = 1 + sum(run(task) for task in todo[:1])  # in this thread, in case kernels are compiled
    with ThreadPoolExecutor(threads) as pool:
        for count in pool.map(run, todo[1:]):
            done += count
            if on_progress is not None:
                on_progress(done)
    return scores


def scores_within(
    source: Dataset | CliqueScores, scoring: Scoring, largest: int, monitor: Monitor
) -> tuple[np.ndarray, np.ndarray]:
    """The scores of all sets of at most `largest` variables, computed from data or taken from a file.

    Parameters
    ----------
    scoring
        Of scores from a file only the prior is used.
    largest
        1 <= largest <= source.max_size.
    monitor
        Receives the progress; if it stops the run, the remaining sets are skipped.

    Returns
    -------
    (uint64[m], float64[m])
        Masks, in colex order for data and as in the file otherwise, and their scores.
    """
    if not isinstance(source, Dataset):
        kept = np.bitwise_count(source.masks) <= largest
        return source.masks[kept], source.scores[kept] + scoring.prior.added(source.masks[kept])
    masks = colex_masks(source.n, largest)

    def progress(done: int) -> None:
        monitor.reporter.progress(f"scores: {done:,} of {len(masks):,}", done, len(masks))

    return masks, all_scores(source, scoring, largest, monitor.threads, progress, monitor.should_continue)


def compile_all_scores(source: Dataset | CliqueScores) -> None:
    """Compile the kernels for the scores of a source: score one variable of one row.

    Parameters
    ----------
    source : Dataset or CliqueScores
    """
    if isinstance(source, Dataset):
        one = Dataset(("v",), (("0",),), np.zeros((1, 1), np.uint8))
        table = table_of(np.zeros((1, 1), code_type(source)), np.zeros(0, np.int32), one.arity)
        all_scores(one, BDEU_1, 1, 1, table=table)


def walk_memory(table: CountingTable, largest: int, threads: int) -> int:
    """Approximate bytes that `all_scores` needs besides the table and the scores.

    Every thread has three numbers per row and level, and room for the counts of the largest sets.

    Parameters
    ----------
    largest
        Size of the largest sets.
    """
    rows = table.columns.shape[1]
    arities = sorted(table.arity.tolist(), reverse=True)
    capacity = 4 * max(256, rows)
    cells = [min(capacity, prod(arities[:size])) for size in (largest, largest - 1)]
    ends = sum(prod(arities[-size:]) <= MAX_SUFFIXES for size in range(1, len(arities))) + 1
    return 4 * rows * ends + max(32 * rows, threads * (12 * largest * rows + 4 * sum(cells)))


def walk_order(data: Dataset) -> np.ndarray:
    """The variables of a Dataset by decreasing entropy: int64[n_vars]."""
    entropy = []
    for v in range(data.n):
        share = np.bincount(data.codes[:, v], data.weights) / data.total
        share = share[share > 0]
        entropy.append(-(share * np.log(share)).sum())
    return np.argsort(-np.array(entropy), kind="stable")


def _suffixes(table: CountingTable, order: np.ndarray) -> tuple[Any, ...]:
    """The distinct rows on the last variables: see `suffixes`, `suffix` and `example` of Walk."""
    suffixes = np.zeros(len(order), np.int64)
    number = np.zeros(table.columns.shape[1], np.int64)
    example = []
    suffix: list[Any] = []
    for after, v in enumerate([None, *order[:0:-1]]):
        if v is not None:
            number = number * table.arity[v] + table.columns[v]
        _, first, number = np.unique(number, return_index=True, return_inverse=True)
        if len(first) > MAX_SUFFIXES:
            break
        suffixes[after] = len(first)
        suffix.append(number.astype(np.int32))
        example.append(np.resize(first, MAX_SUFFIXES).astype(np.int32))
    together = np.empty((len(suffix), len(number)), np.int32)
    for after in range(len(suffix)):  # one at a time: never two copies in memory
        together[after], suffix[after] = suffix[after], None
    return suffixes, together, np.array(example)


def _levels(table: CountingTable, largest: int) -> Levels:
    """One thread's stack, its level 0 the empty set."""
    shape = largest + 1
    rows = table.columns.shape[1]
    levels = Levels(
        rows=np.zeros((shape, rows + 1), np.int32),
        code=np.zeros((shape, rows + 1), np.int32),
        weight=np.zeros((shape, rows + 1), table.weights.dtype),
        held_by=np.zeros(shape, np.int64),
        active=np.zeros(shape, np.int64),
        cells=np.zeros(shape, np.int64),
        singles=np.zeros(shape, np.int64),
        following=np.zeros(shape, np.int64),
        members=np.zeros((shape, shape), np.int64),
        ln_q=np.zeros(shape),
    )
    levels.rows[0, :rows] = np.arange(rows)
    levels.weight[0] = 1
    levels.weight[0, : len(table.weights)] = table.weights
    levels.active[0], levels.cells[0] = rows, 1
    return levels
