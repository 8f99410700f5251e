"""The options of mplearn's two phases."""

from __future__ import annotations

import click

from ..common.cli.limit_options import solver_limit_option
from ..common.cli.lists import Numbers, Variables
from ..common.cli.long_runs import shard_option
from ..common.cli.option import ABSENT, GIVEN, INPUT, OUTPUT, SCORE, Conditions, option
from ..common.cli.option_group import option_group, with_conditions
from ..common.cli.paths import InputPath
from ..common.cli.score_options import ess_option
from ..common.files.header_words import PENALTIES
from .config import BlanketOptions, BlanketScoreOptions, Config

NETWORK: Conditions = {"blankets_only": ABSENT}  # of the second phase, and of its output
SEARCHED: Conditions = {"kind": ("mpl", "pic", "cmi")}  # l1lr is not a search
PBO: Conditions = {**NETWORK, "combine": ("pbo",)}
score_options = option_group(
    "scoring",
    BlanketScoreOptions,
    option(
        "--score",
        "kind",
        first=True,
        group=SCORE,
        type=click.Choice(["mpl", "pic", "cmi", "l1lr"]),
        help="Marginal pseudo-likelihood; or, for comparison: pseudo-likelihood information criterion, conditional "
        "mutual information, L1-regularised logistic regression.",
    ),
    ess_option(of="the prior of mpl"),
    option(
        "--prior",
        group=SCORE,
        conditions={"kind": ("mpl",)},
        metavar="[uniform|sparse]",
        help="Prior of mpl: uniform over graphs, or 2^(-q(r-1)) for a blanket of q configurations of a variable of r "
        "states.  [default: uniform]",
    ),
    option(
        "--penalty",
        group=SCORE,
        conditions={"kind": ("pic",)},
        type=click.Choice(PENALTIES),
        help="Penalty of pic: q ln(rows) as printed, or q(r-1) ln(rows)/2, by parameters.  [default: printed]",
    ),
    option(
        "--threshold",
        "thresholds",
        group=SCORE,
        conditions={"kind": ("cmi",)},
        type=Numbers(min=0),
        metavar="X,...",
        help="Minimum information of cmi, in nats; with several values, a network for each, in the file that -o names "
        "with {} for the value.",
    ),
    option(
        "--lambda",
        "lambdas",
        group=SCORE,
        conditions={"kind": ("l1lr",)},
        type=Numbers(min=0, min_open=True),
        metavar="X,...",
        help="Weight of the L1 penalty of l1lr, used like --threshold; the loss is summed over rows.",
    ),
)
combine_option = option(
    "--combine",
    conditions=NETWORK,
    type=click.Choice(["hc", "pbo", "and", "or"]),
    help="Combine the blankets by hill climbing, exactly by pseudo-Boolean optimisation, or by the edges in both "
    "blankets (and) or in at least one of them (or).  [default: hc; cmi and l1lr: and]",
)
config_options = option_group(
    "config",
    Config,
    option(
        "--max-blanket",
        conditions=SEARCHED,
        type=click.IntRange(min=0),
        metavar="K",
        help="Maximum size of a blanket in the first phase.",
    ),
    option(
        "--pbo-limit",
        conditions=PBO,
        type=click.IntRange(min=1),
        metavar="N",
        help="Largest total number of candidate blankets, for --combine pbo.",
    ),
    with_conditions(PBO, solver_limit_option("--pbo-time-limit", "pbo_seconds")),
)
blanket_options = option_group(
    "blankets",
    BlanketOptions,
    option(
        "--blankets-only",
        group=OUTPUT,
        conditions={"given": ABSENT},
        in_python=False,
        is_flag=True,
        help="Write the blankets as they are found, one line `variable: member,...` each.",
    ),
    option(
        "--variables",
        conditions={"blankets_only": GIVEN},
        in_python=False,
        type=Variables(),
        metavar="A,B,...",
        help="Find only the blankets of these variables: names as for --columns, or indices 0-99,120; for "
        "--blankets-only.",
    ),
    option(
        "--blankets",
        "given",
        group=INPUT,
        type=InputPath(),
        metavar="FILE",
        help="Read the blankets from a file written by --blankets-only, or several files concatenated.",
    ),
    shard_option("the variables, for --blankets-only"),
)
