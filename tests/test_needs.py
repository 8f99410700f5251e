"""The memory of a run: estimated by --dry-run without any work, bounded by --memory, and no less than is used."""

import numpy as np
import pytest

from cliquewise.common.bounds import problem
from cliquewise.common.errors import LimitError
from cliquewise.common.exact.tables import all_states, bytes_needed, most_bytes_needed
from cliquewise.common.scores.needs import Needs
from cliquewise.common.scores.scorer import bytes_of_scores, cache_bytes
from cliquewise.common.sets.set_orders import colex_masks
from tests.commands import ROOT, command_line, peak_memory
from tests.random_inputs import random_dataset
from tests.slow import slow

ZOO = f"{ROOT}/data/zoo.csv"
RUNS = {
    "lsmarkov": f"lsmarkov {ZOO} --iterations 1000",
    "posterior": f"mnposterior {ZOO} --iterations 1000",
    "coarsen": f"coarsen {ZOO} --method greedy --max-clique 3",
    "mplearn": f"mplearn {ZOO}",
    "blankets": f"mplearn {ZOO} --blankets-only",
    "twlearn": f"twlearn {ZOO} -w 2 --iterations 1000",
    "kp": f"twlearn {ROOT}/data/tiny.csv -w 2",
    "dp": f"junctor {ZOO} --max-clique 3 --method dp",
    "ilp": f"junctor {ZOO} --max-clique 3 --method ilp",
    "dmscore": f"dmscore {ZOO} 1 3",
}
METHODS = {"posterior": "chains", "coarsen": "greedy", "twlearn": "chordal", "kp": "kp", "dp": "dp", "ilp": "ilp"}
SEARCHED = ("lsmarkov", "coarsen", "mplearn", "twlearn")


def words_of(name):
    program, *words = RUNS[name].split()
    return program, [*words, "-q", "--threads", "1"]


@pytest.mark.parametrize("name", RUNS)
def test_a_dry_run_prints_an_estimate_and_does_nothing(run, monkeypatch, workplace, tmp_path, name):
    workplace({})
    monkeypatch.setattr("cliquewise.common.scores.scorer.SetScorer.__init__", None)  # would be a TypeError
    monkeypatch.setattr("cliquewise.common.scores.all_scores.walk_sets", None)
    program, words = words_of(name)
    extra = [] if program == "dmscore" else ["--trace", "trace", "--checkpoint", "kept"]
    extra = extra[2:] if name == "dp" else extra
    done = run(program, *words, *extra, "--dry-run", "-o", "net")
    assert done.code == 0 and done.stderr == "", done.stderr
    estimate = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert estimate.get("method") == METHODS.get(name)
    rows = {"kp": ("3", "6", "3")}.get(name, ("17", "101", "59"))
    assert (estimate["variables"], estimate["rows"], estimate["distinct-rows"]) == rows
    parts = sum(float(estimate[f"{part}-gb"]) for part in ("tables", "scores", "program"))
    assert float(estimate["memory-gb"]) == pytest.approx(parts, abs=2e-3) and float(estimate["program-gb"]) > 0.1
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_prints_the_time_limit(run):
    done = run("lsmarkov", ZOO, "--time-limit", 90, "--dry-run", "-q")
    assert done.stdout.splitlines()[-1] == "seconds 90"
    done = run("lsmarkov", ZOO, "--time-limit", 90, "--dry-run", "-q", "--seeds", "1-3", "-o", "x{}")
    assert done.stdout.splitlines()[-1] == "seconds 270"
    done = run("lsmarkov", ZOO, "--time-limit", 90, "--dry-run", "--ess", "1,10", "--choose", "cv")
    assert done.stdout.splitlines()[-1] == "seconds 990" and "11 networks are learned, each as follows" in done.stderr


@pytest.mark.parametrize("name", RUNS)
def test_tables_that_do_not_fit_are_refused(refuse, workplace, name):
    workplace({})
    refuse(f"{RUNS[name]} -q --memory 1e-7 -o net", 1, "")


@pytest.mark.parametrize("name", SEARCHED)
def test_the_refusal_says_how_much_is_needed(run, name):
    program, words = words_of(name)
    done = run(program, *words, "--memory", "1e-6")
    assert "the tables need " in done.stderr and "GB, 1e-06 GB may be used (--memory); " in done.stderr


