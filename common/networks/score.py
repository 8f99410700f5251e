"""`mntools score`: the score of a network on given data, with the arithmetic of the certificates.

A chordal graph is scored by its cliques and separators, a directed graph by its families; a score of Markov blankets is
a sum over these.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from ..certify.arcs import directed_cycle, family_terms
from ..certify.blankets import blanket_terms
from ..certify.cliques import decompose, prior_problems
from ..certify.set_scores import set_score
from ..errors import DataError
from ..scores.scoring import scoring_of

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.graphfile import GraphFile
    from ..files.result_header import Claims


def score_table(file: GraphFile, source: Dataset, by: Claims) -> list[tuple[float, str]]:
    """The terms of a score.

    Parameters
    ----------
    source : Dataset, CliqueScores or, for a directed graph, ParentSets
    by
        How to score.

    Returns
    -------
    list of (float, str)
        Signed score and a description: `clique 0,1`, `separator 1`, cliques first, without empty separators;
        `family 2 | 0,1`; or `variable 3 given 1,5`.

    Raises
    ------
    DataError
        Edges with probabilities; or the graph is not chordal, or not acyclic, or the score file lacks a set, or an edge
        has prior probability 0, or 1 and is missing.
    """
    file.check_network()
    problems = [] if by.by_blankets else prior_problems(file.network, by.edge_prior)
    if problems:
        raise DataError(f"{problems[0]}: it has no score", file.path)
    if file.dag is not None:
        cycle = directed_cycle(file.dag)
        if cycle:
            shown = "->".join(map(str, (*cycle, cycle[0])))
            raise DataError(f"not acyclic, so it has no score: {shown}", file.path)
        return [
            (math.fsum(parts), f"family {v} | {','.join(map(str, parents))}".rstrip(" |"))
            for v, parents, parts in family_terms(file.dag, source, scoring_of(by))
        ]
    if by.by_blankets:
        return blanket_terms(file.graph, source, by)
    cliques, separators, cycle = decompose(file.graph)
    if cycle:
        shown = "-".join(map(str, cycle))
        raise DataError(f"not chordal, so it has no such score: chordless cycle {shown}", file.path)
    return [
        (sign * set_score(source, members, scoring_of(by)), f"{kind} {','.join(map(str, members))}")
        for sign, kind, sets in ((1, "clique", cliques), (-1, "separator", separators))
        for members in sets
        if members
    ]


def score_json(terms: list[tuple[float, str]], by: Claims | None, shown: list[tuple[float, str]]) -> str:
    """A score as JSON: with its kind, unless it is of a score file, and some of its terms; minus infinity is null."""
    found: dict[str, Any] = {"score": _json_score(total(terms))}
    if by is not None:
        ess, gamma = by.ess if by.score_type in ("bdeu", "mpl") else None, by.gamma if by.score_type == "ebic" else None
        kind = {"score-type": by.score_type, "ess": ess, "gamma": gamma}
        found |= {key: value for key, value in kind.items() if value is not None}
    if shown:
        found["terms"] = [{"term": name, "score": _json_score(score)} for score, name in shown]
    return json.dumps(found)


def _json_score(score: float) -> float | None:
    return None if score == -math.inf else round(score, 6)


def total(terms: list[tuple[float, str]]) -> float:
    """The score from its terms; -inf if a clique scores -inf, for any separators."""
    scores = [score for score, _ in terms]
    return -math.inf if -math.inf in scores else math.fsum(scores)
