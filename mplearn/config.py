"""How mplearn learns: its options, with their defaults; the score is `mplearn.blanket_scoring.BlanketScoring`."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.data.columns import chosen_columns
from ..common.errors import UsageError
from ..common.files.fingerprint import without_effect
from ..common.files.header_words import PENALTIES
from ..common.learning.learner_options import LearnerOptions
from ..common.learning.options import EdgeOptions
from ..common.scores.scoring import CACHE_MB

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.shard import Shard
    from ..common.graphs.graph import Graph
    from .blanket import Blanket
    from .blanket_scoring import BlanketScoring

LOG = logging.getLogger("cliquewise")
PBO_LIMIT = 15_000
SHOWN_BLANKETS = 5  # at most, in the log


@dataclass(frozen=True)
class Config:
    """The settings of a run.

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
    blankets: tuple[Blanket, ...] | None = None
    pbo_limit: int = PBO_LIMIT
    pbo_seconds: float = 3600.0
    cache_mb: int = without_effect(CACHE_MB)
    allowed: None = None
    forbidden: Graph | None = None
    required: Graph | None = None


@dataclass(frozen=True)
class BlanketScoreOptions:
    """The score of blankets; None is the default, which other scores ignore.

    Attributes
    ----------
    kind
        mpl, pic, cmi or l1lr.
    ess, prior
        Of mpl.
    penalty
        Of pic.
    thresholds, lambdas
        Of cmi and of l1lr: a network for each.
    """

    kind: str = "mpl"
    ess: float = 1.0
    prior: str | None = None
    penalty: str | None = None
    thresholds: tuple[float, ...] | None = None
    lambdas: tuple[float, ...] | None = None

    @property
    def values(self) -> Sequence[float | None]:
        """The thresholds or lambdas; one None for a score without."""
        return self.thresholds or self.lambdas or (None,)

    def scoring(self, value: float | None) -> BlanketScoring:
        """The score to maximise, with one of the values.

        Raises
        ------
        UsageError
            An unknown prior.
        """
        from .blanket_scoring import BlanketScoring
        from .priors import PRIORS

        prior, penalty = self.prior or "uniform", self.penalty or PENALTIES[0]
        if prior not in PRIORS:
            raise UsageError(f"--prior {prior}: unknown prior; choose one of {', '.join(PRIORS)}")
        kind = "mpl" if self.kind == "l1lr" else self.kind  # the network of l1lr is scored by mpl
        return BlanketScoring(kind, self.ess, prior, penalty, (value or 0.0) if kind == "cmi" else 0.0)


@dataclass(frozen=True)
class BlanketOptions:
    """Blankets that are written to a file, or read from one.

    Attributes
    ----------
    blankets_only
        Whether to write the blankets and no network.
    variables, shard
        The variables whose blankets are found, by numbers or a list of names; None: all.
    given
        A file of blankets to combine.
    """

    blankets_only: bool = False
    variables: tuple[int, ...] | str | None = None
    shard: Shard | None = None
    given: str | None = None

    def chosen(self, data: Dataset) -> Sequence[int]:
        """The variables of all shards, ascending.

        Raises
        ------
        UsageError
            The data do not have one of them.
        """
        if isinstance(self.variables, str):
            return sorted({*chosen_columns(self.variables, data.names, "--variables")})
        variables: Sequence[int] = range(data.n) if self.variables is None else self.variables
        if variables[-1] >= data.n:
            raise UsageError(f"--variables: there is no variable {variables[-1]}; the data have 0 to {data.n - 1}")
        names = {*data.names}
        other = next((v for v in self.variables or () if str(v) in names and data.names[v] != str(v)), None)
        if other is not None:
            message = "--variables: %d is read as an index, that of the column '%s'; for the column '%d' give '\"%d\"'"
            LOG.warning(message, other, data.names[other], other, other)
        return variables


@dataclass(frozen=True, kw_only=True)
class Options(LearnerOptions):
    """All options of a run; `scoring` is a BlanketScoreOptions.

    Attributes
    ----------
    combine, config, edges
        How to learn, and the edges that must and must not be there.
    blankets
        Blankets that are written to a file, or read from one.
    trace
        A CSV of the run.
    """

    combine: str | None = None
    config: Config = Config()
    blankets: BlanketOptions = BlanketOptions()
    trace: str | None = None
    edges: EdgeOptions = EdgeOptions()


def default_combination(kind: str) -> str:
    """The default combination of blankets found by a score."""
    return "and" if kind in ("cmi", "l1lr") else "hc"
