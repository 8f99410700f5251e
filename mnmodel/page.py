"""`mnmodel page`: the content of the page of a model (`common.drawing.page` writes it).

A model that was fitted to a chordal network is drawn as that network, without arrows: their directions are only those
of a perfect order. Any other model is drawn with its arrows. The width of an edge is one of

* the score that is lost without it, with data (`common.drawing.strength`);
* its probability in an edge list, 0 if it is not listed;
* the mutual information of its two variables in the model, which the page computes itself.

A mixture is drawn as the edges of all its networks, and the width of an edge is the weight of the networks that have
it. Its class is a box beside them: it is joined to every variable.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..common.cli.stated import load_as_stated
from ..common.drawing.page import Page, Strengths, computes_answers, file_lines, title_of
from ..common.drawing.picture import Drawing, EdgeNotes
from ..common.drawing.probabilities import edge_probabilities
from ..common.drawing.strength import edge_strengths
from ..common.errors import DataError, LimitError, UsageError
from ..common.files.graphfile import GraphFile
from ..common.files.input_stream import read_text
from ..common.files.result_header import Claims
from ..common.graphs.dag import Dag
from ..common.graphs.graph import Graph
from ..common.graphs.size_text import size_text
from ..common.learning.sources import InputOptions
from ..common.models.bayesnet import BayesianNetwork
from ..common.models.empirical import Empirical
from ..common.models.mixture import Mixture
from ..common.models.model_file import parse_model
from ..common.models.model_header import NETWORK_PREFIX, header_of
from ..common.networks.completed import completed_rows
from ..common.networks.scoring import describe
from ..mntools.strength import computed_notes
from .evidence import EvidenceOptions
from .information import edge_information

LOG = logging.getLogger("cliquewise")
INFORMATION = "mutual information in the model, nats"


@dataclass(frozen=True)
class ModelPageOptions:
    """The content of the page of a model.

    Attributes
    ----------
    source
        Data for the strengths of the edges.
    strength
        score or mi; None is score with data, else mi, or the weights of a mixture's networks.
    probabilities
        File of an edge list with probabilities.
    structure
        Only the network, without the probabilities of the model.
    uai_order
        As for `common.models.model_file.read_model`.
    evidence : EvidenceOptions
        The evidence that the page shows first.
    """

    source: InputOptions | None = None
    strength: str | None = None
    probabilities: str | None = None
    structure: bool = False
    uai_order: str | None = None
    evidence: EvidenceOptions = EvidenceOptions()


def page_of_model(path: str, options: ModelPageOptions) -> Page:
    """The page of a model.

    Parameters
    ----------
    path
        Its file; `-` is standard input.

    Raises
    ------
    CliquewiseError
        A file that cannot be read, or that does not fit the model.
    """
    text = read_text(path, "a Bayesian network (BIF, XMLBIF, UAI or JSON)")
    model, header = parse_model(text, path, options.uai_order), header_of(text)
    if isinstance(model, Mixture):
        weights = _weights_of_edges(model)
        drawn: Graph | Dag = Graph(model.n, tuple(weights), model.names)
    else:
        drawn = drawn_graph(model, header)
    lines, strengths, evidence = file_lines(path), None, None
    if options.probabilities is not None:
        strengths = Strengths("probability of the edge", edge_probabilities(options.probabilities, drawn))
    elif options.source is not None and options.source.data is not None:
        if isinstance(model, Mixture):
            raise UsageError(f"{path}: a mixture of networks, whose edges have no score; leave out --data")
        strengths, evidence = _losses(path, header, drawn, options.source)
        lines["data"] = Path(options.source.data).name
    elif isinstance(model, Mixture) and options.strength is None:
        strengths = Strengths("weight of the networks that have the edge", tuple(weights.values()))
    elif isinstance(model, Mixture):
        known = edge_information(EvidenceOptions().read(model, path))
        strengths = Strengths(INFORMATION, tuple(known[edge] for edge in drawn.edges))
    elif not options.structure:
        strengths = model_strengths(model, drawn)
    shown = None if options.structure else model
    positions = getattr(model, "positions", None)
    initial = _initial_evidence(model, path, options)
    return Page(title_of(path), drawn, lines | header, strengths, shown, None, positions, initial, evidence)


def _initial_evidence(model: BayesianNetwork | Mixture, path: str, options: ModelPageOptions) -> dict[int, np.ndarray]:
    """The evidence that the page shows first, as likelihoods of at most 1."""
    if options.structure and options.evidence:
        raise UsageError("--given, --likelihood and --soft: --structure has no probabilities; leave one of them out")
    known = options.evidence.read(model, path)
    known.check(model.log_likelihood(known.codes, known.likelihoods) if options.evidence else np.zeros(1))
    hard = {v: np.eye(len(model.states[v]))[k] for v, k in enumerate(known.codes[0].tolist()) if k >= 0}
    return hard | {v: values / values.max() for v, values in known.likelihoods.items()}


def model_strengths(model: BayesianNetwork, drawn: Graph | Dag) -> Strengths | None:
    """The mutual information of each edge's ends, by the page itself if it computes; None if it is not feasible."""
    if computes_answers(model):
        return Strengths(INFORMATION, None)
    values = _information(model, drawn)
    return None if values is None else Strengths(INFORMATION, values)


