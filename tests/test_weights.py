"""`--weights` that are not whole numbers: every command learns from them, checks and evaluates with them."""

import json

import numpy as np
import pytest

from tests.oracles import learners
from tests.oracles import scores as oracle
from tests.random_inputs import random_dataset, rows_of
from tests.test_counts import LEARNERS, pair, table

ARITY = (2, 3, 2, 2)


@pytest.fixture(autouse=True)
def folder(workplace, tmp_path):
    workplace({"long": pair(4)[1], "real": real_table(1)})
    return tmp_path


def real_table(seed, n_rows=80):
    """Four dependent columns, and weights of three decimals."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, ARITY, (n_rows, 4))
    copied = rng.random(n_rows) < 0.7
    codes[copied, 3] = codes[copied, 0]
    codes[:3, 1] = 0, 1, 2
    lines = [
        ",".join(map(str, [*row, f"{weight:.3f}"]))
        for row, weight in zip(codes, 4 * rng.random(n_rows) + 0.001, strict=True)
    ]
    return "\n".join(["a,b,c,d,w", *lines]) + "\n"


def read(text):
    """The rows and the weights of such a table, these scaled."""
    cells = [line.split(",") for line in text.splitlines()[1:]]
    weights = np.array([float(row[-1]) for row in cells])
    return [tuple(map(int, row[:-1])) for row in cells], (weights * len(cells) / weights.sum()).tolist()


@pytest.mark.fast_cases(21)
@pytest.mark.parametrize("line", LEARNERS)
@pytest.mark.parametrize("scale", ["rows", "none"])
def test_every_learner_certifies_its_result(run, folder, line, scale):
    """A score that is claimed is that of the weighted rows, by the check, which shares no code with learners."""
    name, *options = line.split()
    learned = ("--weights", "w", "--weight-scale", scale, "--threads", 1, "-q", "-o", "net")
    done = run(name, "real", *options, *learned)
    assert done.code == 0, done.stderr
    if name == "dmscore" or "--blankets-only" in options:
        return
    header = (folder / "net").read_text()
    assert "# weights w\n" in header and f"# weight-scale {scale}\n" in header
    if name == "mnposterior" or "# resample" in header:
        return
    done = run("mntools", "check", "net", "--data", "real")
    assert done.code == 0, done.stderr
    assert "column w has the weights of the rows" in done.stderr
    done = run("mntools", "check", "net", "--data", "long", "-q")
    assert done.code != 0


def test_optimum_of_all_networks(run, folder):
    """Enumeration of all chordal graphs, scored by the formulas with weights."""
    rows, weights = read((folder / "real").read_text())
    score = oracle.set_score(rows, ARITY, "bdeu", 1.0, weights)
    best = learners.best_chordal(4, score)[0]
    for command in (("junctor",), ("lsmarkov", "--iterations", 500), ("junctor", "--method", "ilp")):
        done = run(*command[:1], "real", *command[1:], "--weights", "w", "-q")
        assert f"# score {best:.6f}\n" in done.stdout, done.stdout
    done = run("dmscore", "real", 1, 4, "--weights", "w", "--layout", "cussens", "-q")
    assert done.code == 0


def test_scores_of_dmscore(run, folder):
    rows, weights = read((folder / "real").read_text())
    score = oracle.set_score(rows, ARITY, "bic", 1.0, weights)
    done = run("dmscore", "real", "--score", "bic", 4, "--weights", "w", "-q")
    assert done.code == 0, done.stderr
    numbers = [float(line) for line in done.stdout.splitlines() if line[-1].isdigit() and "_" not in line]
    expected = [score([v for v in range(4) if mask >> v & 1]) if mask else 0.0 for mask in range(16)]
    assert numbers[-16:] == pytest.approx(expected, abs=1e-6)


def test_fit_and_log_likelihood(run, folder):
    rows, weights = read((folder / "real").read_text())
    (folder / "net").write_text("# variables 4\n0,3\n1\n2\n")
    done = run("mnmodel", "fit", "real", "net", "--weights", "w", "--ess", 2, "--format", "json", "-q")
    assert done.code == 0, done.stderr
    model = json.loads(done.stdout)
    (folder / "model").write_text(done.stdout)
    tables = {one["name"]: one for one in model["variables"]}
    heavy = sum(weight for row, weight in zip(rows, weights, strict=True) if row[1] == 2)
    share = (heavy + 2 / 3) / (len(rows) + 2)
    assert np.ravel(tables["b"]["probabilities"])[2] == pytest.approx(share, abs=1e-9)
    done = run("mnmodel", "loglik", "model", "real", "--weights", "w", "--format", "json", "-q")
    assert done.code == 0, done.stderr
    logs = run("mnmodel", "loglik", "model", "real", "--per-row", "--drop", "w", "-q").stdout.split()
    logs = [float(one) for one in logs if one.lstrip("-")[0].isdigit()]
    mean = np.average(logs[-len(rows) :], weights=weights)
    assert json.loads(done.stdout)["loglik"] == pytest.approx(mean, abs=1e-6)
    done = run("mnmodel", "predict", "model", "real", "--target", "d", "--weights", "w")
    assert done.code == 0 and "of 80 rows that have it" in done.stderr


def test_cross_validation_and_choice(run, folder):
    done = run("mnmodel", "cv", "real", "--weights", "w", "--folds", 4, "--", "junctor", "--ess", "1")
    assert done.code == 0, done.stderr
    rows = [line.split(",") for line in done.stdout.splitlines() if ",all," in line]
    assert rows and float(rows[0][2]) == pytest.approx(80)
    done = run("junctor", "real", "--weights", "w", "--ess", "0.5,5", "--choose", "cv", "-q")
    assert done.code == 0 and "# chosen-by cv" in done.stdout


@pytest.mark.parametrize("program", ["lsmarkov", "mnposterior"])
def test_missing_cells(run, folder, program):
    """Completions are drawn for each row, and count for its weight; the check draws them again."""
    head, *lines = (folder / "real").read_text().splitlines()
    lines = [line if number % 7 else "?" + line[1:] for number, line in enumerate(lines)]
    (folder / "incomplete").write_text("\n".join([head, *lines]) + "\n")
    options = ("--iterations", 3000, "--weights", "w", "--missing", "em", "--threads", 1, "-q", "-o", "net")
    done = run(program, "incomplete", *options, *(("--completed", "full.csv") if program == "lsmarkov" else ()))
    assert done.code == 0, done.stderr
    assert "# weights w\n" in (folder / "net").read_text()
    if program == "mnposterior":
        return
    for more in ((), ("--completed", "full.csv")):
        done = run("mntools", "check", "net", "--data", "incomplete", *more)
        assert done.code == 0, done.stderr
    done = run("mnmodel", "fit", "incomplete", "net", "--weights", "w", "--missing", "em", "-q", "-o", "model")
    assert done.code == 0, done.stderr


def test_expectations_of_missing_cells(run, folder):
    """EM with weights gives the probabilities of the same rows written out."""
    lines = ["0,0,3", "0,1,1", "1,,2", "1,1,4", ",0,1"]
    (folder / "once").write_text("\n".join(["a,b,w", *lines]) + "\n")
    often = [line.rsplit(",", 1)[0] for line in lines for _ in range(int(line[-1]))]
    (folder / "often").write_text("\n".join(["a,b", *often]) + "\n")
    (folder / "net").write_text("# variables 2\n0,1\n")
    seen = []
    for words in (("often",), ("once", "--weights", "w", "--weight-scale", "none")):
        done = run("mnmodel", "fit", words[0], "net", *words[1:], "--missing", "em", "-q", "--format", "json")
        assert done.code == 0, done.stderr
        seen.append(json.loads(done.stdout)["variables"])
    assert seen[0] == seen[1]


def test_from_python(run, folder):
    pandas = pytest.importorskip("pandas")
    import cliquewise

    frame = pandas.read_csv(folder / "real")
    found = cliquewise.junctor(frame, weights="w")
    assert found.header["score"] == cliquewise.junctor(str(folder / "real"), weights="w").header["score"]
    assert found.header["weights"] == "w"
    data = cliquewise.read_csv(frame, weights="w", weight_scale="none")
    assert data.total == pytest.approx(frame["w"].sum())
    again = cliquewise.junctor(frame, weights="w", weight_scale="none")
    assert cliquewise.junctor(data).header["score"] == again.header["score"] != found.header["score"]


@pytest.mark.parametrize("factor, scale, warned", [(0.2, "none", True), (1, "none", False), (0.2, "rows", False)])
def test_weights_of_hardly_any_row_are_warned_of(caplog, factor, scale, warned):
    """Such as shares of a population: BIC has no penalty for a sum of 1, and a negative one below."""
    import cliquewise

    rows = {"a": [1, 0, 1, 0], "b": [0, 0, 1, 1], "w": [2 * factor, factor, 2 * factor, factor]}
    cliquewise.read_csv(rows, weights="w", weight_scale=scale)
    assert ("leave weight_scale='none' out" in caplog.text) == warned


def test_large_files_are_read_alike(run, folder, monkeypatch):
    """A file beyond the size from which rows are merged while they are read."""
    from cliquewise.common.data import csvfile
    from tests.reading import read_csv

    small = read_csv(folder / "real", weights="w", merge=True)
    monkeypatch.setattr(csvfile, "STREAM_FROM", 64)
    large = read_csv(folder / "real", weights="w", merge=True)
    assert (small.codes == large.codes).all() and (small.counts == large.counts).all()
    assert (small.rows.place == large.rows.place).all()


def test_regression(run, folder):
    """Half the weight of each row and half the penalty make half the loss."""
    pytest.importorskip("sklearn")
    data = random_dataset(6, n_vars=5, n_rows=60, max_arity=2)
    times = np.random.default_rng(6).integers(1, 5, 60)
    options, edges = ("--score", "l1lr", "--threads", 1, "-q"), []
    for weights, penalty in ((times, 8), (times / 2, 4), (times, 4)):
        (folder / "weighted").write_text(table(data.names, rows_of(data), weights))
        tally = ("--weights", "times", "--weight-scale", "none", "--lambda", penalty)
        done = run("mplearn", "weighted", *tally, *options)
        assert done.code == 0, done.stderr
        edges.append([line for line in done.stdout.splitlines() if not line.startswith("#")])
    assert edges[0] == edges[1] != edges[2]
