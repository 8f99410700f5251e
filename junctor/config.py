"""The options of junctor, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.files.fingerprint import without_effect
from ..common.learning.learner_options import LearnerOptions
from ..common.learning.options import EdgeOptions

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph

SECTIONS = ("solution", "tree", "matrix", "dot", "everything")


@dataclass(frozen=True)
class Config:
    """The settings of a run.

    Attributes
    ----------
    max_clique
        Largest clique allowed, >= 1.
    bounds
        Leave out sets that are in no optimum (`common.bounds.orders`); from 13 variables.
    memory
        Bytes that the tables may use; None for the memory of the machine.
    allowed
        No other edges than these; None: all are allowed.
    method
        dp (dynamic program), ilp (cutting planes, `junctor.ilp`), or auto.
    required
        Edges that every network must have (ilp only).
    forbidden
        Edges that no network may have.
    gap
        Stop when (upper bound - score) / |score of the best network known| is at most this (ilp only).
    seed
        Of the local search, >= 0.
    certificate
        Record a proof of the bound that can be checked independently (ilp only); edges are
        required or forbidden by the prior of the scoring, which the check knows.
    best
        The number of best networks to list, >= 1; None: only the best is wanted.
    within
        List no network that scores more than this less than the best, >= 0.
    """

    max_clique: int | None = None
    bounds: bool = True
    memory: float | None = without_effect(None)
    allowed: Graph | None = None
    method: str = "auto"
    required: Graph | None = None
    forbidden: Graph | None = None
    gap: float = 0.0
    seed: int = 1
    certificate: bool = False
    best: int | None = None
    within: float | None = None


@dataclass(frozen=True)
class SectionOptions:
    """The sections of the original's output that are printed, instead of a graph file."""

    solution: bool = False
    tree: bool = False
    matrix: bool = False
    dot: bool = False
    everything: bool = False

    @property
    def wanted(self) -> list[str]:
        """The names of the chosen sections, in the order of the output."""
        return [name for name in SECTIONS[:-1] if self.everything or getattr(self, name)]


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """All options of a run.

    Attributes
    ----------
    max_clique, max_width, edges
        The networks that are allowed; the first two are the same bound.
    config
        How to solve.
    sections, certificate, networks, trace
        The output: parts of the original's output instead of a graph file, a proof of the bound, the best
        networks, a CSV of the run.
    """

    max_clique: int | None = None
    max_width: int | None = None
    sections: SectionOptions = SectionOptions()
    config: Config = Config()
    edges: EdgeOptions = EdgeOptions()
    certificate: str | None = None
    networks: str | None = None
    trace: str | None = None
