"""Learners that a signal ends while they search: what was found is written whole, and its claims are true."""

import os
from pathlib import Path

import pytest

from cliquewise.common.models.any_graph import read_graph
from tests.commands import ROOT
from tests.interrupting import TRACE, interrupted
from tests.random_inputs import csv_text, random_dataset
from tests.slow import SIGNALS

DATA = ROOT / "data"
RUNS = {  # the words of a run that takes long, and when the signal comes, as for `interrupted`
    "lsmarkov": (f"lsmarkov {DATA}/breast_cancer.csv --iterations {10**15}", {"lines": 3}),
    "lsmarkov published": (f"lsmarkov {DATA}/breast_cancer.csv --iterations {10**15} --preset ecai2020", {"lines": 3}),
    "junctor": ("junctor wide.csv --max-clique 6", {"lines": 2}),
    "coarsen": (f"coarsen {DATA}/dna.csv --ess 1000", {"pause": 1.0}),  # during an integer program
    "mplearn": (f"mplearn {DATA}/digits.csv --threads 1", {}),
    "mplearn blankets": (f"mplearn {DATA}/digits.csv --threads 1 --blankets-only", {}),
    "twlearn s2": (f"twlearn {DATA}/zoo.csv -w 3 --method s2 --time-limit 200", {}),
    "twlearn chordal": (f"twlearn {DATA}/zoo.csv -w 3 --method chordal --time-limit 200", {}),
    "mnposterior": (f"mnposterior {DATA}/zoo.csv --time-limit 30 --samples samples --trajectory path.csv", {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_search_and_keeps_what_was_found(here, run, name, number):
    (here / "wide.csv").write_text(csv_text(random_dataset(3, n_vars=40, n_rows=150)))
    line, when = RUNS[name]
    command, data, *words = line.split()
    done = interrupted(command, data, *words, "-q", "-o", "net", signals=(number,), **when)
    assert (done.stdout, done.stderr) == ("", "")
    others = {"samples", "path.csv"} if command == "mnposterior" else set()
    assert {*os.listdir()} == {"wide.csv", "net", TRACE, *others}
    text = (here / "net").read_text()
    assert "# status interrupted\n" in text
    if "--blankets-only" in words:
        assert 0 < sum(not line.startswith("#") for line in text.splitlines()) < 55
    else:
        assert read_graph("net").graph.n == Path(data).read_text().partition("\n")[0].count(",") + 1
        assert run("mntools", "check", "net", "--data", data).code == 0
