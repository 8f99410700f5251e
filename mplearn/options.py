"""The options of mplearn's two phases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ..common.cli.lists import FiniteFloat, Indices, Numbers
from ..common.cli.long_runs import shard_option
from ..common.cli.paths import InputPath
from ..common.cli.score_options import ess_option
from ..common.cli.together import together
from ..common.errors import UsageError
from ..common.files.result_header import PENALTIES
from .config import PBO_LIMIT, PBO_SECONDS, Config

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.data.dataset import Dataset
    from ..common.files.shard import Shard
    from .blanket_scoring import BlanketScoring


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
    thresholds, weights
        Of cmi and of l1lr: a network for each.
    """

    kind: str = "mpl"
    ess: float = 1.0
    prior: str | None = None
    penalty: str | None = None
    thresholds: tuple[float, ...] | None = None
    weights: tuple[float, ...] | None = None

    @property
    def values(self) -> Sequence[float | None]:
        """The thresholds or weights; one None for a score without."""
        return self.thresholds or self.weights or (None,)

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
    """Blankets that are written, or were.

    Attributes
    ----------
    blankets_only
        Whether to write the blankets and no network.
    variables, shard
        Of these alone.
    given
        A file of blankets.
    """

    blankets_only: bool = False
    variables: tuple[int, ...] | None = None
    shard: Shard | None = None
    given: str | None = None

    def chosen(self, data: Dataset) -> Sequence[int]:
        """The variables whose blankets are wanted.

        Raises
        ------
        UsageError
            One that the data do not have.
        """
        wanted: Sequence[int] = range(data.n) if self.variables is None else self.variables
        if wanted[-1] >= data.n:
            raise UsageError(f"--variables: there is no variable {wanted[-1]}; the data have 0 to {data.n - 1}")
        return wanted if self.shard is None else self.shard.block(wanted)


score_options = together(
    "scoring",
    BlanketScoreOptions,
    click.option(
        "--score",
        "kind",
        type=click.Choice(["mpl", "pic", "cmi", "l1lr"]),
        default="mpl",
        show_default=True,
        help="Marginal pseudo-likelihood; or, for comparison: pseudo-likelihood information criterion, conditional "
        "mutual information, L1-regularised logistic regression.",
    ),
    ess_option(of="the prior of mpl"),
    click.option(
        "--prior",
        metavar="[uniform|sparse]",
        help="Prior of mpl: uniform over graphs, or 2^(-q(r-1)) for a blanket of q configurations of a variable of r "
        "states.  [default: uniform]",
    ),
    click.option(
        "--penalty",
        type=click.Choice(PENALTIES),
        help="Penalty of pic: q ln(rows) as printed, or q(r-1) ln(rows)/2, by parameters.  [default: printed]",
    ),
    click.option(
        "--threshold",
        "thresholds",
        type=Numbers(min=0),
        metavar="X,...",
        help="Minimum information of cmi, in nats; with several, a network for each, to the files that -o names with "
        "{} in the value's place.",
    ),
    click.option(
        "--lambda",
        "weights",
        type=Numbers(min=0, min_open=True),
        metavar="X,...",
        help="Weights of l1lr, used like --threshold; the loss is summed over rows.",
    ),
)
combine_option = click.option(
    "--combine",
    type=click.Choice(["hc", "pbo", "and", "or"]),
    help="Combine the blankets by hill climbing, exactly by pseudo-Boolean optimisation, or by the edges that "
    "both blankets or at least one of them holds.  [default: hc; cmi and l1lr: and]",
)
config_options = together(
    "config",
    Config,
    click.option(
        "--max-blanket",
        type=click.IntRange(min=0),
        metavar="K",
        help="Maximum size of a blanket in the first phase.",
    ),
    click.option(
        "--pbo-limit",
        type=click.IntRange(min=1),
        default=PBO_LIMIT,
        show_default=True,
        metavar="N",
        help="Largest total number of candidate blankets, for --combine pbo.",
    ),
    click.option(
        "--pbo-time-limit",
        "pbo_seconds",
        type=FiniteFloat(min=0, min_open=True),
        default=PBO_SECONDS,
        show_default=True,
        metavar="SECONDS",
        help="Stop the exact solver after this many seconds and use its best solution.",
    ),
)
blanket_options = together(
    "blankets",
    BlanketOptions,
    click.option(
        "--blankets-only",
        is_flag=True,
        help="Write the blankets as they are found, one line `variable: member,...` each.",
    ),
    click.option(
        "--variables",
        type=Indices(),
        metavar="0-99,...",
        help="Find only the blankets of these variables; for --blankets-only.",
    ),
    click.option(
        "--blankets",
        "given",
        type=InputPath(),
        metavar="FILE",
        help="Read the blankets from a file written by --blankets-only, or several files concatenated.",
    ),
    shard_option("the variables, for --blankets-only"),
)
