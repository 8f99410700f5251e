"""Subsets as numbers: bit p stands for the p-th vertex outside some other set.

When that other set gains or loses a vertex, the bits of all later vertices shift by one.
"""

from ..compiled.jit import inlined


@inlined
def next_of_size(u):
    """The next larger number with as many one bits (Gosper), for u > 0."""
    low = u & -u
    high = u + low
    return (((u ^ high) >> 2) // low) | high


@inlined
def without_bit(u, p):
    """u as a number over the same vertices without the p-th."""
    return ((u >> (p + 1)) << p) | (u & ((1 << p) - 1))


@inlined
def with_zero_bit(u, p):
    """u as a number over the same vertices and a new p-th one, which is not in the set."""
    return ((u >> p) << (p + 1)) | (u & ((1 << p) - 1))


@inlined
def last_element(u):
    """The number of the highest bit of u, for u > 0."""
    top = 0
    while u >> (top + 1):
        top += 1
    return top
