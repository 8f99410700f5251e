"""Options for known edges: `--allowed-edges`, `--forbidden-edges`, `--required-edges`, which arrive as `edges`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from ..learning.options import EdgeOptions
from .compatibility import KNOWLEDGE
from .option_group import option_group
from .paths import InputPath

if TYPE_CHECKING:
    pass


def _edges_option(which: str, what: str) -> Callable:
    return click.option(f"--{which}-edges", type=InputPath(), metavar="FILE", help=what)


_allowed = _edges_option("allowed", "Allow only the edges of the network in FILE.")
_required = _edges_option("required", "Require all edges of the network in FILE.")
_forbidden = _edges_option("forbidden", "Forbid the edges of the network in FILE.")


edge_options = option_group("edges", EdgeOptions, _allowed, _required, _forbidden, rows=KNOWLEDGE)
known_edge_options = option_group("edges", EdgeOptions, _required, _forbidden, rows=KNOWLEDGE)
allowed_edge_options = option_group("edges", EdgeOptions, _allowed, rows=KNOWLEDGE)
