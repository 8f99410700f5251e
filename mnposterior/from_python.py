"""`cliquewise.mnposterior`; written by `python -m tests.readme_sync` from the options of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ..common.cli.from_python import learned

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    from ..common.cli.from_python import Data
    from ..common.networks.network import Edges, Network, Path, Priors, States


def mnposterior(
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
    init: Edges | None = None,
    allowed_edges: Edges | None = None,
    score: Literal["bdeu", "bic", "ll", "aic", "ebic", "qnml"] = "bdeu",
    ess: float = 1.0,
    gamma: float = 0.5,
    edge_prior: float = 0.5,
    edge_priors: Priors | None = None,
    max_clique: int | None = None,
    method: Literal["auto", "chains", "exact"] = "auto",
    draws: int | None = None,
    ladders: int | None = None,
    seed: int = 1,
    time_limit: float | None = None,
    iterations: int | None = None,
    threads: int | None = None,
    cache_mb: int = 1024,
    memory: float | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    provenance: bool = False,
    min_probability: float = 0.01,
    trace: Path | None = None,
    samples: Path | None = None,
    trajectory: Path | None = None,
    stop: Event | None = None,
) -> Network:
    """Compute the probability of each edge, from the posterior over chordal Markov networks for data.

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
    init
        Start the chains from the network in this file. In place of a file: a Network, a graph of networkx, a list of
        pairs (name, name) or a DataFrame.
    allowed_edges
        Allow only the edges of the network in this file. In place of a file: a list of pairs (name, name), a Network, a
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
    max_clique
        Largest clique allowed (treewidth + 1). At least 2.
    method
        Tempered chains, or exact independent draws; auto chooses by the number of variables and the options.
    draws
        Number of exact independent draws. [default: 10000] At least 1.
    ladders
        Number of independent ladders of chains, whose agreement is reported; they share the cores. [default: 4] At
        least 2 and at most 1,024.
    seed
        Seed of the random numbers; the same seed gives the same result. At least 0.
    time_limit
        Stop after this many seconds and write the probabilities so far. Above 0 and at most 1,000,000,000.
    iterations
        Stop after N moves of the chains, at the end of a round of all chains. At least 1.
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
    provenance
        Add the command and a fingerprint of the data to the header.
    min_probability
        List the edges of at least this probability, and count the others in the header. At least 0 and at most 1.
    trace
        Write a CSV of the run, one row per ladder and slice: seconds, step, ladder, adapting, score, edges.
    samples
        Write up to 1000 of the networks sampled by chains to this file, one per line.
    trajectory
        Write the same networks to this file as changes, in Benchpress's CSV: index, score, added, removed.
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
    return learned("mnposterior", locals())
