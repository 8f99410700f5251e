"""The options of lsmarkov, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.files.fingerprint import without_effect
from ..common.learning.learner_options import LearnerOptions
from ..common.learning.options import EdgeOptions, SweepOptions
from ..common.scores.scoring import CACHE_MB

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph

RESTART_RATE = 1000
OPERATIONS = "CEV"
PUBLISHED = ("operations", "greedy", "restart_rate", "fixed_iters", "dynamic_bound")  # options of that search alone


@dataclass(frozen=True)
class Config:
    """The settings of a run.

    Attributes
    ----------
    preset : str
        default, or ecai2020 for the search as published.
    max_clique : int or None
        Largest clique allowed, >= 2.
    operations : str or None
        Some of the letters C, E, V (published search only); None for `OPERATIONS`.
    greedy : bool
        The greedy baseline instead of operations (published search only).
    restart_rate : int or None
        Steps without progress before a restart (published search only), T in the paper; None for `RESTART_RATE`.
    fixed_iters : bool
        Restart after that many steps, with or without progress (published search only).
    dynamic_bound : bool
        Start with cliques of two and allow larger ones after each restart (published search only).
    chow_liu : bool
        Start from the maximum-weight forest instead of the empty graph.
    precompute : bool
        Compute all scores of sets up to max_clique before the search.
    init : Graph or None, and init_path : str
        A network to start from.
    allowed : Graph or None
        No other edges than these; None: all are allowed.
    forbidden : Graph or None
        Edges that no network may have.
    required : Graph or None
        Edges that every network must have; not with the published search.
    seed : int
    cache_mb : int
        Memory limit of the score cache.
    """

    preset: str = "default"
    max_clique: int | None = None
    operations: str | None = None
    greedy: bool = False
    restart_rate: int | None = None
    fixed_iters: bool = False
    dynamic_bound: bool = False
    chow_liu: bool = True
    precompute: bool = False
    init: Graph | None = None
    init_path: str = without_effect("-")
    allowed: Graph | None = None
    forbidden: Graph | None = None
    required: Graph | None = None
    seed: int = 1
    cache_mb: int = without_effect(CACHE_MB)

    @property
    def as_published(self) -> bool:
        """Whether the search is the published one, which each of its options selects."""
        return self.preset == "ecai2020" or any(getattr(self, name) for name in PUBLISHED)


@dataclass(frozen=True)
class ReportOptions:
    """Further outputs.

    Attributes
    ----------
    bound
        Seconds for an upper bound after the search; None for no bound.
    trace
        A CSV of the run.
    updates
        Whether improvements are printed.
    """

    bound: float | None = None
    trace: str | None = None
    updates: bool = False


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """All options of a run.

    Attributes
    ----------
    max_clique, edges, init, config
        The networks that are allowed, the network to start from, and how to search.
    sweep
        How many runs there are.
    reports
        Further outputs.
    """

    max_clique: int | None = None
    init: str | None = None
    config: Config = Config()
    reports: ReportOptions = ReportOptions()
    edges: EdgeOptions = EdgeOptions()
    sweep: SweepOptions = SweepOptions()
