"""Chordal graphs as bit rows: the operations that a search needs at every move.

`adjacency` is uint64[n, words], one row per vertex (`common.sets.bitset_kernels`), symmetric, without loops. Three
facts are used:

* a set is complete iff each of its members is adjacent to all the others;
* the common neighbours of two vertices that are not adjacent form a clique of a chordal graph, and adding the
  edge keeps it chordal iff they separate the two (Giudici and Green 1999);
* replacing the neighbours of v in a chordal graph by a set N keeps it chordal iff for every connected
  component K of the graph without v and N the neighbours of K in N are complete. Proof: the graph without v does not
  change and is chordal, so a chordless cycle goes through v: from v to some a in N, through vertices outside N, to some
  b in N that is not adjacent to a, and back to v. The vertices between a and b lie in one component K, and a and b are
  neighbours of K. Conversely, two neighbours a, b of K in N that are not adjacent make a chordless cycle with v and a
  shortest path through K.

Cost: O(n words) for the last two, with early exits; for the third also O(k words) for each component with k neighbours
in N.
"""

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit
from ..sets.bitset_kernels import common_size, copy_set, has, size_of, toggle


@inlined
def is_joined(adjacency, v, members):
    """Is v adjacent to all other `members` (uint64[words])?"""
    for k in range(members.shape[0]):
        others = members[k] & ~adjacency[v, k]
        if k == v >> 6:
            others &= ~(np.uint64(1) << np.uint64(v & 63))
        if others != np.uint64(0):
            return False
    return True


@inlined
def is_complete(adjacency, members):
    """Is every pair of `members` (uint64[words]) adjacent?"""
    for k in range(members.shape[0]):
        word = members[k]
        while word != np.uint64(0):
            if not is_joined(adjacency, 64 * k + lowest_bit(word), members):
                return False
            word &= word - np.uint64(1)
    return True


@inlined
def are_separated(adjacency, between, v, w, visited, stack):
    """Does every path from v to w meet the set `between`?

    Parameters
    ----------
    adjacency : uint64[n, words]
    between : uint64[words], without v and w
    v, w : int
    visited : uint64[words], overwritten
    stack : int64[n], overwritten

    Returns
    -------
    bool

    Notes
    -----
    Searches from w, then from v, then from w, ... each time through twice as many vertices as the time before. So it
    takes a few times as long as the smaller of the two sides, which in a large sparse graph mostly has a few vertices.
    It ends where it meets a neighbour of the other vertex.
    """
    words = between.shape[0]
    if has(adjacency[v], w):
        return False
    near, far = w, v
    most = 64  # vertices
    while True:
        goal = adjacency[far]
        for k in range(words):
            visited[k] = between[k]
        toggle(visited, near)
        stack[0] = near
        height = 1
        left = most
        while height > 0 and left > 0:
            height -= 1
            left -= 1
            row = adjacency[stack[height]]
            for k in range(words):
                fresh = row[k] & ~visited[k]
                if fresh & goal[k] != np.uint64(0):
                    return False
                visited[k] |= fresh
                while fresh != np.uint64(0):
                    stack[height] = 64 * k + lowest_bit(fresh)
                    height += 1
                    fresh &= fresh - np.uint64(1)
        if height == 0:
            return True
        near, far = far, near
        most *= 2


