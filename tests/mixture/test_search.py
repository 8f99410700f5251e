"""mnmodel mixture: new rows are more probable, nothing is lost, the same bytes however it is run; the file in use."""

import json
import math
import re
import signal
import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cliquewise.common.data.merging import merged
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.models import bayesnet
from cliquewise.common.models.mixture import Mixture
from cliquewise.common.models.model_file import read_model
from cliquewise.common.models.model_json import fits_in, json_pieces
from cliquewise.common.models.sparse_cpt import SparseCPT
from cliquewise.common.run.limits import Limits
from cliquewise.common.run.monitor import Monitor
from cliquewise.mixture import network as mixture_network
from cliquewise.mixture import run as mixture_run
from cliquewise.mixture import search as module
from cliquewise.mixture import structural_em
from cliquewise.mixture.pool import SIZES, choice, single_network
from cliquewise.mixture.search import MixtureConfig, MixtureSearch, Scheduler
from tests.commands import command_line
from tests.mnmodel.test_cluster import two_kinds
from tests.random_inputs import csv_of, dataset_of, random_dataset

NAMES = [f"x{v}" for v in range(14)]
STEPS = ("--iterations", 5_000)


@pytest.mark.slow
def test_the_gain_if_rows_repeat():
    """Half of the rows are of sixty kinds; so the rows themselves are part of the mixture, unless they may not be."""
    rng = np.random.default_rng(6)
    kinds = rng.integers(0, 2, (60, 30))
    train, valid = (np.concatenate([kinds[rng.integers(0, 60, 200)], rng.integers(0, 2, (200, 30))]) for _ in range(2))
    search, found = learned(dataset_of(train), dataset_of(valid), max_clique=3)
    assert "empirical" in [one.kind for one in found.candidates]
    seen = Counter(map(tuple, train.tolist()))
    of_rows = next(one for one in search.candidates if one.kind == "empirical")
    expected = [seen[tuple(row)] / 400 for row in merged(dataset_of(valid)).codes.tolist()]
    assert np.exp(of_rows.logs) == pytest.approx(expected)
    _, without = learned(dataset_of(train), dataset_of(valid), max_clique=3, empirical=False)
    assert found.gain > without.gain + 1.0 and "empirical" not in [one.kind for one in without.candidates]


@pytest.fixture(autouse=True)
def few_turns(monkeypatch):
    """Five turns after the first searches, with two rounds each, and three grown networks."""
    monkeypatch.setattr(module, "TURN_SHARE", 0.1)
    monkeypatch.setattr(module, "SIZES", (1.0, 10.0, 100.0))
    monkeypatch.setattr(structural_em, "STRUCTURES", 2)
    monkeypatch.setattr(structural_em, "EM_ROUNDS", 3)


def learned(train, valid, iterations=5_000, **config):
    """The search and its choice."""
    with Monitor(Limits(iterations=iterations), threads=1) as monitor:
        search = MixtureSearch(merged(train), merged(valid), MixtureConfig(**config), monitor)
        return search, search.run()


@pytest.mark.slow
def test_rows_of_two_kinds_and_of_one():
    train, valid = (dataset_of(two_kinds(150, seed)[0]) for seed in (1, 2))
    search, found = learned(train, valid, 20_000, seed=2)
    assert len(found.networks) > 1 and found.gain > 2 * found.error > 0 and found.weights.sum() == pytest.approx(1)
    kinds = [one.kind for one in search.candidates]
    assert set(kinds) == {"grown", "empirical", "sparse", "search", "extended", "free"}
    assert max(kinds.index("grown"), kinds.index("search")) < min(kinds.index("empirical"), kinds.index("sparse"))
    sparse = [one.fit.networks[0].parents for one in search.candidates if one.kind == "sparse"]
    assert [max(map(len, parents)) for parents in sparse] == [1, 0]
    codes = np.random.default_rng(1).integers(0, 2, (800, 4))
    codes[:, 1] = codes[:, 0] ^ (np.random.default_rng(2).random(800) < 0.1)
    _, found = learned(dataset_of(codes[:400]), dataset_of(codes[400:]), max_clique=2)
    assert len(found.networks) == 1 or found.gain < 3 * found.error
    assert all(max(map(len, one.parents)) <= 1 for one in found.networks)


