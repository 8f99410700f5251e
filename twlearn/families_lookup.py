"""The table of `twlearn.families_lookup_kernels` for some families."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .families_lookup_kernels import Lookup, fill

if TYPE_CHECKING:
    from .families import ScoredFamilies


def lookup_of(families: ScoredFamilies) -> Lookup:
    """The Lookup of ScoredFamilies; O(families)."""
    n, most = families.n, families.parents.shape[1]
    slots = 1 << (4 * len(families.scores)).bit_length()
    for seed in range(10):
        words = np.random.default_rng(seed).integers(1, 2**64 - 1, (2, n), np.uint64)
        table = Lookup(words[0], words[1], np.zeros(slots, np.uint64), np.zeros(slots, np.int32), families.scores, most)
        if fill(table, families.start, families.parents):
            return table
    raise AssertionError("ten draws of 64-bit keys collided: a parent set is listed twice")
