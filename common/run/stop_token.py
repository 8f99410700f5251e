"""Stop tokens: the user or the clock sets them to end a run early.

Kernels check the array `flag`; other code calls `is_set`. A part of a run has a token of its own, which is also set
when that of the whole is, by the signals that the part handles.
"""

from __future__ import annotations

import numpy as np

INTERRUPT, TIME_UP = 1, 2  # signals: bits of a flag


class StopToken:
    """The stop signals received by a run.

    Parameters
    ----------
    handled
        The signals of the whole that end this part, a sum of `INTERRUPT` and `TIME_UP`.

    Attributes
    ----------
    flag : int64[1]
        Their sum, for kernels, which return when it is not zero.
    """

    def __init__(self, handled: int = INTERRUPT | TIME_UP) -> None:
        self.flag = np.zeros(1, np.int64)
        self._handled = handled
        self._parts: list[StopToken] = []

    def set(self, signal: int) -> None:
        """Receive a signal, also in the parts; may be called by a signal handler, at any moment."""
        np.bitwise_or(self.flag, signal, out=self.flag)
        for part in tuple(self._parts):
            part.set(signal & part._handled)

    def is_set(self, signal: int = INTERRUPT | TIME_UP) -> bool:
        """Whether the signal was received; by default, any."""
        return bool(self.flag[0] & signal)

    def add(self, part: StopToken) -> None:
        """Pass signals on to a part, also those received before."""
        self._parts.append(part)
        part.set(int(self.flag[0]) & part._handled)

    def remove(self, part: StopToken) -> None:
        """End what `add` began."""
        self._parts.remove(part)
