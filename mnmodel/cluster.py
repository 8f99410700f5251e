"""`mnmodel cluster`: rows in groups, so that a network for each group makes them most probable.

A mixture of networks, by classification EM (Celeux and Govaert 1992): each group gets the network that grows from its
best forest by the best edges (`common.scores.greedy`), fitted with BDeu's prior; each row goes to the group under which
it, and the group's share, are most probable; and so on, until no row moves or after `ROUNDS`. The first groups are
those of a latent class model, in which the variables of a group are independent, by EM from random rows.

Where data are of several kinds, as stretches of DNA are, a network for each kind says more than one for all; used
together with that one by `mnmodel loglik --weights-from` they are seldom worse.

Cost of a round: the greedy networks, and a pass over groups times rows times variables.
"""

import logging
from dataclasses import replace

import numpy as np

from ..common.cli.paths import filled
from ..common.data.csvwriter import csv_pieces
from ..common.data.merging import merged
from ..common.errors import DataError
from ..common.files.atomic_write import write_whole
from ..common.graphs.chordal import bit_rows, graph_of
from ..common.models.model_fit import fit, parents_of_chordal
from ..common.run.resources import check_fits, check_rows
from ..common.scores.greedy import GreedySearch
from ..common.scores.scorer import SetScorer
from ..common.scores.scoring import Scoring
from ..common.scores.spanning import maximum_spanning_forest, pair_gains
from .inference import log_likelihood

LOG = logging.getLogger("cliquewise")
ROUNDS = 10
CLASS_STEPS = 50  # of EM for the latent classes
FEWEST = 2  # rows of a group
LEAST = 1e-300  # rows of a class, whose logarithm is taken
ROW_BYTES = 40  # per row and group: chances, their logarithms, and working arrays
CELL_BYTES = 24  # per row and variable, of the indicators


def cluster(data, groups, ess, seed, tell=lambda share, text: None):
    """Groups of rows; equal rows are in the same one.

    Parameters
    ----------
    data : Dataset
    groups : int
        How many, at least 2.
    ess : float
    seed : int
    tell : callable taking (float, str), optional
        Receives the progress.

    Returns
    -------
    int64[n_stored]
        Each row's group, from 0, by the order in which they come.

    Raises
    ------
    DataError
        Groups that are left with fewer than `FEWEST` rows.
    LimitError
        No memory for the chances of all rows.
    """
    short = merged(data)
    check_rows(short)
    told = f"{groups} groups of {short.n_stored} rows"
    check_fits(bytes_of_groups(short, groups), None, told, "ask for fewer --groups")
    tell(0.0, "first groups")
    chosen, moved, networks = latent_classes(short, groups, np.random.default_rng(seed)), -1, []
    for done in range(ROUNDS + 1):
        sizes = np.bincount(chosen, short.counts, groups)
        if sizes.min() < FEWEST:
            few = f"a group is left with {sizes.min():.0f} rows; ask for fewer groups than {groups}"
            raise DataError(few, data.source)
        if done == ROUNDS or moved == 0:
            break
        networks = []
        for group in range(groups):
            tell((done + group / groups) / ROUNDS, f"round {done + 1}: network of group {group + 1}")
            networks.append(_network(short, np.flatnonzero(chosen == group), ess))
        shares = np.log(sizes / short.n_rows)
        before, chosen = chosen, _most_probable(networks, shares, short)
        moved = int(short.counts[before != chosen].sum())
        LOG.info("round %d: %d rows moved", done + 1, moved)
    LOG.info("groups of %s rows", ", ".join(f"{size:.0f}" for size in np.sort(sizes)[::-1]))
    of_rows = _most_probable(networks, shares, data)
    first = np.unique(of_rows, return_index=True)[1]
    return np.argsort(np.argsort(first))[of_rows]


def bytes_of_groups(data, groups):
    """Memory for groups of the rows of a Dataset."""
    return (ROW_BYTES * groups + CELL_BYTES * data.n) * data.n_stored


def _most_probable(networks, shares, data):
    """Each stored row's most probable group: int64[n_stored]."""
    logs = np.array([log_likelihood(network, data.codes) for network in networks])
    return (logs + shares[:, None]).argmax(axis=0)


def latent_classes(data, classes, rng):
    """Each row's most probable class in a mixture of independent variables, by EM.

    Parameters
    ----------
    data : Dataset
        With counts.
    classes : int
    rng : numpy.random.Generator

    Returns
    -------
    int64[n_stored]
    """
    chances = rng.dirichlet(np.ones(classes), data.n_stored)
    for start, row in enumerate(rng.permutation(data.n_stored)[:classes]):
        near = (data.codes == data.codes[row]).mean(axis=1)
        chances[:, start] += 8.0 * near**4
    chances /= chances.sum(axis=1, keepdims=True)
    cells, priors = _indicators(data), np.repeat(1.0 / data.arity, data.arity)[:, None]
    for _ in range(CLASS_STEPS):
        rows = chances * data.counts[:, None]
        totals = rows.sum(axis=0)
        logs = cells @ np.log((cells.T @ rows + priors) / (totals + 1.0)) + np.log(
            np.maximum(totals, LEAST) / data.n_rows
        )
        logs -= logs.max(axis=1, keepdims=True)
        chances = np.exp(logs)
        chances /= chances.sum(axis=1, keepdims=True)
    return chances.argmax(axis=1)


def _indicators(data):
    """Whether a row has a state of a variable: scipy.sparse.csr_array[n_stored, states of all variables]."""
    from scipy.sparse import csr_array

    first = np.cumsum(data.arity) - data.arity
    places = np.ascontiguousarray(data.codes + first).ravel()
    ends = np.arange(data.n_stored + 1) * data.n
    return csr_array((np.ones(len(places)), places, ends), shape=(data.n_stored, int(data.arity.sum())))


def _network(data, rows, ess):
    """A FittedNetwork of some rows, as greedy growth finds it."""
    part = replace(data, codes=np.asfortranarray(data.codes[rows]), counts=data.counts[rows])
    scorer = SetScorer(part, Scoring(ess=ess), threads=1)
    forest = maximum_spanning_forest(pair_gains(scorer))
    search = GreedySearch(scorer, bit_rows(forest), forest.edges, data.n, lambda: True)
    for _ in search.steps():
        pass
    return fit(part, parents_of_chordal(graph_of(search.rows)), ess)


def write_groups(path, data, chosen, numbers, column=None):
    """Write the rows of each group.

    Parameters
    ----------
    path : str
        With `{}` for the group's number.
    data : Dataset
    chosen : int64[n_stored]
    numbers : sequence of int
        Of the groups.
    column : str, optional
        The name of the column of counts, which is written last; for data with counts.
    """
    for group, number in enumerate(numbers):
        rows = chosen == group
        part = replace(data, codes=np.asfortranarray(data.codes[rows]), counts=None)
        if column is not None:
            labels, codes = np.unique(data.counts[rows], return_inverse=True)
            states, together = (*data.states, tuple(map(str, labels))), np.column_stack([part.codes, codes])
            part = replace(part, names=(*data.names, column), states=states, codes=together)
        write_whole(filled(path, number), csv_pieces(part))
