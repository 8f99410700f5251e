"""Command line of mntools: parses, calls the subcommand's module, prints."""

import json

import click

from cliquewise.common.cli import command
from cliquewise.common.cli.compatibility import ABSENT, ALWAYS, GIVEN, INPUT, OUTPUT, SCORE, goes_with, refuse_idle
from cliquewise.common.cli.load import kind_of
from cliquewise.common.cli.options import (
    data_option,
    format_option,
    header_option,
    input_options,
    names_option,
    optional_input_options,
    optional_score_options,
    output_option,
    seed_option,
    standard_options,
    version_option,
)
from cliquewise.common.cli.paths import InputPath, OutputPath
from cliquewise.common.files.claims import OF_ARCS
from cliquewise.common.files.graphfile import FORMATS, read_graph_of

WITH_DATA = {"data": GIVEN}
SCORED = {**INPUT, **SCORE, "graph": ALWAYS}
SCORED_IF_DATA = {**{name: {**WITH_DATA, **row} for name, row in SCORED.items()}, "data": ALWAYS, "graph": ALWAYS}

graph_argument = click.argument("graph", metavar="GRAPH", type=InputPath())


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def mntools():
    """Score, check, compare, convert and draw network files; sample networks.

    A GRAPH is a clique list, edge list, arc list, dot, GraphML or JSON file; its content tells which. A - is
    standard input.
    """


@mntools.command()
@goes_with(SCORED)
@input_options
@graph_argument
@optional_score_options
@standard_options
def score(source, graph, scoring):
    """Print the score of GRAPH on DATA, a CSV or clique-score file.

    For a directed GRAPH, DATA may be a parent-set-score file. With -v, first the score of every clique and separator,
    of every family, or of every variable given its Markov blanket.
    """
    from cliquewise.common.mntools.score import score_table, total
    from cliquewise.common.mntools.scoring import choose_scoring

    data, file = _load(source, graph, parent_sets=True)
    terms = score_table(file, data, choose_scoring(file, scoring, data))
    shown = terms if command.is_verbose() else ()
    _print("\n".join([*(f"{term:+.6f} {name}" for term, name in shown), f"{total(terms):.6f}"]))


@mntools.command()
@goes_with(SCORED_IF_DATA)
@graph_argument
@optional_input_options
@optional_score_options
@standard_options
def check(graph, source, scoring):
    """Check GRAPH: is it chordal, are its cliques maximal, are the claims in its header true?

    A directed GRAPH: is it acyclic, is its moral graph's treewidth at most what the header says, by the elimination
    order there or one that is found? One that claims a score of mplearn need not be chordal.

    Prints one line, and exits with 1 if anything is wrong, or undecided. The score is checked if --data is given.
    """
    from cliquewise.common.mntools.check import check as run_check

    data, file = _load(source, graph, parent_sets=True)
    good, verdict = run_check(file, data, scoring)
    _print(verdict)
    return 0 if good else 1


@mntools.command()
@goes_with(dict.fromkeys(("learned", "truth", "fmt"), ALWAYS))
@click.argument("learned", type=InputPath())
@click.argument("truth", type=InputPath())
@click.option("--format", "fmt", type=click.Choice(["text", "json"]), default="text", show_default=True)
@standard_options
def compare(learned, truth, fmt):
    """Compare the graph LEARNED with the graph TRUTH, edge by edge.

    Prints true positives, false positives, false negatives, Hamming distance, precision, recall and F1.
    """
    from cliquewise.common.mntools.compare import compare as count
    from cliquewise.common.mntools.compare import read_pair

    result = count(*read_pair(learned, truth))
    _print(json.dumps(result) if fmt == "json" else " ".join(f"{key} {value}" for key, value in result.items()))


@mntools.command()
@goes_with({**OUTPUT, "graph": ALWAYS, "data": ALWAYS, "header": SCORED_IF_DATA["header"]})
@graph_argument
@format_option(("cliques", "edges", "arcs", *FORMATS[2:]))
@names_option
@output_option
@data_option
@header_option
@standard_options
def convert(graph, fmt, use_names, path, data, header):
    """Write GRAPH in another format; its header goes with it.

    With --data, vertices get the names of the data's columns. A directed GRAPH stays one, but as a clique or edge
    list it is the undirected graph of its arcs.
    """
    from cliquewise.common.cli.options import InputOptions
    from cliquewise.common.errors import DataError
    from cliquewise.common.files.atomic import write_whole
    from cliquewise.common.files.graphfile import format_graph

    _, file = _load(InputOptions(data, header, "state"), graph)  # for the names; missing cells are no matter
    try:
        held, header_lines = file.held, file.header
        if held.directed and fmt in ("cliques", "edges"):
            held = file.graph
            header_lines = {key: value for key, value in file.header.items() if key not in OF_ARCS}
        text = format_graph(held, fmt, header_lines, use_names)
    except DataError as error:  # say whose graph it is
        raise DataError(str(error), graph) from None
    write_whole(path, text)


