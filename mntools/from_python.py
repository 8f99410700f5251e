"""What `mntools` does with a network, from Python: the methods of `Network` (`common.cli.network`) that need it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..common.cli.from_python import data_or_frame, from_networkx
from ..common.cli.network import Network
from ..common.data.dataset import Dataset
from ..common.drawing.look import Look
from ..common.drawing.picture import Picture, saved_picture
from ..common.errors import UsageError
from ..common.files.graphfile import format_graph
from ..common.files.input_stream import read_text
from ..common.files.result_header import stated_reading
from ..common.learning.options import ScoreOptions
from ..common.learning.progress import ProgressLine
from ..common.learning.sources import InputOptions
from ..common.models.any_graph import parse_graph
from .compare import compare as counted
from .compare import pair_of
from .completed import completed_rows
from .draw import drawing_of
from .score import score_table, total
from .scoring import choose_scoring

if TYPE_CHECKING:
    from ..common.files.graphfile import GraphFile

NAME = "the network"  # in messages


def score(network: Network, data: Any, score_type: str | None, ess: float | None) -> float:
    """See `Network.score`."""
    rows, file = _on(network, data)
    return total(score_table(file, rows, choose_scoring(file, ScoreOptions(score_type, ess), rows)))


def compare(network: Network, other: Any) -> dict[str, float]:
    """See `Network.compare`."""
    if isinstance(other, str | os.PathLike):
        truth = (read_text(os.fspath(other), "a graph file"), os.fspath(other))
    else:
        truth = (_text(other if isinstance(other, Network) else from_networkx(other)), "the other network")
    return counted(*pair_of((_text(network), NAME), truth))


def draw(
    network: Network,
    path: str | os.PathLike[str] | None,
    data: Any,
    least: float | None,
    look: dict[str, Any],
) -> Picture:
    """See `Network.draw`."""
    if data is None:
        drawing = drawing_of(parse_graph(_text(network), NAME), least=least)
    elif least is not None:
        raise UsageError("min_probability has no effect with data; leave out one of them")
    else:
        rows, file = _on(network, data)
        drawing = drawing_of(file, rows, choose_scoring(file, ScoreOptions(), rows))
    with ProgressLine() as line:
        return saved_picture(path, drawing, Look(**look), line.progress)


def _on(network: Network, data: Any) -> tuple[Any, GraphFile]:
    """The rows that score a network, read as its header says, and the network on their variables."""
    if not isinstance(data, Dataset):
        said: Any = stated_reading(network.header, NAME)
        table = str(data) if isinstance(data, str | os.PathLike) else data_or_frame(data)
        data = InputOptions(data=table, **said, stated=frozenset(said)).load_data()
    rows = completed_rows(network.header, NAME, data)
    return rows, parse_graph(_text(network), NAME, rows.names, rows.n)


def _text(network: Network) -> str:
    """A network as the text of a file."""
    return format_graph(network.graph, "json", network.header, False)
