"""Gibbs move: all neighbours of one vertex of a chordal graph are drawn at once, from their conditional distribution.

Take a junction tree of the graph without v, with cliques C and separators S. If the neighbours N of v satisfy

    (1)  each separator S with members of N strictly on both sides of it is a subset of N,

the graph is chordal, and v adds to its score, in each component and up to a constant, the sum of g(N & C) over the
cliques less the sum of g(N & S) over the separators, where g(A) = s(A + v) - s(A). The sets that satisfy (1) are
*represented* by the tree. Not all that keep the graph chordal are, but each of them is by some junction tree. The move
draws a tree at random, by maximum cardinality search with random ties, which does not depend on N. If N is represented,
a new N is drawn among the represented sets, with probabilities proportional to exp(beta * score); otherwise nothing
changes. Given the tree this is a Gibbs step, so the move is reversible for the distribution exp(beta * score), whatever
beta.

*One pass from the leaves.* Root each component of the tree. For a clique C let A = N & C, and say that N *passes* a
separator if it has members strictly below it. By (1), N passes the separators of C's children that are subsets of A in
all combinations, and the others only if it has no member elsewhere. Let w(A) be the sum over all choices of the members
of N below C, given N & C = A; and m(S) the sum over all choices by which N passes S, given that N contains S, divided
by exp(g(S)):

    w(A) = exp(g(A)) * product over the children with S' in A of (1 + m(S'))
    m(S) = [ sum of w(A) over A that contain S, less exp(g(S)) ] / exp(g(S))

Every represented N has exactly one lowest clique, its *anchor*, such that N has no member outside of what is below the
clique, and the clique is a root or N passes its separator S without containing it. So the sum over all N is the sum
over the anchors of

    z(C) = sum of w(A) over A that do not contain S, where exp(g(A)) is left out of w(A) if A is a subset of S.

An anchor is drawn, then A for it, then which children N passes, then A for each of these, down to the leaves.
Components are independent. All sums are logarithms here, and include beta.

*A part of the tree.* A clique of k variables has 2^k subsets. So at most `MAX_FREE` variables of each clique are
*free*, chosen at random, and none once the cliques have `MAX_SUBSETS` such subsets together; for all others, the
presence of an edge to v is fixed. The choice does not depend on N, so the conditional distribution given the others is
drawn exactly as before; N passes a separator above a fixed neighbour in any case.

*Cached gains.* The gains of all subsets of a clique for v, when all its variables are free, are cached in a table: most
cliques are the same when v is drawn again.

Cost: O(n^2) for the tree, and about 10 nanoseconds for every subset of a clique if its gain is cached: 40 microseconds
with 75 variables and cliques of at most five.

Throughout, `scores` is a SetScores, `scratch` the thread's ScoreScratch, `work` a GibbsScratch, `adjacency` the chordal
graph (uint64[n, words]), `v` a vertex and `neighbours` its present neighbours (uint64[words]), `max_clique` the largest
clique allowed, `beta` a float > 0, `random` a random state (uint64[4], advanced), `i` and `child` cliques of the tree,
`count` their number, and `x` a subset of a clique's free variables, a number whose bit q is the variable
work.free_of[i, q].
"""

import math
from typing import NamedTuple

import numpy as np

from ..common.chains.moves_kernels import conditional_score, vertex_score
from ..common.compiled.jit import inlined, kernel, lowest_bit, popcount
from ..common.compiled.random_kernels import below, next_word, uniform
from ..common.compiled.records import by_address
from ..common.graphs.chordal_kernels import replace_neighbours
from ..common.scores.edge_gain_kernels import finite
from ..common.scores.score_cache_kernels import hash_of, key_of, score_with
from ..common.scores.subtree_kernels import SubtreeScratch, subtree_scratch, tree_without
from ..common.sets.bitset_kernels import are_equal, element_at, elements, has, size_of, toggle

