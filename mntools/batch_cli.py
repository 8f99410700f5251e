"""The subcommands of mntools for the output of many jobs: merging parts, choosing the best network."""

from __future__ import annotations

import csv
import io
import logging
from typing import TYPE_CHECKING

import click

from ..common.cli.data_options import WITH_DATA, optional_input_options
from ..common.cli.file_order import TableAmong
from ..common.cli.grouped import GroupedCommand
from ..common.cli.memory import bounded_memory
from ..common.cli.option import option
from ..common.cli.options import output_option, output_option_of, standard_options
from ..common.cli.paths import InputPath, TracePath
from ..common.errors import DataError

if TYPE_CHECKING:
    from ..common.learning.sources import InputOptions


LOG = logging.getLogger("cliquewise")


@click.command(cls=GroupedCommand)
@click.argument("parts", metavar="PART...", type=InputPath(), nargs=-1, required=True)
@output_option_of(("scores", "blankets"))
@bounded_memory
@standard_options
def merge(parts: tuple[str, ...], path: str | None) -> None:
    """Merge the parts made with --shard: the result has the same bytes as a single run.

    The parts may come in any order. A missing part, a repeated part or a part of another run is an error.

    Example: mntools merge part-1 part-2 -o scores.txt
    """
    from ..common.files.atomic_write import compressed, write_whole
    from ..common.files.endings import format_of_name
    from ..common.files.input_stream import read_text
    from ..common.files.parts import merged_text
    from ..common.scores.score_parts import is_part, merged_scores
    from ..common.scores.score_text import text_of

    twice = next((one for i, one in enumerate(parts) if one in parts[:i]), None)
    if twice is not None:
        raise DataError("named twice; name each part once", twice)
    of_scores = is_part(parts[0])
    kind = "scores" if of_scores else "blankets"
    format_of_name(path, (kind,), kind, option="-o")
    if of_scores:
        write_whole(path, compressed(path, text_of(*merged_scores(parts))))
    else:
        write_whole(path, merged_text({part: read_text(part, "a part that --shard made") for part in parts}))


@click.command(cls=TableAmong)
@click.argument("networks", metavar="GRAPH...", type=InputPath(), nargs=-1, required=True)
@optional_input_options
@option(
    "--edge-priors",
    first=False,
    conditions=WITH_DATA,
    type=InputPath(),
    metavar="FILE",
    help="The file of prior probabilities of edges with which the networks were learned.",
)
@option("--table", type=TracePath(("csv",)), metavar="FILE", help="Write a CSV with one row per GRAPH.")
@output_option
@bounded_memory
@standard_options
def best(
    networks: tuple[str, ...], source: InputOptions, edge_priors: str | None, table: str | None, path: str | None
) -> None:
    """Write the GRAPH with the highest score, unchanged.

    Each is checked as by mntools check; a wrong one is left out, with a warning. With --data its score is
    recomputed; otherwise the score in its header is used. Networks that were learned from different completions of
    missing cells are compared by the mean score over these, which needs --data.

    Example: mntools best seed-1.cliques seed-2.cliques -o best.cliques
    """
    from ..common.files.atomic_write import write_whole
    from .best import COLUMNS, best_of, rows_of

    rows = rows_of(networks, source, edge_priors, path)
    chosen = best_of(rows)
    if table is not None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *(row.cells() for row in rows)])
        write_whole(table, text.getvalue())
    LOG.info("%s: %s", chosen.path, chosen.verdict.line)
    write_whole(path, chosen.text)


COMMANDS = (merge, best)
