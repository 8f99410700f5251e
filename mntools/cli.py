"""Command line of mntools: parses, calls the subcommand's module, prints."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.compatibility import reject_ineffective_options
from ..common.cli.data_options import WITH_DATA, graph_input_options, optional_input_options
from ..common.cli.file_order import AnyOrder, network_argument, table_argument
from ..common.cli.formats import answer_format, format_option
from ..common.cli.grouped import CommandGroup
from ..common.cli.lists import FiniteFloat
from ..common.cli.memory import bounded_memory, memory_option
from ..common.cli.option import ABSENT, OUTPUT, Conditions, option
from ..common.cli.option_group import option_group, with_conditions
from ..common.cli.options import (
    data_option,
    layout_options,
    max_clique_option,
    min_probability_option,
    names_option,
    output_option,
    standard_options,
    tally_options,
    threads_option,
    version_option,
)
from ..common.cli.paths import InputPath, OutputPath, TracePath
from ..common.cli.score_options import optional_score_options
from ..common.files.graphfile import EXCHANGE_FORMATS, FORMATS, PDAG_FORMATS
from ..common.learning.load import kind_of
from ..common.learning.options import OutputOptions
from ..common.learning.resources import ResourceOptions
from ..common.models.model_file import WRITTEN_FORMATS
from . import batch_cli, check_cli, strength_cli
from .loading import load
from .options import style_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.drawing.style import Style
    from ..common.learning.options import ScoreOptions
    from ..common.learning.sources import InputOptions


GRAPH_FORMATS = ("cliques", "edges", "arcs", *FORMATS[2:], *EXCHANGE_FORMATS)
PROBABILITY_FORMATS = tuple(fmt for fmt in WRITTEN_FORMATS if fmt not in GRAPH_FORMATS)
OF_GRAPHS: Conditions = {"fmt": GRAPH_FORMATS}

graph_argument = click.argument("graph", metavar="GRAPH", type=InputPath())


def picture_output(description: str) -> Callable:
    """`-o` of a picture."""
    return option("-o", "--output", "path", type=OutputPath(), metavar="FILE", required=True, help=description)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def mntools() -> None:
    """Score, check, bound, compare, convert, average and draw network files.

    A GRAPH is a clique list, edge list, arc list, dot, GraphML or JSON file, an adjacency matrix, edge table or model
    string, or a Bayesian network in BIF, XMLBIF, .xdsl, .net, .dne, UAI or JSON. The format is detected from the
    content. A - is standard input.
    """


for added in (*batch_cli.COMMANDS, check_cli.check, strength_cli.strength):
    mntools.add_command(added)


@mntools.command(cls=AnyOrder)
@graph_input_options
@graph_argument
@answer_format("text", "json")
@optional_score_options
@bounded_memory
@standard_options
def score(source: InputOptions, graph: str, scoring: ScoreOptions, fmt: str) -> None:
    """Print the score of GRAPH on DATA, a CSV or clique-score file.

    For a directed GRAPH, DATA may be a parent-set-score file. With -v, first print the score of every clique and
    separator, of every family, or of every variable given its Markov blanket. JSON also has the kind of the score;
    a score of minus infinity is null.

    Example: mntools score table.csv network.cliques
    """
    from ..common.networks.score import score_json, score_table, total
    from .scoring import choose_scoring

    data, file = load(source, graph, parent_sets=True)
    by = choose_scoring(file, scoring, data)
    terms = score_table(file, data, by)
    shown = terms if command.is_verbose() else []
    if fmt == "json":
        return _print(score_json(terms, by if kind_of(data) == "data" else None, shown))
    _print("\n".join([*(f"{term:+.6f} {name}" for term, name in shown), f"{total(terms):.6f}"]))


@mntools.command()
@click.argument("learned", metavar="LEARNED...", nargs=-1, required=True, type=InputPath())
@click.argument("truth", type=InputPath())
@option(
    "--min-probability",
    "least",
    type=FiniteFloat(min=0, max=1),
    metavar="P",
    help="Of edges with probabilities, those of at least P count as edges.",
)
@answer_format("text", "json", "csv")
@standard_options
def compare(learned: str, truth: str, least: float | None, fmt: str) -> None:
    """Compare the graph LEARNED with the graph TRUTH, edge by edge.

    Prints true positives, false positives, false negatives, Hamming distance, precision, recall and F1, without
    directions. If both graphs have directions, also the missing, extra and reversed edges and their sum, the structural
    Hamming distance (shd), and the same of the CPDAGs (shd-cpdag). Of two graphs whose edges have probabilities, the
    differences of these; where only one has some, --min-probability chooses its edges. For several graphs, one
    line each, or a JSON list, with the file name.

    --format csv prints the edges instead, those that any graph has, with a column for each file: 1, 0, or the
    probability of the edge.

    Example: mntools compare network.cliques other.cliques
    """
    from ..common.data.csvwriter import csv_text
    from ..common.files.atomic_write import write_whole
    from ..common.networks.compare import compare as count
    from ..common.networks.compare import edges_side_by_side, read_pair, warn_of_chains

    pairs = [read_pair(path, truth) for path in learned]
    warn_of_chains([file for pair in pairs for file in pair])
    if fmt == "csv":
        edges = edges_side_by_side(pairs, least)
        lines = [("u", "v", *learned, truth), *((u, v, *(f"{value:g}" for value in values)) for u, v, values in edges)]
        return write_whole(None, csv_text(lines))
    results: list[dict[str, Any]] = [count(*pair, least) for pair in pairs]
    if len(learned) > 1:
        results = [{"file": path, **result} for path, result in zip(learned, results, strict=True)]
    texts = [" ".join(f"{key} {value}" for key, value in result.items()) for result in results]
    _print(json.dumps(results if len(learned) > 1 else results[0]) if fmt == "json" else "\n".join(texts))


@mntools.command(cls=AnyOrder)
@graph_argument
@table_argument
@format_option((*GRAPH_FORMATS, *PROBABILITY_FORMATS))
@option(
    "--to",
    conditions={"fmt": PDAG_FORMATS, "chordal": ABSENT, "least": ABSENT},
    type=click.Choice(["cpdag"]),
    help="The CPDAG of a directed network: arcs where all equivalent networks agree.",
)
@option("--chordal", conditions=OF_GRAPHS, is_flag=True, help="Add edges until the graph is chordal, by min-fill.")
@option(
    "--min-probability",
    "least",
    conditions=OF_GRAPHS,
    type=FiniteFloat(min=0, max=1),
    metavar="P",
    help="Of edges with probabilities, the network of those of at least P.",
)
@with_conditions(OF_GRAPHS, names_option)
@output_option
@with_conditions(OF_GRAPHS, data_option, with_conditions(WITH_DATA, layout_options, tally_options))
@standard_options
def convert(
    graph: str,
    fmt: Any,
    to: str | None,
    chordal: bool,
    least: float | None,
    use_names: bool | None,
    path: str | None,
    data: str | None,
    **layout: Any,
) -> Any:
    """Write GRAPH in another format, with its header.

    With --data, vertices get the names of the data's columns. A directed GRAPH stays directed, except in a clique or
    edge list, which holds the undirected graph of its arcs; dot, graphml, csv and adjacency can hold a CPDAG. An
    adjacency matrix, a csv (source,target,weight) and bnlearn's modelstring have names and no header. A Bayesian
    network keeps its probabilities in bif, xmlbif, xdsl, net, uai and markov.

    Example: mntools convert network.cliques -o network.graphml
    """
    from ..common.errors import DataError, UsageError
    from ..common.files.atomic_write import write_whole
    from ..common.files.graph_lists import shows_names
    from ..common.files.graphfile import format_graph
    from ..common.learning.sources import InputOptions
    from .convert import converted, rewrite_model

    if fmt in PROBABILITY_FORMATS:
        return rewrite_model(graph, fmt, path)
    table, file = load(InputOptions(data, missing="state", **layout), graph)  # for names; missing cells do not matter
    network, header_lines = converted(file, fmt, chordal, least, to is not None)
    named = shows_names(use_names, network.names, not getattr(table, "has_names", True))
    try:
        text = format_graph(network, fmt, header_lines, named)
    except DataError as error:  # name the graph's file
        raise DataError(str(error), graph) from None
    except UsageError as error:
        raise UsageError(f"{graph}: {error}") from None
    write_whole(path, text)


@mntools.command(cls=AnyOrder)
@graph_argument
@table_argument
@option(
    "--probabilities",
    "edges",
    first=True,
    conditions={"data": ABSENT},
    type=InputPath(),
    metavar="EDGES",
    help="Width of an edge: its probability in this edge list, such as one of mnposterior.",
)
@option(
    "--strength",
    first=True,
    conditions={"data": ABSENT, "edges": ABSENT},
    type=InputPath(),
    metavar="CSV",
    help="Width of an edge: the score lost without it, of this file of mntools strength; a page shows all its columns.",
)
@option(
    "--min-probability",
    conditions={"data": ABSENT, "strength": ABSENT},
    type=FiniteFloat(min=0, max=1),
    metavar="P",
    help="Leave out edges of a smaller probability.",
)
@style_options
@picture_output("A .png, .svg, .pdf or .html file; the last is a page for a browser.")
@optional_input_options
@with_conditions(WITH_DATA, optional_score_options)
@bounded_memory
@standard_options
def draw(
    graph: str,
    path: str,
    edges: str | None,
    strength: str | None,
    min_probability: float | None,
    style: Style,
    source: InputOptions,
    scoring: ScoreOptions,
) -> None:
    """Draw GRAPH, a directed one with arrows.

    With --data, the width and colour of an edge show how much score is lost without it; with --probabilities, or if
    GRAPH has some, its probability. A page also shows the figures of mntools strength for the edge that is chosen, with
    --data also the rows behind it. The variables stand where a .xdsl or .net file has them, unless --layout says how
    to place them.

    Example: mntools draw network.cliques --data table.csv -o network.svg
    """
    from ..common.data.dataset import Dataset
    from ..common.drawing.picture import FORMATS as PICTURES
    from ..common.drawing.picture import picture_format, saved_picture
    from ..common.learning.progress import ProgressLine
    from ..common.networks.draw import drawing_of
    from .scoring import choose_scoring
    from .strength import computed_notes, read_edge_evidence

    kind = picture_format(path, (*PICTURES, "html"))
    data, file = load(source, graph)
    by = None if data is None else choose_scoring(file, scoring, data)
    evidence = None if strength is None else read_edge_evidence(strength, file.network)
    drawing = drawing_of(file, data, by, edges, min_probability, evidence)
    if kind == "html":
        from ..common.drawing.page import page_of_drawing, write_page

        if isinstance(data, Dataset) and by is not None:
            drawing = replace(drawing, evidence=computed_notes(file, data, by, drawing.strengths or ()))
        write_page(path, page_of_drawing(file, drawing, style))
        return
    with ProgressLine() as line:
        saved_picture(path, drawing, style, line.progress)


BOUND_SECONDS = 60.0


@mntools.command(cls=AnyOrder, second="graph")
@graph_input_options
@network_argument
@option("--graph", type=InputPath(), metavar="FILE", help="Report the gap of the network in FILE.")
@max_clique_option
@optional_score_options
@option(
    "--time-limit",
    type=FiniteFloat(min=0, min_open=True, max=1e9),
    default=BOUND_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Stop after this many seconds and print the bound found so far.",
)
@option(
    "-o",
    "--output",
    "path",
    group=OUTPUT,
    type=TracePath(FORMATS),
    metavar="FILE",
    help="Write the best network known to FILE, with the bound in its header.",
)
@option_group("resources", ResourceOptions, memory_option, threads_option)
@standard_options
def bound(
    source: Any,
    graph: str | None,
    max_clique: int | None,
    scoring: ScoreOptions,
    time_limit: float,
    path: str | None,
    resources: ResourceOptions,
) -> int:
    """Print an upper bound on the score of every chordal network on DATA, a CSV or clique-score file.

    Also prints the score of the network in --graph, or else of the best network found on the way (without a long
    search), and the gap: the network is at most this much worse than the optimum. The score type, the bound on cliques
    and the treatment of missing cells are those in the header of --graph, unless options say otherwise.

    Example: mntools bound table.csv --max-clique 3 --time-limit 60
    """
    from ..common.files.endings import format_of_name
    from ..common.learning.task import Task
    from .bound import as_stated, bound_line

    data, file = (source.load(), None) if graph is None else load(source, graph)
    reject_ineffective_options(source=kind_of(data))
    output = OutputOptions(format_of_name(path, FORMATS, FORMATS[0]), path=path)
    task = Task("mntools bound", as_stated(source, file), output, resources, host=command.host())
    text, code = bound_line(data, file, task, scoring, max_clique, time_limit)
    _print(text)
    return code


@mntools.command()
@click.argument("networks", nargs=-1, required=True, type=InputPath(), metavar="GRAPH...")
@option(
    "--weight-by",
    type=click.Choice(["equal", "header", "score"]),
    default="equal",
    show_default=True,
    help="Equal weights, the line `# weight` of their headers, or exp(score).",
)
@min_probability_option
@option(
    "--automatic-threshold",
    "automatic",
    is_flag=True,
    help="Only the edges above the threshold of Scutari and Nagarajan (2013), which is logged; with --directions only "
    "the more probable way of each.",
)
@option(
    "--directions",
    is_flag=True,
    help="Of directed networks a table instead, from,to,strength,direction: the share of networks with the edge, and "
    "of these the share in which it points this way.",
)
@with_conditions({"directions": ABSENT}, format_option(FORMATS[1:], instead={"directions": "csv"}), names_option)
@output_option
@standard_options
def average(
    networks: tuple[str, ...],
    weight_by: str,
    min_probability: float,
    automatic: bool,
    directions: bool,
    fmt: str,
    use_names: bool | None,
    path: str | None,
) -> None:
    """Write edges with probabilities: the share of the networks GRAPH... that have each edge.

    An edge of a GRAPH with probabilities counts by its probability; a list of networks, of junctor --networks or
    mnposterior --samples, as its networks. `mntools draw` shows the probabilities as widths.
    Directions are ignored, without --directions.

    Example: mntools average network.cliques other.cliques -o average.edges
    """
    from ..common.files.atomic_write import write_whole
    from ..common.files.graph_lists import shows_names
    from ..common.files.graphfile import write_graph
    from ..common.files.listed_edges import listed_edges
    from .average import average as shares
    from .average import read_graph_files, significant
    from .directions import arc_strengths, strengths_table

    files = read_graph_files(networks)
    graph, _ = shares(files, weight_by)
    header = {"program": "mntools average", "networks": str(len(files)), "weighted-by": weight_by}
    kept, threshold = significant(graph) if automatic else (graph, None)
    if directions:
        table = strengths_table(arc_strengths(files, weight_by), graph.labels, min_probability, threshold)
        return write_whole(path, table)
    if threshold is not None:
        header["threshold"] = f"{threshold:.6g}"
    listed, lines = listed_edges(kept, min_probability)
    write_graph(path, listed, fmt, {**header, **lines}, shows_names(use_names, graph.names))


@mntools.command()
@click.argument("trace", metavar="TRACE", type=InputPath())
@picture_output("A .png, .svg or .pdf file.")
@standard_options
def plot(trace: str, path: str) -> None:
    """Draw the score of a run over time, from TRACE, a file that --trace wrote.

    For draws of mnposterior: the score of each ladder, and the R-hat of the score up to each moment.

    Example: mntools plot run.csv -o run.png
    """
    from .trace_plot import plot_trace

    plot_trace(trace, path)


def _print(text: str) -> None:
    """Print lines of a result."""
    from ..common.files.atomic_write import write_whole

    write_whole(None, f"{text}\n")


def main() -> None:
    """Console script."""
    command.main(mntools, "mntools")
