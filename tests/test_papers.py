"""The reruns of data/papers: their descriptions and published values hold together; a small case of each target is run.

The slow test needs the real data beside the project; what is killed in the middle goes on.
"""

import os
import re
import signal
import subprocess
import time
import tomllib

import numpy as np
import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.scorefile import read_scores
from cliquewise.data.papers import fetch, rank_graphs
from cliquewise.data.papers.cells import read_rows
from cliquewise.data.papers.spec import read_spec
from cliquewise.mnmodel.synthetic import draw_network
from tests.commands import ROOT

PAPERS = ROOT / "data" / "papers"
SPECS = sorted(PAPERS.glob("*.toml"))
# the tests may have been started by make
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
# typed a second time, from the papers: table, row, column, value
TYPED = [
    ("lsmarkov-table1", {"name": "kddcup"}, {"lsmarkov": "-15854.9", "Junctor": "-15854.6", "BBMarkov s": "2709"}),
    ("lsmarkov-table2", {"name": "spectf"}, {"lsmarkov": "-8055.0", "GOBNILP 3": "-8047.4", "GOBNILP 3 s": "3067"}),
    ("lsmarkov-table2", {"name": "autos"}, {"BBMarkov 5": "-1921.7", "BBMarkov 3 s": "17"}),
    ("lsmarkov-table3", {"name": "barley5000"}, {"precompute 4": "-266736.1", "precompute 5": ""}),
    ("lsmarkov-table3", {"name": "horse"}, {"precompute 5": "-4502.9", "precompute 5 s": "16"}),
    ("coarsen-table2", {"name": "bands"}, {"tree": "-5252", "greedy": "29", "IC": "47", "GOBNILP s": "4669"}),
    ("coarsen-table3", {"n": "256"}, {"greedy s": "3601", "IC 12": "23953"}),
    ("coarsen-table4", {"data set": "QAR", "n": "400"}, {"IC 8": "5859", "IC 12": ""}),
    ("coarsen-table5", {"name": "Flag"}, {"tree sensitivity": "49", "FIC 1 FDR": "33"}),
    ("mpl-table3", {"d": "512", "rows": "1000"}, {"solved": "19", "PBO solving s": "179.25", "HC TP": "375.58"}),
    ("mpl-table4", {"d": "128", "rows": "4000"}, {"MPL TP": "122.88", "CMI or FP": "9.46", "L1LR and TP": "105.43"}),
    ("mpl-table5", {"d": "512", "rows": "32000"}, {"MPL total": "5697.65", "PIC hill climbing": "22.68"}),
    ("mpl-table6a", {"network": "hailfinder", "rows": "2000"}, {"MPL TP": "38.60", "CMI or FP": "1.31"}),
    ("mpl-table6b", {"ess": "256", "rows": "32000"}, {"TP": "57.55", "FP": "24.35"}),
    ("mpl-table6b", {"ess": "32", "rows": "500"}, {"TP": "48.16", "FP": "19.47"}),
    ("mpl-table7", {"network": "barley", "rows": "16000"}, {"PIC total": "155.19", "MPL hill climbing": "11.43"}),
    ("twlearn-table2", {"name": "adult", "treewidth": "3"}, {"MILP gap %": "0.04", "TWILP gap %": "0.7", "K&P s": ""}),
]
TARGETS = """
lsmarkov-table1 lsmarkov-table2 lsmarkov-table3 lsmarkov-figure2 lsmarkov-figure3 lsmarkov-figure4
junctor-timing coarsen-table2 coarsen-table3 coarsen-table4 coarsen-table5 mpl-figure2 mpl-figure3 mpl-table3
mpl-figure5 mpl-table4 mpl-figure6 mpl-table5 mpl-table6a mpl-figure7 mpl-table6b mpl-figure8 mpl-table7
twlearn-table2 twlearn-figure1 debd posterior originals
""".split()


def make(*words, **options):
    """Run make in the project: a CompletedProcess."""
    words = ("make", "--no-print-directory", *words)
    return subprocess.run(words, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, **options)


@pytest.mark.parametrize("table, row, values", TYPED, ids=lambda part: part if isinstance(part, str) else None)
def test_published_values(table, row, values):
    (found,) = [one for one in read_rows(str(PAPERS / f"{table}.csv")) if row.items() <= one.items()]
    assert values.items() <= found.items()


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_descriptions_name_what_is_there(path):
    spec = read_spec(str(path))
    published = read_rows(str(PAPERS / spec.published)) if spec.published else [{}]
    names = {column.published for column in spec.columns} | {*spec.shown, spec.group}
    for series in spec.figure.get("series", ()):
        names |= {column.removeprefix("-") for column in series.get("published", ())}
    assert names - {""} <= published[0].keys()
    for row in published if spec.published else ():
        assert all(re.fullmatch(r"-?\d+(\.\d+)?|", row[name]) for name in names - {"", "data"}), row
    keys = [tuple(row.get(key) for key in spec.keys) for row in published]
    assert not spec.keys or len(set(keys)) == len(keys)
    assert spec.conditions.strip() and spec.paper


def test_every_description_is_in_the_report_and_every_target_has_a_rule():
    rules = make("-np", "BUDGET=try", "papers").stdout
    listed = re.search(r"(?m)^REPORT := (.*)$", rules)[1].split()
    assert sorted(listed) == sorted(path.stem for path in SPECS)
    assert {*TARGETS} <= set(re.findall(r"(?m)^([a-z0-9-]+):", rules))


