"""Command line of dmscore: parses, computes, writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.data_options import input_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import shard_option
from ..common.cli.option import OUTPUT, Conditions, option
from ..common.cli.options import all_of, output_option_of, standard_options
from ..common.cli.resources import uncached_resource_options
from ..common.cli.score_options import gamma_option, score_option
from ..common.errors import UsageError
from ..common.run.signals import StopFlag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..common.data.dataset import Dataset
    from ..common.files.shard import Shard
    from ..common.learning.progress import ProgressLine
    from ..common.learning.resources import ResourceOptions
    from ..common.learning.sources import InputOptions


DMST: Conditions = {"layout": ("dmst",)}  # the other layouts have one section in one order
form_options = all_of(  # of a Form
    option(
        "-a",
        "order",
        group=OUTPUT,
        conditions=DMST,
        type=click.Choice(["colex", "lex", "free"]),
        default="colex",
        show_default=True,
        help="Order of the sets: by bit mask, by list of elements, or with each set written out.",
    ),
    option(
        "-g",
        "pair",
        group=OUTPUT,
        conditions=DMST,
        is_flag=True,
        help="Two sections instead of one: clique_scores, and separator_scores of sets up to MAXCLIQUE - 1.",
    ),
    option(
        "--layout",
        first=True,
        group=OUTPUT,
        type=click.Choice(["dmst", "junctor", "cussens"]),
        default="dmst",
        show_default=True,
        help="For Adjunct, for Junctor, or Cussens' parent-set scores for GOBNILP.",
    ),
    option(
        "--precision",
        group=OUTPUT,
        type=click.IntRange(0, 17),
        metavar="N",
        help="Number of decimals (the originals print 6); by default enough to read the score back exactly.",
    ),
    option(
        "--prune",
        conditions={"layout": ("cussens",)},
        is_flag=True,
        help="Leave out parent sets if a subset scores at least as well (cussens).",
    ),
)


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@input_options
@click.argument("ess", type=FiniteFloat(min=0, min_open=True, max=1e6))
@click.argument("max_clique", metavar="[MAXCLIQUE]", type=click.IntRange(min=1), required=False)
@form_options
@output_option_of(("scores",))
@score_option()
@gamma_option()
@uncached_resource_options
@shard_option("the sets")
@standard_options
def dmscore(
    source: InputOptions,
    ess: float,
    max_clique: int | None,
    path: str | None,
    score_type: str,
    gamma: float,
    resources: ResourceOptions,
    shard: Shard | None,
    **layout: Any,
) -> int:
    """Write the score of every set of at most MAXCLIQUE variables of DATA.

    DATA is a CSV, or separated by blanks; - is standard input. ESS is the equivalent sample size of BDeu; other
    scores ignore it. Without MAXCLIQUE all sets are scored. The size of the file is reported first; if its name ends
    in .gz, it is compressed by gzip. Ctrl-C and SIGTERM end the run with nothing written.

    Example: dmscore table.csv 1 3 -o scores.txt
    """
    from ..common.files.atomic_write import compressed, is_compressed, write_whole
    from ..common.files.fingerprint import data_digest
    from ..common.files.parentsets import fit_names
    from ..common.learning.progress import ProgressLine
    from ..common.learning.resources import Estimate
    from ..common.run.resources import megabytes
    from ..common.scores.all_scores import all_scores
    from ..common.scores.needs import Needs
    from ..common.scores.score_parts import write_part
    from ..common.scores.score_text import Form, text_of
    from ..common.scores.scorer import counting_table
    from ..common.scores.scoring import Scoring
    from ..common.version import version
    from .size import size_of

    if shard is not None and is_compressed(path):
        raise UsageError(f"-o {path}: a part is an archive, which is not compressed; end its name otherwise")
    form = Form(**layout)
    scoring = Scoring(score_type, ess, gamma)
    if score_type != "bdeu":
        command.LOG.info("ESS %g is ignored: %s has none", ess, score_type)
    with StopFlag(command.end_now) as stop:
        data = source.load_data()
        largest = _largest(data, max_clique)
        names = fit_names(data.names)
        threads = resources.cores
        table = counting_table(data)
        size = size_of(data, table, largest, form, names, threads)
        command.LOG.info(
            "%s scores of sets of up to %d of %d variables; about %s of text, %s of memory",
            f"{size.sets:,}",
            largest,
            data.n,
            megabytes(size.text),
            megabytes(size.memory),
        )
        size.check(path, resources.bytes)
        if resources.dry_run:
            more = {"sets": size.sets, "lines": size.lines, "text_bytes": size.text}
            return Estimate(data, Needs(size.more), more=more).print()
        with ProgressLine() as line:
            on_progress = _reporting(line, size.sets)
            scores = all_scores(data, scoring, largest, threads, on_progress, lambda: not stop.is_set(), table, shard)
        if shard is not None:
            made_with = {"score": score_type, "ess": ess, "gamma": gamma, "largest": largest}
            made_from = {"data": data_digest(data), "version": version(), "names": list(names)}
            write_part(path, {"shard": str(shard), **made_from, **made_with}, form, scores)
            return 0
        write_whole(path, compressed(path, _counted(text_of(form, names, largest, scores), size.lines)))
        return 0


def _largest(data: Dataset, max_clique: int | None) -> int:
    """The size of the largest sets."""
    if max_clique is not None and max_clique > data.n:
        raise UsageError(f"MAXCLIQUE {max_clique}: the data have {data.n} variables; give at most that many")
    return max_clique or data.n


def _reporting(line: ProgressLine, sets: int) -> Callable[[int], None]:
    """Shows how many of the sets are done, at first 0."""

    def on_progress(done: int) -> None:
        line.progress(done / sets, f"{done:,} of {sets:,} sets scored")

    on_progress(0)
    return on_progress


def _counted(pieces: Iterable, lines: int) -> Iterator:
    """The pieces of text, with a progress line during writing."""
    from ..common.learning.progress import ProgressLine

    done = 0
    with ProgressLine() as line:
        for piece in pieces:
            yield piece
            done += piece.count("\n")
            line.progress(done / lines, f"{done:,} of {lines:,} lines written")


def main() -> None:
    """Console script."""
    command.main(dmscore, "dmscore")
