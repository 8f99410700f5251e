"""Scores of all sets of up to `largest` variables of a data set, on all cores.

The walk of `common.scores.all_scores_kernels` is cut into tasks, each a set with everything that goes on from it,
small enough that threads finish together and that an interruption is heeded soon. Variables of many states
come first in the walk: they split the rows early, and the last few leave few rows that differ.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from cliquewise.common.kernel_cache import announced
from cliquewise.common.scores.all_scores_kernels import Levels, Walk, walk_sets
from cliquewise.common.scores.scorer import KINDS, counting_scratch, counting_table
from cliquewise.common.search.machine import available_cores
from cliquewise.common.sets.set_orders import set_count, set_counts, set_tasks

MOST_SUFFIXES = 1024  # more are never merged into fewer rows
LARGEST_TASK = 1 << 26  # sets times rows: a task takes well below a second


def all_scores(data, score_type, ess, largest, threads=None, on_progress=None, may_go_on=lambda: True):
    """The scores of all sets of at most `largest` variables.

    Parameters
    ----------
    data : Dataset
    score_type : str
        bdeu, bic or ll.
    ess : float
        Equivalent sample size of BDeu, > 0.
    largest : int
        1 <= largest <= n_vars.
    threads : int or None
        None is all cores.
    on_progress : callable or None
        Called with the number of sets done so far.
    may_go_on : callable
        Asked between tasks, from several threads; the rest is left out once it says no.

    Returns
    -------
    float64[set_count(n_vars, largest)]
        Natural logarithms in colex order; the empty set's 0 first.
    """
    n = data.n_vars
    table = counting_table(data)
    order = walk_order(data)
    scores = np.zeros(set_count(n, largest))
    below = set_counts(n, largest)
    kind, ln_arity = KINDS[score_type], np.log(table.arity)
    walk = Walk(table, kind, float(ess), order, ln_arity, below, *_suffixes(table, order), scores)
    threads = threads or available_cores()
    idle = [(_levels(table, largest), counting_scratch(table)) for _ in range(threads)]

    def run(task):
        prefix, alone, count = task
        if may_go_on():
            levels, scratch = idle.pop()
            walk_sets(walk, levels, scratch, np.array(prefix, np.int64), len(prefix), alone)
            idle.append((levels, scratch))
        return count

    todo = list(set_tasks(n, largest, LARGEST_TASK // data.n_rows))
    with announced(f"all scores, {table.columns.dtype}"):
        done = 1 + run(todo[0])
    with ThreadPoolExecutor(threads) as pool:
        for count in pool.map(run, todo[1:]):
            done += count
            if on_progress is not None:
                on_progress(done)
    return scores


def walk_order(data):
    """The variables of a Dataset by falling entropy: int64[n_vars]."""
    entropy = []
    for v in range(data.n_vars):
        share = np.bincount(data.codes[:, v]) / data.n_rows
        share = share[share > 0]
        entropy.append(-(share * np.log(share)).sum())
    return np.argsort(-np.array(entropy), kind="stable")


def _suffixes(table, order):
    """The different rows on the last variables: see `suffixes`, `suffix` and `example` of Walk."""
    suffixes = np.zeros(len(order), np.int64)
    number, suffix, example = np.zeros(table.columns.shape[1], np.int64), [], []
    for after, v in enumerate([None, *order[:0:-1]]):
        if v is not None:
            number = number * table.arity[v] + table.columns[v]
        _, first, number = np.unique(number, return_index=True, return_inverse=True)
        if len(first) > MOST_SUFFIXES:
            break
        suffixes[after] = len(first)
        suffix.append(number.astype(np.int32))
        example.append(np.resize(first, MOST_SUFFIXES).astype(np.int32))
    return suffixes, np.array(suffix), np.array(example)


def _levels(table, largest):
    """One thread's stack, its level 0 the empty set."""
    shape = largest + 1
    rows = table.columns.shape[1]
    levels = Levels(
        rows=np.zeros((shape, rows + 1), np.int32),
        code=np.zeros((shape, rows + 1), np.int32),
        weight=np.ones((shape, rows + 1), np.int32),
        held_by=np.zeros(shape, np.int64),
        active=np.zeros(shape, np.int64),
        cells=np.zeros(shape, np.int64),
        singles=np.zeros(shape, np.int64),
        following=np.zeros(shape, np.int64),
        members=np.zeros((shape, shape), np.int64),
        ln_q=np.zeros(shape),
    )
    levels.rows[0, :rows] = np.arange(rows)
    levels.weight[0, : len(table.weights)] = table.weights
    levels.active[0], levels.cells[0] = rows, 1
    return levels
