"""Command line of cliquewise: the suite's commands by question, and the whole way from a table to an answer."""

from __future__ import annotations

import logging
import webbrowser
from pathlib import Path
from typing import Any

import click

from ..common.arguments import CLASS_RANGE, MAX_SECONDS
from ..common.cli import command
from ..common.cli.grouped import CommandGroup
from ..common.cli.lists import FiniteFloat
from ..common.cli.option import ListOption, option
from ..common.cli.option_group import option_group
from ..common.cli.options import (
    data_argument,
    layout_options,
    max_clique_option,
    missing_option,
    standard_options,
    tally_options,
    threads_option,
    version_option,
)
from ..common.cli.paths import FolderPath, InputPath
from ..common.cli.seed import seed_option
from ..common.errors import DataError, UsageError
from ..common.learning.sources import InputOptions
from .config import WorkflowOptions

LOG = logging.getLogger("cliquewise")
RULES = ("em", "state", "drop", "refuse")  # of missing cells
QUESTIONS = """
Which variables depend on each other? Network, model and report in one command:
  cliquewise learn TABLE -o FOLDER
One network
  lsmarkov     the best that a search finds, for any number of variables
  junctor      proved to be the best, up to some 60 variables
  coarsen      by integer programs, or greedily for thousands of variables
  mplearn      one that need not be chordal
  twlearn      a Bayesian network, with directions
How sure is a link?
  mnposterior  probabilities of links
  mntools average, bound, strength of edges in mntools draw
Queries: what follows from observations?
  mnmodel fit, then query, predict, impute, mpe, or page for a browser
Which setting predicts best?
  mnmodel cv
Prepare a table
  mnmodel describe, discretize, cluster, sample
Check, compare, convert, draw
  mntools check, compare, convert, draw, score
"""


class ColumnNames(click.ParamType):
    """Names of columns, separated by commas."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        """Check one value."""
        from ..common.data.columns import split_list

        return value if isinstance(value, tuple) else tuple(split_list(value, "--keep"))


learn_options = option_group(
    "options",
    WorkflowOptions,
    option(
        "--time-limit",
        type=FiniteFloat(min=0, min_open=True, max=MAX_SECONDS),
        metavar="SECONDS",
        help="For the searches of all steps together, without compiling, reading, completing missing cells and checks.",
    ),
    option(
        "--ess",
        type=FiniteFloat(min=0, min_open=True, max=1e6),
        metavar="A",
        help="Equivalent sample size of BDeu.",
    ),
    max_clique_option,
    option(
        "--bins",
        type=click.IntRange(*CLASS_RANGE),
        metavar="K",
        help="Classes of a column of numbers.",
    ),
    option(
        "--keep",
        cls=ListOption,
        type=ColumnNames(),
        default=(),
        metavar="NAMES",
        help="Columns, A,B, that are used as they are, even if they look like numbers to be cut, identifiers or dates.",
    ),
    option(
        "--edge-priors",
        type=InputPath(),
        metavar="FILE",
        help="Prior probabilities of edges, in all steps: rows u,v,probability; 0 forbids, 1 requires.",
    ),
    seed_option,
    threads_option,
)


class CommandsByQuestion(CommandGroup):
    """A group that knows where the other commands of the suite are."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand; an unknown one is looked for in the suite, and the error says what is meant."""
        name = args[0]
        if name not in self.list_commands(ctx):
            from ..mnmodel.cli import mnmodel
            from ..mntools.cli import mntools

            meant = [f"{group.name} {name}" for group in (mnmodel, mntools) if name in group.list_commands(ctx)]
            if name in [line.split()[0] for line in QUESTIONS.splitlines() if line.startswith("  ")]:
                meant.append(name)
            if meant:
                raise UsageError(f"No such command '{name}'; it is {' or '.join(meant)}, without cliquewise")
        return super().resolve_command(ctx, args)


@click.group(
    cls=CommandsByQuestion,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    epilog="\b" + QUESTIONS,  # click does not wrap what follows \b
)
@version_option
@click.pass_context
def cliquewise(context: click.Context) -> None:
    """Learn networks from discrete data: the commands of this suite by question.

    Each command has --help.
    """
    if context.invoked_subcommand is None:
        click.echo(QUESTIONS.strip())


@cliquewise.command()
@option_group("source", InputOptions, data_argument, layout_options, missing_option("em", RULES), tally_options)
@option(
    "-o",
    "--output",
    "path",
    type=FolderPath(),
    metavar="FOLDER",
    required=True,
    help="Folder for the results; finished steps in it are not repeated.",
)
@learn_options
@standard_options
def learn(source: InputOptions, path: str, options: WorkflowOptions) -> None:
    """Learn a network from DATA, and write it with its model and a report into the folder of -o.

    Identifiers, dates, free text, constants and columns with two numbers in a cell are left out, numbers are
    discretized, and missing cells, unless --missing says otherwise, are completed from the rest of their rows. The
    folder then has the best network found, with a proof if one is feasible, the probability of each link, a model for
    queries, a picture, a page for a browser, and report.html, which describes the results and their certainty in words.
    Each step is logged as the equivalent command. A second run does not repeat finished steps.

    Example: cliquewise learn table.csv -o folder
    """
    from ..common.data.csvfile import table_in_memory
    from ..common.learning.choice import few_messages
    from .learn import learn as study_of
    from .outputs import FILES, PAGE, REPORT, write_outputs

    folder = Path(path)
    for given in filter(None, (source.data, options.edge_priors)):
        if any(Path(given).resolve() == (folder / name).resolve() for name in FILES):
            raise UsageError(f"-o {path}: {given} is a file that would be written there; name another folder")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"-o {path}: a file; name a folder")
    table = table_in_memory(source.data, source.data, source)
    study = study_of(table, options, folder, source.reading())
    with few_messages():
        write_outputs(study, folder)
    for sentence in study.sentences():
        LOG.info("%s", sentence)
    LOG.info("the report is %s, the page %s: cliquewise open %s shows them", folder / REPORT, folder / PAGE, path)


@cliquewise.command("open")
@click.argument("folder", metavar="FOLDER", type=FolderPath())
@standard_options
def open_folder(folder: str) -> None:
    """Show the report and the page of FOLDER, which cliquewise learn wrote, in a browser.

    Example: cliquewise open folder
    """
    from .outputs import PAGE, REPORT

    found = [file for file in (Path(folder, REPORT), Path(folder, PAGE)) if file.is_file()]
    if not found:
        raise DataError("no report in it; cliquewise learn TABLE -o FOLDER makes one", folder)
    for file in found:
        if not webbrowser.open(file.resolve().as_uri()):
            click.echo(file)


def main() -> None:
    """The console script."""
    command.main(cliquewise, "cliquewise")
