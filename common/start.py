"""The first that a command does: while its parts are imported, Ctrl-C ends the process at once and without a word.

An exception that a signal raises in the midst of an import comes out as a traceback. So until the command heeds
signals itself (`common.cli.command`), SIGINT does what it does to a program in C; nothing is begun by then.
"""

import signal
from importlib import import_module


def start(module):
    """Import the module of a command and run its `main`.

    Parameters
    ----------
    module : str
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a background job may be told to ignore it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    import_module(module).main()
