"""Networks with probabilities from Python: `cliquewise.fit`, as `mnmodel fit`, and `cliquewise.read_model`."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..common.cli.from_python import Network
    from ..common.models.bayesnet import BayesianNetwork
    from ..common.models.model_fit import FittedNetwork


@dataclass(frozen=True)
class Model:
    """A network with probabilities: a Bayesian network.

    Attributes
    ----------
    fitted
        What `fit` found, or what `read_model` read.
    header : dict of str to str
        Lines for a file: the network's own, and how it was fitted.
    """

    fitted: FittedNetwork | BayesianNetwork
    header: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.fitted.names

    @property
    def network(self) -> BayesianNetwork:
        """Variables, states, parents and tables.

        Raises
        ------
        LimitError
            The tables are too large.
        """
        from ..common.models.bayesnet import BayesianNetwork

        return self.fitted if isinstance(self.fitted, BayesianNetwork) else self.fitted.tables()

    def to_pgmpy(self) -> Any:
        """A `pgmpy.models.DiscreteBayesianNetwork`. pgmpy must be installed."""
        from ..common.models.library_objects import pgmpy_model

        return pgmpy_model(self.network.full())

    def to_pyagrum(self) -> Any:
        """A `pyagrum.BayesNet`. pyAgrum must be installed."""
        from ..common.models.library_objects import pyagrum_model

        return pyagrum_model(self.network.full())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the model, whole or not at all.

        Parameters
        ----------
        path
            Its ending chooses the format: .bif, .xml, .bifxml or .xmlbif, .xdsl, .net, .uai or .json. A name without
            an ending, or with .txt: BIF.

        Raises
        ------
        UsageError
            Another ending.
        """
        from ..common.files.endings import format_of_name
        from ..common.models.model_file import MODEL_FORMATS, write_model

        write_model(os.fspath(path), self.network, format_of_name(path, MODEL_FORMATS, "bif"), self.header)


def read_model(path: str | os.PathLike[str]) -> Model:
    """The Bayesian network in a file: BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON of `mnmodel fit`.

    Parameters
    ----------
    path
        `-` is standard input.

    Raises
    ------
    DataError
        Unreadable or malformed, with file and line, or a mixture of networks.
    """
    from ..common.files.input_stream import read_text
    from ..common.models.model_file import parse_network
    from ..common.models.model_header import header_of

    name = os.fspath(path)
    text = read_text(name, "a Bayesian network")
    return Model(parse_network(text, name), header_of(text))


def fit(data: Any, network: Network, ess: float | None = None, ml: bool = False) -> Model:
    """Fit the probabilities of a network to data.

    Parameters
    ----------
    data
        What `read_csv` returns or takes: a table in memory, or the name of a file. Missing cells as for the network.
    network
        Chordal, or directed and acyclic.
    ess
        Equivalent sample size of BDeu's prior, > 0; None for the network's own, or else 1.
    ml
        Maximum likelihood: relative frequencies, without a prior.

    Raises
    ------
    UsageError
        No table.
    DataError
        Neither chordal nor acyclic, other variables than the data's.
    """
    from ..common.cli.from_python import data_or_frame, read_csv
    from ..common.data.dataset import Dataset
    from ..common.files.graphfile import format_graph
    from .fit import FitOptions

    if not isinstance(data, Dataset):
        missing = "em" if network.header.get("missing") == "em" else "refuse"
        data = read_csv(data if isinstance(data, str | os.PathLike) else data_or_frame(data), missing=missing)
    text = format_graph(network.graph, "arcs" if network.graph.directed else "edges", network.header, False)
    return Model(*FitOptions(ess, ml).fit(data, "the network", text))
