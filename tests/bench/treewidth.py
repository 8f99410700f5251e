"""Measurements of twlearn; every run is a separate process, `timed(command, *words)` of the caller.

Scores come from the files that were written, so what is compared was certified.
"""

import csv
import statistics
import tempfile
from pathlib import Path


def learned(timed, data, width, parents, method, *options):
    """Run twlearn: its header, its trace as (seconds, iterations, score), seconds in all, megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        out, trace = Path(folder) / "out", Path(folder) / "trace.csv"
        words = (data, "-q", "--missing", "state", "-w", width, "--max-parents", parents, "--method", *method.split())
        seconds, megabytes = timed("twlearn", *words, "-o", out, "--trace", trace, *options)
        lines = [line[2:].partition(" ") for line in out.read_text().splitlines() if line.startswith("# ")]
        header = {key: value for key, _, value in lines}
        rows = list(csv.DictReader(trace.open())) if trace.exists() else []
    found = [(float(row["seconds"]), int(row["iterations"]), float(row["score"])) for row in rows]
    return header, found, seconds, megabytes


def next_to_kmax(timed, data, published, seeds):
    """k-MAX's score, ours as median and worst of the seeds, and when the median run passed k-MAX."""
    scores, passed = [], []
    for seed in range(1, seeds + 1):
        words = ("--ess", 10, "--time-limit", 15, "--seed", seed)
        header, trace, _, _ = learned(timed, data, 3, 3, "chordal", *words)
        scores.append(float(header["score"]))
        passed.append(next((at for at, _, score in trace if score > published), float("inf")))
    return published, f"{statistics.median(scores):.3f}", f"{min(scores):.3f}", f"{statistics.median(passed):.2f}"


def ktrees_a_second(timed, data, width):
    """k-trees per second on one core, and the memory after 5 s and after 20 s."""
    megabytes = []
    for seconds in (5, 20):
        words = ("--time-limit", seconds, "--threads", 1)
        _, trace, _, memory = learned(timed, data, width, 2, "s2", *words)
        megabytes.append(f"{memory:.0f}")
    return f"{trace[-1][1] / trace[-1][0]:.0f}", *megabytes
