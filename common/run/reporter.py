"""The reports of a run: its progress, and the rows of its trace. A part reports to the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    ReportProgress = Callable[[float | None, str], None]
    Share = Callable[[], float | None]


def unreported(*_: Any) -> None:
    """Report nothing."""


class RunReporter:
    """Reports the progress of a run to a Listener.

    Parameters
    ----------
    progress, record : callable
        As the methods of a Listener.
    share : callable, returns a float or None
        The share of the run's limit that is used up, at least 0; None without a limit.
    root : callable, optional
        `progress` of the whole run, if this is a part.

    Attributes
    ----------
    record, root : callable
    """

    def __init__(
        self, progress: ReportProgress, record: Callable[[Any], None], share: Share, root: ReportProgress | None = None
    ) -> None:
        self._progress, self._share = progress, share
        self.record, self.root = record, root or progress

    def progress(self, text: str, done: float | None = None, total: float | None = None) -> None:
        """Report progress: the share of the run's limit, or else `done` of `total`."""
        share = self._share()
        if share is None and done is not None and total:
            share = done / total
        self._progress(None if share is None else min(1.0, share), text)

    def phase(self, what: str) -> Callable[[float], None]:
        """A callable that reports the share done of a phase (`what` names it), a float."""
        return lambda share: self.progress(f"{what}: {share:.0%}", share, 1.0)

    def part(self, shows_progress: bool = True, shares_trace: bool = False) -> RunReporter:
        """The reporter of a part, whose progress is reported with the share of the whole.

        Parameters
        ----------
        shows_progress
            Whether it is reported.
        shares_trace
            Whether the rows of its trace are of the same kind as those of the whole.
        """
        progress = (lambda _, text: self.progress(text)) if shows_progress else unreported
        return RunReporter(progress, self.record if shares_trace else unreported, lambda: None, self.root)
