"""The outcome of a check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graphs.treewidth import Treewidth


@dataclass(frozen=True)
class Certificate:
    """Outcome of a check.

    Attributes
    ----------
    problems
        One sentence per problem.
    undecided
        One sentence per claim that could be neither proved nor refuted.
    score
        Recomputed; None if the graph is not valid or there is no source of scores.
    largest_clique
        Vertices in the largest clique of a chordal graph.
    treewidth
        Of an acyclic directed graph's moral graph.
    """

    problems: tuple[str, ...]
    undecided: tuple[str, ...] = ()
    score: float | None = None
    largest_clique: int | None = None
    treewidth: Treewidth | None = None

    @property
    def ok(self) -> bool:
        """Whether everything is proved."""
        return not self.problems and not self.undecided
