"""`--ess` with several numbers: the one that `--choose` says is kept, by the numbers that an oracle finds."""

import csv
import math
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import cliquewise
from cliquewise.common.cli import command
from cliquewise.common.errors import UsageError
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.learning.choice import FOLDS, SEED
from cliquewise.common.learning.learner_options import LearnerOptions
from cliquewise.common.learning.options import CheckpointOptions, OutputOptions, ScoreOptions
from cliquewise.common.learning.resources import ResourceOptions
from cliquewise.common.learning.sources import LearningOptions
from cliquewise.common.learning.task import Certified, LearnerPlan
from cliquewise.common.models.held_out import folds
from cliquewise.common.run.limits import Limits
from tests.commands import ROOT
from tests.oracles.fitted import chordal_distribution, directed_distribution
from tests.random_inputs import arity_of, csv_of, random_dataset, rows_of

SIZES = (0.1, 1, 10, 100)


def tried(network):
    """{ess: value} of the header."""
    found = re.findall(r"ess ([\d.]+): (-?[\d.]+)", network.header["tried"])
    return {float(ess): float(value) for ess, value in found}


def mean_log(truth, rows):
    """The mean log probability of rows."""
    return sum(math.log(truth[tuple(row)]) for row in rows) / len(rows)


@pytest.mark.parametrize("seed", range(3))
def test_the_score_chooses(seed):
    data = random_dataset(seed, 5, 60, 3)
    alone = {ess: cliquewise.junctor(data, ess=ess, method="dp") for ess in SIZES}
    found = cliquewise.junctor(data, ess=list(SIZES), choose="evidence", method="dp")
    assert tried(found) == {ess: network.score() for ess, network in alone.items()}
    best = alone[max(alone, key=lambda ess: alone[ess].score())]
    assert found.graph == best.graph and found.header["ess"] == best.header["ess"]
    assert found.status == "optimal" and found.header["chosen-by"] == "evidence"


@pytest.mark.parametrize("seed", range(3))
def test_the_rows_of_a_file_choose(seed, tmp_path):
    """Some rows have states that the data lack; they get a probability."""
    both = random_dataset(seed, 4, 80, 3)
    rows = rows_of(both)
    learned = [row for row in rows[:50] if row[0] < both.arity[0] - 1]
    data = csv_of(replace(both, codes=np.array(learned)), tmp_path / "data.csv")
    test = csv_of(replace(both, codes=both.codes[50:]), tmp_path / "test.csv")
    found = cliquewise.lsmarkov(data, ess=list(SIZES), choose=test, iterations=500)
    values = {}
    for ess in SIZES:
        graph = cliquewise.lsmarkov(data, ess=ess, iterations=500).graph
        values[ess] = mean_log(chordal_distribution(learned, arity_of(both), graph.edges, ess), rows[50:])
    assert tried(found) == pytest.approx(values, abs=1e-6)
    assert float(found.header["ess"]) == max(values, key=values.get)
    with open(test, encoding="utf-8", newline="") as file:
        names, *cells = csv.reader(file)
    columns = dict(zip(names, zip(*cells, strict=True), strict=True))
    for table in (columns, cliquewise.read_csv(test), Path(test)):
        assert cliquewise.lsmarkov(data, ess=list(SIZES), choose=table, iterations=500).header == found.header
    with pytest.raises(UsageError, match="choose: .*a DataFrame, a dict of columns or the result of read_csv"):
        cliquewise.lsmarkov(data, ess=list(SIZES), choose=5, iterations=500)


@pytest.mark.parametrize("seed", range(2))
def test_cross_validation_chooses(seed):
    data = random_dataset(seed, 4, 53, 3)
    found = cliquewise.twlearn(data, ess=list(SIZES), choose="cv", treewidth=2, method="kp")
    values = {}
    for ess in SIZES:
        logs = []
        for part, test in folds(data, FOLDS, SEED):
            dag = cliquewise.twlearn(part, ess=ess, treewidth=2, method="kp").graph
            rows = np.repeat(part.codes, part.counts, axis=0).tolist()
            truth = directed_distribution(list(map(tuple, rows)), arity_of(data), dag.parents(), ess)
            logs += [math.log(truth[tuple(row)]) for row in np.repeat(test.codes, test.counts, axis=0).tolist()]
        assert len(logs) == data.n_rows
        values[ess] = sum(logs) / len(logs)
    assert tried(found) == pytest.approx(values, abs=1e-6)
    best = max(values, key=values.get)
    assert found.graph == cliquewise.twlearn(data, ess=best, treewidth=2, method="kp").graph


def test_a_file_is_written_and_checked(run, tmp_path):
    net, zoo = tmp_path / "net", ROOT / "data/zoo.csv"
    words = ("coarsen", zoo, "--method", "greedy", "--ess", "10,1,100", "--choose", "cv", "--provenance", "-o", net)
    done = run(*words)
    assert done.code == 0 and "chosen by cv: ess 10: -" in done.stderr
    assert done.stderr.count("standard error") == 4 and done.stderr.count("; local optimum") == 1
    written = net.read_bytes()
    assert b"# chosen-by cv\n# tried ess 1: -" in written
    assert b"# command coarsen --method greedy --ess 10,1,100 --choose cv --provenance" in written
    checked = run("mntools", "check", net, "--data", zoo)
    assert checked.code == 0 and "not checked" not in checked.stdout
    assert run(*words, "-q").stderr == "" and net.read_bytes() == written


