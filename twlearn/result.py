"""The result of a method from its chosen rows of Families."""

import math

import numpy as np

from ..common.graphs.dag import Dag
from ..common.run.result import LearnResult


def network(families, rows, order, status, iterations=0, upper_bound=math.inf):
    """The result in which variable v has the family `rows[v]`.

    Parameters
    ----------
    families : Families
    rows : sequence of int, length n
    order : sequence of int
        See LearnResult, also for the other parameters.
    status : str
    iterations : int
    upper_bound : float

    Returns
    -------
    LearnResult
    """
    parents = [[p for p in families.parents[row].tolist() if p >= 0] for row in rows]
    score = math.fsum(families.scores[row] for row in rows)
    return LearnResult(Dag.from_parents(parents), score, status, int(iterations), upper_bound, tuple(order))


def saved_rows(saved, name, families):
    """The rows of Families in a checkpoint, one per variable.

    Parameters
    ----------
    saved : Saved
    name : str
    families : Families

    Returns
    -------
    int64[n]

    Raises
    ------
    DataError
        A row that does not belong to the variable.
    """
    return saved.array(name, np.zeros(len(families.start) - 1, np.int64), lambda rows: are_rows(rows, families))


def are_rows(rows, families):
    """Whether rows of Families, int64[..., n], belong to their variables."""
    first, end = families.start[:-1], families.start[1:]
    return rows.shape[-1] == len(first) and (rows >= first).all() and (rows < end).all()
