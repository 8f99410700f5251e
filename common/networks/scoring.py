"""The score of a graph file: given by the options, or its header, or else BDeu with ess 1."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..data.dataset import Dataset
from ..errors import DataError
from ..files.header_words import BLANKET_SCORES
from ..files.parentsets import ParentSets
from ..files.result_header import Claims
from ..learning.priors import edge_prior_of
from ..scores.scoring import scoring_of

if TYPE_CHECKING:
    from ..files.graphfile import GraphFile
    from ..files.scorefile import CliqueScores
    from ..graphs.edge_prior import EdgePrior
    from ..learning.options import ScoreOptions


LOG = logging.getLogger("cliquewise")


def scoring_of_network(file: GraphFile, scoring: ScoreOptions, source: Dataset | CliqueScores | ParentSets) -> Claims:
    """The score to use, logged if the options do not determine it.

    Parameters
    ----------
    file
        Its header may give both.
    scoring
        The options of the user; None if not given.
    source
        A score file needs neither.

    Raises
    ------
    DataError
        Parent-set scores for an undirected graph; a score of Markov blankets for a directed one.

    Returns
    -------
    Claims
        Those of the header, with the score type and ess to use.
    """
    if file.dag is None and isinstance(source, ParentSets):
        raise DataError("parent-set scores; an undirected graph needs data or clique scores", source.source)
    claims = Claims.read(file.header, file.path)
    score_type = scoring.score_type or claims.score_type or "bdeu"
    if file.dag is not None and score_type in BLANKET_SCORES:
        raise DataError(f"a directed graph, and {score_type} scores undirected ones (mntools convert --format edges)",
                        file.path)  # fmt: skip
    ess = scoring.ess or claims.ess or 1.0
    open_type = scoring.score_type is None
    open_ess = scoring.ess is None and score_type in ("bdeu", "mpl")
    gamma: Any = claims.gamma if scoring.gamma is None else scoring.gamma
    prior = _edge_prior(file, scoring, claims, source)
    by = replace(claims, score_type=score_type, ess=ess, gamma=gamma, edge_prior=prior)
    if isinstance(source, Dataset) and (open_type or open_ess):
        stated = (open_type and claims.score_type) or (open_ess and claims.ess)
        origin = "as in the graph's header" if stated else "by default"
        score = describe(source, by) if open_type or by.ess is None else f"ess {by.ess:g}"
        LOG.info("scored by %s %s", score_type if open_type and not open_ess else score, origin)
    return by


def _edge_prior(file: GraphFile, scoring: ScoreOptions, claims: Claims, source: Any) -> EdgePrior:
    """The prior of the options, or else that of the header."""
    stated = claims.edge_prior
    if stated.digest and scoring.edge_priors is None:
        raise DataError(
            "learned with a file of edge probabilities (# edge-priors); give it with --edge-priors", file.path
        )
    probability = stated.probability if scoring.edge_prior is None else scoring.edge_prior
    prior = edge_prior_of(probability, scoring.edge_priors, source)
    if stated.digest and prior.digest != stated.digest:
        raise DataError(f"{scoring.edge_priors} is not the file of '# edge-priors'; give that one", file.path)
    return prior


def describe(source: Dataset | CliqueScores | ParentSets, by: Claims) -> str:
    """Description of a score, for messages.

    Returns
    -------
    str
        `bdeu, ess 10`, `bic`, `ll`, `mpl, ess 1, prior sparse`, `pic, penalty printed`, `cmi, threshold 0.05` or
        `score file`.
    """
    if not isinstance(source, Dataset) and by.score_type not in BLANKET_SCORES:
        return "score file"
    parts = [by.score_type or ""]
    if by.score_type in ("bdeu", "mpl"):
        parts.append(f"ess {by.ess:.15g}")
    if by.score_type == "ebic":
        parts.append(f"gamma {scoring_of(by).gamma:.15g}")
    if by.edge_prior.probability != 0.5:
        parts.append(f"edge prior {by.edge_prior.probability:.15g}")
    if by.edge_prior.digest:
        parts.append("edge priors of a file")
    if by.score_type in BLANKET_SCORES:
        values = {"prior": by.prior, "penalty": by.penalty, "threshold": by.threshold}
        parts += [f"{key} {value}" for key, value in values.items() if value is not None]
    return ", ".join(parts)
