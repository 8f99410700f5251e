"""`mntools strength` on the command line."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import click

from ..common.cli.data_options import graph_input_options
from ..common.cli.file_order import AnyOrder
from ..common.cli.memory import bounded_memory
from ..common.cli.option import option
from ..common.cli.options import standard_options, table_output_option
from ..common.cli.paths import InputPath
from ..common.cli.score_options import optional_score_options
from ..common.files.atomic_write import write_whole
from .loading import load

if TYPE_CHECKING:
    from ..common.learning.options import ScoreOptions
    from ..common.learning.sources import InputOptions

LOG = logging.getLogger("cliquewise")


@click.command(cls=AnyOrder)
@graph_input_options
@click.argument("graph", metavar="GRAPH", type=InputPath())
@option(
    "--table",
    "ends",
    metavar="A,B",
    help="The rows behind the edge between A and B instead: how often each joint state occurs; the odds ratio of two "
    "variables of two states is logged.",
)
@table_output_option
@optional_score_options
@bounded_memory
@standard_options
def strength(source: InputOptions, graph: str, ends: str | None, path: str | None, scoring: ScoreOptions) -> None:
    """Print the evidence in DATA for and against each edge of GRAPH, as CSV.

    An edge is compared with its absence, given other variables: the other parents of the head of an arc; the rest of
    the clique of an edge that is in only one; none for an edge in several cliques. The columns: the ends u and v;
    given; gain, the loss of score without the edge, for BDeu the logarithm of the Bayes factor; probability of the
    edge, given all others (BDeu); the conditional mutual information cmi in nats; the G2 test of conditional
    independence with its degrees of freedom df and p; p-holm, corrected for the number of edges. The edges were
    searched for in the same data, so the p-values are too small.

    Example: mntools strength table.csv network.cliques -o strengths.csv
    """
    from .odds_ratio import in_words
    from .scoring import choose_scoring
    from .strength import edge_evidence, evidence_csv, named_edge, table_csv

    data, file = load(source, graph)
    by = choose_scoring(file, scoring, data)
    if ends is not None:
        edge, given = named_edge(file, data, by, ends)
        if (sentence := in_words(data, edge, given)) is not None:
            LOG.info("%s", sentence)
        return write_whole(path, table_csv(data, (*given, *edge)))
    found = edge_evidence(file, data, by)
    names = getattr(file.network, "names", None) or data.names
    write_whole(path, evidence_csv(found, names, by.score_type == "bdeu"))
