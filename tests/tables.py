"""What the filled tables of the dynamic program say of a state."""

import numpy as np

from cliquewise.common.exact.recurrences_kernels import f_of_state, h_of_state, neighbouring_sets


def h_of(tables, mask, u):
    """h of a state (int mask, and U as a number), which no table holds."""
    work = np.zeros((3, tables.n), np.int64)
    size, _ = neighbouring_sets(tables, mask, work)
    return h_of_state(tables, work, size, tables.scores[mask], u, f_of_state(tables, work, u))
