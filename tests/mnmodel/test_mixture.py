"""mnmodel mixture: rows of several kinds are more probable under it than under one network; the command."""

import json
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cliquewise.common.data.merging import merged
from cliquewise.common.models.model_file import read_model
from cliquewise.common.run.monitor import Monitor
from cliquewise.mnmodel import mixture as module
from cliquewise.mnmodel.mixture import MixtureLearner, Settings
from tests.commands import command_line
from tests.mnmodel.test_cluster import two_kinds
from tests.random_inputs import dataset_of

NAMES = [f"x{v}" for v in range(14)]


def mean_log(split, data):
    """The mean log probability of the rows."""
    return np.average(split.rows(data.codes), weights=data.counts)


def test_the_rows_that_it_has_not_seen():
    train, valid, test = (merged(dataset_of(two_kinds(300, seed)[0])) for seed in (1, 2, 3))
    with Monitor(threads=1) as monitor:
        learner = MixtureLearner(train, 1, monitor)
        one = learner.split(Settings(1.0), learner.whole(Settings(1.0)), train.counts, 0)
        best = learner.choose(valid, 4)
        found = learner.mixture(best, 5)
    assert best.settings.groups > 1 and len(found.networks) == 5 and found.shares.sum() == pytest.approx(1)
    assert mean_log(found, test) > mean_log(one, test) + 0.3
    assert found.chances(test.codes).sum(axis=0) == pytest.approx(1)
    assert np.exp(found.joint(test.codes)).sum(axis=0) == pytest.approx(np.exp(found.rows(test.codes)))


def test_where_rows_are_of_one_kind_one_network_is_chosen():
    codes = np.random.default_rng(1).integers(0, 2, (800, 4))
    codes[:, 1] = codes[:, 0] ^ (np.random.default_rng(2).random(800) < 0.1)
    train, valid = merged(dataset_of(codes[:400])), merged(dataset_of(codes[400:]))
    with Monitor(threads=1) as monitor:
        best = MixtureLearner(train, 1, monitor).choose(valid, 8)
        bounded = MixtureLearner(train, 1, monitor).choose(valid, 8, 2)
    assert best.settings.groups == 1 and len(best.split.networks) == 1
    assert bounded.settings.max_clique == 2 and best.value == pytest.approx(mean_log(best.split, valid))


def test_a_group_without_rows():
    """More groups than kinds, and than different rows."""
    data = merged(dataset_of(np.array([[0, 0], [1, 1]] * 10)))
    with Monitor(threads=1) as monitor:
        learner, settings = MixtureLearner(data, 1, monitor), Settings(1.0, groups=5)
        split = learner.split(settings, learner.whole(settings), data.counts, 0)
    assert np.isfinite(split.rows(data.codes)).all() and (split.shares > 0).all()


def test_a_groups_network_extends_that_of_all_rows():
    data = merged(dataset_of(two_kinds(200)[0]))
    with Monitor(threads=1) as monitor:
        learner, settings = MixtureLearner(data, 1, monitor), Settings(1.0, max_clique=3)
        whole = learner.whole(settings)
        parents = learner._parents(settings, whole, data.counts * (data.codes[:, 10] == 1))
    edges = {frozenset((u, v)) for v, above in enumerate(parents) for u in above}
    joined = {frozenset(pair) for pair in np.argwhere(whole[:, 0][:, None] >> np.arange(14, dtype=np.uint64) & 1 == 1)}
    assert {frozenset(map(int, pair)) for pair in joined} < edges and max(map(len, parents)) <= 2


def csv(codes, counts=None):
    """A table as text."""
    head = NAMES if counts is None else [*NAMES, "n"]
    rows = codes if counts is None else np.column_stack([codes, counts])
    return "\n".join(",".join(map(str, row)) for row in [head, *rows.tolist()]) + "\n"


@pytest.fixture
def work(workplace, monkeypatch):
    """A folder with data of two kinds, row by row and as counts; fewer settings are tried."""
    monkeypatch.setattr(module, "SIZES", (1.0, 10.0))
    codes, valid, test = (two_kinds(150, seed)[0] for seed in (1, 2, 3))
    times = np.random.default_rng(5).integers(1, 4, len(codes))
    return workplace({
        "train.csv": csv(codes), "valid.csv": csv(valid), "test.csv": csv(test), "short.csv": csv(codes, times),
        "short-valid.csv": csv(valid, np.ones(150, int)), "long.csv": csv(codes.repeat(times, axis=0)),
    })  # fmt: skip


