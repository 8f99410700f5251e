"""The results of learners."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import LimitError
from ..files.prooffile import BoundProof
from ..graphs.dag import Dag
from ..graphs.graph import Graph

if TYPE_CHECKING:
    from ..data.dataset import Dataset

OPTIMAL = "optimal"  # proved: no network within the options has a higher score
OPTIMAL_OF_BLANKETS = "optimal given the blankets"  # no network with only these edges has a higher score
COMPLETE = "complete"  # all requested work was done, nothing is proved
GAP_REACHED = "gap reached"  # proved to be within the requested gap
LOCAL_OPTIMUM = "local optimum"
TARGET = "target reached"
TIME_LIMIT = "time limit"
ITERATION_LIMIT = "iteration limit"
MEMORY_LIMIT = "memory limit"  # the allowed memory is used up
IDLE = "nothing better found"  # for as long as a search without a limit finds no improvement
INTERRUPTED = "interrupted"
ZERO_SCORE = 1e-6  # a score within this distance of 0, the precision of results, has no relative gap
COMBINED = "combined"  # combined by a rule from parts found separately
ROUNDING = 1e-6  # relative to the score: how far rounding of sums and of a solver may put a bound below it
STATUSES = (
    *(OPTIMAL, OPTIMAL_OF_BLANKETS, COMPLETE, GAP_REACHED, LOCAL_OPTIMUM, TARGET),
    *(TIME_LIMIT, ITERATION_LIMIT, MEMORY_LIMIT, IDLE, INTERRUPTED, COMBINED),
)


def without_result(status: str | None, what: str, others: str = "") -> BaseException:
    """What ends a run that was stopped before it had a result: KeyboardInterrupt, or the limit as LimitError.

    Parameters
    ----------
    status
        Why it was stopped, a constant of this module; None for the user.
    what
        What was not found yet: "the first network".
    others
        Other advice than to allow more: "use --method chains".
    """
    if status in (None, INTERRUPTED):
        return KeyboardInterrupt()
    reached = {TIME_LIMIT: "the time was up", MEMORY_LIMIT: "the memory was used up"}.get(status, status)
    return LimitError(f"{reached} before {what}; allow more" + (f", or {others}" if others else ""))


def gap_text(upper_bound: float, score: float) -> str:
    """The gap for a message: the difference and its share of the network's score, as in `--gap`.

    Returns
    -------
    str
        `0.405465 (4.224% of the score)`; near a score of 0 `0.405465 (absolute: the score is near 0)`.
    """
    gap = max(0.0, round(upper_bound - score, 6))
    if abs(score) < ZERO_SCORE:
        return f"{gap:.6f} (absolute: the score is near 0)"
    return f"{gap:.6f} ({100.0 * gap / abs(score):.4g}% of the score)"


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
        Upper bound on the score of all networks (for `OPTIMAL_OF_BLANKETS`, of those with only these edges); infinity
        if nothing is proved.
    order : tuple of int, or None
        For a directed network with bounded treewidth: an elimination order of its moral graph whose width is within the
        bound.
    proof : BoundProof or None
        Of the upper bound plus a millionth, if requested; with `networks`, of the bound on all others.
    networks : tuple of (Graph or Dag, float)
        The best networks with their scores, if several were requested.
    others : float
        Upper bound on the score of all others.
    tied : int
        Networks that are left out of `networks` and known to be tied with the last one.

    Raises
    ------
    RuntimeError
        The bound is below the score: an error of the program, whose results must not be written.
    """

    graph: Graph | Dag
    score: float
    status: str
    iterations: int = 0
    upper_bound: float = float("inf")
    order: tuple[int, ...] | None = None
    proof: BoundProof | None = None
    networks: tuple[tuple[Graph | Dag, float], ...] = ()
    others: float = math.inf
    tied: int = 0

    def __post_init__(self) -> None:
        if self.upper_bound < self.score - ROUNDING * (1.0 + abs(self.score)):
            raise RuntimeError(f"the upper bound {self.upper_bound:.6f} is below the known score {self.score:.6f}")
        object.__setattr__(self, "upper_bound", max(self.upper_bound, self.score))

    def proved(self) -> dict[str, str]:
        """Upper bound and gap as header lines: dict of str to str, empty if nothing is proved."""
        if not math.isfinite(self.upper_bound):
            return {}
        return {"upper-bound": f"{self.upper_bound:z.6f}", "gap": f"{max(0.0, self.upper_bound - self.score):.6f}"}


@dataclass(frozen=True)
class Posterior:
    """A distribution over networks, sampled by a learner.

    Attributes
    ----------
    graph : Graph
        Every edge that occurred, with its probability.
    status : str
        Why the learner ended, one of the constants of this module.
    iterations : int
        Steps taken, in the learner's own unit.
    witnesses : tuple of (Graph, float)
        Some of the networks with the learner's scores, for checks of the scores.
    details : dict of str to str
        Header lines about the sampling.
    samples : tuple of Graph
        Networks drawn from the distribution.
    log_posteriors : tuple of float
        Of the samples: score and logarithm of the prior, up to the same constant.
    completed : tuple of Dataset
        From data with missing cells: the rows by which each witness is scored; otherwise empty.
    """

    graph: Graph
    status: str
    iterations: int
    witnesses: tuple[tuple[Graph, float], ...]
    details: dict[str, str] = field(default_factory=dict)
    samples: tuple[Graph, ...] = ()
    log_posteriors: tuple[float, ...] = ()
    completed: tuple[Dataset, ...] = ()