@pytest.mark.slow
def test_cliques_of_parts_are_bounded(monkeypatch):
    """Unless the best single network, whose edges they keep, has larger ones."""
    monkeypatch.setattr(module, "MAX_TABLE_STATES", 4)
    train, valid = (dataset_of(two_kinds(150, seed)[0]) for seed in (1, 2))
    search, _ = learned(train, valid, 20_000, seed=2)
    alone = max(1 + max(map(len, one.fit.networks[0].parents)) for one in search.candidates if one.kind == "search")
    largest = {
        kind: max(1 + max(map(len, net.parents)) for one in search.candidates if one.kind == kind
                  for net in one.fit.networks)
        for kind in ("free", "extended")
    }  # fmt: skip
    assert largest["free"] == 2 < largest["extended"] <= alone


def test_sizes_of_grown_networks(monkeypatch):
    """The usual one and a large one, then always the one nearest to the best so far."""
    monkeypatch.setattr(module, "SIZES", SIZES)
    rng = np.random.default_rng(4)
    train, valid = (dataset_of(rng.integers(0, 3, (60, 5))) for _ in range(2))
    search, _ = learned(train, valid, 200)
    grown = [one for one in search.candidates if one.kind == "grown"]
    tried = [one.settings["ess"] for one in grown]
    assert tried[:2] == [10.0, 100.0] and sorted(tried) == list(SIZES)
    for k in range(2, len(tried)):
        best = SIZES.index(max(grown[:k], key=lambda one: one.value).settings["ess"])
        ways = {size: abs(SIZES.index(size) - best) for size in tried[k:]}
        assert ways[tried[k]] == min(ways.values())


def test_the_scheduler_tries_every_kind_of_mixture():
    """Each kind of mixture may gain what the other did, until it is tried; no kind waits for ever."""
    scheduler = Scheduler()
    scheduler.record_turn("search", 1.0)
    assert scheduler.next() == "extended"
    scheduler.record_turn("extended", 0.5)
    assert scheduler.gains["free"] == 0.5 and scheduler.next() == "search"
    scheduler.record_turn("free", 2.0)
    scheduler.record_turn("extended", 0.1)
    assert scheduler.gains == {"extended": 0.1, "free": 2.0, "search": 1.0}
    for _ in range(module.MAX_WAIT - 2):
        assert scheduler.next() == "free"
        scheduler.record_turn("free", 2.0)
    assert scheduler.next() == "search"


@pytest.mark.parametrize(("most", "samples"), [(16, [8, 4, 8, 4]), (7, [4, 4, 4, 4])])
def test_more_components_that_failed_once_are_tried_again(most, samples):
    """Four components are best, eight were worse: after all else, eight have a sample in every second turn."""
    before, found = [], []
    search = SimpleNamespace(_of_kind=lambda _: before, candidates=before, config=MixtureConfig(networks=most))
    while len(found) < 9:
        wanted, size, sample = MixtureSearch._untried(search, "free", 10.0)
        value = -abs(math.log(wanted / 4)) - abs(math.log(size / 10)) - (sample is not None)
        before.append(SimpleNamespace(value=value, settings={"wanted": wanted, "ess": size}))
        found.append((wanted, size, sample is not None))
    first = [one for one in ((2, 10.0), (4, 10.0), (8, 10.0), (4, 1.0), (4, 100.0)) if one[0] <= most]
    assert found[: len(first)] == [(*one, False) for one in first]
    assert [wanted for wanted, _, sampled in found[len(first) :] if sampled][-4:] == samples


