"""How the bench runs a command and prints a table."""

import contextlib
import csv
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cliquewise.data.papers.fetch import from_package
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


class Ended(NamedTuple):
    """A process that has ended: exit code, what it printed, seconds of the clock and of the processor, megabytes."""

    code: int
    text: str
    errors: str
    seconds: float
    processor: float
    megabytes: float

    @property
    def reason(self):
        """The last line of errors, or the exit code."""
        return (self.errors.strip().splitlines() or [f"exit code {self.code}"])[-1]


def ended(line, **options):
    """Run a command line to its end, with bytecode kept; `options` are those of Popen."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        streams = {"stdout": out, "stderr": errors}
        process = subprocess.Popen(list(map(str, line)), **streams | options, cwd=ROOT, env=kept)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        processor = usage.ru_utime + usage.ru_stime
        return Ended(process.returncode, out.read(), errors.read(), seconds, processor, usage.ru_maxrss / 1024)


def ours(command, *words):
    """One of our commands, run to its end without an error."""
    done = ended([*command_line(command), *words])
    if done.code:
        raise SystemExit(f"{command} {words[0]}: {done.reason}")
    return done


def example_model(name, folder):
    """A network that pgmpy contains, as BIF: its path."""
    path = Path(folder) / f"{name}.bif"
    path.write_bytes(from_package(f"{name}.bif.gz"))
    return path


def trace_of(path):
    """The rows of a trace, dicts of text; none where there is no file."""
    with contextlib.suppress(FileNotFoundError), path.open() as file:
        return list(csv.DictReader(file))
    return []


def run(data, *options):
    """Run lsmarkov on a file; the trace tells when the final score was reached."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace.csv"
        done = ours("lsmarkov", data, "-q", "--trace", trace, "-o", f"{folder}/out", *options)
        rows = trace_of(trace)
    trace = [(float(row["seconds"]), float(row["score"])) for row in rows]
    return Run(trace, done.seconds, int(rows[-1]["step"]), int(rows[-1]["scores_computed"]), done.megabytes)


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
    """The requested names; if there is none of them, what there is."""
    found = [name for name in names if not arguments.only or name in arguments.only]
    if not found:
        print(f"--only {', '.join(arguments.only)}: none of {', '.join(names)}", file=sys.stderr)
    return found
