"""Command line of twlearn: its options; `twlearn.learner` does the run."""

from __future__ import annotations

from typing import Any

import click

from ..common.cli import command
from ..common.cli.arcs import arc_options
from ..common.cli.choice_option import choose_option
from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import arc_output_options, incomplete_input_options
from ..common.cli.edges import edge_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options
from ..common.cli.long_runs import checkpoint_options, sweep_options
from ..common.cli.network_lists import best_option, networks_option, within_option
from ..common.cli.option import ABSENT, INPUT, OF_DATA, OUTPUT, option
from ..common.cli.option_group import option_group
from ..common.cli.options import standard_options, trace_option
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.resources import resource_options
from ..common.cli.score_options import learner_score_options
from ..common.networks.edges_in_memory import NETWORK
from .config import CPDAG_FORMATS, METHODS, Config, Options

config_options = option_group(
    "config",
    Config,
    option(
        "--treewidth",
        "-w",
        first=True,
        type=click.IntRange(min=1),
        required=True,
        metavar="W",
        help="Bound on the treewidth of the network's moral graph.",
    ),
    option(
        "--method",
        first=True,
        type=click.Choice(["auto", *METHODS]),
        help="Search over chordal graphs and orders (chordal); search over arcs, for many variables (climb); integer "
        "program (milp); dynamic program over all k-trees (kp); the same inside random k-trees (skp); random k-trees "
        "and orders (s2).",
    ),
    option(
        "--max-parents",
        type=click.IntRange(min=0),
        metavar="K",
        help="Largest number of parents of a variable.  [default: 3; W with --method climb]",
    ),
    option(
        "--parent-sets",
        conditions=OF_DATA,
        type=click.IntRange(min=1),
        metavar="N",
        help="Search for parent sets, and score about N per variable.  [default: all sets; 400 if all are more "
        "than five million]",
    ),
    option(
        "--no-climb",
        "independent",
        conditions={"method": ("s2",)},
        is_flag=True,
        help="Let --method s2 draw all k-trees independently; by default every second one is a change of the best.",
    ),
    best_option,
    within_option,
)
template_option = option(
    "--template",
    group=INPUT,
    conditions={"method": ("auto", "chordal", "climb")},
    type=InputPath(holds=NETWORK),
    metavar="GRAPH",
    help="Start from the network in this file, chordal or directed; for the methods chordal and climb.",
)


cpdag_option = option(
    "--cpdag",
    group=OUTPUT,
    type=OutputPath(by_default=False, formats=CPDAG_FORMATS),
    metavar="FILE",
    help="Write the network with directions only where all equivalent networks that agree with the knowledge have "
    "them: a CPDAG.",
)


CONDITIONS = {
    "iterations": {"method": ("auto", "chordal", "climb", "skp", "s2")},  # milp and kp do not count iterations
    "checkpoint": {"method": ("auto", "chordal", "climb", "milp", "skp", "s2")},  # kp has no state to continue from
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@add_conditions(CONDITIONS)
@incomplete_input_options
@config_options
@template_option
@arc_options
@edge_options
@learner_score_options
@limit_options("Stop after this many steps: k-trees of s2 and skp, moves of chordal, kicks and pieces of climb.")
@trace_option(": seconds, iterations, score.")
@cpdag_option
@networks_option(
    {"method": ("auto", "milp"), **dict.fromkeys(("template", "iterations", "parent_sets"), ABSENT)},
    "Write the best networks to FILE, one per line, with their scores and the bound on all others; of "
    "equivalent networks, which score the same, only one is listed.",
)
@resource_options
@sweep_options
@checkpoint_options
@arc_output_options
@standard_options
@choose_option
def twlearn(choose: str | None, **options: Any) -> int:
    """Learn a Bayesian network of bounded treewidth from DATA.

    DATA is a CSV, a clique-score file or a parent-set-score file; - is standard input. Few variables are solved
    exactly, more by search. The best network found is written as an arc list when the time is up, or on Ctrl-C or
    SIGTERM (exit code 130). The clock starts once the parent sets have been scored. Without --time-limit or
    --iterations exact methods run for 60 seconds, and a search ends when it has found nothing better for three times as
    long as it took to find the best network, but at least 5 and at most 60 seconds. With --checkpoint another run can
    continue.

    Example: twlearn table.csv --treewidth 3 --time-limit 60 -o network.arcs
    """
    from .learner import prepare

    return command.run_learner(prepare, Options(**options), choose)


def main() -> None:
    """The console script."""
    command.main(twlearn, "twlearn")
