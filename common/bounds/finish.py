"""Finish a proof by the dynamic program, where few sets are left and the linear program makes no progress.

Data with few rows have many tied networks. Then the cutting planes of `common.bounds.cutting` find rows that only
separate tied solutions, and branching meets the same ties in every part. But the bound has removed families. Over the
remaining sets, and the states that a network as good as the best known one can pass through, the dynamic program of
`common.exact.recurrences` finds the best network of the part, if it is as good. Each required edge adds a bonus to the
scores of all sets that contain it, so that a network without it is worse than all with it.

Cost: after r rounds of the linear program, it is tried only if the bounds of the states take at most r^2 `FIRST_STEPS`
steps, and there are at most r^2 `FIRST_STATES` states in `MAX_BYTES`. So its time grows with that of the program, and
is mostly shorter.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from ..counted import counted
from ..errors import LimitError
from ..exact.backtrack import compile_recurrences, optimal_network
from ..exact.dense_scores import score_of
from ..exact.recurrences import fill
from ..exact.tables import allocate, most_bytes_needed
from .row_program import StoppedError
from .separated_states import compile_separations, separated_states, steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..run.monitor import Monitor
    from .families import FamilyPool
    from .incumbent import Incumbent

LOG = logging.getLogger("cliquewise")
FIRST_STEPS = 2**23  # a thirtieth of a second of one core; half a second in the fourth round
FIRST_STATES = 2**16  # a thirtieth of a second
MAX_BYTES = 2_000_000_000
MAX_VARIABLES = 22  # an array of all sets is small beside the tables


def most_bytes(n: int, largest: int) -> int:
    """The most memory that `finish` takes for n variables and sets of up to `largest`."""
    return min(MAX_BYTES, most_bytes_needed(n, largest, lists=True)) if n <= MAX_VARIABLES else 0


def finishing_tasks(n: int) -> list[Callable]:
    """The tasks for `Monitor.compile`: the kernels that `finish` may need for n variables."""
    return [compile_separations, compile_recurrences] if n <= MAX_VARIABLES else []


def finish(pool: FamilyPool, incumbent: Incumbent, rounds: int, monitor: Monitor) -> bool:
    """Find the best network of the families that are left, if the dynamic program can do it soon.

    Parameters
    ----------
    pool
        Of a part of the problem.
    incumbent
        Takes the best network of the part, if that is better.
    rounds
        Of the linear program of the part.

    Returns
    -------
    bool
        Whether it was done; if so, the part contains nothing better than `incumbent`.

    Raises
    ------
    StoppedError
        The monitor stopped it.
    """
    n = pool.n
    if n > MAX_VARIABLES:
        return False
    sets, scores = pool.sets_left()
    masks = sets.astype(np.int64)
    if steps(n, masks) > FIRST_STEPS * rounds**2:
        return False
    dense = np.full(1 << n, -np.inf)
    dense[masks] = scores
    bonus = 2.0 * n * (1.0 + np.ptp(scores))  # the families of a network gain at most n times the range of scores
    having = sum((masks & edge == edge).astype(np.int64) for edge in incumbent.required)
    favoured = dense.copy()
    favoured[masks] += bonus * having
    lowest = incumbent.score + bonus * len(incumbent.required)
    try:
        states = separated_states(n, favoured, masks, lowest, monitor, MAX_BYTES)
    except LimitError:
        return False
    if not monitor.should_continue():
        raise StoppedError
    if states.total > FIRST_STATES * rounds**2 or states.table_bytes > MAX_BYTES:
        return False
    size = f"{counted(states.total, 'state')} of {counted(len(masks), 'set')}"
    LOG.info("the dynamic program finishes the proof: %s", size)
    tables = allocate(favoured, states)
    if not fill(tables, monitor):
        raise StoppedError
    graph, _ = optimal_network(tables)
    if graph is not None:
        incumbent.offer(graph, score_of(graph, dense))
    return True
