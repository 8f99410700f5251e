"""The commands as Python functions: `cliquewise.lsmarkov(data, ess=10, time_limit=5)` does what the command line does.

A learner's package can be called (`CallablePackage`). The keywords are the long options with `_` in place of `-`:
`True` for a flag, a list for several values. They become the words of a command line, so defaults, ranges and refusals
are those of the command; the data may be a `Dataset`, which then is not read again, or `IncompleteData`, which are
learned from as by `--missing em`. The result is what the command writes, read back: certified, with its header.
"""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import UsageError

if TYPE_CHECKING:
    import click
    import networkx

    from ..data.dataset import Dataset
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph


_OF_OUTPUT = {f"--{name}" for name in "output format names help help-all version dry-run quiet verbose".split()}


class CallablePackage(ModuleType):
    """The package of a learner, which is also a function: it learns a network from data."""

    def __call__(self, data: Dataset | str | os.PathLike[str], **options: Any) -> Network:
        """Run the command of this name.

        Parameters
        ----------
        data
            What `read_csv` returns, or the name of a file that the command reads.
        **options
            The command's options, as in the module's docstring, but for those about its output.

        Raises
        ------
        UsageError, DataError
            What the command refuses, with the same message.
        """
        name = self.__name__.rpartition(".")[2]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "network")
            write_learned(name, data, words_of(learner(name), options), path)
            return read_network(path)


def learner(name: str) -> click.Command:
    """The command of a learner."""
    return getattr(import_module(f"...{name}.cli", __package__), name)


def write_learned(name: str, data: Dataset | str | os.PathLike[str], words: list[str], path: Path) -> None:
    """Run the command of a learner in this process.

    Parameters
    ----------
    data
        What `read_csv` returns, or the name of a file.
    words
        Of the command line, but for the data and the options of its output.
    path
        Of the network, which is written as JSON.

    Raises
    ------
    UsageError, DataError
        What the command refuses, with the same message.
    """
    _run(learner(name), name, data, [*words, "--format", "json", "--output", str(path)])


def make_callable(package: str) -> None:
    """Let the package of a learner be called."""
    sys.modules[package].__class__ = CallablePackage


def words_of(command: click.Command, options: dict[str, Any]) -> list[str]:
    """Keyword options as the words of a command line.

    Raises
    ------
    UsageError
        An option that the command does not have.
    """
    words = []
    known = {flag: param for param in command.params for flag in (*param.opts, *param.secondary_opts)}
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if flag not in known or flag in _OF_OUTPUT:
            raise UsageError(f"{name}: {command.name} has no such option; see {command.name} --help")
        if value is None:
            continue
        if isinstance(value, bool):
            param = known[flag]
            if value:
                words.append(flag)
            elif param.secondary_opts:
                words.append(param.secondary_opts[0])
            continue
        several = isinstance(value, list | tuple)
        if several and not known[flag].multiple:  # one word, as 0.1,1,10
            value, several = ",".join(map(str, value)), False
        for one in value if several else [value]:
            words.append(f"{flag}={os.fspath(one) if isinstance(one, os.PathLike) else one}")
    return words


def _run(command: click.Command, name: str, data: Any, words: list[str]) -> None:
    """Run a command on data in this process."""
    import click

    from ..data.incomplete import IncompleteData
    from .command import called_from_python

    outer = click.get_current_context(silent=True)  # a command that calls a learner: the process is its own
    given = data if isinstance(data, str | os.PathLike) else None
    if given is None:
        check_data(data)
    if isinstance(data, IncompleteData):
        words = ["--missing=em", *words]
    try:
        with command.make_context(name, [*words, "--", "-" if given is None else os.fspath(given)]) as context:
            if given is None:
                _refuse_reading(context)
                context.params["data"] = data
            with called_from_python(context) if outer is None else contextlib.nullcontext():
                context.command.invoke(context)
    except click.UsageError as error:
        raise UsageError(" ".join(error.format_message().split())) from None


def _refuse_reading(context: click.Context) -> None:
    """Refuse options that say how to read a file, for data that were read; that missing cells are not known is none."""
    from click.core import ParameterSource

    for name in ("header", "missing", "counts", "separator"):
        if context.params[name] != "em" and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            told = f"{name}={context.params[name]!r} has no effect on data that were read already"
            raise UsageError(f"{told}; say it where they are read, as to read_csv, or give the name of a file")


def check_data(data: Any) -> None:
    """Refuse what is not data that were read.

    Raises
    ------
    UsageError
    """
    from ..data.dataset import Dataset

    if not isinstance(data, Dataset):
        found = f"of the type {type(data).__name__}"
        raise UsageError(f"data: {found}; give what read_csv returns, or the name of a CSV, Parquet or Arrow file")


