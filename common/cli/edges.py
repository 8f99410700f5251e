"""Options for known edges: `--allowed-edges`, `--forbidden-edges`, `--required-edges`, which arrive as `edges`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from ..errors import DataError
from .paths import InputPath
from .together import together

if TYPE_CHECKING:
    from .load import Source


def _edges_option(which: str, what: str) -> Callable:
    return click.option(f"--{which}-edges", type=InputPath(), metavar="FILE", help=what)


_allowed = _edges_option("allowed", "Allow only the edges of the network in FILE.")
_required = _edges_option("required", "Require all edges of the network in FILE.")
_forbidden = _edges_option("forbidden", "Forbid the edges of the network in FILE.")


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

    def read(self, data: Source) -> dict[str, Any]:
        """The edges in the files, a Graph or None: `allowed`, `forbidden` and `required`, as in a learner's Config."""
        from ..models.any_graph import read_edges_of

        paths = {"allowed": self.allowed_edges, "forbidden": self.forbidden_edges, "required": self.required_edges}
        found = {name: None if path is None else read_edges_of(path, data).graph for name, path in paths.items()}
        if found["allowed"] is not None and not found["allowed"].edges:
            told = "no edge in this file, so none would be allowed; leave --allowed-edges out to allow all"
            raise DataError(told, self.allowed_edges)
        return found


edge_options = together("edges", EdgeOptions, _allowed, _required, _forbidden)
known_edge_options = together("edges", EdgeOptions, _required, _forbidden)
allowed_edge_options = together("edges", EdgeOptions, _allowed)
