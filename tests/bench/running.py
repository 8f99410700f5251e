"""How the bench runs a command and prints a table."""

import csv
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.commands import ROOT, command_line

SHARED = ROOT.parent / "shared" / "data"


@dataclass(frozen=True)
class Run:
    """A finished run of lsmarkov: its trace as (seconds, score), seconds in all, steps, scores computed, megabytes."""

    trace: list
    seconds: float
    steps: int
    computed: int
    megabytes: float

    @property
    def score(self):
        """The final score."""
        return self.trace[-1][1]

    @property
    def reached(self):
        """Seconds until the final score."""
        return next(seconds for seconds, score in self.trace if score >= self.score - 1e-6)

    def at(self, limit):
        """The score after this many seconds of search; minus infinity before the first."""
        return max((score for seconds, score in self.trace if seconds <= limit), default=float("-inf"))


def timed(command, *words):
    """Run a command to its end: (seconds, peak megabytes)."""
    seconds, usage = ended(command, *words)
    return seconds, usage.ru_maxrss / 1024


def ended(command, *words):
    """Run a command to its end: (seconds, what the operating system says that it used)."""
    before = time.monotonic()
    process = subprocess.Popen([*command_line(command), *map(str, words)], cwd=ROOT)
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode:
        raise SystemExit(f"{command} {words[0]}: exit code {process.returncode}")
    return time.monotonic() - before, usage


def run_output(command, *words):
    """The output of a command."""
    line = [*command_line(command), *map(str, words)]
    return subprocess.run(line, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def run(data, *options):
    """Run lsmarkov on a file; the trace tells when the final score was reached."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        seconds, megabytes = timed("lsmarkov", data, "-q", "--trace", trace, "-o", f"{folder}/out", *options)
        rows = list(csv.DictReader(trace.open()))
    trace = [(float(row["seconds"]), float(row["score"])) for row in rows]
    return Run(trace, seconds, int(rows[-1]["step"]), int(rows[-1]["scores_computed"]), megabytes)


def columns(data, count, folder, rows=None):
    """A copy of a CSV with only its first columns and rows."""
    path = Path(folder) / f"{data.stem}-{count}.csv"
    lines = data.read_text().splitlines()[: None if rows is None else rows + 1]
    path.write_text("\n".join(",".join(line.split(",")[:count]) for line in lines) + "\n")
    return path


def table(title, *heads):
    """Print a table's head."""
    print(f"\n### {title}\n\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}", flush=True)


def row(*cells):
    """Print a row."""
    print(f"| {' | '.join(str(cell) for cell in cells)} |", flush=True)


def wanted(names, arguments):
    """The requested names."""
    return [name for name in names if not arguments.only or name in arguments.only]