@kernel
def can_have_neighbours(adjacency, v, neighbours, rest, boundary, stack):
    """Is the chordal graph still chordal once v's neighbours are replaced by `neighbours`?

    Parameters
    ----------
    adjacency : uint64[n, words], a chordal graph
    v : int
    neighbours : uint64[words], without v
    rest, boundary : uint64[words], overwritten
    stack : int64[n], overwritten

    Returns
    -------
    bool
    """
    n, words = adjacency.shape
    if is_complete(adjacency, neighbours):
        return True
    for k in range(words):
        rest[k] = ~neighbours[k]
    if n & 63:
        rest[words - 1] &= (np.uint64(1) << np.uint64(n & 63)) - np.uint64(1)
    for k in range((n + 63) // 64, words):
        rest[k] = np.uint64(0)
    toggle(rest, v)
    for start_word in range(words):
        while rest[start_word] != np.uint64(0):
            stack[0] = 64 * start_word + lowest_bit(rest[start_word])
            toggle(rest, stack[0])
            for k in range(words):
                boundary[k] = np.uint64(0)
            height = 1
            while height > 0:
                height -= 1
                row = adjacency[stack[height]]
                for k in range(words):
                    found = row[k] & neighbours[k] & ~boundary[k]
                    boundary[k] |= found
                    while found != np.uint64(0):
                        if not is_joined(adjacency, 64 * k + lowest_bit(found), boundary):
                            return False
                        found &= found - np.uint64(1)
                    fresh = row[k] & rest[k]
                    rest[k] ^= fresh
                    while fresh != np.uint64(0):
                        stack[height] = 64 * k + lowest_bit(fresh)
                        height += 1
                        fresh &= fresh - np.uint64(1)
    return True


@inlined
def replace_neighbours(adjacency, v, neighbours):
    """Make `neighbours` (uint64[words], without v) the neighbours of v, in place."""
    for k in range(neighbours.shape[0]):
        changed = adjacency[v, k] ^ neighbours[k]
        adjacency[v, k] = neighbours[k]
        while changed != np.uint64(0):
            toggle(adjacency[64 * k + lowest_bit(changed)], v)
            changed &= changed - np.uint64(1)


@kernel
def next_by_cardinality(adjacency, left, done):
    """The next vertex of a maximum cardinality search, with most neighbours in `done`, and the number of these.

    Parameters
    ----------
    adjacency : uint64[n, words]
    left : uint64[words], not empty
    done : uint64[words]

    Returns
    -------
    (int, int)
        The smallest of tied vertices.
    """
    best, most = -1, -1
    for k in range(left.shape[0]):
        word = left[k]
        while word != np.uint64(0):
            u = 64 * k + lowest_bit(word)
            word &= word - np.uint64(1)
            count = common_size(adjacency[u], done)
            if count > most:
                best, most = u, count
    return best, most


@kernel
def cardinality_search(adjacency, order, earlier, weight, done):
    """Maximum cardinality search (Tarjan and Yannakakis 1984).

    Parameters
    ----------
    adjacency : uint64[n, words]
    order : int64[n], filled: the next vertex is one with most neighbours before it, the smallest if several are equal
    earlier : uint64[n, words], filled: earlier[v] = neighbours of v before it in the order
    weight : int64[n], overwritten
    done : uint64[words], overwritten

    Returns
    -------
    bool
        Whether the graph is chordal, that is, every earlier[v] is complete. The reverse of `order` is then a
        perfect elimination order. If not, the search ended at the first that is not complete. Cost: O(n^2 + m words).
    """
    for v in range(adjacency.shape[0]):
        weight[v] = 0
    return cardinality_search_from(adjacency, order, earlier, weight, done, 1)


@kernel
def cardinality_search_from(adjacency, order, earlier, weight, done, step):
    """As `cardinality_search`, but ties are broken by the largest weight.

    Parameters
    ----------
    adjacency : uint64[n, words]
    order : int64[n] and earlier : uint64[n, words], filled
    weight : int64[n], at least 0 and less than `step`, overwritten
    done : uint64[words], overwritten
    step : int

    Returns
    -------
    bool
    """
    n, words = adjacency.shape
    for k in range(words):
        done[k] = np.uint64(0)
    for position in range(n):
        v = 0
        for w in range(n):
            if weight[w] > weight[v] or weight[v] < 0:
                v = w
        order[position] = v
        weight[v] = -1
        for k in range(words):
            earlier[v, k] = adjacency[v, k] & done[k]
            fresh = adjacency[v, k] & ~done[k]
            while fresh != np.uint64(0):
                weight[64 * k + lowest_bit(fresh)] += step
                fresh &= fresh - np.uint64(1)
        toggle(done, v)
        if not is_complete(adjacency, earlier[v]):
            return False
    return True


@kernel
def cliques_and_separators(order, earlier, cliques, separators):
    """Maximal cliques of a chordal graph and the separators of a junction tree, from `cardinality_search`.

    Parameters
    ----------
    order : int64[n]
    earlier : uint64[n, words]
    cliques, separators : uint64[n, words], filled from the start

    Returns
    -------
    int
        The number of cliques, and of separators: separators[i] joins clique i to an earlier one; it is empty for the
        first clique of each component.
    """
    n, words = earlier.shape
    count = 0
    size = 0
    for position in range(n):
        v = order[position]
        before = size_of(earlier[v])
        if before < size or count == 0:  # v does not extend the current clique: a new clique begins
            copy_set(earlier[v], cliques[count])
            copy_set(earlier[v], separators[count])
            count += 1
            size = before
        toggle(cliques[count - 1], v)
        size += 1
    return count
