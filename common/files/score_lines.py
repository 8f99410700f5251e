"""The lines of a score file with their numbers, for one pass: what files of clique scores and of parent sets share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import DataError, shortened

MAX_ABS_SCORE = 1e50  # or smallest; sums of many more are finite
_SHOWN = 40  # characters of a line in a message


class ScoreLines:
    """The lines that say something.

    Parameters
    ----------
    rows : iterator of (int, bytes)
        These lines, and their numbers in the file.
    path
        For messages.

    Attributes
    ----------
    number
        Of the last line read; 0 before the first.
    """

    def __init__(self, rows: Iterator[tuple[int, bytes]], path: str) -> None:
        self.rows, self.path, self.number = rows, path, 0

    def error(self, message: str) -> DataError:
        """A DataError at the last line read."""
        return DataError(message, self.path, self.number or None)

    def words(self, expected: str) -> list[bytes]:
        """The words of the next line; DataError when there is none."""
        self.number, row = next(self.rows, (self.number, None))
        if row is None:
            raise self.error(f"the file ends here; expected {expected}" if self.number else "empty file")
        return row.split()

    def score(self, word: bytes) -> float:
        """One score."""
        try:
            value = float(word)
        except ValueError:
            value = np.nan
        if is_score(value) and b"_" not in word:  # Python would read 1_000 as a number
            return value
        raise self.error(f"expected a score, found {quoted_words(word.split())}")

    def end(self, what: str) -> None:
        """Refuse anything after the last line; `what` is complete then."""
        self.number, row = next(self.rows, (self.number, None))
        if row is not None:
            raise self.error(f"too many lines: the {what} are complete, found {quoted_words(row.split())}")


def is_score(value: Any) -> Any:
    """Whether numbers, float or float64[m], are scores: minus infinity, or so small that sums of them are finite."""
    return (np.abs(value) <= MAX_ABS_SCORE) | (value == -np.inf)


def quoted_words(words: list[bytes]) -> str:
    """Words of a file for a message, on one line and not too long."""
    return repr(shortened(b" ".join(words).decode("utf-8", "replace"), _SHOWN))
