"""What every method of twlearn takes besides the families, and what it returns."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from cliquewise.common.graphs.dag import Dag


class Limits(NamedTuple):
    """When to stop, and how.

    seconds : float or None
    iterations : int or None, in the method's own unit
    seed : int
    threads : int
    """

    seconds: float = None
    iterations: int = None
    seed: int = 1
    threads: int = 1


class Progress(NamedTuple):
    """What a search has come to.

    seconds : float
    iterations : int, in the method's own unit
    score : float, of the best network so far
    """

    seconds: float
    iterations: int
    score: float


@dataclass(frozen=True)
class NetworkResult:
    """A Bayesian network of bounded treewidth.

    Attributes
    ----------
    dag : Dag
    score : float
        Natural log; larger is better.
    status : str
        Why the learner ended, one of `common.search.result`'s constants.
    iterations : int
        Steps taken, in the method's own unit.
    upper_bound : float
        No network within the treewidth scores more; infinity where nothing is proved.
    order : tuple of int
        Elimination order of the moral graph in which no vertex meets more neighbours than the treewidth allows.
    """

    dag: Dag
    score: float
    status: str
    iterations: int
    upper_bound: float
    order: tuple

    @property
    def graph(self):
        """The network, by the name under which `common.cli.task` delivers it."""
        return self.dag


def network(families, rows, order, status, iterations=0, upper_bound=math.inf):
    """The result in which variable v has the family `rows[v]`.

    Parameters
    ----------
    families : Families
    rows : sequence of int, length n
    order : sequence of int
        See NetworkResult, as the other parameters.
    status : str
    iterations : int
    upper_bound : float

    Returns
    -------
    NetworkResult
    """
    parents = [[p for p in families.parents[row].tolist() if p >= 0] for row in rows]
    score = math.fsum(families.scores[row] for row in rows)
    return NetworkResult(Dag.from_parents(parents), score, status, int(iterations), upper_bound, tuple(order))
