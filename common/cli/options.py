"""The options that several commands share, each described once (`common.cli.option`).

Single options are decorators (`max_clique_option`, ...). Options that belong together arrive as one record, so that a
command's function has few parameters: here `reading`; data and results in `common.cli.data_options`, `scoring`
(`common.cli.score_options`), `limits` (`common.cli.limit_options`), `resources` (`common.cli.resources`), `edges`
(`common.cli.edges`), `sweep` and `checkpoints` (`common.cli.long_runs`), and the records that each learner makes of its
own options, above all its Config. A command that does not learn imports none of these.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import click

from ..arguments import MAX_THREADS
from ..data.reading import SAME_STATES, Reading
from ..files.header_words import DECIMALS, FIT_RULES, MISSING_RULES, SEPARATORS, WEIGHT_SCALES
from ..files.listed_edges import MIN_PROBABILITY
from ..networks.edges_in_memory import STATES
from . import completion
from .command import set_verbosity
from .compatibility import reject_ineffective_options
from .lists import FiniteFloat, Separator
from .option import INPUT, LIMITS, MESSAGES, OF_DATA, OUTPUT, ListOption, option
from .option_group import all_of, option_group
from .paths import InputPath, OutputPath, TracePath, check_files
from .seed import SeedNumber


def _set_level(level: int) -> Callable:
    """Callback of a flag that changes the level of the log."""

    def callback(ctx: click.Context, _param: Any, value: bool) -> bool:
        if value:
            set_verbosity(level)
        return value

    return callback


_table_option = functools.partial(option, group=INPUT, first=False, conditions=OF_DATA)
resource_option = functools.partial(option, group=LIMITS, first=False, in_header=False)
_message_option = functools.partial(
    option, group=MESSAGES, first=False, in_header=False, is_flag=True, expose_value=False
)
data_argument = click.argument("data", metavar="DATA", type=InputPath())
data_option = option(
    "--data",
    group=INPUT,
    type=InputPath(),
    metavar="FILE",
    help="Data CSV or clique-score file; - is standard input.",
)
header_option = _table_option(
    "--header",
    type=click.Choice(["auto", "yes", "no"]),
    default="auto",
    show_default=True,
    help="Whether the first row of the CSV contains the names; auto reports its decision on stderr.",
)
separator_option = _table_option(
    "--separator",
    type=Separator(["auto", *SEPARATORS]),
    default="auto",
    show_default=True,
    help="Separator of the cells of the CSV.",
)
arities_option = _table_option(
    "--arities",
    type=click.Choice(["auto", "yes", "no"]),
    default="auto",
    show_default=True,
    help="Whether the row above the data has the number of states of each column, as GOBNILP's files do; auto reports "
    "it on stderr.",
)
sheet_option = _table_option(
    "--sheet",
    metavar="SHEET",
    help="Sheet of a workbook (.xlsx): its name, or its number from 1.  [default: the first with cells, not hidden]",
)
counts_option = _table_option(
    "--counts",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Column of the CSV with the number of rows that each row stands for.",
)
weights_option = _table_option(
    "--weights",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Column of the CSV with the weights of the rows, which need not be whole numbers, as in a survey.",
)
weight_scale_option = _table_option(
    "--weight-scale",
    type=click.Choice(WEIGHT_SCALES),
    help="Scale the weights so that their sum is the number of rows, or leave them as they are.  [default: rows]",
)
tally_options = all_of(counts_option, weights_option, weight_scale_option)
resample_option = _table_option(
    "--resample",
    type=SeedNumber(),
    metavar="SEED",
    help="Learn from a bootstrap sample drawn with this seed: as many rows, with replacement.",
)
max_clique_option = option(
    "--max-clique",
    first=True,
    type=click.IntRange(min=2),
    metavar="K",
    help="Largest clique allowed (treewidth + 1).",
)
threads_option = resource_option(
    "--threads",
    type=click.IntRange(min=1, max=MAX_THREADS),
    metavar="N",
    help="Number of cores to use.  [default: all]",
)
names_option = option(
    "--names/--indices",
    "use_names",
    first=True,
    group=OUTPUT,
    in_python=False,
    default=None,
    help="Write the variables' names, or their indices.  [default: names, where the data have them]",
)
min_probability_option = option(
    "--min-probability",
    group=OUTPUT,
    type=FiniteFloat(min=0, max=1),
    default=MIN_PROBABILITY,
    show_default=True,
    metavar="P",
    help="List the edges of at least this probability, and count the others in the header.",
)


def output_option_of(formats: tuple[str, ...] = ()) -> Callable:
    """`-o`; the result is of one of these formats, or else of that of `--format`."""
    return option(
        "-o",
        "--output",
        "path",
        first=True,
        group=OUTPUT,
        in_python=False,
        type=OutputPath(formats=formats),
        metavar="FILE",
        help="Write to FILE, whole or not at all.  [default: standard output]",
    )


output_option = output_option_of()
table_output_option = output_option_of(("csv",))
quiet_option = _message_option(
    "-q",
    "--quiet",
    callback=_set_level(logging.ERROR),
    help="Only errors on stderr.",
)
verbose_option = _message_option(
    "-v",
    "--verbose",
    callback=_set_level(logging.DEBUG),
    help="More messages on stderr.",
)


def trace_option(what: str) -> Callable:
    """`--trace`, a CSV of the run; `what` describes its rows."""
    return option(
        "--trace", group=OUTPUT, type=TracePath(("csv", "trace")), metavar="FILE", help=f"Write a CSV of the run{what}"
    )


def missing_option(default: str | None = "refuse", rules: tuple[str, ...] = MISSING_RULES) -> Callable:
    """`--missing`, one of these; default None if a graph's header decides."""
    last = ", drop their rows, or em: treat them as missing values" if "em" in rules else ", or drop their rows"
    return _table_option(
        "--missing",
        first=True,
        type=click.Choice(rules),
        default=default,
        show_default=default is not None,
        help=f"Missing cells (empty, ?, NA): refuse them, count them as a state{last}"
        + ("." if default else ".  [default: as in GRAPH, else refuse]"),
    )


