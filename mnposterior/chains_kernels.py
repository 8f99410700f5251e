"""Reversible moves between chordal graphs, and a ladder of tempered chains with replica exchange.

The chain at temperature T has the distribution p(G) ^ (1/T) over the chordal graphs with cliques of at most
`max_clique`, where ln p(G) = score up to a constant. A move is proposed with probability q(G -> H) and accepted with
probability

    min(1, (p(H) / p(G)) ^ (1/T) * q(H -> G) / q(G -> H))                                  (Hastings 1970).

Kinds of move, drawn in fixed shares:

* TOGGLE: a pair v, w is drawn from a fixed distribution and its edge toggled, if the graph stays chordal. The same draw
  reverses the move: q cancels, whatever the distribution (uniform: Giudici and Green 1999).
* SWAP: where the edge v-w of TOGGLE would create a clique C of max_clique + 1 vertices, the edge of another pair x, y
  of C, drawn uniformly, is removed as well, provided that the common neighbours of x, y are then C - x - y. The reverse
  move draws x, y first, and then v, w among the same number of pairs, so the ratio is q(x, y) / q(v, w). Near the
  clique bound, moves of single edges are rarely accepted.
* REATTACH: a vertex v whose neighbours N are complete is removed and attached to another complete set M, which is grown
  vertex by vertex: the first from a fixed distribution of v's partners, each further one uniformly among those that are
  adjacent to all before, with a fixed probability of stopping. As M can be grown in |M|! orders, an order of N is drawn
  too, uniformly, for the reverse move; for these augmented draws q(H -> G) / q(G -> H) = g(N) |N|! / (g(M) |M|!), where
  g is the probability of growing in an order in the graph without v, which is the same in both directions.
* REPLACE: v exchanges a neighbour u, drawn uniformly, for a non-neighbour w, drawn from v's partners: the ratio
  q(H -> G) / q(G -> H) is that of u's and w's probabilities among the partners.
* BRANCH: what hangs at v, drawn uniformly, and not at a neighbour w of it, hangs at w instead
  (`common.chains.branch_kernels`, with q(H -> G) / q(G -> H)).
* FLIP: the edges of a set of pairs, drawn uniformly from a fixed list, are toggled together (`flips_kernels`): q
  cancels.

In addition, at fixed times, GIBBS: all neighbours of a uniformly drawn vertex are drawn again from their conditional
distribution (`mnposterior.gibbs_kernels`).

Replica exchange is that of `twlearn.replica_exchange`, but inside one kernel: a round of eight temperatures takes
117 microseconds with zoo's 17 variables, and eight calls of a kernel (10 each) and an exchange in Python (5) would add
85.

Throughout, `ladder` is a TemperedChains, `rules` a ProposalRules, `t` a temperature's number, `r` that of a replica
(the state of a chain), `adjacency` its graph (uint64[n, words]), `state` its random state (uint64[4], advanced),
`scores`, `scratch` and `work` SetScores, ScoreScratch and MoveScratch, and `stop` (int64[1]) ends the work when not
zero.

Cost of a move: about 0.2 microseconds with 37 variables; of GIBBS, 70 with 76 variables.
"""

import math
from typing import NamedTuple

import numpy as np

from ..common.chains.branch_kernels import branch_gain, branch_log_ratio, draw_branch, move_branch
from ..common.chains.metropolis_kernels import exchange_probability, is_accepted
from ..common.chains.moves_kernels import conditional_score, neighbours_gain
from ..common.chains.swap_kernels import are_only_common, half_gain
from ..common.compiled.jit import inlined, kernel, lowest_bit
from ..common.compiled.random_kernels import below, uniform
from ..common.compiled.records import by_address
from ..common.graphs.chordal_kernels import are_separated, is_complete, replace_neighbours
from ..common.scores.edge_gain_kernels import edge_gain, finite
from ..common.sets.bitset_kernels import copy_set, element_at, has, size_of, toggle
from .alias_kernels import from_alias
from .draws_kernels import Draws, pair_number, record
from .flips_kernels import FlipScratch, network_score, toggle_all
from .gibbs_kernels import resample_neighbours

