"""The best network over many random k-trees, on all cores: what S2 and S+K&P have in common.

Iterations come in batches, each with its own random numbers, and the first of equally good batches wins: the same
seed and iterations give the same network whatever the number of threads.
"""

import numpy as np

from cliquewise.twlearn.clock import Clock
from cliquewise.twlearn.result import network


def best_of_ktrees(families, limits, on_progress, stop, draw, work, batch):
    """Draw k-trees until it is time to stop.

    Parameters
    ----------
    families : Families
    limits : Limits
        An iteration is a k-tree; at least one of seconds and iterations is set.
    on_progress : callable taking a Progress
    stop : int64[1]
    draw : callable
        Takes how many, the work space, random uint64[4] and the stop array; returns how many were drawn. Leaves the
        best network in the work space: `best` (float64[1]), `best_row`, `best_order` (int64[n]).
    work : callable
        Makes the work space of a thread.
    batch : int
        K-trees of a batch.

    Returns
    -------
    NetworkResult
        The network without arcs if nothing was drawn.
    """
    empty = families.start[1:] - 1
    best = (float(families.scores[empty].sum()), empty, tuple(range(families.n)))
    with Clock(limits, stop, on_progress) as clock:
        idle = [work() for _ in range(limits.threads)]
        draw(0, idle[0], np.zeros(4, np.uint64), clock.stop)  # compiles it
        clock.start()

        def run(number, draws):
            mine = idle.pop()
            state = np.random.SeedSequence((limits.seed, number)).generate_state(4, np.uint64)
            done = draw(draws, mine, state, clock.stop)
            found = float(mine.best[0]), mine.best_row.copy(), tuple(mine.best_order.tolist())
            idle.append(mine)
            return done, found

        for done, found in clock.batches(run, batch):
            best = max(best, found, key=lambda one: one[0])
            clock.report(done, best[0])
        _, rows, order = best
        return network(families, rows, order, clock.status, clock.iterations)
