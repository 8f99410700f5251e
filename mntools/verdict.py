"""What `mntools check` answers, in two parts."""

from __future__ import annotations

from typing import NamedTuple


class Verdict(NamedTuple):
    """The result of `check`.

    Attributes
    ----------
    verdict : str
        ok, wrong or undecided.
    details : str
        What was checked and what was not; or all problems.
    """

    verdict: str
    details: str

    @classmethod
    def of(cls, line: str) -> Verdict:
        """The parts of a line: its first word, and the rest."""
        verdict, _, details = line.partition(": ")
        return cls(verdict, details)
