"""`mntools score`: the score of a graph on given data, by the certificates' own arithmetic."""

import math

from common.certify import decompose, set_score
from common.certify_blankets import blanket_terms
from common.errors import DataError


def score_table(file, source, by):
    """The terms of a score.

    Parameters
    ----------
    file : GraphFile
    source : Dataset or CliqueScores
    by : Claims
        How to score.

    Returns
    -------
    list of (float, str)
        Signed score and a description (`clique 0,1`, `separator 1`, `variable 3 given 1,5`), cliques before
        separators; without empty separators.

    Raises
    ------
    DataError
        The graph is not chordal, and the score one by cliques; or the score file lacks a set.
    """
    if by.by_blankets:
        return blanket_terms(file.graph, source, by)
    cliques, separators, cycle = decompose(file.graph)
    if cycle:
        shown = "-".join(map(str, cycle))
        raise DataError(f"not chordal, so it has no such score: chordless cycle {shown}", file.path)
    return [
        (sign * set_score(source, members, by.score_type, by.ess), f"{kind} {','.join(map(str, members))}")
        for sign, kind, sets in ((1, "clique", cliques), (-1, "separator", separators))
        for members in sets
        if members
    ]


def total(terms):
    """The score from its terms; -inf if a clique is impossible, whatever its separators are."""
    scores = [score for score, _ in terms]
    return -math.inf if -math.inf in scores else math.fsum(scores)
