"""Command line of the reruns: measures runs, and compares them with published values; see README.md."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...common.cli import command
from ...common.cli.formats import format_option
from ...common.cli.grouped import CommandGroup
from ...common.cli.option import option
from ...common.cli.options import output_option, output_option_of, standard_options, table_output_option
from ...common.cli.paths import InputPath, OutputPath

if TYPE_CHECKING:
    from collections.abc import Callable


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
def papers() -> None:
    """Measure runs, and compare them with published values: tables, figures and a report."""


class Folder(click.ParamType):
    """A folder to read."""

    name = "folder"

    def convert(self, value: Any, _param: Any, _ctx: Any) -> str:
        """The folder's name, if there is one."""
        if not Path(value).is_dir():
            self.fail(f"there is no folder {value}")
        return value


spec_argument = click.argument("spec", metavar="TABLE", type=InputPath())


def records_option() -> Callable:
    """`--records`, the folder of the records."""
    return option(
        "--records",
        "folder",
        metavar="FOLDER",
        type=Folder(),
        required=True,
        help="Folder with the folders of records that the description names.",
    )


def _fields(_ctx: Any, _param: Any, values: tuple[str, ...]) -> dict[str, str]:
    """NAME=VALUE pairs as a dict."""
    found = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise click.BadParameter(f"'{text}' is not NAME=VALUE")
        found[name] = value
    return found


@papers.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@option("--set", "fields", multiple=True, metavar="NAME=VALUE", callback=_fields, help="A field of the record.")
@option(
    "--network",
    type=InputPath(),
    metavar="FILE",
    help="Add the claims in the header of this network, written by COMMAND.",
)
@option(
    "--trace", type=InputPath(), metavar="FILE", help="Add the last row of this trace, and the seconds of each phase."
)
@option(
    "--json",
    "as_json",
    is_flag=True,
    help="Add the fields of the JSON that COMMAND prints; one row per object of a list.",
)
@option(
    "--allow-exit",
    "exits",
    type=click.IntRange(1, 255),
    multiple=True,
    metavar="CODE",
    help="Also write the record with this exit code; without files that COMMAND did not write.",
)
@click.argument("words", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@table_output_option
@standard_options
def measure(
    fields: dict[str, str],
    network: str | None,
    trace: str | None,
    as_json: bool,
    exits: Any,
    words: tuple[str, ...],
    path: str | None,
) -> int:
    """Run COMMAND, and write a record of it: a row of CSV.

    The record has the fields of --set, the exit code, the seconds from start to end, the processor time in seconds
    (cpu) and the largest memory in megabytes. If COMMAND fails, no record is written, and its exit code is returned.

    Example: papers measure --set data=zoo -o row.csv -- lsmarkov zoo.csv
    """
    import time

    from ...common.files.atomic_write import write_whole
    from . import measure as measuring

    began = time.time()
    found, printed = measuring.run(words, as_json)
    code = int(found["exit"])
    if code and code not in exits:
        return code

    def is_there(path: str) -> bool:  # after a failure; not from an earlier run
        return Path(path).exists() and (not code or Path(path).stat().st_mtime >= began)

    added = {"trace": trace} if trace else {}
    if network and is_there(network):
        added |= measuring.claims_of(network)
    if trace and is_there(trace):
        added |= {**measuring.trace_of(trace), **added}
    rows = measuring.printed_fields(printed) if as_json and not code else [{}]
    write_whole(path, measuring.format_records([{**added, **row, **found, **fields} for row in rows]))
    return 0


@papers.command()
@spec_argument
@records_option()
@format_option(("markdown", "csv"), description="Format of the table")
@output_option
@standard_options
def table(spec: str, folder: str, fmt: str, path: str | None) -> None:
    """Write the table that TABLE describes: published values, ours, and the difference.

    TABLE is a TOML file, which names the published values (CSV) and the folders of records. A sentence counts the
    values that are equal, better, worse and missing.

    Example: papers table lsmarkov-table1.toml --records records -o table.md
    """
    from ...common.errors import UsageError
    from ...common.files.atomic_write import write_whole
    from .cells import make_table
    from .spec import read_spec
    from .table import to_csv, to_markdown

    described = read_spec(spec)
    if described.figure:
        raise UsageError(f"{spec}: describes a figure; use papers plot")
    made = make_table(described, folder)
    write_whole(path, to_csv(made) if fmt == "csv" else to_markdown(made))


@papers.command()
@click.argument("spec", metavar="FIGURE", type=InputPath())
@records_option()
@option("-o", "--output", "path", type=OutputPath(), metavar="FILE", required=True, help="A .png, .svg or .pdf file.")
@standard_options
def plot(spec: str, folder: str, path: str) -> None:
    """Draw the figure that FIGURE describes, a TOML file: from records, with published values dashed.

    Example: papers plot lsmarkov-figure2.toml --records records -o curves.svg
    """
    from .plot import plot as draw_plot
    from .spec import read_spec

    draw_plot(read_spec(spec), folder, path)


@papers.command()
@click.argument("specs", metavar="TABLE...", nargs=-1, required=True, type=InputPath())
@records_option()
@option("--title", default="Reruns", show_default=True, help="Title of the page.")
@option(
    "--html",
    "page",
    type=OutputPath(by_default=False, formats=("html",)),
    metavar="FILE",
    help="Also write the page as HTML.",
)
@output_option_of(("markdown",))
@standard_options
def report(specs: tuple[str, ...], folder: str, title: str, page: str, path: str | None) -> None:
    """Write one page with all tables and figures, in Markdown.

    Pictures are those that `papers plot` wrote to FOLDER under the descriptions' names: the Markdown links the .png,
    the self-contained HTML embeds the .svg.

    Example: papers report lsmarkov-table1.toml --records records -o report.md
    """
    from ...common.files.atomic_write import write_whole
    from . import report as reporting
    from .spec import read_spec

    parts = reporting.parts_of([read_spec(one) for one in specs], folder)
    facts = reporting.circumstances(parts, folder)
    write_whole(path, reporting.to_markdown_page(title, facts, parts, Path(path or ".").parent))
    if page:
        write_whole(page, reporting.to_html_page(title, facts, parts))


def main() -> None:
    """The command line."""
    command.main(papers, "papers")
