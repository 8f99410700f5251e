"""Thousands of variables with known edges: resources, scores and edges found of each learner."""

import contextlib
import fcntl
import os
import struct
import tempfile
import termios
import threading
import time
from itertools import pairwise
from pathlib import Path

from tests.bench.running import ended, ours, row, table, wanted
from tests.commands import command_line
from tests.reading import header_of

REPLICAS = {"1000": 16, "3000": 47, "10000": 157}  # of 64 variables
ROWS = 5000
LEARNERS = {
    "lsmarkov": ("--time-limit",),
    "coarsen": ("--method", "greedy", "--time-limit"),
    "mplearn": (),  # ends by itself
    "twlearn": ("-w", 4, "--time-limit"),
}


def scale(arguments):
    """Thousands of variables with known edges; `--seconds` for each learner with a time limit."""
    heads = ("learner", "seconds", "MB", "longest silence (s)", "score", "true edges found", "false")
    table(f"Synthetic networks, {ROWS} rows, search {arguments.seconds:g} s", "variables", *heads)
    with tempfile.TemporaryDirectory() as folder:
        for size in wanted(REPLICAS, arguments):
            data, edges = Path(folder) / f"{size}.csv", Path(folder) / f"{size}.edges"
            words = ("--replicas", REPLICAS[size], "--rows", ROWS, "--seed", 1, "--edges", edges, "-o", data, "-q")
            ours("mnmodel", "sample", *words)
            for name in LEARNERS:
                row(size, name, *learned(name, data, edges, arguments.seconds))


def learned(name, data, edges, seconds):
    """Seconds in all, megabytes, longest silence in seconds, score, true and false positives.

    A silence is the time between two writings to stderr, a terminal's progress lines among them.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        options = LEARNERS[name]
        words = (data, "-v", "-o", out, *options, *([seconds] if "--time-limit" in options else []))
        whole, megabytes, silence = watched(name, *words)
        score = header_of(out.read_text())["score"]
        counts = ours("mntools", "compare", out, edges).text.split()
    return f"{whole:.0f}", f"{megabytes:.0f}", f"{silence:.1f}", score, counts[1], counts[3]


def watched(command, *words):
    """Run a command with a terminal for its stderr: seconds in all, megabytes, longest silence."""
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))  # without a size nothing is drawn
    moments = [time.monotonic()]

    def listen():
        with contextlib.suppress(OSError):  # the last end of the terminal was closed
            while os.read(master, 4096):
                moments.append(time.monotonic())

    listener = threading.Thread(target=listen)
    listener.start()
    done = ended([*command_line(command), *words], stderr=terminal)
    os.close(terminal)
    listener.join()
    os.close(master)
    if done.code:
        raise SystemExit(f"{command} {words[0]}: {done.reason}")
    moments.append(moments[0] + done.seconds)
    return done.seconds, done.megabytes, max(after - before for before, after in pairwise(moments))
