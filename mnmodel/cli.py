"""Command line of mnmodel: parses, calls the subcommand's module, prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.compatibility import goes_with
from ..common.cli.file_order import AnyOrder, table_argument, table_last
from ..common.cli.formats import format_option
from ..common.cli.grouped import CommandGroup
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import Parts
from ..common.cli.long_runs import checkpoint_options, shard_option
from ..common.cli.option import ABSENT, GIVEN, WITH_EM, WITHOUT_EM, Conditions, option
from ..common.cli.option_group import option_group, under
from ..common.cli.options import (
    fit_input_options,
    incomplete_reading_options,
    layout_options,
    max_clique_option,
    missing_option,
    names_option,
    optional_input_options,
    output_option,
    output_option_of,
    standard_options,
    table_output_option,
    tally_options,
    version_option,
)
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.resources import bounded_memory, resource_options
from ..common.cli.score_options import ess_option
from ..common.cli.seed import seed_option
from ..common.data.reading import Reading
from ..common.files.result_header import FIT_RULES
from ..common.models.model_file import MODEL_FORMATS
from . import cv_cli, question_cli, table_cli
from .options import (
    em_options,
    evidence_option,
    fit_options,
    model_argument,
    model_format_option,
    seen_option,
    states_of_option,
    uai_order_option,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.files.shard import Shard
    from ..common.inference.em_limits import EmLimits
    from ..common.learning.options import CheckpointOptions, LimitOptions
    from ..common.learning.resources import ResourceOptions
    from ..common.learning.sources import InputOptions


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def mnmodel() -> None:
    """Fit networks to data, evaluate them, ask them, draw samples; learn mixtures of networks.

    A GRAPH is a clique list, edge list, arc list, dot, GraphML or JSON file, an adjacency matrix, edge table or model
    string, or a MODEL; a MODEL is a Bayesian network in BIF, XMLBIF, .xdsl (GeNIe), .net (Hugin), .dne (Netica), UAI or
    JSON. The format is detected from the content. A - is standard input.
    """


for added in (*question_cli.COMMANDS, cv_cli.cv, *table_cli.COMMANDS):
    mnmodel.add_command(added)


@mnmodel.command(cls=AnyOrder)
@fit_input_options
@click.argument("graph", metavar="GRAPH", type=InputPath())
@fit_options
@em_options
@option(
    "--start-from",
    first=False,
    goes_with=WITH_EM,
    type=InputPath(),
    metavar="MODEL",
    help="With --missing em: begin with the tables of MODEL, which has the same variables, states and parents.",
)
@model_format_option
@output_option
@bounded_memory
@standard_options
def fit(
    source: InputOptions,
    graph: str,
    ess: float | None,
    ml: bool,
    states_of: tuple[str, ...],
    em_limits: EmLimits,
    start_from: str | None,
    fmt: str,
    path: str | None,
) -> None:
    """Fit the probabilities of GRAPH to DATA, a CSV: a Bayesian network.

    GRAPH is chordal, or directed and acyclic. Probabilities are posterior means under BDeu's prior. The ess and the
    treatment of missing cells are those in GRAPH's header, unless options say otherwise. With --missing em they are
    found by expectation and maximisation, and the log-likelihood of the observed cells is logged in each round; then
    variables of GRAPH that DATA does not have are hidden ones, if GRAPH is a MODEL or --states names their states. If
    GRAPH is a MODEL, its variables and states stay in their order, also states that DATA does not have.

    Example: mnmodel fit table.csv network.cliques -o model.bif
    """
    from ..common.files.input_stream import read_text
    from ..common.models.model_file import write_model
    from .fit import FitOptions

    options = FitOptions(ess, ml, states_of, em_limits, start_from)
    text = read_text(graph, "a graph file")
    network, header = options.fit(options.load(source, {graph: text}), graph, text)
    write_model(path, network.tables(), fmt, header)


@mnmodel.command()
@goes_with({("per_row", True): {"counts": ABSENT, "weights": ABSENT}})
@click.argument("files", nargs=-1, required=True, type=InputPath(), metavar="MODEL... DATA")
@option_group(
    "reading", Reading, layout_options, missing_option(None, FIT_RULES), tally_options, undecided=("missing",)
)
@uai_order_option
@fit_options
@option(
    "--weights-from",
    type=InputPath(),
    metavar="FILE",
    help="Weight the models so that the rows of FILE are most probable.",
)
@option("--per-row", is_flag=True, help="Print the log probability of each row, one per line.")
@option(
    "--format",
    "fmt",
    goes_with={"per_row": ABSENT},
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the result.",
)
@bounded_memory
@standard_options
def loglik(
    files: tuple[str, ...],
    reading: Reading,
    weights_from: str | None,
    per_row: bool,
    fmt: str,
    uai_order: str,
    **options: Any,
) -> None:
    """Print the mean log probability of the rows of DATA under MODEL, and its standard error.

    Several models form a mixture, with equal weights or those of --weights-from. Missing cells, and variables that DATA
    has no column for, are summed out.

    `mnmodel loglik DATA GRAPH... TEST` fits the graphs to DATA as fit does and evaluates them on TEST, without tables,
    so that no clique is too large. --missing, --ess, --ml and --states-of apply to this fit; --counts and --separator
    apply to all tables.

    Example: mnmodel loglik model.bif new.csv
    """
    from ..common.errors import UsageError
    from ..common.learning.sources import InputOptions
    from .fit import FitOptions
    from .loglik import evaluate, read_or_fit, summary

    if len(files) < 2:
        raise UsageError("give MODEL DATA, or DATA GRAPH TEST to fit and evaluate")
    tables = InputOptions(None, **vars(reading))
    models, test = read_or_fit(table_last(files), tables, FitOptions(**options), uai_order)
    rows, row_counts, weights = evaluate(models, test, tables, weights_from)
    if per_row:
        click.echo("\n".join(f"{row:.10g}" for row in rows.tolist()))
        return
    click.echo(summary(rows, row_counts, weights, fmt))


OF_PAGE: dict[object, Conditions] = {
    "data": {"strength": ("score",)},
    ("strength", "score"): {"data": GIVEN},
    ("strength", "mi"): {"structure": ABSENT},
}


@mnmodel.command(cls=AnyOrder, network="model")
@goes_with(OF_PAGE)
@model_argument
@table_argument
@optional_input_options
@option(
    "--strength",
    goes_with={"probabilities": ABSENT},
    type=click.Choice(["score", "mi"]),
    help="Width of an edge: the score lost without it, the default with --data; or the mutual information of its "
    "variables in the model.",
)
@option(
    "--probabilities",
    goes_with={"data": ABSENT},
    type=InputPath(),
    metavar="EDGES",
    help="Width of an edge: its probability in this edge list, as of mntools average.",
)
@option("--structure", is_flag=True, help="Only the network, without probabilities.")
@seen_option
@uai_order_option
@output_option_of(("html",))
@bounded_memory
@standard_options
def page(model: str, path: str, source: InputOptions, **options: Any) -> None:
    """Write a page that shows MODEL in a browser, and answers questions about it.

    The page is one HTML file without outside resources: a click on a state makes it known, and the probabilities of all
    others follow, exactly. It can be moved, searched, compared, printed and saved as SVG and CSV.

    Example: mnmodel page model.bif -o model.html
    """
    from ..common.drawing.page import write_page
    from .page import ModelPageOptions, page_of_model

    write_page(path, page_of_model(model, ModelPageOptions(source, **options)))


def numbered_output(what: str) -> Callable:
    """`-o`: the files of several results, which are numbered from 1."""
    told = f"Write {what} 1, 2, ... to the file with {{}} in the number's place."
    kind = OutputPath(formats=("csv",))
    return option("-o", "--output", "path", type=kind, required=True, metavar="FILE", help=told)


def _check_numbered(path: str, what: str, example: str) -> None:
    """Refuse a name without a place for the number."""
    from ..common.errors import UsageError

    if "{}" not in path:
        raise UsageError(f"each {what} has a file; put {{}} for its number into the name: -o '{example}'")


@mnmodel.command()
@click.argument("data", metavar="DATA", type=InputPath())
@option("--groups", type=Parts(2, 1000), default=2, show_default=True, metavar="K", help="How many groups to make.")
@incomplete_reading_options
@ess_option(1.0)
@seed_option
@numbered_output("group")
@bounded_memory
@standard_options
def cluster(
    data: str,
    groups: list[int],
    ess: float,
    seed: int,
    reading: Reading,
    path: str,
) -> None:
    """Split the rows of DATA, a CSV, into groups that differ in how their variables depend on each other.

    The groups are parts of a mixture of networks. A table of counts is split into tables of counts, and rows with
    --weights keep their weights, in the last column. With --missing em a row goes to the group to which its observed
    cells most probably belong.

    Example: mnmodel cluster table.csv --groups 2 -o group-{}.csv
    """
    from ..common.data.csvfile import read_csv
    from ..common.learning.options import OutputOptions
    from ..common.learning.sources import LearningOptions
    from ..common.learning.task import Task
    from ..common.models.model_states import with_declared
    from .cluster import cluster as grouped
    from .cluster import write_groups

    _check_numbered(path, "group", "part-{}.csv")
    rows = read_csv(data, with_declared(reading))
    task = Task("mnmodel cluster", LearningOptions(data), OutputOptions(), host=command.host())
    with task.running() as monitor:
        chosen = grouped(rows, len(groups), ess, seed, monitor, reading.missing)
    write_groups(path, rows, chosen, groups, reading.counts or reading.weights)


@mnmodel.command()
@goes_with({("empirical", True): {"fmt": ("json",), **WITHOUT_EM}})
@click.argument("train", metavar="TRAIN", type=InputPath())
@click.argument("valid", metavar="VALID", type=InputPath())
@option(
    "--networks",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Maximum number of networks in the mixture.",
)
@max_clique_option
@option(
    "--empirical/--no-empirical",
    default=True,
    show_default=True,
    help="The rows of TRAIN themselves compete too, if rows repeat; the model then contains them (only JSON).",
)
@limit_options("Stop after N steps of searches.", result="the best mixture found")
@option(
    "--from",
    "others",
    type=InputPath(),
    multiple=True,
    metavar="MODEL",
    help="A mixture or network that competes with what is found; can be given several times.",
)
@shard_option("several runs, each with random numbers of its own", "; --from puts the results together")
@layout_options
@missing_option("refuse", FIT_RULES)
@tally_options
@states_of_option
@seed_option
@format_option(
    sorted(MODEL_FORMATS, key=lambda fmt: fmt != "json"),
    told="Format of the model (all but JSON have the class as a variable, which only small mixtures can)",
)
@output_option
@resource_options
@checkpoint_options
@standard_options
def mixture(
    networks: int,
    max_clique: int | None,
    empirical: bool,
    seed: int,
    shard: Shard | None,
    limits: LimitOptions,
    resources: ResourceOptions,
    keeping: CheckpointOptions,
    **files: Any,
) -> int:
    """Learn a mixture of networks from TRAIN that makes new rows probable; the rows of VALID choose everything.

    Networks are searched on all rows, on samples of them and on soft parts, and weighted; the best network by itself is
    taken where no mixture gains more than its standard error. With --weights the samples, the parts and the folds of
    VALID have whole rows, which keep their weights. The result is one model with a hidden class, for loglik, query,
    predict and the other commands; in JSON its networks are kept apart. Without --time-limit or --iterations the search
    takes 60 seconds.

    Example: mnmodel mixture table.csv new.csv --time-limit 60 -o mixture.json
    """
    from ..mixture.run import MixtureFiles, make_mixture
    from ..mixture.search import MixtureConfig

    config = MixtureConfig(networks, max_clique, empirical, seed, 1 if shard is None else shard.number)
    return make_mixture(MixtureFiles(**files), config, limits, keeping, resources)


def _component_names(_ctx: Any, _param: Any, value: Any) -> Any:
    """`grid,hub` as a tuple of known names."""
    from .components import COMPONENTS

    names = None if value is None else tuple(value.split(","))
    for name in names or ():
        if name not in COMPONENTS:
            raise click.BadParameter(f"'{name}' is not one of {', '.join(COMPONENTS)}")
    return names


SYNTHETIC: Conditions = {"model": ABSENT}


@mnmodel.command()
@click.argument("model", metavar="[MODEL]", type=InputPath(), required=False)
@under({"model": GIVEN}, evidence_option, uai_order_option)
@option("--rows", type=click.IntRange(min=1), default=1000, show_default=True, metavar="N", help="Rows to draw.")
@option(
    "--components",
    first=False,
    goes_with=SYNTHETIC,
    metavar="LIST",
    callback=_component_names,
    help="Parts of the network: grid, hub, loop, clique of 16 variables, figure1a, figure1b, figure1c of 6; "
    "separated by commas.  [default: grid,hub,loop,clique]",
)
@option(
    "--replicas",
    first=False,
    goes_with=SYNTHETIC,
    type=click.IntRange(1, 10000),
    metavar="N",
    help="Copies of the parts.  [default: 1]",
)
@seed_option
@option(
    "--network-seed",
    first=False,
    goes_with=SYNTHETIC,
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="Seed of the distribution, to keep it fixed for several seeds of the rows.  [default: as --seed]",
)
@option(
    "--edges",
    type=OutputPath(by_default=False, formats=("edges",)),
    metavar="FILE",
    help="Write the true edges to FILE, as an edge list.",
)
@under({"edges": GIVEN}, names_option)
@table_output_option
@bounded_memory
@standard_options
def sample(**options: Any) -> None:
    """Draw data, as CSV, from a network with known edges.

    The network is the Bayesian network MODEL (- is standard input), and the true edges are those of its moral graph;
    without MODEL it is a synthetic Markov network of binary variables, in which each maximal clique has a factor drawn
    uniformly from (0, 1). Rows are independent draws from the exact distribution, which with --given or --likelihood is
    that of the other variables of MODEL, given this, and with --do that after the intervention.

    Example: mnmodel sample model.bif --rows 1000 -o sample.csv
    """
    from .sample import SampleOptions
    from .sample import sample as draw_sample

    draw_sample(SampleOptions(**options))


def main() -> None:
    """Console script."""
    command.main(mnmodel, "mnmodel")
