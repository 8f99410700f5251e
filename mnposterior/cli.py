"""Command line of mnposterior: its options; `mnposterior.learner` does the run."""

from __future__ import annotations

from typing import Any

import click

from ..common.cli import command
from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import edge_output_options, incomplete_data_options
from ..common.cli.edges import allowed_edge_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options
from ..common.cli.long_runs import checkpoint_options, sweep_options
from ..common.cli.option import ABSENT, INPUT, OUTPUT, WITHOUT_EM, Conditions, option
from ..common.cli.option_group import option_group, with_conditions
from ..common.cli.options import max_clique_option, min_probability_option, standard_options, trace_option
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.resources import resource_options
from ..common.cli.score_options import score_options
from ..common.networks.edges_in_memory import NETWORK
from .config import DRAWS, LADDERS, FileOptions, Options, SamplingOptions

CHAINS: Conditions = {"method": ("auto", "chains"), "draws": ABSENT}
sampling_options = option_group(
    "sampling",
    SamplingOptions,
    option(
        "--method",
        first=True,
        type=click.Choice(["auto", "chains", "exact"]),
        help="Tempered chains, or exact independent draws; auto chooses by the number of variables and the options.",
    ),
    option(
        "--draws",
        conditions={"method": ("auto", "exact"), **WITHOUT_EM},
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Number of exact independent draws.  [default: {DRAWS}]",
    ),
    option(
        "--ladders",
        conditions=CHAINS,
        type=click.IntRange(2, 1024),
        metavar="N",
        help="Number of independent ladders of chains, whose agreement is reported; they share the cores.  "
        f"[default: {LADDERS}]",
    ),
    option(
        "--init",
        group=INPUT,
        conditions=CHAINS,
        type=InputPath(holds=NETWORK),
        metavar="GRAPH",
        help="Start the chains from the network in this file.",
    ),
)
file_options = option_group(
    "files",
    FileOptions,
    with_conditions(
        CHAINS, trace_option(", one row per ladder and slice: seconds, step, ladder, adapting, score, edges.")
    ),
    option(
        "--samples",
        group=OUTPUT,
        conditions=CHAINS,
        type=OutputPath(by_default=False, formats=("networks",)),
        metavar="FILE",
        help="Write up to 1000 of the networks sampled by chains to FILE, one per line.",
    ),
    option(
        "--trajectory",
        group=OUTPUT,
        conditions=CHAINS,
        type=OutputPath(by_default=False, formats=("csv",)),
        metavar="FILE",
        help="Write the same networks to FILE as changes, in Benchpress's CSV: index, score, added, removed.",
    ),
)

CONDITIONS: dict = {
    ("missing", "em"): {"source": ("data",), "method": ("auto", "chains"), "score_type": ("bdeu",)},
    "iterations": CHAINS,
    "checkpoint": {**CHAINS, **WITHOUT_EM},
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@add_conditions(CONDITIONS)
@incomplete_data_options
@score_options
@max_clique_option
@edge_output_options
@min_probability_option
@standard_options
@sampling_options
@limit_options(
    "Stop after N moves of the chains, at the end of a round of all chains.", result="the probabilities so far"
)
@file_options
@allowed_edge_options
@resource_options
@sweep_options
@checkpoint_options
def mnposterior(**options: Any) -> int:
    """Compute the probability of each edge, from the posterior over chordal Markov networks for DATA.

    DATA is a CSV or a clique-score file; - is standard input. The result is an edge list with probabilities and their
    standard errors, the most probable first. Up to 15 variables the networks are exact independent draws. For more, or
    with an option that only chains have, or a time limit, they are sampled by Markov chains, whose convergence
    diagnostics are in the header.
    Chains without --time-limit or --iterations run for 60 seconds; they can be stopped by Ctrl-C or SIGTERM at any time
    (exit code 130). With --missing em the chains draw missing cells, too.

    Example: mnposterior table.csv -o probabilities.edges
    """
    from .learner import prepare

    return command.run_learner(prepare, Options(**options))


def main() -> None:
    """The console script."""
    command.main(mnposterior, "mnposterior")