def test_budgets_state_the_same(tmp_path):
    stated = []
    for budget in ("paper", "quick", "try"):
        text = (PAPERS / f"budget-{budget}.mk").read_text()
        stated.append(set(re.findall(r"(?m)^(\w+) :=", text)) - {"HUNDRED", "FEW"})
    assert stated[0] == stated[1] and stated[2] <= stated[0]
    assert make("papers", "BUDGET=no").returncode == 2 and "quick or paper" in make("papers", "BUDGET=no").stderr


def test_scores_and_edges_of_a_sample_are_read_for_the_ranking(run, here):
    """Edges are written by name; scores of some sets only are refused."""
    done = run("mnmodel", "sample", "--components", "figure1a", "--rows", 50, "-q", "--edges", "s.edges", "-o", "s.csv")
    assert done.code == 0, done.stderr
    for largest in (6, 2):
        assert run("dmscore", "s.csv", 1, largest, "--layout", "junctor", "-q", "-o", f"{largest}.score").code == 0
    scores, n, edges = rank_graphs.read("6.score", "s.edges")
    assert n == 6 and scores.tolist() == read_scores("6.score").scores.tolist()
    assert edges == sorted(draw_network(["figure1a"]).graph.edges)
    with pytest.raises(DataError, match="2.score: not the scores of all subsets"):
        rank_graphs.read("2.score", "s.edges")


def test_ranking_of_graphs():
    """Two variables that agree, and one apart: both scores rank the one edge first."""
    # s of sets of three variables, by bit mask: joining 0 and 1 gains 3, joining anything with 2 loses 1
    scores = np.array([0.0, -5, -5, -7, -5, -11, -11, -14])
    found = rank_graphs.ranked(scores, 3, [(0, 1)])
    assert found["ML right"] == found["MPL right"] == found["MPL right of all"] == found["top agrees"] == 1
    assert found["chordal"] == 1 and found["overlap"] == 0.08, "all eight graphs, of a hundred places"
    likelihood, chordal = rank_graphs.eliminated(scores, np.array([[0, 0, 0], [2, 1, 0], [6, 5, 3]]), 3)
    assert chordal.all() and likelihood.tolist() == [-15.0, -12.0, -14.0]
    square = np.array([[10, 5, 10, 5]])
    assert not rank_graphs.eliminated(np.zeros(16), square, 4)[1].any()


def test_fetching_names_files_that_cannot_be_had(tmp_path):
    entries = read_rows(str(PAPERS / "sources.csv"))
    assert all(len(entry["sha256"]) == 64 for entry in entries if entry["how"] not in ("hand", "none"))
    network = next(entry for entry in entries if entry["how"] == "pgmpy")
    pytest.importorskip("pgmpy")
    assert fetch.fetch(network, tmp_path) == f"fetched: {network['file']}"
    assert fetch.fetch(network, tmp_path) == f"there: {network['file']}"
    other = {**network, "file": "x.bif", "sha256": "0" * 64}
    assert fetch.fetch(other, tmp_path).startswith("not kept: x.bif (another checksum than 000000000000...")
    assert not (tmp_path / "x.bif").exists()
    gone = {**network, "file": "y.csv", "how": "copy", "source": "http://example.org/"}
    assert fetch.fetch(gone, tmp_path) == "not to be had now: y.csv (only https is fetched)"


@pytest.mark.slow
def test_one_small_case_of_each_target_and_a_kill_in_the_middle(shared, tmp_path):
    """All targets, `make papers` killed once; no record that is there is made again."""
    results = ROOT / "results" / "try"
    subprocess.run(["rm", "-rf", str(results)], check=True)
    words = ["make", "papers", "BUDGET=try", f"DATA={shared / 'data'}"]
    running = subprocess.Popen(
        words, cwd=ROOT, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    until = time.monotonic() + 600
    while len([*results.glob("*/*.csv")]) < 12 and time.monotonic() < until:
        time.sleep(0.5)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    before = {path: path.stat().st_mtime_ns for path in results.glob("*-*/*.csv")}
    assert before and all(len(path.read_text().splitlines()) >= 2 for path in before)
    done = make(*words[1:], timeout=1800)
    assert done.returncode == 0, done.stderr
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())
    text, page = (ROOT / "results" / "REPORT.md").read_text(), (ROOT / "results" / "report.html").read_text()
    for path in SPECS:
        assert tomllib.loads(path.read_text())["title"] in text
        assert f'id="{path.stem}"' in page
    assert "No picture was drawn" not in text and page.count("<svg") == sum(
        "figure" in tomllib.loads(p.read_text()) for p in SPECS
    )
    assert not list(results.glob("**/*.tmp"))
    assert make("-q", "report", *words[2:]).returncode == 0, "nothing is left to do"
    table = (results / "lsmarkov-table1.md").read_text()
    found = re.search(r"\| autos \| 17 \| -1127\.9 \| (\S+) \| .*\| -1127\.9 \| -1127\.9 \| \+0\.0", table)
    assert found and -1137 < float(found[1]) <= -1127.9, "the optimum; the search had two seconds, on any machine"
