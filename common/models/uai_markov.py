"""A Markov network as the Bayesian network of the same distribution, by variable elimination.

The distribution is a product of factors, divided by its sum over all states, the partition function. Eliminating a
variable v multiplies the factors that contain it; what is left, summed over v, is a factor of the other variables S in
them, and the share of each state of v in that sum is p(v | S). So the variables in the order of elimination, each with
S as parents, are a Bayesian network, and the last sum is the partition function. Queries to the model are answered by
that network.

Cost: that of the tables of the elimination.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..errors import DataError
from ..graphs.elimination import small_order
from ..graphs.graph import Graph
from ..graphs.treewidth import later_neighbours
from ..run.resources import check_fits
from .bayesnet import CELL_BYTES, BayesianNetwork

Factor = tuple[tuple[int, ...], np.ndarray]


def network_of_factors(
    names: Sequence[str], states: Sequence[tuple[str, ...]], factors: Sequence[Factor], path: str
) -> BayesianNetwork:
    """The Bayesian network of a product of factors.

    Parameters
    ----------
    names, states
    factors : sequence of (tuple of int, float64[states ...])
        Variables, all different, and numbers of at least 0.
    path
        For messages.

    Returns
    -------
    BayesianNetwork
        With the logarithm of the partition function.

    Raises
    ------
    DataError
        A number that is negative or not finite, or a product that is 0 in all states.
    LimitError
        The tables are too large.
    """
    arity, log_total = [len(labels) for labels in states], 0.0
    order = small_order(Graph.from_cliques(len(names), [scope for scope, _ in factors]), arity)
    place = {v: i for i, v in enumerate(order)}
    waiting: list[list[Factor]] = [[] for _ in names]
    _check_size(arity, factors, order)
    for scope, table in factors:
        if not (np.isfinite(table) & (table >= 0)).all():
            raise DataError(f"a factor of {', '.join(names[v] for v in scope)} has a number that is not one", path)
        log_total += _put(waiting, place, scope, table, path)
    parents: list[tuple[int, ...]] = [()] * len(names)
    tables: list[np.ndarray] = [np.zeros(0)] * len(names)
    for v in order:
        parents[v] = tuple(sorted({u for scope, _ in waiting[v] for u in scope} - {v}, key=place.__getitem__))
        family = (*parents[v], v)
        product = np.ones([arity[u] for u in family])
        for scope, table in waiting[v]:
            product = product * _spread(scope, table, family)
            taken = product.max() or 1.0  # `_put` refuses zeros alone
            product = product / taken
            log_total = log_total + math.log(taken)
        total = product.sum(axis=-1)
        share = np.divide(
            product, total[..., None], out=np.full_like(product, 1 / arity[v]), where=total[..., None] > 0
        )
        tables[v] = share.reshape(-1, arity[v])
        log_total += _put(waiting, place, parents[v], total, path)
    return BayesianNetwork(tuple(names), tuple(states), tuple(parents), tuple(tables), log_total)


def clique_potentials(
    parents: Sequence[tuple[int, ...]], tables: Sequence[np.ndarray], arity: Sequence[int]
) -> list[Factor]:
    """The product of the families within each maximal clique of a Bayesian network's families.

    Parameters
    ----------
    parents, tables
        As in `BayesianNetwork`, with full tables.
    arity
        Numbers of states.

    Returns
    -------
    list of (tuple of int, float64[states ...])
        Ascending variables; their product is the distribution.
    """
    families = [tuple(sorted((v, *own_parents))) for v, own_parents in enumerate(parents)]
    holders: dict[int, list[tuple[int, ...]]] = {}  # by variable
    potentials: dict[tuple[int, ...], np.ndarray] = {}
    for family in sorted(families, key=len, reverse=True):
        if not any(set(family) <= set(clique) for clique in holders.get(family[0], ())):
            potentials[family] = np.ones([arity[u] for u in family])
            for u in family:
                holders.setdefault(u, []).append(family)
    for v, family in enumerate(families):
        clique = next(one for one in holders[family[0]] if set(family) <= set(one))
        scope = (*parents[v], v)
        potentials[clique] *= _spread(scope, tables[v].reshape([arity[u] for u in scope]), clique)
    return sorted(potentials.items(), key=lambda item: item[0])


def _check_size(arity: Sequence[int], factors: Sequence[Factor], order: Sequence[int]) -> None:
    """Refuse tables that are too large."""
    later = later_neighbours(Graph.from_cliques(len(arity), [scope for scope, _ in factors]), order)
    largest = max(arity[v] * math.prod(arity[u] for u in around) for v, around in enumerate(later))
    check_fits(CELL_BYTES * largest, None, f"tables of {largest} numbers for the Markov network", "")


def _put(
    waiting: list[list[Factor]], place: dict[int, int], scope: tuple[int, ...], table: np.ndarray, path: str
) -> float:
    """Give a factor, scaled, to the variable that is eliminated first; returns the logarithm of the scale."""
    taken = float(table.max())
    if not taken > 0:
        raise DataError("its factors are 0 in all states, so it is not a distribution", path)
    if scope:
        waiting[min(scope, key=place.__getitem__)].append((scope, table / taken))
    return math.log(taken)


def _spread(scope: tuple[int, ...], table: np.ndarray, family: tuple[int, ...]) -> np.ndarray:
    """A table over the variables of a family, with axes of length 1 for those that it lacks."""
    axes = sorted(range(len(scope)), key=lambda i: family.index(scope[i]))
    shape = [1] * len(family)
    for i, v in enumerate(scope):
        shape[family.index(v)] = table.shape[i]
    return table.transpose(axes).reshape(shape)
