"""The best network over many random k-trees, on all cores: shared by S2 and S+K&P.

Iterations come in batches, each with its own random numbers, and the first of equally good batches wins: the same
seed and iterations give the same network whatever the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.graphs.chordal import perfect_elimination_order
from ..common.run.result import TIME_LIMIT
from ..common.run.state_record import StateRecord, ValueField, natural
from .known_start import start_of
from .result import NetworkState, result_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from .config import Config
    from .families import ScoredFamilies


@dataclass
class DrawnState(NetworkState):
    """The best network of the batches that are done, and their number."""

    batches: int = 0

    record = StateRecord(*NetworkState.record.fields, ValueField("batches", int, natural))


def best_of_ktrees(
    families: ScoredFamilies, config: Config, monitor: Monitor, draw: Callable, work: Callable, batch: int
) -> LearnResult:
    """Draw k-trees until the run ends.

    Parameters
    ----------
    monitor
        An iteration is a k-tree; at least one of seconds and iterations is limited.
    draw
        Takes a number, the work space, random uint64[4] and the stop array; returns how many were drawn. Stores the
        best network in the work space: `best` (float64[1]), `best_row`, `best_order` (int64[n]).
    work
        Creates the work space of a thread.
    batch
        Number of k-trees per batch.

    Returns
    -------
    LearnResult
        The network without arcs, or with the required ones alone, if none was better.
    """
    rows = families.start[1:] - 1
    order = tuple(range(families.n))
    if config.known is not None:
        start = start_of(config.known, config.treewidth, families.parents.shape[1], families)
        if start is not None:
            rows = np.array(rows_of(families, start.parents), np.int64)
            order = perfect_elimination_order(start.graph)
    done = 0
    best = (float(families.scores[rows].sum()), rows, order)
    if monitor.saved is not None:
        found = DrawnState.of(monitor.saved, families)
        done = found.batches
        best = float(families.scores[found.rows].sum()), found.rows, tuple(found.order)
    idle = [work() for _ in range(monitor.threads)]
    monitor.compile(partial(draw, 0, idle[0], np.zeros(4, np.uint64), monitor.stop.flag))
    monitor.start()

    def run(number: int, draws: int) -> tuple[int, tuple[float, np.ndarray, tuple[int, ...]]]:
        mine = idle.pop()
        state = np.random.SeedSequence((config.seed, number)).generate_state(4, np.uint64)
        done = draw(draws, mine, state, monitor.stop.flag)
        found = float(mine.best[0]), mine.best_row.copy(), tuple(mine.best_order.tolist())
        idle.append(mine)
        return done, found

    def state() -> dict[str, Any]:
        _, rows, order = best
        return DrawnState.record.save(DrawnState(families, np.asarray(rows), order, done))

    whole = True
    for drawn, found in monitor.batches(run, batch, done):
        best = max(best, found, key=lambda one: one[0])
        monitor.report(drawn, best[0])
        whole = whole and drawn == batch  # an interrupted batch and all after it must be drawn again
        if whole:
            done += 1
            monitor.keep(state)
    _, rows, order = best
    return result_of(families, rows, order, monitor.status or TIME_LIMIT, monitor.iterations)
