"""What is maximised, and how much memory its scores may take: what every learner is told besides the data."""

from dataclasses import dataclass

CACHE_MB = 1024  # default bound on the memory of scores, in megabytes


@dataclass(frozen=True)
class Scoring:
    """A score of sets of variables; `common.certify.cliques` has the formulas.

    Attributes
    ----------
    score_type : str
        bdeu, bic or ll; of no account with scores from a file.
    ess : float
        Equivalent sample size of BDeu, > 0.
    """

    score_type: str = "bdeu"
    ess: float = 1.0
