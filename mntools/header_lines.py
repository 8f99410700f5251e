"""The lines of a header: the claims among them, and whether they agree with the graph and with each other.

Every line is one of these:

* verified by `common.certify` (score, max-clique, treewidth, ...), or used to recompute the score;
* of how the result was made (program, seed, ...): it claims nothing of the graph, and only its form is checked;
* a claim that needs more than the graph and the data: optimality and bounds need a certificate, knowledge about
  arcs and edges its files, estimates the run. It must agree with the other lines; beyond that it is reported as not
  checked.

Any other line is reported as not checked, too. A line of the wrong form, a claim that contradicts another, and a claim
that such a graph cannot have are wrong.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ..common.counted import counted
from ..common.files.header_words import BLANKET_SCORES, SCORE_TYPES, STATES
from ..common.files.result_header import COMMAND, COMPELLED, DATA, OF_DIRECTIONS
from ..common.run.result import COMBINED, GAP_REACHED, LOCAL_OPTIMUM, OPTIMAL, OPTIMAL_OF_BLANKETS, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..common.files.graphfile import GraphFile
    from ..common.files.result_header import Claims


ROUNDING = 1.6e-6  # difference allowed between three numbers with six decimals
PROOFS = (OPTIMAL, OPTIMAL_OF_BLANKETS, GAP_REACHED)  # statuses that claim a proof
BOUNDS = ("upper-bound", "bound-given-blankets", "gap")
_WHOLE = "a whole number", re.compile(r"[0-9]{1,19}", re.ASCII)
_NUMBER = "a number", re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]{1,3})?|-?inf|unknown", re.ASCII)
_TEXT = "a value", re.compile(r".+", re.DOTALL)
_MADE = {
    **dict.fromkeys(
        (
            "program",
            "version",
            COMMAND,
            "sheet",
            "counts",
            "weights",
            "only-columns",
            "dropped-columns",
            "na",
            "method",
            "tried",
        ),
        _TEXT,
    ),
    **dict.fromkeys(("seed", "resample", "ladders", "rounds", "starts", "burn-in", "draws", "edges-added"), _WHOLE),
    **dict.fromkeys(("networks", "replicas", "network-seed"), _WHOLE),
    **dict.fromkeys(("completions", "completion-seed", "completion-rounds", "completion-steps"), _WHOLE),
    **dict.fromkeys(("edge-prior", "lambda", "min-probability", "weight"), _NUMBER),
    "blankets": ("l1lr", re.compile("l1lr")),
    "combine": ("hc, pbo, and or or", re.compile("hc|pbo|and|or")),
    "components": _TEXT,
    "weighted-by": _TEXT,
    "weight-scale": ("rows or none", re.compile("rows|none")),
    "separator": ("tab, semicolon, comma, pipe or blank", re.compile("tab|semicolon|comma|pipe|blank")),
    "chosen-by": ("cv, evidence or validation", re.compile("cv|evidence|validation")),
    "climb": ("yes or no", re.compile("yes|no")),
    "missing": ("refuse, state, drop or em", re.compile("refuse|state|drop|em")),
    "header": ("yes or no", re.compile("yes|no")),
    "arities": ("yes or no", re.compile("yes|no")),
    "decimal": ("point or comma", re.compile("point|comma")),
    "same-states": ("fold or exact", re.compile("fold|exact")),
    **dict.fromkeys((DATA, STATES, "edge-priors"), ("64 hexadecimal digits", re.compile("[0-9a-f]{64}"))),
}
_ESTIMATES = (
    *("mean-score", "effective-samples", "effective-samples-edges", "effective-samples-score", "r-hat-edges"),
    *("r-hat-score", "log-normaliser", "log-normaliser-error", "log-rooted-trees", "largest-standard-error"),
    "error-of-other-edges",
)
_EDGES = ("allowed-edges", "forbidden-edges", "required-edges")
KNOWLEDGE = (*_EDGES, *OF_DIRECTIONS)
_FORMS = {**_MADE, **dict.fromkeys(_ESTIMATES, _NUMBER), **dict.fromkeys((*KNOWLEDGE, COMPELLED), _WHOLE)}
_COMBINED_BY = {  # the statuses with which one way to combine blankets ends, and no other
    LOCAL_OPTIMUM: ("hc",),
    OPTIMAL: ("pbo",),
    OPTIMAL_OF_BLANKETS: ("pbo",),
    COMBINED: ("and", "or"),
}
_OF_ARCS = ("treewidth", "elimination-order", "max-parents")
_OF_SCORE = {
    **{"ess": ("bdeu", "mpl"), "gamma": ("ebic",), "prior": ("mpl",), "penalty": ("pic",), "threshold": ("cmi",)},
    **dict.fromkeys(("edge-prior", "edge-priors"), SCORE_TYPES),
}
_VERIFIED = (
    "score",
    "log-likelihood",
    "score-type",
    "status",
    "max-clique",
    *_OF_ARCS,
    *BOUNDS,
    *_OF_SCORE,
)


def claims_a_bound(claims: Claims) -> bool:
    """Whether the claims hold only if no network within the bounds scores more than some number."""
    return claims.upper_bound is not None or claims.status == OPTIMAL


def allowance(score: float) -> float:
    """How much a bound may exceed the score of an optimal network: the rounding of both."""
    return ROUNDING + 2e-9 * (1.0 + abs(score))


def line_problems(file: GraphFile, claims: Claims, score: float | None = None) -> list[str]:
    """The problems of a header that can be seen without data.

    Parameters
    ----------
    claims
        Those in its header.
    score
        The recomputed score, if none is claimed.
    """
    problems, header = [], file.header
    for key in header.keys() & _FORMS.keys():
        what, form = _FORMS[key]
        if not form.fullmatch(header[key]):
            problems.append(f"'# {key} {header[key][:60]}': expected {what}")
    problems.sort()
    if claims.status is not None and claims.status not in STATUSES:
        problems.append(f"status '{claims.status[:60]}', which no learner ends with")
    problems += _misplaced(file, claims)
    problems += _of_combination(file, claims)
    problems += _edge_counts(file)
    if file.graph.probabilities is None:
        problems += _bound_problems(claims, score if claims.score is None else claims.score)
    return problems


def _misplaced(file: GraphFile, claims: Claims) -> Iterator[str]:
    """Claims that such a graph cannot have."""
    header, kind = file.header, claims.score_type
    if file.graph.probabilities is not None:
        found = [key for key in ("score", *BOUNDS, *_OF_ARCS) if key in header]
        found += ["status"] if claims.status in PROOFS else []
        yield from (f"{key} claimed of a list of edge probabilities, which is not a network" for key in found)
        return
    if file.dag is None:
        yield from (f"{key} claimed of an undirected graph" for key in _OF_ARCS if key in header)
    elif kind in BLANKET_SCORES:
        yield f"score-type {kind} claimed of a directed graph"
    if "max-clique" in header and (file.dag is not None or kind in BLANKET_SCORES):
        yield "max-clique claimed of a network that need not be chordal"
    if "upper-bound" in header and kind in BLANKET_SCORES:
        yield f"upper-bound claimed of a {kind} score, which has a bound given the blankets only"
    if (claims.bound_given_blankets is not None or claims.status == OPTIMAL_OF_BLANKETS) and kind in (
        None,
        *SCORE_TYPES,
    ):
        yield "blankets claimed of a score that is not a sum over these"
    if file.dag is None and file.pdag is None:
        stated = (key for key in (*KNOWLEDGE, COMPELLED) if key in header and key not in _EDGES)
        yield from (f"{key} claimed of an undirected graph" for key in stated)
    for key, types in _OF_SCORE.items():
        if key in header and kind is not None and kind not in types:
            yield f"{key} claimed of a {kind} score, which has none"


def _of_combination(file: GraphFile, claims: Claims) -> Iterator[str]:
    """Claims that contradict how Markov blankets were combined."""
    header, how = file.header, file.header.get("combine")
    if how is None or not _FORMS["combine"][1].fullmatch(how):
        return
    if claims.score_type not in (None, *BLANKET_SCORES) or file.dag is not None:
        yield f"combine {how} claimed of a network that is not of blankets"
    if how not in _COMBINED_BY.get(claims.status or "", (how,)):
        yield f"status '{claims.status}' claimed, with which combine {how} does not end"
    if how != "pbo" and claims.bound_given_blankets is not None:
        yield f"bound-given-blankets claimed of combine {how}, which has none"
    if how not in ("and", "or") and "blankets" in header:
        yield f"combine {how} claimed of blankets by {header['blankets']}, which have no score"


def _edge_counts(file: GraphFile) -> Iterator[str]:
    """Numbers of allowed, forbidden and required edges that this graph rules out."""
    counts = {}
    for key in _EDGES:
        if key in file.header and _WHOLE[1].fullmatch(file.header[key]):
            counts[key] = int(file.header[key])
    edges = len(file.graph.edges)
    pairs = math.comb(file.graph.n, 2)
    if file.graph.probabilities is None and edges > counts.get("allowed-edges", edges):
        yield f"{counted(counts['allowed-edges'], 'allowed edge')} claimed, the graph has {edges}"
    if edges < counts.get("required-edges", 0):
        yield f"{counted(counts['required-edges'], 'required edge')} claimed, the graph has {edges}"
    if file.graph.probabilities is None and counts.get("forbidden-edges", 0) > pairs - edges:
        yield f"{counted(counts['forbidden-edges'], 'forbidden edge')} claimed, only {pairs - edges} are absent"


def _bound_problems(claims: Claims, score: float | None) -> Iterator[str]:
    """Contradictions between status, bounds, gap and score."""
    bounds = claims.upper_bound, claims.bound_given_blankets
    upper = next((bound for bound in bounds if bound is not None), None)
    if claims.gap is not None and upper is None:
        yield f"gap {claims.gap:.6f} claimed without the upper bound that it belongs to"
    if claims.status == GAP_REACHED and None in (claims.gap, claims.upper_bound):
        yield f"status '{GAP_REACHED}' claimed without the upper bound and the gap"
    if score is None:
        if claims.status in PROOFS or claims.gap is not None:
            yield "a proof claimed without a score"
        return
    tolerance = ROUNDING + 1e-12 * abs(score)
    for bound in bounds:
        if bound is not None and score > bound + tolerance:
            yield f"score claimed {score:.6f}, above the upper bound {bound:.6f}"
    if upper is not None and claims.gap is not None and abs(max(0.0, upper - score) - claims.gap) > tolerance:
        yield f"gap claimed {claims.gap:.6f}, upper bound less score is {max(0.0, upper - score):.6f}"
    if claims.status in (OPTIMAL, OPTIMAL_OF_BLANKETS) and upper is not None and upper > score + allowance(score):
        yield f"status '{claims.status}' claimed, but the upper bound is {upper - score:.6f} above the score"


def not_checked(
    file: GraphFile, claims: Claims, proved: bool = False, stated: Mapping[str, int] | None = None
) -> list[str]:
    """The claims of the header that no check here can confirm.

    Parameters
    ----------
    proved
        Whether a certificate has confirmed the upper bound.
    stated
        How many arcs, edges or tiers of each kind were confirmed.
    """
    found = []
    if file.graph.probabilities is not None:
        found += ["probabilities", *(key for key in ("max-clique",) if key in file.header)]
    elif not proved:
        found += [f"status {claims.status}"] if claims.status in PROOFS else []
        found += [key for key in BOUNDS if key in file.header]
        if found and file.dag is None and claims.score_type not in BLANKET_SCORES:
            found[-1] += " (no --certificate)"
    claimed = [key for key in (*KNOWLEDGE, *_ESTIMATES) if key in file.header]
    if any(file.header[key] != str((stated or {}).get(key)) for key in KNOWLEDGE if key in file.header):
        found += [COMPELLED] if COMPELLED in file.header else []
    confirmed = {key: str(count) for key, count in (stated or {}).items()}
    found += [key for key in claimed if file.header[key] != confirmed.get(key)]
    others = [key for key in file.header if key not in (*_VERIFIED, *_FORMS)]
    return [*found, *(f"'{key[:30]}'" for key in others[:5]), *(["more lines"] if len(others) > 5 else [])]
