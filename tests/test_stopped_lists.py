"""Lists of the best networks of runs that are stopped, resumed or called from Python: what they hold is true."""

import signal
from pathlib import Path

import pytest

import cliquewise
from cliquewise.common.errors import UsageError
from cliquewise.common.files.network_list import parse_networks
from tests.commands import ROOT
from tests.interrupting import interrupted
from tests.slow import slow_cases

pytestmark = pytest.mark.usefixtures("here")

ZOO = ROOT / "data/zoo.csv"
SOME = ("--columns", "hair,feathers,eggs,milk,airborne,aquatic,predator,toothed")
LONG = {  # runs that take minutes
    "junctor": ("--max-clique", 5, "--method", "ilp", "--best", 3000),
    "junctor within": ("--max-clique", 5, "--method", "ilp", "--within", 30, "--best", 3000),
    "twlearn": ("-w", 2, "--best", 300),
    "twlearn within": ("-w", 2, "--within", 30),
}
SHORT = {"junctor": ("--max-clique", 3, "--method", "ilp", "--best", 20), "twlearn": ("-w", 2, "--best", 6)}


def listed(run, status):
    """The list that was written, which is true."""
    found = parse_networks(Path("nets").read_text(), "nets")
    assert found.header["status"] == status
    done = run("mntools", "check", "nets", "--data", ZOO, "-q")
    assert done.code == 0 and done.stdout.startswith("ok: "), done.stdout
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "number"),
    [("junctor", signal.SIGTERM), ("twlearn", signal.SIGINT)]
    + slow_cases(("junctor within", signal.SIGINT), ("twlearn within", signal.SIGTERM)),
)
def test_a_signal_keeps_the_list_so_far(run, what, number):
    """In the middle of the search: what is known by then is written."""
    name, limit = what.split()[0], ("--time-limit", 300)
    interrupted(name, ZOO, *LONG[what], *limit, "--networks", "nets", "-o", "net", signals=(number,), lines=2)
    found = listed(run, "interrupted")
    proved = int(found.header["proved"])
    assert proved <= len(found.files) and "# status interrupted" in Path("net").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("what", LONG)
def test_a_time_limit_keeps_the_list_so_far(run, what):
    done = run(what.split()[0], ZOO, *LONG[what], "--time-limit", 1, "--networks", "nets", "-o", "net", "-q")
    assert done.code == 0, done.stderr
    found = listed(run, "time limit")
    assert int(found.header["proved"]) < len(found.files)


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_a_resumed_run_has_the_same_list(run, name):
    """The list of a run that was stopped and resumed is that of one run."""
    words = (name, ZOO, *SOME, *SHORT[name], "--networks", "nets", "-o", "net", "-q")
    assert run(*words, "--time-limit", 600).code == 0
    whole = listed(run, "optimal")
    assert run(*words, "--checkpoint", "kept", "--time-limit", 0.001).code == 0
    assert run(*words, "--checkpoint", "kept", "--resume", "--time-limit", 600).code == 0
    again = listed(run, "optimal")
    assert [file.header["score"] for file in again.files] == [file.header["score"] for file in whole.files]


@pytest.mark.parametrize("name", SHORT)
def test_from_python(run, name):
    options = {"max_clique": 3} if name == "junctor" else {"treewidth": 2}
    learn = getattr(cliquewise, name)
    found = learn(str(ZOO), columns=SOME[1].split(","), best=5, networks="nets", **options)
    lists = listed(run, "optimal")
    assert len(lists.files) == 5 and lists.files[0].header["score"] == found.header["score"]
    with pytest.raises(UsageError, match="best needs networks"):
        learn(str(ZOO), best=5, **options)
