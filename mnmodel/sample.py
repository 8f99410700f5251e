"""`mnmodel sample`: data from a network with known edges, to test learners.

The network is a Bayesian network from a file, whose true edges are those of its moral graph, or a synthetic Markov
network (`mnmodel.synthetic`). One seed draws the factors of a synthetic network, another the rows, so that one
distribution can be sampled several times.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.data.csvwriter import csv_pieces
from ..common.data.states import NO_MARKERS, ordered_dataset
from ..common.errors import DataError, UsageError
from ..common.files.atomic_write import write_whole
from ..common.files.graph_lists import shows_names
from ..common.files.graphfile import write_graph
from ..common.models.mixture import Mixture
from ..common.models.model_file import read_model
from ..common.run.resources import ROW, check_fits
from ..common.version import version
from .evidence import EvidenceOptions
from .synthetic import ONE_OF_EACH, draw_network

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..common.data.dataset import Dataset
    from ..common.graphs.graph import Graph
    from .evidence import ModelEvidence


CELL_BYTES = 8  # bytes of a cell: as drawn, and in the order of its states


@dataclass(frozen=True)
class SampleOptions:
    """Settings of a sample.

    Attributes
    ----------
    model : str or None
        File of a Bayesian network, `-` for standard input; None is a synthetic network.
    rows : int
        Rows to draw, at least 1.
    components : tuple of str or None
        Keys of `mnmodel.components.COMPONENTS`; None is one of each component of section 6.1.
    replicas : int or None
        How often these are repeated; None is once.
    seed : int
        Of the rows.
    network_seed : int or None
        Of the factors; None is `seed`.
    edges : str or None
        File for the true edges; None writes none.
    use_names : bool or None
        Names, or indices, in that file; None: names, if the network has them.
    path : str or None
        File for the data; None or `-` is standard output.
    uai_order : str or None
        As for `common.models.model_file.read_model`.
    evidence : EvidenceOptions
        The evidence about the model's variables.
    """

    model: str | None = None
    rows: int = 1000
    components: tuple | None = None
    replicas: int | None = None
    seed: int = 1
    network_seed: int | None = None
    edges: str | None = None
    use_names: bool | None = None
    path: str | None = None
    uai_order: str | None = None
    evidence: EvidenceOptions = EvidenceOptions()


def sample(options: SampleOptions, on_progress: Callable = lambda share, text: None) -> None:
    """Draw a sample, write it and, on request, the true edges.

    Parameters
    ----------
    options
    on_progress : callable taking a share of the whole or None, and a text
        As `ProgressLine.progress`.

    Raises
    ------
    UsageError
        Incompatible options.
    DataError
        A broken file, or a file that cannot be written.
    LimitError
        No memory for the rows, or the distribution.
    """
    network, graph, header = _network(options, on_progress)
    if options.edges is not None and isinstance(network, Mixture):
        raise UsageError("--edges: the class of a mixture joins all columns, so they have no network; leave it out")
    need = options.rows * (CELL_BYTES * graph.n + ROW)
    check_fits(need, None, f"{options.rows} rows of {graph.n} variables", "draw fewer at a time, with other seeds")
    rng = np.random.default_rng([options.seed, 1])
    on_progress(None, f"drawing {counted(options.rows, 'row')}")
    if options.evidence:
        evidence = options.evidence.read(network, str(options.model))
        graph = evidence.network.moral_graph()
        data = _conditional(evidence, options.rows, rng)
    else:
        data = network.sample(options.rows, rng)
    on_progress(None, f"writing {counted(options.rows, 'row')}")
    try:
        if options.edges is not None:
            made = {"program": "mnmodel sample", "version": version()}
            named = shows_names(options.use_names, graph.names)
            write_graph(options.edges, graph, "edges", {**made, **header}, named)
    except DataError:
        write_whole(options.path, csv_pieces(data))  # a failure of one should not affect the other
        raise
    write_whole(options.path, csv_pieces(data))


def _conditional(evidence: ModelEvidence, rows: int, rng: np.random.Generator) -> Dataset:
    """Rows of a model, given evidence: a Dataset."""
    network = evidence.network
    logs, codes = network.draw_missing(evidence.codes, rng, rows, evidence.likelihoods)
    evidence.check(logs)
    n = network.n - isinstance(network, Mixture)  # rows do not have the class
    return ordered_dataset(network.names[:n], network.states[:n], codes[0][:, :n], declared=NO_MARKERS)


def _network(options: SampleOptions, on_progress: Callable) -> tuple[Any, Graph, dict[str, str]]:
    """The object to sample from, its true graph, and the header of the edge list."""
    if options.model is not None:
        network = read_model(options.model, options.uai_order)
        return network, network.moral_graph(), {"network": Path(options.model).name}
    names, replicas = options.components or ONE_OF_EACH, options.replicas or 1
    seed = options.seed if options.network_seed is None else options.network_seed
    parts = counted(len(names) * replicas, "part")
    rng = np.random.default_rng([seed, 0])
    made = draw_network(names, replicas, rng, lambda share: on_progress(share, f"drawing {parts}"))
    header = {"components": ",".join(names), "replicas": str(replicas), "network-seed": str(seed)}
    return made, made.graph, header
