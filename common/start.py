"""The start of a command: while its modules are imported, Ctrl-C ends the process at once, without a message.

An exception that a signal raises during an import would print a traceback. So until the command handles signals itself
(`common.cli.command`), SIGINT has its default action; no work has begun by then.
"""

import signal
from importlib import import_module


def start(module):
    """Import the module of a command and run its `main`.

    Parameters
    ----------
    module : str
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a background job may ignore it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import_module(module).main()
