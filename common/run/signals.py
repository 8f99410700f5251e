"""SIGINT, SIGTERM, SIGUSR1 and SIGHUP while a learner runs: a flag during its search, KeyboardInterrupt before it."""

from __future__ import annotations

import _thread
import math
import os
import signal
import sys
import threading
import time
import weakref
from typing import TYPE_CHECKING

from ..compiled.compiling import is_compiling
from ..start import ENDING_SIGNALS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_REPEAT_SECONDS = 0.5  # `timeout` and terminals may send one interruption twice
_LOSSY_FILES = ("<frozen importlib", weakref.__file__)  # files of code in which an exception is lost
_AGAIN_SECONDS = 0.02  # until a signal that came at a bad moment is handled again
_WATCH_SECONDS = 0.1  # for which the end of a run may wait for the thread that waits for an event


def may_raise(frame: Any) -> bool:
    """Whether an exception that is raised in a frame will propagate.

    Extension modules lose an exception that comes while they import, or report another one, so does the compiler, and
    Python drops those of finalizers. One in `StopFlag.__exit__` would keep the old handlers from being restored, and
    one in numba or llvmlite, which also load compiled kernels, could leave llvmlite's lock taken for ever.
    """
    if is_compiling():
        return False
    loaded = (sys.modules[name].__file__ for name in ("numba", "llvmlite") if name in sys.modules)
    files = _LOSSY_FILES + tuple(os.path.join(os.path.dirname(file), "") for file in loaded if file)
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code.co_filename.startswith(files) or code is StopFlag.__exit__.__code__:
            return False
        frame = frame.f_back
    return True


class StopFlag:
    """A flag set by SIGINT and `ENDING_SIGNALS`, so that a learner can finish its step and return its best network.

    The first signal sets the flag and runs the callbacks. Before the search has begun there is nothing to keep: then it
    is also a KeyboardInterrupt, as is a second Ctrl-C (but no second SIGTERM: `timeout` sends two). Where an exception
    would be lost, the signal is repeated until it has raised KeyboardInterrupt or the search has begun. The old
    handlers are restored on exit; a signal that is ignored stays ignored. Outside the main thread, where Python allows
    no handlers, it is a plain flag.

    Parameters
    ----------
    *callbacks
        Called once, without arguments, by the first signal.
    has_begun
        Whether the search has begun.
    on_second : callable taking a frame, optional
        Called for a second Ctrl-C instead of raising KeyboardInterrupt.
    event : threading.Event, optional
        Sets the flag, too: Python delivers signals to the main thread alone, an event stops a run in any thread.

    Examples
    --------
    >>> with StopFlag() as stop:
    ...     while not stop.is_set():
    ...         stop.set()
    """

    def __init__(
        self,
        *callbacks: Callable,
        has_begun: Callable = lambda: True,
        on_second: Callable | None = None,
        event: threading.Event | None = None,
    ) -> None:
        self.callbacks = list(callbacks)
        self.stopped = threading.Event()
        self.is_set = self.stopped.is_set
        self._has_begun, self._on_second = has_begun, on_second
        self._before: dict = {}
        self._since: float | None = None
        self._raised = -math.inf  # when it raised KeyboardInterrupt
        self._lock = threading.Lock()
        self._is_over = False
        self._repeats = False
        self._watcher = None if event is None else threading.Thread(target=self._watch, args=(event,), daemon=True)

    def set(self) -> None:
        """Stop from inside the program, as a signal would."""
        if not self.stopped.is_set():
            self.stopped.set()
            for callback in self.callbacks:
                callback()

    def __enter__(self) -> StopFlag:
        if threading.current_thread() is threading.main_thread():
            try:
                for number in (signal.SIGINT, *ENDING_SIGNALS):
                    handler = signal.getsignal(number)
                    if handler not in (signal.SIG_IGN, None):  # None: not Python's, and could not be restored
                        self._before[number] = handler
                        signal.signal(number, self._on_signal)
            except BaseException:
                self.__exit__()
                raise
        if self._watcher is not None:
            self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_over = True
        for number in reversed(self._before):  # the one that the host knows last
            signal.signal(number, self._before[number])
        if self._watcher is not None and self._watcher.is_alive():
            self._watcher.join()

    def _watch(self, event: threading.Event) -> None:
        """Set the flag when the event is set."""
        while not self._is_over:
            if event.wait(_WATCH_SECONDS):
                self.set()
                return

    def _on_signal(self, number: int, frame: Any) -> None:
        if self._is_over:
            return
        now = time.monotonic()
        if now - self._raised < _REPEAT_SECONDS:  # it was repeated once too often
            return
        again = number == signal.SIGINT and self._since is not None and now - self._since > _REPEAT_SECONDS
        if number == signal.SIGINT and self._since is None:
            self._since = now
        self.set()
        if again and self._on_second is not None:
            self._on_second(frame)
        if again or not self._has_begun():
            if may_raise(frame):
                self._raised = now
                raise KeyboardInterrupt
            if not self._repeats:
                self._repeats = True
                _thread.start_new_thread(self._repeat, (number,))  # takes none of the locks of `threading`

    def _repeat(self, number: Any) -> None:
        """Repeat a signal until it can be handled."""
        while not self._is_over and self._raised == -math.inf:
            time.sleep(_AGAIN_SECONDS)
            with self._lock:
                if not self._is_over and self._raised == -math.inf:
                    _thread.interrupt_main(number)
