"""Memory estimate of a run, on top of the program and its data, made in advance and checked against the limit.

A tool estimates its tables (`<tool>/size.py`). The score cache may use the rest, up to `--cache-mb`: with a smaller
cache a run takes longer and has the same result.
"""

from dataclasses import dataclass
from typing import Any

from ..data.dataset import Dataset
from ..run.resources import bytes_of_pass, check_fits, resident_memory, usable_memory
from .scorer import cache_bytes

KERNELS = 180_000_000  # bytes of libraries and machine code that are loaded later; compiling may need more


@dataclass(frozen=True)
class Needs:
    """Approximate and largest memory of a run.

    Attributes
    ----------
    tables
        Bytes that are required.
    largest_cache
        Bytes of all scores that the run could cache.
    advice
        How to make the tables smaller, for the message.
    """

    tables: float
    largest_cache: float = 0.0
    advice: str = "use fewer --threads, rows or columns"

    def scores(self, cache_mb: int) -> float:
        """Bytes of the cached scores, with this limit of the cache in megabytes."""
        return min(self.largest_cache, cache_bytes(cache_mb))

    def check(self, memory: float | None = None) -> None:
        """Refuse tables that do not fit.

        Parameters
        ----------
        memory
            Bytes that may be used; None for the free memory of the machine.

        Raises
        ------
        LimitError
        """
        check_fits(self.tables, memory, "the tables", self.advice)

    def cache_within(self, cache_mb: int, memory: float | None) -> int:
        """The cache limit with which everything fits.

        Parameters
        ----------
        cache_mb
            The requested limit, in megabytes.
        memory
            As for `check`.

        Returns
        -------
        int
            At least 1.

        Raises
        ------
        LimitError
            The tables do not fit, or leave no room for scores.
        """
        self.check(memory)
        left = (memory or usable_memory()) - self.tables
        while cache_mb > 1 and self.scores(cache_mb) > left:
            cache_mb = cache_mb // 2
        if self.scores(cache_mb) > left:
            Needs(self.tables + self.scores(1), advice=self.advice).check(memory)
        return cache_mb


def program_memory(data: Any) -> int:
    """Approximate bytes of the program and the data in memory, and of a pass over their rows; at least the peak so far.

    Parameters
    ----------
    data : Dataset or another record of scores, optional
    """
    now, most = resident_memory()
    return max(most, now + KERNELS + (bytes_of_pass(data) if isinstance(data, Dataset) else 0))