@pytest.mark.slow
def test_one_variable_and_few_rows():
    for codes in (np.array([[0], [1], [1]]), np.array([[0, 1], [1, 0]])):
        _, found = learned(dataset_of(codes), dataset_of(codes), 500)
        assert found.weights.sum() == pytest.approx(1)


def csv(codes, counts=None):
    """A table as text."""
    head = NAMES if counts is None else [*NAMES, "n"]
    rows = codes if counts is None else np.column_stack([codes, counts])
    return "\n".join(",".join(map(str, row)) for row in [head, *rows.tolist()]) + "\n"


@pytest.fixture
def work(workplace):
    """A folder with data of two kinds, row by row and as counts."""
    codes, valid, test = (two_kinds(150, seed)[0] for seed in (1, 2, 3))
    times = np.random.default_rng(5).integers(1, 4, len(codes))
    return workplace({
        "train.csv": csv(codes), "valid.csv": csv(valid), "test.csv": csv(test), "short.csv": csv(codes, times),
        "short-valid.csv": csv(valid, np.ones(150, int)), "long.csv": csv(codes.repeat(times, axis=0)),
    })  # fmt: skip


def loglik(run, *words):
    return json.loads(run("mnmodel", "loglik", *words, "test.csv", "-q", "--format", "json").stdout)["loglik"]


@pytest.mark.slow
def test_the_command(run, work):
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", *STEPS, "--format", "json")
    done = run(*words, "-o", "one.json", "--threads", 1)
    assert done.code == 0 and done.stdout == "" and re.search("mixture of [0-9]+ networks from", done.stderr)
    assert run(*words, "-o", "two.json", "-q", "--threads", 2).code == 0
    assert Path("one.json").read_text() == Path("two.json").read_text()
    assert isinstance(read_model("one.json"), Mixture)
    assert run("coarsen", "train.csv", "--method", "greedy", "-q", "-o", "net").code == 0
    assert loglik(run, "one.json") > loglik(run, "train.csv", "net") + 0.2
    head = json.loads(Path("one.json").read_text())["header"]
    assert head["status"] == "iteration limit" and float(head["gain"]) > float(head["gain-error"])


@pytest.mark.slow
def test_a_run_that_ended_early_continues_with_the_same_bytes(run, work, monkeypatch):
    """It fails in its second turn, in which nothing can be saved."""
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", *STEPS, "--format", "json")
    assert run(*words, "-q", "-o", "whole.json").code == 0
    kept, mixed = ("--checkpoint", "c", "--checkpoint-every", 0), MixtureSearch._mixture_candidate

    calls = []

    def broken(self, kind):
        calls.append(kind)
        if len(calls) == 2:
            raise DataError("no more")
        return mixed(self, kind)

    with monkeypatch.context() as patched:
        patched.setattr(MixtureSearch, "_mixture_candidate", broken)
        assert run(*words, *kept, "-o", "part.json").code == 1 and not Path("part.json").exists()
    again = run(*words, *kept, "--resume", "-o", "again.json")
    assert again.code == 0 and "continuing after" in again.stderr and again.stderr.count(": grown") == 3
    assert Path("again.json").read_bytes() == Path("whole.json").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("capacity", [54_000, 57_000])
