"""The subcommands of mntools for what many jobs have made: parts to put together, networks to choose from."""

import csv
import io
import logging

import click

from cliquewise.common.cli.compatibility import ALWAYS, GIVEN, goes_with
from cliquewise.common.cli.options import optional_input_options, output_option, standard_options
from cliquewise.common.cli.paths import InputPath, TracePath
from cliquewise.common.errors import DataError

LOG = logging.getLogger("cliquewise")


@click.command()
@goes_with({"parts": ALWAYS, "path": ALWAYS})
@click.argument("parts", metavar="PART...", type=InputPath(), nargs=-1, required=True)
@output_option
@standard_options
def merge(parts, path):
    """Put together what --shard has made in parts: the same bytes as if it had been made at one go.

    The parts may come in any order. One that is missing, there twice or of something else is refused.
    """
    from cliquewise.common.files.atomic_write import write_whole
    from cliquewise.common.files.input_stream import read_text
    from cliquewise.common.files.parts import merged_text
    from cliquewise.common.scores.score_parts import is_part, merged_scores
    from cliquewise.common.scores.score_text import text_of

    twice = next((one for i, one in enumerate(parts) if one in parts[:i]), None)
    if twice is not None:
        raise DataError("named twice; name each part once", twice)
    if is_part(parts[0]):
        write_whole(path, text_of(*merged_scores(parts)))
    else:
        write_whole(path, merged_text({part: read_text(part, "a part that --shard made") for part in parts}))


OF_BEST = {
    **dict.fromkeys(("networks", "path", "data", "table"), ALWAYS),
    **dict.fromkeys(("header", "missing", "counts"), {"data": GIVEN}),
}


@click.command()
@goes_with(OF_BEST)
@click.argument("networks", metavar="GRAPH...", type=InputPath(), nargs=-1, required=True)
@optional_input_options
@click.option("--table", type=TracePath(), metavar="FILE", help="Write a CSV with a row for each GRAPH.")
@output_option
@standard_options
def best(networks, source, table, path):
    """Write the GRAPH that scores highest of many, as it is.

    Each is checked as by mntools check; one that is wrong is left out, with a warning. With --data its score is
    computed anew; without, that of its header counts.
    """
    from cliquewise.common.files.atomic_write import write_whole
    from cliquewise.common.mntools.best import COLUMNS, best_of, rows_of

    rows = rows_of(networks, source)
    chosen = best_of(rows)
    if table is not None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *(row.cells() for row in rows)])
        write_whole(table, text.getvalue())
    LOG.info("%s: %s", chosen.path, chosen.verdict)
    write_whole(path, chosen.text)


COMMANDS = (merge, best)