def test_the_command(run, work):
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", "--networks", 4)
    done = run(*words, "-o", "one-{}.bif", "--threads", 1)
    assert done.code == 0 and done.stdout == "" and "chosen: ess " in done.stderr
    assert run(*words, "-o", "two-{}.bif", "-q", "--threads", 2).code == 0
    for k in range(1, 5):
        assert Path(f"one-{k}.bif").read_text() == Path(f"two-{k}.bif").read_text()
    models = [f"one-{k}.bif" for k in range(1, 5)]
    told = [float(re.search(r"^// weight (\S+)$", Path(model).read_text(), re.M)[1]) for model in models]
    assert sum(told) == pytest.approx(1, abs=1e-5) and len(read_model(models[0]).names) == 14
    tested = ("test.csv", "-q", "--format", "json")
    together = json.loads(run("mnmodel", "loglik", *models, *tested, "--weights-from", "valid.csv").stdout)
    assert run("coarsen", "train.csv", "--method", "greedy", "-q", "-o", "net").code == 0
    alone = json.loads(run("mnmodel", "loglik", "train.csv", "net", *tested).stdout)
    assert together["loglik"] > alone["loglik"] + 0.2


def test_a_table_of_counts_gives_the_same_bytes(run, work):
    options = ("--networks", 3, "--max-clique", 3, "-q", "-o")
    for name, *data in (("short", "short.csv", "short-valid.csv", "--counts", "n"), ("long", "long.csv", "valid.csv")):
        assert run("mnmodel", "mixture", *data, *options, f"{name}-{{}}.json", "--format", "json").code == 0
    assert [Path(f"short-{k}.json").read_text() == Path(f"long-{k}.json").read_text() for k in (1, 2, 3)] == [True] * 3


def test_missing_cells_and_states_of_other_data(run, work):
    valid = Path("valid.csv").read_text().splitlines()
    valid[1], valid[2] = "?," + valid[1].partition(",")[2], "7," + valid[2].partition(",")[2]
    Path("odd.csv").write_text("\n".join(valid) + "\n")
    words = ("mnmodel", "mixture", "train.csv", "odd.csv", "--networks", 2, "-q", "-o", "m-{}.bif")
    assert run(*words).code == 0 and read_model("m-1.bif").states[0] == ("0", "1", "7")
    Path("more.csv").write_text("x1\n8\n")
    assert run(*words, "--states-of", "more.csv").code == 0 and read_model("m-2.bif").states[1] == ("0", "1", "8")


def test_refusals(refuse, work):
    Path("gaps.csv").write_text("x0,x1\n0,?\n1,1\n")
    Path("narrow.csv").write_text("x0,x1\n0,0\n1,1\n")
    mixture = "mnmodel mixture -q train.csv"
    refuse(f"{mixture} valid.csv -o m.bif", 2, "each model has a file; put {} for its number into the name")
    refuse(f"{mixture} valid.csv", 2, "Missing option '-o'")
    refuse(f"{mixture} valid.csv -o m-{{}} --networks 1", 2, "Invalid value for '--networks'")
    refuse(f"{mixture} narrow.csv -o m-{{}}", 1, "narrow.csv: no column x2, x3, x4, x5, x6, x7, x8, x9, ..., which the")
    refuse(f"{mixture} gone.csv -o m-{{}}", 1, "gone.csv: cannot be read")
    refuse("mnmodel mixture -q gaps.csv narrow.csv -o m-{}", 1, "gaps.csv:2, column 'x1': missing value '?'")
    refuse("mnmodel mixture -q - - -o m-{}", 2, "standard input can be read only once")
    refuse(f"{mixture} valid.csv -o train-{{}}.csv --counts n", 1, "train.csv: no column 'n' of counts")


def test_the_users_stop(work):
    """Exit code 130 and no file, whatever it was doing."""
    many = two_kinds(20_000)[0]
    Path("many.csv").write_text(csv(many))
    args = [*command_line("mnmodel"), *"mixture many.csv valid.csv -o m-{}.bif".split()]
    with subprocess.Popen(args, stderr=subprocess.PIPE, text=True) as process:
        while (line := process.stderr.readline()) and "groups" not in line:
            pass
        assert "groups" in line
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(60) == 130, rest
    assert not list(work.glob("m-*")) and "Traceback" not in rest
