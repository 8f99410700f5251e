"""--edge-prior and --edge-priors: what the commands do with them, and what they refuse."""

import math
from pathlib import Path

import pytest

from tests.commands import ROOT

ZOO = ROOT / "data/zoo.csv"
FILES = {
    "some.priors": "u,v,probability\nhair,milk,0.999\nfeathers,eggs,0.001\nairborne,aquatic,0.5\n",
    "wine.priors": "0,5,1\n0,1,0\n",
    "certain.priors": "hair,legs,1\nhair,milk,0\n",
    "pair.edges": "hair,milk\n",
    "other.edges": "hair,legs\n",
    "wrong.priors": "hair,milk,1.5\n",
    "other.priors": "hair,wings,0.5\n",
    "none.priors": "hair,milk\n",
    "twice.priors": "\n# of two experts\nmilk,hair,0.2\nhair,milk,0.4\n",
    "cycle.priors": "hair,feathers,1\nfeathers,eggs,1\neggs,milk,1\nmilk,hair,1\nhair,eggs,0\nfeathers,milk,0\n",
}


@pytest.fixture(autouse=True)
def folder(workplace):
    return workplace(FILES)


LEARNERS = (
    "lsmarkov {} --iterations 500 --max-clique 3",
    "junctor {} --max-clique 3 --method ilp",
    "coarsen {} --max-clique 3 --method greedy",
)


@pytest.mark.parametrize("learner", [*LEARNERS, "twlearn {} -w 2 --method chordal --iterations 300"])
def test_scores_with_a_prior_are_certified(run, learner):
    """The score holds the prior, and without the prior's file it is not checked but refused."""
    words = learner.format(ZOO).split()
    net = run(*words, "-q", "--edge-prior", "0.2", "--edge-priors", "some.priors", "-o", "net")
    assert net.code == 0, net.stderr
    checked = run("mntools", "check", "-q", "net", "--data", ZOO, "--edge-priors", "some.priors")
    assert checked.code == 0 and "edge prior 0.2, edge priors of a file" in checked.stdout
    without = run("mntools", "check", "-q", "net", "--data", ZOO)
    assert without.code == 1 and "give it with --edge-priors" in without.stderr
    other = run("mntools", "check", "-q", "net", "--data", ZOO, "--edge-priors", "certain.priors")
    assert other.code == 1 and "is not the file of '# edge-priors'" in other.stderr
    Path("forged").write_text(Path("net").read_text().replace("# edge-prior 0.2", "# edge-prior 0.3"))
    assert "recomputed" in run("mntools", "check", "forged", "--data", ZOO, "--edge-priors", "some.priors").stdout


def test_a_table_of_edges_is_a_file_of_priors(run):
    """With the head that `--format csv` writes; a table of arcs is refused for what it is."""
    rows = FILES["some.priors"].partition("\n")[2]
    Path("table.csv").write_text("source,target,weight\n" + rows)
    Path("arcs.csv").write_text("from,to,probability\n" + rows)
    words = ("lsmarkov", ZOO, "--iterations", "500", "--max-clique", "3", "-q", "--edge-priors")
    scores = [line for line in run(*words, "some.priors").stdout.splitlines() if line.startswith("# score ")]
    assert scores and scores[0] in run(*words, "table.csv").stdout
    assert "call the ends source and target" in run(*words, "arcs.csv").stderr


def test_edges_that_the_prior_decides_are_checked(run):
    """Of the file that the check has; those of other options are not."""
    words = ("junctor", ZOO, "--max-clique", 2, "--method", "ilp", "-q", "--edge-priors", "certain.priors")
    given = ("--data", ZOO, "--edge-priors", "certain.priors", "--certificate", "proof")
    assert run(*words, "--certificate", "proof", "-o", "net").code == 0
    done = run("mntools", "check", "net", *given, "-q")
    assert done.code == 0 and "not checked" not in done.stdout
    Path("more").write_text(Path("net").read_text().replace("# forbidden-edges ", "# forbidden-edges 1"))
    done = run("mntools", "check", "more", *given, "-q")
    assert done.stdout.endswith("; not checked: forbidden-edges\n")
    proof = Path("proof").read_text().splitlines(keepends=True)
    Path("proof").write_text("".join(line for line in proof if not line.startswith("# ess")))
    done = run("mntools", "check", "net", *given, "-q")
    assert done.code == 1 and done.stderr == "mntools: proof: no line '# ess', which a certificate about bdeu has\n"


def test_one_probability_for_all(run):
    """The score of a network with and without the prior differs by its edges."""
    plain = run("lsmarkov", "-q", ZOO, "--iterations", "200", "--max-clique", "3", "-o", "net")
    assert plain.code == 0
    scores = [
        float(run("mntools", "score", "-q", ZOO, "net", *words).stdout) for words in ((), ("--edge-prior", "0.1"))
    ]
    cliques = [line for line in Path("net").read_text().splitlines() if not line.startswith("#")]
    edges = sum(math.comb(len(line.split(",")), 2) for line in cliques)
    assert scores[1] < scores[0] and scores[0] - scores[1] <= edges * math.log(9) + 1e-6