@mntools.command()
@goes_with({**SCORED_IF_DATA, "path": ALWAYS})
@graph_argument
@click.option(
    "-o",
    "--output",
    "path",
    type=OutputPath(),
    metavar="FILE",
    required=True,
    help="A .png, .svg or .pdf file.",
)
@optional_input_options
@optional_score_options
@standard_options
def draw(graph, path, source, scoring):
    """Draw GRAPH.

    With --data, the width and colour of an edge show how much score is lost without it.
    """
    from cliquewise.common.mntools.draw import draw_graph, picture_format
    from cliquewise.common.mntools.scoring import choose_scoring, describe
    from cliquewise.common.mntools.strength import edge_strengths

    picture_format(path)
    data, file = _load(source, graph)
    strengths, caption = None, f"{file.graph.n} variables, {len(file.graph.edges)} edges"
    if data is not None:
        by = choose_scoring(file, scoring, data)
        strengths = edge_strengths(file.graph, data, by)
        caption += f", {describe(data, by)}"
    draw_graph(path, file.graph, strengths, caption)


def _component_names(_ctx, _param, value):
    """`grid,hub` as a tuple of known names."""
    from cliquewise.common.sampling.components import COMPONENTS

    names = None if value is None else tuple(value.split(","))
    for name in names or ():
        if name not in COMPONENTS:
            raise click.BadParameter(f"'{name}' is not one of {', '.join(COMPONENTS)}")
    return names


SYNTHETIC = {"bif": ABSENT}
OF_SAMPLE = {
    "bif": ALWAYS,
    "rows": ALWAYS,
    "components": SYNTHETIC,
    "replicas": SYNTHETIC,
    "seed": ALWAYS,
    "network_seed": SYNTHETIC,
    "edges": ALWAYS,
    "use_names": {"edges": GIVEN},
    "path": ALWAYS,
}


@mntools.command()
@goes_with(OF_SAMPLE)
@click.argument("bif", metavar="[BIF]", type=InputPath(), required=False)
@click.option("--rows", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N", help="Rows to draw.")
@click.option(
    "--components",
    metavar="LIST",
    callback=_component_names,
    help="Parts of the network: grid, hub, loop, clique of 16 variables, figure1a, figure1b, figure1c of 6; "
    "separated by commas.  [default: grid,hub,loop,clique]",
)
@click.option("--replicas", type=click.IntRange(1, 10000), metavar="N", help="How often to repeat them.  [default: 1]")
@seed_option
@click.option(
    "--network-seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="Seed of the distribution, where it should stay the same for several seeds of the rows.  "
    "[default: as --seed]",
)
@click.option(
    "--edges",
    type=OutputPath(by_default=False),
    metavar="FILE",
    help="Write the true edges to FILE, as an edge list.",
)
@names_option
@output_option
@standard_options
def sample(**options):
    """Draw data, as CSV, from a network with known edges.

    The network is a Bayesian one, from the file BIF (- is standard input), whose edges are those of its moral
    graph; or without BIF a synthetic Markov network of binary variables, in which each maximal clique has a
    factor drawn uniformly from (0, 1). Rows are independent and exactly distributed.
    """
    from cliquewise.common.mntools.sample import SampleOptions
    from cliquewise.common.mntools.sample import sample as draw_sample

    draw_sample(SampleOptions(**options))


def _print(text):
    """Print lines of a result."""
    from cliquewise.common.files.atomic import write_whole

    write_whole(None, f"{text}\n")


def _load(source, graph, parent_sets=False):
    """The data (None if none are named) and the graph on them."""
    data = source.load(parent_sets)
    refuse_idle(source=kind_of(data))
    return data, read_graph_of(graph, data)


def main():
    """Console script."""
    command.main(mntools, "mntools")
