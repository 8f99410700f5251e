"""How mplearn learns: its options, with their defaults; what it maximises is `mplearn.local.Scoring`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cliquewise.common.scores.scoring import CACHE_MB

if TYPE_CHECKING:
    from cliquewise.common.graphs.graph import Graph
    from cliquewise.mplearn.blankets import Blanket

PBO_LIMIT = 15_000
PBO_SECONDS = 3600.0


@dataclass(frozen=True)
class Config:
    """How to learn.

    Attributes
    ----------
    combine : str
        hc, pbo, and, or.
    lasso : float or None
        Find the blankets by L1-regularised logistic regression with this weight instead.
    max_blanket : int or None
        Members a blanket of the first phase may have.
    screen : bool
        Whether only variables that gain alone are looked at for a blanket.
    blankets : tuple of Blanket, or None
        Found before, one per variable, in the place of the first phase.
    pbo_limit : int
        Most candidate blankets of all variables together, for pbo.
    pbo_seconds : float
        Of its integer program.
    cache_mb : int
        Bound on the memory of scores.
    allowed : None
        All edges but those forbidden are.
    forbidden, required : Graph or None
        Edges that no network may have, and those that every one must have.
    """

    combine: str = "hc"
    lasso: float | None = None
    max_blanket: int | None = None
    screen: bool = False
    blankets: "tuple[Blanket, ...] | None" = None
    pbo_limit: int = PBO_LIMIT
    pbo_seconds: float = PBO_SECONDS
    cache_mb: int = CACHE_MB
    allowed: None = None
    forbidden: "Graph | None" = None
    required: "Graph | None" = None
