"""Other programs beside ours, on the same data, in one run, by processor seconds of the whole process.

`make peers` installs them. A program that is not there is left out, with the reason. Each pair also compares results:
the score of the network found, the probabilities, the number of states, the log-likelihood of the model that was
fitted.
"""

import json
import shutil
import statistics
import tempfile
from pathlib import Path

from cliquewise.common.graphs.dag import Dag
from cliquewise.common.graphs.treewidth import treewidth
from tests.bench.running import ended, example_model, ours, row, table, wanted
from tests.bench.treewidth import learned
from tests.commands import ROOT

PEERS = ("pybnesian", "pyagrum", "pgmpy", "polars", "pytoulbar2")
CLIMBED = ("win95pts", "hepar2", "andes", "pigs", "link", "munin")
BOUNDS, MARKS = (3, 5, 10, 25), (10.0, 60.0)  # on the treewidth of ours, and seconds of search
ASKED = ("alarm", "water", "barley", "diabetes", "munin", "pigs", "andes")
FITTED = ("alarm", "win95pts")
ROWS, MISSING = 5000, 0.1
QUESTIONS, PAIRS = (1, 10, 50), 3
READ_ROWS = 1_000_000
R_CLIMB = (  # a column of one state, which bnlearn refuses, adds nothing to a score
    "library(bnlearn); d <- read.csv(commandArgs(TRUE)[1], colClasses = 'factor'); d <- d[sapply(d, nlevels) > 1];"
    "n <- hc(d, score = 'bic'); s <- sprintf('%.2f', score(n, d, type = 'bic'));"
    "cat(format(packageVersion('bnlearn')), s, fill = TRUE);"
    "write.table(arcs(n), row.names = FALSE, col.names = FALSE, quote = FALSE)"
)


def python():
    """The Python in which the peers are installed."""
    return ROOT / ".venv/peers/bin/python"


def sample(model, rows):
    """Rows of a model, as CSV."""
    path = model.with_suffix(f".{rows}.csv")
    ours("mnmodel", "sample", model, "--rows", rows, "--seed", 1, "-q", "-o", path)
    return path


def asked(what, *words):
    """Ask a peer: (program and version, its value, processor seconds); or (None, the reason, 0)."""
    if not python().exists():
        return None, "not installed: make peers", 0.0
    done = ended([python(), "tests/bench/peer_programs.py", what, *words])
    if done.code:
        return None, done.reason, 0.0
    answer = json.loads(done.text.splitlines()[-1])
    return answer["program"], answer["value"], done.processor


def climbed_in_r(data):
    """Hill climbing of bnlearn, as `asked` of pybnesian: (program and version, (BIC, arcs), processor seconds)."""
    if shutil.which("Rscript") is None:
        return None, "no Rscript", 0.0
    done = ended(["Rscript", "-e", R_CLIMB, data])
    if done.code:
        return None, done.reason, 0.0
    (version, score), *arcs = map(str.split, done.text.splitlines())
    return f"bnlearn {version}", (float(score), arcs), done.processor


def shown_treewidth(arcs):
    """The treewidth of a network of named variables, or bounds on it."""
    names = sorted({name for arc in arcs for name in arc})
    dag = Dag(len(names), tuple(sorted((names.index(u), names.index(v)) for u, v in arcs)))
    found = treewidth(dag.moral())
    return f"{found.lower}" if found.lower == found.upper else f"{found.lower} to {found.upper}"


def climbing(arguments, folder):
    """Hill climbing over arcs, whose networks have any treewidth, beside `twlearn` in the same time and later."""
    for name in wanted(CLIMBED, arguments):
        data = sample(example_model(name, folder), ROWS)
        table(f"{name}: BIC on {ROWS} rows", "hill climbing", "BIC", "s", "treewidth")
        marks = []
        for program, found, seconds in (asked("hill_climbing", data), climbed_in_r(data)):
            if program is None:
                row(found)
                continue
            row(program, f"{found[0]:.2f}", f"{seconds:.1f}", shown_treewidth(found[1]))
            marks.append(max(seconds, 1.0))
        marks += MARKS
        table(f"{name}: `twlearn -w`, after seconds of search", "treewidth", *(f"{mark:.1f}" for mark in marks))
        for bound in BOUNDS:
            words = ("--score", "bic", "--threads", 1, "--time-limit", max(marks))
            _, trace, _ = learned(data, bound, bound, "auto", *words)
            scores = (max((score for at, _, score in trace if at <= mark), default="") for mark in marks)
            row(bound, *scores)