def test_networks_of_little_weight_are_dropped_if_memory_is_short(run, work, monkeypatch, capacity):
    """Mixtures with the least weights; also in a run that goes on."""
    monkeypatch.setattr(mixture_run, "network_capacity", lambda *_: capacity)
    done, search = [], MixtureSearch.run

    def kept(self):
        done.append(self)
        return search(self)

    monkeypatch.setattr(MixtureSearch, "run", kept)
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", *STEPS, "--format", "json", "-q")
    assert run(*words, "-o", "whole.json").code == 0
    candidates = done[0].candidates
    lost = [one for one in candidates if not one.fit.networks]
    assert lost and all(one.kind in ("extended", "free") and np.isneginf(one.logs).all() for one in lost)
    assert sum(one.bytes for one in candidates) <= capacity and any(one.is_mixture for one in candidates)
    mixed, calls = MixtureSearch._mixture_candidate, []

    def broken(self, kind):
        calls.append([one for one in self.candidates if not one.fit.networks])
        if calls[-1]:
            raise DataError("no more")
        return mixed(self, kind)

    kept_so_far = ("--checkpoint", "c", "--checkpoint-every", 0)
    with monkeypatch.context() as patched:
        patched.setattr(MixtureSearch, "_mixture_candidate", broken)
        assert run(*words, *kept_so_far, "-o", "part.json").code == 1 and calls[-1]
    assert run(*words, *kept_so_far, "--resume", "-o", "again.json").code == 0
    assert Path("again.json").read_bytes() == Path("whole.json").read_bytes()


@pytest.mark.slow
def test_results_of_several_runs_are_combined(run, work):
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", "-q", "--format", "json")
    for shard in (1, 2):
        assert run(*words, *STEPS, "--shard", f"{shard}/2", "-o", f"{shard}.json").code == 0
    assert Path("1.json").read_bytes() != Path("2.json").read_bytes()
    both = ("--from", "1.json", "--from", "2.json", "-o", "both.json")
    assert run(*words, "--iterations", 1, *both).code == 0
    assert "2 file" in json.loads(Path("both.json").read_text())["header"]["candidates"]
    assert loglik(run, "both.json") > max(loglik(run, "1.json"), loglik(run, "2.json")) - 0.05


def test_candidates_respect_the_options(run, refuse, work):
    """No rows of another model where none are wanted, and no larger cliques than the bound."""
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", "--iterations", 1)
    network = run("mnmodel", "mixture", "train.csv", "valid.csv", *STEPS, "--networks", 1, "-q").stdout
    one = {"probabilities": [0.5, 0.5], "rows": [[0] * len(NAMES), [1] * len(NAMES)]}
    model = json.loads(network)
    both = {"format": "cliquewise mixture", "header": {}, "class": "class", "weights": [0.5, 0.5]}
    both["networks"] = [model["variables"], one]
    Path("rows.json").write_text(json.dumps(both))
    kept = run(*words, "--from", "rows.json")
    assert kept.code == 0 and "left out" not in kept.stderr
    done = run(*words, "--no-empirical", "--from", "rows.json")
    assert done.code == 0 and "rows.json: the empirical distribution in it is left out\n" in done.stderr
    assert '"rows": [' not in done.stdout
    refuse(f"{' '.join(map(str, words))} -q --from rows.json --max-clique 2", 2, "--from rows.json: a clique of ")


@pytest.mark.slow
def test_a_killed_run_is_resumed(run, work):
    words = ["mixture", "train.csv", "valid.csv", "--iterations", "3000000", "--format", "json", "--checkpoint", "c"]
    args = [*command_line("mnmodel"), *words, "--checkpoint-every", "0", "-o"]
    with subprocess.Popen([*args, "m.json"], stderr=subprocess.PIPE, text=True) as process:
        while (line := process.stderr.readline()) and "s: extended" not in line:
            pass
        process.kill()
    assert "extended" in line and not Path("m.json").exists()
    for more, path in ((["--resume"], "m.json"), ([], "whole.json")):
        words = args if more else [*args[: args.index("--checkpoint")], "-o"]
        subprocess.run([*words, path, *more], check=True, capture_output=True)
    assert Path("m.json").read_bytes() == Path("whole.json").read_bytes()


