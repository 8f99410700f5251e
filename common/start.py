"""The start of a command: while its modules are imported, a signal ends the process at once, without a message.

An exception that a signal raises during an import would print a traceback. So until the command handles signals itself
(`common.cli.command`), SIGINT and `ENDING_SIGNALS` leave with the exit code of an interruption; no work has begun by
then. An environment in which the libraries cannot be loaded, or hang while they are loaded, is refused before that.
"""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

# besides Ctrl-C; batch systems send SIGUSR1 before the time limit of a job, and a terminal that is closed SIGHUP
ENDING_SIGNALS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGUSR1", "SIGHUP") if hasattr(signal, name))
INTERRUPTED = 130  # exit code
PROGRAM_SPACE = 1100  # MB of address space that the largest command takes on small data, without what threads add
THREAD_SPACE = 100  # MB that the two OpenBLAS (of numpy and scipy) reserve for a thread: buffers and stacks
MAX_POOL_THREADS = 64  # threads of an OpenBLAS


def start(module: str, command: str | None = None) -> None:
    """Import the module of a command and run its `main`.

    Messages begin with the name of the command, by default that of the module's package.

    Imported modules stay, so garbage collection is off during the import and does not scan them at the end.
    OpenBLAS, which only layouts and mixtures use, has one thread unless the environment sets more: starting more
    takes as long as a small command, they are not those of `--threads`, and sums of as many parts have other last
    digits.
    """
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    handle_signals(_leave)
    if (problem := unfit()) is not None:
        code, message = problem
        print(f"{command or module.split('.')[-2]}: {message}", file=sys.stderr)
        sys.exit(code)
    main = import_module(module).main
    gc.enable()
    atexit.register(gc.freeze)
    main()


def unfit() -> tuple[int, str] | None:
    """Settings of the environment that prevent the libraries from loading, or from ending.

    Returns
    -------
    (int, str) or None
        Exit code and message.
    """
    try:
        os.getcwd()
    except OSError as error:
        return 1, f"the working folder cannot be used: {error.strerror}; change to one that exists (cd)"
    threads = os.environ.get("NUMBA_NUM_THREADS")
    if threads is not None and not (threads.isascii() and threads.isdigit() and int(threads[:9]) > 0):
        return 2, f"NUMBA_NUM_THREADS={threads!r} in the environment: not a whole number from 1; unset it"
    interface = os.environ.get("CLIQUEWISE_NUMBA", "")
    if interface not in ("", "tuned", "public"):
        return 2, f"CLIQUEWISE_NUMBA={interface!r} in the environment: neither 'tuned' nor 'public'; unset it"
    text, cores = os.environ.get("OPENBLAS_NUM_THREADS", ""), min(os.cpu_count() or 1, MAX_POOL_THREADS)
    pool = min(int(text[:9]) or cores, cores) if text.isascii() and text.isdigit() else cores
    space, needed = _space_limit(), PROGRAM_SPACE + THREAD_SPACE * pool
    if space is not None and space < needed * 1_000_000:
        found = f"the address space is limited to {space // 1_000_000} MB, the libraries need {needed} MB"
        return 1, f"{found}; raise the limit (ulimit -v {needed * 1000} or unlimited)"
    return None


def _space_limit() -> Any:
    """Bytes of address space that this process may take; None without a limit."""
    try:
        import resource
    except ImportError:  # not a Unix
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


def handle_signals(handler: Callable) -> None:
    """Let SIGINT and `ENDING_SIGNALS` call a handler, but for those that the process was started to ignore.

    Parameters
    ----------
    handler : callable taking a signal's number and a frame
        Replaces the one of an earlier call.
    """
    for number in (signal.SIGINT, *ENDING_SIGNALS):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, _leave):
            signal.signal(number, handler)


def _leave(*_: Any) -> None:
    os._exit(INTERRUPTED)
