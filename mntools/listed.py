"""`mntools check` of a list of networks: whether each claim is true, and whether these are the best networks.

Each network is checked separately. They must be different, in the order of their scores, and as many as the
header claims; its claims about all other networks must agree with these. That no other network scores more is proved
by a certificate, which is about all networks but those listed: one that is left out has no proof.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

from ..common.counted import counted
from ..common.errors import DataError
from ..common.files.network_list import BEST, CLASSES, OTHERS, PROVED, TIED, WITHIN
from ..common.files.result_header import Claims, header_number
from ..common.run.result import OPTIMAL, STATUSES
from .check import check, cliques_of, margin_of, proof_problems
from .header_lines import allowance, not_checked
from .proof_reader import read_proof
from .scoring import choose_scoring
from .verdict import OK, WRONG, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..common.files.graphfile import GraphFile
    from ..common.files.network_list import NetworkList
    from ..common.graphs.statements import Statements
    from ..common.learning.options import ScoreOptions


def check_list(
    listed: NetworkList,
    source: Any,
    scoring: ScoreOptions,
    certificate: str | None,
    stated: Statements,
) -> Verdict:
    """Certify a list of networks; arguments, result and errors as for `check`."""
    path, claimed = listed.files[0].path, []
    for number, (file, line) in enumerate(zip(listed.files, listed.lines, strict=True), 1):
        found = check(file, source, scoring, None, stated)
        if not found.is_ok:
            return found._replace(details=f"{found.details} (network {number}, line {line})")
        claims = Claims.read(file.header, path)
        claimed.append(claims.score)
        kind, ess = scoring.score_type or claims.score_type or "bdeu", scoring.ess or claims.ess or 1.0
        scoring = replace(scoring, score_type=kind, ess=ess)  # logged for the first network only
    scores = [score for score in claimed if score is not None]
    if len(scores) == len(claimed):
        problems = [*_order_problems(listed, scores), *_header_problems(listed.header, scores, path)]
    else:  # samples, which may be equal
        problems = [f"{key} claimed of networks without scores" for key in (BEST, WITHIN, PROVED, OTHERS)
                    if key in listed.header]  # fmt: skip
    different = {_identity(file, CLASSES in listed.header) for file in listed.files}
    summary = f"{counted(len(claimed), 'network')}, {len(different)} different"
    left = ["scores (no --data)"] if source is None else []
    if certificate is None:
        left += [f"{key} (no --certificate)" for key in (OTHERS,) if key in listed.header]
    elif len(scores) < len(claimed):
        raise DataError("networks without scores, which a certificate is about", path)
    elif not problems:
        problems, proved = _check_others(certificate, listed, source, scoring, scores)
        summary += proved
    if problems:
        return Verdict(WRONG, "; ".join(problems))
    left += [TIED] if TIED in listed.header else []
    left += not_checked(listed.files[0], claims, stated=stated.counts())
    return Verdict(OK, summary + (f"; not checked: {', '.join(left)}" if left else ""))


def _order_problems(listed: NetworkList, scores: list[float]) -> Iterator[str]:
    """A network that is listed twice, or after one that scores less."""
    first: dict = {}
    for number, (file, line) in enumerate(zip(listed.files, listed.lines, strict=True), 1):
        same = _identity(file, CLASSES in listed.header)
        if first.setdefault(same, number) < number:
            what = "network" if file.dag is None or CLASSES not in listed.header else "equivalent to network"
            yield f"network {number} (line {line}) is {what} {first[same]}" + " again" * (what == "network")
    for number, (before, score) in enumerate(pairwise(scores), 2):
        if before < score - allowance(score):  # tied ones are in another order
            yield f"network {number} (line {listed.lines[number - 1]}) scores more than the one before it"


def _identity(file: GraphFile, by_class: bool) -> Any:
    """The key by which networks of a list differ: edges, arcs, or for a class the edges and the colliders."""
    if file.dag is None:
        return file.graph.edges
    if not by_class:
        return file.dag.edges
    joined = set(file.graph.edges)
    pairs = ((v, pair) for v, parents in enumerate(file.dag.parents()) for pair in combinations(parents, 2))
    return file.graph.edges, frozenset((v, pair) for v, pair in pairs if pair not in joined)


def _header_problems(header: dict[str, str], scores: list[float], path: str) -> Iterator[str]:
    """Claims of the header about the list that are impossible."""
    most, proved = (header_number(header, key, int, path) for key in (BEST, PROVED))
    within, others = header_number(header, WITHIN, float, path), _others(header, path)
    status, count = header.get("status"), len(scores)
    if status is not None and status not in STATUSES:
        yield f"status '{status[:60]}', which no learner ends with"
    if most is not None and count > most:
        yield f"{counted(count, 'network')}, but '# {BEST} {most}'"
    if proved is not None and proved > count:
        yield f"'# {PROVED} {proved}', but there are {counted(count, 'network')}"
    first, last = scores[0], scores[-1]
    margin = allowance(first)
    if within is not None and last < first - within - margin:
        yield f"the last scores {first - last:.6f} less than the first, but '# {WITHIN} {within:g}'"
    if status == OPTIMAL and (others is None or (proved is not None and proved < count)):
        yield f"status {OPTIMAL} claimed without a bound on the others, or with networks that are not proved"
    if others is None:
        if proved:
            yield f"'# {PROVED} {proved}' without a bound on the others"
        return
    if proved and proved <= count and scores[proved - 1] < others - margin:
        yield f"'# {PROVED} {proved}', but others may score {others:.6f}"
    needed = first - within if within is not None and count != most else last
    if status == OPTIMAL and others > needed + margin:
        yield f"status {OPTIMAL} claimed, but others may score {others:.6f}"


def _others(header: dict[str, str], path: str) -> float | None:
    """The bound on the score of all other networks, minus infinity if there are none; None if it is not claimed."""
    return -math.inf if header.get(OTHERS) == "-inf" else header_number(header, OTHERS, float, path)


def _check_others(
    path: str, listed: NetworkList, source: Any, scoring: ScoreOptions, scores: list[float]
) -> tuple[list[str], str]:
    """Problems with the certificate of a list, and a short description of its claim."""
    proof, file = read_proof(path), listed.files[0]
    by, claims = choose_scoring(file, scoring, source), Claims.read(file.header, file.path)
    if by.by_blankets or file.dag is not None:
        raise DataError("a certificate is about chordal networks", path)
    stated = header_number(proof.header, "networks", int, path)
    if stated != len(scores):
        found = "all networks" if stated is None else f"all but {stated} networks"
        return [f"the certificate is about {found}, and {len(scores)} are listed"], ""
    edges = [each.graph.edges for each in listed.files]
    problems = proof_problems(path, proof, source, by, claims.max_clique or file.graph.n, edges)
    upper, others = float(proof.upper_bound), _others(listed.header, file.path)
    if not problems and others is not None and upper > others + margin_of(upper):
        problems.append(f"{OTHERS} {others:.6f} claimed, the certificate proves {upper:.6f} only")
    return problems, f", no other with {cliques_of(proof)} scores more than {upper:.6f}"