TOGGLE, SWAP, REATTACH, REPLACE, BRANCH, FLIP = 0, 1, 2, 3, 4, 5
KINDS = 6
MAX_FLIP_SETS = 256
STOP_PROBABILITY = 0.4  # of REATTACH: that a set is not grown further
ISOLATED_PROBABILITY = 0.1  # of REATTACH: that the vertex gets no neighbours


@by_address
class ProposalRules(NamedTuple):
    """The proposal distribution; it is constant while draws are recorded.

    beta : float64[temperatures], 1/T, the first is 1
    shares : float64[4], cumulative shares of the kinds: TOGGLE, REATTACH, REPLACE, BRANCH; the rest is FLIP
    ends : int32[pairs, 2], every pair u < v in lexicographic order
    pair_keep, pair_other : float32 and int32[temperatures, pairs], alias tables (`mnposterior.alias_kernels`)
    pair_log : float32[temperatures, pairs], logarithms of their probabilities
    partner_keep, partner_other : float32 and int32[n, n], alias tables: for each vertex its partners
    partner_log : float32[n, n]
    flip_first : int64[sets + 1], set i of FLIP is flip_pairs[flip_first[i] : flip_first[i + 1]]; at most MAX_FLIP_SETS
    flip_pairs : int32[any], pairs by number
    moves : int64[temperatures], between two exchanges
    max_clique : int
    """

    beta: np.ndarray
    shares: np.ndarray
    ends: np.ndarray
    pair_keep: np.ndarray
    pair_other: np.ndarray
    pair_log: np.ndarray
    partner_keep: np.ndarray
    partner_other: np.ndarray
    partner_log: np.ndarray
    flip_first: np.ndarray
    flip_pairs: np.ndarray
    moves: np.ndarray
    max_clique: int


@by_address
class TemperedChains(NamedTuple):
    """A ladder: chains at all temperatures.

    place : int64[temperatures], the replica at each one
    adjacency : uint64[replicas, n, words]
    values : float64[replicas], scores
    edges : int64[replicas]
    random : uint64[replicas + 1, 4]; the last is that of the exchanges
    proposed, accepted : int64[temperatures, KINDS]
    toggled : int32[temperatures, pairs], how often the pair's edge was added or removed
    flips : int64[MAX_FLIP_SETS, 2], how often each set of FLIP was proposed and accepted at
        temperature 1
    rejected : float64[temperatures], sum of the rejection probabilities of exchanges with the next temperature
    rounds : int64[2], even and odd ones
    draws : Draws
    path : int64[n], overwritten
    work : FlipScratch
    """

    place: np.ndarray
    adjacency: np.ndarray
    values: np.ndarray
    edges: np.ndarray
    random: np.ndarray
    proposed: np.ndarray
    accepted: np.ndarray
    toggled: np.ndarray
    flips: np.ndarray
    rejected: np.ndarray
    rounds: np.ndarray
    draws: Draws
    path: np.ndarray
    work: FlipScratch


@kernel
def toggle_pair(ladder, rules, t, r, scores, scratch, work):
    """TOGGLE, or SWAP where the clique bound requires it."""
    adjacency, state = ladder.adjacency[r], ladder.random[r]
    p = from_alias(rules.pair_keep[t], rules.pair_other[t], state)
    v, w = np.int64(rules.ends[p, 0]), np.int64(rules.ends[p, 1])
    gain = edge_gain(scores, scratch, work, adjacency, v, w, rules.max_clique)
    joined = has(adjacency[v], w)
    if not joined and size_of(work.common) + 2 == rules.max_clique + 1 and rules.max_clique > 2:
        swap_in_clique(ladder, rules, t, r, p, scores, scratch, work)
        return
    ladder.proposed[t, TOGGLE] += 1
    change = -1 if joined else 1
    if gain == -np.inf or not is_accepted(rules.beta[t] * gain, 1.0, state):
        return
    toggle(adjacency[v], w)
    toggle(adjacency[w], v)
    ladder.values[r] += gain
    ladder.edges[r] += change
    ladder.toggled[t, p] += 1
    ladder.accepted[t, TOGGLE] += 1


