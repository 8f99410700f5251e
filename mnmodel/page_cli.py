"""The subcommand `mnmodel page`: parses, calls the subcommand's module, writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import optional_input_options
from ..common.cli.file_order import AnyOrder, table_argument
from ..common.cli.memory import bounded_memory
from ..common.cli.option import ABSENT, GIVEN, Conditions, option
from ..common.cli.options import (
    output_option_of,
    standard_options,
)
from ..common.cli.paths import InputPath
from .options import (
    model_argument,
    page_evidence_option,
    uai_order_option,
)

if TYPE_CHECKING:
    from ..common.learning.sources import InputOptions


CONDITIONS: dict[object, Conditions] = {
    "data": {"strength": ("score",)},
    ("strength", "score"): {"data": GIVEN},
    ("strength", "mi"): {"structure": ABSENT},
}


@click.command(cls=AnyOrder, network="model")
@add_conditions(CONDITIONS)
@model_argument
@table_argument
@optional_input_options
@option(
    "--strength",
    conditions={"probabilities": ABSENT},
    type=click.Choice(["score", "mi"]),
    help="Width of an edge: the score lost without it, the default with --data; or the mutual information of its "
    "variables in the model.",
)
@option(
    "--probabilities",
    conditions={"data": ABSENT},
    type=InputPath(),
    metavar="EDGES",
    help="Width of an edge: its probability in this edge list, such as one of mntools average.",
)
@option("--structure", is_flag=True, help="Only the network, without probabilities.")
@page_evidence_option
@uai_order_option
@output_option_of(("html",))
@bounded_memory
@standard_options
def page(model: str, path: str, source: InputOptions, **options: Any) -> None:
    """Write a page that shows MODEL in a browser, and answers queries.

    The page is one HTML file without outside resources: a click on a state enters it as evidence, and the probabilities
    of all other states are updated exactly. It can be moved, searched, compared, printed and saved as SVG and CSV.

    Example: mnmodel page model.bif -o model.html
    """
    from ..common.drawing.page import write_page
    from .page import ModelPageOptions, page_of_model

    write_page(path, page_of_model(model, ModelPageOptions(source, **options)))
