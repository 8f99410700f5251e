"""The last lines of a run on standard error: the result in words, and how to continue."""

from __future__ import annotations

import logging
import math
import shlex
import threading
import time
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..files.atomic_write import is_stdout
from ..run.result import OPTIMAL, gap_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..files.result_header import Claims
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from ..run.clock import Clock
    from ..run.result import LearnResult
    from .sources import InputOptions

LOG = logging.getLogger("cliquewise")
NAMED_LINKS = 3  # the strongest, or the most probable
MAX_CELLS = 3_000_000  # rows times edges: with more, counting them all again takes seconds
MIN_PROVED_CLIQUE = 3  # bound on cliques in a suggested proof, at least: that no forest is better has little value
SUGGESTED_UP_TO = 60  # variables: a proof of more is not suggested


class Stopwatch:
    """Where the time of a run goes."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._read = 0.0
        self._clock: Clock | None = None
        self._before = 0.0

    def end_reading(self) -> None:
        """The data are there, missing cells completed."""
        self._read = time.monotonic() - self._began

    def begin(self, clock: Clock) -> None:
        """A run begins: kernels are prepared, then its clock starts."""
        self._began = time.monotonic()
        self._clock = clock
        self._before = clock.seconds

    def line(self, checked: float) -> str:
        """The seconds of each phase, in words.

        Parameters
        ----------
        checked
            Seconds that the check took, which has just ended.
        """
        searched = 0.0 if self._clock is None else self._clock.seconds - self._before
        prepared = max(0.0, time.monotonic() - self._began - searched)
        parts = ("reading", self._read), ("compiling", prepared), ("search", searched - checked), ("check", checked)
        return "time: " + ", ".join(f"{what} {max(0.0, seconds):.1f} s" for what, seconds in parts)


def links_line(graph: Graph | Dag, data: Any, claims: Claims) -> str:
    """How many columns and links there are, and the strongest links."""
    from ..drawing.strength import edge_strengths

    kind, a_kind = ("arc", "an arc") if graph.directed else ("link", "a link")
    edges: Any = graph.edges
    ends = {v for edge in edges for v in edge}
    alone = f", {graph.n - len(ends)} of them without {a_kind}" if len(ends) < graph.n else ""
    message = f"{counted(graph.n, 'column')}{alone}, {counted(len(edges), kind)}"
    if not edges or len(edges) * getattr(data, "n_stored", 1) > MAX_CELLS:
        return message
    names = graph.labels
    strengths = edge_strengths(graph, data, claims)
    best = sorted(range(len(edges)), key=lambda i: -strengths[i])[:NAMED_LINKS]
    between = " -> " if graph.directed else " - "
    shown = [f"{names[edges[i][0]]}{between}{names[edges[i][1]]} ({strengths[i]:.1f})" for i in best]
    return f"{message}; strongest, with the score lost without: {', '.join(shown)}"


def probable_line(graph: Graph) -> str:
    """How many links are more probable than not, and the most probable links."""
    assert graph.probabilities is not None
    names = graph.labels
    order = sorted(range(len(graph.edges)), key=lambda i: -graph.probabilities[i])  # type: ignore[index]
    ends = [names[u] + " - " + names[v] for u, v in graph.edges]
    shown = [f"{ends[i]} ({graph.probabilities[i]:.2f})" for i in order[:NAMED_LINKS]]
    count = sum(probability > 0.5 for probability in graph.probabilities)
    message = f"{counted(graph.n, 'column')}, {counted(count, 'link')} more probable than not"
    return message + (f"; most probable: {', '.join(shown)}" if shown else "")


def certainty_line(details: dict[str, str]) -> str:
    """How far the probabilities of edges can be trusted, by the header lines of a posterior."""
    if "r-hat-edges" in details:
        known, another = details["r-hat-edges"], "another --seed may find other networks"
        if known == "unknown":
            return f"how sure: R-hat unknown: the chains are short, or all have the same edges; {another}"
        return f"how sure: R-hat of the chains {known}, where 1.01 is good; more time lowers it, and {another}"
    error = details.get("largest-standard-error", "unknown")
    return f"how sure: exact draws; the largest standard error of a probability is {error}"


def proof_line(result: LearnResult, claims: Claims, may_suggest: bool, stored_rows: int) -> str:
    """The proof or the gap, or a command for a proof.

    Parameters
    ----------
    may_suggest
        Whether junctor takes the same options.
    stored_rows
        Of the data; 0 for scores.
    """
    from ..bounds.proof_estimate import estimate_proof
    from ..certify.cliques import decompose

    graph: Any = result.graph
    kind = _kind_of_bounded(result, claims)
    if result.status == OPTIMAL:
        return f"proved: no {kind} scores more"
    if math.isfinite(result.upper_bound):
        return f"proved: no {kind} scores more than {gap_text(result.upper_bound, result.score)} above"
    if not may_suggest or graph.directed or claims.by_blankets or graph.n > SUGGESTED_UP_TO:
        return "nothing is proved about it"
    largest = claims.max_clique or max(MIN_PROVED_CLIQUE, *map(len, decompose(graph)[0]))
    estimate = estimate_proof(graph.n, largest, stored_rows)
    if not estimate.is_feasible:
        return f"nothing is proved about it; {estimate}"
    return f"nothing is proved about it; the same with junctor --max-clique {largest} may do that: {estimate}"


def _kind_of_bounded(result: LearnResult, claims: Claims) -> str:
    """The networks that a proof is about; the default of --max-parents is an option that nobody gave."""
    if claims.by_blankets and result.status != OPTIMAL:
        return "network with links of these blankets alone"
    parents, treewidth = claims.max_parents, claims.treewidth
    if parents is None or treewidth is None or parents >= min(treewidth, result.graph.n - 1):
        return "network within these options"
    return f"network within these options and with at most {counted(parents, 'parent')}"


def next_line(source: InputOptions, path: str | None, graph: Graph | Dag, has_priors: bool) -> str | None:
    """The command that comes next; None for data that no command can read.

    Parameters
    ----------
    source
        How the data were read; the header of the network has all but the file of states.
    path
        Of the network.
    has_priors
        Whether prior probabilities of edges are from a file, which a command needs that scores the network.
    """
    data: Any = source.data
    if not isinstance(data, str) or data == "-":
        return None
    if is_stdout(path):
        return f"next: with -o net{'.arcs' if graph.directed else ''} the network is a file for mntools and mnmodel"
    from ..graphs.chordal import is_chordal
    from ..graphs.graph import Graph

    table, name = shlex.quote(data), shlex.quote(str(path))
    states = f" --states {shlex.quote(source.states)}" if isinstance(source.states, str) else ""
    drawn = f"mntools draw {name}{'' if has_priors else f' --data {table}{states}'} -o network.png"
    if isinstance(graph, Graph) and not is_chordal(graph):
        return f"next: {drawn}, or mntools convert {name} --chordal -o chordal.cliques, which mnmodel fit takes"
    return f"next: {drawn}, or mnmodel fit {table} {name}{states} -o model.bif"


def next_line_of_several(paths: Sequence[str], is_of_samples: bool) -> str:
    """The command that comes after several networks.

    Parameters
    ----------
    is_of_samples
        Whether each is of another bootstrap sample, so that their scores do not compare.
    """
    names = " ".join(map(shlex.quote, paths))
    averaged = f"mntools average {names} -o edges.edges"
    return f"next: {averaged}" if is_of_samples else f"next: mntools best {names} -o best, or {averaged}"


def next_line_of_blankets(source: InputOptions, path: str | None, found_with: Sequence[str]) -> str | None:
    """The command that makes a network of blankets; None where there is no file of data or of blankets.

    Parameters
    ----------
    source
        How the data were read, which the command repeats.
    path
        Of the blankets.
    found_with
        Words of the options by which they were found.
    """
    data: Any = source.data
    if not isinstance(data, str) or data == "-" or is_stdout(path):
        return None
    missing = [] if source.missing in (None, "refuse") else [f"--missing={source.missing}"]
    words = [data, *source.words(), *missing, *found_with, "--blankets", str(path), "-o", "net"]
    return f"next: mplearn {shlex.join(words)}"


def next_line_of_probabilities(path: str | None) -> str:
    """The command that comes after probabilities of edges."""
    if is_stdout(path):
        return "next: with -o edges.edges the probabilities are a file for mntools"
    name = shlex.quote(str(path))
    made = f"mntools convert {name} --min-probability 0.5 --chordal -o network.cliques"
    return f"next: mntools draw {name} -o network.png, or {made}"


def info_is_shown() -> bool:
    """Whether messages of this thread are shown now, so that these lines are worth their work."""
    record = {"name": LOG.name, "levelno": logging.INFO, "thread": threading.get_ident()}
    return LOG.isEnabledFor(logging.INFO) and bool(LOG.filter(logging.makeLogRecord(record)))
