"""The data and the graph of a command, each read as the graph's header says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.cli.stated import load_as_stated
from ..common.files.input_stream import read_text
from ..common.models.any_graph import parse_graph, read_header

if TYPE_CHECKING:
    from ..common.learning.sources import InputOptions


def load(
    source: InputOptions, graph: str, parent_sets: bool = False, as_sample: bool = False, completed: str | None = None
) -> tuple[Any, Any]:
    """The data (None if not given), read with the settings in the graph's header, and the graph on them."""
    from .completed import completed_rows

    text = read_text(graph, "a graph file")
    header = read_header(text, graph)
    data = load_as_stated(source, header, graph, parent_sets, as_sample)
    data = completed_rows(header, graph, data, completed)
    return data, parse_graph(text, graph, getattr(data, "names", None), getattr(data, "n", None))
