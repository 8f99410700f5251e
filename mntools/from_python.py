"""`cliquewise.check` and `cliquewise.strength`, as `mntools check` and `mntools strength`.

A network in memory has the text of its JSON file, so that it is read, with its header, as a file is.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from ..common.python_words import in_python_words, with_python_messages
from .verdict import Verdict

if TYPE_CHECKING:
    import networkx

    from ..common.learning.sources import InputOptions
    from ..common.networks.network import Network, Priors, States


class EdgeStrength(NamedTuple):
    """A row of `strength`: the columns of `mntools strength`.

    Attributes
    ----------
    u, v : str
        The ends, of an arc its tail and head.
    given : str
        The variables given which the edge is compared with its absence, with semicolons between.
    gain : float
        The loss of score without the edge.
    probability : float or None
        Of the edge, given all others; BDeu alone has it.
    cmi, g2, df, p, p_holm
        Conditional mutual information in nats; the test of conditional independence, and p corrected for all edges.
    """

    u: str
    v: str
    given: str
    gain: float
    probability: float | None
    cmi: float
    g2: float
    df: int
    p: float
    p_holm: float


@with_python_messages
def check(
    network: Network | networkx.Graph | str | os.PathLike[str],
    data: Any = None,
    *,
    states: States | None = None,
    score: str | None = None,
    ess: float | None = None,
    edge_priors: Priors | None = None,
    certificate: str | os.PathLike[str] | None = None,
) -> Verdict:
    """Check a network and the claims in its header by independent code, as `mntools check`.

    Parameters
    ----------
    network
        A Network, a graph of networkx or pgmpy, or the name of a file.
    data
        A table as for `read_csv`, or what that returns: then the score is checked, too.
    states
        The states of columns, as for `read_csv`, if the network was learned with them.
    score, ess
        The score to compute, and its equivalent sample size. The default is the network's own.
    edge_priors
        Prior probabilities of edges that the network was learned with.
    certificate
        A file of `junctor`, the proof that no network scores more.

    Returns
    -------
    Verdict

    Raises
    ------
    UsageError, DataError
        A value out of its range or without effect; data or a header that cannot be read.
    """
    from ..common.arguments import file_name
    from ..common.errors import UsageError
    from .check import check as checked

    if data is None and any(one is not None for one in (score, ess, edge_priors, certificate, states)):
        raise UsageError("score, ess, edge_priors, certificate and states need data; give a table")
    rows, file = _loaded(network, data, states, as_sample=True)
    proof = None if certificate is None else file_name("certificate", certificate)
    found = checked(file, rows, _score_options(score, ess, edge_priors), proof)
    return found._replace(details=in_python_words(found.details))


@with_python_messages
def strength(
    network: Network | networkx.Graph | str | os.PathLike[str],
    data: Any,
    *,
    states: States | None = None,
    score: str | None = None,
    ess: float | None = None,
    edge_priors: Priors | None = None,
) -> Any:
    """The evidence in data for and against each edge of a network, as `mntools strength`; the largest gain first.

    Parameters
    ----------
    network, states, score, ess, edge_priors
        As for `check`.
    data
        A table as for `read_csv`, or what that returns.

    Returns
    -------
    DataFrame of the same kind as `data`, otherwise a list of `EdgeStrength`

    Raises
    ------
    UsageError, DataError
        As `check`; edges with probabilities instead of a network.
    """
    from ..common.data.frame import frame_of, library_of, original
    from .scoring import choose_scoring
    from .strength import edge_evidence, edge_probability

    rows, file = _loaded(network, data, states)
    by = choose_scoring(file, _score_options(score, ess, edge_priors), rows)
    names = file.network.names or rows.names
    found = [
        EdgeStrength(
            names[one.edge[0]],
            names[one.edge[1]],
            ";".join(names[v] for v in one.given),
            one.gain,
            edge_probability(one.gain) if by.score_type == "bdeu" else None,
            one.cmi,
            one.g2,
            one.df,
            one.p,
            one.holm,
        )
        for one in edge_evidence(file, rows, by)
    ]
    library = library_of(original(data))
    if library is None:
        return found
    return frame_of({name: [row[k] for row in found] for k, name in enumerate(EdgeStrength._fields)}, library)


def _loaded(network: Any, data: Any, states: Any, as_sample: bool = False) -> tuple[Any, Any]:
    """The data, None if there are none, and the network on them as from a file."""
    from .loading import load

    return load(_input(data, states), _file_of(network), parent_sets=True, as_sample=as_sample)


def _input(data: Any, states: Any) -> InputOptions:
    """The data as a command has them, without settings: those of the network's header apply."""
    from ..common.data.dataset import Dataset
    from ..common.data.frame import Frame, states_as_text
    from ..common.learning.sources import InputOptions

    declared = None if states is None else states_as_text("states", states)
    if isinstance(data, Dataset):
        declared = declared or getattr(data.reading, "states", None)
    elif isinstance(data, str | os.PathLike):
        data = os.fspath(data)
    elif data is not None:
        data = Frame(data)
    return InputOptions(data=data, missing=None, states=declared)


def _file_of(network: Any) -> str:
    """The file of a network, or the text that one in memory would have there."""
    from ..common.files.graphfile import format_graph
    from ..common.files.text_in_memory import TextInMemory
    from ..common.networks.network import NAME, Network, from_networkx

    if isinstance(network, str | os.PathLike):
        return os.fspath(network)
    one = network if isinstance(network, Network) else from_networkx(network)
    return TextInMemory(NAME, format_graph(one.graph, "json", one.header))


def _score_options(score: str | None, ess: float | None, edge_priors: Any) -> Any:
    """The options of a score."""
    from ..common.arguments import number, one_of
    from ..common.files.header_words import BLANKET_SCORES, SCORE_TYPES
    from ..common.learning.options import ScoreOptions
    from ..common.networks.edges_in_memory import PRIORS, file_or_memory

    priors = None if edge_priors is None else file_or_memory("edge_priors", edge_priors, PRIORS)
    ess = None if ess is None else number("ess", ess, above=0)
    return ScoreOptions(one_of("score", score, (None, *SCORE_TYPES, *BLANKET_SCORES)), ess, edge_priors=priors)
