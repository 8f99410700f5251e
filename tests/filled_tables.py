"""The values of a state in the filled tables of the dynamic program."""

import numpy as np

from cliquewise.common.exact.recurrences_kernels import h_of_state, neighbouring_sets


def h_of(tables, mask, u):
    """h of a state (int mask, and U as a number), which no table holds."""
    next_to, gains = np.zeros((3, tables.n), np.int64), np.zeros(tables.n)
    size, _ = neighbouring_sets(tables, mask, next_to, gains)
    return h_of_state(tables, next_to, gains, size, u)
