"""S2 of the paper: the best of many random k-trees and partial orders (`twlearn.s2_kernels`), on all cores.

Iterations come in batches, each with its own random numbers, and the first of equally good batches wins: the same
seed and iterations give the same network whatever the number of threads.
"""

import numpy as np

from twlearn.clock import Clock
from twlearn.ktrees_kernels import empty_ktree
from twlearn.lookup import lookup_of
from twlearn.result import network
from twlearn.s2_kernels import Sample, sample

BATCH = 500


def s2(families, w, limits, on_progress, stop):
    """The best network among random k-trees.

    Parameters
    ----------
    families : Families
        Of at least two variables, with no more than w parents.
    w : int
        Bound on the treewidth, >= 1.
    limits : Limits
        An iteration is a k-tree; at least one of seconds and iterations is set.
    on_progress : callable taking a Progress
    stop : int64[1]

    Returns
    -------
    NetworkResult
    """
    table = lookup_of(families)
    empty = families.start[1:] - 1
    k = min(w, families.n - 1)
    best = (float(families.scores[empty].sum()), empty, tuple(range(families.n)))
    with Clock(limits, stop, on_progress) as clock:
        work = [_sample(families.n, k, table.most) for _ in range(limits.threads)]
        sample(table, empty, 0, work[0], np.zeros(4, np.uint64), clock.stop)
        clock.start()

        def run(batch, draws):
            mine = work.pop()
            state = np.random.SeedSequence((limits.seed, batch)).generate_state(4, np.uint64)
            done = sample(table, empty, draws, mine, state, clock.stop)
            found = float(mine.best[0]), mine.best_row.copy(), tuple(mine.best_order.tolist())
            work.append(mine)
            return done, found

        for done, found in clock.batches(run, BATCH):
            best = max(best, found, key=lambda one: one[0])
            clock.report(done, best[0])
        score, rows, order = best
        return network(families, rows, order, clock.status, clock.iterations)


def _sample(n, k, most):
    """Work space for k-trees on n vertices."""
    m = n - k
    return Sample(
        tree=empty_ktree(n, k),
        code=np.zeros(max(m - 2, 0), np.int64),
        ordered=np.full((m + 1, k + 1), -1, np.int64),
        others=np.zeros(k + 1, np.int64),
        row=np.zeros(n, np.int64),
        place=np.zeros(most + 1, np.int64),
        path=np.zeros(most + 1, np.uint64),
        best_row=np.zeros(n, np.int64),
        best_order=np.zeros(n, np.int64),
        best=np.zeros(1),
    )
