"""From the rows of Families that a method chose to its result."""

import math

from cliquewise.common.graphs.dag import Dag
from cliquewise.common.search.result import LearnResult


def network(families, rows, order, status, iterations=0, upper_bound=math.inf):
    """The result in which variable v has the family `rows[v]`.

    Parameters
    ----------
    families : Families
    rows : sequence of int, length n
    order : sequence of int
        See LearnResult, as the other parameters.
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