@kernel
def swap_in_clique(ladder, rules, t, r, p, scores, scratch, work):
    """SWAP: add the edge of pair number p, which makes a clique too large by one, and remove another of its edges."""
    adjacency, state = ladder.adjacency[r], ladder.random[r]
    n = adjacency.shape[0]
    v, w = np.int64(rules.ends[p, 0]), np.int64(rules.ends[p, 1])
    clique, between, chosen = work.clique, work.common, work.chosen
    ladder.proposed[t, SWAP] += 1
    if not are_separated(adjacency, between, v, w, work.rest, work.stack):
        return
    copy_set(between, clique)
    toggle(clique, v)
    toggle(clique, w)
    size = rules.max_clique + 1
    i = below(state, size)
    j = below(state, size - 1)
    j += j >= i
    x, y = element_at(clique, min(i, j)), element_at(clique, max(i, j))
    if min(v, w) == x and max(v, w) == y:
        return
    copy_set(clique, chosen)
    toggle(chosen, x)
    toggle(chosen, y)
    if not are_only_common(adjacency, chosen, v, w, x, y):
        return
    gain = half_gain(scores, scratch, between, v, w) - half_gain(scores, scratch, chosen, x, y)
    gain = finite(gain)
    back = rules.pair_log[t, pair_number(n, x, y)] - rules.pair_log[t, p]
    if gain == -np.inf or not is_accepted(rules.beta[t] * gain + back, 1.0, state):
        return
    for a, b in ((v, w), (x, y)):
        toggle(adjacency[a], b)
        toggle(adjacency[b], a)
    ladder.values[r] += gain
    ladder.accepted[t, SWAP] += 1


@inlined
def _narrow(adjacency, v, u, candidates):
    """Keep only the candidates that are neighbours of u, without v; returns how many."""
    for k in range(candidates.shape[0]):
        candidates[k] &= adjacency[u, k]
    if has(candidates, v):
        toggle(candidates, v)
    return size_of(candidates)


@kernel
def grow(ladder, rules, r, v, wanted, candidates):
    """Grow a complete set for v in the graph without v.

    `wanted` (uint64[words]) is filled; `candidates` (uint64[words]) is overwritten.

    Returns
    -------
    float
        ln of g |M|! for the order of growth; infinite if it failed.
    """
    adjacency, state = ladder.adjacency[r], ladder.random[r]
    for k in range(wanted.shape[0]):
        wanted[k] = np.uint64(0)
        candidates[k] = ~np.uint64(0)
    if uniform(state) < ISOLATED_PROBABILITY:
        return math.log(ISOLATED_PROBABILITY)
    u = from_alias(rules.partner_keep[v], rules.partner_other[v], state)
    if u == v:  # by rounding in the table
        return np.inf
    total = math.log(1.0 - ISOLATED_PROBABILITY) + rules.partner_log[v, u]
    toggle(wanted, u)
    size = 1
    while True:
        count = _narrow(adjacency, v, u, candidates)
        if count == 0 or size + 1 == rules.max_clique:
            return total
        if uniform(state) < STOP_PROBABILITY:
            return total + math.log(STOP_PROBABILITY)
        u = element_at(candidates, below(state, count))
        toggle(wanted, u)
        size += 1
        total += math.log(size * (1.0 - STOP_PROBABILITY) / count)