@dataclass(frozen=True)
class Network:
    """A learned network: what a command writes.

    Attributes
    ----------
    graph
        Its variables by number.
    header : dict of str to str
        The lines of the file before the network: program, score, status and so on.
    """

    graph: Graph | Dag
    header: dict[str, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the data; V0, V1, ... for scores from a file."""
        return self.graph.names or tuple(f"V{v}" for v in range(self.graph.n))

    @property
    def score(self) -> float:
        """Natural logarithm; larger is better. NaN for probabilities of edges."""
        return float(self.header.get("score", "nan"))

    @property
    def upper_bound(self) -> float:
        """Proved: no network within the options scores more. Infinity if nothing is proved."""
        return float(self.header.get("upper-bound", self.score if self.status == "optimal" else "inf"))

    @property
    def status(self) -> str:
        """Why the learner ended: `optimal`, `time limit`, `interrupted`, ..."""
        return self.header.get("status", "")

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of names; parent and child in a directed network."""
        return tuple((self.names[u], self.names[v]) for u, v in self.graph.edges)

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The maximal cliques of a chordal network, as names.

        Raises
        ------
        DataError
            Not chordal, or directed.
        """
        from ..errors import DataError
        from ..graphs.chordal import is_chordal, maximal_cliques

        graph: Any = self.graph
        if graph.directed or not is_chordal(graph):
            raise DataError("only a chordal network has cliques that determine it")
        return tuple(tuple(self.names[v] for v in clique) for clique in maximal_cliques(graph))

    def to_networkx(self) -> networkx.Graph:
        """A `networkx.Graph`, or a `networkx.DiGraph` if directed; edges may have a `probability` and an `error`.

        networkx must be installed.
        """
        from ..models.library_objects import networkx_graph

        made = networkx_graph(self.graph, self.names)
        made.graph.update(self.header)
        return made

    def to_pgmpy(self) -> Any:
        """A `pgmpy.models.DiscreteMarkovNetwork`, or a `DiscreteBayesianNetwork` if directed, without probabilities.

        `cliquewise.fit(...).to_pgmpy()` has them. pgmpy must be installed.
        """
        from ..models.library_objects import pgmpy_structure

        return pgmpy_structure(self.graph, self.names)

    def to_pyagrum(self) -> Any:
        """A `pyagrum.UndiGraph`, or a `pyagrum.DAG` if directed; its nodes are the places in `names`.

        `cliquewise.fit(...).to_pyagrum()` has names, states and probabilities. pyAgrum must be installed.
        """
        from ..models.library_objects import pyagrum_structure

        return pyagrum_structure(self.graph)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the network, whole or not at all, with its header.

        Parameters
        ----------
        path
            Its ending chooses the format: .cliques, .edges, .arcs, .dot, .graphml, .json, .adjacency, .csv or
            .modelstring. A name without an ending, or with .txt: the clique list of a chordal network, or the edge or
            arc list of another.

        Raises
        ------
        UsageError, DataError
            Another ending, or a format that cannot hold this network.
        """
        from ..files.endings import format_of_name
        from ..files.graphfile import ARC_FORMATS, EXCHANGE_FORMATS, FORMATS, write_graph
        from ..graphs.chordal import is_chordal

        graph: Any = self.graph
        usual = "arcs" if graph.directed else "cliques" if self._is_network() and is_chordal(graph) else "edges"
        fmt = format_of_name(path, (*(ARC_FORMATS if graph.directed else FORMATS), *EXCHANGE_FORMATS), usual)
        write_graph(os.fspath(path), self.graph, fmt, self.header, False)

    def _is_network(self) -> bool:
        return getattr(self.graph, "probabilities", None) is None

    def __repr__(self) -> str:
        kind = "arcs" if self.graph.directed else "edges"
        size = f"{self.graph.n} variables, {len(self.graph.edges)} {kind}"
        score = "" if math.isnan(self.score) else f", score {self.score:.6f}"
        return f"<Network of {size}{score}{', ' * bool(self.status)}{self.status}>"


def read_csv(
    path: str | os.PathLike[str],
    header: str = "auto",
    missing: str = "refuse",
    counts: str | None = None,
    separator: str = "auto",
) -> Dataset:
    """The data in a CSV, Parquet or Arrow file, read as the options of the same names tell the commands.

    Parameters
    ----------
    path
        `-` is standard input.
    header
        auto, yes or no: whether the first row holds names.
    missing
        refuse, state, drop or em: what to do with missing cells.
    counts
        Column that says how many rows each row stands for.
    separator
        auto, tab, semicolon, comma or blank.

    Returns
    -------
    Dataset
        `IncompleteData` by em, if cells are missing; learners and `fit` then take these as not known.

    Raises
    ------
    DataError
        Unreadable or malformed, with file and line, or by em a column without any known cell.
    """
    from ..data import csvfile
    from ..data.incomplete import without_missing_state

    read_by = "state" if missing == "em" else missing
    data = csvfile.read_csv(path, header, read_by, counts, separator=separator, merge=True)
    return without_missing_state(data) if missing == "em" else data


def read_network(path: str | os.PathLike[str]) -> Network:
    """The network in a file of any format that the commands write."""
    from ..models.any_graph import read_graph

    file = read_graph(str(path))
    return Network(file.held, dict(file.header))


def from_networkx(graph: networkx.Graph) -> Network:
    """The network of a `networkx.Graph` or `DiGraph`, as pgmpy's networks are too.

    Parameters
    ----------
    graph
        Its nodes are the variables. Edges of a `Graph` may have a `probability` and an `error`, all or none. If a
        `DiGraph` has an edge in both directions, all its edges count as undirected.

    Raises
    ------
    DataError
        No nodes, two nodes with the same text, parallel edges, a self loop.
    """
    from ..models.library_objects import graph_of_networkx

    return Network(graph_of_networkx(graph), {})
