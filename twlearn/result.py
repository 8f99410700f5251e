"""What every method of twlearn takes besides the families, and what it returns."""

from dataclasses import dataclass
from typing import NamedTuple

from common.dag import Dag


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


@dataclass(frozen=True)
class NetworkResult:
    """A Bayesian network of bounded treewidth.

    Attributes
    ----------
    dag : Dag
    score : float
        Natural log; larger is better.
    status : str
        Why the learner ended, one of `common.result`'s constants.
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
        """The network, by the name under which `common.task` delivers it."""
        return self.dag