def inference(arguments, folder):
    """All marginals, given two variables as in rows of a sample: several questions in one process; medians of pairs."""
    heads = ("network", "peer", "questions", "its s", "ours", "ours / its", "largest difference of a probability")
    table(f"Marginals given two variables, medians of {PAIRS} pairs", *heads)
    for name in wanted(ASKED, arguments):
        model = example_model(name, folder)
        head, *rows = (line.split(",") for line in sample(model, max(QUESTIONS)).read_text().splitlines())
        chosen = len(head) // 3, 2 * len(head) // 3
        for count in QUESTIONS:
            given = Path(folder) / "given.csv"
            given.write_text("".join(",".join(cells[k] for k in chosen) + "\n" for cells in [head, *rows[:count]]))
            one = "--given", ",".join(f"{head[k]}={rows[0][k]}" for k in chosen)
            how = one if count == 1 else ("--given-rows", given)
            times = []
            for _ in range(PAIRS):
                program, theirs, seconds = asked("marginals", model, given)
                if program is None:
                    break
                answer = ours("mnmodel", "marginals", model, *how, "--format", "json", "-q")
                times.append((seconds, answer.processor, answer.processor / seconds))
            if program is None:
                row(name, theirs)
                break
            answers = [json.loads(answer.text)] if count == 1 else json.loads(answer.text)
            both = zip([answer["marginals"] for answer in answers], theirs, strict=True)
            apart = max(abs(own[v][k] - their[v][k]) for own, their in both for v in own for k in own[v])
            medians = map(statistics.median, zip(*times, strict=True))
            row(name, program, count, *(f"{one:.2f}" for one in medians), f"{apart:.1g}")


def reading(_arguments, folder):
    """The states of a large table."""
    table(f"Different cells of {READ_ROWS} rows of alarm", "peer", "its s", "ours", "states, both")
    data = sample(example_model("alarm", folder), READ_ROWS)
    program, count, seconds = asked("states", data)
    if program is None:
        row(count)
        return
    done = ours("mnmodel", "states", data, "-q")
    row(program, f"{seconds:.1f}", f"{done.processor:.1f}", f"{count}, {len(done.text.splitlines()) - 1}")


def em(arguments, folder):
    """Expectation and maximisation on rows of which a tenth of the cells is missing."""
    import numpy as np

    heads = ("network", "peer", "its s", "its log-likelihood", "ours: s", "log-likelihood")
    table(f"EM on {ROWS} rows with {MISSING:.0%} of the cells missing; mean log probability of these rows", *heads)
    for name in wanted(FITTED, arguments):
        model, rng = example_model(name, folder), np.random.default_rng(1)
        data, fitted, own = (Path(folder) / f"{name}.{kind}" for kind in ("blank.csv", "theirs.bif", "ours.bif"))
        head, *lines = sample(model, ROWS).read_text().splitlines()
        incomplete = [",".join("?" if rng.random() < MISSING else cell for cell in line.split(",")) for line in lines]
        data.write_text("\n".join([head, *incomplete]) + "\n")
        program, problem, seconds = asked("em", data, model, fitted)
        if program is None:
            row(name, problem)
            continue
        spent = ours("mnmodel", "fit", data, model, "--missing", "em", "--ess", 1, "-q", "-o", own).processor
        logs = [ours("mnmodel", "loglik", path, data, "-q").text.split()[1] for path in (fitted, own)]
        row(name, program, f"{seconds:.1f}", logs[0], f"{spent:.1f}", logs[1])


def peers(arguments):
    """All pairs."""
    with tempfile.TemporaryDirectory() as folder:
        for pairs in (climbing, inference, reading, em):
            pairs(arguments, folder)
