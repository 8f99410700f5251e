"""mnmodel cv: folds learned by the learners' own commands, scored by enumeration; parts; settings; refusals."""

import csv
import math
from itertools import product
from pathlib import Path

import pytest

import cliquewise
from cliquewise.common.errors import LimitError, UsageError
from cliquewise.common.models.held_out import folds
from cliquewise.mnmodel import cross_validation
from cliquewise.mnmodel.cross_validation import Mean
from cliquewise.mnmodel.cv_cli import settings_of
from tests.commands import ROOT
from tests.oracles import fitted as oracle
from tests.reading import read_csv

ZOO = ROOT / "data/zoo.csv"
LEARNERS = {
    "lsmarkov": "--ess 2 --iterations 500",
    "junctor": "--ess 2",
    "coarsen": "--ess 2 --max-clique 3",
    "twlearn": "--ess 2 -w 2 --iterations 20",
}


@pytest.fixture(autouse=True)
def small(workplace):
    """A table of three columns that depend on each other; the third has a state that is in one row only."""
    rows = [
        (a, b, c)
        for a, b, c in product("xy", "pq", "st")
        for _ in range(1 + 3 * (a == "x") + 5 * ((b, c) == ("q", "t")))
    ]
    return workplace({"d.csv": "a,b,c\n" + "".join(",".join(row) + "\n" for row in [*rows, ("y", "q", "u")])})


def result(text):
    """Comment lines as a dict, and rows as dicts."""
    lines = text.splitlines()
    head = dict(line[2:].split(" ", 1) for line in lines if line.startswith("#"))
    return head, list(csv.DictReader(line for line in lines if not line.startswith("#")))


@pytest.mark.parametrize("learner", LEARNERS)
def test_each_fold_is_scored_by_a_network_of_the_others(run, learner):
    done = run(*f"mnmodel cv d.csv --header yes --folds 4 --target b -- {learner} {LEARNERS[learner]}".split())
    assert done.code == 0, done.stderr
    _, rows = result(done.stdout)
    data = read_csv("d.csv", "yes")
    options = {"ess": 2, "iterations": 20 if learner == "twlearn" else 500, "max_clique": 3, "w": 2}
    taken = {
        "lsmarkov": ("ess", "iterations"),
        "junctor": ("ess",),
        "coarsen": ("ess", "max_clique"),
        "twlearn": ("ess", "iterations"),
    }
    arity, every, lost = [2, 2, 3], [], []
    for fold, (learned, test) in enumerate(folds(data, 4, 1)):
        given = {name: options[name] for name in taken[learner]}
        network = getattr(cliquewise, learner)(learned, **given, **({"treewidth": 2} if learner == "twlearn" else {}))
        seen = [tuple(row) for row, k in zip(learned.codes.tolist(), learned.counts, strict=True) for _ in range(k)]
        if network.graph.directed:
            p = oracle.directed_distribution(seen, arity, network.graph.parents(), 2.0)
        else:
            p = oracle.chordal_distribution(seen, arity, network.graph.edges, 2.0)
        tested = [tuple(row) for row, k in zip(test.codes.tolist(), test.counts, strict=True) for _ in range(k)]
        logs = [math.log(p[row]) for row in tested]
        losses = [math.log(sum(p[a, k, c] for k in range(2))) - math.log(p[a, b, c]) for a, b, c in tested]
        row = rows[fold]
        assert (row["fold"], int(row["rows"]), int(row["edges"])) == (str(fold + 1), len(tested), len(network.edges))
        assert float(row["log_likelihood"]) == pytest.approx(sum(logs) / len(logs), rel=1e-9)
        assert float(row["log_loss"]) == pytest.approx(sum(losses) / len(logs), rel=1e-8)
        every, lost = every + logs, lost + losses
    whole = rows[4]
    assert (whole["fold"], int(whole["rows"])) == ("all", data.n_rows) and len(every) == data.n_rows
    for name, values in (("log_likelihood", every), ("log_loss", lost)):
        mean = sum(values) / len(values)
        error = math.sqrt(sum((one - mean) ** 2 for one in values) / (len(values) - 1) / len(values))
        assert float(whole[name]) == pytest.approx(mean, rel=1e-8)
        assert float(whole[f"{name}_error"]) == pytest.approx(error, rel=1e-6)


