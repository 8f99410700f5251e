"""The first line of a run says what was read, what will be done, and for how long."""

import re
from pathlib import Path

import pytest

from cliquewise.common.learning.summary import length_of, sets_text
from cliquewise.common.run.limits import Limits
from tests.commands import ROOT

TINY, ZOO = ROOT / "data/tiny.csv", ROOT / "data/zoo.csv"
READ = "101 rows x 17 variables; "
IDLE = "until nothing better is found for 3 times as long as the best took, 5 to 60 s"
CHANGED = "--time-limit or --iterations change that"


@pytest.mark.parametrize(
    "line, message",
    [
        ("lsmarkov", f"{READ}search {IDLE} (--time-limit, --iterations or --target-score change that); at most "),
        ("lsmarkov --iterations 5 --target-score -9", f"{READ}search for 5 iterations or until a score of -9; "),
        ("lsmarkov --greedy --time-limit 9", f"{READ}search as published (--preset ecai2020) for 9 s; "),
        ("lsmarkov --bound 7 --iterations 1000", "search for 1,000 iterations, then an upper bound for 7 s; "),
        ("lsmarkov --seeds 1-3 -o net-{} --iterations 5", f"{READ}3 times search for 5 iterations; "),
        ("junctor --method dp", f"{READ}dynamic program over 2^17 sets until it is done; at most "),
        ("junctor --max-clique 3", f"{READ}cutting planes, 834 sets until the optimum is proved; at most "),
        ("coarsen", f"{READ}coarsening from tree and forest until it is done; "),
        ("coarsen --method greedy --time-limit 4", f"{READ}greedy edges from no edges for 4 s; "),
        ("coarsen --method forest", f"{READ}best forest until it is done; "),
        ("mplearn", f"{READ}blankets by mpl, combined by hill climbing until it is done; "),
        ("mplearn --score cmi --threshold 0.1", f"{READ}blankets by cmi, combined by 'and' until it is done; "),
        ("twlearn -w 2", f"{READ}method milp for 60 s (--time-limit changes that); at most "),
        ("twlearn -w 2 --method chordal", f"{READ}method chordal {IDLE} ({CHANGED}); at most "),
        ("mnposterior", f"{READ}4 ladders of chains for 60 s ({CHANGED}); at most "),
        ("mnposterior --draws 500", f"{READ}500 exact draws until it is done; at most "),
        ("mnmodel mixture half.csv", f"{READ}search for a mixture of at most 100 networks for 60 s ({CHANGED}); "),
    ],
)
def test_what_will_be_done_and_for_how_long(run, line, message, here):
    name, *words = line.split()
    at = 1 if name == "mnmodel" else 0
    Path("half.csv").write_text("".join(ZOO.read_text().splitlines(keepends=True)[:51]))
    done = run(name, *words[:at], ZOO, *words[at:], "--dry-run")
    assert done.code == 0, done.stderr
    first, *more = [text for text in done.stderr.splitlines() if "--header" not in text]
    assert first.startswith(f"{name}: {ZOO}: ") and message in first
    assert re.search(r"at most [0-9,]+ [kM]B for tables( and cached scores)?$", first) and more == []


def test_the_first_line_precedes_all_other_messages(run):
    done = run("lsmarkov", TINY, "--header", "yes", "--max-clique", 2)
    first = done.stderr.splitlines()[0]
    assert f"{TINY}: 6 rows x 3 variables; dynamic program over 7 sets until it is done; " in first
    assert "rows x" not in run("lsmarkov", TINY, "-q").stderr


@pytest.mark.parametrize("count", [33, 115])
def test_work_that_is_refused_is_not_announced(run, here, count):
    """Of 115 variables the megabytes have 77 digits."""
    Path("many.csv").write_text(
        ",".join(f"v{i}" for i in range(count)) + "\n" + "".join(",".join(v * count) + "\n" for v in "01")
    )
    done = run("junctor", "many.csv", "--method", "dp")
    assert done.code == 1 and f"{count} variables; " in done.stderr and "dynamic program over" not in done.stderr


def test_scores_from_a_file(run, here):
    run("dmscore", TINY, 1, 2, "-q", "-o", "scores")
    assert run("junctor", "scores").stderr.startswith("junctor: scores: scores of 3 variables; dynamic program over ")


def test_lengths_of_runs_and_numbers_of_sets_are_in_words():
    assert length_of(Limits()) == "until it is done"
    assert length_of(Limits(0.5, 1000)) == "for 0.5 s or for 1,000 iterations"
    assert sets_text(14, None) == sets_text(14, 14) == "2^14 sets"
    assert sets_text(4, 2) == "11 sets"
