"""`cliquewise.fit` and its result: what `mnmodel fit` does, from Python."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..common.cli.from_python import Network
    from ..common.data.dataset import Dataset
    from ..common.models.model_fit import FittedNetwork

FORMATS = {".xml": "xmlbif", ".xmlbif": "xmlbif", ".xdsl": "xdsl", ".net": "net", ".uai": "uai", ".json": "json"}


@dataclass(frozen=True)
class Model:
    """A network with probabilities: a Bayesian network.

    Attributes
    ----------
    fitted
    header : dict of str to str
        Lines for a file: the network's own, and how it was fitted.
    """

    fitted: FittedNetwork
    header: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.fitted.names

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the model, whole or not at all.

        Parameters
        ----------
        path
            Its ending chooses the format: .xml, .xdsl, .net, .uai or .json, otherwise BIF.
        """
        from ..common.models.model_file import write_model

        write_model(os.fspath(path), self.fitted.tables(), FORMATS.get(Path(path).suffix, "bif"), self.header)


def fit(data: Dataset, network: Network, ess: float | None = None, ml: bool = False, em: bool = False) -> Model:
    """Fit the probabilities of a network to data.

    Parameters
    ----------
    data
    network
        Chordal, or directed and acyclic.
    ess
        Equivalent sample size of BDeu's prior, > 0; None for the network's own, or else 1.
    ml
        Relative frequencies, without a prior.
    em
        Missing cells, which `read_csv` read as states, are not known: as `mnmodel fit --missing em`.

    Raises
    ------
    DataError
        Neither chordal nor acyclic, other variables than the data's, or with `em` a column without any known cell.
    """
    from ..common.data.incomplete import without_missing_state
    from ..common.files.graphfile import format_graph
    from .fit import FitOptions

    text = format_graph(network.graph, "arcs" if network.graph.directed else "edges", network.header, False)
    known = without_missing_state(data) if em else data
    return Model(*FitOptions(ess, ml).fit(known, "the network", text))