@pytest.mark.slow
def test_parts_together_are_the_same_bytes(run):
    words = ["mnmodel", "cv", ZOO, "--header", "yes", "-q", "--folds", 5, "--seed", 3, "--target", "type"]
    learner = ["--", "lsmarkov", "--ess", "1,10", "--iterations", 300]
    for part in (1, 2):
        assert run(*words, "--shard", f"{part}/2", "-o", f"part{part}", *learner).code == 0
    assert "all" not in (line.split(",")[1] for line in Path("part1").read_text().splitlines() if "," in line)
    whole = run(*words, *learner).stdout
    assert run(*words, "--from", "part2", "--from", "part1", *learner).stdout == whole
    assert run(*words, "--from", "part2", *learner).stdout == whole  # the others are learned
    head, rows = result(whole)
    assert head["folds"] == "5" and len(rows) == 12 and len({row["setting"] for row in rows}) == 2
    assert float(rows[-2]["difference"]) == 0 and float(rows[-1]["difference"]) == pytest.approx(
        float(rows[-1]["log_likelihood"]) - float(rows[-2]["log_likelihood"]), abs=1e-8
    )


def test_parts_with_rows_without_a_target_are_the_same_bytes(run, workplace):
    """The file of a part has no number of the rows with a target."""
    workplace({"t.csv": "a,b\n" + "x,0\nx,0\ny,1\ny,\nx,\n" * 6})
    words, learner = (
        "mnmodel cv t.csv --missing em --target b --folds 4 -q".split(),
        "-- lsmarkov --iterations 9".split(),
    )
    for part in (1, 2):
        assert run(*words, "--shard", f"{part}/2", "-o", f"part{part}", *learner).code == 0
    whole = run(*words, *learner).stdout
    assert run(*words, "--from", "part2", "--from", "part1", *learner).stdout == whole
    *parts, pooled = result(whole)[1]
    data = cliquewise.read_csv("t.csv", missing="em")
    known = [float(test.weights[test.codes[:, 1] >= 0].sum()) for _, test in folds(data, 4, 1)]
    assert len(set(known)) > 1
    mean = sum(n * float(row["log_loss"]) for n, row in zip(known, parts, strict=True)) / sum(known)
    assert float(pooled["log_loss"]) == pytest.approx(mean, abs=1e-8)


def test_folds_before_an_error_are_written(run, monkeypatch):
    """So that --from can go on from them."""
    words = ["mnmodel", "cv", ZOO, "--header", "yes", "-q", "--folds", 5]
    learner = ["--", "lsmarkov", "--iterations", 300]
    whole, learn, begun = run(*words, *learner).stdout, cross_validation._learn, []

    def limited(*arguments):
        begun.append(arguments)
        if len(begun) > 3:
            raise LimitError("no memory")
        return learn(*arguments)

    monkeypatch.setattr(cross_validation, "_learn", limited)
    done = run(*words, "-o", "three", *learner)
    assert done.code == 1 and done.stderr.endswith("no memory\n")
    assert len(result(Path("three").read_text())[1]) == 3
    monkeypatch.setattr(cross_validation, "_learn", learn)
    assert run(*words, "--from", "three", *learner).stdout == whole


def test_a_network_that_is_not_chordal_is_fitted_over_a_cover(run):
    """Four variables in a ring."""
    chain = [
        (a, b, c, d)
        for a, b, c, d in product("01", repeat=4)
        for _ in range(3 ** ((a == b) + (b == c) + (c == d) + (d == a)))
    ]
    with open("ring.csv", "w") as file:
        file.write("a,b,c,d\n" + "".join(",".join(row) + "\n" for row in chain))
    done = run("mnmodel", "cv", "ring.csv", "--header", "yes", "--folds", 3, "--", "mplearn")
    rows = result(done.stdout)[1]
    assert done.code == 0 and int(rows[0]["edges"]) == 5, done.stderr


def test_relative_frequencies_may_give_a_row_no_probability(run):
    done = run("mnmodel", "cv", "d.csv", "--header", "yes", "--folds", 4, "--ml", "-q", "--", "junctor")
    assert result(done.stdout)[1][-1]["log_likelihood"] == "-inf"


def test_means_of_parts_are_the_mean_of_all():
    import numpy as np

    values = np.random.default_rng(1).normal(size=50)
    ones = np.ones(50, dtype=np.int64)
    parts = [Mean.of(values[k::3], ones[k::3]) for k in range(3)]
    pooled, whole = Mean.pooled(parts), Mean.of(values, ones)
    assert (pooled.rows, pooled.mean) == (50, pytest.approx(whole.mean, abs=1e-8))
    assert pooled.error == pytest.approx(values.std(ddof=1) / math.sqrt(50), rel=1e-8)


