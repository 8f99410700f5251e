"""Variables that say the same of every row, so that no score can tell them apart.

Two columns are twins if their values correspond one to one. A blanket with the one scores what it scores with the
other, and Algorithm 1 of the paper can only take the first it meets: which edges are found then depends on the order
of the columns. Hailfinder of the Bayesian network repository has three such pairs.

Cost: one pass over the data.
"""

import hashlib

import numpy as np


def twins(dataset):
    """Groups of variables whose values correspond one to one in the data.

    Parameters
    ----------
    dataset : Dataset

    Returns
    -------
    list of list of int
        Ascending in each group of two or more, and by their first; constant columns are in none.
    """
    groups = {}
    for v, arity in enumerate(dataset.arity):
        if arity > 1:
            groups.setdefault(_partition(dataset.codes[:, v], arity), []).append(v)
    return [group for group in groups.values() if len(group) > 1]


def _partition(column, arity):
    """A digest of which rows hold the same value: states are numbered as they first occur."""
    first = np.full(arity, len(column))
    first[column[::-1]] = np.arange(len(column) - 1, -1, -1)  # the last assignment stays
    number = np.empty(arity, np.int32)
    number[np.argsort(first, kind="stable")] = np.arange(arity, dtype=np.int32)
    return hashlib.sha256(number[column]).digest()
