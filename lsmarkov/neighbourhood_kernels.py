"""BestStochasticNeighbour of the lsmarkov paper (Algorithm 1, Section 3.3), evaluated vertex by vertex.

For a random vertex v and a random maximal clique C the stochastic neighbourhood is the union of

* N_E(v): every edge at v toggled;
* N_V(v): v leaves, or joins all of, each maximal clique;
* N_C(C): each vertex leaves, or joins all of, C;

restricted to chordal graphs; a best one is chosen, ties at random. (The paper's formula writes
N_C(G, v) and N_V(G, C); its definitions and its program are as given here.) The greedy baseline of
Section 5.2 takes the best of all N_E(v) instead.

Differences from the paper: nothing is copied or re-ordered for a neighbour. The components of G without a vertex and
its neighbours are computed once for all its neighbourhoods (`common.scores.edge_gain_kernels`). Joining v to a clique C
that meets v's neighbours in the border B of a component gains s(v|C) - s(v|B).

Cost of a step: the components, O(n words) for v, and with N_C for every vertex; four score look-ups per legal edge, a
few per clique.

Arguments are named as in `common.chains.moves_kernels` (`scores`, `scratch`, `work`, `adjacency`, `max_clique`);
`hood` is a Neighbourhood, `state` a random state (uint64[4], advanced), `stop` (int64[1]) ends the work when not zero,
`member_of` and `borders` are those of `component_borders`.
"""

from typing import NamedTuple

import numpy as np

from ..common.chains.moves_kernels import conditional_score, neighbours_gain
from ..common.compiled.jit import inlined, kernel, lowest_bit, popcount
from ..common.compiled.random_kernels import below
from ..common.compiled.records import by_address
from ..common.graphs.chordal_kernels import cardinality_search, cliques_and_separators
from ..common.scores.edge_gain_kernels import component_borders, edge_gains, finite
from ..common.sets.bitset_kernels import copy_set, has, toggle

EDGES, VERTEX, CLIQUE = 1, 2, 4


@by_address
class Neighbourhood(NamedTuple):
    """Data on the current graph, and work space.

    cliques, separators : uint64[n, words], of which count[0] are in use, and count : int64[1]
    order : int64[n] and earlier : uint64[n, words], a cardinality search
    member_of : int64[n] and borders : uint64[n, words], components seen from one vertex
    gains : float64[n]
    choice : float64[2], best gain, and how many neighbours have it
    wanted : uint64[words], the chosen vertex's new neighbours
    """

    cliques: np.ndarray
    separators: np.ndarray
    count: np.ndarray
    order: np.ndarray
    earlier: np.ndarray
    member_of: np.ndarray
    borders: np.ndarray
    gains: np.ndarray
    choice: np.ndarray
    wanted: np.ndarray


def neighbourhood(n, words):
    """Work space for n vertices, sets of `words` words: a Neighbourhood."""

    def sets(count):
        return np.zeros((count, words), np.uint64)

    return Neighbourhood(
        cliques=sets(n),
        separators=sets(n),
        count=np.zeros(1, np.int64),
        order=np.zeros(n, np.int64),
        earlier=sets(n),
        member_of=np.zeros(n, np.int64),
        borders=sets(n),
        gains=np.zeros(n),
        choice=np.zeros(2),
        wanted=np.zeros(words, np.uint64),
    )


@kernel
def list_cliques(hood, adjacency):
    """Fill the cliques, the separators and the order of `hood` for a chordal graph (uint64[n, words])."""
    cardinality_search(adjacency, hood.order, hood.earlier, hood.member_of, hood.wanted)
    hood.count[0] = cliques_and_separators(hood.order, hood.earlier, hood.cliques, hood.separators)


@inlined
def consider(choice, gain, state):
    """Consider a neighbour; returns whether it becomes the chosen one (ties: each equally likely).

    choice : float64[2], best gain so far and the number of neighbours with it
    """
    choice[1] += gain == choice[0]
    if gain > choice[0]:
        choice[0] = gain
        choice[1] = 1.0
        return gain > -np.inf
    return gain == choice[0] and gain > -np.inf and below(state, np.int64(choice[1])) == 0


@kernel
def join_gain(scores, scratch, work, adjacency, v, clique, border, max_clique):
    """Gain of joining v to all of `clique`; its vertices not adjacent to v are in a component with this `border`.

    work.wanted is set to the new neighbours.
    """
    words = clique.shape[0]
    size = 1
    direct = True
    for k in range(words):
        work.wanted[k] = adjacency[v, k] | clique[k]
        direct &= clique[k] & adjacency[v, k] == border[k]
        size += popcount(clique[k])
    if size > max_clique:
        return -np.inf
    if direct:
        return finite(conditional_score(scores, scratch, clique, v) - conditional_score(scores, scratch, border, v))
    return neighbours_gain(scores, scratch, work, adjacency, v, work.wanted, max_clique)


