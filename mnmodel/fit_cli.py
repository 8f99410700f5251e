"""The subcommands of mnmodel that fit models to data and evaluate them: parses, calls their modules, prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.arguments import MAX_STARTS
from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import fit_input_options
from ..common.cli.file_order import AnyOrder, table_last
from ..common.cli.formats import answer_format, format_option
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import checkpoint_options, shard_option
from ..common.cli.memory import bounded_memory
from ..common.cli.option import ABSENT, WITH_EM, WITHOUT_EM, option
from ..common.cli.option_group import all_of, option_group, with_conditions
from ..common.cli.options import (
    layout_options,
    max_clique_option,
    missing_option,
    output_option,
    standard_options,
    tally_options,
)
from ..common.cli.paths import InputPath
from ..common.cli.resources import resource_options
from ..common.cli.score_options import ess_option
from ..common.cli.seed import seed_option
from ..common.data.reading import Reading
from ..common.files.atomic_write import write_whole
from ..common.files.header_words import FIT_RULES
from ..common.inference.em_limits import EmLimits
from ..common.models.model_file import MODEL_FORMATS, WRITTEN_FORMATS
from .options import uai_order_option

if TYPE_CHECKING:
    from ..common.files.shard import Shard
    from ..common.learning.options import CheckpointOptions
    from ..common.learning.resources import ResourceOptions
    from ..common.learning.sources import InputOptions
    from ..common.run.limits import Limits


states_of_option = option(
    "--states-of",
    first=False,
    type=InputPath(),
    multiple=True,
    metavar="FILE",
    help="A CSV or a model whose states are added to those of DATA; can be given several times.",
)
model_format_option = format_option(WRITTEN_FORMATS, description="Format of the model")
fit_options = all_of(
    with_conditions({"ml": ABSENT}, ess_option(None)),
    option("--ml", is_flag=True, help="Maximum likelihood: relative frequencies, without a prior."),
    states_of_option,
)
em_options = option_group(
    "em_limits",
    EmLimits,
    option(
        "--tolerance",
        first=False,
        conditions=WITH_EM,
        type=FiniteFloat(min=0),
        metavar="T",
        help="With --missing em: stop when a round raises the log-likelihood by no more than T.",
    ),
    option(
        "--rounds",
        first=False,
        conditions=WITH_EM,
        type=click.IntRange(min=1),
        metavar="N",
        help="With --missing em: maximum number of rounds.",
    ),
    with_conditions(
        {**WITH_EM, "start_from": ABSENT},
        option(
            "--starts",
            type=click.IntRange(1, MAX_STARTS),
            metavar="N",
            help="With --missing em: run N times, from different tables, and keep the best.  [default: 10 with a "
            "hidden variable, otherwise 1]",
        ),
        seed_option,
    ),
)


@click.command(cls=AnyOrder)
@fit_input_options
@click.argument("graph", metavar="GRAPH", type=InputPath())
@fit_options
@em_options
@option(
    "--start-from",
    first=False,
    conditions=WITH_EM,
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
    found by expectation maximisation, and the log-likelihood of the observed cells is logged in each round; then
    variables of GRAPH that DATA does not have are hidden ones, if GRAPH is a MODEL or --states names their states. If
    GRAPH is a MODEL, its variables and states stay in their order, also states that DATA does not have.

    Example: mnmodel fit table.csv network.cliques -o model.bif
    """
    from ..common.files.input_stream import read_text
    from ..common.models.model_file import write_model
    from .fit import FitOptions, GraphToFit

    options = FitOptions(ess, ml, states_of, em_limits, start_from)
    read = GraphToFit.parse(read_text(graph, "a graph file"), graph)
    network, header = options.fit(options.load(source, [read]), read)
    write_model(path, network.tables(), fmt, header)


@click.command(cls=GroupedCommand)
@add_conditions({("per_row", True): {"counts": ABSENT, "weights": ABSENT}})
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
    help="Fit the weights of the models to the rows of FILE, by maximum likelihood.",
)
@option("--per-row", is_flag=True, help="Print the log probability of each row, one per line.")
@with_conditions({"per_row": ABSENT}, answer_format("text", "json"))
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
        write_whole(None, "".join(f"{row:.10g}\n" for row in rows.tolist()))
        return
    write_whole(None, summary(rows, row_counts, weights, fmt) + "\n")


@click.command(cls=GroupedCommand)
@add_conditions({("empirical", True): {"fmt": ("json",), **WITHOUT_EM}})
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
    help="The empirical distribution of TRAIN is a candidate, too, if rows repeat; the model then contains its rows "
    "(only JSON).",
)
@limit_options("Stop after N steps of searches.", result="the best mixture found")
@option(
    "--from",
    "others",
    type=InputPath(),
    multiple=True,
    metavar="MODEL",
    help="A mixture or network that is a further candidate; can be given several times.",
)
@shard_option("several runs, each with random numbers of its own", "; --from puts the results together")
@layout_options
@missing_option("refuse", FIT_RULES)
@tally_options
@states_of_option
@seed_option
@format_option(
    sorted(MODEL_FORMATS, key=lambda fmt: fmt != "json"),
    description="Format of the model (all but JSON have the class as a variable: only for small mixtures)",
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
    limits: Limits,
    resources: ResourceOptions,
    checkpoints: CheckpointOptions,
    **files: Any,
) -> int:
    """Learn a mixture of networks from TRAIN by the likelihood of the rows of VALID.

    Networks are searched on all rows, on samples of them and on soft clusters, and weighted; the result is the best
    single network if no mixture is better by more than its standard error. With --weights the samples, the clusters and
    the folds of VALID have whole rows, which keep their weights. The result is one model with a hidden class, for
    loglik, query, predict and the other commands; in JSON its networks are kept apart. Without --time-limit or
    --iterations the search takes 60 seconds.

    Example: mnmodel mixture table.csv new.csv --time-limit 60 -o mixture.json
    """
    from ..mixture.run import MixtureFiles, make_mixture
    from ..mixture.search import MixtureConfig

    config = MixtureConfig(networks, max_clique, empirical, seed, 1 if shard is None else shard.number)
    return make_mixture(MixtureFiles(**files), config, limits, checkpoints, resources)
