"""Listeners to a run: they receive its progress and the rows of its trace."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """The progress of a search: a row of the trace, for learners without their own kind of row.

    Attributes
    ----------
    seconds : float
        Since the clock started.
    iterations : int
        In the learner's own unit.
    score : float
        Of the best network so far.
    """

    seconds: float
    iterations: int
    score: float


class Listener:
    """Receives the reports of a Monitor; this class ignores them."""

    def progress(self, share: float | None, text: str) -> None:
        """Report progress.

        Parameters
        ----------
        share
            Of the whole, 0 to 1; None if unknown.
        text
            A short text: the current activity, the best score.
        """

    def record(self, row: Progress) -> None:
        """Report a row of the trace.

        Parameters
        ----------
        row : dataclass
            Of the learner's own kind.
        """
