"""The states of the dynamic program that a network at least as good as a known one can be in.

In every state (C, U) of `common.exact.recurrences` the network has C complete, and no edges between U and the vertices
W outside C and U. So a perfect elimination order, reversed, can begin with C, and go on with U and W, where vertices of
U have earlier neighbours in C and U only, and those of W in C and W. As in `common.bounds.orders`, we drop the
condition that earlier neighbours are complete. Let loss(v, X) be what v gains with its best parents within X less than
with its best parents among all vertices, and l_C(X) the least sum of losses over all orders of X after C. Then the
network scores at most

    s(C) + (gains of all v outside C from their best parents) - l_C(U) - l_C(W),
    l_C(X) = min over v in X of l_C(X - v) + loss(v, C + X - v),      l_C({}) = 0.

Each l_C is a dynamic program over orders, by which Silander and Myllymaki (2006) find the best Bayesian network; one
array of it bounds all states of C. Losses are rounded down to whole numbers of two bytes, so that sums are exact and
nothing is left out too much.

The losses of C are a part of those of C without its last vertex; so the sets are walked depth first, each with the
losses of those of its first vertices at hand.

Cost: about m 2^m / 2 additions of adjacent two-byte numbers for a set with m vertices outside it, 5 ns for each of the
2^m states. Memory: two bits for each state, n 2^n bytes of losses, and as many for each thread.
"""

from __future__ import annotations

import numpy as np

from ..exact.tables import States, all_states, bytes_of_layout, layout, numbered
from ..run.monitor import Monitor
from .orders import least_allowed, membership
from .orders_kernels import best_parents
from .separations_kernels import MOST, SeparationProblem, mark_sets_from, round_losses

LARGEST = float(MOST) - 2.0  # allowed loss, in units


def steps(n: int, masks: np.ndarray) -> float:
    """The numbers l_C(X) that the bounds of some sets (int64[m]) take."""
    return float(np.sum(2.0 ** (n - np.bitwise_count(masks).astype(float))))


def bytes_of_separations(n: int, masks: np.ndarray, threads: int) -> int:
    """Memory of `separated_states` for some sets (int64[m])."""
    return bytes_of_layout(n, masks) + (1 + threads) * n * 2**n + threads * 8 * 2**n


def separated_states(n: int, scores: np.ndarray, masks: np.ndarray, known: float, monitor: Monitor) -> States:
    """The states that may occur in a network of at least this score.

    Parameters
    ----------
    scores : float64[2^n]
        By mask; finite for these sets, otherwise all states are left.
    masks : int64[m]
        The sets that may be complete: ascending, closed under subsets.
    known
        Minus infinity for all states.
    monitor
        If it stops the run, the result is invalid.

    Returns
    -------
    States
    """
    if known == -np.inf or not np.isfinite(scores[masks]).all():
        return all_states(n, masks)
    states, possible, least = layout(n, masks), membership(n, masks), least_allowed(known)
    most = np.array([_most(v, scores, masks) for v in range(n)])
    allowed = float(scores[0] + most.sum() - least)
    unit = max(allowed, 1e-9 * (1.0 + abs(known))) / LARGEST
    losses = np.empty((n, 1 << (n - 1)), np.uint16)
    arrays = losses.reshape(-1), states.start, states.words
    problem = SeparationProblem(n, scores, possible, most, least, unit, *arrays)

    def find_losses(v: int) -> None:
        gains = np.empty(1 << (n - 1))
        if monitor.may_go_on():
            best_parents(scores, v, n, 0, possible, gains)
            round_losses(gains, most[v], unit, losses[v])

    def mark(v: int) -> None:
        if monitor.may_go_on():
            mark_sets_from(problem, v, np.empty(n << (n - 1), np.uint16), np.empty(1 << n, np.uint16), monitor.stop)

    list(monitor.map(find_losses, range(n)))
    list(monitor.map(mark, range(-1, n)))
    return numbered(states)


def _most(v: int, scores: np.ndarray, masks: np.ndarray) -> float:
    """The gain of a vertex from its best parents."""
    families = masks[masks >> v & 1 == 1]
    return float(np.max(scores[families] - scores[families ^ 1 << v], initial=-np.inf))


def compile_separations() -> None:
    """Compile the kernels: bound the states of two vertices."""
    with Monitor(threads=1) as monitor:
        separated_states(2, np.zeros(4), np.arange(4), -1.0, monitor)
