"""`mnmodel fit`: the data and prior for fitting a network."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..common.cli.compatibility import reject_ineffective_options
from ..common.cli.stated import load_as_stated
from ..common.data.incomplete import IncompleteData, without_missing_state
from ..common.data.reading import Declared
from ..common.errors import DataError, nearest
from ..common.files.file_kinds import MODELS, kind_of_text
from ..common.files.graphfile import resolved
from ..common.files.header_words import READ_BY
from ..common.files.result_header import Claims, stated_reading, text_line
from ..common.inference.em import fit_em
from ..common.inference.em_limits import EmLimits
from ..common.learning.load import kind_of
from ..common.models.any_graph import raw_graph
from ..common.models.model_data import read_states, with_states
from ..common.models.model_file import parse_bayesnet, read_bayesnet, read_model
from ..common.models.model_fit import fit, parents_of
from ..common.models.model_header import header_of, network_lines
from ..common.models.model_states import check_states, with_declared
from .same_order import data_in_order_of, network_in_order_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.data.dataset import Dataset
    from ..common.data.reading import States
    from ..common.files.graph_labels import RawGraph
    from ..common.files.graphfile import GraphFile
    from ..common.learning.sources import InputOptions
    from ..common.models.bayesnet import BayesianNetwork
    from ..common.models.model_fit import FittedNetwork


LOG = logging.getLogger("cliquewise")


class GraphToFit(NamedTuple):
    """A graph whose probabilities are fitted, read once.

    path : str, for messages
    raw : RawGraph, whose variables are still to be found in the data
    model : BayesianNetwork, if it has probabilities
    is_chordal : bool, whether it is a model that was fitted to a chordal network
    """

    path: str
    raw: RawGraph
    model: BayesianNetwork | None = None
    is_chordal: bool = False

    @classmethod
    def parse(cls, text: str, path: str) -> GraphToFit:
        """The graph in the text of a file; DataError as `common.models.any_graph.read_graph`."""
        if kind_of_text(text) not in MODELS:
            return cls(path, raw_graph(text, path))
        model = parse_bayesnet(text, path)
        return cls(path, raw_graph(text, path, model), model, header_of(text).get("network") == "chordal")


@dataclass(frozen=True)
class FitOptions:
    """Settings of fitting.

    Attributes
    ----------
    ess
        Weight of BDeu's prior; None for the value in the graph's header, or else 1.
    ml
        Relative frequencies instead of the posterior mean.
    states_of : tuple of str
        Further CSVs whose states are included.
    em_limits
        Of a fit to data with missing cells or hidden variables.
    start_from : str or None
        A model whose tables such a fit begins with.
    """

    ess: float | None = None
    ml: bool = False
    states_of: tuple = ()
    em_limits: EmLimits = EmLimits()
    start_from: str | None = None

    def load(self, source: InputOptions, graphs: Sequence[GraphToFit]) -> Dataset | IncompleteData:
        """The data to fit to, read as the graphs say where no option does, with the states of further data.

        Parameters
        ----------
        graphs
            Of the first that is a model, or else of `start_from`, the variables and states come first, in its order.

        Raises
        ------
        DataError
            Scores, graphs that differ in how their data were read, or a variable without any known cell whose states
            no file names.
        UsageError
            A graph was learned with declared states, and no file has any.
        """
        path, header = _agreed(source, {graph.path: graph.raw.header for graph in graphs})
        missing = source.missing or header.get("missing") or "refuse"
        reject_ineffective_options(missing=missing)
        is_em = missing == "em"
        labels = {label: graph.path for graph in graphs for label in graph.raw.labels}
        declared = with_declared(source).states
        known = dict(declared.states) if isinstance(declared, Declared) else {}
        if is_em:
            source = replace(source, missing="state")
            if isinstance(declared, Declared):
                source = replace(source, states=replace(declared, hidden=bool(labels.keys() & known.keys())))
        models: list[Any] = [graph.model for graph in graphs if graph.model is not None]
        if not models and self.start_from is not None:
            models = [read_model(self.start_from)]
        if source.states is None and not self.states_of and not models:
            for graph in graphs:
                check_states(None, graph.raw.header, graph.path, "give the file: --states FILE")
        of_model = {name: states for model in models for name, states in zip(model.names, model.states, strict=True)}
        data = load_as_stated(replace(source, of_model=of_model), header, path)
        if kind_of(data) != "data":
            raise DataError("a file of scores, not data; give the table that they were computed from", source.data)
        others = read_states(self.states_of, data, source)
        data = with_states(data, others, missing=missing == "state")
        known |= of_model
        for model in (one for one in others if one.n_stored == 0):
            known |= dict(zip(model.names, model.states, strict=True))
        hidden = _hidden(labels, data, known, is_em)
        if is_em:
            data = without_missing_state(data, hidden)
        return data_in_order_of(data, models[0], only=len(models) == len(graphs)) if models else data

    def fit(self, data: Dataset | IncompleteData, graph: GraphToFit) -> tuple[FittedNetwork, dict[str, str]]:
        """Fit a graph: the network, and the header lines for a file."""
        network, header = self.fit_file(data, resolved(graph.raw, graph.path, data.names))
        return network, header | network_lines("chordal", {}) if graph.is_chordal else header

    def fit_file(self, data: Dataset | IncompleteData, file: GraphFile) -> tuple[FittedNetwork, dict[str, str]]:
        """The same for a graph file that has been read."""
        path = file.path
        claims = Claims.read(file.header, file.path)
        by_qnml = claims.score_type == "qnml" and not isinstance(data, IncompleteData)
        claimed, sequential = claims.ess, by_qnml and not self.ml and self.ess is None
        ess = 0.0 if self.ml else self.ess or claimed or 1.0
        if sequential:
            LOG.info("%s: sequential NML, the prediction of qnml, as in its header", path)
        elif not self.ml and self.ess is None:
            origin = "as in its header" if claimed else "by default"
            LOG.info("%s: prior of BDeu with ess %.15g %s", path, ess, origin)
        lines, rounds = {"parameters": "bdeu", "ess": f"{ess:.15g}"}, {}
        if self.ml or sequential:
            lines = {"parameters": "relative frequencies" if self.ml else "sequential NML"}
        if isinstance(data, IncompleteData):
            parents, start = parents_of(file), None
            if self.start_from is not None:
                start = network_in_order_of(read_bayesnet(self.start_from), data, self.start_from, "the data", parents)
            done = fit_em(data, parents, ess, self.em_limits, start)
            network, likelihood = done.network, f"{done.log_likelihood:.6f}"
            rounds = {"missing": "em", "rounds": str(done.rounds), "log-likelihood": likelihood}
            rounds |= {"starts": str(done.starts)} if done.starts > 1 else {}
        else:
            network = fit(data, parents_of(file), ess, sequential=sequential)
        network_header = network_lines("chordal" if file.dag is None else "directed", file.header)
        return network, {"program": "mnmodel fit", **lines, "rows": str(data.n_rows), **rounds, **network_header}


def _hidden(labels: dict[str, str], data: Dataset, known: States, is_em: bool) -> dict[str, tuple[str, ...]]:
    """The states of those variables of graphs of which no cell need be known.

    Parameters
    ----------
    labels
        The vertices of the graphs, with the file of each.
    known
        States that files name.

    Raises
    ------
    DataError
        A vertex that is no column, whose states are not known, or where only em could learn it.
    """
    for name, path in labels.items():
        if name not in data.names and (name in known) != is_em and not name.isdecimal():
            found = f"'{name}' is not a column of {data.source}{nearest(name, data.names)}"
            needs = "its states: --states FILE" if is_em else "--missing em"
            raise DataError(f"{found}; a hidden variable needs {needs}", path)
    return {name: tuple(known[name]) for name in labels if name in known}


def _agreed(source: InputOptions, headers: dict[str, dict[str, str]]) -> tuple[str, dict]:
    """A path, for messages, and the settings in the headers of graphs that no option gives."""
    stated: dict = {}
    for path, header in headers.items():
        for name, value in stated_reading(header, path).items():
            if getattr(source, name) in (None, "auto"):
                first, other = stated.setdefault(name, (path, value))
                if value != other:
                    found = f"'# {READ_BY[name]} {value}', but '{other}' in {first}"
                    raise DataError(f"{found}: give --{name.replace('_', '-')}, or fit them one by one", path)
    return next(iter(headers), source.data), {READ_BY[name]: text_line(value) for name, (_, value) in stated.items()}
