"""The start of a command: while its modules are imported, a signal ends the process at once, without a message.

An exception that a signal raises during an import would print a traceback. So until the command handles signals itself
(`common.cli.command`), SIGINT, SIGTERM and SIGUSR1 leave with the exit code of an interruption; no work has begun by
then.
"""

import os
import signal
from importlib import import_module

# besides Ctrl-C; batch systems send SIGUSR1 before the time limit of a job
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGUSR1") if hasattr(signal, name))
INTERRUPTED = 130  # exit code


def start(module):
    """Import the module of a command and run its `main`.

    Parameters
    ----------
    module : str
    """
    handle_signals(_leave)
    import_module(module).main()


def handle_signals(handler):
    """Let SIGINT and `ENDING` call a handler, but for those that the process was started to ignore.

    Parameters
    ----------
    handler : callable taking a signal's number and a frame
        Replaces the one of an earlier call.
    """
    for number in (signal.SIGINT, *ENDING):
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, _leave):
            signal.signal(number, handler)


def _leave(*_):
    os._exit(INTERRUPTED)
