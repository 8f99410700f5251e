"""`cliquewise.junctor`; written by `python -m tests.readme_sync` from the options of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..common.cli.from_python import learned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from ..common.cli.from_python import Data
    from ..common.networks.network import Edges, Network, Path, Priors, States


def junctor(
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
    allowed_edges: Edges | None = None,
    required_edges: Edges | None = None,
    forbidden_edges: Edges | None = None,
    score: Literal["bdeu", "bic", "ll", "aic", "ebic", "qnml"] = "bdeu",
    ess: float | Sequence[float] = 1.0,
    gamma: float = 0.5,
    edge_prior: float = 0.5,
    edge_priors: Priors | None = None,
    choose: Data | None = None,
    completions: int = 5,
    completed: Path | None = None,
    max_clique: int | None = None,
    bounds: bool = True,
    method: Literal["auto", "dp", "ilp"] = "auto",
    gap: float = 0.0,
    best: int | None = None,
    within: float | None = None,
    seed: int = 1,
    time_limit: float | None = None,
    threads: int | None = None,
    memory: float | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    provenance: bool = False,
    certificate: Path | None = None,
    networks: Path | None = None,
    trace: Path | None = None,
    stop: Event | None = None,
) -> Network:
    """Find an optimal chordal Markov network from data by dynamic programming or cutting planes.

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
    allowed_edges
        Allow only the edges of the network in this file. In place of a file: a list of pairs (name, name), a Network, a
        graph of networkx or a DataFrame.
    required_edges
        Require all edges of the network in this file. In place of a file: a list of pairs (name, name), a Network, a
        graph of networkx or a DataFrame.
    forbidden_edges
        Forbid the edges of the network in this file. In place of a file: a list of pairs (name, name), a Network, a
        graph of networkx or a DataFrame.
    score
        BDeu, BIC, log-likelihood, AIC, extended BIC or qNML.
    ess
        Equivalent sample size of BDeu. Above 0 and at most 1,000,000.
    gamma
        Penalty of extended BIC: 2 G ln(variables) for each edge. At least 0 and at most 1,000,000.
    edge_prior
        Prior probability of each edge; 0.5 leaves scores as they are. Above 0 and below 1.
    edge_priors
        Prior probabilities of some edges, rows u,v,probability: 0 forbids, 1 requires. In place of a file: a dict
        {(name, name): probability}, a list of (name, name, probability), a DataFrame with these columns, or a Network
        of probabilities.
    choose
        How one of several ess is chosen: by cross-validation in 5 parts, by the score, or by the probability of the
        rows in this file. In place of a file: a DataFrame, a dict of columns or the result of read_csv.
    completions
        With missing='em': number of completions of each row with missing cells. At least 1 and at most 1,000.
    completed
        With missing='em': write the completed rows, by which the network is scored, as CSV.
    max_clique
        Largest clique allowed (treewidth + 1). At least 2.
    bounds
        Leave out sets that no optimal network can contain; the result is the same.
    method
        Dynamic program or cutting planes; auto chooses by the number of variables.
    gap
        Stop once the upper bound is at most this share of the absolute score above it. At least 0.
    best
        With networks: list the N best. [default: 100] At least 1.
    within
        With networks: list those that score at most D less than the best, up to 1000 or the number of best. At least 0.
    seed
        Seed of the random numbers; the same seed gives the same result. At least 0.
    time_limit
        Stop after this many seconds and write the best graph found. Above 0 and at most 1,000,000,000.
    threads
        Number of cores to use. [default: all] At least 1 and at most 1,024.
    memory
        Limit for tables and cached scores. [default: the free memory] Above 0.
    checkpoint
        Save the state of the run in this file, so that resume can continue it.
    checkpoint_every
        Write the checkpoint this often, and when the run ends. At least 0.
    resume
        Continue from the checkpoint, if there is one.
    provenance
        Add the command and a fingerprint of the data to the header.
    certificate
        Write a proof of the upper bound to this file, for mntools check.
    networks
        Write the best networks to this file, one per line, with their scores and the bound on all others.
    trace
        Write a CSV of the run, one row per round of the cutting planes.
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
    return learned("junctor", locals())
