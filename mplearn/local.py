"""The local score of a variable and its blanket; the method maximises its sum over the variables.

With the prior of Section 4.1 (a Dirichlet distribution with parameters N / (r_j q_j) for each configuration of the
blanket) log p(x_j | x_mb) is the difference s(mb + j) - s(mb) of two BDeu scores of sets with N as equivalent sample
size, as for the family of a Bayesian network. So sets are scored by `common.scores.scorer`, which counts only states
that occur, caches every score, and uses one set for several variables.

* `mpl`: s(mb + j) - s(mb), BDeu with ess N, and the log prior of the blanket
* `pic`: the same difference of log-likelihoods, minus q_j ln n (c = 1; the appendix of the paper, with opposite sign)
* `cmi`: the same difference, minus n lambda |mb|: adding i gains n (I(i; j | mb) - lambda), so that the search adds the
  variable with the largest conditional mutual information, if that is above the threshold, and drops variables with
  less
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..common.scores.scorer import SetScorer
from ..common.scores.scoring import Scoring as SetScoring
from .extensions import Extensions
from .priors import Blankets, log_weight

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    import numpy.typing as npt

    from ..common.data.dataset import Dataset
    from .blanket_scoring import BlanketScoring


MIN_GAIN = 1e-9  # smallest gain of a step; less is rounding


def first_best(values: npt.ArrayLike) -> int:
    """Index of the first value (of a non-empty sequence) that is the highest up to rounding.

    Equal columns, and functions of each other, tie exactly; then rounding should not decide.
    """
    values = np.asarray(values)
    return int(np.argmax(values >= values.max() - MIN_GAIN))


class LocalScores:
    """Local scores of one data set.

    Parameters
    ----------
    dataset : Dataset
    scoring : BlanketScoring
    threads : int
        Largest number of threads that call at the same time.
    cache_mb : int
        Memory limit of the score cache.

    Attributes
    ----------
    n : int
        Number of variables.
    """

    def __init__(self, dataset: Dataset, scoring: BlanketScoring, threads: int = 1, cache_mb: int = 1024) -> None:
        base = "bdeu" if scoring.kind == "mpl" else "ll"
        self.n = dataset.n
        self.sets = SetScorer(dataset, SetScoring(base, scoring.ess), cache_mb, threads)
        self.extensions = Extensions(self.sets.scores.table, base, scoring.ess, threads, dataset.denominator)
        self._arity = dataset.arity
        self._variables = np.arange(dataset.n)
        self._log_weight = log_weight(scoring, dataset.total)

    def score(self, variable: int, blanket: Iterable[int], thread: int = 0) -> float:
        """The local score of a variable j and its blanket mb: s(mb + j) - s(mb), and the log prior or penalty.

        Parameters
        ----------
        variable
        blanket : iterable of int
            Without the variable.
        thread
            Whose work space to use.

        Returns
        -------
        float
            Natural log. Depends only on the set: equal calls give equal numbers, in any thread.
        """
        members = tuple(sorted(blanket))
        base = self.sets.score((*members, variable), thread) - self.sets.score(members, thread)
        return base + self.penalty(variable, members)

    def penalty(self, variable: int, blanket: Iterable[int]) -> float:
        """The prior or penalty of a blanket, an iterable of variables: a float, at most 0, or minus infinity."""
        return float(self._penalties(variable, tuple(sorted(blanket))))

    def best_addition(self, variable: int, blanket: list[int], thread: int = 0, forbidden: Any = ()) -> int:
        """The variable whose addition to the blanket scores highest; of equal ones, the first.

        Parameters
        ----------
        variable
        blanket
            At least one variable must be left.
        thread
        forbidden : sequence of int
            Variables that must not be added.

        Returns
        -------
        int
        """
        scores = self.extensions.scores(variable, blanket, thread, forbidden)
        return first_best(scores + self._penalties(variable, tuple(sorted(blanket)), self._variables))

    def _penalties(self, variable: int, members: tuple[int, ...], added: np.ndarray | None = None) -> Any:
        """Prior or penalty of one blanket, or of all blankets with one more variable."""
        with np.errstate(over="ignore"):  # overflow to infinity: such a blanket is never chosen
            q: Any = np.float64(1.0)
            for v in members:
                q = q * self._arity[v]
            q, size = (q, len(members)) if added is None else (q * self._arity[added], len(members) + 1)
            return self._log_weight(Blankets(variable, members, added, size, int(self._arity[variable]), q))