def test_rows_that_are_learned_from_evaluate_nothing(run, here):
    """A warning says that they are the same; the mixture of the rows alone, which they favour, is not chosen."""
    data = random_dataset(3, 7, 60, 2)
    csv_of(data, here / "t.csv"), csv_of(replace(data, codes=1 - data.codes), here / "other.csv")
    words = ("mnmodel", "mixture", "t.csv", "--header", "yes", "--iterations", 1, "-o", "m.json")
    done, other = run(*words, "t.csv"), run(*words, "other.csv")
    assert done.code == other.code == 0 and "rows are those" not in other.stderr, other.stderr
    assert "warning: t.csv: its rows are those that are learned from, and they favour what fits them" in done.stderr
    alone = "single network is chosen: their mixture is the rows of TRAIN alone, and gains"
    assert alone in done.stderr and alone not in other.stderr
    words = ("coarsen", "t.csv", "--header", "yes", "--method", "greedy", "--ess", "1,2", "--choose")
    assert "t.csv: its rows are those" in run(*words, "t.csv").stderr
    assert "rows are those" not in run(*words, "other.csv").stderr


@pytest.mark.slow
def test_a_table_of_counts_gives_the_same_bytes(run, work):
    options = (*STEPS, "--max-clique", 3, "-q", "--format", "json")
    for name, *data in (("short", "short.csv", "short-valid.csv", "--counts", "n"), ("long", "long.csv", "valid.csv")):
        assert run("mnmodel", "mixture", *data, *options, "-o", f"{name}.json").code == 0
    assert Path("short.json").read_text() == Path("long.json").read_text()


@pytest.mark.slow
def test_the_file_in_all_commands(run, work):
    """What they print is what the functions return, which `test_mixture_model` compares with enumeration."""
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", *STEPS, "--networks", 6, "-q")
    assert run(*words, "--format", "json", "-o", "m.json").code == 0
    model = read_model("m.json")
    classes = len(model.weights)
    assert 1 < classes <= 6
    alone = run("mnmodel", "query", "m.json", "--of", "class").stdout.splitlines()
    assert [float(line.split(",")[1]) for line in alone[1:]] == pytest.approx(model.weights, abs=1e-9)
    marginals = json.loads(run("mnmodel", "marginals", "m.json", "--given", "x0=1", "--format", "json").stdout)
    assert set(marginals["marginals"]) == {*NAMES, "class"} and sum(
        marginals["marginals"]["class"].values()
    ) == pytest.approx(1)
    best = run("mnmodel", "mpe", "m.json", "--given", "x0=1,x1=0")
    assert best.stdout.startswith("x0,x1,") and "class" not in best.stdout and "proved" in best.stderr
    assert "class" in run("mnmodel", "mpe", "m.json", "--of", "class,x3").stdout
    sample = run("mnmodel", "sample", "m.json", "--rows", 50).stdout.splitlines()
    assert sample[0].split(",") == NAMES and len(sample) == 51
    assert run("mnmodel", "sample", "m.json", "--rows", 5, "--given", "x0=1").stdout.splitlines()[0].split(",") == NAMES
    right = run("mnmodel", "predict", "m.json", "test.csv", "--target", "x5")
    assert float(re.search(r"\((0\.[0-9]+)\), log loss", right.stderr)[1]) > 0.8
    assert run("mnmodel", "predict", "m.json", "test.csv", "--target", "class").stdout.startswith("class,probability")
    Path("blank.csv").write_text("\n".join([",".join(NAMES), "?," + ",".join("1" * 13), ",".join("0" * 14)]) + "\n")
    filled = run("mnmodel", "impute", "m.json", "blank.csv")
    assert "1 cell of 1 row filled in" in filled.stderr and "?" not in filled.stdout
    assert run("mnmodel", "impute", "m.json", "blank.csv", "--draws", 3).stdout.count("\n") == 7
    assert run("mnmodel", "entropy", "m.json", "--of", "x0,x5").stdout.startswith("entropy ")
    assert run("mnmodel", "information", "m.json").stdout.startswith("first,second,information")
    assert run("mnmodel", "page", "m.json", "-o", "m.html").code == 0 and '"class"' in Path("m.html").read_text()
    assert run("mnmodel", "page", "m.json", "--structure", "-o", "s.html").code == 0


