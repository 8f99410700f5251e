"""How mplearn learns: its options, with their defaults; the score is `mplearn.blanket_scoring.BlanketScoring`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.scores.scoring import CACHE_MB

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph
    from .blanket import Blanket

PBO_LIMIT = 15_000
PBO_SECONDS = 3600.0


@dataclass(frozen=True)
class Config:
    """How to learn.

    Attributes
    ----------
    combine
        hc, pbo, and, or.
    lasso
        If set, find the blankets by L1-regularised logistic regression with this weight.
    max_blanket
        Largest number of members of a blanket in the first phase.
    blankets : tuple of Blanket, or None
        Blankets found before, one per variable, instead of the first phase.
    pbo_limit
        Largest total number of candidate blankets of all variables, for pbo.
    pbo_seconds
        Time limit of its integer program.
    cache_mb
        Memory limit of the score cache.
    allowed
        All edges are allowed, except forbidden ones.
    forbidden, required
        Edges that no network may have, and edges that every network must have.
    """

    combine: str = "hc"
    lasso: float | None = None
    max_blanket: int | None = None
    blankets: "tuple[Blanket, ...] | None" = None
    pbo_limit: int = PBO_LIMIT
    pbo_seconds: float = PBO_SECONDS
    cache_mb: int = CACHE_MB
    allowed: None = None
    forbidden: "Graph | None" = None
    required: "Graph | None" = None
