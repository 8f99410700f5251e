"""What every learner returns."""

import math
from dataclasses import dataclass, field

from cliquewise.common.files.prooffile import BoundProof
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.graph import Graph

OPTIMAL = "optimal"  # proved: no network within the options scores more
OPTIMAL_OF_BLANKETS = "optimal given the blankets"  # no network of the edges in these blankets scores more
COMPLETE = "complete"  # all was done that was asked for, and nothing is proved
GAP_REACHED = "gap reached"  # proved to be as close to the best as was asked for
LOCAL_OPTIMUM = "local optimum"
TARGET = "target reached"
TIME_LIMIT = "time limit"
ITERATION_LIMIT = "iteration limit"
MEMORY_LIMIT = "memory limit"  # all that may be taken is taken
INTERRUPTED = "interrupted"
COMBINED = "combined"  # of parts that were found separately, by a rule


@dataclass(frozen=True)
class LearnResult:
    """A learned network.

    Attributes
    ----------
    graph : Graph or Dag
    score : float
        Natural log; larger is better.
    status : str
        Why the learner ended, one of the constants of this module.
    iterations : int
        Steps taken, in the learner's own unit.
    upper_bound : float
        No network of the problem scores more, of `OPTIMAL_OF_BLANKETS` none of these edges; infinity where nothing is
        proved.
    order : tuple of int, or None
        Of a directed network with bounded treewidth: an elimination order of its moral graph in which no vertex meets
        more neighbours than the bound allows.
    proof : BoundProof or None
        Of the upper bound, or a millionth more, if it was asked for.
    """

    graph: Graph | Dag
    score: float
    status: str
    iterations: int = 0
    upper_bound: float = float("inf")
    order: tuple[int, ...] | None = None
    proof: BoundProof | None = None

    def proved(self):
        """Upper bound and gap as header lines: dict of str to str, empty where nothing is proved."""
        if not math.isfinite(self.upper_bound):
            return {}
        return {"upper-bound": f"{self.upper_bound:.6f}", "gap": f"{max(0.0, self.upper_bound - self.score):.6f}"}


@dataclass(frozen=True)
class Posterior:
    """A distribution over networks, as a learner has sampled it.

    Attributes
    ----------
    graph : Graph
        Every edge that was seen, with its probability.
    status : str
        Why the learner ended, one of the constants of this module.
    iterations : int
        Steps taken, in the learner's own unit.
    witnesses : tuple of (Graph, float)
        Some of the networks with the scores that the learner found: by them the scores can be checked.
    details : dict of str to str
        What the header says of the sampling.
    samples : tuple of Graph
        Networks drawn from the distribution.
    """

    graph: Graph
    status: str
    iterations: int
    witnesses: tuple[tuple[Graph, float], ...]
    details: dict[str, str] = field(default_factory=dict)
    samples: tuple[Graph, ...] = ()
