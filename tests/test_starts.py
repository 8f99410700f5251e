"""The imports of a process: a start is as fast as the modules that it does not load."""

import sys

import pytest

from cliquewise.common.compiled.mode import mode
from tests.commands import ROOT, run_process

ZOO = ROOT / "data/zoo.csv"
MODEL = """network a { }
variable x { type discrete [ 2 ] { no, yes }; } probability ( x ) { table 0.25, 0.75; }
variable y { type discrete [ 2 ] { no, yes }; } probability ( y ) { table 0.5, 0.5; }"""
LIST = (
    "import atexit, sys; began_with = {*sys.modules}; "
    "atexit.register(lambda: print(*sys.modules.keys() - began_with, file=sys.stderr)); "
)
LARGE = ("numba", "scipy", "pandas", "networkx", "matplotlib", "highspy", "sklearn", "pyarrow", "importlib.metadata")


def imported(name, *words):
    """The modules that the process of a command has imported when it ends."""
    line = f"from cliquewise.{name}.__main__ import main; main()"
    done = run_process([sys.executable, "-c", LIST + line, *words])
    assert done.code == 0, done.stderr
    return {module.removeprefix("cliquewise.") for module in done.stderr.split()}


@pytest.mark.parametrize(
    "question",
    [("query", "--of", "x"), ("marginals", "--format", "json"), ("mpe",), ("marginals", "--likelihood", "x=1,2")],
)
def test_a_question_imports_neither_readers_of_tables_nor_learners(tmp_path, question):
    model = tmp_path / "model.bif"
    model.write_text(MODEL)
    found = imported("mnmodel", question[0], model, "-q", *question[1:])
    unused = ("common.data.dataset", "common.learning.options", "common.files.graphfile", "common.models.mixture")
    unused += (
        "common.files.result_header",
        "common.networks.network",
        "pathlib",
        "urllib.parse",
        "decimal",
        "numpy.ma",
    )
    other = ("mnmodel.fit_cli", "mnmodel.cv_cli", "mnmodel.table_cli", "mnmodel.page_cli", "mnmodel.sample_cli")
    assert found.intersection((*LARGE, *unused, *other, "common.exact.toulbar2", "hashlib")) == set()
    assert not [module for module in found if module.endswith("_kernels")]
    assert {"mnmodel.query_cli", "common.junction.propagation"} <= found


def test_the_version_of_mnmodel_is_printed_without_numpy():
    assert "numpy" not in imported("mnmodel", "--version")


@pytest.mark.parametrize(("environment", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2")])
def test_linear_algebra_has_one_thread_unless_the_environment_says_otherwise(monkeypatch, environment, threads):
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    show = "import atexit, os; atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS'], file=sys.stderr)); "
    line = "import sys; " + show + "from cliquewise.mnmodel.__main__ import main; main()"
    assert run_process([sys.executable, "-c", line, "--version"], env=environment).stderr.strip() == threads


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("name", ["coarsen", "junctor", "lsmarkov", "mnposterior", "mplearn", "twlearn"])
def test_the_help_of_a_learner_imports_nothing_large(name):
    assert imported(name, "--help").intersection((*LARGE, f"{name}.learn", "common.data.csvfile")) == set()


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lsmarkov", ("--max-clique", "3", "--iterations", "1", "--time-limit", "9")),
        ("junctor", ("--max-clique", "2")),
        ("mplearn", ()),
        ("twlearn", ("-w", "2", "--iterations", "1")),
        ("mnposterior", ("--max-clique", "3", "--iterations", "1")),
    ],
)
def test_a_learner_imports_what_it_uses(name, words):
    found = imported(name, ZOO, "-q", *words)
    packages = {module.split(".")[0] for module in found}
    assert packages.isdisjoint({"pandas", "networkx", "matplotlib", "sklearn", "pyarrow", "pyscipopt"})
    scipy = {"scipy.sparse", "scipy.optimize", "scipy.spatial", "scipy.stats", "scipy.linalg"}
    if mode() == "tuned":  # otherwise numba imports scipy itself
        assert found.isdisjoint(scipy if name == "mnposterior" else scipy | {"scipy.special", "scipy.fft"})
    assert found.isdisjoint({"common.bounds.bound", "highspy"}) or name in ("junctor", "mnposterior")
