"""`mntools cluster`: rows in groups, so that a network for each group makes them most probable.

A mixture of networks, by classification EM (Celeux and Govaert 1992): each group gets the network that grows from its
best forest by the best edges (`common.scores.greedy`), fitted with BDeu's prior; each row goes to the group under which
it, and the group's share, are most probable; and so on, until no row moves or after `ROUNDS`. The first groups are
those of a latent class model, in which the variables of a group are independent, by EM from random rows.

Where data are of several kinds, as stretches of DNA are, a network for each kind says more than one for all; used
together with that one by `mntools loglik --weights-from` they are seldom worse.

Cost of a round: the greedy networks, and a pass over groups times rows times variables.
"""

import logging
from dataclasses import replace

import numpy as np

from cliquewise.common.cli.paths import filled
from cliquewise.common.data.csvwriter import csv_pieces
from cliquewise.common.errors import DataError
from cliquewise.common.files.atomic_write import write_whole
from cliquewise.common.graphs.chordal import bit_rows, graph_of
from cliquewise.common.models.inference import log_likelihood
from cliquewise.common.models.model_fit import fit, parents_of_chordal
from cliquewise.common.scores.greedy import GreedySearch
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.spanning import maximum_spanning_forest, pair_gains
from cliquewise.common.search.resources import check_fits, check_rows

LOG = logging.getLogger("cliquewise")
ROUNDS = 10
CLASS_STEPS = 50  # of EM for the latent classes
FEWEST = 2  # rows of a group
ROW_BYTES = 40  # per row and group: chances, their logarithms, and working arrays


def cluster(data, groups, ess, seed):
    """Groups of rows.

    Parameters
    ----------
    data : Dataset
        Without counts.
    groups : int
        How many, at least 2.
    ess : float
    seed : int

    Returns
    -------
    int64[n_rows]
        Each row's group, from 0, by the order in which they come.

    Raises
    ------
    DataError
        Groups that are left with fewer than `FEWEST` rows.
    LimitError
        No memory for the chances of all rows.
    """
    check_rows(data)
    told = f"{groups} groups of {data.n_stored} rows"
    check_fits(ROW_BYTES * groups * data.n_stored, None, told, "ask for fewer --groups")
    chosen, moved = latent_classes(data, groups, np.random.default_rng(seed)), -1
    for done in range(ROUNDS + 1):
        sizes = np.bincount(chosen, minlength=groups)
        if sizes.min() < FEWEST:
            raise DataError(f"a group is left with {sizes.min()} rows; ask for fewer groups than {groups}", data.source)
        if done == ROUNDS or moved == 0:
            break
        networks = [_network(data, np.flatnonzero(chosen == group), ess) for group in range(groups)]
        logs = np.array([log_likelihood(network, data.codes) for network in networks])
        before, chosen = chosen, (logs + np.log(sizes / len(chosen))[:, None]).argmax(axis=0)
        moved = int((before != chosen).sum())
        LOG.info("round %d: %d rows moved", done + 1, moved)
    LOG.info("groups of %s rows", ", ".join(map(str, np.sort(sizes)[::-1])))
    first = np.unique(chosen, return_index=True)[1]
    return np.argsort(np.argsort(first))[chosen]


def latent_classes(data, classes, rng):
    """Each row's most probable class in a mixture of independent variables, by EM.

    Parameters
    ----------
    data : Dataset
        Without counts.
    classes : int
    rng : numpy.random.Generator

    Returns
    -------
    int64[n_rows]
    """
    n_rows = data.n_stored
    chances = rng.dirichlet(np.ones(classes), n_rows)
    for start, row in enumerate(rng.permutation(n_rows)[:classes]):
        near = (data.codes == data.codes[row]).mean(axis=1)
        chances[:, start] += 8.0 * near**4
    chances /= chances.sum(axis=1, keepdims=True)
    for _ in range(CLASS_STEPS):
        totals = chances.sum(axis=0)
        logs = np.tile(np.log(totals / n_rows), (n_rows, 1))
        for v, arity in enumerate(data.arity.tolist()):
            codes = data.codes[:, v]
            counts = np.array([np.bincount(codes, chances[:, k], arity) for k in range(classes)])
            logs += np.log((counts + 1.0 / arity) / (totals + 1.0)[:, None])[:, codes].T
        logs -= logs.max(axis=1, keepdims=True)
        chances = np.exp(logs)
        chances /= chances.sum(axis=1, keepdims=True)
    return chances.argmax(axis=1)


def _network(data, rows, ess):
    """A FittedNetwork of some rows, as greedy growth finds it."""
    part = replace(data, codes=np.asfortranarray(data.codes[rows]))
    scorer = SetScorer(part, "bdeu", ess, threads=1)
    forest = maximum_spanning_forest(pair_gains(scorer))
    search = GreedySearch(scorer, bit_rows(forest), forest.edges, data.n, lambda: True)
    for _ in search.steps():
        pass
    return fit(part, parents_of_chordal(graph_of(search.rows)), ess)


def write_groups(path, data, chosen, numbers):
    """Write the rows of each group.

    Parameters
    ----------
    path : str
        With `{}` for the group's number.
    data : Dataset
    chosen : int64[n_rows]
    numbers : sequence of int
        Of the groups.
    """
    for group, number in enumerate(numbers):
        codes = np.asfortranarray(data.codes[chosen == group])
        write_whole(filled(path, number), csv_pieces(replace(data, codes=codes)))
