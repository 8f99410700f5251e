"""What a result file says of itself: the header every learner writes and `mntools check` holds it to.

Keys, in this order: `score` (six decimals), `score-type`, `ess` (bdeu and mpl only), `prior` (mpl), `penalty`
(pic), `threshold` (cmi), `max-clique` (the bound that was kept). A directed graph has instead of the last
`treewidth`, the bound that its moral graph keeps, `elimination-order`, the vertices as numbers, by which it can be
seen, and `max-parents`. Where it is proved, `upper-bound` is what no graph within these bounds exceeds. A key is
left out where nothing is claimed; scores that came from a score file have no type. The scores bdeu, bic and ll are
those of chordal graphs and of directed ones, sums over cliques or families; mpl, pic and cmi those of any graph, sums
over Markov blankets.
"""

import math
from dataclasses import dataclass

from cliquewise.common.errors import DataError

SCORE_TYPES = ("bdeu", "bic", "ll")
BLANKET_SCORES = ("mpl", "pic", "cmi")
PENALTIES = ("printed", "parameters")
MISSING_RULES = ("refuse", "state", "drop")  # what is done with missing cells
ORDER_KEY = "elimination-order"
TWICE_ROUNDED = 1.1e-6  # two numbers of six decimals
# what is true of a directed graph, not of the graph of its arcs
OF_ARCS = ("score", "treewidth", ORDER_KEY, "max-parents", "upper-bound")


@dataclass(frozen=True)
class Claims:
    """Claims about a graph.

    Attributes
    ----------
    score : float or None
        Log marginal likelihood or its stand-in (natural log).
    score_type : str or None
        One of `SCORE_TYPES` or `BLANKET_SCORES`.
    ess : float or None
        Equivalent sample size, > 0.
    max_clique : int or None
        No clique has more vertices, >= 1.
    treewidth : int or None
        The moral graph's treewidth is no larger, >= 0.
    elimination_order : tuple of int, or None
        An order in which the moral graph's vertices can be eliminated with no more than `treewidth` neighbours each.
    prior : str or None
        Of the blankets; None is uniform.
    penalty : str or None
        One of `PENALTIES`; None is the first.
    threshold : float or None
        Nats a row, >= 0.
    max_parents : int or None
        No vertex has more parents, >= 0.
    upper_bound : float or None
        No graph within the bounds scores more.
    """

    score: float | None = None
    score_type: str | None = None
    ess: float | None = None
    max_clique: int | None = None
    treewidth: int | None = None
    elimination_order: tuple | None = None
    prior: str | None = None
    penalty: str | None = None
    threshold: float | None = None
    max_parents: int | None = None
    upper_bound: float | None = None

    @property
    def by_blankets(self):
        """Whether the score is a sum over Markov blankets."""
        return self.score_type in BLANKET_SCORES

    def contradictions(self):
        """What cannot be true of any graph: tuple of str."""
        if None in (self.score, self.upper_bound) or self.score <= self.upper_bound + TWICE_ROUNDED:
            return ()
        return (f"score claimed {self.score:.6f}, above the upper bound {self.upper_bound:.6f}",)

    def header(self):
        """The claims as header lines: dict of str to str, for `common.files.graphfile.write_graph`."""
        ess = self.ess if self.score_type in (None, "bdeu", "mpl") else None
        values = {
            "score": None if self.score is None else f"{self.score:.6f}",
            "score-type": self.score_type,
            "ess": _digits(ess),
            "prior": self.prior,
            "penalty": self.penalty,
            "threshold": _digits(self.threshold),
            "max-clique": self.max_clique,
            "treewidth": self.treewidth,
            ORDER_KEY: self.elimination_order and ",".join(map(str, self.elimination_order)),
            "max-parents": self.max_parents,
            "upper-bound": None if self.upper_bound is None else f"{self.upper_bound:.6f}",
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
        known = (*SCORE_TYPES, *BLANKET_SCORES)
        if kind not in (None, *known):
            raise DataError(f"'# score-type {kind}': expected one of {', '.join(known)}", path)
        penalty = header.get("penalty")
        if penalty not in (None, *PENALTIES):
            raise DataError(f"'# penalty {penalty}': expected one of {', '.join(PENALTIES)}", path)
        return cls(
            _number(header, "score", float, -math.inf, path),
            kind,
            _number(header, "ess", float, 5e-324, path),
            _number(header, "max-clique", int, 1, path),
            _number(header, "treewidth", int, 0, path),
            _order(header, path),
            header.get("prior"),
            penalty,
            _number(header, "threshold", float, 0.0, path),
            _number(header, "max-parents", int, 0, path),
            _number(header, "upper-bound", float, -math.inf, path),
        )


def missing_rule(header, path):
    """What was done with missing cells of the data, by a file's header: one of `MISSING_RULES`, None if it is silent.

    Parameters
    ----------
    header : dict of str to str
    path : str
        For messages.

    Raises
    ------
    DataError
        It is none of these.
    """
    rule = header.get("missing")
    if rule not in (None, *MISSING_RULES):
        raise DataError(f"'# missing {rule}': expected one of {', '.join(MISSING_RULES)}", path)
    return rule


def header_row(header, path):
    """Whether the first row of the data was taken for names, by a file's header: `yes` or `no`, None if it is silent.

    Parameters
    ----------
    header : dict of str to str
    path : str
        For messages.

    Raises
    ------
    DataError
        It is neither.
    """
    told = header.get("header")
    if told not in (None, "yes", "no"):
        raise DataError(f"'# header {told}': expected yes or no", path)
    return told


def resample_seed(header, path):
    """The seed of the bootstrap sample that a network was learned from, by its file's header; None if it is silent.

    Parameters
    ----------
    header : dict of str to str
    path : str
        For messages.

    Raises
    ------
    DataError
        It is no seed.
    """
    return _number(header, "resample", int, 0, path)


def _digits(number):
    """All digits of a float, but 10 for 10.0; None for None."""
    return None if number is None else repr(float(number)).removesuffix(".0")


def renumbered(header, places):
    """A file's header for vertices that were numbered anew.

    Parameters
    ----------
    header : dict of str to str
    places : tuple of int, or None
        The new number of each of the file's vertices; None if they are as they were.

    Returns
    -------
    dict of str to str
        With the elimination order in the new numbers, if it is one; whoever reads a broken one says so.
    """
    if places is None or ORDER_KEY not in header:
        return header
    words = header[ORDER_KEY].split(",")
    moved = {str(v): str(place) for v, place in enumerate(places)}
    return {**header, ORDER_KEY: ",".join(moved.get(word.strip(), word) for word in words)}


def _order(header, path):
    """The elimination order, or None where none is given."""
    if ORDER_KEY not in header:
        return None
    words = [word.strip() for word in header[ORDER_KEY].split(",")]
    if sorted(words) != sorted(map(str, range(len(words)))):
        raise DataError(f"'# {ORDER_KEY} ...': expected the numbers 0 to {len(words) - 1}, each once", path)
    return tuple(map(int, words))


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