def test_probabilities_of_a_posterior_are_priors(run):
    assert run("mnposterior", "-q", ZOO, "--method", "chains", "--iterations", "20000", "-o", "p.edges").code == 0
    again = run("mnposterior", "-q", ZOO, "--method", "chains", "--iterations", "2000", "--edge-priors", "p.edges")
    assert again.code == 0 and "# edge-priors " in again.stdout


@pytest.mark.slow
def test_certain_edges_of_a_posterior(run):
    """1 is next to 1, 0 is never there."""
    for how in (("--method", "chains", "--iterations", "1000000"), ("--draws", "200", "--max-clique", "3")):
        done = run("mnposterior", "-q", ROOT / "data/wine.csv", *how, "--edge-priors", "wine.priors", "--indices")
        rows = {tuple(line.split(",")[:2]): line for line in done.stdout.splitlines() if not line.startswith("#")}
        assert done.code == 0 and float(rows["0", "5"].split(",")[2]) > 0.98 and ("0", "1") not in rows


def test_a_certificate_with_a_prior(run):
    words = ("--edge-prior", "0.3", "--certificate", "proof", "-o", "net")
    assert run("junctor", "-q", ZOO, "--max-clique", "3", "--method", "ilp", *words).code == 0
    assert run("mntools", "check", "-q", "net", "--data", ZOO, "--certificate", "proof").code == 0
    text = Path("proof").read_text()
    assert "# edge-prior 0.3\n" in text
    Path("forged").write_text(text.replace("# edge-prior 0.3", "# edge-prior 0.4"))
    done = run("mntools", "check", "-q", "net", "--data", ZOO, "--certificate", "forged")
    assert done.code == 1 and "edge prior 0.4" in done.stdout


@pytest.mark.parametrize("learner", LEARNERS)
def test_certain_edges(run, learner):
    """0 forbids and 1 requires."""
    done = run(*learner.format(ZOO).split(), "-q", "--edge-priors", "certain.priors", "--names", "--format", "edges")
    assert done.code == 0
    edges = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    assert "hair,legs" in edges and "hair,milk" not in edges


def test_refusals(refuse):
    learner = f"lsmarkov {ZOO} -q --iterations 10"
    refuse(f"{learner} --edge-prior 1", 2, "Invalid value for '--edge-prior'")
    refuse(f"{learner} --edge-priors wrong.priors", 1, "wrong.priors:")
    refuse(f"{learner} --edge-priors other.priors", 1, "other.priors:")
    refuse(f"{learner} --edge-priors none.priors", 1, "none.priors: edges without probabilities")
    refuse(
        f"{learner} --edge-priors certain.priors --required-edges pair.edges",
        2,
        "--edge-priors: edge hair,milk has probability 0 and is among --required-edges; remove it from one of them",
    )
    for other in (learner, f"junctor {ZOO} -q --max-clique 3", f"coarsen {ZOO} -q", f"mnposterior {ZOO} -q"):
        outside = "--edge-priors: edge hair,legs has probability 1 and is not among --allowed-edges; allow it, or"
        if not other.startswith("coarsen"):  # it has no such option
            refuse(f"{other} --edge-priors certain.priors --allowed-edges pair.edges", 2, outside)
        refuse(f"{other} --edge-priors twice.priors", 1, "twice.priors:4: edge hair,milk is listed twice, with the")
    certain = "--edge-priors: edge hair,legs has probability 1 and is among --forbidden-edges; remove it from one"
    refuse(f"{learner} --edge-priors certain.priors --forbidden-edges other.edges", 2, certain)
    cycle = "no network was found that has edge hair,feathers and the others"
    refuse(f"{learner} --edge-priors cycle.priors", 1, f"{cycle} required: they make a cycle, and edges")
    refuse(f"mnposterior {ZOO} -q --edge-priors cycle.priors", 1, f"--edge-priors: {cycle} of probability 1: they")
    refuse(f"{learner} --gamma 1", 2, "--gamma has no effect")


def test_a_bound_with_certain_edges(run, workplace):
    """The bound is about the networks that have the edges of probability 1 and none of probability 0."""
    workplace(FILES)
    net = run(*f"junctor {ZOO} -q --max-clique 3 --edge-priors certain.priors -o net".split())
    bound = run(*f"mntools bound {ZOO} --max-clique 3 --edge-priors certain.priors".split())
    searched = run(*f"lsmarkov {ZOO} --max-clique 3 --edge-priors certain.priors --iterations 3000 --bound 60".split())
    with open("net") as file:
        score = next(line.split()[2] for line in file if line.startswith("# score "))
    assert net.code == 0 and bound.stdout == f"upper-bound {score} score {score} gap 0.000000\n"
    assert f"# score {score}\n" in searched.stdout and "# status optimal\n" in searched.stdout
