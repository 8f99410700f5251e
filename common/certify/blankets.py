"""The independent check of the pseudo-likelihood score of a network.

No code is shared with the learner, which takes differences of set scores. Here counts come from sorting, and a local
score is the formula of Pensar et al. (2014), Section 4.1. With n_l rows of configuration l of the blanket, n_il of them
in state i of the variable, r the number of its states, q the product of the blanket's arities and N the equivalent
sample size,

    mpl   sum over occurring l of lnG(N/q) - lnG(n_l + N/q), and over occurring il of lnG(n_il + N/rq) - lnG(N/rq);
          plus the log prior of the blanket
    pic   sum over occurring il of n_il ln(n_il / n_l), less q ln(rows), or less q (r - 1) ln(rows) / 2
    cmi   the same sum, less rows x threshold x members of the blanket

and a graph scores the sum over its variables; it need not be chordal. If N/q is too small for a float, its logarithm
is used. Tolerance: half a unit of the claim's sixth decimal, 1e-11 of the sum of the terms' absolute values, and, for
each of the two set scores that the learner subtracts for a variable, 1e-12 of rows x ln(rows), their size.

Cost: O(rows log rows) per variable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..data.dataset import Dataset
from ..errors import DataError
from .outcome import Certificate
from .set_scores import TINY, state_counts

if TYPE_CHECKING:
    from ..files.result_header import Claims
    from ..graphs.graph import Graph


# The log prior of a blanket, up to a constant, from q and r: one formula per prior of the learner.
PRIORS = {
    "uniform": lambda q, r: 0.0,
    "sparse": lambda q, r: -math.log(2.0) * q * (r - 1),
}
_LARGEST = 1 << 1000


def certify_blankets(
    graph: Graph, source: Dataset | None, claims: Claims, progress: Callable = lambda share: None
) -> Certificate:
    """Check a graph against its claims.

    Parameters
    ----------
    source
        None leaves the score unchecked.
    claims
        With a score type that is a sum over blankets, and all values that it needs.
    progress : callable taking a float
        Called with the share of the variables scored so far.
    """
    if source is None:
        return Certificate(())
    terms = [score for score, _ in blanket_terms(graph, source, claims, progress)]
    score = math.fsum(terms)
    set_scores = 2 * graph.n * source.total * abs(math.log(source.total))
    tolerance = 0.5e-6 + 1e-11 * math.fsum(map(abs, terms)) + 1e-12 * set_scores
    wrong = claims.score is not None and not abs(claims.score - score) <= tolerance
    problems = (f"score claimed {claims.score:.6f}, recomputed {score:.6f}",) if wrong else ()
    return Certificate(problems, (), score)


def blanket_terms(
    graph: Graph, source: Dataset, by: Claims, progress: Callable = lambda share: None
) -> list[tuple[float, str]]:
    """The local scores of all variables.

    Parameters
    ----------
    by
        How to score.
    progress : callable taking a float
        As for `certify_blankets`.

    Returns
    -------
    list of (float, str)
        Local score and description (`variable 3 given 1,5`), by variable.

    Raises
    ------
    DataError
        Scores from a file instead of data, or incomplete claims.
    """
    if not isinstance(source, Dataset):
        raise DataError(f"a {by.score_type} score needs data, not a score file", source.source)
    if by.score_type == "cmi" and by.threshold is None:
        raise DataError("a cmi score without '# threshold'")
    if by.score_type == "mpl" and (by.prior or "uniform") not in PRIORS:
        raise DataError(f"'# prior {by.prior}': no formula for it, so the score cannot be checked")
    described = []
    for v, around in enumerate(graph.neighbours()):
        progress(v / graph.n)
        given = ",".join(map(str, sorted(around))) or "nothing"
        described.append((local_score(source, v, around, by), f"variable {v} given {given}"))
    return described


def local_score(source: Dataset, variable: int, blanket: Iterable[int], by: Claims) -> float:
    """Local score of a variable and its blanket.

    Parameters
    ----------
    by
        How to score.
    """
    blanket = sorted(blanket)
    r, q = len(source.states[variable]), math.prod(len(source.states[u]) for u in blanket)
    # the variable last: sorted by the blanket's configuration first, so that margins are sums of adjacent counts
    cells, owner = state_counts(source, [*blanket, variable], groups=len(blanket))
    margins = np.bincount(owner, cells)
    if by.score_type == "mpl":
        assert by.ess is not None
        prior = PRIORS[by.prior or "uniform"](q if q < _LARGEST else math.inf, r)
        return _dirichlet_sum(cells, r * q, by.ess) - _dirichlet_sum(margins, q, by.ess) + prior
    likelihood = float(np.sum(cells * np.log(cells / margins[owner])))
    rows = source.total
    if by.score_type == "cmi":
        assert by.threshold is not None
        return likelihood - rows * by.threshold * len(blanket)
    factor = (r - 1) / 2 if by.penalty == "parameters" else 1.0
    if not factor or rows == 1:
        return likelihood
    return likelihood - factor * math.log(rows) * q if q < _LARGEST else -math.inf


def _dirichlet_sum(counts: np.ndarray, states: int, ess: float) -> float:
    """Sum of lnG(count + N/states) - lnG(N/states); `states` is an exact integer of any size."""
    log_weight = math.log(ess) - math.log(states)
    if log_weight <= math.log(TINY):
        return sum(math.lgamma(count) + log_weight for count in counts.tolist())
    weight = math.exp(log_weight)
    return sum(math.lgamma(count + weight) - math.lgamma(weight) for count in counts.tolist())
