"""The progress line of a long search, on stderr: a bar over the time limit or the steps, speed and best score.

Shown on a terminal only; log files get nothing but the log. tqdm draws it.
"""

import logging
import sys
import time

from tqdm import tqdm


class ProgressLine:
    """A context manager that draws what `update` is told.

    Parameters
    ----------
    seconds : float or None
        Time limit: the bar's length.
    steps : int or None
        Bound on steps: the bar's length if there is no time limit.
    """

    def __init__(self, seconds=None, steps=None):
        quiet = not logging.getLogger("cliquewise").isEnabledFor(logging.INFO)
        self.shown = -1.0
        self.began = time.monotonic()
        self.by_time = seconds is not None or steps is None
        form = "{percentage:3.0f}% |{bar:20}| {postfix}" if seconds or steps else "{postfix}"
        self.bar = tqdm(
            total=seconds if self.by_time else steps,
            bar_format=form,
            file=sys.stderr,
            disable=True if quiet else None,  # None: only on a terminal
            leave=False,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bar.close()

    @property
    def elapsed(self):
        """Seconds since it was made."""
        return time.monotonic() - self.began

    def update(self, seconds, steps, text):
        """Move the bar to where the search is, and show `text` behind it."""
        if self.bar.disable:
            return
        now = seconds if self.by_time else steps
        self.bar.n = min(now, self.bar.total or now)
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update(0)
        if self.elapsed >= self.shown + 0.2:
            self.shown = self.elapsed
            self.bar.refresh()
