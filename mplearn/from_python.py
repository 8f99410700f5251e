"""`cliquewise.mplearn`; written by `python -m tests.readme_sync` from the options of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..common.cli.from_python import learned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from ..common.cli.from_python import Data
    from ..common.networks.network import Edges, Network, Path, States


def mplearn(
    data: Data,
    *,
    header: Literal["auto", "yes", "no"] = "auto",
    separator: str = "auto",
    arities: Literal["auto", "yes", "no"] = "auto",
    decimal: Literal["auto", "point", "comma"] = "auto",
    sheet: str | None = None,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    states: States | None = None,
    na: str | Sequence[str] | None = None,
    same_states: Literal["auto", "fold", "exact"] = "auto",
    missing: Literal["refuse", "state", "drop", "em"] = "refuse",
    counts: str | None = None,
    weights: str | None = None,
    weight_scale: Literal["rows", "none"] | None = None,
    resample: int | None = None,
    blankets: Path | None = None,
    required_edges: Edges | None = None,
    forbidden_edges: Edges | None = None,
    score: Literal["mpl", "pic", "cmi", "l1lr"] = "mpl",
    ess: float = 1.0,
    prior: str | None = None,
    penalty: Literal["printed", "parameters"] | None = None,
    threshold: float | None = None,
    lambda_: float | None = None,
    completions: int = 5,
    completed: Path | None = None,
    combine: Literal["hc", "pbo", "and", "or"] | None = None,
    max_blanket: int | None = None,
    pbo_limit: int = 15000,
    pbo_time_limit: float = 3600.0,
    time_limit: float | None = None,
    threads: int | None = None,
    cache_mb: int = 1024,
    memory: float | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    trace: Path | None = None,
    provenance: bool = False,
    stop: Event | None = None,
) -> Network:
    """Learn a Markov network from data, a CSV file; it need not be chordal.

    The result is certified. The arguments are the options of the command.

    Parameters
    ----------
    data
        A DataFrame of pandas, polars or pyarrow, a dict of columns, a list of rows, an array, the name of a file, or
        the result of `read_csv`.
    header
        Whether the first row of the CSV contains the names; auto reports its decision in the log.
    separator
        Separator of the cells of the CSV.
    arities
        Whether the row above the data has the number of states of each column, as GOBNILP's files do; auto reports it
        in the log.
    decimal
        Decimal separator of all numbers in the table; the other sign separates thousands: with comma, 6.188 is 6188.
    sheet
        Sheet of a workbook (.xlsx): its name, or its number from 1. [default: the first with cells, not hidden]
    columns
        Use only these columns of the CSV: A,B, a range A:F, a pattern sym_*. Also as a list.
    drop
        Leave these columns of the CSV out: A,B, a range A:F, a pattern sym_*. Also as a list.
    states
        States of columns in order, including those that no row has: a CSV (column,state) or JSON, as mnmodel states
        writes them, or a model. In place of a file: a dict {name: [state, ...]}.
    na
        Further words for missing cells: -99,unknown, or AGE=999 in one column. Also as a list.
    same_states
        Which labels are one state: equal numbers, 1 and 1.0 (auto); also Yes and yes, ignoring blanks (fold); none
        (exact).
    missing
        Missing cells (empty, ?, NA): refuse them, count them as a state, drop their rows, or em: treat them as missing
        values.
    counts
        Column of the CSV with the number of rows that each row stands for.
    weights
        Column of the CSV with the weights of the rows, which need not be whole numbers, as in a survey.
    weight_scale
        Scale the weights so that their sum is the number of rows, or leave them as they are. [default: rows]
    resample
        Learn from a bootstrap sample drawn with this seed: as many rows, with replacement. At least 0.
    blankets
        Read the blankets from a file written by mplearn --blankets-only, or several files concatenated.
    required_edges
        Require all edges of the network in this file. In place of a file: a list of pairs (name, name), a Network, a
        graph of networkx or a DataFrame.
    forbidden_edges
        Forbid the edges of the network in this file. In place of a file: a list of pairs (name, name), a Network, a
        graph of networkx or a DataFrame.
    score
        Marginal pseudo-likelihood; or, for comparison: pseudo-likelihood information criterion, conditional mutual
        information, L1-regularised logistic regression.
    ess
        Equivalent sample size of the prior of mpl. Above 0 and at most 1,000,000.
    prior
        Prior of mpl: uniform over graphs, or 2^(-q(r-1)) for a blanket of q configurations of a variable of r states.
        [default: uniform]
    penalty
        Penalty of pic: q ln(rows) as printed, or q(r-1) ln(rows)/2, by parameters. [default: printed]
    threshold
        Minimum information of cmi, in nats. At least 0.
    lambda_
        Weight of the L1 penalty of l1lr; the loss is summed over rows. Above 0.
    completions
        With missing='em': number of completions of each row with missing cells. At least 1 and at most 1,000.
    completed
        With missing='em': write the completed rows, by which the network is scored, as CSV.
    combine
        Combine the blankets by hill climbing, exactly by pseudo-Boolean optimisation, or by the edges in both blankets
        (and) or in at least one of them (or). [default: hc; cmi and l1lr: and]
    max_blanket
        Maximum size of a blanket in the first phase. At least 0.
    pbo_limit
        Largest total number of candidate blankets, for combine='pbo'. At least 1.
    pbo_time_limit
        Stop an integer program after this many seconds and use its best solution. Above 0.
    time_limit
        Stop after this many seconds and write the result so far: the graph, or the finished blankets. Above 0 and at
        most 1,000,000,000.
    threads
        Number of cores to use. [default: all] At least 1 and at most 1,024.
    cache_mb
        Memory for cached scores. At least 1.
    memory
        Limit for tables and cached scores. [default: the free memory] Above 0.
    checkpoint
        Save the state of the run in this file, so that resume can continue it.
    checkpoint_every
        Write the checkpoint this often, and when the run ends. At least 0.
    resume
        Continue from the checkpoint, if there is one.
    trace
        Write a CSV of the run, one row per blanket and per step.
    provenance
        Add the command and a fingerprint of the data to the header.
    stop
        A `threading.Event`: when another thread sets it, the search ends as after Ctrl-C. Python passes Ctrl-C itself
        to the main thread alone.

    Raises
    ------
    UsageError, DataError
        Refused as by the command, with the same message.
    KeyboardInterrupt
        Ctrl-C before there is a network. Later the result is the network so far, with the status `interrupted`.
    """
    return learned("mplearn", locals())
