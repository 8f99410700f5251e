"""A network built variable by variable along a growing k-tree, as k-MAX does it.

Source: Scanagatta, Corani, Zaffalon, Yoo and Kang 2018.

A variable that is inserted gets its best family inside an existing clique, and together with its parents and more
members of that clique it forms a new clique of at most w + 1. The next variable is the one that loses least against its
best family of all, since variables inserted early can be parents of others.

Where we differ from k-MAX: it normalises the loss by the range of a variable's scores, and chooses among several
cliques, and among the members of one, arbitrarily. Here the clique, and the members to keep, are chosen by the largest
sum of weights w(v, x) = max over families of v with x, or of x with v, of its gain over no parents. Random factors on
all losses and weights make the runs different.

When inserting x creates a clique C, only families that hold x can fit C but no earlier clique. So the families of all
variables with x are checked once, when x is inserted: all scans of the families take O(families w^2).
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import kernel
from ..common.compiled.random_kernels import below, uniform
from ..common.compiled.records import by_address


@by_address
class Listed(NamedTuple):
    """Families, and where each variable is a parent.

    start : int64[n + 1], parents : int32[m, most], scores : float64[m], as of Families
    owner : int32[m], each family's variable
    with_parent : int32[], rows with parent x from with_start[x] to with_start[x + 1]; with_start : int64[n + 1]
    width : int, the bound w
    """

    start: np.ndarray
    parents: np.ndarray
    scores: np.ndarray
    owner: np.ndarray
    with_parent: np.ndarray
    with_start: np.ndarray
    width: int


@by_address
class GrowingNetwork(NamedTuple):
    """A growing network; every array is overwritten.

    choice : int64[n], the row of each variable's family
    cliques : int32[n, w + 1], the clique that each variable created, padded with -1, the variable first
    clique_parent : int64[n], the variable whose clique it joined, -1 for the first variable
    order : int64[n], the variables in order of insertion
    place : int64[n], the position of each in that order, -1 before insertion
    holders : int32[n * (w + 1)], next_holder : int64[n * (w + 1)], first_holder : int64[n]: for each variable a linked
        list of the cliques that hold it
    heap : int64[n], the variables not yet inserted, the least loss first; at : int64[n], the position of each
    loss : float64[n], bend : float64[n], a random factor per variable
    weight : float64[n], zeros before and after
    random : uint64[4]
    """

    choice: np.ndarray
    cliques: np.ndarray
    clique_parent: np.ndarray
    order: np.ndarray
    place: np.ndarray
    holders: np.ndarray
    next_holder: np.ndarray
    first_holder: np.ndarray
    heap: np.ndarray
    at: np.ndarray
    loss: np.ndarray
    bend: np.ndarray
    weight: np.ndarray
    random: np.ndarray


@kernel
def grow(listed, growth, noise, stop):
    """Build a network.

    Parameters
    ----------
    listed : Listed
    growth : GrowingNetwork
    noise : float in [0, 1), the largest distance of random factors from 1
    stop : int64[1], once it is not zero, variables are inserted without parents

    Returns
    -------
    float
        Its score.
    """
    n = listed.start.shape[0] - 1
    for v in range(n):
        growth.choice[v] = listed.start[v + 1] - 1
        growth.bend[v] = 1.0 + noise * (2.0 * uniform(growth.random) - 1.0)
        growth.loss[v] = _loss(listed, growth, v)
        growth.place[v] = growth.first_holder[v] = -1
        growth.heap[v] = growth.at[v] = v
    for at in range(n // 2, -1, -1):
        _sink(growth, at, n)
    if noise > 0.0:  # else the variable with the least loss is the first
        _raise_to_top(growth, below(growth.random, n))
    total, held = 0.0, 0
    for step in range(n):
        v = growth.heap[0]
        left = n - step - 1
        growth.heap[0] = growth.heap[left]
        growth.at[growth.heap[0]] = 0
        _sink(growth, 0, left)
        growth.order[step] = v
        held = _place(listed, growth, v, step, held, noise)
        total += listed.scores[growth.choice[v]]
        if stop[0] == 0:
            _offer(listed, growth, v)
    return total


@kernel
def _loss(listed, growth, v):
    """The current loss of v against its best family, times its random factor."""
    return (listed.scores[listed.start[v]] - listed.scores[growth.choice[v]]) * growth.bend[v]


@kernel
def _place(listed, growth, v, step, held, noise):
    """Create the clique of v; returns the new total length of the lists of holders."""
    width = listed.width
    clique = growth.cliques[v]
    clique[:] = -1
    clique[0] = v
    growth.place[v] = step
    growth.clique_parent[v] = -1
    size = 1
    if step > 0:
        touched = _weigh(listed, growth, v, 1.0)
        under = _best_clique(listed, growth, v, step)
        growth.clique_parent[v] = under
        size = _fill_clique(listed, growth, v, under, noise)
        if touched:
            _weigh(listed, growth, v, 0.0)
    for i in range(min(size, width + 1)):
        growth.holders[held] = v
        growth.next_holder[held] = growth.first_holder[clique[i]]
        growth.first_holder[clique[i]] = held
        held += 1
    return held


@kernel
def _weigh(listed, growth, v, sign):
    """Fill the weights of the other variables for v, or with sign 0 set them to zero; returns whether there are any."""
    touched = False
    empty = listed.scores[listed.start[v + 1] - 1]
    for row in range(listed.start[v], listed.start[v + 1] - 1):
        gain = listed.scores[row] - empty
        for i in range(listed.parents.shape[1]):
            x = listed.parents[row, i]
            if x >= 0:
                growth.weight[x] = max(growth.weight[x], gain) if sign else 0.0
                touched = True
    for k in range(listed.with_start[v], listed.with_start[v + 1]):
        row = listed.with_parent[k]
        x = listed.owner[row]
        gain = listed.scores[row] - listed.scores[listed.start[x + 1] - 1]
        growth.weight[x] = max(growth.weight[x], gain) if sign else 0.0
        touched = True
    return touched


@kernel
def _best_clique(listed, growth, v, step):
    """The variable whose clique v joins: of the cliques that hold v's parents, the one with the largest weight."""
    parents = listed.parents[growth.choice[v]]
    best, most = -1, -1.0
    if parents.shape[0] == 0 or parents[0] < 0:
        heavy, weight = -1, 0.0  # no parents: a clique of the variable with the largest weight
        for row in range(listed.start[v], listed.start[v + 1] - 1):
            for i in range(parents.shape[0]):
                x = listed.parents[row, i]
                if x >= 0 and growth.place[x] >= 0 and growth.weight[x] > weight:
                    heavy, weight = x, growth.weight[x]
        for k in range(listed.with_start[v], listed.with_start[v + 1]):
            x = listed.owner[listed.with_parent[k]]
            if growth.place[x] >= 0 and growth.weight[x] > weight:
                heavy, weight = x, growth.weight[x]
        if heavy < 0:
            return growth.order[below(growth.random, step)]
        parents = growth.cliques[heavy][:1]
    link = growth.first_holder[parents[0]]
    while link >= 0:
        owner = growth.holders[link]
        link = growth.next_holder[link]
        if _holds(growth.cliques[owner], parents):
            total = 0.0
            for x in growth.cliques[owner]:
                if x >= 0:
                    total += growth.weight[x]
            if total > most:
                best, most = owner, total
    return best


