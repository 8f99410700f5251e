"""Components beside separators, and the pairs across them, on bit rows.

`adjacency` is uint64[n, words] (`common.chordal_kernels`), `sets` uint64[k, words] the separators, `parts`
int32[k, n] the substantial component of each vertex beside each separator, -1 for none.
"""

import numpy as np

from common.bitset_kernels import flip, has
from common.jit import kernel, lowest_bit


@kernel
def fill_parts(adjacency, sets, parts, rest, stack):
    """Fill parts with the components that hold a vertex joined to all of the separator, counted from 0.

    Parameters
    ----------
    adjacency : uint64[n, words]
    sets : uint64[k, words]
    parts : int32[k, n], overwritten
    rest : uint64[words], overwritten
    stack : int64[n], overwritten
    """
    n, words = adjacency.shape
    for i in range(sets.shape[0]):
        parts[i] = -1
        for k in range(words):
            rest[k] = ~sets[i, k]
        count = 0
        for root in range(n):
            if not has(rest, root) or not _is_joined_to_all(adjacency[root], sets[i]):
                continue
            flip(rest, root)
            stack[0] = root
            height = 1
            while height > 0:
                height -= 1
                v = stack[height]
                parts[i, v] = count
                for k in range(words):
                    fresh = adjacency[v, k] & rest[k]
                    rest[k] ^= fresh
                    while fresh != np.uint64(0):
                        stack[height] = 64 * k + lowest_bit(fresh)
                        height += 1
                        fresh &= fresh - np.uint64(1)
            count += 1


@kernel
def _is_joined_to_all(row, members):
    for k in range(members.shape[0]):
        if members[k] & ~row[k] != np.uint64(0):
            return False
    return True


@kernel
def count_lengths(parts, lengths):
    """Count for each pair u < v the separators beside which they lie in different components.

    Parameters
    ----------
    parts : int32[k, n]
    lengths : int32[n, n], zeros
    """
    n = lengths.shape[0]
    for i in range(parts.shape[0]):
        for u in range(n):
            part = parts[i, u]
            if part >= 0:
                for v in range(u + 1, n):
                    lengths[u, v] += parts[i, v] >= 0 and parts[i, v] != part


@kernel
def list_pairs(parts, allowed, lengths, longest, us, vs, due_to):
    """List the pairs across components, by separator, u and v.

    Parameters
    ----------
    parts : int32[k, n]
    allowed : bool[k]
        Which separators count.
    lengths : int32[n, n]
    longest : int
        Longer pairs are left out.
    us, vs, due_to : int64[m], filled as far as there is room

    Returns
    -------
    int
        How many there are.
    """
    n = lengths.shape[0]
    count = 0
    for i in range(parts.shape[0]):
        for u in range(n if allowed[i] else 0):
            part = parts[i, u]
            for v in range(u + 1, n if part >= 0 else 0):
                if parts[i, v] >= 0 and parts[i, v] != part and lengths[u, v] <= longest:
                    if count < us.shape[0]:
                        us[count] = u
                        vs[count] = v
                        due_to[count] = i
                    count += 1
    return count