@kernel
def best_stochastic_neighbour(scores, scratch, work, hood, adjacency, v, c, operations, max_clique, state, stop):
    """Find a best neighbour around the vertex v and the maximal clique number c.

    With thousands of variables a step takes seconds, so `stop` is checked within it.

    Parameters
    ----------
    scores, scratch, work
        As in `edge_gain`.
    hood : Neighbourhood; hood.cliques[:hood.count[0]] are the graph's maximal cliques; hood.wanted is filled
    adjacency : uint64[n, words]
    v, c : int
    operations : int, sum of EDGES, VERTEX and CLIQUE
    max_clique : int
    state : uint64[4], random state, advanced
    stop : int64[1], when it is not zero, the remaining neighbours are left out

    Returns
    -------
    (float, int, int)
        The gain, minus infinity if there is no feasible neighbour; the vertex u whose neighbours change; and
        the number of neighbours evaluated. hood.wanted contains u's new neighbours.
    """
    n = adjacency.shape[0]
    choice = hood.choice
    choice[0], choice[1] = -np.inf, 0.0
    chosen = v
    evaluated = 0
    component_borders(adjacency, v, hood.member_of, hood.borders, work.rest, work.stack)
    if operations & EDGES:
        edge_gains(scores, scratch, work, adjacency, v, hood.member_of, hood.borders, max_clique, hood.gains)
        toggled = -1
        for w in range(n):
            if consider(choice, hood.gains[w], state):
                toggled = w
        if toggled >= 0:
            copy_set(adjacency[v], hood.wanted)
            toggle(hood.wanted, toggled)
        evaluated += n - 1
    if operations & VERTEX:
        for i in range(hood.count[0]):
            if stop[0] != 0:
                break
            gain = clique_gain(scores, scratch, work, hood, adjacency, v, hood.cliques[i], max_clique)
            evaluated += 1
            if consider(choice, gain, state):
                copy_set(work.wanted, hood.wanted)
    if operations & CLIQUE:
        for u in range(n):
            if stop[0] != 0:
                break
            if u == v and operations & VERTEX:
                continue
            component_borders(adjacency, u, hood.member_of, hood.borders, work.rest, work.stack)
            gain = clique_gain(scores, scratch, work, hood, adjacency, u, hood.cliques[c], max_clique)
            evaluated += 1
            if consider(choice, gain, state):
                chosen = u
                copy_set(work.wanted, hood.wanted)
    return choice[0], chosen, evaluated


@kernel
def clique_gain(scores, scratch, work, hood, adjacency, u, clique, max_clique):
    """Gain of u leaving `clique` if it is in it, of joining all of it otherwise; work.wanted is set."""
    words = clique.shape[0]
    if has(clique, u):
        for k in range(words):
            work.wanted[k] = adjacency[u, k] & ~clique[k]
        return neighbours_gain(scores, scratch, work, adjacency, u, work.wanted, max_clique)
    behind = -1
    for k in range(words):
        beyond = clique[k] & ~adjacency[u, k]
        if beyond != np.uint64(0):
            behind = hood.member_of[64 * k + lowest_bit(beyond)]
            break
    return join_gain(scores, scratch, work, adjacency, u, clique, hood.borders[behind], max_clique)


@kernel
def best_edge_neighbour(scores, scratch, work, hood, adjacency, max_clique, state, stop):
    """The greedy baseline's choice: a best edge to toggle anywhere, ties at random.

    Arguments and results as in `best_stochastic_neighbour`.
    """
    n = adjacency.shape[0]
    choice = hood.choice
    choice[0], choice[1] = -np.inf, 0.0
    chosen, toggled = 0, -1
    for v in range(n - 1):
        if stop[0] != 0:
            break
        component_borders(adjacency, v, hood.member_of, hood.borders, work.rest, work.stack)
        edge_gains(scores, scratch, work, adjacency, v, hood.member_of, hood.borders, max_clique, hood.gains)
        for w in range(v + 1, n):
            if consider(choice, hood.gains[w], state):
                chosen, toggled = v, w
    if toggled >= 0:
        copy_set(adjacency[chosen], hood.wanted)
        toggle(hood.wanted, toggled)
    return choice[0], chosen, n * (n - 1) // 2
