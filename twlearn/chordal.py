"""Replica exchange over chordal graphs and orders: the search that finds good networks soonest.

Chains at fixed temperatures draw moves (`twlearn.chordal_walk_kernels`); after every round chains at neighbouring
temperatures change places with probability min(1, exp((1/T_i - 1/T_j)(score_j - score_i))) (Swendsen and Wang 1986),
so that good networks sink to the cold end while the hot end keeps finding new ones.

Every chain has its own random numbers and the places are changed in between: the same seed and iterations give the
same network whatever the number of threads.
"""

import math

import numpy as np

from cliquewise.common.graphs.chordal_kernels import cardinality_search
from cliquewise.common.search.random_kernels import random_states, uniform
from cliquewise.twlearn.chordal_choice_kernels import BEST, SCORE, Chain, Problem, record, settle
from cliquewise.twlearn.chordal_walk_kernels import walk
from cliquewise.twlearn.clock import Clock
from cliquewise.twlearn.result import network

CHAINS = 14
COLDEST, HOTTEST = 0.3, 16.0  # up to 4 is soon better on a thousand rows, more is needed on twenty thousand
MOVES = 4000  # a chain, between exchanges
PARTNERS = 12


def chordal(families, w, limits, on_progress, stop, template=None):
    """The best network found.

    Parameters
    ----------
    families : Families
        Of at least two variables, with no more than w parents.
    w : int
        Bound on the treewidth, >= 1.
    limits : Limits
        An iteration is a move of a chain.
    on_progress : callable taking a Progress
    stop : int64[1]
    template : Template, optional
        Where the chains start, its graph chordal with cliques of at most w + 1; the empty graph if not given.

    Returns
    -------
    NetworkResult
    """
    problem = problem_of(families, w)
    start, order = _rows(families.n, template and template.graph), template and template.order
    if order is None:
        order = _elimination_order(start)[::-1]  # in it each clique's members may all be parents of its last
    order = (*order, *range(len(order), families.n))  # a file may know fewer variables
    random, *states = random_states(limits.seed, CHAINS + 1)
    chains = [_chain(problem, start, order, state) for state in states]
    inverse = 1.0 / np.geomspace(COLDEST, HOTTEST, CHAINS)
    with Clock(limits, stop, on_progress) as clock:
        walk(problem, chains[0], 1.0, 0, clock.stop)
        clock.start()
        rounds = 0
        while clock.status is None:
            moves = MOVES if clock.left is None else min(MOVES, -(-clock.left // CHAINS))
            before = _drawn(chains)

            def go_on(i, moves=moves):
                walk(problem, chains[i], 1.0 / inverse[i], moves, clock.stop)

            list(clock.map(go_on, range(CHAINS)))
            _change_places(chains, inverse, random, rounds % 2)
            clock.report(_drawn(chains) - before, max(chain.numbers[BEST] for chain in chains))
            rounds += 1
        best = max(chains, key=lambda chain: chain.numbers[BEST])
        order = _elimination_order(best.best_adjacency)
        return network(families, best.best_choice.tolist(), order, clock.status, clock.iterations)


def first_network(families, w, limits, on_progress, stop):
    """What an exact method begins with, and returns if it comes to nothing better: the network of a short search.

    Parameters
    ----------
    families, w, limits, on_progress, stop
        As for `chordal`; but a quarter of the seconds is used at most, and the caller's iterations, which are others,
        are told as none.

    Returns
    -------
    NetworkResult
    """

    def tell(progress):
        on_progress(progress._replace(iterations=0))

    seconds = None if limits.seconds is None else limits.seconds / 4
    return chordal(families, w, limits._replace(seconds=seconds), tell, stop)


def problem_of(families, w):
    """The Problem of some families and a bound on the treewidth."""
    n, words = families.n, (families.n + 63) // 64
    masks = np.zeros((len(families.scores), words), np.uint64)
    first = np.full((n, n), len(masks), np.int64)  # the best row of either with the other in it
    owner = np.repeat(np.arange(n), np.diff(families.start))
    rank = np.arange(len(masks)) - families.start[owner]
    for column in families.parents.T:
        rows = np.flatnonzero(column >= 0)
        members = column[rows].astype(np.int64)
        masks[rows, members >> 6] |= np.uint64(1) << (members & 63).astype(np.uint64)
        np.minimum.at(first, (owner[rows], members), rank[rows])
    first = np.minimum(first, first.T)
    np.fill_diagonal(first, 2 * len(masks))
    partners = np.argsort(first, axis=1, kind="stable")[:, : min(n - 1, PARTNERS)]
    return Problem(*families, masks, *_with_parent(families, owner, masks), np.ascontiguousarray(partners), w)


def _with_parent(families, owner, masks):
    """Rows by variable and parent: see Problem."""
    n = families.n
    rows, columns = np.nonzero(families.parents >= 0)
    pairs = owner[rows] * n + families.parents[rows, columns]
    order = np.argsort(pairs, kind="stable")  # rows stay ascending
    counts = np.bincount(pairs, minlength=n * n)
    rows = rows[order]
    return rows.astype(np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), masks[rows]


def _rows(n, template):
    """Bit rows of a graph, of no edges if it is None."""
    rows = np.zeros((n, (n + 63) // 64), np.uint64)
    for u, v in () if template is None else template.edges:
        rows[u, v >> 6] |= np.uint64(1 << (v & 63))
        rows[v, u >> 6] |= np.uint64(1 << (u & 63))
    return rows


def _chain(problem, start, order, state):
    """A chain at the graph `start` and an order of the variables, with random state uint64[4]."""
    n, words = start.shape

    def vertices():
        return np.zeros(n, np.int64)

    chain = Chain(
        adjacency=start.copy(),
        order=np.array(order, np.int64),
        place=vertices(),
        choice=vertices(),
        best_adjacency=start.copy(),
        best_order=vertices(),
        best_choice=vertices(),
        numbers=np.full(2, -np.inf),
        counts=np.zeros(1, np.int64),
        random=state.copy(),
        changed=vertices(),
        new_choice=vertices(),
        **{name: np.zeros(words, np.uint64) for name in ("allowed", "common", "rest", "boundary", "wanted", "old")},
        stack=vertices(),
    )
    settle(problem, chain)
    record(problem, chain)
    return chain


def _drawn(chains):
    """Moves drawn by all chains."""
    return sum(int(chain.counts[0]) for chain in chains)


def _change_places(chains, inverse, random, first):
    """Exchange neighbours first and first + 1, first + 2 and first + 3, ... where chance allows."""
    for i in range(first, len(chains) - 1, 2):
        a, b = chains[i].numbers[SCORE], chains[i + 1].numbers[SCORE]
        if uniform(random) < math.exp(min(0.0, (inverse[i] - inverse[i + 1]) * (b - a))):
            chains[i], chains[i + 1] = chains[i + 1], chains[i]


def _elimination_order(adjacency):
    """A perfect elimination order of a chordal graph: tuple of int."""
    n, words = adjacency.shape
    order = np.zeros(n, np.int64)
    earlier, weight = np.zeros_like(adjacency), np.zeros(n, np.int64)
    cardinality_search(adjacency, order, earlier, weight, np.zeros(words, np.uint64))
    return tuple(order[::-1].tolist())
