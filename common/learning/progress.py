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
_SILENT_SECONDS = 1.5  # seconds without news, after which these are counted
_PATIENCE = 1.0  # seconds until a line is shown in a notebook, where short runs come by the dozen
_BAR, _TEXT = "{percentage:3.0f}% |{bar:20}| {desc}", "{desc}"  # a {postfix} begins with a comma
_open: list[ProgressLine] = []  # the lines on the terminal; only the last one counts seconds


def _in_notebook() -> bool:
    """Whether this runs in a kernel of Jupyter."""
    shell = getattr(builtins, "get_ipython", lambda: None)()  # IPython has it there while it runs code
    return type(shell).__name__ == "ZMQInteractiveShell"


def _bar_class() -> Any:
    """tqdm's class for where this runs."""
    if not _in_notebook():
        from tqdm import tqdm

        return tqdm
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without ipywidgets it is a line of text, which needs no remark
        from tqdm.auto import tqdm as notebook_bar
    return notebook_bar


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
        self.reported, self.text = 0.0, ""  # the last news
        self.share: float | None = None
        self._is_shown = not quiet and (_in_notebook() or getattr(sys.stderr, "isatty", bool)())
        self._patience = _PATIENCE if _in_notebook() else -_SECONDS
        self._due = 0.0  # when the bar is to be shown again
        self._bar: Any = None
        self._ended = threading.Event()
        self._heart = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> ProgressLine:
        if self._is_shown:
            self.reported = time.monotonic()
            self._due = self.reported + self._patience
            _open.append(self)
            self._heart.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self in _open:
            self._ended.set()
            self._heart.join()
            _open.remove(self)
        self.close()
        if self.trace is not None:
            self.trace.close()

    def close(self) -> None:
        """Take the line off the terminal."""
        if self._bar is not None:
            self._bar.close()

    def progress(self, share: float | None, text: str) -> None:
        """Move the bar to `share` (None: no bar), and show `text` after it."""
        if not self._is_shown:
            return
        now = time.monotonic()
        self.reported, self.share, self.text = now, share, text
        if self._bar is not None or now >= self._due:
            self._move(now, share, text)

    def _move(self, now: float, share: float | None, text: str) -> None:
        """Move the bar, which is made when it is first moved."""
        if self._bar is None:
            self._bar = _bar_class()(total=1.0, bar_format=_TEXT, file=sys.stderr, leave=False)
        self._bar.bar_format = _TEXT if share is None else _BAR
        self._bar.n = min(1.0, share or 0.0)
        self._bar.set_description_str(text, refresh=False)
        self._bar.update(0)
        if now >= self._due:
            self._due = now + _SECONDS
            self._bar.refresh()

    def _beat(self) -> None:
        """Show the seconds since the last news, while there are none."""
        while not self._ended.wait(_SILENT_SECONDS):
            silent = time.monotonic() - self.reported
            if silent >= _SILENT_SECONDS and _open[-1] is self:
                text = f"{self.text} ({silent:.0f} s)".strip()
                if self._bar is None:
                    self._move(self.reported + silent, self.share, text)
                else:
                    self._bar.set_description_str(text)

    def record(self, row: Any) -> None:
        """Pass a row to the trace."""
        if self.trace is not None:
            self.trace.report(row)
