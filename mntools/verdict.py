"""What `mntools check` answers, in two parts."""

from __future__ import annotations

from typing import NamedTuple

OK, WRONG, UNDECIDED = "ok", "wrong", "undecided"


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

    @property
    def is_ok(self) -> bool:
        """Whether nothing is wrong or undecided."""
        return self.verdict == OK

    @property
    def line(self) -> str:
        """Both, as `mntools check` prints them."""
        return f"{self.verdict}: {self.details}"
