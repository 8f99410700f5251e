"""`make bench`: tables of speed and quality, compared with the published figures.

    python -m tests.bench [TABLE]... [--seconds 30] [--seeds 5] [--only NAME]...

The tables are start, speed, quality and exact (of lsmarkov), dmscore, kmax and ktrees (of twlearn). Longer ones are run
when asked for: searches (lsmarkov's scores and times by seeds), ablation (of `--learner`), searched (of coarsen), scale
(all learners on thousands of variables), networks (twlearn beside another program, on samples of pgmpy's networks),
growth (all tools by rows, variables and cliques), counted (scores a second by rows), proofs (of junctor's cutting
planes), density (averages of networks of bootstrap samples), scores (networks by every score), incomplete (networks
from data with missing cells), known_directions (arcs of known networks, without and with their tiers) and peers (other
programs beside ours; `make peers` installs them). The tables of the papers are made by `make papers`.

Each run is a process of its own, timed as a whole, its peak memory read from the operating system. Kernels are compiled
first. The data are those of ../shared; without them only the sets in data/ are run, with nothing to compare.
"""

import argparse
import os
import statistics
import tempfile

from tests.bench.coarse import searched
from tests.bench.counting import ROWS, binary, rate
from tests.bench.density import density
from tests.bench.figures import DMSCORE, EXACT, LSMARKOV, STEPS, TABLE_1
from tests.bench.growth import growth
from tests.bench.knowledge import known_directions
from tests.bench.missing_cells import incomplete
from tests.bench.peers import peers
from tests.bench.proofs import proofs
from tests.bench.running import SHARED, columns, ours, row, run, table, wanted
from tests.bench.scale import scale
from tests.bench.scores import scores
from tests.bench.search import searches
from tests.bench.treewidth import kmax, ktrees, networks
from tests.commands import ROOT

OWN = ("votes", "zoo", "soybean", "dna", "wine", "breast_cancer", "letter", "digits")


def several(data, arguments, *options):
    """Runs with the seeds 1, 2, ..."""
    return [run(data, "--seed", seed, *options) for seed in range(1, arguments.seeds + 1)]


def counted(arguments):
    """Scores a second by the number of rows."""
    table("Scores a second, all sets of up to 3 of 30 binary variables", "rows", "threads", "bit planes", "row by row")
    for name in wanted(ROWS, arguments):
        data = binary(ROWS[name])
        for threads in (1, 2):
            (ours, rows), (plain, _) = (rate(data, threads, planes) for planes in (True, False))
            row(rows, threads, f"{ours:.0f}", f"{plain:.0f}")


def speed(arguments):
    """Search steps per second of the published search on one core."""
    table("Search steps per second, one core, --preset ecai2020, 10 s", "data", "ours", "original", "ratio", "MB")
    for name in wanted(STEPS, arguments):
        options = ("--ess", 10, "--preset", "ecai2020", "--threads", 1, "--time-limit", 10)
        runs = several(SHARED / "lsmarkov" / f"{name}.csv", arguments, *options)
        ours = statistics.median(one.steps / 10 for one in runs)
        row(name, f"{ours:.0f}", STEPS[name], f"{ours / STEPS[name]:.0f}", f"{runs[0].megabytes:.0f}")


def quality(arguments):
    """Scores within the time limit."""
    heads = ("data", "after 5 s", "at the end", "best", "reached after (s)", "paper", "reference", "end - best known")
    conditions = f"{arguments.seconds:g} s, {arguments.threads} threads, medians of {arguments.seeds} seeds"
    table(f"BDeu, ess 10, {conditions}", *heads)
    limits = ("--ess", 10, "--time-limit", arguments.seconds, "--threads", arguments.threads)
    if not SHARED.exists():
        for name in wanted(OWN, arguments):
            options = ("--missing", "state", *limits)
            runs = several(ROOT / "data" / f"{name}.csv", arguments, *options)
            row(name, *_quality(runs), "", "", "")
        return
    for name in wanted(LSMARKOV, arguments):
        paper, reference = LSMARKOV[name]
        known = max(figure for figure in (paper, reference) if figure is not None)
        runs = several(SHARED / "lsmarkov" / f"{name}.csv", arguments, *limits)
        median = statistics.median(one.score for one in runs)
        row(name, *_quality(runs), paper, reference or "", f"{median - known:+.3f}")


def _quality(runs):
    """Medians after 5 s and at the end, the best of all, and the median time of the last improvement of a run."""
    median, best = statistics.median(one.score for one in runs), max(one.score for one in runs)
    early, reached = statistics.median(one.at(5.0) for one in runs), statistics.median(one.reached for one in runs)
    return f"{early:.3f}", f"{median:.3f}", f"{best:.3f}", f"{reached:.1f}"


def exact(arguments):
    """Known optima: time to reach them."""
    table("Known optima", "data", "ess", "n", "optimum", "ours", "seconds")
    with tempfile.TemporaryDirectory() as folder:
        for (name, ess), optima in EXACT.items():
            for n, optimum in optima.items() if name in wanted([name], arguments) else ():
                data = columns(SHARED / "coarsen" / f"{name}.csv", n, folder)
                one = run(data, "--ess", ess, "--time-limit", 30, "--target-score", optimum - 1e-5)
                row(name, ess, n, optimum, f"{one.score:.6f}", f"{one.reached:.2f}")
        for name, optimum in TABLE_1.items():
            if name in wanted([name], arguments):
                data = columns(SHARED / "lsmarkov" / f"{name}.csv", 17, folder)
                one = run(data, "--ess", 10, "--time-limit", 30, "--target-score", optimum - 0.05)
                row(name, 10, 17, optimum, f"{one.score:.4f}", f"{one.reached:.2f}")