@kernel
def log_growth(ladder, rules, r, v, candidates):
    """ln of g |N|! for v's neighbours N, complete, in a random order; `candidates` as in `grow`."""
    adjacency, state, path = ladder.adjacency[r], ladder.random[r], ladder.path
    size = 0
    for k in range(candidates.shape[0]):
        candidates[k] = ~np.uint64(0)
        word = adjacency[v, k]
        while word != np.uint64(0):
            i = below(state, size + 1)  # Fisher-Yates shuffle, inside-out
            path[size] = path[i]
            path[i] = 64 * k + lowest_bit(word)
            size += 1
            word &= word - np.uint64(1)
    if size == 0:
        return math.log(ISOLATED_PROBABILITY)
    total = math.log(1.0 - ISOLATED_PROBABILITY) + rules.partner_log[v, path[0]]
    for i in range(size):
        count = _narrow(adjacency, v, path[i], candidates)
        if count == 0 or i + 2 == rules.max_clique:
            return total
        if i + 1 == size:
            return total + math.log(STOP_PROBABILITY)
        total += math.log((i + 2) * (1.0 - STOP_PROBABILITY) / count)
    return total


@kernel
def reattach(ladder, rules, t, r, scores, scratch, work):
    """REATTACH."""
    adjacency, state = ladder.adjacency[r], ladder.random[r]
    v = below(state, adjacency.shape[0])
    ladder.proposed[t, REATTACH] += 1
    if not is_complete(adjacency, adjacency[v]):
        return
    wanted = work.wanted
    forward = grow(ladder, rules, r, v, wanted, work.chosen)
    change = size_of(wanted) - size_of(adjacency[v])
    same = change == 0
    for k in range(wanted.shape[0]):
        same &= wanted[k] == adjacency[v, k]
    if same:
        return
    back = log_growth(ladder, rules, r, v, work.chosen)
    gain = conditional_score(scores, scratch, wanted, v) - conditional_score(scores, scratch, adjacency[v], v)
    gain = finite(gain)
    log_ratio = rules.beta[t] * gain + back - forward
    if gain == -np.inf or not is_accepted(log_ratio, 1.0, state):
        return
    replace_neighbours(adjacency, v, wanted)
    ladder.values[r] += gain
    ladder.edges[r] += change
    ladder.accepted[t, REATTACH] += 1


@kernel
def replace_neighbour(ladder, rules, t, r, scores, scratch, work):
    """REPLACE."""
    adjacency, state = ladder.adjacency[r], ladder.random[r]
    v = below(state, adjacency.shape[0])
    ladder.proposed[t, REPLACE] += 1
    degree = size_of(adjacency[v])
    w = from_alias(rules.partner_keep[v], rules.partner_other[v], state)
    if degree == 0 or w == v or has(adjacency[v], w):
        return
    u = element_at(adjacency[v], below(state, degree))
    copy_set(adjacency[v], work.wanted)
    toggle(work.wanted, u)
    toggle(work.wanted, w)
    gain = neighbours_gain(scores, scratch, work, adjacency, v, work.wanted, rules.max_clique)
    back = rules.partner_log[v, u] - rules.partner_log[v, w]
    if gain == -np.inf or not is_accepted(rules.beta[t] * gain + back, 1.0, state):
        return
    replace_neighbours(adjacency, v, work.wanted)
    ladder.values[r] += gain
    ladder.accepted[t, REPLACE] += 1


@kernel
def pass_branch(ladder, rules, t, r, scores, scratch, work):
    """BRANCH."""
    adjacency, state = ladder.adjacency[r], ladder.random[r]
    ladder.proposed[t, BRANCH] += 1
    v = below(state, adjacency.shape[0])
    w = draw_branch(adjacency, v, state, work)
    if w < 0:
        return
    gain = branch_gain(scores, scratch, work, adjacency, v, w, rules.max_clique)
    log_ratio = rules.beta[t] * gain + branch_log_ratio(adjacency, v, w, work)
    if gain == -np.inf or not is_accepted(log_ratio, 1.0, state):
        return
    move_branch(adjacency, v, w, work)
    ladder.values[r] += gain
    ladder.accepted[t, BRANCH] += 1


