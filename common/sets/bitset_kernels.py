"""Sets of variables as rows of 64-bit words, for any number of variables.

A set, `members`, is uint64[words]: bit v % 64 of word v // 64 is variable v. A graph's adjacency is
uint64[n, words]. The number of words is a compile-time constant where it matters (a tuple's length, see
`common.scores.score_cache_kernels`), otherwise a loop bound; in the common case of one word this costs almost nothing.
"""

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit, popcount


def words_for(n):
    """Number of words for a set of n variables: ceil(n / 64), at least 1."""
    return max(1, (n + 63) // 64)


@inlined
def has(members, v):
    """Is v in the set?"""
    return (members[v >> 6] >> np.uint64(v & 63)) & np.uint64(1) != np.uint64(0)


@inlined
def toggle(members, v):
    """Add v if it is absent, remove it if it is present."""
    members[v >> 6] ^= np.uint64(1) << np.uint64(v & 63)


@inlined
def size_of(members):
    """Number of elements."""
    total = 0
    for k in range(members.shape[0]):
        total += popcount(members[k])
    return total


@inlined
def common_size(one, other):
    """Number of elements that the sets `one` and `other` have in common."""
    total = 0
    for k in range(one.shape[0]):
        total += popcount(one[k] & other[k])
    return total


@inlined
def is_empty(members):
    """Is the set empty?"""
    for k in range(members.shape[0]):
        if members[k] != np.uint64(0):
            return False
    return True


@inlined
def are_equal(one, other):
    """Do the sets `one` and `other` have the same elements?"""
    for k in range(one.shape[0]):
        if one[k] != other[k]:
            return False
    return True


@inlined
def elements(members, out):
    """Write the elements, ascending, to out (int64[>= size]); returns how many."""
    count = 0
    for k in range(members.shape[0]):
        word = members[k]
        while word != np.uint64(0):
            out[count] = 64 * k + lowest_bit(word)
            count += 1
            word &= word - np.uint64(1)
    return count


@inlined
def element_at(members, index):
    """The element with `index` smaller ones in the set, 0 <= index < size."""
    for k in range(members.shape[0]):
        word = members[k]
        here = popcount(word)
        if index < here:
            for _ in range(index):
                word &= word - np.uint64(1)
            return 64 * k + lowest_bit(word)
        index -= here
    return -1


@inlined
def copy_set(source, target):
    """Make `target` equal to `source` (uint64[words] both)."""
    for k in range(source.shape[0]):
        target[k] = source[k]


@kernel
def copy_rows(source, target):
    """Make the graph `target` equal to `source` (uint64[n, words] both)."""
    for v in range(source.shape[0]):
        for k in range(source.shape[1]):
            target[v, k] = source[v, k]
