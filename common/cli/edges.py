"""Options for known edges: `--allowed-edges`, `--forbidden-edges`, `--required-edges`, which arrive as `edges`."""

from __future__ import annotations

from collections.abc import Callable

from ..learning.options import EdgeOptions
from ..networks.edges_in_memory import EDGES
from .option import INPUT, option
from .option_group import option_group
from .paths import InputPath


def _edges_option(which: str, what: str) -> Callable:
    return option(f"--{which}-edges", group=INPUT, first=False, type=InputPath(holds=EDGES), metavar="FILE", help=what)


_allowed = _edges_option("allowed", "Allow only the edges of the network in FILE.")
_required = _edges_option("required", "Require all edges of the network in FILE.")
_forbidden = _edges_option("forbidden", "Forbid the edges of the network in FILE.")


edge_options = option_group("edges", EdgeOptions, _allowed, _required, _forbidden)
known_edge_options = option_group("edges", EdgeOptions, _required, _forbidden)
allowed_edge_options = option_group("edges", EdgeOptions, _allowed)
