"""Scores of variable sets, computed once: a hash table that all threads read and write without locks.

A set's key has 128 bits: the exclusive or of one pair of words per variable, so that adding a variable to a set changes
its key in one step. Up to 128 variables the pair is the variable's own bit and the key is the set itself; above, the
pairs are random, and the probability that any two of a billion sets share a key is below 2^-68 (a result is certified
from the data anyway).

An entry is three words (key ^ score bits, key ^ score bits, score bits): an entry garbled by two threads writing at
once fails its check and counts as absent (Hyatt's lockless hashing). A score depends only on its set, not on the thread
that computed it: the same seed gives the same search with any timing. The table has a fixed size while kernels run;
`common.scores.scorer` enlarges it between calls, and at the memory limit a new entry replaces an old one.

Everywhere `scores` is a SetScores, `scratch` the thread's ScoreScratch, `members` a set (uint64[words]),
`low` and `high` its key, and `entries` the table of `scores`.
"""

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined, kernel, lowest_bit, shared
from ..compiled.records import by_address
from ..sets.bitset_kernels import elements, has, toggle
from .counting_kernels import CountingScratch, CountingTable
from .score_kernels import Formula, set_score

PROBES = 8
COMPUTED, STORED = 0, 1


@by_address
class SetScores(NamedTuple):
    """Everything needed to score a set.

    table : CountingTable; without rows where the scores come from a file
    formula : Formula, see `common.scores.score_kernels`
    compute : bool, whether an absent score can be computed; otherwise it is minus infinity
    allowed : uint64[n, words], the variables that may be in one set with each variable; other sets score minus infinity
    required : uint64[n, words], edges that no move may remove
    keys : uint64[n, 2]
    entries : uint64[slots, 3], slots a power of two; all zero where empty
    words : tuple; its length, min(words, 2), determines at compile time how a key is made: a single word is the key
    """

    table: CountingTable
    formula: Formula
    compute: bool
    allowed: np.ndarray
    required: np.ndarray
    keys: np.ndarray
    entries: np.ndarray
    words: tuple


@by_address
class ScoreScratch(NamedTuple):
    """One thread's work space for scores.

    counting : CountingScratch
    members : int64[n + 2]
    counters : int64[2], scores computed and entries added, counted up
    bits : uint64[1] and real : float64[1], the same memory
    """

    counting: CountingScratch
    members: np.ndarray
    counters: np.ndarray
    bits: np.ndarray
    real: np.ndarray


@inlined
def key_of(scores, members):
    """The set's key, a pair of uint64."""
    if len(scores.words) == 1:
        return members[0], np.uint64(0)
    low = np.uint64(0)
    high = np.uint64(0)
    for k in range(members.shape[0]):
        word = members[k]
        while word != np.uint64(0):
            v = 64 * k + lowest_bit(word)
            low ^= scores.keys[v, 0]
            high ^= scores.keys[v, 1]
            word &= word - np.uint64(1)
    return low, high


@inlined
def score_with(scores, scratch, members, key, a, b):
    """Score of `members` with up to two more variables, from the table or computed and stored.

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    members : uint64[words]
    key : (uint64, uint64), the key of `members`
    a, b : int, variables outside `members`, different from each other; -1 for none

    Returns
    -------
    float
    """
    low, high = key
    if a >= 0:
        low ^= scores.keys[a, 0]
        high ^= scores.keys[a, 1]
    if b >= 0:
        low ^= scores.keys[b, 0]
        high ^= scores.keys[b, 1]
    if low | high == np.uint64(0):
        return 0.0
    found, bits = find(scores.entries, low, high)
    if found:
        scratch.bits[0] = bits
        return scratch.real[0]
    if not scores.compute:
        return -np.inf
    return _computed(scores, scratch, members, a, b, low, high)


@kernel
def score_of(scores, scratch, members):
    """Score of the set `members` (uint64[words])."""
    return score_with(scores, scratch, members, key_of(scores, members), -1, -1)


