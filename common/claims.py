"""What a result file says of itself: the header every learner writes and `mntools check` holds it to.

Keys, in this order: `score` (six decimals), `score-type` (bdeu, bic, ll), `ess` (BDeu only), `max-clique`
(the bound that was kept). A key is left out where nothing is claimed; scores that came from a score file
have no type.
"""

import math
from dataclasses import dataclass

from common.errors import DataError

SCORE_TYPES = ("bdeu", "bic", "ll")


@dataclass(frozen=True)
class Claims:
    """Claims about a graph.

    Attributes
    ----------
    score : float or None
        Log marginal likelihood or its stand-in (natural log).
    score_type : str or None
        One of `SCORE_TYPES`.
    ess : float or None
        Equivalent sample size, > 0.
    max_clique : int or None
        No clique has more vertices, >= 1.
    """

    score: float = None
    score_type: str = None
    ess: float = None
    max_clique: int = None

    def header(self):
        """The claims as header lines: dict of str to str, for `common.graphfile.write_graph`."""
        ess = None if self.ess is None or self.score_type in ("bic", "ll") else self.ess
        values = {
            "score": None if self.score is None else f"{self.score:.6f}",
            "score-type": self.score_type,
            "ess": None
            if ess is None
            else repr(float(ess)).removesuffix(".0"),  # all digits, but 10 for 10.0
            "max-clique": self.max_clique,
        }
        return {key: str(value) for key, value in values.items() if value is not None}

    @classmethod
    def read(cls, header, path):
        """The claims in a graph file's header.

        Parameters
        ----------
        header : dict of str to str
            `GraphFile.header`.
        path : str
            For messages.

        Returns
        -------
        Claims

        Raises
        ------
        DataError
            A value that is not of its kind.
        """
        kind = header.get("score-type")
        if kind not in (None, *SCORE_TYPES):
            raise DataError(f"'# score-type {kind}': expected one of {', '.join(SCORE_TYPES)}", path)
        return cls(
            _number(header, "score", float, -math.inf, path),
            kind,
            _number(header, "ess", float, 5e-324, path),
            _number(header, "max-clique", int, 1, path),
        )


def _number(header, key, kind, least, path):
    """A finite number of at least `least`, or None where the key is missing."""
    if key not in header:
        return None
    try:
        value = kind(header[key])
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= least):
        what = "a whole number" if kind is int else "a number"
        raise DataError(f"'# {key} {header[key]}': expected {what}" + f" from {least}" * (kind is int), path)
    return value
