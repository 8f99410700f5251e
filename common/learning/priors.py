"""The score of a run from its options, with the prior on edges: `--edge-prior` and `--edge-priors`.

A file of priors has rows u,v,probability, by name or by number, below an optional row of these words; an edge list with
probabilities, such as mnposterior writes, is one too, and so is a table with the head source,target,weight. Probability
0 forbids the edge and 1 requires it, as `--forbidden-edges` and `--required-edges` do; all others are part of the score
(`common.graphs.edge_prior`).
"""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING, Any

from ..errors import DataError, UsageError
from ..graphs.edge_prior import EdgePrior
from ..graphs.graph import Graph, shown
from ..scores.scoring import Scoring

if TYPE_CHECKING:
    from .options import ScoreOptions

LOG = logging.getLogger("cliquewise")
OPTION = "--edge-priors"


def scoring_of_options(
    options: ScoreOptions, data: Any, edges: dict[str, Any] | None
) -> tuple[Scoring, dict[str, Any]]:
    """The score, and the edges that must and must not be there.

    Parameters
    ----------
    data : Dataset or record of scores
    edges
        `allowed`, `forbidden` and `required`, as from EdgeOptions; None for a learner without these.

    Returns
    -------
    (Scoring, dict)
        The edges with those of probability 0 and 1.

    Raises
    ------
    DataError
        The file cannot be read, or names other variables.
    UsageError
        Probabilities that contradict other options.
    """
    prior = edge_prior_of(options.edge_prior, options.edge_priors, data)
    scoring = Scoring(options.score_type, options.ess, options.gamma, prior)
    if not prior.forbidden and not prior.required:
        return scoring, {} if edges is None else edges
    if edges is None:
        wrong = min(prior.forbidden + prior.required)
        message = (
            f"{shown(wrong, data.names)} has probability 0 or 1, and edges can neither be forbidden nor required here"
        )
        raise UsageError(f"{OPTION}: edge {message}; give a number between")
    allowed, forbidden, required = edges["allowed"], edges["forbidden"], edges["required"]
    outside = set() if allowed is None else {*prior.required} - {*allowed.edges}
    if outside:
        message = f"{shown(min(outside), data.names)} has probability 1 and is not among --allowed-edges"
        raise UsageError(f"{OPTION}: edge {message}; allow it, or give a number below 1")
    return scoring, {
        **edges,
        "forbidden": _with(forbidden, prior.forbidden, required, "0", "--required-edges", data),
        "required": _with(required, prior.required, forbidden, "1", "--forbidden-edges", data),
    }


def edge_prior_of(probability: float, path: str | None, data: Any) -> EdgePrior:
    """The prior of two options.

    Parameters
    ----------
    probability
        Of pairs that the file does not name.
    path
        The file; None if there is none.
    data : Dataset or record of scores

    Returns
    -------
    EdgePrior

    Raises
    ------
    DataError
        The file cannot be read, or names other variables.
    """
    from ..files.input_stream import read_text
    from ..files.listed_edges import LEFT_OUT
    from ..models.any_graph import parse_graph

    if path is None:
        return EdgePrior(probability)
    text = read_text(path, "a file of edge probabilities")
    if not text.strip():
        return EdgePrior(probability)
    file = parse_graph(_with_columns(text), path, getattr(data, "names", None), data.n, in_part=True)
    graph, rest = file.graph, file.header.get(LEFT_OUT)
    if rest is not None:
        message = f"all but {rest}; these have the prior probability {probability:g}, as pairs that are not named"
        LOG.warning("%s: it lists %s; write it with --min-probability 0", path, message)
    if graph.probabilities is None:
        raise DataError("edges without probabilities; expected rows u,v,probability", path)
    pairs = dict(zip(graph.edges, graph.probabilities, strict=True))
    forbidden, required = (tuple(edge for edge, p in pairs.items() if p == end) for end in (0.0, 1.0))
    between = {edge: p for edge, p in pairs.items() if 0.0 < p < 1.0}
    return EdgePrior(probability, between, forbidden, required, hashlib.sha256(text.encode()).hexdigest())


def _with_columns(text: str) -> str:
    """The text as an edge list with a line that names its columns; at the end, so that lines keep their numbers."""
    from ..files.graph_exchange import ends_in_head

    lines = text.splitlines(keepends=True)
    if any(line.startswith("# columns") for line in lines):
        return text
    first = next((k for k, line in enumerate(lines) if line.strip() and not line.startswith("#")), None)
    if first is None or lines[first].count(",") != 2:
        return text
    if ends_in_head(lines[first]):
        return text
    if [cell.strip().lower() for cell in lines[first].split(",")] == ["u", "v", "probability"]:
        lines[first] = "#\n"
    return "".join(lines).rstrip("\n") + "\n# format edges\n# columns u,v,probability\n"


def _with(
    known: Graph | None,
    certain: tuple[tuple[int, int], ...],
    other: Graph | None,
    probability: str,
    option: str,
    data: Any,
) -> Graph | None:
    """The edges known with those that are certain; refused if another option states the contrary."""
    both = set(certain) & {*(() if other is None else other.edges)}
    if both:
        message = f"{shown(min(both), data.names)} has probability {probability} and is among {option}"
        raise UsageError(f"{OPTION}: edge {message}; remove it from one of them")
    if not certain:
        return known
    edges = {*certain, *(() if known is None else known.edges)}
    return Graph(data.n, tuple(sorted(edges)), getattr(data, "names", None))
