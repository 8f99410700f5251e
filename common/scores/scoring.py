"""The score to maximise, and the memory limit of its cache: arguments of every learner besides the data."""

from dataclasses import dataclass

CACHE_MB = 1024  # default memory limit of the score cache, in megabytes


@dataclass(frozen=True)
class Scoring:
    """A score of sets of variables; `common.certify.cliques` has the formulas.

    Attributes
    ----------
    score_type
        bdeu, bic or ll; ignored for scores from a file.
    ess
        Equivalent sample size of BDeu, > 0.
    """

    score_type: str = "bdeu"
    ess: float = 1.0
