"""Measurements of twlearn; scores come from the files that were written, so what is compared was certified."""

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
from tests.bench.figures import K_MAX
from tests.bench.running import SHARED, example_model, ours, row, table, trace_of, wanted
from tests.reading import header_of, read_csv
from tests.score_files import write_parent_sets

# networks of the Bayesian network repository that pgmpy contains, those of BN-SLIM's inputs first
NETWORKS = ("alarm", "barley", "diabetes", "hailfinder", "hepar2", "insurance", "link", "mildew", "munin1")
NETWORKS += ("pathfinder", "pigs", "water", "munin", "andes", "win95pts")
WIDTHS = (2, 5, 8)
ROWS, PARENTS, SETS = 5000, 6, 1000  # BN-SLIM's inputs: 5000 rows, BIC, up to six parents, found by a search


def learned(data, width, parents, method, *options):
    """Run twlearn: its score, its trace as (seconds, iterations, score), megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        out, trace = Path(folder) / "out", Path(folder) / "trace.csv"
        of_data = ("--missing", "state") if data.suffix == ".csv" else ()
        words = (data, "-q", *of_data, "-w", width, "--max-parents", parents, "--method", *method.split())
        done = ours("twlearn", *words, "-o", out, "--trace", trace, *options)
        found = [(float(one["seconds"]), int(one["iterations"]), float(one["score"])) for one in trace_of(trace)]
        return float(header_of(out.read_text())["score"]), found, done.megabytes


def kmax(arguments):
    """twlearn's search compared with k-MAX."""
    heads = ("data", "k-MAX", "chordal", "worst", "passed k-MAX after (s)")
    table("Treewidth 3, 3 parents, ess 10, 15 s: medians of seeds", *heads)
    for name in wanted(K_MAX, arguments):
        published, data, scores, passed = K_MAX[name], SHARED / "coarsen" / f"{name}.csv", [], []
        for seed in range(1, arguments.seeds + 1):
            words = ("--ess", 10, "--time-limit", 15, "--seed", seed)
            score, trace, _ = learned(data, 3, 3, "chordal", *words)
            scores.append(score)
            passed.append(next((at for at, _, score in trace if score > published), float("inf")))
        figures = f"{statistics.median(scores):.3f}", f"{min(scores):.3f}", f"{statistics.median(passed):.2f}"
        row(name, published, *figures)


def ktrees(_arguments):
    """Random k-trees per second, and the memory after 5 s and after 20 s."""
    heads = ("treewidth", "k-trees per second", "MB after 5 s", "after 20 s")
    table("S2 on community (100 variables, 2 parents), one core", *heads)
    for width in (2, 4, 10):
        megabytes = []
        for seconds in (5, 20):
            words = ("--time-limit", seconds, "--threads", 1)
            _, trace, memory = learned(SHARED / "twlearn" / "community_med.csv", width, 2, "s2", *words)
            megabytes.append(f"{memory:.0f}")
        row(width, f"{trace[-1][1] / trace[-1][0]:.0f}", *megabytes)


def networks(arguments):
    """twlearn's methods on parent sets of sampled networks, beside another program."""
    rival, methods = [] if arguments.rival is None else ["rival"], arguments.methods.split(",")
    title = f"{ROWS} rows, BIC, parent sets by search, one thread, {arguments.seconds:g} s of search"
    table(title, "network", "variables", "sets", "treewidth", *rival, *methods)
    limits = ("--time-limit", arguments.seconds, "--threads", 1)
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted(NETWORKS, arguments):
            sets, *sizes = parent_sets(name, folder)
            for width in WIDTHS:
                scores = [rival_score(arguments.rival, sets, width, arguments.seconds) for _ in rival]
                scores += [learned(sets, width, PARENTS, method, *limits)[0] for method in methods]
                row(name, *sizes, width, *(f"{score:.2f}" for score in scores))


def parent_sets(name, folder):
    """Parent-set scores of a sample from a network: the path, the number of variables and that of the sets."""
    data, sets = (Path(folder) / f"{name}.{kind}" for kind in ("csv", "jkl"))
    ours("mnmodel", "sample", example_model(name, folder), "--rows", ROWS, "--seed", 1, "-q", "-o", data)
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


def rival_score(command, sets, width, seconds):
    """The score of another program: the first word that `COMMAND FILE TREEWIDTH SECONDS SEED` prints."""
    line = [*shlex.split(command), str(sets), str(width), f"{seconds:g}", "1"]
    return float(subprocess.run(line, check=True, capture_output=True, text=True).stdout.split()[0])
