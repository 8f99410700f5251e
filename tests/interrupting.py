"""One harness for learners that a signal ends: a process of its own, whose search is under way when it comes."""

import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

from tests.commands import IMPORTABLE, command_line

TRACE = "trace"
COMPILING = 300  # seconds that kernels may take beside other processes


def interrupted(name, *args, signals, lines=1, pause=0.0):
    """The files and messages of a learner that signals end; its exit code must be 130, without a traceback.

    Parameters
    ----------
    name : str
        Of the command.
    *args : object
        Its words; the trace is written to TRACE in the working folder.
    signals : tuple of int
        Sent one after another.
    lines : int
        Of the trace before the first is sent: its kernels are compiled when there is one.
    pause : float
        Seconds after that.

    Returns
    -------
    SimpleNamespace
        `stdout` and `stderr`, text.
    """
    words = [*command_line(name), *map(str, args), "--trace", TRACE]
    trace, end = Path(TRACE), time.monotonic() + COMPILING
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, env={**os.environ, **IMPORTABLE}, **streams) as process:
        while not (trace.exists() and trace.read_text().count("\n") >= lines):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < end, "the search did not begin"
            time.sleep(0.005)  # a search of blankets takes 0.05 s
        time.sleep(pause)
        for number in signals:
            process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130 and "Traceback" not in err and "ERROR" not in err, err
    return SimpleNamespace(stdout=out, stderr=err)
