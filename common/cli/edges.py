"""Options for known edges: `--allowed-edges`, `--forbidden-edges`, `--required-edges`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from .options import all_of
from .paths import InputPath

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..graphs.graph import Graph


def _edges_option(which: str, what: str) -> Callable:
    return click.option(f"--{which}-edges", type=InputPath(), metavar="FILE", help=what)


allowed_option = _edges_option("allowed", "No other edges than those of the network in FILE.")
known_edges_options = all_of(
    _edges_option("required", "Only networks with all edges of the network in FILE."),
    _edges_option("forbidden", "Only networks with none of the edges of the network in FILE."),
)


def read_edges(options: dict, data: Dataset) -> dict[str, Graph | None]:
    """The edges given by a command's options.

    Parameters
    ----------
    options
        With paths, or None, under `allowed_edges`, if there is that option, `forbidden_edges` and `required_edges`.
    data : Dataset or record of scores

    Returns
    -------
    dict of str to Graph or None
        `allowed`, `forbidden` and `required`.
    """
    from ..models.any_graph import read_graph_of

    paths = {name: options.get(f"{name}_edges") for name in ("allowed", "forbidden", "required")}
    return {name: None if path is None else read_graph_of(path, data).graph for name, path in paths.items()}
