"""The bound of multipliers over families that have an order, for few variables.

The bound of `common.bounds.cutting` takes the best family of every variable; these may form directed cycles and lack
required edges. For given multipliers, the best choice of families without cycles is found by dynamic programming over
orders (Silander and Myllymaki 2006): where v follows the variables X, its parents are a subset of X. If an edge uv is
required, one of the two comes later and has the other among its parents, so the parents of v hold the required
neighbours of v in X. A family is ruled out if the best order with it is not above the best network known: that is the
best of the variables X first, v, and the others, over all X that hold the parents.

No rows are needed for what this excludes, so it says more than the linear program, above all where scores are tied and
the program has many solutions. A certificate cannot express it.

Cost: O(n^2 2^n) time, about 8 (n + 2) 2^n bytes.
"""

import numpy as np

from .acyclic_kernels import best_parts, best_within, rule_out_by_orders

MOST = 14  # variables: a call takes some milliseconds


class AcyclicBound:
    """The bound of the multipliers of a Choice's last `bound`.

    Parameters
    ----------
    n : int
        At most `MOST` variables.

    Attributes
    ----------
    near : int64[n]
        The required neighbours of each variable, as masks, at the last `bound`.
    rest : float64[2^n]
        The best worth of the variables that are not in a set when those of the set come first, at the last `bound`.
    """

    def __init__(self, n):
        self._gains, self._through = np.empty((2, n, 1 << n - 1))
        self._first, self.rest = np.empty((2, 1 << n))

    def bound(self, choice, required, alive=None):
        """The bound of networks with required edges.

        Parameters
        ----------
        choice : Choice
        required : sequence of int
            Masks of edges.
        alive : bool[f], optional
            The families to choose from; those of the choice if not given.

        Returns
        -------
        float
            Minus infinity if there is no such network.
        """
        self.near = _neighbours(choice.n, required)
        alive = choice.alive if alive is None else alive
        best_within(choice.families, alive, choice.worth, self.near, self._gains)
        best_parts(self._gains, self._first, self.rest)
        return float(self.rest[0] - choice.cost)

    def without_and_with(self, choice, required, edge):
        """The bounds of networks without and with one more edge (a mask): (float, float)."""
        families = choice.families
        holds = np.repeat(families.sets & edge == edge, np.diff(families.start))
        return self.bound(choice, required, choice.alive & ~holds), self.bound(choice, (*required, edge))

    def rule_out(self, choice, known):
        """Remove the families of no network that scores at least `known`, after `bound`; returns how many are left."""
        whole = self.near, self._first, self.rest, known + choice.cost
        return rule_out_by_orders(choice.families, choice.worth, *whole, self._through, choice.alive)


def _neighbours(n, required):
    """The neighbours of each variable by required edges: int64[n]."""
    near = np.zeros(n, np.int64)
    for edge in map(int, required):
        low, high = edge & -edge, edge & (edge - 1)
        near[low.bit_length() - 1] |= high
        near[high.bit_length() - 1] |= low
    return near
