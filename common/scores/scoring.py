"""The score to maximise, and the memory limit of its cache: arguments of every learner besides the data."""

from __future__ import annotations

from dataclasses import dataclass

from ..files.result_header import Claims
from ..graphs.edge_prior import NO_PRIOR, EdgePrior

CACHE_MB = 1024  # default memory limit of the score cache, in megabytes


@dataclass(frozen=True)
class Scoring:
    """A score of sets of variables; `common.certify.set_scores` has the formulas.

    Attributes
    ----------
    score_type
        bdeu, bic, ll, aic, ebic or qnml; ignored for scores from a file.
    ess
        Equivalent sample size of BDeu, > 0.
    gamma
        Weight of the extended BIC's penalty of edges, >= 0.
    prior
        On edges; also added to scores from a file.
    """

    score_type: str = "bdeu"
    ess: float = 1.0
    gamma: float = 0.5
    prior: EdgePrior = NO_PRIOR


BDEU_1 = Scoring()


def scoring_of(claims: Claims) -> Scoring:
    """The score of sets that a header names; BDeu with ess 1 if it names nothing else."""
    kind = "bdeu" if claims.score_type is None else claims.score_type
    gamma = Scoring.gamma if claims.gamma is None else claims.gamma
    return Scoring(kind, 1.0 if claims.ess is None else claims.ess, gamma, claims.edge_prior)


def claims_of(scoring: Scoring, from_data: bool) -> dict:
    """The fields of Claims that name a score; of scores from a file only the prior."""
    kind = {"score_type": scoring.score_type, "ess": scoring.ess, "gamma": scoring.gamma} if from_data else {}
    return {**kind, "edge_prior": scoring.prior}
