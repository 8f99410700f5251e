"""The progress line of a long run, on stderr: a bar for the share done, and a short text.

It is shown only on a terminal and in notebooks; log files get only the log. tqdm draws it. During a step that takes
longer than a second or two, the line also shows for how long it has been running.
"""

from __future__ import annotations

import builtins
import logging
import sys
import threading
import time
import warnings
from typing import Any

from ..run.listener import Listener

_SECONDS = 0.2  # between two updates
_BEAT = 1.5  # seconds without news, after which these are counted
_BAR, _TEXT = "{percentage:3.0f}% |{bar:20}| {postfix}", "{postfix}"
_open: list[ProgressLine] = []  # the lines on the terminal; only the last one counts seconds


def _bar_class() -> tuple[Any, bool | None]:
    """tqdm's class for where this runs, and whether it is disabled; None: unless it is on a terminal."""
    shell = getattr(builtins, "get_ipython", lambda: None)()  # IPython has it there while it runs code
    if type(shell).__name__ == "ZMQInteractiveShell":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets it is a line of text, which needs no remark
            from tqdm.auto import tqdm as notebook_bar

        return notebook_bar, False
    from tqdm import tqdm

    return tqdm, None


class ProgressLine(Listener):
    """Shows the progress of a run, and passes rows to its trace; a context.

    Parameters
    ----------
    trace : object with `report(row)` and `close()`, optional
    """

    def __init__(self, trace: Any = None) -> None:
        log = logging.getLogger("cliquewise")
        quiet = log.level != logging.NOTSET and not log.isEnabledFor(logging.INFO)  # not set: called from Python
        self.trace = trace
        self.shown = -_SECONDS
        self.told, self.text = 0.0, ""  # the last news
        self._ended = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)
        bar, shown = _bar_class()
        self.bar = bar(
            total=1.0,
            bar_format=_TEXT,
            file=sys.stderr,
            disable=True if quiet else shown,
            leave=False,
        )

    def __enter__(self) -> ProgressLine:
        if not self.bar.disable:
            self.told = time.monotonic()
            _open.append(self)
            self._heart.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self in _open:
            self._ended.set()
            self._heart.join()
            _open.remove(self)
        self.bar.close()
        if self.trace is not None:
            self.trace.close()

    def progress(self, share: float | None, text: str) -> None:
        """Move the bar to `share` (None: no bar), and show `text` after it."""
        if self.bar.disable:
            return
        self.bar.bar_format = _TEXT if share is None else _BAR
        self.bar.n = min(1.0, share or 0.0)
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update(0)
        now = time.monotonic()
        self.told, self.text = now, text
        if now >= self.shown + _SECONDS:
            self.shown = now
            self.bar.refresh()

    def _beat(self) -> None:
        """Show the seconds since the last news, while there are none."""
        while not self._ended.wait(_BEAT):
            silent = time.monotonic() - self.told
            if silent >= _BEAT and _open[-1] is self:
                self.bar.set_postfix_str(f"{self.text} ({silent:.0f} s)".strip())

    def record(self, row: Any) -> None:
        """Pass a row to the trace."""
        if self.trace is not None:
            self.trace.report(row)
