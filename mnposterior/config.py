"""The options of mnposterior, with their defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.files.fingerprint import without_effect
from ..common.files.listed_edges import MIN_PROBABILITY
from ..common.learning.learner_options import LearnerOptions
from ..common.learning.options import EdgeOptions, SweepOptions, filled
from ..common.scores.scoring import CACHE_MB

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph
    from ..common.run.limits import Limits

DRAWS = 10_000
LADDERS = 4
MAX_STANDARD_ERROR = 0.5  # no quantity between 0 and 1, as a share, has a larger standard deviation
EXACT_UP_TO = 15  # variables: a quarter of a minute, 0.25 GB; each one more takes four times, and three times as much


@dataclass(frozen=True)
class PosteriorConfig:
    """How to sample the posterior.

    Attributes
    ----------
    method : str
        chains, exact, or auto (see `chosen_method`).
    max_clique : int or None
        Largest clique allowed, >= 2 (exact: >= 1).
    draws : int
        Number of independent draws, >= 1 (exact only).
    ladders : int
        Number of independent ladders, >= 2 (chains only).
    init : Graph or None, and init_path : str
        A network to start from (chains only).
    allowed : Graph or None
        No other edges than these; None: all are allowed.
    seed : int
    cache_mb : int
        Memory limit of the score cache (chains only).
    memory : float or None
        Bytes that tables may use; None for the free memory of the machine.
    """

    method: str = "auto"
    max_clique: int | None = None
    draws: int = DRAWS
    ladders: int = LADDERS
    init: Graph | None = None
    init_path: str = without_effect("-")
    allowed: Graph | None = None
    seed: int = 1
    cache_mb: int = without_effect(CACHE_MB)
    memory: float | None = without_effect(None)


def chosen_method(config: PosteriorConfig, n: int, limits: Limits) -> str:
    """The method for n variables: as requested, or chains where exact draws take long, or if there is a limit.

    A run that is to end at a certain time or step must have a result by then; exact draws have none before their tables
    are complete.

    Parameters
    ----------
    config : PosteriorConfig
    n : int
    limits : Limits

    Returns
    -------
    str
        chains or exact.
    """
    if config.method != "auto":
        return config.method
    limited = limits.time_limit is not None or limits.iterations is not None
    return "chains" if limited or n > EXACT_UP_TO else "exact"


@dataclass(frozen=True)
class SamplingOptions:
    """How to sample; None is the default, which does not choose the method.

    Attributes
    ----------
    method
        auto, chains or exact.
    draws, ladders
        As in PosteriorConfig.
    init
        Path of a network.
    """

    method: str = "auto"
    draws: int | None = None
    ladders: int | None = None
    init: str | None = None


@dataclass(frozen=True)
class FileOptions:
    """The files written in addition to the result.

    Attributes
    ----------
    trace
        A CSV of the run.
    samples, trajectory
        Sampled networks, whole and as changes.
    """

    trace: str | None = None
    samples: str | None = None
    trajectory: str | None = None

    def named(self, value: float | None) -> FileOptions:
        """The same for one value of a sweep, see `common.files.endings.filled`."""
        return FileOptions(filled(self.trace, value), filled(self.samples, value), filled(self.trajectory, value))


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """All options of a run.

    Attributes
    ----------
    max_clique, edges
        The networks that are allowed.
    sampling
        How to sample.
    files
        Further files.
    sweep
        How many runs there are.
    min_probability
        Of the edges that are listed.
    """

    max_clique: int | None = None
    sampling: SamplingOptions = SamplingOptions()
    files: FileOptions = FileOptions()
    edges: EdgeOptions = EdgeOptions()
    sweep: SweepOptions = SweepOptions()
    min_probability: float = MIN_PROBABILITY
