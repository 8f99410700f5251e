"""The subcommands of mnmodel for tables: describe, discretize."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli import completion
from ..common.cli.compatibility import ABSENT, ALWAYS, goes_with
from ..common.cli.formats import format_option
from ..common.cli.option_group import option_group
from ..common.cli.options import (
    drop_option,
    form_options,
    layout_options,
    na_option,
    output_option,
    standard_options,
    states_option,
    table_output_option,
    tally_options,
)
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.resources import bounded_memory
from ..common.data.reading import Reading
from ..common.files.result_header import OF_WEIGHTS, READ_BY

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset

FORMATS = ("text", "json", "html")
OF_FORM = "header", "separator", "arities", "sheet"


@click.command()
@goes_with(dict.fromkeys(("data", *(name for name in READ_BY if name != "missing"), "fmt", "path"), ALWAYS))
@click.argument("data", metavar="TABLE", type=InputPath())
@option_group("reading", Reading, layout_options, tally_options)
@format_option(FORMATS)
@output_option
@standard_options
def describe(data: str, reading: Reading, fmt: str, path: str | None) -> None:
    """Describe TABLE: what each column is, what is odd in it, and the command line that reads it well.

    A line a column: states with their shares, numbers, dates, identifiers, text or a constant; missing cells; what is
    odd, with the option that mends it; columns that say nearly the same. Then what learners can do with the table, in
    which time and memory.
    """
    from ..common.files.atomic_write import write_whole
    from .describe import describe as described

    found = described(read_to_describe(data, reading), reading)
    texts = {"text": lambda: f"{found}\n", "json": found.as_json, "html": found.as_html}
    write_whole(path, texts[fmt]())


def read_to_describe(data: str, reading: Reading) -> Dataset:
    """The table, each column as it is: missing cells are a state, and nothing is warned of."""
    from ..common.data.csvfile import read_csv
    from ..common.data.reading import TableNeeds
    from ..common.learning.progress import ProgressLine

    with ProgressLine() as line:
        needs = TableNeeds(1, 1, warn=False, merge=True)
        return read_csv(data, reading.reading(missing="state"), needs, line.progress)


OF_CHOSEN = "drop", "na", "keep", "states"
OF_DISCRETIZE = {
    **dict.fromkeys(("data", "stored", "cuts", "labels", "path", "memory", *OF_FORM, *OF_CHOSEN), ALWAYS),
    **dict.fromkeys(("method", "columns", "counts", *OF_WEIGHTS), {"stored": ABSENT}),
    "bins": {"stored": ABSENT, "method": ("quantile", "uniform", "kmeans", "hartemink")},
    "initial_bins": {"stored": ABSENT, "method": ("hartemink",)},
    "target": {"stored": ABSENT, "method": ("mdl",)},
}


@click.command()
@goes_with(OF_DISCRETIZE)
@click.argument("data", metavar="DATA", type=InputPath())
@click.option(
    "--bins", type=click.IntRange(2, 1000), default=4, show_default=True, metavar="K", help="Classes per column."
)
@click.option(
    "--method",
    type=click.Choice(["quantile", "uniform", "kmeans", "hartemink", "mdl"]),
    default="quantile",
    show_default=True,
    help="Classes of about equal size, of equal width, or around means; hartemink: quantile classes, joined so that "
    "pairs of columns keep mutual information; mdl: classes that tell the states of --target apart, as many as pay.",
)
@click.option(
    "--initial-bins",
    type=click.IntRange(2, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="Classes per column that hartemink begins with.",
)
@click.option(
    "--target", metavar="NAME", shell_complete=completion.variable, help="The column by which mdl cuts the others."
)
@click.option(
    "--columns",
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Columns to cut: A,B, a range A:F, a pattern sym_*; by default all with more than K numbers.",
)
@click.option(
    "--keep",
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Columns to leave as they are, in the same form.",
)
@click.option(
    "--labels/--codes",
    default=True,
    show_default=True,
    help="Write classes as intervals, [135,150), or as 0, 1, ...",
)
@click.option("--cuts", type=OutputPath(by_default=False), metavar="FILE", help="Write the cut points to FILE.")
@click.option("--apply", "stored", type=InputPath(), metavar="FILE", help="Use the cut points in FILE instead.")
@form_options
@drop_option
@states_option
@na_option
@tally_options
@table_output_option
@bounded_memory
@standard_options
def discretize(
    bins: int,
    method: str,
    initial_bins: int,
    target: str | None,
    columns: str | None,
    keep: str | None,
    **options: Any,
) -> None:
    """Cut the numbers in DATA, a CSV, into classes and write the table; missing cells stay missing.

    Classes are intervals, whose ends have as few digits as put every row into the same class, or with --codes 0, 1,
    ... With --counts or --weights the cut points are those of the rows that the table stands for; these columns stay
    as they are, and so do those with declared states.
    """
    from .discretize import CutOptions, DiscretizeOptions
    from .discretize import discretize as run_discretize

    run_discretize(DiscretizeOptions(cutting=CutOptions(bins, method, initial_bins, target, columns, keep), **options))


COMMANDS = describe, discretize
