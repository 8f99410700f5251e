"""The data and the graph of a command, both read with the settings in the graph's header."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..common.cli.stated import load_as_stated
from ..common.files.input_stream import read_text
from ..common.files.network_list import is_network_list, list_header, parse_networks
from ..common.models.any_graph import parse_graph, read_header

if TYPE_CHECKING:
    from ..common.learning.sources import InputOptions


def load(
    source: InputOptions,
    graph: str,
    parent_sets: bool = False,
    as_sample: bool = False,
    completed: str | None = None,
    lists: bool = False,
) -> tuple[Any, Any]:
    """The data (None if not given), read with the settings in the graph's header, and the graph on them.

    With `lists`, a list of networks is a NetworkList.
    """
    from ..common.networks.completed import completed_rows

    text = read_text(graph, "a graph file")
    is_list = lists and is_network_list(text)
    header = list_header(text, graph) if is_list else read_header(text, graph)
    parse, found = parse_networks if is_list else parse_graph, []

    def find(data: Any) -> None:
        found.append(parse(text, graph, getattr(data, "names", None), getattr(data, "n", None)))

    data = load_as_stated(replace(source, before_warnings=find), header, graph, parent_sets, as_sample)
    if not found:  # no table was read
        find(data)
    return completed_rows(header, graph, data, completed), found[0]
