"""The header of a result file: every learner writes it, and `mntools check` verifies it.

Keys, in this order: `score` (six decimals), `score-type`, `ess` (bdeu and mpl only), `gamma` (ebic), `edge-prior` and
`edge-priors`, the digest of a file, `prior` (mpl), `penalty` (pic), `threshold` (cmi), `max-clique` (the bound on the
cliques). Instead of the last, a directed graph has `treewidth`, the bound on its moral graph, `elimination-order`, the
vertices as numbers, which proves it, and `max-parents`. If it was proved, `upper-bound` is an upper bound on the score
of all graphs within these bounds, `gap` its difference to the score, and `status` optimal. `mntools.header_lines` knows
all keys. A key is left out if nothing is claimed; scores from a score file have no type. The scores from bdeu to qnml
are those of chordal graphs and of directed ones, sums over cliques or families; mpl, pic and cmi those of any graph,
sums over Markov blankets.
"""

from __future__ import annotations

import contextlib
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from ..errors import DataError
from ..graphs.edge_prior import NO_PRIOR, EdgePrior
from ..number_text import is_number
from .header_words import (
    BLANKET_SCORES,
    DECIMALS,
    FIT_RULES,
    PENALTIES,
    READ_BY,
    SCORE_TYPES,
    SEPARATORS,
    STATES,
    WEIGHT_SCALES,
)

ORDER_KEY = "elimination-order"
COMMAND, DATA = "command", "data-sha256"  # how a result was made
MADE_BY = (
    "program",
    "version",
    COMMAND,
    DATA,
    "seed",
    "resample",
    *READ_BY.values(),
)
_WHOLE = re.compile(r"\+?[0-9]{1,19}", re.ASCII)
# claims about a directed graph, not about the graph of its arcs
COMPELLED = "compelled-arcs"
OF_DIRECTIONS = ("required-arcs", "forbidden-arcs", "tiers", "order", "roots", "leaves")  # prior knowledge about them
OF_ARCS = (
    *("score", "treewidth", ORDER_KEY, "max-parents", "upper-bound", "gap", "status"),
    *(COMPELLED, *OF_DIRECTIONS),
)


@dataclass(frozen=True)
class Claims:
    """Claims about a graph.

    Attributes
    ----------
    score
        Log marginal likelihood or the score used instead (natural log).
    score_type
        One of `SCORE_TYPES` or `BLANKET_SCORES`.
    ess
        Equivalent sample size, > 0.
    max_clique
        Upper bound on the clique size, >= 1.
    treewidth
        Upper bound on the treewidth of the moral graph, >= 0.
    elimination_order : tuple of int, or None
        An elimination order of the moral graph in which each vertex has at most `treewidth` neighbours when eliminated.
    prior
        Prior of the blankets; None is uniform.
    penalty
        One of `PENALTIES`; None is the first.
    threshold
        Nats per row, >= 0.
    max_parents
        Upper bound on the number of parents, >= 0.
    upper_bound
        Upper bound on the score of all graphs within the bounds.
    status
        Why the learner ended: a constant of `common.run.result`.
    bound_given_blankets
        Upper bound on the score of all graphs with only the edges that the blankets have.
    gap
        Difference of the upper bound (or else the other one) to the score, >= 0.
    gamma
        Weight of the extended BIC's penalty of edges, >= 0.
    edge_prior
        The prior in the score; one that a header names has the digest of its file but not the probabilities there.
    log_likelihood
        Of the observed cells of data with missing cells, under the network fitted to the completed rows.
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
    status: str | None = None
    bound_given_blankets: float | None = None
    gap: float | None = None
    gamma: float | None = None
    edge_prior: EdgePrior = NO_PRIOR
    log_likelihood: float | None = None

    @property
    def by_blankets(self) -> bool:
        """Whether the score is a sum over Markov blankets."""
        return self.score_type in BLANKET_SCORES

    def header(self) -> dict[str, str]:
        """The claims as header lines: dict of str to str, for `common.files.graphfile.write_graph`."""
        ess = self.ess if self.score_type in (None, "bdeu", "mpl") else None
        values = {
            "score": _decimals(self.score),
            "score-type": self.score_type,
            "ess": _digits(ess),
            "gamma": _digits(self.gamma if self.score_type == "ebic" else None),
            "edge-prior": None if self.edge_prior.probability == 0.5 else _digits(self.edge_prior.probability),
            "edge-priors": self.edge_prior.digest or None,
            "prior": self.prior,
            "penalty": self.penalty,
            "threshold": _digits(self.threshold),
            "max-clique": self.max_clique,
            "treewidth": self.treewidth,
            ORDER_KEY: self.elimination_order and ",".join(map(str, self.elimination_order)),
            "max-parents": self.max_parents,
            "upper-bound": _decimals(self.upper_bound),
            "status": self.status,
            "bound-given-blankets": _decimals(self.bound_given_blankets),
            "gap": _decimals(self.gap),
        }
        return {key: str(value) for key, value in values.items() if value is not None}

    @classmethod
    def read(cls, header: dict[str, str], path: str) -> Claims:
        """The claims in a graph file's header.

        Parameters
        ----------
        header
            `GraphFile.header`.
        path
            For messages.

        Raises
        ------
        DataError
            A value of the wrong kind.
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
            header.get("status"),
            _number(header, "bound-given-blankets", float, -math.inf, path),
            _number(header, "gap", float, 0.0, path),
            _number(header, "gamma", float, 0.0, path),
            _edge_prior(header, path),
            _number(header, "log-likelihood", float, -math.inf, path),
        )


