"""Thousands of variables with known edges: resources, scores and edges found of each learner."""

import fcntl
import os
import struct
import subprocess
import tempfile
import termios
import time
from pathlib import Path

from tests.commands import ROOT, command_line

REPLICAS = {"1000": 16, "3000": 47, "10000": 157}  # of 64 variables
ROWS = 5000
LEARNERS = {
    "lsmarkov": ("--time-limit",),
    "coarsen": ("--method", "greedy", "--time-limit"),
    "mplearn": (),  # ends by itself
    "twlearn": ("-w", 4, "--time-limit"),
}


def sampled(timed, size, folder):
    """Data of this many variables, and the true edges: two paths."""
    data, edges = Path(folder) / f"{size}.csv", Path(folder) / f"{size}.edges"
    words = ("--replicas", REPLICAS[size], "--rows", ROWS, "--seed", 1, "--edges", edges, "-o", data, "-q")
    timed("mnmodel", "sample", *words)
    return data, edges


def learned(name, data, edges, seconds):
    """Seconds in all, megabytes, longest silence in seconds, score, true and false positives.

    A silence is the time between two writings to stderr, a terminal's progress lines among them.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        options = LEARNERS[name]
        words = (data, "-v", "-o", out, *options, *([seconds] if "--time-limit" in options else []))
        whole, megabytes, silence = watched(name, *words)
        header = dict(line[2:].split(" ", 1) for line in out.read_text().splitlines() if line.startswith("# "))
        found = subprocess.run([*command_line("mntools"), "compare", out, edges], capture_output=True, cwd=ROOT)
        counts = found.stdout.decode().split()
    return f"{whole:.0f}", f"{megabytes:.0f}", f"{silence:.1f}", header["score"], counts[1], counts[3]


def watched(command, *words):
    """Run a command with a terminal for its stderr: seconds in all, megabytes, longest silence."""
    master, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))  # without a size nothing is drawn
    began = last = time.monotonic()
    process = subprocess.Popen([*command_line(command), *map(str, words)], stderr=terminal, cwd=ROOT)
    os.close(terminal)
    silence = 0.0
    while True:
        try:
            output = os.read(master, 4096)
        except OSError:  # the last end of the terminal was closed
            break
        if not output:
            break
        now = time.monotonic()
        silence, last = max(silence, now - last), now
    os.close(master)
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise SystemExit(f"{command} {words[0]}: exit code {process.returncode}")
    now = time.monotonic()
    return now - began, usage.ru_maxrss / 1024, max(silence, now - last)