MAX_FREE = 7  # free variables of a clique
MAX_SUBSETS = 1 << 14  # of the free variables of all cliques, after which no more become free
CACHE_BYTES = 1 << 25  # of the cached gains
NEIGHBOUR_WEIGHT = 1 << 31  # in maximum cardinality search: more than any random weight, which breaks ties
LOG_NEGLIGIBLE = -40.0  # ln of a share that is less than the rounding of a sum


@by_address
class GibbsScratch(NamedTuple):
    """Work space of one thread, overwritten, and its cached gains.

    tree : SubtreeScratch
    free, members, drawn : uint64[words], the free variables; a set; the new neighbours
    free_of : int64[n, most], the free variables of each clique, ascending; sizes : int64[n], their number
    root : int64[n], the root of each clique's component
    below, fixed_below : int64[n], neighbours of v strictly below the separator of each clique; those of them that are
        not free
    gains : float64[n, 2^most], beta g(A) for the subsets of each clique
    weights : float64[n, 2^most], logarithms of w(A)
    child_factors : float64[2^most], ln w(A) - beta g(A)
    separator_subset : int64[n], the free variables of each clique's separator, as a subset of the clique; -1 for a
        root, and if N cannot contain the separator
    passing, messages, anchored : float64[n], logarithms of exp(g(S)) m(S), of m(S), and of z(C)
    keys : uint64[slots, 2], owners : int64[slots] and cached : float64[slots, 2^most], the cached gains: a clique,
        v + 1 or 0 if the slot is empty, and g(A); slots is a power of two
    """

    tree: SubtreeScratch
    free: np.ndarray
    members: np.ndarray
    drawn: np.ndarray
    free_of: np.ndarray
    sizes: np.ndarray
    root: np.ndarray
    below: np.ndarray
    fixed_below: np.ndarray
    gains: np.ndarray
    weights: np.ndarray
    child_factors: np.ndarray
    separator_subset: np.ndarray
    passing: np.ndarray
    messages: np.ndarray
    anchored: np.ndarray
    keys: np.ndarray
    owners: np.ndarray
    cached: np.ndarray


def max_free(n, max_clique):
    """The largest number of free variables of a clique."""
    return min(n, max_clique, MAX_FREE)


def gibbs_bytes(n, words, max_clique):
    """Memory of the work space for n vertices, sets of `words` words and cliques of at most max_clique."""
    return CACHE_BYTES + n * ((16 << max_free(n, max_clique)) + 40 * words + 250)