REFUSED = {
    "--ess 1,10": "--ess: several numbers; choose one by --choose",
    "--choose cv": "--choose has no effect with one --ess",
    "--ess 1 --choose cv": "--choose has no effect with one --ess",
    "--ess 1,x --choose cv": "'x' is not a number",
    "--ess 1,0 --choose cv": "0 is not in the range",
    "--ess 1,2 --choose cv --score bic": "has no effect with --score bic",
    "--ess 1,2 --choose cv --seeds 1-3 -o {}": "--choose has no effect with --seeds",
    "--ess 1,2 --choose cv --checkpoint state": "--choose has no effect with --checkpoint",
    "--ess 1,2 --choose nowhere.csv": "nowhere.csv: cannot be read: No such file",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(words, run, here):
    done = run("lsmarkov", ROOT / "data/zoo.csv", *words.split(), "--iterations", 5)
    assert done.code in (1, 2) and REFUSED[words] in done.stderr and done.stdout == ""


def test_rows_that_do_not_fit_are_refused(run, tmp_path):
    data, test = tmp_path / "data.csv", tmp_path / "test.csv"
    data.write_text("a,b\n" + "0,1\n1,0\n1,1\n" * 5)
    words = ("junctor", data, "--ess", "1,2", "--choose", test, "-q")
    for text, message in (("a,c\n0,1\n1,1\n", "no column b"), ("a,b\n?,1\n0,1\n", "missing")):
        test.write_text(text)
        done = run(*words)
        assert done.code == 1 and message in done.stderr and len(done.stderr.splitlines()) == 1
    assert run(*words, "--missing", "state").code == 0  # a state that no row of the data has, like any other


class Learner:
    """A learner whose runs are interrupted from one of them on; before the clock starts, if so."""

    def __init__(self, last, before_start=False):
        self.runs, self.last, self.before_start = [], last, before_start

    def __call__(self, options, host):
        def results():
            ess = options.scoring.ess
            self.runs.append(ess)
            is_interrupted = len(self.runs) > self.last
            if is_interrupted and self.before_start:
                command.leave()
            header = {"score": f"{-ess:.6f}", "ess": str(ess), "status": "complete"}
            header["status"] = "interrupted" if is_interrupted else "complete"
            yield Certified(Graph(2, (), options.source.data.names), header, options.output)

        return LearnerPlan(None, results)


def interrupted(how, last, tmp_path, before_start=False, sizes=(1.0, 2.0, 3.0)):
    """Exit code, header and sizes tried of a choice whose runs are interrupted after the first few."""
    learner = Learner(last, before_start)
    options = LearnerOptions(
        source=LearningOptions(random_dataset(1, 2, 20)),
        scoring=ScoreOptions("bdeu", sizes),
        output=OutputOptions("edges", path=str(tmp_path / "net")),
        limits=Limits(),
        resources=ResourceOptions(),
        checkpoints=CheckpointOptions(),
    )
    code = command.run_learner(learner, options, how)
    return code, (tmp_path / "net").read_text(), learner.runs


def test_an_interrupted_choice_keeps_the_best_so_far(tmp_path):
    code, text, runs = interrupted("evidence", 3, tmp_path)
    assert (code, runs) == (0, [1.0, 2.0, 3.0]) and "# status complete" in text
    code, text, runs = interrupted("evidence", 1, tmp_path)
    assert (code, runs) == (130, [1.0, 2.0]) and "# status interrupted" in text and "# ess 1.0\n" in text
    assert "# tried ess 1: -1.000000; ess 2: -2.000000\n" in text
    code, text, runs = interrupted("evidence", 1, tmp_path, sizes=(3.0, 2.0, 1.0))
    assert (code, runs) == (130, [3.0, 2.0]) and "# status interrupted" in text and "# ess 2.0\n" in text
    code, text, runs = interrupted("evidence", 0, tmp_path)
    assert (code, runs) == (130, [1.0]) and "# tried ess 1: -1.000000\n" in text


@pytest.mark.parametrize("words", [
    "lsmarkov {} --init - --ess 1,10 --choose evidence --iterations 50",
    "lsmarkov {} --allowed-edges - --ess 1,10 --choose cv --iterations 50",
    "mnmodel cv {} --folds 2 -- lsmarkov --allowed-edges - --iterations 50",
])  # fmt: skip
def test_every_run_has_the_data_from_standard_input(run, tmp_path, words):
    data = csv_of(random_dataset(5, 4, 60), tmp_path / "d.csv")
    (tmp_path / "edges").write_text("0,1\n1,2\n")
    found = []
    for source in ("-", tmp_path / "edges"):
        line = [str(source) if word == "-" else word for word in words.format(data).split()]
        done = run(*line, input=b"0,1\n1,2\n")
        assert done.code == 0, done.stderr
        found.append(done.stdout.replace(str(source), "-"))
    assert found[0] == found[1]


@pytest.mark.parametrize("last", [0, 1, 2])
def test_a_signal_before_the_clock_of_a_later_run_keeps_the_best_so_far(tmp_path, monkeypatch, last):
    monkeypatch.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit, match="130"):
        interrupted("evidence", last, tmp_path, before_start=True)
    assert (tmp_path / "net").exists() == (last > 0)
    if last:
        text = (tmp_path / "net").read_text()
        assert "# status interrupted" in text and "# ess 1.0\n" in text and text.count(": -") == last


def test_an_interrupted_cross_validation_writes_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        interrupted("cv", 7, tmp_path)
    assert not (tmp_path / "net").exists()
    code, text, runs = interrupted("cv", 15, tmp_path)
    assert code == 130 and len(runs) == 16 and "# status interrupted" in text


def test_a_list_of_numbers_is_one_word():
    with pytest.raises(UsageError, match="choose one by choose"):
        cliquewise.lsmarkov(random_dataset(1, 3, 20), ess=[1, 2])
