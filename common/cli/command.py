"""How every command starts and ends: error boundary, exit codes, log lines on stderr, orderly interruption.

Exit codes: 0 done, 1 bad data (or any failure), 2 bad usage, 130 interrupted. A command function returns
None or its exit code. Every failure is one line on stderr; `CLIQUEWISE_DEBUG=1` adds the traceback.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..compiled.registries import leave_out_blas
from ..errors import CliquewiseError
from ..files.streams import discard_output, fails, replace_closed_streams
from ..learning.host import Host
from ..python_words import as_a_command
from ..run.signals import StopFlag, may_raise
from ..start import ENDING_SIGNALS, INTERRUPTED, handle_signals
from . import interruption
from .compatibility import check
from .provenance import command_line
from .typed import TypedOptions

if TYPE_CHECKING:
    from ..learning.learner_options import LearnerOptions
    from ..learning.task import Certified

LOG = logging.getLogger("cliquewise")
_ALLOCATIONS = 100_000  # between two looks for garbage: the compiler's objects are many, and die together
_tasks: list[Callable[[], None]] = []  # of `before_exit`


def main(command: click.Command, prog_name: str) -> None:
    """Run a click command as a program: never returns.

    Parameters
    ----------
    prog_name
        The console script's name, for messages.
    """
    sys.unraisablehook = _exit_if_interrupted
    gc.set_threshold(_ALLOCATIONS)
    leave_out_blas()
    code = run(command, prog_name)
    fails(sys.stderr)  # or Python's own last flush would change the exit code
    atexit.register(_ignore_signals)
    sys.exit(code)


def run(command: click.Command, prog_name: str, args: list[str] | None = None) -> int:
    """Run a click command inside the error boundary.

    Parameters
    ----------
    prog_name
        For messages.
    args
        Arguments; the process's own if None.

    Returns
    -------
    int
        Exit code.
    """
    replace_closed_streams()
    set_verbosity(logging.INFO, prog_name)
    try:
        _handle_signals()
        with as_a_command():
            code = command.main(args=args, prog_name=prog_name, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except SystemExit as stop:  # click ends a command this way when its output pipe is closed
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except (Exception, KeyboardInterrupt) as error:
        if os.environ.get("CLIQUEWISE_DEBUG", "0") not in ("", "0"):
            traceback.print_exc()
        code, message = _verdict(error)
        if message:
            with contextlib.suppress(OSError):  # the exit code also reports it
                print(f"{prog_name}: {message}", file=sys.stderr)
        return code


@contextlib.contextmanager
def before_exit(task: Callable[[], None]) -> Iterator[None]:
    """Within this context, a process that exits runs a task first: to write the results of earlier runs."""
    _tasks.append(task)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            _tasks.remove(task)


def leave() -> NoReturn:
    """End the process at once, as interrupted: nothing is cleaned up, and no thread is waited for."""
    while _tasks:
        _tasks.pop()()
    context = click.get_current_context(silent=True)
    name = context.find_root().info_name if context else None
    with contextlib.suppress(OSError, ValueError):
        print(f"{name or os.path.basename(sys.argv[0])}: {interruption.line()}", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


def handling_signals(interrupt: Callable, has_begun: Callable, before_exit: Callable = lambda: None) -> StopFlag:
    """See `Host.handling_signals`: before there is a network, the process is left at once."""

    def leave_before_start() -> None:
        if not has_begun():
            before_exit()
            leave()

    return StopFlag(leave_before_start, interrupt, on_second=end_now)


def host() -> Host:
    """Who runs a learner: the running command."""
    context = click.get_current_context(silent=True)
    if context is None:
        return Host(handling_signals, echo=click.echo)
    given = TypedOptions.of(context)
    return Host(handling_signals, partial(check, given), partial(command_line, given), click.echo)


def run_learner(prepare: Callable, options: LearnerOptions, choose: str | None = None) -> int:
    """Run a learner, and write its results, or with --dry-run print what it needs; returns the exit code.

    Parameters
    ----------
    prepare, options, choose
        As for `common.learning.choice.planned`.

    Raises
    ------
    CliquewiseError
    """
    from ..learning.choice import planned

    plan = planned(prepare, options, choose, host())
    if options.resources.dry_run:
        return plan.estimate().print()

    def save_so_far() -> None:
        known = plan.so_far()
        if known is not None:
            known.save()
            sys.stdout.flush()

    saved: list[Certified] = []
    code = 0
    with before_exit(save_so_far):
        for result in plan.results():
            code = result.save()
            saved.append(result)
    if len(saved) > 1 and code == 0 and all("seed" in one.header and "score" in one.header for one in saved):
        from ..learning.conclusion import next_line_of_several

        paths = [str(one.output.path) for one in saved]
        LOG.info("%s", next_line_of_several(paths, any("resample" in one.header for one in saved)))
    return code


def _exit_if_interrupted(lost: Any) -> None:
    """End the process if the lost exception is an interruption: Python drops those of weak references and `__del__`."""
    if lost.exc_type is KeyboardInterrupt:
        leave()
    sys.__unraisablehook__(lost)


def _handle_signals() -> None:
    """Let SIGINT and `ENDING_SIGNALS` end a command: files unchanged, one line, exit code 130."""

    def interrupt(number: int, frame: Any) -> None:
        if number != signal.SIGINT:
            signal.signal(number, signal.SIG_IGN)  # `timeout` sends two, and the first is enough
        end_now(frame)

    if threading.current_thread() is threading.main_thread():
        handle_signals(interrupt)


def _ignore_signals() -> None:
    """Let no signal change the exit code of a command that has done its work: Python takes a while to end."""
    for number in (signal.SIGINT, *ENDING_SIGNALS):
        signal.signal(number, signal.SIG_IGN)


def end_now(frame: Any = None) -> NoReturn:
    """End the command.

    Where an exception would be lost (`common.run.signals.may_raise`), the process is left. Files are written whole or
    not at all even so.

    Parameters
    ----------
    frame : frame, optional
        Where a signal came.

    Raises
    ------
    KeyboardInterrupt
    """
    if not may_raise(frame):
        leave()
    raise KeyboardInterrupt


def _advice(message: str) -> str:
    """Advice on a mistake, which messages of click lack."""
    if message.startswith("No such command '") and os.path.exists(message.split("'")[1]):
        return ": it is a file; a command comes before the files"
    if message.startswith("Got unexpected extra argument"):
        return (
            "; options come before --" if "(-" in message or " -" in message else "; a value with blanks needs quotes"
        )
    return ""


def _verdict(error: Any) -> tuple[int, str | None]:
    """Exit code and one line (or None) for an exception."""
    if isinstance(error, CliquewiseError):
        return error.exit_code, " ".join(str(error).splitlines())
    if isinstance(error, click.Abort | KeyboardInterrupt):
        return INTERRUPTED, str(error.__cause__ or error) or "interrupted"  # click raises its Abort from the other
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return 2, error.format_message()
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else ""
        hint = f" (see {path} --help)" if path else ""
        message = (
            " ".join(error.format_message().split()).rstrip(".").replace("a valid integer range", "a whole number")
        )
        return 2, message + _advice(message) + hint
    if isinstance(error, click.ClickException):
        return error.exit_code, error.format_message()
    if isinstance(error, BrokenPipeError):
        discard_output(sys.stdout)
        return 1, None
    if isinstance(error, MemoryError):
        detail = f" ({error})" if str(error) else ""
        return 1, f"out of memory{detail}; use smaller limits or a larger machine"
    if isinstance(error, OSError) and error.strerror:
        name = "standard output" if fails(sys.stdout) else error.filename
        return 1, f"{name}: {error.strerror}" if name else error.strerror
    what = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, ImportError | OSError):
        return 1, f"a library cannot be loaded: {what}; look at its installation, and at the memory of this machine"
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return 1, "the system allows no further thread (ulimit -u, or memory); allow more, or use --threads 1"
    return 1, f"internal error: {what} (set CLIQUEWISE_DEBUG=1 for the traceback, and report it)"


class _StderrHandler(logging.StreamHandler):
    """Writes to the current `sys.stderr`."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        """The current standard error."""
        return sys.stderr


def set_verbosity(level: int, prog_name: str | None = None) -> None:
    """Set up the `cliquewise` logger.

    Parameters
    ----------
    level
        logging.DEBUG (-v), INFO (default) or ERROR (-q).
    prog_name
        Prefix of each line; the first call sets it.
    """
    LOG.setLevel(level)
    if prog_name is not None:
        handler = _StderrHandler()
        handler.setFormatter(_LogFormatter(prog_name))
        LOG.handlers[:] = [handler]
        LOG.propagate = False


def is_verbose() -> bool:
    """Whether -v was given."""
    return LOG.isEnabledFor(logging.DEBUG)


class _LogFormatter(logging.Formatter):
    """`prog: message`, with the level for warnings and errors."""

    def __init__(self, prog_name: str) -> None:
        super().__init__()
        self.prog_name = prog_name

    def format(self, record: Any) -> str:
        """One line of log."""
        level = f"{record.levelname.lower()}: " if record.levelno >= logging.WARNING else ""
        return f"{self.prog_name}: {level}{record.getMessage()}"