@kernel
def flip(ladder, rules, t, r, scores, scratch):
    """FLIP: a learned set of edges changes together."""
    adjacency, state = ladder.adjacency[r], ladder.random[r]
    ladder.proposed[t, FLIP] += 1
    if rules.flip_first.shape[0] == 1:
        return
    i = below(state, rules.flip_first.shape[0] - 1)
    members = rules.flip_pairs[rules.flip_first[i] : rules.flip_first[i + 1]]
    ladder.flips[i, 0] += t == 0
    change = toggle_all(adjacency, rules.ends, members)
    score = network_score(scores, scratch, ladder.work, adjacency, rules.max_clique)
    gain = score - ladder.values[r]
    if gain == -np.inf or not is_accepted(rules.beta[t] * gain, 1.0, state):
        toggle_all(adjacency, rules.ends, members)
        return
    ladder.values[r] = score
    ladder.edges[r] += change
    ladder.flips[i, 1] += t == 0
    ladder.accepted[t, FLIP] += 1


@kernel
def exchange(ladder, rules, round_number):
    """Try to exchange every second pair of adjacent temperatures, and record the rejection probabilities.

    round_number : int, even: the pairs (0, 1), (2, 3), ...; odd: (1, 2), (3, 4), ...
    """
    place, values = ladder.place, ladder.values
    state = ladder.random[place.shape[0]]
    ladder.rounds[round_number % 2] += 1
    for t in range(round_number % 2, place.shape[0] - 1, 2):
        a, b = place[t], place[t + 1]
        probability = exchange_probability(rules.beta[t], rules.beta[t + 1], values[a], values[b])
        ladder.rejected[t] += 1.0 - probability
        if uniform(state) < probability:
            place[t], place[t + 1] = b, a


@kernel
def run_rounds(ladder, rules, rounds, scores, scratch, work, stop):
    """Do `rounds` rounds: moves of each chain, exchanges, and a record of the chain at temperature 1.

    Returns
    -------
    int
        Rounds done; fewer if it was stopped.
    """
    for i in range(rounds):
        for t in range(ladder.place.shape[0]):
            r = ladder.place[t]
            state = ladder.random[r]
            for _ in range(rules.moves[t]):
                draw = uniform(state)
                if draw < rules.shares[0]:
                    toggle_pair(ladder, rules, t, r, scores, scratch, work)
                elif draw < rules.shares[1]:
                    reattach(ladder, rules, t, r, scores, scratch, work)
                elif draw < rules.shares[2]:
                    replace_neighbour(ladder, rules, t, r, scores, scratch, work)
                elif draw < rules.shares[3]:
                    pass_branch(ladder, rules, t, r, scores, scratch, work)
                else:
                    flip(ladder, rules, t, r, scores, scratch)
            if stop[0] != 0:
                return i
        exchange(ladder, rules, ladder.rounds[0] + ladder.rounds[1])
        cold = ladder.place[0]
        record(ladder.draws, ladder.adjacency[cold], ladder.values[cold], ladder.edges[cold])
    return rounds


@kernel
def resample_vertices(ladder, rules, draws, scores, scratch, work, gibbs, stop):
    """GIBBS: as many draws in each chain.

    draws : int
    gibbs : GibbsScratch, made for `rules.max_clique`
    """
    for t in range(ladder.place.shape[0]):
        r = ladder.place[t]
        adjacency, state = ladder.adjacency[r], ladder.random[r]
        for _ in range(draws):
            v = below(state, adjacency.shape[0])
            before = size_of(adjacency[v])
            ladder.values[r] += resample_neighbours(
                scores, scratch, work, gibbs, adjacency, v, rules.max_clique, rules.beta[t], state
            )
            ladder.edges[r] += size_of(adjacency[v]) - before
        if stop[0] != 0:
            return