@kernel
def _holds(clique, members):
    """Whether a clique holds all members; both are padded with -1."""
    for i in range(members.shape[0]):
        if members[i] < 0:
            return True
        found = False
        for x in clique:
            found = found or x == members[i]
        if not found:
            return False
    return True


@kernel
def _fill_clique(listed, growth, v, under, noise):
    """Join v to the clique of `under`, without the member of least weight if it is full; returns the size."""
    clique, source = growth.cliques[v], growth.cliques[under]
    parents = listed.parents[growth.choice[v]]
    out, least = -1, np.inf
    if source[listed.width] >= 0:
        for x in source:
            is_parent = False
            for i in range(parents.shape[0]):
                is_parent = is_parent or parents[i] == x
            weight = (growth.weight[x] + 1e-6) * (1.0 + noise * (2.0 * uniform(growth.random) - 1.0))
            if not is_parent and weight < least:
                out, least = x, weight
    size = 1
    for x in source:
        if x >= 0 and x != out:
            clique[size] = x
            size += 1
    return size


@kernel
def _offer(listed, growth, x):
    """Improve the families of the variables not yet inserted by those with x inside the clique of x."""
    clique = growth.cliques[x]
    for k in range(listed.with_start[x], listed.with_start[x + 1]):
        row = listed.with_parent[k]
        u = listed.owner[row]
        if growth.place[u] < 0 and listed.scores[row] > listed.scores[growth.choice[u]]:
            if _holds(clique, listed.parents[row]):
                growth.choice[u] = row
                growth.loss[u] = _loss(listed, growth, u)
                _rise(growth, growth.at[u])


@kernel
def _before(growth, u, v):
    """Is u inserted before v? The one with the smaller loss comes first; of equal losses, the lower number."""
    return growth.loss[u] < growth.loss[v] or (growth.loss[u] == growth.loss[v] and u < v)


@kernel
def _rise(growth, at):
    """Move a variable of the heap up to its place."""
    v = growth.heap[at]
    while at > 0 and _before(growth, v, growth.heap[(at - 1) // 2]):
        growth.heap[at] = growth.heap[(at - 1) // 2]
        growth.at[growth.heap[at]] = at
        at = (at - 1) // 2
    growth.heap[at] = v
    growth.at[v] = at


@kernel
def _sink(growth, at, size):
    """Move a variable of the heap down to its place among the first `size`."""
    v = growth.heap[at]
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _before(growth, growth.heap[child + 1], growth.heap[child]):
            child += 1
        if not _before(growth, growth.heap[child], v):
            break
        growth.heap[at] = growth.heap[child]
        growth.at[growth.heap[at]] = at
        at = child
    if at < size:
        growth.heap[at] = v
        growth.at[v] = at


@kernel
def _raise_to_top(growth, v):
    """Let v be the first."""
    loss = growth.loss[v]
    growth.loss[v] = -np.inf
    _rise(growth, growth.at[v])
    growth.loss[v] = loss