@pytest.mark.parametrize(
    "words, lines",
    [
        ("lsmarkov --ess 1,10", ["--ess 1", "--ess 10"]),
        ("lsmarkov --ess 1,10 --choose cv", ["--ess 1,10 --choose cv"]),
        ("junctor --max-clique=3,4 --ess 1,2", [f"--max-clique {k} --ess {a}" for k in (3, 4) for a in (1, 2)]),
        ("lsmarkov --score bic,qnml --chow-liu", ["--score bic --chow-liu", "--score qnml --chow-liu"]),
        ("mplearn --score pic,mpl", ["--score pic", "--score mpl"]),
        ("coarsen --required-edges a,b.csv", ["--required-edges a,b.csv"]),
        ("junctor -q -v --seed 2", ["--seed 2"]),
        ("twlearn -w 2,3", ["-w 2", "-w 3"]),
    ],
)
def test_several_values_are_several_settings(words, lines):
    found = settings_of(words.split())
    assert [setting.line for setting in found] == [f"{words.split()[0]} {line}" for line in lines]


@pytest.mark.parametrize(
    "words, message",
    [
        ("", "found nothing"),
        ("mnposterior", "found 'mnposterior'"),
        ("lsmarkov -o x", "-o has no effect in a cross-validation"),
        ("lsmarkov --checkpoint x", "--checkpoint has no effect in"),
        ("lsmarkov --missing drop", "--missing: give it to mnmodel cv, before --"),
        ("lsmarkov --nothing", "lsmarkov: No such option '--nothing'"),
        ("lsmarkov --max-clique 3,x", "lsmarkov: Invalid value for '--max-clique': 'x'"),
        ("lsmarkov --max-clique -", "lsmarkov: Invalid value for '--max-clique': '-'"),
        ("lsmarkov --such 3", "lsmarkov: No such option"),
        ("lsmarkov -", "lsmarkov: only options come after the learner"),
    ],
)
def test_command_lines_that_are_refused(words, message):
    with pytest.raises(UsageError, match=message):
        settings_of(words.split())


def test_refusals(refuse, run):
    cv = "mnmodel cv d.csv --header yes -q"
    refuse(f"{cv} --folds 99 -- junctor", 2, "--folds 99: d.csv has 31 rows; ask for at most that many")
    refuse(f"{cv} --target z -- junctor", 1, "d.csv: no variable 'z'")
    Path("few.csv").write_text("a,t\n" + "x,1\ny,\n" + "x,\n" * 5)
    few = "few.csv: fold 1 has no row in which 't' is known; ask for fewer --folds, or leave out --target"
    refuse("mnmodel cv few.csv --missing em --target t --folds 3 -q -- junctor", 1, few)
    for learner in ("lsmarkov", "junctor"):
        refuse(f"{cv} -- {learner} d.csv", 2, f"{learner}: only options come after the learner; DATA comes before --")
    assert run(*cv.split(), "--shard", "1/2", "-o", "part", "--", "junctor").code == 0
    refuse(f"{cv} --seed 2 --from part -- junctor", 1, "part: '# seed 1', but '2' here: another run")
    refuse(f"{cv} --from part --from part -- junctor", 1, "part: fold 1 is in another file too")
    refuse(f"{cv} --from part -- junctor --ess 2", 1, "part: fold 1 has other settings than this run")
    text = Path("part").read_text()
    for wrong in (text.replace(",1,", ",one,", 1), text[: len(text) // 2], text.replace("junctor,1", "junctor,11")):
        Path("part").write_text(wrong)
        refuse(f"{cv} --from part -- junctor", 1, "part: ")


def test_folds_of_relative_frequencies_are_another_run(run, workplace):
    workplace({"d.csv": "a,b\n" + "0,1\n1,0\n1,1\n0,0\n" * 3})
    learner = ("--", "coarsen", "--method", "forest")
    assert run("mnmodel", "cv", "d.csv", "--folds", 2, "--shard", "1/2", "--ml", "-q", "-o", "part", *learner).code == 0
    done = run("mnmodel", "cv", "d.csv", "--folds", 2, "--from", "part", "-q", *learner)
    assert done.code == 1 and "another run" in done.stderr
    assert run("mnmodel", "cv", "d.csv", "--folds", 2, "--ml", "--from", "part", "-q", *learner).code == 0


def test_rows_that_relative_frequencies_exclude_are_named(run, workplace):
    workplace({"d.csv": "a,b\n" + "x,u\nx,u\ny,v\n" * 5 + "y,u\n"})
    done = run("mnmodel", "cv", "d.csv", "--ml", "--folds", "3", "--", "junctor")
    assert "-inf" in done.stdout
    assert "rows of probability zero under relative frequencies: 1 of 5, so that their mean is -inf" in done.stderr
