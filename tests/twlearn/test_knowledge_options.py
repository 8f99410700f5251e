"""What is known about arcs, as files and options: what is read, what is refused, and what a check finds."""

import pytest

from cliquewise.common.models.any_graph import read_graph
from tests.commands import ROOT

ZOO = ROOT / "data/zoo.csv"
FILES = {
    "arcs": "hair,milk\n",
    "back": "milk -> hair\n",
    "cycle": "hair,milk\nmilk,eggs\neggs,hair\n",
    "three": "from,to\nmilk,hair\neggs,hair\nlegs,hair\n",
    "four": "milk,hair\nhair,eggs\nmilk,eggs\nlegs,milk\nlegs,hair\nlegs,eggs\n",
    "wrong": "hair,mlik\n",
    "legs": "legs,tail\n",
    "undirected": "milk -- hair\n",
    "edges.edges": "milk,hair\n",
    "listed": "# format edges\nmilk,hair\n",
    "cliques": "milk,hair,eggs\n",
    "tiers": "# early\nmilk,aquatic\nhair\n\n",
    "none": "none: hair,milk\nlegs\n",
    "twice": "milk\nhair,milk\n",
    "one": "milk\n",
    "unknown": "milk\nhair, mlik\n",
    "order": "hair,feathers,eggs,milk,airborne,aquatic,predator\ntoothed:type\n",
    "part": "hair\nmilk\n",
    "against": "feathers\nhair\n",
    "priors": "u,v,probability\nhair,milk,1\neggs,legs,0\nhair,legs,0.2\n",
}
CYCLE = "the arcs required form the cycle hair -> milk -> eggs -> hair; remove one of them"
WIDE = "--treewidth 2: the arcs and edges required have a moral graph of treewidth 3 or more"
REFUSED = {
    "--required-arcs cycle": CYCLE,
    "--required-arcs wrong": "wrong:1: unknown vertex 'mlik'",
    "--required-arcs arcs --forbidden-arcs arcs": "--required-arcs: hair -> milk contradicts --forbidden-arcs",
    "--required-arcs arcs --forbidden-edges back": "--required-arcs: hair -> milk contradicts --forbidden-edges",
    "--required-arcs arcs --allowed-edges legs": "--required-arcs: hair -> milk contradicts --allowed-edges",
    "--required-arcs arcs --tiers tiers": "--required-arcs: hair -> milk contradicts --tiers",
    "--required-arcs arcs --tiers none": "--required-arcs: hair -> milk contradicts --tiers",
    "--required-arcs back --order order": "--required-arcs: milk -> hair contradicts --order",
    "--required-arcs arcs --roots milk": "--required-arcs: hair -> milk contradicts --roots",
    "--required-arcs arcs --leaves hair": "--required-arcs: hair -> milk contradicts --leaves",
    "--required-arcs three": WIDE,
    "--required-arcs three --max-parents 2": "--max-parents 2: hair must have the 3 parents eggs, milk, legs",
    "--required-edges four": WIDE,
    "--required-edges arcs --roots milk,hair": "--required-edges: edge hair - milk contradicts --roots",
    "--required-edges arcs --forbidden-arcs arcs --roots hair": "of edge hair - milk, hair -> milk contradicts "
    "--forbidden-arcs and milk -> hair --roots; change one of them",
    "--edge-priors priors --forbidden-edges arcs": "--edge-priors: edge hair,milk has probability 1",
    "--edge-priors priors --leaves hair,milk": "edge hair - milk contradicts --leaves",
    "--required-arcs undirected": "undirected: edges without a direction",
    "--required-arcs edges.edges": "edges without a direction",
    "--forbidden-arcs listed": "edges without a direction",
    "--forbidden-arcs cliques": "cliques: not a list of arcs; expected lines parent,child",
    "--tiers twice": "twice:2: 'milk' is in the tier of line 1 too",
    "--tiers one": "one: fewer than two tiers, which have no effect",
    "--tiers unknown": "unknown:2: no column 'mlik'; did you mean 'milk'?",
    "--order part": "part: without 15 of 17 variables, 'feathers' the first",
    "--order order --tiers against": "--order: hair comes before feathers, which is in an earlier tier of --tiers",
    "--roots mlik": "--roots: no column 'mlik'; did you mean 'milk'?",
    "--template arrows.arcs --required-arcs three -w 3": "--template arrows.arcs: the arc legs -> hair is required and",
    "--template arrows.arcs --forbidden-arcs arrows.arcs": "--template arrows.arcs: the arc eggs -> hair is forbidden",
}
KEPT = (
    "--required-arcs arcs --forbidden-arcs three",
    "--required-edges legs --tiers none --roots tail --leaves type",
    "--order order --required-arcs arcs",
    "--edge-priors priors --tiers tiers",
    "--tiers tiers --allowed-edges four --required-edges arcs",
    "--required-arcs back --template back --method climb --iterations 20",
)


@pytest.fixture
def folder(workplace):
    """The files."""
    return workplace({**FILES, "arrows.arcs": "# variables 17\n2,0\n3,0\n"})


@pytest.fixture
def command(run):
    """Runs a line of words."""
    return lambda line: run(*line.split())


@pytest.mark.parametrize("line", REFUSED)
def test_bad_statements_are_refused_before_the_work(folder, command, line):
    width = "" if "-w" in line else "-w 2"
    found = command(f"twlearn {ZOO} {width} {line}")
    assert found.code in (1, 2)
    assert REFUSED[line] in found.stderr
    assert found.stdout == ""


