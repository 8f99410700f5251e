"""`--memory` of the commands that are no learners: what does not fit is refused with the number, before it is made."""

import re
import tracemalloc

import numpy as np
import pytest

from cliquewise.common.data.reading import Reading
from cliquewise.common.drawing import layout
from cliquewise.common.models.model_data import codes_for, read_rows
from cliquewise.common.models.model_fit import fit
from cliquewise.common.run.resources import check_fits, memory_bound, usable_memory
from cliquewise.mnmodel.sample import SampleOptions, sample
from tests.commands import ROOT, all_commands
from tests.reading import read_csv

FILES = {
    "data.csv": (ROOT / "data/tiny.csv").read_text(),
    "numbers.csv": "".join(f"{line}\n" for line in ("a,b", *(f"{k},{k // 6}" for k in range(12)))),
    "net": "# score -15.054265\n0,1\n",
    "bif": "network x {}\nvariable grass { type discrete [ 2 ] { dry, wet }; }\n"
    "probability ( grass ) { table 0.5, 0.5; }\n",
}
LINES = {
    "mntools score": "data.csv net",
    "mntools strength": "data.csv net",
    "mntools check": "net --data data.csv",
    "mntools best": "net --data data.csv",
    "mntools draw": "net -o out.png",
    "mntools bound": "data.csv",
    "mnmodel sample": "--rows 20",
    "mnmodel fit": "data.csv net",
    "mnmodel loglik": "data.csv net data.csv",
    "mnmodel query": "bif --of grass",
    "mnmodel predict": "bif data.csv --target grass",
    "mnmodel marginals": "bif",
    "mnmodel mpe": "bif --of grass",  # without --of a search makes no tables
    "mnmodel entropy": "bif",
    "mnmodel partition": "bif",
    "mnmodel information": "bif",
    "mnmodel kl": "bif bif",
    "mnmodel impute": "bif data.csv",
    "mnmodel page": "bif",
    "mnmodel cv": "data.csv --header yes --folds 2 -- junctor",
    "mnmodel discretize": "numbers.csv",
    "mnmodel cluster": "numbers.csv -o out-{}.csv",
    "mnmodel mixture": "numbers.csv numbers.csv --iterations 1 -o out.json",
    "mntools merge": "part",
}
NO_TABLES = {"mnmodel states", "mnmodel describe", "cliquewise learn", "cliquewise open"} | {
    f"mntools {name}" for name in ("compare", "convert", "average", "plot")
}
NO_TABLES |= {f"papers {name}" for name in ("measure", "table", "plot", "report")}
NO_TABLES |= {"mnmodel d-separated", "mnmodel blanket"}
LEARNERS = {"lsmarkov", "mnposterior", "junctor", "coarsen", "mplearn", "twlearn", "dmscore"}


@pytest.fixture
def place(workplace, run):
    folder = workplace(FILES)
    done = run("dmscore", "data.csv", 1, "--shard", "1/1", "-q", "-o", "part")
    assert done.code == 0, done.stderr
    return folder


def words(name):
    return f"{name} {LINES[name]} -q"


def test_every_command_that_makes_tables_has_it():
    having = {name for name, one in all_commands().items() if any(param.name == "memory" for param in one.params)}
    assert having == LEARNERS | set(LINES)
    assert NO_TABLES == set(all_commands()) - having


@pytest.mark.parametrize("name", LINES)
def test_what_does_not_fit_is_refused(refuse, run, place, name):
    refuse(f"{words(name)} --memory 1e-9", 1, "")
    log = run(*words(name).split(), "--memory", "1e-9").stderr
    assert re.search(r" need [\d.e-]+ GB, 1e-09 GB may be used \(--memory\)", log), log


@pytest.mark.parametrize("name", LINES)
def test_a_limit_that_is_not_reached_changes_no_byte(run, place, name):
    found = []
    for more in ([], ["--memory", "1"]):
        line = words(name).split()
        done = run(*line[:2], *more, *line[2:])
        assert done.code == 0, done.stderr
        found.append((done.stdout, [(path.name, path.read_bytes()) for path in sorted(place.glob("out*"))]))
    assert found[0] == found[1] and any(found[0])


def test_free_memory_is_the_limit_if_none_is_given(run, monkeypatch):
    monkeypatch.setattr("cliquewise.common.run.resources.available_memory", lambda: 10**6)
    done = run("mnmodel", "sample", "--rows", 1000, "-q")
    assert done.code == 1 and done.stderr.startswith("mnmodel: the distributions of 4 parts need 0.0021 GB, 0.001 GB")
    monkeypatch.setattr("cliquewise.common.run.resources.available_memory", lambda: 4 * 10**6)
    assert run("mnmodel", "sample", "--rows", 1000, "-q").code == 0
    done = run("mnmodel", "sample", "--rows", 10**15, "-q")
    assert done.code == 1 and f"{10**15} rows of 64 variables need " in done.stderr


def test_a_limit_holds_while_its_context_is_open():
    with memory_bound(100.0):
        assert usable_memory() == 100.0
        with memory_bound(None):
            assert usable_memory() > 1e6
        check_fits(100, None, "they", "")
    assert usable_memory() > 1e6


def taken_and_needed(monkeypatch, work):
    """Largest memory of `work()`, and the largest that it asked for, in bytes."""
    needs = []

    def recorded(need, *_):
        needs.append(need)

    for module in (
        "common.run.resources",
        "common.drawing.layout",
        "mnmodel.sample",
        "common.junction.evidence",
        "mnmodel.predict",
        "mnmodel.synthetic",
    ):
        monkeypatch.setattr(f"cliquewise.{module}.check_fits", recorded)
    work()  # imports what it needs
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1], max(needs)
    finally:
        tracemalloc.stop()


def rows_of_a_chain(path, n_rows=20_000, n=20):
    steps = np.random.default_rng(1).integers(0, 2, (n_rows, n))
    np.savetxt(path, steps.cumsum(axis=1) % 4, "%d", ",")
    return fit(read_csv(path, "no"), [(), *((v,) for v in range(n - 1))], 1.0).tables()


@pytest.mark.parametrize("hidden", [(), (3, 4, 5, 6, 7, 8, 9)])
def test_inference_takes_about_the_memory_estimated(monkeypatch, tmp_path, hidden):
    path = tmp_path / "rows.csv"
    network = rows_of_a_chain(path)
    codes = codes_for(network, read_csv(path, "no"))
    codes[:, hidden] = -1

    def work():
        read_rows(path, Reading(header="no"))
        tracemalloc.reset_peak()  # reading is not counted
        network.posterior(codes, hidden[:2])

    taken, needed = taken_and_needed(monkeypatch, work)
    assert needed / 20 < taken < 1.2 * needed


def test_a_sample_takes_about_the_memory_estimated(monkeypatch, tmp_path):
    options = SampleOptions(rows=40_000, components=("clique", "grid"), path=tmp_path / "drawn.csv")
    taken, needed = taken_and_needed(monkeypatch, lambda: sample(options))
    assert needed / 4 < taken < 1.2 * needed


@pytest.mark.slow
def test_a_layout_takes_about_the_memory_estimated(monkeypatch):
    edges = sorted({(v, v + k) for v in range(18) for k in (1, 2, 3) if v + k < 18})
    taken, needed = taken_and_needed(monkeypatch, lambda: layout.place(18, edges, np.full((18, 2), 30.0)))
    assert needed / 4 < taken < 1.2 * needed
