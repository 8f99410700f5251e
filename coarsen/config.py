"""The options of coarsen, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.files.fingerprint import without_effect
from ..common.learning.learner_options import LearnerOptions
from ..common.learning.options import EdgeOptions
from ..common.scores.scoring import CACHE_MB

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph

SPANNING = ("tree", "forest")
STARTS = (*SPANNING, "best", "empty")  # besides the network in a file


@dataclass(frozen=True)
class StepLimits:
    """Limits of a coarsening step.

    Attributes
    ----------
    max_clique
        Largest clique allowed, K.
    max_length
        Longest candidate edge, l, >= 1.
    seconds
        Time limit of one integer program.
    gap
        Relative gap at which a program is good enough.
    """

    max_clique: int | None = None
    max_length: int | None = None
    seconds: float = 500.0
    gap: float = 0.0


@dataclass(frozen=True)
class Config:
    """The settings of a run.

    Attributes
    ----------
    method
        ic, fic, greedy or forest.
    start
        tree, forest, empty or best (of tree and forest); or a file name, for messages, if `start_network` is set.
    start_network
        A network to start from.
    steps
        Limits of the coarsening steps.
    preset
        default, or pgm2020 for one pass, as published.
    forced
        Forced steps of fic, K+.
    forced_length
        Longest candidate edge of these, l+.
    search
        Seconds of local search.
    seed
        Of the local search.
    cache_mb
        Memory limit of the score cache.
    allowed, forbidden, required
        The only edges allowed, the edges that no network may have, and the edges that every network must have.
    """

    method: str = "ic"
    start: str = "best"
    start_network: Graph | None = None
    steps: StepLimits = StepLimits()
    preset: str = "default"
    forced: int = 1
    forced_length: int = 1
    search: float | None = None
    seed: int = 1
    cache_mb: int = without_effect(CACHE_MB)
    allowed: Graph | None = None
    forbidden: Graph | None = None
    required: Graph | None = None

    @property
    def short_first(self) -> bool:
        """Whether a cheap pass with short edges comes first if many variables could have long ones."""
        return self.preset != "pgm2020"


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """All options of a run.

    Attributes
    ----------
    max_clique, edges
        The networks that are allowed.
    start, config, steps
        Where to start, and how to learn.
    trace
        A CSV of the run.
    """

    max_clique: int | None = None
    start: str | None = None
    config: Config = Config()
    steps: StepLimits = StepLimits()
    trace: str | None = None
    edges: EdgeOptions = EdgeOptions()
