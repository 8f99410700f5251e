"""`cliquewise.Model`: a network with probabilities, and the questions that Python asks it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ..common.counted import counted
from ..common.python_words import with_python_messages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import networkx

    from ..common.drawing.picture import Picture
    from ..common.models.bayesnet import BayesianNetwork
    from ..common.models.model_fit import FittedNetwork


@dataclass(frozen=True, eq=False)
class Model:
    """A network with probabilities: a Bayesian network.

    Attributes
    ----------
    fitted
        The network that was fitted or read.
    header : dict of str to str
        Lines for a file: the network's own, and how it was fitted.
    library
        The name of the library of the DataFrame that it was fitted to, such as "pandas"; None for other data.
    values : dict of str to dict
        The values of the variables in the table that it was fitted to, by their texts; empty for a file.
    types : dict of str to type
        The types with categories of the columns of that table.
    """

    fitted: FittedNetwork | BayesianNetwork
    header: dict[str, str]
    library: str | None = None
    values: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    types: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.fitted.names

    @cached_property
    def network(self) -> BayesianNetwork:
        """Variables, states, parents and tables, which are made once.

        Raises
        ------
        LimitError
            The tables are too large.
        """
        from ..common.models.bayesnet import BayesianNetwork

        return self.fitted if isinstance(self.fitted, BayesianNetwork) else self.fitted.tables()

    @property
    def states(self) -> dict[str, tuple[str, ...]]:
        """The states of each variable."""
        return dict(zip(self.names, self.fitted.states, strict=True))

    @with_python_messages
    def query(
        self,
        of: str | Sequence[str],
        given: Mapping[str, Any] | None = None,
        likelihood: Mapping[str, Sequence[float]] | None = None,
        soft: Mapping[str, Sequence[float]] | None = None,
    ) -> dict[Any, float]:
        """The distribution of one variable, or of several together, given others.

        Parameters
        ----------
        of
            A name, or several.
        given
            State of each variable that is known: `{"milk": "True"}`; None is not known.
        likelihood
            For uncertain evidence, a number for each state of a variable: the probability of the observation in it.
        soft
            The requested probability of each state of a variable. These numbers, too, are in the order of `states`, or
            a dict with the states as keys.

        Returns
        -------
        dict of state, or of tuple of states, to float

        Raises
        ------
        DataError
            Names or states that the model does not have, a variable with two kinds of evidence, evidence of probability
            zero.
        """
        from ..common.data.frame import names_of
        from .python_queries import joint, query_evidence

        return joint(self.network, names_of(of), *query_evidence(self.network, given, likelihood, soft))

    @with_python_messages
    def do(self, states: Mapping[str, Any]) -> Model:
        """The model after an intervention: some variables are set from outside, whatever their parents are.

        Parameters
        ----------
        states
            The state of each variable that is set: `{"smoker": "no"}`.

        Raises
        ------
        UsageError, DataError
            The model was fitted to an undirected network; no variable, or one without a state; as `query`.
        """
        from .python_queries import after_intervention

        return replace(self, fitted=after_intervention(self.network, self.header, states), header={})

    @with_python_messages
    def marginals(
        self,
        given: Mapping[str, Any] | None = None,
        likelihood: Mapping[str, Sequence[float]] | None = None,
        soft: Mapping[str, Sequence[float]] | None = None,
    ) -> dict[str, dict[str, float]]:
        """The distribution of every variable, given others; arguments and DataError as for `query`.

        If the model is too large, only feasible distributions are computed, with a warning; others are nan.
        """
        from .python_queries import MODEL, query_evidence, refuse_impossible
        from .query import marginals

        network = self.network
        logs, tables = marginals(network, MODEL, *query_evidence(network, given, likelihood, soft))
        refuse_impossible(logs)
        parts = zip(network.names, network.states, tables, strict=True)
        return {name: dict(zip(labels, table[0].tolist(), strict=True)) for name, labels, table in parts}

    @with_python_messages
    def mpe(
        self,
        given: Mapping[str, Any] | None = None,
        likelihood: Mapping[str, Sequence[float]] | None = None,
        soft: Mapping[str, Sequence[float]] | None = None,
    ) -> dict[str, Any]:
        """The most probable states of all variables together, given some; arguments and DataError as for `query`.

        A state is a number if it was one in the table that the model was fitted to.
        """
        from ..common.data.frame import with_values
        from .most_probable import most_probable
        from .python_queries import query_evidence, refuse_impossible

        network = self.network
        rows, likelihoods = query_evidence(network, given, likelihood, soft)
        logs, _, codes, _ = most_probable(network, rows, None, likelihoods)
        refuse_impossible(logs)
        states = {name: [network.states[v][codes[0, v]]] for v, name in enumerate(network.names)}
        return {name: value for name, (value,) in with_values(states, self.values).items()}

    @with_python_messages
    def predict(
        self,
        table: Any,
        target: str,
        proba: bool = False,
        skip_bad_rows: bool = False,
        same_states: Literal["auto", "fold"] = "auto",
    ) -> Any:
        """The most probable state of a variable in each row of a table, with its probability.

        Parameters
        ----------
        table
            A DataFrame, dict of columns, list of rows as dicts, the name of a file, or the result of `read_csv`;
            missing cells are summed out, and a column of the target is not used.
        target
            The variable to predict.
        proba
            The probability of each state instead, a column each.
        skip_bad_rows
            Whether a row with a state that the model does not have gets no prediction, None and nan, like a row of
            probability zero; otherwise such a table is refused.
        same_states
            Whether labels that differ from the model's states in case and blanks only are these states (`fold`).

        Returns
        -------
        DataFrame of the same kind as the input, otherwise a dict of columns; numbers, if the column of the target
        has numbers in the table, or without this column in that which the model was fitted to
        """
        from ..common.data.frame import like, original, values_of, with_values
        from .python_queries import predicted

        table = original(table)
        found = predicted(self.network, table, target, proba, skip_bad_rows, same_states)
        if not proba:
            name = next(iter(found))
            values = {**self.values, **values_of(table, {name: self.states[name]})}
            found |= with_values({name: found[name]}, values)
        return like(found, table)

    @with_python_messages
    def impute(
        self,
        table: Any,
        draws: int | None = None,
        seed: int = 1,
        skip_bad_rows: bool = False,
        same_states: Literal["auto", "fold"] = "auto",
    ) -> Any:
        """The rows of a table with their missing cells filled in, by the most probable ones or by draws.

        All cells have the states of the model then; only the known numbers of a column that the model has in intervals
        stay, and a missing one there is their median in its interval, with draws one of them at random.

        Parameters
        ----------
        table
            As for `predict`.
        draws
            Number of copies of each row, with missing cells drawn; None: one, with the most probable cells together.
        seed
            Of the draws.
        skip_bad_rows
            Whether a row of probability zero, or with a state that the model does not have, stays as it is.
        same_states
            As for `predict`.

        Returns
        -------
        DataFrame of the same kind as the input, otherwise a dict of columns; numbers stay numbers
        """
        from ..common.data.frame import like, original, values_of, with_values
        from .python_queries import imputed

        table = original(table)
        values = {**self.values, **values_of(table)}
        filled = with_values(imputed(self.network, table, draws, seed, skip_bad_rows, same_states), values)
        return like(filled, table, draws or 1)

    @with_python_messages
    def sample(self, rows: int, given: Mapping[str, Any] | None = None, seed: int = 1) -> Any:
        """Independent rows of the model, given findings.

        Parameters
        ----------
        rows
            How many, at least 1.
        given
            State of each variable that is known.
        seed
            At least 0.

        Returns
        -------
        DataFrame of the kind that the model was fitted to, otherwise a dict of columns, which every library takes; the
        columns have numbers where that table has numbers

        Raises
        ------
        UsageError
            Rows or a seed out of their range.
        """
        from ..common.data.frame import frame_of, with_types, with_values
        from .python_queries import evidence_codes, sampled

        columns = with_values(sampled(self.network, rows, seed, evidence_codes(self.network, given)), self.values)
        return columns if self.library is None else with_types(frame_of(columns, self.library), self.types)

    @with_python_messages
    def loglik(self, table: Any, per_row: bool = False, same_states: Literal["auto", "fold"] = "auto") -> Any:
        """The mean log probability of the rows of a table, float, or that of each row, float64[rows].

        Parameters
        ----------
        table
            A table in memory, the name of a file, or what `read_csv` returns, whose rows may have weights.
        per_row
            Whether to return the log probability of each row, in the order of the table.
        same_states
            As for `predict`, unless the table is what `read_csv` returned.
        """
        from ..common.data.dataset import Dataset
        from ..common.data.frame import original
        from ..common.models.held_out import mean_and_error
        from ..common.models.model_data import codes_for
        from .python_queries import rows_of

        is_read = isinstance(table, Dataset) and not per_row
        data = table if is_read else rows_of(original(table), self.network, same_states)
        logs = self.network.log_likelihood(codes_for(self.network, data, partial=True, narrow=True))
        return logs if per_row else mean_and_error(logs, data.weights)[0]

    @with_python_messages
    def page(self, path: str | os.PathLike[str]) -> None:
        """Write a page that shows the model in a browser, and answers queries."""
        from ..common.drawing.page import Page, write_page
        from .page import drawn_graph, model_strengths

        network = self.network
        shown = drawn_graph(network, self.header)
        title = os.path.basename(os.fspath(path))
        write_page(path, Page(title, shown, self.header, model_strengths(network, shown), network))

    @with_python_messages
    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: str = "",
        legend: bool = True,
        size: tuple[float, float] | None = None,
        grey: bool = False,
        layout: str | None = None,
    ) -> Picture:
        """Draw the network; the width of an edge shows the mutual information of its ends.

        Parameters
        ----------
        path, title, legend, size, grey, layout
            As for `Network.draw`; without `layout`, the positions are those in the model's file, if it has any.

        Raises
        ------
        UsageError, LimitError
            As `Network.draw`.
        """
        from ..common.drawing.picture import saved_picture
        from ..common.drawing.style import Style
        from ..common.learning.progress import ProgressLine
        from .page import drawing_of_model

        style = Style(title, legend, size, grey, layout)
        with ProgressLine() as line:
            return saved_picture(path, drawing_of_model(self.network, self.header), style, line.progress)

    def _repr_html_(self) -> str:
        """A picture of the network, for a notebook; the line of `repr` if there are too many variables."""
        from ..common.drawing.picture import shown_in_notebook

        return shown_in_notebook(self, len(self.names))

    def __repr__(self) -> str:
        return (
            f"<Model of {counted(len(self.names), 'variable')}, {counted(sum(map(len, self.fitted.parents)), 'arc')}>"
        )

    def to_networkx(self) -> networkx.DiGraph:
        """The arcs as a `networkx.DiGraph`. A chordal network was directed along a perfect order."""
        from ..common.graphs.dag import Dag
        from ..common.models.library_objects import networkx_graph

        arcs = sorted((u, v) for v, parents in enumerate(self.fitted.parents) for u in parents)
        return networkx_graph(Dag(len(self.names), tuple(arcs)), self.names)

    def to_pgmpy(self) -> Any:
        """A `pgmpy.models.DiscreteBayesianNetwork`. pgmpy must be installed."""
        from ..common.models.library_objects import pgmpy_model

        return pgmpy_model(self.network.full())

    def to_pyagrum(self) -> Any:
        """A `pyagrum.BayesNet`. pyAgrum must be installed."""
        from ..common.models.library_objects import pyagrum_model

        return pyagrum_model(self.network.full())

    @with_python_messages
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
