"""xoshiro256++ (Blackman and Vigna 2019) on a plain array: the random state of a chain is ordinary data.

numpy's Generator also runs inside kernels, but its state is an object: it could not be copied between chains,
written to a checkpoint, or kept in one array for all chains. Seeds come from numpy's SeedSequence
(`random_states`).
"""

import numpy as np

from .jit import inlined


def random_states(seed, count):
    """Independent, reproducible states.

    Parameters
    ----------
    seed : int >= 0
    count : int

    Returns
    -------
    uint64[count, 4]
    """
    return np.random.SeedSequence(seed).generate_state(4 * count, np.uint64).reshape(count, 4)


@inlined
def next_word(state):
    """The next 64 random bits; `state` (uint64[4]) is advanced."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    total = s0 + s3
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    t = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= t
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    state[0], state[1], state[2], state[3] = s0, s1, s2, s3
    return result


@inlined
def uniform(state):
    """A float in [0, 1)."""
    return np.float64(next_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def below(state, n):
    """An integer in 0 .. n-1, for 1 <= n < 2^31 (multiply and shift; the bias is below 2^-32 n)."""
    return np.int64(((next_word(state) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inlined
def another(state, n, v):
    """An integer in 0 .. n-1 other than v, for n >= 2."""
    w = below(state, n - 1)
    return w + 1 if w >= v else w


@inlined
def early_entry(state, table, row):
    """An entry of a row of `table` (int64[rows, p]), earlier ones more often."""
    count = table.shape[1]
    return table[row, min(below(state, count), below(state, count))]
