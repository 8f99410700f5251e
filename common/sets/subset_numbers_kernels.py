"""Subsets of a set that changes, written as numbers: bit p stands for the p-th vertex outside some other set.

When that other set grows by a vertex, or loses one, the places of all that follow move by one.
"""

from cliquewise.common.jit import inlined


@inlined
def next_of_size(u):
    """The next larger number with as many one bits (Gosper), for u > 0."""
    low = u & -u
    high = u + low
    return (((u ^ high) >> 2) // low) | high


@inlined
def without_bit(u, p):
    """u as a number over the same vertices but the p-th."""
    return ((u >> (p + 1)) << p) | (u & ((1 << p) - 1))


@inlined
def with_zero_bit(u, p):
    """u as a number over those vertices and another that becomes the p-th, not in the set."""
    return ((u >> p) << (p + 1)) | (u & ((1 << p) - 1))
