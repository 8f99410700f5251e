"""Which score a graph file is held to: by the options, else its own header, else BDeu with ess 1."""

import logging

from common.claims import Claims
from common.dataset import Dataset
from common.errors import DataError
from common.parentsets import ParentSets

LOG = logging.getLogger("cliquewise")


def choose_scoring(file, scoring, source):
    """The score type and ess to use, said on the log where the options left them open.

    Parameters
    ----------
    file : GraphFile
        Its header may name both.
    scoring : ScoreOptions
        What the user gave; None where nothing was given.
    source : Dataset, CliqueScores or ParentSets
        A score file needs neither.

    Raises
    ------
    DataError
        Parent-set scores for an undirected graph.

    Returns
    -------
    (str, float)
        Score type and ess.
    """
    if file.dag is None and isinstance(source, ParentSets):
        raise DataError("parent-set scores; an undirected graph needs data or clique scores", source.source)
    claims = Claims.read(file.header, file.path)
    score_type = scoring.score_type or claims.score_type or "bdeu"
    ess = scoring.ess or claims.ess or 1.0
    open_type = scoring.score_type is None
    open_ess = scoring.ess is None and score_type == "bdeu"
    if isinstance(source, Dataset) and (open_type or open_ess):
        stated = (open_type and claims.score_type) or (open_ess and claims.ess)
        origin = "as the graph's header says" if stated else "by default"
        LOG.info("scored by %s %s", describe(source, score_type, ess), origin)
    return score_type, ess


def describe(source, score_type, ess):
    """What a score was computed by, for messages.

    Parameters
    ----------
    source : Dataset, CliqueScores or ParentSets
    score_type : str
    ess : float

    Returns
    -------
    str
        `bdeu, ess 10`, `bic`, `ll` or `score file`.
    """
    if not isinstance(source, Dataset):
        return "score file"
    return f"bdeu, ess {ess:.15g}" if score_type == "bdeu" else score_type
