"""Command line of junctor: its options; `junctor.learner` does the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.choice_option import choose_option
from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import learner_options
from ..common.cli.edges import edge_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import checkpoint_options
from ..common.cli.network_lists import best_option, networks_option, within_option
from ..common.cli.option import ABSENT, OUTPUT, Conditions, option
from ..common.cli.option_group import option_group
from ..common.cli.options import trace_option
from ..common.cli.paths import OutputPath
from ..common.cli.resources import uncached_resource_options
from ..common.cli.seed import seed_option
from .config import SECTIONS, Config, Options, SectionOptions

if TYPE_CHECKING:
    from collections.abc import Callable


ILP: Conditions = {"method": ("auto", "ilp")}
EDGES = ("allowed_edges", "required_edges", "forbidden_edges")


def _section(letter: str, name: str, what: str) -> Callable:
    return option(
        f"-{letter}", name, group=OUTPUT, in_python=False, is_flag=True, help=f"Print {what}, as the original does."
    )


section_options = option_group(
    "sections",
    SectionOptions,
    _section("s", "solution", "the score of each clique and separator, and their total"),
    _section("t", "tree", "a junction tree"),
    _section("m", "matrix", "the adjacency matrix"),
    _section("d", "dot", "a dot file"),
    _section("a", "everything", "all four of these"),
)
config_options = option_group(
    "config",
    Config,
    option(
        "--bounds/--no-bounds",
        default=True,
        help="Leave out sets that no optimal network can contain; the result is the same.  [default: bounds]",
    ),
    option(
        "--method",
        first=True,
        type=click.Choice(["auto", "dp", "ilp"]),
        help="Dynamic program or cutting planes; auto chooses by the number of variables.",
    ),
    option(
        "--gap",
        conditions=ILP,
        type=FiniteFloat(min=0),
        metavar="SHARE",
        help="Stop once the upper bound is at most this share of the absolute score above it.",
    ),
    best_option,
    within_option,
    seed_option,
)


NO_SECTION = dict.fromkeys(SECTIONS, ABSENT)
CONDITIONS = {
    "fmt": NO_SECTION,
    "use_names": NO_SECTION,
    "provenance": NO_SECTION,
    **dict.fromkeys(("required_edges", "trace"), ILP),
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@add_conditions(CONDITIONS)
@learner_options
@click.argument("max_width", metavar="[MAXWIDTH]", type=click.IntRange(min=1), required=False)
@section_options
@config_options
@edge_options
@limit_options()
@option(
    "--certificate",
    group=OUTPUT,
    conditions={**ILP, **dict.fromkeys(EDGES, ABSENT)},
    in_header=True,
    type=OutputPath(by_default=False, formats=("proof",)),
    metavar="FILE",
    help="Write a proof of the upper bound to FILE, for mntools check.",
)
@networks_option(
    {"gap": ABSENT}, "Write the best networks to FILE, one per line, with their scores and the bound on all others."
)
@uncached_resource_options
@checkpoint_options
@trace_option(", one row per round of the cutting planes.")
@choose_option
def junctor(choose: str | None, **options: Any) -> int:
    """Find an optimal chordal Markov network from DATA by dynamic programming or cutting planes.

    DATA is a clique-score file or a CSV; - is standard input. MAXWIDTH is the same bound as --max-clique. The
    optimal network is written as a clique list, or in sections like the original Junctor's if any of -s -t -m -d
    -a is given. On Ctrl-C or SIGTERM the best network known, if any, is written (exit code 130). With
    --checkpoint another run can start from this network and the bound.

    Example: junctor table.csv --max-clique 3 -o network.cliques
    """
    from .learner import prepare

    return command.run_learner(prepare, Options(**options), choose)


def main() -> None:
    """The console script."""
    command.main(junctor, "junctor")