@pytest.mark.parametrize("line", KEPT)
def test_statements_are_kept_reported_and_checked(folder, command, line):
    """The header says what was stated; a check without the files does not confirm it, with them it does."""
    method = "" if "--method" in line else "--method chordal --iterations 30000"
    assert command(f"twlearn {ZOO} -w 2 {method} {line} --names -o net").code == 0
    keys = [
        word[2:]
        for word in line.split()
        if word.startswith("--") and word not in ("--template", "--method", "--iterations")
    ]
    if "priors" in line:
        keys = [key for key in keys if key != "edge-priors"] + ["required-edges", "forbidden-edges"]
    header = (folder / "net").read_text()
    assert all(f"# {key} " in header for key in keys)
    alone = command(f"mntools check net --data {ZOO}" + " --edge-priors priors" * ("priors" in line))
    assert alone.code == 0, alone.stdout
    assert "priors" in line or all(key in alone.stdout for key in keys)
    words = line.partition(" --template")[0]
    whole = command(f"mntools check net --data {ZOO} {words}")
    assert whole.code == 0, whole.stdout
    assert all(key not in whole.stdout for key in keys)


@pytest.mark.parametrize("text", ["", "\n", "# none are known\n", "from,to\n", "# variables 17\n# format arcs\n"])
def test_a_file_without_arcs_states_nothing(folder, command, text):
    line = f"twlearn {ZOO} -w 1 --method climb --iterations 20 --tiers tiers"
    (folder / "nothing").write_text(text)
    found = command(f"{line} --required-arcs nothing --forbidden-arcs nothing")
    assert found.code == 0, found.stderr
    assert found.stdout.splitlines()[-9:] == command(line).stdout.splitlines()[-9:]


def test_a_check_finds_what_is_broken(folder, command):
    (folder / "net").write_text("# format arcs\n# variables 17\n3,0\n2,3\n")
    found = command(
        f"mntools check net --data {ZOO} --required-arcs arcs --forbidden-arcs back --tiers none --order order "
        "--roots milk --leaves eggs --required-edges four --forbidden-edges arcs --allowed-edges three"
    )
    assert found.code == 1
    for message in (
        "arc hair -> milk is required and missing",
        "arc milk -> hair is forbidden",
        "arc milk -> hair is within a tier without arcs",
        "arc milk -> hair is against the order",
        "arc eggs -> milk leads to a root",
        "arc eggs -> milk begins at a leaf",
        "edge hair - eggs is required and missing",
        "edge hair - milk is forbidden",
        "edge eggs - milk is not among those allowed",
    ):
        assert message in found.stdout
    (folder / "net").write_text("# format arcs\n# variables 17\n3,0\n")
    (folder / "later").write_text("hair\nmilk\neggs\n")
    assert (
        "arc milk -> hair leads to an earlier tier" in command(f"mntools check net --data {ZOO} --tiers later").stdout
    )
    assert command(f"mntools check net --data {ZOO} --tiers tiers").code == 0


def test_statements_by_number(folder, command):
    """In a file of scores without names."""
    (folder / "sets").write_text("3\n0 2\n-5 0\n-1 1 1\n1 2\n-5 0\n-2 1 0\n2 2\n-3 0\n-2 1 1\n")
    (folder / "first").write_text("0\n1,2\n")
    found = command("twlearn sets -w 1 --tiers first")
    assert found.code == 0
    assert found.stdout.endswith("0,1\n1,2\n")
    (folder / "absent").write_text("0,2\n")
    found = command("twlearn sets -w 1 --required-arcs absent")
    assert found.code == 1
    assert "no parent set of '2' has the required members: 0" in found.stderr


def test_nothing_about_arcs_of_an_undirected_graph(folder, command):
    found = command(f"mntools check edges.edges --data {ZOO} --required-arcs arcs")
    assert found.code == 1
    assert "an undirected graph, of which nothing about arcs can be checked" in found.stderr
    found = command(f"mntools check edges.edges --data {ZOO} --forbidden-edges arcs")
    assert "is forbidden" in found.stdout


def test_compelled_arcs_are_counted_and_written(folder, command):
    """The number is in the header; the file of the class has the directions; a check recomputes the number."""
    assert (
        command(f"twlearn {ZOO} -w 2 --iterations 20000 --method chordal --leaves hair -o net --cpdag c.dot").code == 0
    )
    text, found = (folder / "net").read_text(), read_graph(folder / "c.dot")
    claimed = next(line for line in text.splitlines() if line.startswith("# compelled-arcs "))
    compelled = len((found.dag or found.pdag).arcs)
    assert claimed == f"# compelled-arcs {compelled}"
    assert command(f"mntools check net --data {ZOO} --leaves hair").code == 0
    assert "not checked: " in command(f"mntools check net --data {ZOO}").stdout
    (folder / "net").write_text(text.replace(claimed, f"# compelled-arcs {compelled + 1}"))
    found = command(f"mntools check net --data {ZOO} --leaves hair")
    assert found.code == 1
    assert f"compelled-arcs claimed {compelled + 1}, recomputed {compelled}" in found.stdout


def test_the_class_is_written_only_with_its_network(folder, command):
    """The file of the class is written after the network: if that cannot be written, neither is the class."""
    known = f"twlearn {ZOO} -w 1 --iterations 100 --method chordal --cpdag c.dot"
    assert command(f"{known} -o /dev/full").code != 0
    assert not (folder / "c.dot").exists()
    assert command(f"{known} -o net").code == 0 and (folder / "c.dot").exists()
