"""The memory that a run takes on top of the program and its data: told beforehand, and held to what may be taken.

A tool says what its tables take (`<tool>/size.py`). Scores that are kept may take what is left, up to `--cache-mb`:
with less of them a run takes longer and comes to the same result.
"""

import math
from dataclasses import dataclass

from cliquewise.common.errors import LimitError
from cliquewise.common.scores.scorer import cache_bytes
from cliquewise.common.search.resources import available_memory, resident_memory

KERNELS = 100_000_000  # bytes of libraries and machine code that are not loaded before the work begins
GIGABYTE = 1e9


@dataclass(frozen=True)
class Needs:
    """What a run takes, about, and at most.

    Attributes
    ----------
    tables : float
        Bytes without which it cannot be done.
    largest_cache : float
        Bytes of all scores that it could ever keep.
    advice : str
        What makes the tables smaller.
    """

    tables: float
    largest_cache: float = 0.0
    advice: str = "take fewer --threads, rows or columns"

    def scores(self, cache_mb):
        """Bytes of the scores that are kept, with this bound on their cache, in megabytes."""
        return min(self.largest_cache, cache_bytes(cache_mb))

    def check(self, memory=None):
        """Refuse tables that do not fit.

        Parameters
        ----------
        memory : float, optional
            Bytes that may be taken; None is what the machine has left.

        Raises
        ------
        LimitError
        """
        may = memory or available_memory() or math.inf
        if self.tables > may:
            told = f"the tables need {self.tables / GIGABYTE:.3g} GB, {may / GIGABYTE:.3g} GB may be used (--memory)"
            raise LimitError(f"{told}; {self.advice}")

    def cache_within(self, cache_mb, memory=None):
        """The bound on the cache with which all fits.

        Parameters
        ----------
        cache_mb : int
            The bound that is wanted, in megabytes.
        memory : float, optional
            As for `check`.

        Returns
        -------
        int
            At least 1.

        Raises
        ------
        LimitError
            The tables do not fit, or no scores beside them.
        """
        self.check(memory)
        left = (memory or available_memory() or math.inf) - self.tables
        while cache_mb > 1 and self.scores(cache_mb) > left:
            cache_mb = cache_mb // 2
        if self.scores(cache_mb) > left:
            Needs(self.tables + self.scores(1), advice=self.advice).check(memory)
        return cache_mb


def program_memory():
    """Bytes that the program takes with the data that it has read, about."""
    return resident_memory()[0] + KERNELS
