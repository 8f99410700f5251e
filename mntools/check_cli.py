"""`mntools check` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from ..common.cli.arcs import arc_options
from ..common.cli.data_options import WITH_DATA, optional_input_options
from ..common.cli.edges import edge_options
from ..common.cli.file_order import AnyOrder, table_argument
from ..common.cli.formats import answer_format
from ..common.cli.memory import bounded_memory
from ..common.cli.option import option
from ..common.cli.option_group import with_conditions
from ..common.cli.options import standard_options
from ..common.cli.paths import InputPath
from ..common.cli.score_options import optional_score_options
from ..common.files.atomic_write import write_whole
from .loading import load

if TYPE_CHECKING:
    from ..common.learning.knowledge import ArcOptions
    from ..common.learning.options import EdgeOptions, ScoreOptions
    from ..common.learning.sources import InputOptions


@click.command(cls=AnyOrder)
@click.argument("graph", metavar="GRAPH", type=InputPath())
@table_argument
@optional_input_options
@with_conditions(WITH_DATA, optional_score_options)
@option(
    "--certificate",
    conditions=WITH_DATA,
    type=InputPath(),
    metavar="FILE",
    help="Check the proof in FILE, written by junctor --certificate, that no network scores more.",
)
@option(
    "--completed",
    first=False,
    conditions=WITH_DATA,
    type=InputPath(),
    metavar="FILE",
    help="The completed rows of data with missing cells, which a learner wrote; if not given, they are drawn again.",
)
@answer_format("text", "json")
@arc_options
@edge_options
@bounded_memory
@standard_options
def check(
    graph: str,
    source: InputOptions,
    scoring: ScoreOptions,
    certificate: str | None,
    completed: str | None,
    arcs: ArcOptions,
    edges: EdgeOptions,
    fmt: str,
) -> int:
    """Check GRAPH: is it chordal, are its cliques maximal, are the claims in its header true?

    For a directed GRAPH: is it acyclic, is the treewidth of its moral graph at most the value in the header, by the
    elimination order there or one that is found? A GRAPH with a score of mplearn need not be chordal.

    Prints one line, or in JSON its first word, "verdict", and the rest, "details", and exits with 1 if anything is
    wrong or undecided. The score is checked if --data is given, with the score type, ess and treatment of missing cells
    of the header unless options say otherwise, and on the bootstrap sample if the network was learned from one. Claims
    that need more, such as optimality without --certificate, are named after "not checked:".

    With options such as --required-arcs or --tiers it is also checked that GRAPH agrees with them.

    With --certificate it also checks the upper bound on the score of all chordal networks within the stated clique
    size, in exact arithmetic and with independently computed scores.

    GRAPH can be a list of the best networks (junctor --networks): then each network is checked, and their order, that
    none is listed twice, and with --certificate that none is left out.

    Example: mntools check network.cliques --data table.csv
    """
    from ..common.files.network_list import NetworkList
    from .check import check as run_check
    from .listed import check_list
    from .stated import statements_of

    data, file = load(source, graph, parent_sets=True, as_sample=True, completed=completed, lists=True)
    if isinstance(file, NetworkList):
        found = check_list(file, data, scoring, certificate, statements_of(file.files[0], arcs, edges))
    else:
        found = run_check(file, data, scoring, certificate, statements_of(file, arcs, edges))
    shown = json.dumps(found._asdict(), ensure_ascii=False) if fmt == "json" else found.line
    write_whole(None, f"{shown}\n")
    return 0 if found.is_ok else 1