@pytest.mark.slow
def test_other_formats_have_the_class_as_a_variable(run, work):
    words = ("mnmodel", "mixture", "train.csv", "valid.csv", *STEPS, "--networks", 4, "--max-clique", 2, "-q")
    vain = run(*words, "--empirical", "--format", "bif")
    assert (
        vain.code == 2
        and "--empirical does not go with --format bif; leave it out, or use --format json" in vain.stderr
    )
    words = (*words, "--no-empirical")
    assert run(*words, "--format", "json", "-o", "m.json").code == 0
    expected = loglik(run, "m.json")
    for fmt in ("bif", "uai"):
        assert run(*words, "--format", fmt, "-o", f"m.{fmt}").code == 0
        assert isinstance(read_model(f"m.{fmt}"), Mixture) and loglik(run, f"m.{fmt}") == pytest.approx(expected)


@pytest.mark.slow
def test_missing_cells_and_states_of_other_data(run, work):
    valid = Path("valid.csv").read_text().splitlines()
    valid[2] = "7," + valid[2].partition(",")[2]
    Path("odd.csv").write_text("\n".join(valid) + "\n")
    Path("more.csv").write_text("x1\n8\n")
    words = (
        "mnmodel",
        "mixture",
        "train.csv",
        "odd.csv",
        "--iterations",
        500,
        "-q",
        "--format",
        "json",
        "-o",
        "m.json",
    )
    assert run(*words).code == 0 and read_model("m.json").states[0] == ("0", "1", "7")
    assert run(*words, "--states-of", "more.csv").code == 0 and read_model("m.json").states[1] == ("0", "1", "8")
    estimate = run("mnmodel", "mixture", "train.csv", "valid.csv", "--dry-run", "--time-limit", 100).stdout
    assert "memory-gb" in estimate and "seconds 100" in estimate


