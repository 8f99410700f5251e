"""Command line of coarsen: its options; `coarsen.learner` does the run."""

from __future__ import annotations

from typing import Any

import click

from ..common.cli import command
from ..common.cli.choice_option import choose_option
from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import learner_options
from ..common.cli.edges import known_edge_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options, solver_limit_option
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import checkpoint_options
from ..common.cli.option import ABSENT, GIVEN, INPUT, Conditions, option
from ..common.cli.option_group import option_group, with_conditions
from ..common.cli.options import trace_option
from ..common.cli.paths import InputPath
from ..common.cli.resources import resource_options
from ..common.cli.seed import seed_option
from ..common.networks.edges_in_memory import NETWORK
from .config import SPANNING, STARTS, Config, Options, StepLimits

PROGRAMS: Conditions = {"method": ("ic", "fic")}  # those that solve integer programs
STEPS: Conditions = {"method": ("ic", "fic", "greedy")}  # and greedy: the forest takes none
FORCED: Conditions = {"method": ("fic",)}
start_option = option(
    "--start",
    group=INPUT,
    type=InputPath(words=STARTS, holds=NETWORK),
    metavar="[tree|forest|best|empty|FILE]",
    help="Start from the best spanning tree or forest, from both and keep the better result, from no edges, or "
    "from the network in a file.  [default: best; greedy: empty; forest: forest]",
)
config_options = option_group(
    "config",
    Config,
    option(
        "--method",
        first=True,
        type=click.Choice(["ic", "fic", "greedy", "forest"]),
        help="Iterative coarsening (ic), the same and forced steps after it (fic), the best single edge in each step "
        "(greedy), or the start alone (forest).",
    ),
    option(
        "--preset",
        conditions=PROGRAMS,
        type=click.Choice(["default", "pgm2020"]),
        help="The default search, or as published (pgm2020): from the spanning tree only, in one pass.",
    ),
    option(
        "--forced",
        conditions=FORCED,
        type=click.IntRange(min=0),
        metavar="N",
        help=f"Forced steps of --method fic.  [default: {Config.forced}]",
    ),
    option(
        "--forced-length",
        conditions=FORCED,
        type=click.IntRange(min=1),
        metavar="L",
        help=f"As --max-length, for the forced steps.  [default: {Config.forced_length}]",
    ),
    option(
        "--search",
        conditions=STEPS,
        type=FiniteFloat(min=0, min_open=True),
        metavar="SECONDS",
        help="After the last step: local search for this long, which also removes edges, and steps again from there.",
    ),
    seed_option,
)
step_options = option_group(
    "steps",
    StepLimits,
    option(
        "--max-length",
        conditions=PROGRAMS,
        type=click.IntRange(min=1),
        metavar="L",
        help="Consider edges across at most this many separators.",
    ),
    with_conditions(PROGRAMS, solver_limit_option("--ilp-time-limit", "seconds")),
    option(
        "--gap",
        conditions=PROGRAMS,
        type=FiniteFloat(min=0),
        metavar="G",
        help="Stop an integer program once it is proved this close to its optimum (0.01: one per cent).",
    ),
)


CONDITIONS: dict = {
    ("method", "forest"): {"start": SPANNING},
    ("preset", "pgm2020"): {"start": ("tree",), "search": ABSENT},
    "seed": {"search": GIVEN},
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@add_conditions(CONDITIONS)
@learner_options
@start_option
@config_options
@step_options
@limit_options()
@trace_option(", a row per step: the size, bound and gap of its integer program, and its gain.")
@known_edge_options
@resource_options
@checkpoint_options
@choose_option
def coarsen(choose: str | None, **options: Any) -> int:
    """Learn a decomposable model from DATA by adding many edges at a time.

    DATA is a CSV or a clique-score file; - is standard input. Each step adds the best set of edges that the
    separators of the present network allow, chosen by an integer program. On Ctrl-C or SIGTERM the last complete
    step is written (exit code 130). With --checkpoint another run can continue from there.

    Example: coarsen table.csv --max-clique 3 -o network.cliques
    """
    from .learner import prepare

    return command.run_learner(prepare, Options(**options), choose)


def main() -> None:
    """The console script."""
    command.main(coarsen, "coarsen")
