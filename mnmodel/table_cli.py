"""The subcommands of mnmodel for tables: describe, discretize, cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.arguments import CLASS_RANGE
from ..common.cli import command, completion
from ..common.cli.formats import format_option
from ..common.cli.grouped import GroupedCommand
from ..common.cli.lists import Parts
from ..common.cli.memory import bounded_memory
from ..common.cli.option import ABSENT, Conditions, ListOption, option
from ..common.cli.option_group import option_group, with_conditions
from ..common.cli.options import (
    drop_option,
    form_options,
    incomplete_reading_options,
    layout_options,
    na_option,
    output_option,
    standard_options,
    states_option,
    table_output_option,
    tally_options,
)
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.score_options import ess_option
from ..common.cli.seed import seed_option
from ..common.data.reading import Reading

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset

FORMATS = ("text", "json", "html")


@click.command(cls=GroupedCommand)
@click.argument("data", metavar="TABLE", type=InputPath())
@option_group("reading", Reading, layout_options, tally_options)
@format_option(FORMATS, "Format of the description")
@output_option
@standard_options
def describe(data: str, reading: Reading, fmt: str, path: str | None) -> None:
    """Describe TABLE: the kind of each column, oddities, and the recommended command line to learn from it.

    One line per column: states with their shares, numbers, two numbers in a cell, dates, identifiers, text or a
    constant; missing cells; oddities, each with the option that corrects it; nearly duplicate columns. Then the
    learners that are feasible, with their time and memory.

    Example: mnmodel describe table.csv
    """
    from ..common.files.atomic_write import write_whole
    from .describe import describe as described

    found = described(read_to_describe(data, reading), reading)
    texts = {"text": lambda: f"{found}\n", "json": found.as_json, "html": found.as_html}
    write_whole(path, texts[fmt]())


def read_to_describe(data: str, reading: Reading) -> Dataset:
    """The table, each column as it is: missing cells are a state, and there are no warnings."""
    from ..common.data.csvfile import read_csv
    from ..common.data.reading import TO_DESCRIBE
    from ..common.learning.progress import ProgressLine

    with ProgressLine() as line:
        return read_csv(data, reading.reading(missing="state"), TO_DESCRIBE, line.progress)


COMPUTED: Conditions = {"stored": ABSENT}  # where cut points are not those of a file


@click.command(cls=GroupedCommand)
@click.argument("data", metavar="DATA", type=InputPath())
@option(
    "--bins",
    conditions={**COMPUTED, "method": ("quantile", "uniform", "kmeans", "hartemink")},
    type=click.IntRange(*CLASS_RANGE),
    default=4,
    show_default=True,
    metavar="K",
    help="Classes per column.",
)
@option(
    "--method",
    conditions=COMPUTED,
    type=click.Choice(["quantile", "uniform", "kmeans", "hartemink", "mdl"]),
    default="quantile",
    show_default=True,
    help="Classes of about equal size, of equal width, or around means; hartemink: quantile classes, joined so that "
    "pairs of columns keep mutual information; mdl: classes that separate the states of --target, as many as the MDL "
    "criterion accepts.",
)
@option(
    "--initial-bins",
    conditions={**COMPUTED, "method": ("hartemink",)},
    type=click.IntRange(*CLASS_RANGE),
    default=20,
    show_default=True,
    metavar="N",
    help="Classes per column that hartemink begins with.",
)
@option(
    "--target",
    conditions={**COMPUTED, "method": ("mdl",)},
    metavar="NAME",
    shell_complete=completion.variable,
    help="The column by which mdl cuts the others.",
)
@option(
    "--columns",
    cls=ListOption,
    conditions=COMPUTED,
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Columns to cut: A,B, a range A:F, a pattern sym_*.  [default: all with more than K numbers]",
)
@option(
    "--keep",
    cls=ListOption,
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Columns to leave as they are, in the same form.",
)
@option(
    "--labels/--codes",
    default=True,
    show_default=True,
    help="Write classes as intervals, [135,150), or as 0, 1, ...",
)
@option("--cuts", type=OutputPath(False, ("csv", "cuts")), metavar="FILE", help="Write the cut points to FILE.")
@option("--apply", "stored", type=InputPath(), metavar="FILE", help="Use the cut points in FILE instead.")
@form_options
@drop_option
@states_option
@na_option
@with_conditions(COMPUTED, tally_options)
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

    Classes are intervals, whose ends are rounded as far as no row changes its class, or with --codes 0, 1, ... With
    --counts or --weights the cut points are those of the rows that the table stands for; these columns stay as they
    are, and so do those with declared states.

    Example: mnmodel discretize numbers.csv --bins 3 -o classes.csv
    """
    from .discretize import CutOptions, DiscretizeOptions
    from .discretize import discretize as run_discretize

    run_discretize(DiscretizeOptions(cutting=CutOptions(bins, method, initial_bins, target, columns, keep), **options))


@click.command(cls=GroupedCommand)
@click.argument("data", metavar="DATA", type=InputPath())
@option("--groups", type=Parts(2, 1000), default=2, show_default=True, metavar="K", help="How many groups to make.")
@incomplete_reading_options
@ess_option(1.0)
@seed_option
@option(
    "-o",
    "--output",
    "path",
    type=OutputPath(formats=("csv",)),
    required=True,
    metavar="FILE",
    help="Write each group to a file; {} in its name stands for the group's number.",
)
@bounded_memory
@standard_options
def cluster(
    data: str,
    groups: list[int],
    ess: float,
    seed: int,
    reading: Reading,
    path: str,
) -> None:
    """Split the rows of DATA, a CSV, into groups that differ in how their variables depend on each other.

    The groups are components of a mixture of networks. A table of counts is split into tables of counts, and rows with
    --weights keep their weights, in the last column. With --missing em a row goes to the group to which its observed
    cells most probably belong.

    Example: mnmodel cluster table.csv --groups 2 -o group-{}.csv
    """
    from ..common.data.csvfile import read_csv
    from ..common.errors import UsageError
    from ..common.learning.options import OutputOptions
    from ..common.learning.sources import LearningOptions
    from ..common.learning.task import Task
    from ..common.models.model_states import with_declared
    from .cluster import cluster as grouped
    from .cluster import write_groups

    if "{}" not in path:
        raise UsageError("each group has a file; put {} for its number into the name: -o 'part-{}.csv'")
    rows = read_csv(data, with_declared(reading))
    task = Task("mnmodel cluster", LearningOptions(data), OutputOptions(), host=command.host())
    with task.running() as monitor:
        chosen = grouped(rows, len(groups), ess, seed, monitor, reading.missing)
    write_groups(path, rows, chosen, groups, reading.counts or reading.weights)
