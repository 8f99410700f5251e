"""Which states (C, U) there are: a bit for each U of each set C, and the place of a state among those that there are.

U is written as a number u whose bit p stands for the p-th vertex that is neither in C nor the root; C has 2^m values of
u, m its free vertices. The bits of a set are in consecutive *words* from start[C] on. A word (int64) has 32 bits, the
lower half, and above them the number of all states before it; a last word follows, without bits. So a state is found by
one read, and a state that is left out takes two bits.
"""

import numpy as np

from ..compiled.jit import inlined, kernel, popcount

WORD = 32  # bits
HALF = 5  # the lowest bits of u, its place in a word
OF_SIZE = np.array([sum(1 << u for u in range(WORD) if u.bit_count() == k) for k in range(HALF + 1)], np.int64)


@inlined
def states_before(word, bit):
    """The number of states before one of a word's bits."""
    return (word >> WORD) + popcount(np.uint64(word & ((1 << bit) - 1)))


@inlined
def place_of(words, first, u):
    """The place of the state (C, u), or -1 if there is none.

    Parameters
    ----------
    words : int64[w]
    first : int, start[C]
    u : int
    """
    word = words[first + (u >> HALF)]
    bit = u & (WORD - 1)
    return states_before(word, bit) if word >> bit & 1 else -1


@kernel
def number_states(words):
    """Write above the bits of each word (int64[w]) the number of states before it."""
    total = 0
    for w in range(words.shape[0]):
        bits = words[w]
        words[w] = bits | total << WORD
        total += popcount(np.uint64(bits))


@kernel
def count_layers(words, start, free, sizes):
    """The number of states with |U| = k, for each k.

    Parameters
    ----------
    words : int64[w]
    start, free : int64[m], of each set
    sizes : int64[n], added to
    """
    for i in range(start.shape[0]):
        for high in range(1 + ((1 << free[i]) - 1 >> HALF)):
            word = words[start[i] + high]
            size = popcount(np.uint64(high))
            for k in range(OF_SIZE.shape[0]):
                found = popcount(np.uint64(word & OF_SIZE[k]))
                if found:
                    sizes[size + k] += found
