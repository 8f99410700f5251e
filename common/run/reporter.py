"""The reports of a run: its progress, and the rows of its trace. A part reports to the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .listener import Listener

if TYPE_CHECKING:
    from collections.abc import Callable


class Relay(Listener):
    """The listener of a part of a run: forwards to the whole.

    Parameters
    ----------
    progress, record : callable, optional
        As the methods of a Listener; None: that is not passed on.
    """

    def __init__(self, progress: Callable | None, record: Callable | None = None) -> None:
        self._progress, self._record = progress, record

    def progress(self, share: float | None, text: str) -> None:
        """Pass progress on."""
        if self._progress is not None:
            self._progress(share, text)

    def record(self, row: Any) -> None:
        """Pass a row of the trace on."""
        if self._record is not None:
            self._record(row)


class RunReporter:
    """Reports the progress of a run to a Listener.

    Parameters
    ----------
    share : callable, returns a float or None
        The share of the run's limit that is used up, at least 0; None without a limit.
    root_listener
        The listener of the whole run, if this is a part.
    """

    def __init__(
        self, listener: Listener, share: Callable[[], float | None], root_listener: Listener | None = None
    ) -> None:
        self._listener, self._share = listener, share
        self.root_listener = root_listener or listener
        self.record: Callable[[Any], None] = listener.record

    def progress(self, text: str, done: float | None = None, total: float | None = None) -> None:
        """Report progress: the share of the run's limit, or else `done` of `total`."""
        share = self._share()
        if share is None and done is not None and total:
            share = done / total
        self._listener.progress(None if share is None else min(1.0, share), text)

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
        progress = (lambda _, text: self.progress(text)) if shows_progress else None
        return RunReporter(Relay(progress, self.record if shares_trace else None), lambda: None, self.root_listener)