@shared
def _computed(scores, scratch, members, a, b, low, high):
    size = elements(members, scratch.members)
    size = _insert(scratch.members, size, a)
    size = _insert(scratch.members, size, b)
    score = -np.inf
    if _is_allowed(scores.allowed, scratch.members, size):
        score = set_score(scores.table, scores.formula, scratch.members, size, scratch.counting)
        scratch.counters[COMPUTED] += 1
    store(scores, scratch, low, high, score)
    return score


@kernel
def _is_allowed(allowed, members, size):
    """Whether every two of members[:size] may be in one set."""
    for i in range(size):
        for j in range(i):
            if not has(allowed[members[i]], members[j]):
                return False
    return True


@kernel
def find(entries, low, high):
    """Whether the table has the key's score, and its bits (read once: another thread may be writing)."""
    mask = np.uint64(entries.shape[0] - 1)
    start = hash_of(low, high)
    for p in range(PROBES):
        slot = (start + np.uint64(p)) & mask
        bits = entries[slot, 2]
        if entries[slot, 0] ^ bits == low and entries[slot, 1] ^ bits == high:
            return True, bits
        if entries[slot, 0] | entries[slot, 1] == np.uint64(0):
            break
    return False, np.uint64(0)


@inlined
def hash_of(low, high):
    """The first slot to look for a key."""
    h = (low ^ (low >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15) + high * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0xBF58476D1CE4E5B9)
    return h ^ (h >> np.uint64(32))


@kernel
def store(scores, scratch, low, high, score):
    """Put an entry into the first free of `PROBES` slots; if there is none, overwrite an old entry."""
    entries = scores.entries
    mask = np.uint64(entries.shape[0] - 1)
    start = hash_of(low, high)
    slot = (start + ((low ^ high) >> np.uint64(7)) % np.uint64(PROBES)) & mask
    for p in range(PROBES):
        free = (start + np.uint64(p)) & mask
        if entries[free, 0] | entries[free, 1] == np.uint64(0):
            slot = free
            scratch.counters[STORED] += 1
            break
    scratch.real[0] = score
    bits = scratch.bits[0]
    entries[slot, 0] = low ^ bits
    entries[slot, 1] = high ^ bits
    entries[slot, 2] = bits


@kernel
def move_entries(old, scores, scratch):
    """Store every entry of the table `old` (uint64[slots, 3]) in `scores`."""
    for slot in range(old.shape[0]):
        bits = old[slot, 2]
        if old[slot, 0] | old[slot, 1] != np.uint64(0):
            scratch.bits[0] = bits
            store(scores, scratch, old[slot, 0] ^ bits, old[slot, 1] ^ bits, scratch.real[0])


@kernel
def compute_sets(scores, scratch, bits, stack, largest, first, stride):
    """Compute all sets of up to `largest` variables whose smallest is first, first + stride, ...

    Parameters
    ----------
    scores : SetScores
    scratch : ScoreScratch
    bits : uint64[words], zeros
    stack : int64[largest + 1], overwritten: the elements of the current set, ascending
    largest, first, stride : int
    """
    n = scores.keys.shape[0]
    for smallest in range(first, n, stride):
        stack[0] = smallest
        size = 1
        toggle(bits, smallest)
        while size > 0:
            score_of(scores, scratch, bits)
            following = stack[size - 1] + 1
            if size == largest or following == n:  # no superset follows: advance the last element
                while size > 0:
                    toggle(bits, stack[size - 1])
                    following = stack[size - 1] + 1
                    size -= 1
                    if following < n:
                        break
                if size == 0:
                    break
            stack[size] = following
            toggle(bits, following)
            size += 1


@kernel
def store_all(masks, values, scores, scratch):
    """Store the scores of a file: masks uint64[m] (the empty set left out), values float64[m], n <= 64."""
    for i in range(masks.shape[0]):
        if masks[i] != np.uint64(0):
            store(scores, scratch, masks[i], np.uint64(0), values[i])


@kernel
def _insert(members, size, v):
    """Insert v into the ascending members[:size]; returns the new size. Does nothing for v = -1."""
    if v < 0:
        return size
    at = size
    while at > 0 and members[at - 1] > v:
        members[at] = members[at - 1]
        at -= 1
    members[at] = v
    return size + 1
