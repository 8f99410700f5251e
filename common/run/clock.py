"""The clock of a run, and its time limit.

A run may consist of several processes or searches, one after the other; its seconds are the total of all. A part of a
run has a clock of its own; when it starts, the clock of the whole run starts, too.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Clock:
    """Counts the seconds of a run.

    Parameters
    ----------
    limit
        Seconds, including `before`; None: no limit.
    on_limit : callable without arguments
        Called once, by another thread, when the time is up.
    on_start : callable without arguments
        Called when the clock starts.
    before
        Seconds of earlier processes or searches.
    overrun
        The delay of `on_limit`, as a share of the time that was left.
    whole
        The clock of the run of which this is a part.

    Attributes
    ----------
    root : Clock
        The clock of the whole run; this clock, if this is not a part.
    """

    def __init__(
        self,
        limit: float | None,
        on_limit: Callable[[], object],
        before: float = 0.0,
        overrun: float = 0.0,
        whole: Clock | None = None,
        on_start: Callable[[], object] = lambda: None,
    ) -> None:
        self.limit, self._on_limit, self._before, self._overrun, self._whole = limit, on_limit, before, overrun, whole
        self._on_start = on_start
        self.root: Clock = self if whole is None else whole.root
        self._began: float | None = None
        self._timer: threading.Timer | None = None

    def start(self) -> None:
        """Start, and before that the clock of the whole; only the first call has an effect."""
        if self._whole is not None:
            self._whole.start()
        if self._began is not None:
            return
        self._on_start()
        self._began = time.monotonic()
        if self.limit is not None:
            left = min((1 + self._overrun) * (self.limit - self._before), threading.TIMEOUT_MAX)
            self._timer = threading.Timer(left, self._on_limit)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Forget the limit: the run is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()

    @property
    def has_started(self) -> bool:
        """Whether the clock has started."""
        return self._began is not None

    @property
    def seconds(self) -> float:
        """Seconds of the run so far."""
        return self._before + (0.0 if self._began is None else time.monotonic() - self._began)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the time limit; None without a limit."""
        return None if self.limit is None else max(0.0, self.limit - self.seconds)

    @property
    def is_overrun(self) -> bool:
        """Whether the time is up, but kernels may still continue."""
        return self._overrun > 0 and self.seconds_left == 0
