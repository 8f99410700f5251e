"""What the bench measures of twlearn; every run a process of its own, `timed(command, *words)` of the caller.

Scores come from the files that were written, so what is compared was certified.
"""

import csv
import statistics
import tempfile
from functools import partial
from pathlib import Path

from tests.bench.running import kept

# by treewidth; skp is for small ones
METHODS = {
    4: ("milp", "skp", "s2 --no-climb", "s2", "chordal"),
    10: ("milp", "s2 --no-climb", "s2", "chordal"),
}


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


def exact(timed, data, width, method):
    """Seconds of the command, and what is proved."""
    header, _, seconds, _ = learned(timed, data, width, 3, method, "--time-limit", 600)
    status, score = header["status"], float(header["score"])
    if status != "optimal" and "upper-bound" in header:
        status += f", gap {(float(header['upper-bound']) - score) / abs(score):.2%}"
    return f"{seconds:.1f}", status


def compared(timed, data, width, parents, arguments):
    """For each method its worst, median and best normalised score in per cent; and the best score of all.

    0 is the network without arcs, 100 the best score of any method and seed. Each run has one thread. The integer
    program has no seeds.
    """
    empty = float(learned(timed, data, 1, 0, "s2", "--iterations", 1)[0]["score"])

    def score(method, seed):
        options = ("--threads", 1, "--time-limit", arguments.seconds, "--seed", seed)
        return float(learned(timed, data, width, parents, method, *options)[0]["score"])

    scores = {method: [] for method in METHODS[width]}
    for method, found in scores.items():
        for seed in range(1, 2 if method == "milp" else arguments.seeds + 1):
            key = [data.stem, width, method, seed, arguments.seconds]
            found.append(kept(arguments.keep, key, partial(score, method, seed)))
    best = max(map(max, scores.values()))
    cells = []
    for found in scores.values():
        share = [100.0 * (score - empty) / (best - empty) for score in found]
        cells.append(" ".join(f"{part:.1f}" for part in (min(share), statistics.median(share), max(share))))
    return *cells, f"{best:.3f}"
