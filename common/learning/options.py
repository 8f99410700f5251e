"""The options that learners share, as records; `common.cli` makes command-line options of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DataError, UsageError
from ..files.endings import filled

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.parentsets import ParentSets
    from ..files.scorefile import CliqueScores
    from ..files.shard import Shard
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from .load import AnySource


@dataclass(frozen=True)
class OutputOptions:
    """Where and how the graph is written.

    Attributes
    ----------
    fmt
        One of `common.files.graphfile.FORMATS` or `ARC_FORMATS`.
    use_names
        Names, or indices; None: names where the data have them.
    path
        None or `-` is standard output.
    provenance
        Whether the header has the command line.
    """

    fmt: str = "cliques"
    use_names: bool | None = None
    path: str | None = None
    provenance: bool = False

    def of(self, data: CliqueScores | Dataset | ParentSets) -> OutputOptions:
        """The same, with names or indices as the data decide, unless an option does.

        Raises
        ------
        UsageError
            `--names` with data without names (a score file).
        """
        from ..files.graph_lists import shows_names

        names = getattr(data, "names", None)
        if self.use_names and names is None:
            raise UsageError("--names: a score file has no names; leave the option out")
        return replace(self, use_names=shows_names(self.use_names, names, not getattr(data, "has_names", True)))

    def as_published(self) -> OutputOptions:
        """The same, with indices as the published programs wrote them, unless names were requested."""
        return replace(self, use_names=bool(self.use_names))

    def check_format(self, data: Dataset | CliqueScores | ParentSets, header: dict[str, str]) -> None:
        """Refuse names or header lines that the format cannot hold, by a graph without edges.

        Raises
        ------
        UsageError
        """
        from ..files.graphfile import format_graph
        from ..graphs.dag import Dag
        from ..graphs.graph import Graph

        fmt = "edges" if self.fmt == "cliques" else self.fmt
        kind = Dag if fmt == "arcs" else Graph
        format_graph(kind(data.n, (), getattr(data, "names", None)), fmt, header, bool(self.of(data).use_names))

    def write(self, graph: Dag | Graph, header: dict[str, str]) -> None:
        """Write the graph (see `common.files.graphfile.write_graph`)."""
        from ..files.graphfile import write_graph

        write_graph(self.path, graph, self.fmt, header, bool(self.use_names))


@dataclass(frozen=True)
class ScoreOptions:
    """The score to maximise.

    Attributes
    ----------
    score_type
        One of `SCORE_TYPES`; None, here and below, if the default comes from elsewhere.
    ess
        Equivalent sample size, > 0.
    gamma
        Weight of the extended BIC's penalty of edges, >= 0.
    edge_prior
        Probability of every edge that the file does not name, in (0, 1).
    edge_priors
        Path of a file of probabilities.
    """

    score_type: Any = None
    ess: Any = None
    gamma: Any = None
    edge_prior: Any = None
    edge_priors: str | None = None


@dataclass(frozen=True)
class EdgeOptions:
    """Files of edges.

    Attributes
    ----------
    allowed_edges, required_edges, forbidden_edges
        No other edges than these; all of these; none of these.
    """

    allowed_edges: str | None = None
    required_edges: str | None = None
    forbidden_edges: str | None = None

    def read(self, data: AnySource) -> dict[str, Any]:
        """The edges in the files, a Graph or None: `allowed`, `forbidden` and `required`, as in a learner's Config."""
        from ..models.any_graph import read_edges_of

        paths = {"allowed": self.allowed_edges, "forbidden": self.forbidden_edges, "required": self.required_edges}
        found = {name: None if path is None else read_edges_of(path, data).graph for name, path in paths.items()}
        if found["allowed"] is not None and not found["allowed"].edges:
            message = "no edge in this file, so none would be allowed; leave --allowed-edges out to allow all"
            raise DataError(message, self.allowed_edges)
        return found


@dataclass(frozen=True)
class CheckpointOptions:
    """Where a run keeps its checkpoint.

    Attributes
    ----------
    checkpoint
        The file; None keeps nothing.
    checkpoint_every
        Seconds between two writings, >= 0.
    resume
        Whether to continue from the file.
    """

    checkpoint: str | None = None
    checkpoint_every: float = 60.0
    resume: bool = False

    def named(self, value: float | None) -> CheckpointOptions:
        """The same for one value of a sweep, see `common.files.endings.filled`."""
        return replace(self, checkpoint=filled(self.checkpoint, value))


class SweepRun(NamedTuple):
    """One run of several.

    seed : int
    resample : int or None, the seed of the bootstrap sample that is drawn for it
    value : float or None, in the names of its files
    """

    seed: int
    resample: int | None = None
    value: float | None = None


ONE_RUN = SweepRun(1)


@dataclass(frozen=True)
class SweepOptions:
    """One run, or several.

    Attributes
    ----------
    seed
        Of the random numbers of one run, and of all runs on bootstrap samples.
    seeds
        Those of several runs.
    resamples
        The seeds of bootstrap samples, one for each of several runs.
    shard
        The part of these runs that is done.
    """

    seed: int = 1
    seeds: tuple[int, ...] | None = None
    resamples: tuple[int, ...] | None = None
    shard: Shard | None = None

    def runs(self, *paths: str | None) -> Sequence[SweepRun]:
        """The runs to do, one after the other.

        Parameters
        ----------
        *paths
            Of the result, and of the other files of a run.

        Raises
        ------
        UsageError
            Files that several runs would write; a part of one run.
        """
        swept = self.seeds or self.resamples
        if swept is None:
            if self.shard is not None:
                raise UsageError("--shard needs --seeds or --resamples; add one of them, or leave it out")
            return [SweepRun(self.seed)]
        check_names_differ(swept, "seed", *paths)
        done: Sequence[int] = swept if self.shard is None else self.shard.stride(swept)
        return [SweepRun(value, None, value) if self.seeds else SweepRun(self.seed, value, value) for value in done]


def check_names_differ(values: Sequence[float | None], what: str, *paths: str | None) -> None:
    """Refuse to write the results of several values to one file.

    Parameters
    ----------
    what
        The name of a value, for the message.
    *paths
        Of the result, and of the other files of a run.
    """
    if len(values) > 1 and (paths[0] is None or any(path is not None and "{}" not in path for path in paths)):
        message = f"several {what}s make several networks; put {{}} for the {what} into the files' name: -o 'net-{{}}'"
        raise UsageError(message)
