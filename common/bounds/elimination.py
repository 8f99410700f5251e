"""Branch and bound over eliminations, for few variables: it ends where the linear program has too many tied solutions.

A chordal graph is eliminated by removing one simplicial vertex after the other (Rose 1970): v leaves the set X of the
vertices that are left, its neighbours Q in X are its family's parents, and must be complete in what remains. A state is
X with the edges that the parents so far require; of two eliminations that lead to one state, only that of the higher
score matters. The root leaves last. Of several simplicial vertices the first leaves first: those before it that stay
are barred until a neighbour of theirs has left. All states with the same number of vertices are made before the next.

*The bound of a state.* Let b(X, P) bound the worth of the networks on X with P complete, for given multipliers (see
`common.bounds.cutting`) and the best order from the root. A vertex v other than the root that is simplicial leaves:

* v is not in P: its parents Q and P are complete without it. Both cannot be remembered, so the smaller of
  b(X - v, P) and b(X - v, Q), plus the worth of (v, Q), is a bound: a relaxation of the state space (Christofides,
  Mingozzi and Toth 1981);
* v is in P: Q holds the others of P, and b(X - v, Q) plus the worth of (v, Q) is a bound. This is only needed if X = P
  or P lacks the root: otherwise, two simplicial vertices that are not joined exist, and one of them is outside P.

b(X, P) is the maximum of these. Every order of a network satisfies the rows of the multipliers, so b(V, {}) minus their
cost bounds every score. A state is worth at most the families so far and the least b(X, P) of some cliques P of the
edges required; what is not above the best network known, with the best order of the others, is dropped at once.

Cost: O(n^2 3^n) time and 8 3^n bytes for b; the search ends without a proof if there is no room for the states.
"""

import numpy as np

from .elimination_kernels import States, best_with_complete, eliminate, list_families, spread
from .incumbent import near_of

MOST_STATES = 1 << 18  # with the same number of variables left
MOST_FAMILIES = 1 << 22  # listed


class Elimination:
    """Searches the networks of a Choice of few variables.

    Parameters
    ----------
    orders : AcyclicBound
        Of the same variables; called before every search.
    may_go_on : callable
        Called for every variable eliminated.
    """

    def __init__(self, orders, may_go_on=lambda: True):
        self._orders, self._may_go_on, self._room = orders, may_go_on, None

    def search(self, choice, root, required, least):
        """Find the best network that scores more than `least`, with the multipliers of the choice's last `bound`.

        Parameters
        ----------
        choice : Choice
        root : int
        required : sequence of int
            Masks of edges.
        least : float

        Returns
        -------
        (float, (uint64[n], float) or None)
            A bound on the networks above `least`: `least` if there are none, their best score if the search was
            completed. Then the best one: neighbours and score.
        """
        n = choice.n
        if self._orders.bound(choice, required) <= least:
            return least, None
        if self._room is None:
            self._room = _Room(n)
        room, families, near = self._room, choice.families, self._orders.near
        spread(families, choice.alive, choice.worth, room.worth)
        spread(families, choice.alive, families.gain, room.gain)
        within = least + choice.cost
        what = room.worth, near, self._orders.rest, within, room.base, room.best, room.subsets, room.work
        best_with_complete(root, *what)
        bound = float(room.best[room.base[-1]] - choice.cost)
        if bound <= least:
            return least, None
        if not self._may_go_on() or not list_families(*what, *room.lists):
            return bound, None
        (states, after), count = room.states, 1
        states.left[0], states.near[0], states.barred[0] = (1 << n) - 1, 0, 0
        states.worth[0] = states.gain[0] = 0.0
        tables = room.gain, room.worth, within, room.base, room.best, *room.lists
        for _ in range(n):
            if not self._may_go_on():
                return bound, None
            count = eliminate(*tables, states, count, after, room.table, np.zeros(n, np.int16))
            if count < 0:
                return bound, None
            states, after = after, states
        if count == 0 or states.gain[0] <= least:
            return least, None
        found = near_of(np.arange(n), states.near[0].astype(np.uint64))
        return float(states.gain[0]), (found, float(states.gain[0]))


class _Room:
    """The arrays of the kernels."""

    def __init__(self, n):
        sizes = np.bitwise_count(np.arange(1 << n)).astype(np.int64)
        self.base = np.concatenate([[0], np.cumsum(1 << sizes)[:-1]])
        self.best = np.empty(3**n)
        self.gain, self.worth = np.empty((2, n, 1 << n))
        self.subsets, self.work = np.empty(1 << n, np.int64), np.empty((4, (1 << n) + 1))
        states, families = _room_for(n)
        self.lists = np.empty((n << n) + 1, np.int64), np.empty(families, np.int16), np.empty(families)
        self.states = _states(states, n), _states(states, n)
        self.table = np.empty(4 * states, np.int32)


def _room_for(n):
    """How many states and families there is room for."""
    return min(MOST_STATES, 1 << 2 * n), min(MOST_FAMILIES, n * 3 ** (n - 1))


def _states(count, n):
    """States, not filled."""
    numbers = np.empty((2, count), np.int64)
    return States(numbers[0], np.empty((count, n), np.int16), *np.empty((2, count)), numbers[1])


def bytes_of_search(n):
    """Memory of the search of networks of n variables."""
    states, families = _room_for(n)
    return 8 * 3**n + 10 * families + states * (2 * (32 + 2 * n) + 16) + (n << n) * 24
