"""Measurements of twlearn; every run is a separate process, `timed(command, *words)` of the caller.

Scores come from the files that were written, so what is compared was certified.
"""

import csv
import gzip
import importlib.resources
import shlex
import statistics
import subprocess
import tempfile
from pathlib import Path

from cliquewise.common.files.parentsets import ParentSets
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.families import families_of
from tests.reading import read_csv
from tests.score_files import write_parent_sets

# networks of the Bayesian network repository that pgmpy contains, those of BN-SLIM's inputs first
NETWORKS = ("alarm", "barley", "diabetes", "hailfinder", "hepar2", "insurance", "link", "mildew", "munin1")
NETWORKS += ("pathfinder", "pigs", "water", "munin", "andes", "win95pts")
WIDTHS = (2, 5, 8)
ROWS, PARENTS, SETS = 5000, 6, 1000  # BN-SLIM's inputs: 5000 rows, BIC, up to six parents, found by a search


def learned(timed, data, width, parents, method, *options):
    """Run twlearn: its header, its trace as (seconds, iterations, score), seconds in all, megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        out, trace = Path(folder) / "out", Path(folder) / "trace.csv"
        of_data = ("--missing", "state") if data.suffix == ".csv" else ()
        words = (data, "-q", *of_data, "-w", width, "--max-parents", parents, "--method", *method.split())
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


def parent_sets(timed, name, folder):
    """Parent-set scores of a sample from a network: the path, the number of variables and that of the sets."""
    bif, data, sets = (Path(folder) / f"{name}.{kind}" for kind in ("bif", "csv", "jkl"))
    models = importlib.resources.files("pgmpy") / "utils" / "example_models"
    bif.write_bytes(gzip.decompress((models / f"{name}.bif.gz").read_bytes()))
    timed("mnmodel", "sample", bif, "--rows", ROWS, "--seed", 1, "-q", "-o", data)
    sample = read_csv(data, missing="state", warn=False, merge=True)
    with Monitor() as monitor:
        config = Config(PARENTS, max_parents=PARENTS, parent_sets=SETS)
        found = families_of(sample, Scoring("bic"), config, monitor)
    cuts = found.start[1:-1]
    names = tuple(map(str, range(found.n)))
    blocks = tuple(tuple(part) for part in (_split(found.parents, cuts), _split(found.scores, cuts)))
    write_parent_sets(sets, ParentSets(names, *blocks))
    return sets, found.n, len(found.scores)


def _split(rows, cuts):
    return [rows[first:end] for first, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


def on_parent_sets(timed, sets, width, method, seconds):
    """The score that a method of twlearn reaches from a file of parent sets with one thread."""
    words = ("--time-limit", seconds, "--threads", 1)
    header, _, _, _ = learned(timed, sets, width, PARENTS, method, *words)
    return float(header["score"])


def rival_score(command, sets, width, seconds):
    """The score of another program: the first word that `COMMAND FILE TREEWIDTH SECONDS SEED` prints."""
    line = [*shlex.split(command), str(sets), str(width), f"{seconds:g}", "1"]
    return float(subprocess.run(line, check=True, capture_output=True, text=True).stdout.split()[0])