def gibbs_scratch(n, words, max_clique):
    """Work space for n vertices, sets of `words` words and cliques of at most max_clique: a GibbsScratch."""

    def sets():
        return np.zeros(words, np.uint64)

    def numbers(*shape):
        return np.zeros((n, *shape), np.int64)

    most = max_free(n, max_clique)
    subsets = 1 << most
    slots = 1 << (CACHE_BYTES // (8 * subsets + 24)).bit_length() - 1
    return GibbsScratch(
        tree=subtree_scratch(n, words),
        free=sets(),
        members=sets(),
        drawn=sets(),
        free_of=numbers(most),
        sizes=numbers(),
        root=numbers(),
        below=numbers(),
        fixed_below=numbers(),
        gains=np.zeros((n, subsets)),
        weights=np.zeros((n, subsets)),
        child_factors=np.zeros(subsets),
        separator_subset=numbers(),
        passing=np.zeros(n),
        messages=np.zeros(n),
        anchored=np.zeros(n),
        keys=np.zeros((slots, 2), np.uint64),
        owners=np.zeros(slots, np.int64),
        cached=np.zeros((slots, subsets)),
    )


@kernel
def resample_neighbours(scores, scratch, moves, work, adjacency, v, max_clique, beta, random):
    """Draw the neighbours of v again, in place.

    Parameters
    ----------
    scores : SetScores; required edges stay
    scratch : ScoreScratch
    moves : MoveScratch
    work : GibbsScratch, made for this max_clique; its cached gains must be those of `scores`
    adjacency : uint64[n, words], a chordal graph with cliques of at most max_clique, changed
    v : int
    max_clique : int, at least 2
    beta : float > 0
    random : uint64[4], random state, advanced

    Returns
    -------
    float
        The gain in score; 0 if the neighbours are the same.
    """
    tree, neighbours, drawn = work.tree, adjacency[v], work.drawn
    for u in range(adjacency.shape[0]):
        tree.place[u] = np.int64(next_word(random) >> np.uint64(33))
    count = tree_without(tree, adjacency, v, NEIGHBOUR_WEIGHT)
    choose_free(scores, work, v, count, random)
    if not is_represented(work, neighbours, count):
        return 0.0
    for i in range(count - 1, -1, -1):  # children before their parents
        sum_below(scores, scratch, work, neighbours, v, i, max_clique, beta)
    draw_from_sums(work, neighbours, count, random)
    if are_equal(drawn, neighbours):
        return 0.0
    gain = -vertex_score(scores, scratch, moves, adjacency, v, neighbours, max_clique)
    gain += vertex_score(scores, scratch, moves, adjacency, v, drawn, max_clique)
    replace_neighbours(adjacency, v, drawn)
    return gain


@kernel
def choose_free(scores, work, v, count, random):
    """Choose the free variables; fill `free`, `free_of` and `sizes`. Required neighbours of v are not free."""
    tree, free, members = work.tree, work.free, work.members
    words, most = free.shape[0], work.free_of.shape[1]
    for k in range(words):
        free[k] = np.uint64(0)
    subsets = 0
    for i in range(count):
        size = 0
        for k in range(words):
            size += popcount(free[k] & tree.separators[i, k])
            members[k] = tree.cliques[i, k] & ~tree.separators[i, k] & ~scores.required[v, k]
        if has(members, v):
            toggle(members, v)
        more = size_of(members)
        capacity = most - size if subsets < MAX_SUBSETS else 0
        while more > capacity:
            toggle(members, element_at(members, below(random, more)))
            more -= 1
        for k in range(words):
            free[k] |= members[k]
            members[k] = free[k] & tree.cliques[i, k]
        work.sizes[i] = elements(members, work.free_of[i])
        subsets += 1 << work.sizes[i]


@kernel
def is_represented(work, neighbours, count):
    """Whether the tree represents the present neighbours; fills `root`, `below` and `fixed_below`."""
    tree = work.tree
    for i in range(count):
        parent = tree.parent[i]
        work.root[i] = i if parent < 0 else work.root[parent]
        below, fixed = 0, 0
        for k in range(neighbours.shape[0]):
            word = neighbours[k] & tree.cliques[i, k] & ~tree.separators[i, k]
            below += popcount(word)
            fixed += popcount(word & ~work.free[k])
        work.below[i], work.fixed_below[i] = below, fixed
    for i in range(count - 1, -1, -1):
        if tree.parent[i] >= 0:
            work.below[tree.parent[i]] += work.below[i]
            work.fixed_below[tree.parent[i]] += work.fixed_below[i]
    for i in range(count):
        in_separator, contains_separator = 0, True
        for k in range(neighbours.shape[0]):
            in_separator += popcount(neighbours[k] & tree.separators[i, k])
            contains_separator &= tree.separators[i, k] & ~neighbours[k] == np.uint64(0)
        if not contains_separator and work.below[i] > 0 and work.below[work.root[i]] > work.below[i] + in_separator:
            return False
    return True


@inlined
def free_in(work, i, members):
    """The free variables of clique i that are in a set (uint64[words]), as a subset."""
    subset = 0
    for q in range(work.sizes[i]):
        if has(members, work.free_of[i, q]):
            subset |= 1 << q
    return subset


@inlined
def log1p_exp(x):
    """ln(1 + e^x)."""
    return x + math.log1p(math.exp(-x)) if x > 0.0 else math.log1p(math.exp(x))


@inlined
def log_expm1(x):
    """ln(e^x - 1) for x >= 0."""
    if x <= 0.0:
        return -np.inf
    return math.log(math.expm1(x)) if x < 30.0 else x


@kernel
def log_sum(weights, subsets, separator, contains):
    """ln of the sum of e^weight over the subsets below `subsets` that contain all of another one, or over the others.

    weights : float64[subsets or more]
    separator : int, a subset
    contains : bool
    """
    top = -np.inf
    for x in range(subsets):
        if (x & separator == separator) == contains and weights[x] > top:
            top = weights[x]
    if top == -np.inf:
        return top
    total = 0.0
    for x in range(subsets):
        if (x & separator == separator) == contains and weights[x] > top + LOG_NEGLIGIBLE:
            total += math.exp(weights[x] - top)
    return top + math.log(total)


@kernel
def draw_subset(weights, subsets, separator, contains, total, random):
    """One of these subsets, with probability e^(weight - total); arguments as for `log_sum`, `total` is its result.

    weights : float64[subsets or more]
    separator : int, a subset
    contains : bool
    """
    left, last = uniform(random), -1
    for x in range(subsets):
        if (x & separator == separator) == contains and weights[x] > total + LOG_NEGLIGIBLE:
            last = x
            left -= math.exp(weights[x] - total)
            if left < 0.0:
                break
    return last


@kernel
def fill_gains(scores, scratch, work, neighbours, v, i, max_clique, beta):
    """Fill `gains` of clique i, from the cache or from scores."""
    tree, members, row = work.tree, work.members, work.gains[i]
    subsets = 1 << work.sizes[i]
    for k in range(members.shape[0]):
        members[k] = neighbours[k] & tree.cliques[i, k] & ~work.free[k]
    size = size_of(members)
    low, high = key_of(scores, tree.cliques[i])
    is_cached = work.sizes[i] == size_of(tree.cliques[i])  # then `members` is empty
    mask = np.uint64(work.owners.shape[0] - 1)
    slot = np.int64(hash_of(low, high + np.uint64(v) * np.uint64(0x9E3779B97F4A7C15)) & mask)
    if is_cached and work.owners[slot] == v + 1 and work.keys[slot, 0] == low and work.keys[slot, 1] == high:
        for x in range(subsets):
            row[x] = beta * work.cached[slot, x]
        return
    if is_cached:
        work.owners[slot], work.keys[slot, 0], work.keys[slot, 1] = v + 1, low, high
    low, high = key_of(scores, members)
    x = 0
    for step in range(1, subsets + 1):  # the subsets in the order of a Gray code
        gain = -np.inf
        if size < max_clique:
            gain = score_with(scores, scratch, members, (low, high), v, -1)
            gain = finite(gain - score_with(scores, scratch, members, (low, high), -1, -1))
        row[x] = beta * gain
        if is_cached:
            work.cached[slot, x] = gain
        if step < subsets:
            q = lowest_bit(np.uint64(step))
            u = work.free_of[i, q]
            x ^= 1 << q
            size += 1 if x >> q & 1 else -1
            toggle(members, u)
            low ^= scores.keys[u, 0]
            high ^= scores.keys[u, 1]


@kernel
def sum_below(scores, scratch, work, neighbours, v, i, max_clique, beta):
    """The sums of clique i, after its children: w(A) for all its subsets A, m(S) and z(C), as logarithms.

    Fills `weights`, `separator_subset`, `passing`, `messages` and `anchored`.
    """
    tree, child_factors, gains, weights = work.tree, work.child_factors, work.gains[i], work.weights[i]
    fill_gains(scores, scratch, work, neighbours, v, i, max_clique, beta)
    subsets = 1 << work.sizes[i]
    for x in range(subsets):
        child_factors[x] = 0.0
    child = tree.child[i]
    while child >= 0:
        is_passed = work.fixed_below[child] > 0
        term = work.messages[child] if is_passed else log1p_exp(work.messages[child])
        if term != 0.0 or is_passed:
            separator = free_in(work, i, tree.separators[child])
            for x in range(subsets):
                if x & separator == separator:
                    child_factors[x] += term
                elif is_passed:
                    child_factors[x] = -np.inf
        child = tree.sibling[child]
    separator = free_in(work, i, tree.separators[i])
    is_root = tree.parent[i] < 0
    for x in range(subsets):
        factor = child_factors[x]
        if not is_root and work.fixed_below[i] == 0 and x & ~separator == 0:
            factor = log_expm1(factor)
        weights[x] = gains[x] + factor
    in_separator, can_contain = 0, not is_root
    for k in range(neighbours.shape[0]):
        fixed = tree.separators[i, k] & ~work.free[k]
        in_separator += popcount(fixed & neighbours[k])
        can_contain &= fixed & ~neighbours[k] == np.uint64(0)
    work.separator_subset[i] = separator if can_contain else -1
    work.passing[i], work.messages[i], work.anchored[i] = -np.inf, -np.inf, -np.inf
    if can_contain:
        separator_gain = gains[separator]
        if work.fixed_below[i] > 0:  # so `gains` may be of larger sets
            size = size_of(tree.separators[i])
            separator_gain = -np.inf
            if size < max_clique:
                separator_gain = beta * conditional_score(scores, scratch, tree.separators[i], v)
        if separator_gain > -np.inf:
            work.passing[i] = log_sum(weights, subsets, separator, True)
            work.messages[i] = work.passing[i] - separator_gain
    if work.fixed_below[work.root[i]] == work.fixed_below[i] + in_separator:
        work.anchored[i] = log_sum(weights, subsets, max(work.separator_subset[i], 0), not can_contain)


@kernel
def draw_from_sums(work, neighbours, count, random):
    """Draw the new neighbours, `drawn`, from the sums: for each component an anchor, then what is below it."""
    tree, drawn = work.tree, work.drawn
    for k in range(drawn.shape[0]):
        drawn[k] = neighbours[k] & ~work.free[k]
    first = 0
    while first < count:  # a component's cliques follow each other
        anchor, total, i = first, work.anchored[first], first + 1
        while i < count and tree.parent[i] >= 0:
            weight = work.anchored[i]
            if weight > total + LOG_NEGLIGIBLE:
                top = max(weight, total)
                total = top + math.log(math.exp(weight - top) + math.exp(total - top))
                if uniform(random) < math.exp(weight - total):
                    anchor = i
            i += 1
        draw_below(work, anchor, random)
        first = i


@kernel
def draw_below(work, anchor, random):
    """Add to `drawn` the free neighbours in an anchor and below it."""
    tree, stack, height = work.tree, work.tree.place, 1  # the place of a vertex is no longer needed
    stack[0] = anchor
    while height > 0:
        height -= 1
        i = stack[height]
        subsets, weights, whole = 1 << work.sizes[i], work.weights[i], work.separator_subset[i]
        if i == anchor:
            x = draw_subset(weights, subsets, max(whole, 0), whole < 0, work.anchored[i], random)
        else:
            x = draw_subset(weights, subsets, whole, True, work.passing[i], random)
        for q in range(work.sizes[i]):
            u = work.free_of[i, q]
            if x >> q & 1 and not has(work.drawn, u):
                toggle(work.drawn, u)
        is_inside = x & ~free_in(work, i, tree.separators[i]) == 0
        must_pass = tree.parent[i] >= 0 and work.fixed_below[i] == 0 and is_inside
        left = 0.0  # ln(1 + sum over the ways to pass one of the children left or more)
        child = tree.child[i] if must_pass else -1
        while child >= 0:
            if has_all(work, i, child, x):
                left += log1p_exp(work.messages[child])
            child = tree.sibling[child]
        child = tree.child[i]
        while child >= 0:
            if has_all(work, i, child, x):
                passes = work.fixed_below[child] > 0
                if not passes:
                    share = 1.0 / (1.0 + math.exp(-work.messages[child]))
                    passes = uniform(random) * (-math.expm1(-left) if must_pass else 1.0) < share
                    left -= log1p_exp(work.messages[child])
                if passes:
                    must_pass = False
                    stack[height] = child
                    height += 1
            child = tree.sibling[child]


@inlined
def has_all(work, i, child, x):
    """Whether the subset x of clique i contains the free variables of a child's separator, which N can pass."""
    separator = free_in(work, i, work.tree.separators[child])
    return work.messages[child] > -np.inf and x & separator == separator