columns_option = _table_option(
    "--columns",
    cls=ListOption,
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Use only these columns of the CSV: A,B, a range A:F, a pattern sym_*.",
)
drop_option = _table_option(
    "--drop",
    cls=ListOption,
    first=True,
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Leave these columns of the CSV out: A,B, a range A:F, a pattern sym_*.",
)
states_option = _table_option(
    "--states",
    type=InputPath(holds=STATES),
    metavar="FILE",
    help="States of columns in order, including those that no row has: a CSV (column,state) or JSON, as mnmodel states "
    "writes them, or a model.",
)
na_option = _table_option(
    "--na",
    cls=ListOption,
    first=True,
    metavar="WORDS",
    help="Further words for missing cells: -99,unknown, or AGE=999 in one column.",
)
same_states_option = _table_option(
    "--same-states",
    type=click.Choice(SAME_STATES),
    default="auto",
    show_default=True,
    help="Which labels are one state: equal numbers, 1 and 1.0 (auto); also Yes and yes, ignoring blanks "
    "(fold); none (exact).",
)
model_states_option = _table_option(
    "--same-states",
    type=click.Choice(("auto", "fold")),
    default="auto",
    show_default=True,
    help="Which labels are a state of MODEL: equal numbers, 1 and 1.0 (auto); also Yes and yes, ignoring blanks "
    "(fold).",
)
decimal_option = _table_option(
    "--decimal",
    type=click.Choice(("auto", *DECIMALS)),
    default="auto",
    show_default=True,
    help="Decimal separator of all numbers in the table; the other sign separates thousands: with comma, 6.188 is "
    "6188.",
)
form_options = all_of(header_option, separator_option, arities_option, decimal_option, sheet_option)
layout_options = all_of(form_options, columns_option, drop_option, states_option, na_option, same_states_option)
_for_model = (
    form_options,
    columns_option,
    drop_option,
    na_option,
    model_states_option,
    tally_options,
)  # whose states are matched with its own
reading_options = option_group("reading", Reading, *_for_model)
incomplete_reading_options = option_group(
    "reading", Reading, layout_options, missing_option("refuse", FIT_RULES), tally_options
)


def version_option(function: Callable) -> Callable:
    """`--version`, created for each command, since click's own keeps the name of the first."""
    return click.version_option(package_name="cliquewise", message="%(prog)s %(version)s")(function)


def standard_options(function: Callable) -> Callable:
    """Options of every command: -q, -v and --version, which its function does not see, and checks of all options."""

    @functools.wraps(function)
    def command(*args: Any, **values: Any) -> int | None:
        reject_ineffective_options()
        context = click.get_current_context()
        check_files(context.command, context.params)
        return function(*args, **values)

    return all_of(quiet_option, verbose_option, version_option)(command)
