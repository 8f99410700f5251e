"""Command line of coarsen: its options; then `coarsen.learner` runs, and the results are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.choice_option import choose_option
from ..common.cli.compatibility import ABSENT, ALWAYS, CHOICE, GIVEN, goes_with
from ..common.cli.edges import known_edge_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options, solver_limit_option
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import checkpoint_options
from ..common.cli.option_group import option_group
from ..common.cli.options import learner_options, trace_option
from ..common.cli.paths import InputPath
from ..common.cli.resources import resource_options
from ..common.cli.seed import seed_option
from .config import PROGRAM_SECONDS, SPANNING, STARTS, Config, Options, StepLimits

if TYPE_CHECKING:
    pass


start_option = click.option(
    "--start",
    type=InputPath(words=STARTS),
    metavar="[tree|forest|best|empty|FILE]",
    help="Start from the best spanning tree or forest, from both and keep the better result, from no edges, or "
    "from the network in a file.  [default: best; greedy: empty; forest: forest]",
)
config_options = option_group(
    "config",
    Config,
    click.option(
        "--method",
        type=click.Choice(["ic", "fic", "greedy", "forest"]),
        help="Iterative coarsening; the same and forced steps after it; the best single edge each step; or the "
        "start alone.",
    ),
    click.option(
        "--preset",
        type=click.Choice(["default", "pgm2020"]),
        help="Ours, or as published: from the spanning tree only, in one pass.",
    ),
    click.option(
        "--forced",
        type=click.IntRange(min=0),
        metavar="N",
        help=f"Forced steps of --method fic.  [default: {Config.forced}]",
    ),
    click.option(
        "--forced-length",
        type=click.IntRange(min=1),
        metavar="L",
        help=f"As --max-length, for the forced steps.  [default: {Config.forced_length}]",
    ),
    click.option(
        "--search",
        type=FiniteFloat(min=0, min_open=True),
        metavar="SECONDS",
        help="After the last step: local search for this long, which also removes edges, and steps again from there.",
    ),
    seed_option,
)
step_options = option_group(
    "steps",
    StepLimits,
    click.option(
        "--max-length",
        type=click.IntRange(min=1),
        metavar="L",
        help="Consider edges across at most this many separators.",
    ),
    solver_limit_option("--ilp-time-limit", "seconds", PROGRAM_SECONDS),
    click.option(
        "--gap",
        type=FiniteFloat(min=0),
        metavar="G",
        help="Stop an integer program once it is proved this close to its optimum (0.01: one per cent).",
    ),
)


PROGRAMS = {"method": ("ic", "fic")}  # those that solve integer programs
STEPS = {"method": ("ic", "fic", "greedy")}  # and greedy: the forest takes none
GOES_WITH: dict = {
    "choose": {**CHOICE, **dict.fromkeys(("trace", "checkpoint"), ABSENT)},
    "max_clique": ALWAYS,
    "method": ALWAYS,
    ("method", "forest"): {"start": SPANNING},
    "start": ALWAYS,
    "preset": PROGRAMS,
    ("preset", "pgm2020"): {"start": ("tree",), "search": ABSENT},
    "max_length": PROGRAMS,
    "forced": {"method": ("fic",)},
    "forced_length": {"method": ("fic",)},
    "search": STEPS,
    "seconds": PROGRAMS,
    "gap": PROGRAMS,
    "trace": ALWAYS,
    "seed": {"search": GIVEN},
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH)
@learner_options
@start_option
@config_options
@step_options
@limit_options()
@trace_option(", a row per step: its integer program's size, bound and gap, what it gained.")
@known_edge_options
@resource_options
@checkpoint_options
@choose_option
def coarsen(choose: str | None, **options: Any) -> int:
    """Learn a decomposable model from DATA by adding many edges at a time.

    DATA is a CSV or a clique-score file; - is standard input. Each step adds the best set of edges that the
    separators of the present network allow, chosen by an integer program. On Ctrl-C or SIGTERM the last complete
    step is written (exit code 130). With --checkpoint another run can continue from there.
    """
    from .learner import prepare

    return command.run_learner(prepare, Options(**options), choose)


def main() -> None:
    """The console script."""
    command.main(coarsen, "coarsen")