@pytest.mark.slow
def test_missing_cells_of_the_validation_rows(run, refuse, work):
    """They are treated as those to learn from: refused, left out, or a state, also where these have none."""
    rows = [line.split(",") for line in Path("valid.csv").read_text().splitlines()]
    for i, row in enumerate(rows[1:]):
        row[i % 5] = "?" if i % 3 == 0 else row[i % 5]
    Path("blank.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    full = [row for row in rows if "?" not in row]
    Path("full.csv").write_text("".join(",".join(row) + "\n" for row in full))
    words = ("mixture", "train.csv", "blank.csv", "--iterations", 300, "--networks", 1, "--threads", 1)
    refuse(" ".join(map(str, ("mnmodel", *words, "-q"))), 1, "blank.csv:2, column 'x0': missing value '?'")
    log = run("mnmodel", *words, "--missing", "state", "-o", "state.json").stderr
    per_row = json.loads(run("mnmodel", "loglik", "state.json", "blank.csv", "-q", "--format", "json").stdout)["loglik"]
    assert f": {per_row:.4f} per row; mixture of all:" in log and read_model("state.json").states[0] == ("0", "1", "?")
    assert run("mnmodel", *words, "--missing", "drop", "-q", "-o", "drop.json").code == 0
    assert run("mnmodel", "mixture", "train.csv", "full.csv", *words[3:], "-q", "-o", "full.json").code == 0
    assert Path("drop.json").read_text() == Path("full.json").read_text()


@pytest.mark.slow
def test_refusals(refuse, run, work):
    Path("gaps.csv").write_text("x0,x1\n0,?\n1,1\n")
    Path("narrow.csv").write_text("x0,x1\n0,0\n1,1\n")
    mixture = "mnmodel mixture -q train.csv"
    refuse(f"{mixture} valid.csv --networks 0", 2, "Invalid value for '--networks'")
    refuse(f"{mixture} narrow.csv", 1, "narrow.csv: no column x2, x3, x4, x5, x6, x7, x8, x9, ..., which the")
    refuse(f"{mixture} valid.csv --memory 0.001", 1, "the tables need ")
    refuse("mnmodel mixture -q gaps.csv narrow.csv", 1, "gaps.csv:2, column 'x1': missing value '?'")
    refuse(f"{mixture} valid.csv --counts n", 1, "train.csv: no column 'n' of counts")
    small = ("--iterations", 300, "--format", "json", "-q")
    assert run("mnmodel", "mixture", "narrow.csv", "narrow.csv", *small, "-o", "narrow.json").code == 0
    refuse(f"{mixture} valid.csv --from narrow.json", 1, "narrow.json: its variables or states are not those of train")
    assert run("mnmodel", "mixture", "train.csv", "valid.csv", *small, "-o", "m.json").code == 0
    refuse("mnmodel kl m.json m.json -q", 2, "m.json: the divergence of a mixture")
    refuse("mnmodel page m.json --data train.csv -q", 2, "m.json: a mixture of networks, whose edges have no score")
    refuse("mnmodel entropy m.json -q", 2, "the entropy of all variables of a mixture")


@pytest.mark.slow
def test_an_interrupted_run_writes_the_best_mixture(work):
    """Exit code 130, and the best so far."""
    args = [*command_line("mnmodel"), *"mixture train.csv valid.csv --time-limit 100 -o m.json --format json".split()]
    with subprocess.Popen(args, stderr=subprocess.PIPE, text=True) as process:
        while (line := process.stderr.readline()) and "s: grown" not in line:
            pass
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        assert process.wait(60) == 130, rest
    assert '"status": "interrupted"' in Path("m.json").read_text() and "Traceback" not in rest


@pytest.mark.slow
def test_a_network_that_is_too_large_for_a_format_leaves_room_for_another(monkeypatch, caplog):
    """Few kinds of rows: large cliques, of which few states occur, and sparse networks."""
    rng = np.random.default_rng(4)
    kinds = rng.integers(0, 2, (12, 12))
    train, valid = (dataset_of(kinds[rng.integers(0, 12, 150)]) for _ in range(2))
    search, found = learned(train, valid, 2000)
    alone = single_network(search.candidates, search.valid.row_counts)
    large = alone.fit.networks[0].network(search.rows)
    assert any(isinstance(table, SparseCPT) for table in large.tables)
    monkeypatch.setattr(bayesnet, "MAX_CELLS", sum(table.size for table in large.full().tables) - 1)
    monkeypatch.setattr(mixture_network, "MAX_CELLS", 1)
    taken, model = mixture_run._writable(found, search, mixture_run._full_network)
    assert taken.candidates[0].is_network and taken.candidates != [alone]
    assert all(isinstance(table, np.ndarray) for table in model.tables)
    assert "networks left out for this reason: " in caplog.text
    search.candidates = [alone]
    with pytest.raises(LimitError, match="full tables would have [0-9]+ numbers, at most "):
        mixture_run._writable(choice([alone], search.folds, 100), search, mixture_run._full_network)


@pytest.mark.slow
def test_a_file_can_be_read_again(monkeypatch, caplog):
    train, valid = (dataset_of(two_kinds(150, seed)[0]) for seed in (1, 2))
    search, found = learned(train, valid, 20_000, seed=2)
    every, model = mixture_run._writable(found, search, mixture_run._checked_length)
    assert len(every.networks) == len(found.networks) > 1
    length = len("".join(json_pieces(model, {})))
    assert fits_in(model, length) and not fits_in(model, length - 1)
    assert fits_in(model, 1000 * length)
    monkeypatch.setattr(mixture_run, "MAX_TEXT", length - 1)
    fewer, model = mixture_run._writable(found, search, mixture_run._checked_length)
    assert len(fewer.networks) <= len(found.networks) * 3 // 4
    assert not isinstance(model, Mixture) or fits_in(model, length - 1)
    assert f"a file of {len(found.networks)} networks with more than {length - 1:,} bytes" in caplog.text