_KEYS = {*(field.name.replace("_", "-") for field in fields(Claims)), *MADE_BY}
_KEYS |= {"format", "variables", "names", "columns"}


def refuse_repeated(key: str, before: Iterable[str], path: str, line: int) -> None:
    """Refuse a second line of a key in a header: the last one would replace the claim of the first.

    Parameters
    ----------
    key
        Comments that begin with other words may be repeated.
    before
        The keys above it.
    path
        For messages.

    Raises
    ------
    DataError
    """
    if key in before and key in _KEYS:
        raise DataError(f"'# {key}' is given twice in the header; keep one line of them", path, line)


def text_line(text: str) -> str:
    """A text, such as the name of a column, as the value of a header line, in which blanks and quotes survive."""
    plain = text == " ".join(text.split()) and not text.startswith('"')
    return text if plain else json.dumps(text)


def stated_reading(header: dict[str, str], path: str) -> dict[str, str]:
    """How the data were read, from a file's header: values of options by their names in Python.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        A value that the option does not have.
    """
    choices = {"missing": FIT_RULES, "separator": tuple(SEPARATORS), "same_states": ("fold", "exact")}
    choices |= {"weight_scale": WEIGHT_SCALES, "decimal": DECIMALS}
    choices |= dict.fromkeys(("header", "arities"), ("yes", "no"))
    found = {}
    for name, key in READ_BY.items():
        if name in choices:
            _one_of(header, key, choices[name], path)
        if key in header and key != STATES:
            found[name] = _text_of(header[key])
    return found


def _text_of(value: str) -> str:
    """The text of a header line's value."""
    if value.startswith('"'):
        with contextlib.suppress(ValueError):  # as another program wrote it
            return str(json.loads(value))
    return value


def resample_seed(header: dict[str, str], path: str) -> int | None:
    """The seed of the bootstrap sample that a network was learned from, from its file's header; None if not stated.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        It is not a seed.
    """
    return _number(header, "resample", int, 0, path)


def plan_numbers(header: dict[str, str], path: str) -> tuple[int, int, int, int | None]:
    """By how many completions of each row, which seed, and how many rounds and steps, incomplete data were completed.

    Parameters
    ----------
    path
        For messages.

    Raises
    ------
    DataError
        They are not numbers, or not stated.
    """
    least = {"completions": 1, "completion-seed": 0, "completion-rounds": 1}
    found = [_number(header, key, int, low, path) for key, low in least.items()]
    if None in found:
        raise DataError(f"'# missing em' without {', '.join(f'# {key}' for key in least)}", path)
    return found[0], found[1], found[2], _number(header, "completion-steps", int, 0, path)


def _one_of(header: dict[str, str], key: str, allowed: tuple[str, ...], path: str) -> str | None:
    """The value of a key, None if there is none; DataError if it is not among those allowed."""
    value = header.get(key)
    if value not in (None, *allowed):
        *most, last = allowed
        raise DataError(f"'# {key} {value}': expected {', '.join(most)} or {last}", path)
    return value


def _decimals(number: float | None) -> str | None:
    """A float with six decimals; None for None."""
    return None if number is None else f"{number:z.6f}"


def _digits(number: float | None) -> str | None:
    """All digits of a float, with 10 for 10.0; None for None."""
    return None if number is None else repr(float(number)).removesuffix(".0")


def renumbered(header: dict[str, str], places: tuple[int, ...] | None) -> dict[str, str]:
    """A file's header after its vertices were renumbered.

    Parameters
    ----------
    places
        The new number of each of the file's vertices; None if unchanged.

    Returns
    -------
    dict of str to str
        With the elimination order in the new numbers, if it is valid; otherwise the error is reported when it is read.
    """
    if places is None or ORDER_KEY not in header:
        return header
    words = header[ORDER_KEY].split(",")
    moved = {str(v): str(place) for v, place in enumerate(places)}
    return {**header, ORDER_KEY: ",".join(moved.get(word.strip(), word) for word in words)}


def _edge_prior(header: dict[str, str], path: str) -> EdgePrior:
    """The prior on edges, without the probabilities of its file."""
    probability = _number(header, "edge-prior", float, 0.0, path)
    if probability is not None and not 0.0 < probability < 1.0:
        raise DataError(f"'# edge-prior {header['edge-prior']}': expected a number between 0 and 1", path)
    return EdgePrior(0.5 if probability is None else probability, digest=header.get("edge-priors", ""))


def _order(header: dict[str, str], path: str) -> tuple[int, ...] | None:
    """The elimination order, or None if not given."""
    if ORDER_KEY not in header:
        return None
    words = [word.strip() for word in header[ORDER_KEY].split(",")]
    if sorted(words) != sorted(map(str, range(len(words)))):
        raise DataError(f"'# {ORDER_KEY} ...': expected the numbers 0 to {len(words) - 1}, each once", path)
    return tuple(map(int, words))


def header_number(header: dict[str, str], key: str, kind: type, path: str) -> Any:
    """A finite number in a header, of a kind, from 0 if that is int; None if the key is missing, DataError if wrong."""
    return _number(header, key, kind, 0 if kind is int else -math.inf, path)


def _number(header: dict[str, str], key: str, kind: type, least: float, path: str) -> Any:
    """A finite number of at least `least`, or None if the key is missing."""
    if key not in header:
        return None
    text = header[key]
    value = kind(text) if (_WHOLE.fullmatch if kind is int else is_number)(text) else math.nan
    if not (math.isfinite(value) and value >= least):  # 19 digits at most: a float
        what = "a whole number" if kind is int else "a number"
        raise DataError(f"'# {key} {text}': expected {what}" + f" from {least:g}" * (least in (0, 1)), path)
    return value
