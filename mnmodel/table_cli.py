"""The subcommand `mnmodel describe`: parses, reads the table, writes what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..common.cli.compatibility import ALWAYS, goes_with
from ..common.cli.formats import format_option
from ..common.cli.option_group import option_group
from ..common.cli.options import layout_options, output_option, standard_options, tally_options
from ..common.cli.paths import InputPath
from ..common.data.reading import Reading
from ..common.files.result_header import READ_BY

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset

FORMATS = ("text", "json", "html")


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