def dmscore(arguments):
    """Scores of all sets, the whole command with reading and writing."""
    heads = ("data", "variables", "rows", "sets of up to", "seconds", "MB")
    table("dmscore, ess 10, all cores, the whole command", *heads)
    with tempfile.TemporaryDirectory() as folder:
        for name, (source, n, rows, largest) in DMSCORE.items():
            data = columns(SHARED / source, n, folder, rows)
            if name in wanted([name], arguments):
                options = ("-q", "--missing", "state", "-o", f"{folder}/out")
                ours("dmscore", data, 10, 1, *options)  # compile
                done = ours("dmscore", data, 10, largest, *options)
                row(name, n, rows, largest, f"{done.seconds:.1f}", f"{done.megabytes:.0f}")


def ablation(arguments):
    """Every part of a search left out or changed; see `tests.bench.ablation`."""
    from tests.bench import ablated_mixture, ablated_posterior, ablated_proofs, ablated_search
    from tests.bench.ablation import compared, every_figure
    from tests.bench.results import Results

    learners = {
        "lsmarkov": ablated_search,
        "mixture": ablated_mixture,
        "mnposterior": ablated_posterior,
        "junctor": ablated_proofs,
    }
    ablated, results = learners[arguments.learner].ABLATED, Results(arguments.results)
    variants = list(ablated.variants)
    if arguments.variants is not None:
        variants = ["default", *arguments.variants.split(";")]
    seconds, seeds = arguments.after or [arguments.seconds], range(1, arguments.seeds + 1)
    ablated.load()
    found = {
        case: every_figure(ablated, case, variants, seconds, seeds, results)
        for case in wanted(ablated.cases, arguments)
    }
    for place, after in enumerate(seconds):
        title = f"{ablated.title}; {after:g} s of one core, {arguments.seeds} seeds"
        table(
            f"{title}: medians and their differences to the first; pairs of seeds better and worse", "data", *variants
        )
        for case, of in found.items():
            first, *others = (of[variant][:, place] for variant in variants)
            cells = [f"{statistics.median(first):.3f} (range {max(first) - min(first):.3f})"]
            for change, better, worse in (compared(first, other) for other in others):
                cells.append(f"{change:+.3f} ({better}:{worse})")
            row(case, *cells)


def start(_arguments):
    """The time until the first output."""
    table("Starting", "what", "seconds (median of 5)")
    times = [ours("lsmarkov", "--help").seconds for _ in range(5)]
    row("lsmarkov --help", f"{statistics.median(times):.2f}")
    votes = ROOT / "data" / "votes.csv"
    runs = [run(votes, "--missing", "state", "--iterations", 1) for _ in range(5)]
    row("a first result on data/votes.csv", f"{statistics.median(one.seconds for one in runs):.2f}")


def main():
    """Run the requested tables."""
    usual = (start, speed, quality, exact, dmscore, kmax, ktrees)
    tables = {t.__name__: t for t in usual}
    lsmarkov_and_coarsen, others = (
        (searches, ablation, searched),
        (growth, counted, proofs, density, scores, incomplete, known_directions, peers),
    )
    longer = {t.__name__: t for t in (*lsmarkov_and_coarsen, scale, networks, *others)}
    parser = argparse.ArgumentParser(prog="python -m tests.bench")
    parser.add_argument("tables", nargs="*", choices=[[], *tables, *longer], default=[])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2, help="of density, quality and searches")
    parser.add_argument("--folds", type=int, default=1, help="of density")
    parser.add_argument("--only", action="append")
    parser.add_argument("--variants", help="of ablation: some of them, separated by semicolons")
    parser.add_argument(
        "--after", type=float, action="append", help="of ablation: seconds; repeated, figures of the same runs"
    )
    parser.add_argument("--results", help="of ablation: a file, from which an interrupted measurement goes on")
    learners = ("lsmarkov", "mixture", "mnposterior", "junctor")
    parser.add_argument("--learner", choices=learners, default="lsmarkov", help="of ablation")
    parser.add_argument("--methods", default="chordal,climb", help="of networks: methods of twlearn")
    parser.add_argument("--rival", help="of networks: a command; FILE TREEWIDTH SECONDS SEED are added")
    arguments = parser.parse_args()
    chosen = arguments.tables or (tables if SHARED.exists() else ["start", "quality"])
    run(ROOT / "data" / "votes.csv", "--missing", "state", "--iterations", 1)  # compile
    run(ROOT / "data" / "votes.csv", "--missing", "state", "--iterations", 1, "--preset", "ecai2020")
    ours("coarsen", ROOT / "data" / "tiny.csv", "-q", "-o", os.devnull)
    for method in ("chordal", "s2", "skp", "kp", "milp"):
        words = (ROOT / "data" / "tiny.csv", "-q", "-w", 2, "--method", method, "--time-limit", 0.1)
        ours("twlearn", *words, "-o", os.devnull)
    for name in chosen:
        {**tables, **longer}[name](arguments)


if __name__ == "__main__":
    main()