@pytest.mark.parametrize("name", SEARCHED)
def test_less_memory_changes_no_byte(run, tmp_path, name):
    program, words = words_of(name)
    for path, more in (("much", ()), ("little", ("--memory", "0.01"))):
        done = run(program, *words, *more, "-o", tmp_path / path)
        assert done.code == 0, done.stderr
    assert (tmp_path / "much").read_bytes() == (tmp_path / "little").read_bytes()


def test_a_cache_takes_what_the_tables_leave():
    needs = Needs(1e9, 1e12, "buy more")
    assert needs.cache_within(1024, 1e12) == 1024
    small = needs.cache_within(1024, 1.1e9)
    assert 1 < small < 1024 and 1e9 + cache_bytes(small) <= 1.1e9 < 1e9 + cache_bytes(4 * small)
    with pytest.raises(LimitError, match=r"^the tables need 1 GB, 0\.9 GB may be used \(--memory\); buy more$"):
        needs.cache_within(1024, 0.9e9)
    with pytest.raises(LimitError, match="the tables need"):  # and no score beside them
        needs.cache_within(1024, 1.0001e9)
    assert Needs(10.0, 20.0).cache_within(1024, 40.0) == 1024  # all scores that there are take less


def test_all_scores_of_few_variables_take_little():
    data = random_dataset(1, n_vars=5)
    assert bytes_of_scores(data, 2) == bytes_of_scores(data) < 3e6
    wide = random_dataset(1, n_vars=40)
    assert bytes_of_scores(wide, 3) < bytes_of_scores(wide, 5) < bytes_of_scores(wide)


@pytest.mark.parametrize("n, largest", [(2, 1), (5, 5), (9, 4), (12, 12)])
def test_the_tables_of_all_sets(n, largest):
    masks = colex_masks(n, largest).astype("int64")
    exact, most = bytes_needed(n, masks), most_bytes_needed(n, largest)
    assert exact == all_states(n, masks).table_bytes <= most <= exact + 8 * len(masks)
    assert most_bytes_needed(n, largest, lists=True) > most


def test_all_sets_of_28_variables_fit():
    """Their order bounds do; the families of all sets of more variables do not, and few sets need no such bounds."""
    assert problem.bytes_needed(28, 28) < 12e9
    assert problem.bytes_needed(28, 5) < 1e9
    assert problem.bytes_needed(29, 29) > 1e12


def estimate_and_peak(run_command, line):
    """Bytes that --dry-run prints for a run, and its largest resident memory."""
    program, *words = line.split()
    lines = run_command(program, *words, "--dry-run", "-q").stdout.splitlines()
    most = float(next(line for line in lines if line.startswith("memory-gb")).split()[1])
    for _ in range(2):  # the first may compile kernels
        _, peak = peak_memory(*command_line(program), *words, "-q")
    return most * 1e9, peak


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", [f"junctor {ZOO} --max-clique 3 --method ilp", *slow(f"twlearn {ZOO} -w 2 --method milp --time-limit 2")]
)
def test_libraries_of_integer_programs_are_counted(run_command, line):
    most, taken = estimate_and_peak(run_command, line)
    assert taken <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "twlearn DATA -w 1 --time-limit 5",
        "lsmarkov DATA --iterations 1000 --max-clique 2",
        "coarsen DATA --method forest",
    ],
)
def test_many_states_are_counted(run_command, tmp_path, line):
    data = tmp_path / "data.csv"
    codes = np.random.default_rng(0).integers(0, 5000, (60000, 12))
    np.savetxt(data, codes, fmt="%d", delimiter=",", header=",".join(f"x{i}" for i in range(12)), comments="")
    most, taken = estimate_and_peak(run_command, line.replace("DATA", str(data)))
    assert taken <= most


@pytest.mark.slow
@pytest.mark.parametrize("line", [
    "lsmarkov DATA --time-limit 4", "mnposterior DATA --time-limit 4", "mplearn DATA --blankets-only",
    "twlearn DATA -w 3 --time-limit 4", "coarsen DATA --method forest", "lsmarkov DATA --time-limit 8 --memory 0.05",
])  # fmt: skip
def test_runs_take_no_more_memory_than_estimated(tmp_path, run_command, line):
    data = tmp_path / "data.csv"
    run_command("mnmodel", "sample", "--replicas", 4, "--rows", 5000, "-q", "-o", data)
    most, taken = estimate_and_peak(run_command, f"{line.replace('DATA', str(data))} -o {tmp_path / 'net'}")
    assert taken < most
