"""Replica exchange over chordal graphs and orders: the fastest search for good networks.

Chains at the temperatures of a ladder draw moves and exchange their states (`twlearn.replica_exchange`). Every chain
has its own random numbers, and exchanges happen between rounds: the same seed and iterations give the same network
whatever the number of threads.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.compiled.random_kernels import random_states
from ..common.graphs.chordal import bit_rows, graph_of, perfect_elimination_order
from ..common.graphs.dag import Dag
from ..common.graphs.graph import Graph
from ..common.sets.bitset import bit_sets
from ..common.sets.bitset_kernels import words_for
from .arc_gains import ListedGains
from .chordal_choice_kernels import ACCEPTED, BEST, Chain, ChordalProblem, choose_all_families, record
from .chordal_walk_kernels import walk
from .hill_climber import HillClimber
from .known_start import start_of
from .replica_exchange import ReplicaExchange, compile_exchange
from .result import result_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.run.monitor import Monitor
    from ..common.run.position import Paused
    from ..common.run.result import LearnResult
    from .config import Config
    from .families import ScoredFamilies
    from .template import Template

CHAINS = 14
MANY_VARIABLES = 40  # from this number on, the way from the empty graph takes long
PARTNERS = 12
START_MOVES = 1_000_000  # of the search before an exact method


def chordal(families: ScoredFamilies, config: Config, monitor: Monitor, adapts: bool = True) -> LearnResult:
    """The best network found.

    Parameters
    ----------
    families
        Of at least two variables, with no more than w parents.
    config
        The chains start at its template, a chordal graph with cliques of at most treewidth + 1, if there is one,
        otherwise at the empty graph, or with many variables at a network found by climbs over arcs.
    monitor
        An iteration is a move of a chain.
    adapts
        Whether the ends of the ladder are measured; this takes the score of the network without arcs as a scale.

    Returns
    -------
    LearnResult
    """
    known = config.known
    base = None  # a network with what is required
    if config.template is None and known is not None:
        base = start_of(known, config.treewidth, families.parents.shape[1], families)
    problem = problem_of(families, config.treewidth, config.order is not None)
    start, order = _start(families.n, config, config.template or base)
    random, *states = random_states(config.seed, CHAINS + 1)
    chains = [_chain(problem, start, order, state) for state in states]
    replicas = ReplicaExchange(problem, chains, random, monitor)
    climbs_first = config.template is None and (known is None or base is not None)
    climbs_first = climbs_first and monitor.saved is None and families.n >= MANY_VARIABLES
    climber = (
        HillClimber(ListedGains(families), config.treewidth, families.n, monitor, known, base) if climbs_first else None
    )
    own = partial(walk, problem, chains[0], 1.0, 0, monitor.stop.flag)
    monitor.compile(own, compile_exchange, *([climber.compile] if climber else []))
    if monitor.saved is not None:
        replicas.restore(monitor.saved)
    monitor.start()
    if climber is not None:
        climber.begin()
        climber.first_climbs(config.seed)
        for _ in climber.sweep(config.seed, 0):
            pass
        _put(problem, chains, climber, config.order)
    while monitor.status is None:
        is_whole = replicas.round()
        monitor.report(0, replicas.best.numbers[BEST])
        if adapts and monitor.status is None:
            is_whole &= replicas.adapt()
            monitor.advance(0, replicas.best.numbers[BEST])
        if is_whole:  # otherwise the round must be repeated
            monitor.keep(replicas.state)
    monitor.pause(replicas.state)
    best = replicas.best
    order = perfect_elimination_order(graph_of(best.best_adjacency))
    return result_of(families, best.best_choice.tolist(), order, monitor.status, monitor.iterations)


def _start(n: int, config: Config, template: Template | None) -> tuple[np.ndarray, Sequence[int]]:
    """The graph at which the chains start, uint64[n, words], and the order of the variables."""
    graph = bit_rows(Graph(n, ()) if template is None else template.graph, n)
    if config.order is not None:
        return graph, config.order.tolist()
    if template is not None and template.order is not None:
        order = template.order
    elif config.known is not None:
        order = tuple(config.known.order.tolist())
    else:
        order = perfect_elimination_order(graph_of(graph))[::-1]  # all of a clique may be parents of its last
    return graph, (*order, *range(len(order), n))  # a file may have fewer variables


def _put(problem: ChordalProblem, chains: list[Chain], climber: HillClimber, given: np.ndarray | None) -> None:
    """Put all chains at a HillClimber's network, with a given order or any that its arcs follow."""
    elimination = climber.elimination
    dag = Dag.from_parents(climber.parents())
    cliques = [(v, *elimination.later[v, :count].tolist()) for v, count in enumerate(elimination.count.tolist())]
    rows, order = bit_rows(Graph.from_cliques(climber.n, cliques), climber.n), dag.order() if given is None else given
    for chain in chains:
        chain.adjacency[:], chain.order[:] = rows, order
        choose_all_families(problem, chain)
        record(problem, chain)


def first_network(
    families: ScoredFamilies, config: Config, monitor: Monitor, moves: int
) -> tuple[LearnResult, Paused | None]:
    """The network of a short search: the start of an exact method, and its result if it finds nothing better.

    Parameters
    ----------
    families, config
        As for `chordal`.
    monitor
        At most a quarter of its seconds is used.

    Returns
    -------
    (LearnResult, Paused)
        It, and where the search can continue.
    """
    seconds = None if monitor.limits.time_limit is None else monitor.limits.time_limit / 4
    with monitor.part(seconds, moves) as part:
        found = chordal(families, replace(config, template=None), part)
    return found, part.paused


def problem_of(families: ScoredFamilies, w: int, is_ordered: bool = False) -> ChordalProblem:
    """The ChordalProblem of some families and a bound on the treewidth."""
    n, count = families.n, len(families.scores)
    rows, columns = np.nonzero(families.parents >= 0)
    members = families.parents[rows, columns].astype(np.int64)
    masks = bit_sets(rows, members, count, words_for(n))
    first = np.full((n, n), count, np.int64)  # the best row of either variable with the other as a parent
    owner = families.child
    rank = np.arange(count) - families.start[owner]
    np.minimum.at(first, (owner[rows], members), rank[rows])
    first = np.minimum(first, first.T)
    np.fill_diagonal(first, 2 * count)
    partners = np.argsort(first, axis=1, kind="stable")[:, : min(n - 1, PARTNERS)]
    pairs = owner[rows] * n + members
    by_pair = rows[np.argsort(pairs, kind="stable")]  # rows stay ascending
    ends = np.cumsum(np.bincount(pairs, minlength=n * n))
    with_start = np.concatenate([[0], ends]).astype(np.int64)
    with_parent = (by_pair.astype(np.int32), with_start, masks[by_pair])
    return ChordalProblem(*families[:3], masks, *with_parent, np.ascontiguousarray(partners), w, is_ordered)


def _chain(problem: ChordalProblem, start: np.ndarray, order: Sequence[int], state: np.ndarray) -> Chain:
    """A chain at the graph `start` and an order of the variables, with random state uint64[4]."""
    n, words = start.shape

    def vertices() -> np.ndarray:
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
        counts=np.zeros(ACCEPTED + 1, np.int64),
        random=state.copy(),
        changed=vertices(),
        new_choice=vertices(),
        **{name: np.zeros(words, np.uint64) for name in ("allowed", "common", "rest", "boundary", "wanted", "old")},
        stack=vertices(),
    )
    choose_all_families(problem, chain)
    record(problem, chain)
    return chain
