"""Connected components after removing separators, and the pairs of vertices between different components.

`adjacency` is uint64[n, words] (`common.graphs.chordal_kernels`), `sets` uint64[k, words] the separators, `parts`
int32[k, n] the substantial component of each vertex when a separator is removed, -1 for none.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import kernel, lowest_bit
from ..common.compiled.records import by_address
from ..common.sets.bitset_kernels import has, size_of, toggle


@by_address
class VertexSeparators(NamedTuple):
    """Separators as seen from each vertex.

    parts : int32[n, k]
        As above, transposed: one row per vertex.
    component : int64[n]
        The component of each vertex if the empty set is among the separators; otherwise one value for all.
    allowed : bool[k]
        Which separators count.
    starts : int64[n + 1], containing : int64[]
        containing[starts[v] : starts[v + 1]] are the separators that contain v; before them the empty one, if it is
        there.
    """

    parts: np.ndarray
    component: np.ndarray
    allowed: np.ndarray
    starts: np.ndarray
    containing: np.ndarray


@by_address
class PairScratch(NamedTuple):
    """Work space for `list_pairs`; every array is overwritten.

    near : uint64[words], queue : int64[n], the vertices near a vertex
    listed : int64[k], the separators near it
    marked : bool[k], False before and after
    """

    near: np.ndarray
    queue: np.ndarray
    listed: np.ndarray
    marked: np.ndarray


@kernel
def fill_parts(starts, others, sets, parts, stack):
    """Number the components that contain a vertex adjacent to the whole separator, from 0, and write them to parts.

    Parameters
    ----------
    starts : int64[n + 1]
    others : int64[2 edges]
        others[starts[v] : starts[v + 1]] are the neighbours of v, ascending.
    sets : uint64[k, words]
    parts : int32[k, n], overwritten
    stack : int64[n], overwritten
    """
    n = parts.shape[1]
    for i in range(sets.shape[0]):
        parts[i] = -1
        size = size_of(sets[i])
        count = 0
        for root in range(n):
            if parts[i, root] >= 0 or has(sets[i], root):
                continue
            adjacent = 0
            for at in range(starts[root], starts[root + 1]):
                adjacent += has(sets[i], others[at])
            if adjacent < size:
                continue
            parts[i, root] = count
            stack[0] = root
            height = 1
            while height > 0:
                height -= 1
                v = stack[height]
                for at in range(starts[v], starts[v + 1]):
                    w = others[at]
                    if parts[i, w] < 0 and not has(sets[i], w):
                        parts[i, w] = count
                        stack[height] = w
                        height += 1
            count += 1


@kernel
def list_pairs(adjacency, separators, between_components, longest, work, first, last, pairs):
    """List the pairs u < v in different components with first <= u < last, sorted by u and v.

    A separator of u and v contains a vertex of every path between them, so with a bound on the distance only the
    separators of the vertices near u are compared.

    Parameters
    ----------
    adjacency : uint64[n, words]
    separators : VertexSeparators
    between_components : bool
        Whether pairs of different components of the graph are listed.
    longest : int
        Pairs at a greater distance are left out.
    work : PairScratch
    first, last : int
    pairs : int64[4, capacity]
        u, v, the separator and the distance of each pair, as many as fit.

    Returns
    -------
    int
        Number of pairs.
    """
    parts, component, allowed = separators.parts, separators.component, separators.allowed
    n, k = parts.shape
    count, bounded = 0, longest < k
    for i in range(k):
        work.listed[i] = i
    size = k
    for u in range(first, last):
        if bounded:
            size = fill_listed(separators, fill_near(adjacency, u, longest + 1, work.near, work.queue), work)
        for v in range(u + 1, n):
            if component[u] != component[v]:
                if not between_components:
                    continue
            elif bounded and not has(work.near, v):
                continue
            length = 0
            for j in range(size):
                i = work.listed[j]
                length += (parts[u, i] != parts[v, i]) & (parts[u, i] >= 0) & (parts[v, i] >= 0)
            if length == 0 or length > longest:
                continue
            for j in range(size):
                i = work.listed[j]
                if allowed[i] and parts[u, i] >= 0 and parts[v, i] >= 0 and parts[u, i] != parts[v, i]:
                    if count < pairs.shape[1]:
                        pairs[0, count], pairs[1, count], pairs[2, count], pairs[3, count] = u, v, i, length
                    count += 1
    return count


@kernel
def fill_near(adjacency, u, steps, near, queue):
    """Fill `near` with the vertices at most `steps` edges away from u.

    Two vertices of one component at distance d have at least d - 1 minimal separators: for each distance between 0 and
    d, some of the vertices at that distance from u.

    Parameters
    ----------
    adjacency : uint64[n, words]
    u, steps : int
    near : uint64[words], overwritten
    queue : int64[n], overwritten

    Returns
    -------
    int
        Number of these vertices, which are the first of `queue`.
    """
    for k in range(near.shape[0]):
        near[k] = np.uint64(0)
    toggle(near, u)
    queue[0] = u
    done, end = 0, 1
    for _ in range(steps):
        last = end
        while done < last:
            v = queue[done]
            done += 1
            for k in range(near.shape[0]):
                new = adjacency[v, k] & ~near[k]
                near[k] |= new
                while new != np.uint64(0):
                    queue[end] = 64 * k + lowest_bit(new)
                    end += 1
                    new &= new - np.uint64(1)
    return end


@kernel
def fill_listed(separators, end, work):
    """Fill `work.listed` with the empty separator, if there is one, and those of the first `end` vertices of the queue.

    Parameters
    ----------
    separators : VertexSeparators
    end : int
    work : PairScratch

    Returns
    -------
    int
        Their number.
    """
    starts, containing = separators.starts, separators.containing
    size = 0
    for at in range(starts[0]):
        work.listed[size] = containing[at]
        size += 1
    for place in range(end):
        v = work.queue[place]
        for at in range(starts[v], starts[v + 1]):
            if not work.marked[containing[at]]:
                work.marked[containing[at]] = True
                work.listed[size] = containing[at]
                size += 1
    for j in range(size):
        work.marked[work.listed[j]] = False
    return size
