"""An index of the existing states (C, U): a bit for each U of each set C, from which the place of a state is found.

U is written as a number u whose bit p stands for the p-th vertex that is neither in C nor the root; C has 2^m values of
u, m its free vertices. A *word* (int64) has the bits of 32 of them in its lower half, and above these the number of all
states before it. Eight words are a *block*, a line of the cache. The blocks of a set are consecutive in an index
(int32[b + 1], `blocks`), from start[C] on; it contains the number of a block among those that are stored, or for a
block without states, which is not stored, -1 less the number of all states before it. So a state is found by two reads;
a state that does not exist takes 2.125 bits, or 0.125 bits if its block has none.
"""

import numpy as np

from ..compiled.jit import inlined, kernel, popcount

WORD = 32  # bits
PLACE_BITS = 5  # the lowest bits of u, its place in a word
WORDS = 8  # of a block
BLOCK = 8  # the lowest bits of u, its place in a block
OF_SIZE = np.array([sum(1 << u for u in range(WORD) if u.bit_count() == k) for k in range(PLACE_BITS + 1)], np.int64)


@inlined
def blocks_of(free):
    """The blocks of a set with `free` free vertices, stored or not."""
    return 1 + ((1 << free) - 1 >> BLOCK)


@inlined
def states_before(word, bit):
    """The number of states before one of a word's bits."""
    return (word >> WORD) + popcount(np.uint64(word & ((1 << bit) - 1)))


@inlined
def place_of(blocks, words, first, u):
    """The place of the state (C, u), or -1 if there is none.

    Parameters
    ----------
    blocks : int32[b + 1]
    words : int64[8 s], of the blocks that are stored
    first : int, start[C]
    u : int
    """
    block = np.int64(blocks[first + (u >> BLOCK)])
    if block < 0:
        return -1
    word = words[block * WORDS + (u >> PLACE_BITS & (WORDS - 1))]
    bit = u & (WORD - 1)
    return states_before(word, bit) if word >> bit & 1 else -1


@inlined
def place_from(blocks, words, first, u):
    """The number of states before the place of (C, u), whether there is such a state or not.

    As `place_of`, with `first`, start[C], and u from 0 to 2^m.
    """
    block = np.int64(blocks[first + (u >> BLOCK)])
    if block < 0:
        return -1 - block
    return states_before(words[block * WORDS + (u >> PLACE_BITS & (WORDS - 1))], u & (WORD - 1))


@kernel
def number_states(blocks, words):
    """Write the number of states before it above the bits of each word, and into the index for blocks without states.

    Parameters
    ----------
    blocks : int32[b + 1], negative for blocks that are not stored
    words : int64[8 s]
    """
    total = 0
    for b in range(blocks.shape[0]):
        block = np.int64(blocks[b])
        if block < 0:
            blocks[b] = -1 - total
            continue
        for w in range(block * WORDS, (block + 1) * WORDS):
            bits = words[w]
            words[w] = bits | total << WORD
            total += popcount(np.uint64(bits))


@kernel
def count_before(blocks, words, start, before):
    """The states before the first of each set.

    Parameters
    ----------
    blocks : int32[b + 1]
    words : int64[8 s]
    start : int64[m], of each set
    before : int64[m], filled
    """
    for i in range(start.shape[0]):
        before[i] = place_from(blocks, words, start[i], 0)


@kernel
def count_layers(blocks, words, start, free, sizes):
    """The number of states with |U| = k, for each k.

    Parameters
    ----------
    blocks : int32[b + 1]
    words : int64[8 s]
    start, free : int64[m], of each set
    sizes : int64[n], added to
    """
    for i in range(start.shape[0]):
        for part in range(blocks_of(free[i])):
            block = np.int64(blocks[start[i] + part])
            for w in range(WORDS if block >= 0 else 0):
                word = words[block * WORDS + w]
                size = popcount(np.uint64(part * WORDS + w))
                for k in range(OF_SIZE.shape[0]):
                    found = popcount(np.uint64(word & OF_SIZE[k]))
                    if found:
                        sizes[size + k] += found
