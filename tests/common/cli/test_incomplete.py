"""`--missing em` of the learners: certified on completions, which mntools draws again or reads from a file."""

import re

import numpy as np
import pytest

import cliquewise
from cliquewise.common.data.incomplete import IncompleteData, without_missing_state
from cliquewise.common.errors import UsageError
from cliquewise.common.inference.completions import CompletionPlan, complete
from tests.oracles import learners
from tests.oracles import scores as oracle

LEARNERS = {
    "lsmarkov": "--iterations 2000",
    "junctor": "",
    "coarsen": "--method greedy",
    "mplearn": "",
    "twlearn": "-w 2 --iterations 200",
}
SHORT = "--missing em --completions 2"


@pytest.fixture(autouse=True)
def tables(here):
    """A table of five dependent columns with missing cells, one without, and one with an empty column."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 2, 300)
    columns = [first]
    for _ in range(4):
        columns.append(np.where(rng.random(300) < 0.85, columns[-1], rng.integers(0, 2, 300)))
    rows = np.column_stack(columns).astype(str)
    (here / "full.csv").write_text("\n".join(["a,b,c,d,e", *map(",".join, rows)]) + "\n")
    rows[rng.random(rows.shape) < 0.2] = "?"
    (here / "blank.csv").write_text("\n".join(["a,b,c,d,e", *map(",".join, rows)]) + "\n")
    rows[:, 2] = ""
    (here / "empty.csv").write_text("\n".join(["a,b,c,d,e", *map(",".join, rows)]) + "\n")
    return here


@pytest.mark.fast_cases(3)
@pytest.mark.parametrize("name", LEARNERS)
def test_a_network_and_its_completions_are_checked(run, tables, name):
    words = (*SHORT.split(), *LEARNERS[name].split(), "--provenance", "-q", "-o", "net")
    done = run(name, "blank.csv", *words, "--completed", "rows.csv")
    assert done.code == 0, done.stderr
    text = (tables / "net").read_text()
    assert "# missing em\n# completions 2\n# completion-seed 1\n# completion-rounds " in text
    for words in ([], ["--completed", "rows.csv"]):
        checked = run("mntools", "check", "-q", "net", "--data", "blank.csv", *words)
        assert checked.code == 0 and checked.stdout.startswith("ok: "), checked.stdout + checked.stderr
    assert run("mntools", "score", "-q", "blank.csv", "net").stdout.strip() == re.search("# score (.*)", text)[1]
    assert run("mntools", "best", "-q", "net", "--data", "blank.csv").stdout == text
    for key, message in (("score", "claimed"), ("log-likelihood", "log-likelihood claimed")):
        (tables / "wrong").write_text(re.sub(f"# {key} -", f"# {key} -1", text))
        checked = run("mntools", "check", "-q", "wrong", "--data", "blank.csv")
        assert checked.code == 1 and message in checked.stdout
    (tables / "other").write_text(text.replace("# completion-seed 1", "# completion-seed 2"))
    assert run("mntools", "check", "-q", "other", "--data", "blank.csv").code == 1


@pytest.mark.parametrize("name", LEARNERS)
def test_without_missing_cells_nothing_changes(run, tables, name):
    words = [*LEARNERS[name].split(), "-q"]
    plain = run(name, "full.csv", *words)
    assert plain.code == 0 and run(name, "full.csv", "--missing", "em", *words).stdout == plain.stdout


@pytest.mark.slow
def test_the_best_network_of_the_completions(run, tables):
    """By trying every chordal graph."""
    data = without_missing_state(cliquewise.read_csv("blank.csv", missing="state"))
    drawn = complete(data, CompletionPlan(3)).drawn
    rows = list(map(tuple, drawn.tolist()))
    best, _ = learners.best_chordal(5, oracle.set_score_of_parts(rows, [2] * 5, "bdeu", 5.0, 3))
    for name in ("junctor", "lsmarkov"):
        words = ["--missing", "em", "--completions", "3", "--ess", "5", "-q", *LEARNERS[name].split()]
        score = float(re.search("# score (.*)", run(name, "blank.csv", *words).stdout)[1])
        assert score == pytest.approx(best, abs=1e-6), name


def test_structure_that_missing_cells_hide_is_found(run):
    """The chain, from a table in which a third of the rows is complete."""
    found = cliquewise.lsmarkov("blank.csv", missing="em", iterations=2000, ess=5)
    assert set(found.edges) == {("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")}


def test_from_python(run):
    """Data that were read by em or with missing cells as states, and a file, are the same."""
    incomplete, states = (cliquewise.read_csv("blank.csv", missing=rule) for rule in ("em", "state"))
    found = cliquewise.junctor("blank.csv", missing="em", completions=2)
    assert found.header["missing"] == "em"
    assert found == cliquewise.junctor(incomplete, completions=2)
    assert found == cliquewise.junctor(states, missing="em", completions=2)
    with pytest.raises(UsageError, match="missing=.state. has no effect on data that were read"):
        cliquewise.junctor(incomplete, missing="state")
    with pytest.raises(UsageError, match="missing='em'"):
        cliquewise.mplearn(incomplete, score="l1lr", lambda_=1)
    assert not isinstance(cliquewise.read_csv("full.csv", missing="em"), IncompleteData)


def test_each_run_of_a_sweep_has_its_own_completions(run, tables):
    """The bytes of the command in its header; what differs between seeds are the completions, too."""
    words = "lsmarkov blank.csv --missing em --completions 2 --iterations 100 -q --provenance".split()
    assert run(*words, "--seeds", "1-2", "-o", "net-{}", "--completed", "rows-{}").code == 0
    for seed in ("1", "2"):
        text = (tables / f"net-{seed}").read_text()
        assert f"# completion-seed {seed}\n" in text
        alone = re.search("# command (.*)", text)[1].split()
        assert run(*alone, "-q", "-o", "alone", "--completed", "rows").code == 0
        assert (tables / "alone").read_text() == text
        assert (tables / "rows").read_bytes() == (tables / f"rows-{seed}").read_bytes()
    assert (tables / "rows-1").read_bytes() != (tables / "rows-2").read_bytes()
    done = run(*words, "--seeds", "1-2", "-o", "net-{}", "--completed", "rows")
    assert done.code == 2 and "put {} for the seed into the files' name" in done.stderr


@pytest.mark.parametrize("name", LEARNERS)
def test_a_resumed_run_has_the_same_completions(run, tables, monkeypatch, name):
    """Though the clock of the first one allowed no search for the network that draws, and that of the second does."""
    line = [name, "blank.csv", *SHORT.split(), *LEARNERS[name].split(), "--time-limit", "20", "-q"]
    kept = "--checkpoint", "state", "--resume"
    monkeypatch.setattr("cliquewise.common.learning.incomplete._TIME_SHARE", 0.0)
    assert run(*line, *kept, "-o", "one", "--completed", "rows-1").code == 0
    monkeypatch.undo()
    monkeypatch.chdir(tables)
    assert "# completion-steps 0\n" in (tables / "one").read_text()
    assert run(*line, *kept, "--time-limit", "30", "-o", "two", "--completed", "rows-2").code == 0
    assert (tables / "rows-1").read_bytes() == (tables / "rows-2").read_bytes()
    assert run("mntools", "check", "-q", "two", "--data", "blank.csv").code == 0
    assert run(*line, "-o", "three").code == 0 and "# completion-steps" not in (tables / "three").read_text()
    other = run(*line, *kept, "--completions", "3")
    assert other.code == 2 and "completions 2 (here 3)" in other.stderr
    (tables / "blank.csv").write_text((tables / "full.csv").read_text() + "0,1,?,0,1\n")
    other = run(*line, *kept)
    assert other.code == 2 and "was made from other data" in other.stderr


@pytest.mark.parametrize(
    "line, code, message",
    [
        ("lsmarkov full.csv --completions 3", 2, "--completions has no effect with --missing refuse"),
        ("junctor full.csv --completed rows.csv", 2, "--completed has no effect with --missing refuse"),
        ("junctor empty.csv --missing em -q", 1, "empty.csv: column 'c' has no cell that is not missing"),
        (
            "mplearn blank.csv --missing em --score l1lr --lambda 1",
            2,
            "--score l1lr is not supported yet with --missing em",
        ),
        (
            "lsmarkov blank.csv --missing em --completions 0",
            2,
            "Invalid value for '--completions': 0 is",
        ),
    ],
)
def test_what_is_refused(refuse, line, code, message):
    refuse(line, code, message)


def test_edges_of_a_posterior_have_no_score(run, refuse, tables):
    assert run("mnposterior", "blank.csv", "--missing", "em", "--iterations", 20000, "-q", "-o", "edges").code == 0
    refuse("mntools draw edges --data blank.csv -q -o x.svg", 1, "blank.csv: it has missing cells")


def test_a_header_that_does_not_say_how(run, tables):
    (tables / "net").write_text("# missing em\n# format cliques\n0\n1\n2\n3\n4\n")
    found = run("mntools", "check", "net", "--data", "blank.csv")
    assert found.code == 1 and "'# missing em' without # completions" in found.stderr
    (tables / "plain").write_text("0\n1\n2\n3\n4\n")
    found = run("mntools", "check", "plain", "--data", "full.csv", "--completed", "full.csv")
    assert found.code == 2 and "--completed full.csv has no effect" in found.stderr


def test_a_model_of_the_network(run, tables):
    """The header says how the data were read; the fit is by EM."""
    assert run("junctor", "blank.csv", "--missing", "em", "-q", "-o", "net").code == 0
    done = run("mnmodel", "fit", "blank.csv", "net", "-o", "net.bif")
    assert done.code == 0 and "missing em" in (tables / "net.bif").read_text()


FILES_OF_EDGES = {
    "lsmarkov": ("--init", "--required-edges", "--edge-priors"),
    "junctor": ("--forbidden-edges", "--edge-priors"),
    "coarsen": ("--start", "--edge-priors"),
    "mplearn": ("--required-edges",),
    "twlearn": ("--template", "--required-arcs", "--tiers", "--edge-priors"),
}


@pytest.mark.parametrize("name", FILES_OF_EDGES)
def test_an_error_in_a_file_of_edges_is_found_before_cells_are_drawn(run, tables, name):
    (tables / "edges").write_text("a,unknown\n")
    for option in FILES_OF_EDGES[name]:
        done = run(name, "blank.csv", *SHORT.split(), *LEARNERS[name].split(), option, "edges")
        assert done.code != 0 and "unknown" in done.stderr and "em: " not in done.stderr, done.stderr
