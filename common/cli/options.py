"""The options that several commands share, each described once (`common.cli.option`).

Single options are decorators (`max_clique_option`, ...). Options that belong together arrive as one record,
so that a command's function has few parameters: `input_options` gives `source` (an `InputOptions`),
`incomplete_data_options` a `LearningOptions`, `incomplete_input_options` that and an `EmOptions`, those of
`score_options` give `scoring`, `output_options` gives `output` (`arc_output_options` for directed graphs);
`learner_options` is all of these with `--max-clique`, `-q` and `-v`. Further records are `limits`
(`common.cli.limit_options`), `resources` (`common.cli.resources`), `edges` (`common.cli.edges`), `sweep` and `keeping`
(`common.cli.long_runs`), and what each learner makes of its own options, above all its Config.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import click

from ..data.reading import SAME_STATES, Reading
from ..files.graphfile import ARC_FORMATS, FORMATS
from ..files.listed_edges import LEAST
from ..files.result_header import DECIMALS, FIT_RULES, MISSING_RULES, SEPARATORS, WEIGHT_SCALES
from ..learning.options import OutputOptions
from ..learning.sources import InputOptions, LearningOptions
from ..scores.scoring import CACHE_MB
from . import completion
from .command import set_verbosity
from .compatibility import reject_ineffective_options
from .formats import format_option
from .incomplete import em_options
from .lists import FiniteFloat, Separator
from .option import GIVEN, INPUT, LIMITS, MESSAGES, OF_DATA, OUTPUT, Conditions, option
from .option_group import all_of, option_group, under
from .paths import InputPath, OutputPath, TracePath, check_files
from .provenance import provenance_option
from .score_options import learner_score_options

WITH_DATA: Conditions = {"data": GIVEN}  # where `--data` is an option


def _set_level(level: int) -> Callable:
    """Callback of a flag that changes what is logged."""

    def callback(ctx: click.Context, _param: Any, value: bool) -> bool:
        if value:
            set_verbosity(level)
        return value

    return callback


_table_option = functools.partial(option, group=INPUT, first=False, goes_with=OF_DATA)
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
    help="Whether the first row of the CSV holds names; auto reports its decision on stderr.",
)
separator_option = _table_option(
    "--separator",
    type=Separator(["auto", *SEPARATORS]),
    default="auto",
    show_default=True,
    help="What separates the cells of the CSV.",
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
    help="Sheet of a workbook (.xlsx): its name, or its number from 1.  [default: the first with cells]",
)
counts_option = _table_option(
    "--counts",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Column of the CSV that says how many rows each row stands for.",
)
weights_option = _table_option(
    "--weights",
    metavar="COLUMN",
    shell_complete=completion.column,
    help="Column of the CSV with the weights of the rows, which need not be whole, as of a survey.",
)
weight_scale_option = _table_option(
    "--weight-scale",
    type=click.Choice(WEIGHT_SCALES),
    help="Scale the weights so that their sum is the number of rows, or leave them as they are.  [default: rows]",
)
tally_options = all_of(counts_option, weights_option, weight_scale_option)
resample_option = _table_option(
    "--resample",
    type=click.IntRange(0, 2**63 - 1),
    metavar="SEED",
    help="Learn from a bootstrap sample: as many rows, drawn with replacement.",
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
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of cores to use.  [default: all]",
)
cache_option = resource_option(
    "--cache-mb",
    type=click.IntRange(min=1),
    default=CACHE_MB,
    show_default=True,
    metavar="MB",
    help="Memory for cached scores.",
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
    default=LEAST,
    show_default=True,
    metavar="P",
    help="List the edges of at least this probability, and count the others in the header.",
)


def output_option_of(formats: tuple[str, ...] = ()) -> Callable:
    """`-o`; the result is of one of these formats, or else `--format` says of which."""
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
        + ("." if default else ".  [default: as GRAPH says, else refuse]"),
    )


columns_option = _table_option(
    "--columns",
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Use only these columns of the CSV: A,B, a range A:F, a pattern sym_*.",
)
drop_option = _table_option(
    "--drop",
    first=True,
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Leave these columns of the CSV out: A,B, a range A:F, a pattern sym_*.",
)
states_option = _table_option(
    "--states",
    type=InputPath(),
    metavar="FILE",
    help="States of columns, also such that no row has, and their order: a CSV (column,state) or JSON, as of mnmodel "
    "states, or a model.",
)
na_option = _table_option(
    "--na",
    first=True,
    metavar="WORDS",
    help="Further words for missing cells: -99,unknown, or AGE=999 in one column.",
)
same_states_option = _table_option(
    "--same-states",
    type=click.Choice(SAME_STATES),
    default="auto",
    show_default=True,
    help="Labels that are one state: equal numbers, 1 and 1.0 (auto); also Yes and yes, and whatever the blanks "
    "(fold); none (exact).",
)
decimal_option = _table_option(
    "--decimal",
    type=click.Choice(("auto", *DECIMALS)),
    default="auto",
    show_default=True,
    help="What separates decimals in all numbers of the table; the other sign separates thousands: by comma, 6.188 is "
    "6188.",
)
form_options = all_of(header_option, separator_option, arities_option, decimal_option, sheet_option)
layout_options = all_of(form_options, columns_option, drop_option, states_option, na_option, same_states_option)
_for_model = (
    form_options,
    columns_option,
    drop_option,
    na_option,
    tally_options,
)  # whose states are matched with its own
reading_options = option_group("reading", Reading, *_for_model)
incomplete_reading_options = option_group(
    "reading", Reading, layout_options, missing_option("refuse", FIT_RULES), tally_options
)
_cells = layout_options, missing_option(), tally_options
_cells_as_stated = layout_options, missing_option(None), tally_options
input_options = option_group("source", InputOptions, data_argument, *_cells)
incomplete_data_options = option_group(
    "source",
    LearningOptions,
    data_argument,
    layout_options,
    missing_option("refuse", FIT_RULES),
    tally_options,
    resample_option,
)
incomplete_input_options = all_of(incomplete_data_options, em_options)
fit_input_options = option_group(
    "source",
    InputOptions,
    data_argument,
    layout_options,
    missing_option(None, FIT_RULES),
    tally_options,
    undecided=("missing",),
)
fitted_data_options = option_group(
    "source", InputOptions, data_argument, layout_options, missing_option("refuse", FIT_RULES), tally_options
)
graph_input_options = option_group("source", InputOptions, data_argument, *_cells_as_stated, undecided=("missing",))
optional_input_options = option_group(
    "source", InputOptions, data_option, under(WITH_DATA, *_cells_as_stated), undecided=("missing",)
)
_written = names_option, output_option, provenance_option
output_options = option_group("output", OutputOptions, format_option(FORMATS), *_written)
edge_format_option = format_option(FORMATS[1:])
edge_output_options = option_group("output", OutputOptions, edge_format_option, *_written)
blanket_output_options = option_group(
    "output", OutputOptions, format_option(FORMATS[1:], instead={"blankets_only": "blankets"}), *_written
)
arc_output_options = option_group("output", OutputOptions, format_option(ARC_FORMATS), *_written)


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


learner_options = all_of(
    incomplete_input_options, learner_score_options, max_clique_option, output_options, standard_options
)
