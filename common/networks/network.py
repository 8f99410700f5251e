"""A network in Python: the result that a command writes, with names in place of numbers."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..errors import UsageError
from ..graphs.size_text import size_text
from ..python_words import with_python_messages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import networkx
    from narwhals.typing import IntoDataFrame

    from ..drawing.picture import Picture
    from ..files.graph_labels import RawGraph
    from ..files.graphfile import GraphFile
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph

    Path: TypeAlias = str | os.PathLike[str]
    Edges: TypeAlias = "Path | Network | networkx.Graph | IntoDataFrame | Iterable[Sequence[Any]]"
    Priors: TypeAlias = "Edges | Mapping[tuple[Any, Any], float]"
    Lists: TypeAlias = Path | Iterable[Any]
    States: TypeAlias = Path | Mapping[Any, Iterable[Any]]

NAME = "the network"  # in messages
WITH_ESS = ("bdeu", "mpl")  # scores that have an equivalent sample size


class Edge(NamedTuple):
    """A row of `Network.edges`: two names, parent and child in a directed network."""

    source: str
    target: str


class ProbableEdge(NamedTuple):
    """A row of `Network.edges` of probabilities: `error` is the standard error, None if it is not known."""

    source: str
    target: str
    probability: float
    error: float | None


@dataclass(frozen=True)
class Network:
    """A learned network: the result that a command writes.

    Attributes
    ----------
    graph
        Its variables by number.
    header : dict of str to str
        The lines of the file before the network: program, score, status and so on.
    library
        The name of the library of the DataFrame that it was learned from, such as "pandas"; None for other data.
    """

    graph: Graph | Dag
    header: dict[str, str] = field(hash=False)
    library: str | None = field(default=None, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, in the order of the data; V0, V1, ... for scores from a file."""
        return self.graph.names or tuple(f"V{v}" for v in range(self.graph.n))

    @with_python_messages
    def score(
        self,
        data: Any = None,
        *,
        score: str | None = None,
        ess: float | None = None,
        edge_priors: Priors | None = None,
    ) -> float:
        """The score of the network: natural logarithm, larger is better.

        Parameters
        ----------
        data
            A table as for `read_csv`, or what that returns; its missing cells are read as those of the network's data
            were. None: the score with which the network was learned, NaN for probabilities of edges.
        score, ess
            Of `data`: another score than that of the network (bdeu, bic, ll, aic, ebic, qnml), and equivalent sample
            size, > 0. The default is the network's own score, or BDeu with ess 1 if it has none.
        edge_priors
            Prior probabilities of edges, as for a learner: those that the network was learned with, if it was.

        Raises
        ------
        UsageError
            A value without data, out of its range or without effect; data without the states that were declared.
        DataError
            Other variables or declared states; not chordal and not acyclic; probabilities of edges.
        """
        if data is None:
            if not score is ess is edge_priors is None:
                raise UsageError("score, ess and edge_priors need data; give a table, network.score(table)")
            return float(self.header.get("score", "nan"))
        from ..arguments import number, one_of
        from ..files.header_words import BLANKET_SCORES, SCORE_TYPES
        from ..learning.options import ScoreOptions
        from .score import score_table, total
        from .scoring import scoring_of_network

        score = one_of("score", score, (None, *SCORE_TYPES, *BLANKET_SCORES))
        ess = None if ess is None else number("ess", ess, above=0)
        known = score or self.header.get("score-type", "bdeu")
        if ess is not None and known not in WITH_ESS:
            raise UsageError(f"ess has no effect with score={known!r}; leave it out, or use score='bdeu'")
        rows, file = self._on(data)
        options = ScoreOptions(score, ess, edge_priors=_priors(edge_priors))
        return total(score_table(file, rows, scoring_of_network(file, options, rows)))

    @with_python_messages
    def compare(
        self, other: Network | networkx.Graph | str | os.PathLike[str], *, min_probability: float | None = None
    ) -> dict[str, float]:
        """Count the edges that agree with those of another network, and those that differ, as `mntools compare`.

        Parameters
        ----------
        other
            The true network: a Network, a graph of networkx or pgmpy, or the name of a file.
        min_probability
            Of a network whose edges have probabilities, those of at least this count as edges, in [0, 1].

        Returns
        -------
        dict of str to int or float
            tp, fp, fn, hamming, precision, recall, f1; of two directed networks also missing, extra, reversed, shd and
            shd-cpdag; of two with probabilities also their largest and their mean difference.

        Raises
        ------
        UsageError
            The edges of one of them have probabilities, and there is no `min_probability`.
        DataError
            Other variables.
        """
        from ..arguments import number
        from ..models.any_graph import read_raw
        from .compare import compare, pair_of, warn_of_chains

        if isinstance(other, str | os.PathLike):
            path = os.fspath(other)
            truth = (read_raw(path), path)
        else:
            truth = ((other if isinstance(other, Network) else from_networkx(other))._raw(), "the other network")
        if min_probability is not None:
            min_probability = number("min_probability", min_probability, least=0, most=1)
        pair = pair_of((self._raw(), NAME), truth)
        warn_of_chains(pair)
        return compare(*pair, min_probability)

    @with_python_messages
    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        data: Any = None,
        edge_priors: Priors | None = None,
        title: str = "",
        legend: bool = True,
        size: tuple[float, float] | None = None,
        grey: bool = False,
        layout: str | None = None,
        min_probability: float | None = None,
    ) -> Picture:
        """Draw the network, as `mntools draw`; a notebook shows the picture. matplotlib must be installed.

        Parameters
        ----------
        path
            File to write, .png, .svg or .pdf; None: no file.
        data
            A table as for `score`: the width of an edge shows how much score is lost without it. Otherwise it shows its
            probability, if that is known.
        edge_priors
            As for `score`, with data.
        title
            A line above.
        legend
            Whether a line below explains the picture.
        size
            Width and height in inches, > 0; None for as much as the names need.
        grey
            Without colours.
        layout
            organic, or layered: from parents down to children, or from one variable outwards.
        min_probability
            Leave out edges of a smaller probability, in [0, 1].

        Raises
        ------
        UsageError, DataError, LimitError
            Another ending, or an option out of its range; data that do not fit; more variables than a picture shows.
        """
        from ..arguments import number
        from ..drawing.picture import saved_picture
        from ..drawing.style import Style
        from ..learning.options import ScoreOptions
        from ..learning.progress import ProgressLine
        from .draw import drawing_of
        from .scoring import scoring_of_network

        style = Style(title=title, legend=legend, size=size, grey=grey, layout=layout)
        if min_probability is not None:
            min_probability = number("min_probability", min_probability, least=0, most=1)
        if data is None:
            if edge_priors is not None:
                raise UsageError("edge_priors has no effect without data; leave it out")
            drawing = drawing_of(self._file(), least=min_probability)
        elif min_probability is not None:
            raise UsageError("min_probability has no effect with data; leave out one of them")
        else:
            rows, file = self._on(data)
            options = ScoreOptions(edge_priors=_priors(edge_priors))
            drawing = drawing_of(file, rows, scoring_of_network(file, options, rows))
        with ProgressLine() as line:
            return saved_picture(path, drawing, style, line.progress)

    @property
    def upper_bound(self) -> float:
        """A proved upper bound on the score of every network within the options; infinity if there is none."""
        return float(self.header.get("upper-bound", self.score() if self.status == "optimal" else "inf"))

    @property
    def status(self) -> str:
        """Why the learner ended: `optimal`, `time limit`, `interrupted`, ..."""
        return self.header.get("status", "")

    @property
    def edges(self) -> Any:
        """The edges as a table with the columns source and target, parent and child in a directed network.

        Those with probabilities have the columns probability and error as well, and the most probable comes first.

        Returns
        -------
        DataFrame of the kind that the network was learned from, otherwise a list of `Edge` or `ProbableEdge`
        """
        from ..data.frame import frame_of

        pairs = [(self.names[u], self.names[v]) for u, v in self.graph.edges]
        shares = getattr(self.graph, "probabilities", None)
        if shares is None:
            kind: Any = Edge
            rows: list[Any] = [Edge(*pair) for pair in pairs]
        else:
            kind = ProbableEdge
            errors = getattr(self.graph, "errors", None) or [None] * len(pairs)
            rows = [ProbableEdge(*pair, *more) for pair, *more in zip(pairs, shares, errors, strict=True)]
            rows.sort(key=lambda row: -row.probability)
        if self.library is None:
            return rows
        columns = {name: [row[k] for row in rows] for k, name in enumerate(kind._fields)}
        return frame_of(columns, self.library, [str, str, float, float])

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
        """A `networkx.Graph`, or a `networkx.DiGraph` if directed; edges may have a `probability` and an `error`."""
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

    @with_python_messages
    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the network, whole or not at all, with its header, and with names where they are known.

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
        from ..data.csvtable import numbered
        from ..files.endings import format_of_name
        from ..files.graph_lists import shows_names
        from ..files.graphfile import ARC_FORMATS, EXCHANGE_FORMATS, FORMATS, write_graph
        from ..graphs.chordal import is_chordal

        graph: Any = self.graph
        usual = "arcs" if graph.directed else "cliques" if self._is_network() and is_chordal(graph) else "edges"
        fmt = format_of_name(path, (*(ARC_FORMATS if graph.directed else FORMATS), *EXCHANGE_FORMATS), usual)
        made_up = graph.names == numbered(graph.n)
        write_graph(os.fspath(path), graph, fmt, self.header, shows_names(None, graph.names, made_up))

    def _on(self, data: Any) -> tuple[Any, GraphFile]:
        """The rows that score the network, read with the options in its header, and the network on their variables."""
        from ..data.dataset import Dataset
        from ..data.frame import data_or_frame
        from ..files.result_header import stated_reading
        from ..learning.sources import InputOptions
        from ..models.model_states import check_states
        from .completed import completed_rows

        states: Any = data.reading.states if isinstance(data, Dataset) and data.reading else None
        check_states(states, self.header, NAME, "give what read_csv(table, states=...) returns")
        if not isinstance(data, Dataset):
            stated: Any = stated_reading(self.header, NAME)
            table = str(data) if isinstance(data, str | os.PathLike) else data_or_frame(data)
            data = InputOptions(data=table, **stated, stated=frozenset(stated)).load_data()
        rows = completed_rows(self.header, NAME, data)
        return rows, self._file(rows.names, rows.n)

    def _raw(self) -> RawGraph:
        """The network as a file has it."""
        from ..files.graphfile import raw_of

        return raw_of(self.graph, self.header)

    def _file(self, names: tuple[str, ...] | None = None, n: int | None = None) -> GraphFile:
        """The same on the variables of some data."""
        from ..files.graphfile import resolved

        return resolved(self._raw(), NAME, names, n)

    def _is_network(self) -> bool:
        return getattr(self.graph, "probabilities", None) is None

    def _repr_html_(self) -> str:
        """A picture for a notebook; the line of `repr` if there are too many variables for one."""
        from ..drawing.picture import shown_in_notebook

        return shown_in_notebook(self, self.graph.n)

    def __repr__(self) -> str:
        score = "" if math.isnan(self.score()) else f", score {self.score():z.6f}"
        return f"<Network of {size_text(self.graph)}{score}{', ' * bool(self.status)}{self.status}>"


def _priors(given: Priors | None) -> str | None:
    """The file of prior probabilities, or what stands for it."""
    from .edges_in_memory import PRIORS, file_or_memory

    return None if given is None else file_or_memory("edge_priors", given, PRIORS)


def read_network(path: str | os.PathLike[str]) -> Network:
    """The network in a file of any format that the commands write."""
    found = read_networks(path)
    if len(found) != 1:
        raise UsageError(f"{path}: a list of {len(found)} networks; cliquewise.read_networks reads it")
    return found[0]


def read_networks(path: str | os.PathLike[str]) -> list[Network]:
    """The networks in a file that lists them; of another file, its network.

    Such files are written by the arguments `networks` of `junctor` and `twlearn` (the best ones, the best first), and
    `samples` of `mnposterior`.
    """
    from ..files.input_stream import read_text
    from ..models.any_graph import networks_in

    name = os.fspath(path)
    return [Network(file.network, dict(file.header)) for file in networks_in(read_text(name, "a graph file"), name)]


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
