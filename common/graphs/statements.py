"""The statements of a user about the arcs and edges of a Bayesian network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .graph import Graph


@dataclass(frozen=True)
class Statements:
    """Prior knowledge, as a user states it.

    Attributes
    ----------
    required_arcs, forbidden_arcs : tuple of (int, int)
        Parent and child.
    tiers : tuple of tuple of int
        From the earliest to the latest; variables in none are free.
    without_arcs : tuple of bool
        Of each tier, whether its members may have no arcs among each other.
    order : tuple of int
        All variables, parents before children; empty if there is none.
    roots, leaves : tuple of int
        Variables without parents, and without children.
    allowed, forbidden, required : Graph or None
        Edges: no others than these, none of these, all of these.
    """

    required_arcs: tuple = ()
    forbidden_arcs: tuple = ()
    tiers: tuple = ()
    without_arcs: tuple = ()
    order: tuple = ()
    roots: tuple = ()
    leaves: tuple = ()
    allowed: Graph | None = None
    forbidden: Graph | None = None
    required: Graph | None = None

    def counts(self) -> dict[str, int]:
        """The number of arcs, tiers, variables or edges of each kind that is stated, by the name of its option."""
        kinds = ("required_arcs", "forbidden_arcs", "tiers", "order", "roots", "leaves")
        found = {name.replace("_", "-"): len(getattr(self, name)) for name in kinds}
        found = {name: count for name, count in found.items() if count}
        graphs = {name: getattr(self, name) for name in ("allowed", "forbidden", "required")}
        return found | {f"{name}-edges": len(graph.edges) for name, graph in graphs.items() if graph is not None}
