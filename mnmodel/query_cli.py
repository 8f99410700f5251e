"""The subcommands of mnmodel that query a model: parses, calls the subcommand's module, prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.arguments import MAX_DRAWS
from ..common.cli import completion
from ..common.cli.compatibility import add_conditions
from ..common.cli.file_order import AnyOrder
from ..common.cli.formats import answer_format, format_option
from ..common.cli.grouped import GroupedCommand
from ..common.cli.memory import bounded_memory
from ..common.cli.option import ABSENT, GIVEN, ListOption, option
from ..common.cli.option_group import option_group, with_conditions
from ..common.cli.options import (
    layout_options,
    output_option_of,
    reading_options,
    standard_options,
    table_output_option,
    tally_options,
)
from ..common.cli.paths import InputPath, OutputPath
from ..common.cli.seed import seed_option
from ..common.data.reading import Reading
from ..common.files.atomic_write import write_whole
from .options import evidence_option, evidence_rows_option, model_argument, skip_option, uai_order_option

if TYPE_CHECKING:
    from .evidence import EvidenceOptions


of_option = option(
    "--of",
    "of",
    cls=ListOption,
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Only these variables, A,B, together; the others are summed out.",
)


def _model_evidence(model: str, uai_order: str, evidence: EvidenceOptions) -> Any:
    """The evidence in terms of a model in a file."""
    from ..common.models.model_file import read_model

    return evidence.read(read_model(model, uai_order), model)


def _names(of: str | None) -> list[str] | None:
    """The names of `--of`, or None."""
    from .evidence import split_names

    return None if of is None else split_names(of)


@click.command(cls=GroupedCommand)
@model_argument
@option(
    "--of",
    "of",
    cls=ListOption,
    required=True,
    metavar="NAMES",
    shell_complete=completion.variables,
    help="Variables whose distribution is printed, A,B.",
)
@evidence_rows_option
@answer_format("csv", "json")
@uai_order_option
@bounded_memory
@standard_options
def query(model: str, of: str, evidence: EvidenceOptions, fmt: str, uai_order: str) -> None:
    """Print the joint distribution of variables of MODEL, given others, as CSV.

    The result is exact. JSON (--format) also has the log probability of the evidence. Names and states are compared
    exactly; with a comma in a name or a state the pair is quoted: '"a,b=yes"'.

    Example: mnmodel query model.bif --of smoker --given age=old
    """
    from .evidence import split_names
    from .query import query as joint

    write_whole(None, joint(_model_evidence(model, uai_order, evidence), split_names(of), fmt))


@click.command(cls=GroupedCommand)
@add_conditions({("fmt", "uai"): {"given_rows": ABSENT}})
@model_argument
@evidence_rows_option
@answer_format("csv", "json", "uai")
@uai_order_option
@bounded_memory
@standard_options
def marginals(model: str, evidence: EvidenceOptions, fmt: str, uai_order: str) -> None:
    """Print the distribution of every variable of MODEL, given others, as CSV, JSON or the UAI competitions' MAR.

    The result is exact. JSON also has the log probability of the evidence, with --likelihood the log of its expected
    likelihood.

    Example: mnmodel marginals model.bif --given age=old
    """
    from .query import all_marginals

    write_whole(None, all_marginals(_model_evidence(model, uai_order, evidence), fmt))


@click.command(cls=GroupedCommand)
@add_conditions({("fmt", "uai"): {"given_rows": ABSENT}})
@model_argument
@of_option
@evidence_rows_option
@answer_format("csv", "uai")
@uai_order_option
@bounded_memory
@standard_options
def mpe(model: str, of: str | None, evidence: EvidenceOptions, fmt: str, uai_order: str) -> None:
    """Print the most probable states of variables of MODEL together, given others: as CSV, or the competitions' MPE.

    These are the states of all variables, or of those in --of (the competitions' MMAP), with the evidence, and the
    log probability of these states, given the evidence. The result is exact; of several that are equally probable it
    is one. With --of the tables may be larger than those of a query, since the sum must be taken before the maximum.
    Where the tables of all variables are too large, toulbar2 searches (pip install 'cliquewise[mpe]'): the log shows
    whether the result is optimal, or how much better others may be.

    Example: mnmodel mpe model.bif --given age=old
    """
    from .query import explanation

    write_whole(None, explanation(_model_evidence(model, uai_order, evidence), _names(of), fmt))


@click.command(cls=GroupedCommand)
@model_argument
@evidence_option
@answer_format("text", "uai")
@uai_order_option
@bounded_memory
@standard_options
def partition(model: str, evidence: EvidenceOptions, fmt: str, uai_order: str) -> None:
    """Print the logarithm of the partition function of MODEL, given others, or the UAI competitions' PR.

    It is the sum, over all states that agree with the evidence, of the product of the factors of a Markov network (UAI
    of kind MARKOV); of a Bayesian network it is the probability of the evidence.

    Example: mnmodel partition model.bif --given age=old
    """
    from .query import partition as partition_of

    write_whole(None, partition_of(_model_evidence(model, uai_order, evidence), fmt))


@click.command(cls=GroupedCommand)
@model_argument
@of_option
@evidence_option
@uai_order_option
@bounded_memory
@standard_options
def entropy(model: str, of: str | None, evidence: EvidenceOptions, uai_order: str) -> None:
    """Print the entropy of the variables of MODEL together, given others, in nats.

    Example: mnmodel entropy model.bif --of smoker --given age=old
    """
    from .information import entropy as entropy_of

    write_whole(None, f"entropy {entropy_of(_model_evidence(model, uai_order, evidence), _names(of)):.10g}\n")


@click.command(cls=GroupedCommand)
@model_argument
@option(
    "--of",
    "of",
    cls=ListOption,
    conditions={"all_pairs": ABSENT},
    metavar="NAMES",
    shell_complete=completion.variables,
    help="All pairs of these variables, A,B,C.",
)
@option("--all", "all_pairs", is_flag=True, help="All pairs of variables.")
@evidence_option
@uai_order_option
@bounded_memory
@standard_options
def information(model: str, of: str | None, all_pairs: bool, evidence: EvidenceOptions, uai_order: str) -> None:
    """Print the mutual information of pairs of variables of MODEL, given others, in nats, as CSV.

    The pairs are the edges: variables and their parents, and the parents among each other. --of and --all choose
    others.

    Example: mnmodel information model.bif --of smoker,cough
    """
    from .information import information as information_of

    write_whole(None, information_of(_model_evidence(model, uai_order, evidence), _names(of), all_pairs))


@click.command(cls=GroupedCommand)
@model_argument
@click.argument("other", metavar="OTHER", type=InputPath())
@uai_order_option
@bounded_memory
@standard_options
def kl(model: str, other: str, uai_order: str) -> None:
    """Print the Kullback-Leibler divergence of MODEL from OTHER, in nats.

    It is the mean of ln p - ln q over the distribution p of MODEL, with q of OTHER. Both have the same variables and
    states, in any order. --uai-order is for both.

    Example: mnmodel kl model.bif other.bif
    """
    from ..common.models.model_file import read_model
    from .information import divergence

    first, second = (read_model(path, uai_order) for path in (model, other))
    write_whole(None, f"kl {divergence(first, second, (model, other)):.10g}\n")


@click.command(cls=AnyOrder, network="model")
@model_argument
@click.argument("data", metavar="DATA", type=InputPath())
@option("--target", required=True, metavar="NAME", shell_complete=completion.variable, help="The variable to predict.")
@option("--proba", is_flag=True, help="Also write the probability of each state, a column NAME=STATE each.")
@option(
    "--confusion",
    type=OutputPath(by_default=False, formats=("csv",)),
    metavar="FILE",
    help="Write the confusion matrix to FILE, as CSV: a line per true state.",
)
@skip_option
@uai_order_option
@reading_options
@table_output_option
@bounded_memory
@standard_options
def predict(
    model: str,
    data: str,
    target: str,
    proba: bool,
    confusion: str | None,
    skip_bad_rows: bool,
    reading: Reading,
    uai_order: str,
    path: str | None,
) -> None:
    """Predict a variable of MODEL for each row of DATA: its most probable state and the probability, as CSV.

    Other missing cells, columns that DATA lacks, and the target's column if it has one, are summed out. The log has the
    number of correct predictions, in which a row of DATA counts for all rows that it stands for, and the log loss: the
    mean of -ln p(true state).

    Example: mnmodel predict model.bif new.csv --target cough -o predicted.csv
    """
    from ..common.data.reading import EVERY_ROW
    from ..common.errors import DataError
    from ..common.models.model_data import read_rows
    from ..common.models.model_file import read_model
    from .predict import predict as predicted

    network = read_model(model, uai_order)
    rows = read_rows(data, reading.reading(missing="state"), EVERY_ROW, network)
    text, matrix = predicted(network, model, rows, target, reading, proba, skip_bad_rows)
    if confusion is not None and matrix is None:
        raise DataError(f"no row has '{target}', so there is nothing to compare; leave --confusion out", data)
    write_whole(path, text)
    if confusion is not None and matrix is not None:
        write_whole(confusion, matrix)


@click.command(cls=AnyOrder, network="model")
@model_argument
@click.argument("data", metavar="DATA", type=InputPath())
@option(
    "--draws",
    type=click.IntRange(1, MAX_DRAWS),
    metavar="M",
    help="Write each row M times, its missing cells drawn from their distribution.",
)
@with_conditions({"draws": GIVEN}, seed_option)
@skip_option
@uai_order_option
@reading_options
@table_output_option
@bounded_memory
@standard_options
def impute(
    model: str,
    data: str,
    draws: int | None,
    seed: int,
    skip_bad_rows: bool,
    reading: Reading,
    uai_order: str,
    path: str | None,
) -> None:
    """Fill in the missing cells of DATA by MODEL, and write the table as CSV.

    All missing cells of a row are filled in together, given its other cells: by the most probable states, or with
    --draws by independent draws. All cells have the states of MODEL then; only the known numbers of a column that MODEL
    has in intervals stay, and a missing one there is their median in its interval, with --draws one of them at random.
    Columns that are not in MODEL, and that of --counts, stay as they are, with ? for their missing cells;
    variables that DATA has no column for are found with the cells, and not written.

    Example: mnmodel impute model.bif incomplete.csv -o whole.csv
    """
    from ..common.data.reading import EVERY_ROW
    from ..common.models.model_data import read_rows
    from ..common.models.model_file import read_model
    from .predict import impute as fill_in

    network = read_model(model, uai_order)
    rows = read_rows(data, reading.reading(missing="state"), EVERY_ROW, network)
    fill_in(network, rows, path, draws, seed, skip_bad_rows, reading)


@click.command(cls=GroupedCommand)
@click.argument("data", metavar="FILE", type=InputPath())
@option_group("reading", Reading, layout_options, tally_options)
@format_option(("csv", "json"), description="Format of the file")
@output_option_of(("csv", "json"))
@standard_options
def states(data: str, reading: Reading, fmt: str, path: str | None) -> None:
    """Write the states of FILE, a table or a model, in their order: a file for --states.

    It has a line for each state: column,state. Lines can be moved, to give words an order, and added, for states that
    no row has.

    Example: mnmodel states table.csv -o states.csv
    """
    from .states import states_of

    write_whole(path, states_of(data, reading, fmt))


@click.command("d-separated", cls=GroupedCommand)
@click.argument("graph", metavar="GRAPH", type=InputPath())
@click.argument("first", metavar="A", shell_complete=completion.variables)
@click.argument("second", metavar="B", shell_complete=completion.variables)
@option(
    "--given",
    cls=ListOption,
    metavar="NAMES",
    default="",
    shell_complete=completion.variables,
    help="Given variables, C,D.",
)
@standard_options
def d_separated(graph: str, first: str, second: str, given: str) -> None:
    """Print whether variables A and B are separated in GRAPH or MODEL, given others, or an open path.

    A and B may each be several, A,B. In a directed network this is d-separation: separated variables are independent
    in every distribution of the network.

    Example: mnmodel d-separated model.bif smoker age --given cough
    """
    from .evidence import split_names
    from .separation import separated

    write_whole(None, separated(graph, *map(split_names, (first, second, given))) + "\n")


@click.command(cls=GroupedCommand)
@click.argument("graph", metavar="GRAPH", type=InputPath())
@click.argument("name", metavar="A", shell_complete=completion.variable)
@standard_options
def blanket(graph: str, name: str) -> None:
    """Print the Markov blanket of variable A in GRAPH or MODEL, a name per line.

    Given it, A is independent of all other variables: its neighbours, or its parents, children and their other parents.

    Example: mnmodel blanket model.bif cough
    """
    from .separation import blanket_of

    write_whole(None, "".join(f"{member}\n" for member in blanket_of(graph, name)))
