"""The subcommand `mnmodel sample`: parses, calls the subcommand's module, writes."""

from __future__ import annotations

from typing import Any

import click

from ..common.cli.grouped import GroupedCommand
from ..common.cli.memory import bounded_memory
from ..common.cli.option import ABSENT, GIVEN, Conditions, option
from ..common.cli.option_group import with_conditions
from ..common.cli.options import (
    names_option,
    standard_options,
    table_output_option,
)
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.seed import SeedNumber, seed_option
from .options import (
    evidence_option,
    uai_order_option,
)


def _component_names(_ctx: Any, _param: Any, value: Any) -> Any:
    """`grid,hub` as a tuple of known names."""
    from .components import COMPONENTS

    names = None if value is None else tuple(value.split(","))
    for name in names or ():
        if name not in COMPONENTS:
            raise click.BadParameter(f"'{name}' is not one of {', '.join(COMPONENTS)}")
    return names


SYNTHETIC: Conditions = {"model": ABSENT}


@click.command(cls=GroupedCommand)
@click.argument("model", metavar="[MODEL]", type=InputPath(), required=False)
@with_conditions({"model": GIVEN}, evidence_option, uai_order_option)
@option("--rows", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N", help="Rows to draw.")
@option(
    "--components",
    first=False,
    conditions=SYNTHETIC,
    metavar="LIST",
    callback=_component_names,
    help="Parts of the network: grid, hub, loop, clique of 16 variables, figure1a, figure1b, figure1c of 6; "
    "separated by commas.  [default: grid,hub,loop,clique]",
)
@option(
    "--replicas",
    first=False,
    conditions=SYNTHETIC,
    type=click.IntRange(1, 10000),
    metavar="N",
    help="Copies of the parts.  [default: 1]",
)
@seed_option
@option(
    "--network-seed",
    first=False,
    conditions=SYNTHETIC,
    type=SeedNumber(),
    metavar="N",
    help="Seed of the distribution, to keep it fixed for several seeds of the rows.  [default: as --seed]",
)
@option(
    "--edges",
    type=OutputPath(by_default=False, formats=("edges",)),
    metavar="FILE",
    help="Write the true edges to FILE, as an edge list.",
)
@with_conditions({"edges": GIVEN}, names_option)
@table_output_option
@bounded_memory
@standard_options
def sample(**options: Any) -> None:
    """Draw data, as CSV, from a network with known edges.

    The network is the Bayesian network MODEL (- is standard input), and the true edges are those of its moral graph;
    without MODEL it is a synthetic Markov network of binary variables, in which each maximal clique has a factor drawn
    uniformly from (0, 1). Rows are independent draws from the exact distribution: given the evidence of --given,
    --likelihood and --soft, and after the intervention of --do.

    Example: mnmodel sample model.bif --rows 1000 -o sample.csv
    """
    from ..common.learning.progress import ProgressLine
    from .sample import SampleOptions
    from .sample import sample as draw_sample

    with ProgressLine() as line:
        draw_sample(SampleOptions(**options), line.progress)