def _information(model: BayesianNetwork, drawn: Graph | Dag) -> tuple[float, ...] | None:
    """The mutual information of the ends of each edge that is drawn; None if it is not feasible, which is logged."""
    try:
        known = edge_information(EvidenceOptions().read(model, "the model"))
    except LimitError as error:
        LOG.info("edges without widths: %s", error)
        return None
    return tuple(known[min(edge), max(edge)] for edge in drawn.edges)


def _weights_of_edges(mixture: Mixture) -> dict[tuple[int, int], float]:
    """For each edge, in order, the sum of the weights of the networks that have it; rows have none."""
    weights: dict[tuple[int, int], float] = {}
    for weight, network in zip(mixture.weights.tolist(), mixture.networks, strict=True):
        for edge in () if isinstance(network, Empirical) else network.moral_graph().edges:
            weights[edge] = weights.get(edge, 0.0) + weight
    return dict(sorted(weights.items()))


def drawn_graph(model: BayesianNetwork, header: dict[str, str]) -> Graph | Dag:
    """The network of a model as it is drawn: a Graph if it was fitted to a chordal one, otherwise its arcs, a Dag."""
    dag = Dag.from_parents(model.parents, model.names)
    moral = model.moral_graph()
    return moral if header.get("network") == "chordal" and len(moral.edges) == len(dag.arcs) else dag


def drawing_of_model(model: BayesianNetwork, header: dict[str, str]) -> Drawing:
    """A model as a picture; the width of an edge is the mutual information of its ends, where that can be computed."""
    drawn = drawn_graph(model, header)
    return Drawing(drawn, _information(model, drawn), size_text(drawn), INFORMATION, model.positions, model.titles)


def _losses(
    path: str, header: dict[str, str], drawn: Graph | Dag, source: InputOptions
) -> tuple[Strengths, list[EdgeNotes]]:
    """The loss of score without each edge, by the score that was learned with; and notes on each edge from the data."""
    learned = {key.removeprefix(NETWORK_PREFIX): value for key, value in header.items()}
    data = completed_rows(learned, path, load_as_stated(source, learned, path))
    column, names = {name: i for i, name in enumerate(data.names or ())}, drawn.names or ()
    missing = [name for name in names if name not in column]
    if missing:
        raise DataError(f"no column '{missing[0]}', which the model has", data.source)
    claims = Claims.read(learned, path)
    scored_by = replace(claims, score_type=claims.score_type or "bdeu", ess=claims.ess or 1.0)
    pairs = [(column[names[u]], column[names[v]]) for u, v in drawn.edges]
    if isinstance(drawn, Graph):
        pairs = [(min(pair), max(pair)) for pair in pairs]
    graph = type(drawn)(data.n, tuple(sorted(pairs)), data.names)
    gains = edge_strengths(graph, data, scored_by)
    known = dict(zip(graph.edges, gains, strict=True))
    LOG.info("edges by the score lost without them: %s", describe(data, scored_by))
    values = tuple(known[pair] for pair in pairs)
    found = GraphFile(Graph(data.n, tuple(sorted({(min(pair), max(pair)) for pair in pairs})), data.names), "edges")
    notes = computed_notes(found if isinstance(graph, Graph) else replace(found, dag=graph), data, scored_by, gains)
    noted = dict(zip(graph.edges, notes, strict=True))
    measure = f"score lost without the edge ({describe(data, scored_by)})"
    return Strengths(measure, values), [noted[pair] for pair in pairs]
