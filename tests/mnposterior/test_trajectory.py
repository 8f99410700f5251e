"""Trajectories of networks, as Benchpress keeps them: what is written is what a slow reader finds."""

import random

import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.graphs.graph import Graph
from cliquewise.mnposterior.trajectory import write_trajectory
from tests.commands import ROOT
from tests.oracles.benchpress import networks_of, probabilities_of

pytestmark = pytest.mark.usefixtures("here")


def test_every_network_is_there(here):
    """Chains with repeated, empty and complete networks; one that stays is one row, and counts as often as it was."""
    draw = random.Random(1)
    for n in (2, 3, 6):
        pairs = [(u, v) for u in range(n) for v in range(u + 1, n)]
        graphs = [Graph(n, tuple(sorted(draw.sample(pairs, draw.randint(0, len(pairs)))))) for _ in range(20)]
        graphs = [graph for graph in graphs for _ in range(draw.randint(1, 3))]
        scores = [-100 - len(graph.edges) / 8 for graph in graphs]
        write_trajectory("chain.csv", graphs, scores)
        text = (here / "chain.csv").read_text()
        expected = [{(str(u), str(v)) for u, v in graph.edges} for graph in graphs]
        assert networks_of(text) == list(zip(scores, expected, strict=True))
        assert text.count("\n") <= 3 + 20 + 1
        shares = {
            pair: sum(pair in edges for edges in expected) / len(expected) for edges in expected for pair in edges
        }
        assert probabilities_of(text) == pytest.approx(shares)


def test_the_text_has_the_described_form():
    """As it is described."""
    graphs = [Graph(3, ((1, 2),), ("a", "b", "c")), Graph(3, ((0, 1),), ("a", "b", "c"))]
    write_trajectory("chain.csv", [graphs[0]] * 4 + [graphs[1]] * 5, [-23.5] * 4 + [-21.0] * 5)
    with open("chain.csv") as file:
        assert file.read() == (
            "index,score,added,removed\n-2,0.0,[a-b;a-c],[]\n-1,0.0,[],[a-b;a-c]\n"
            "0,-23.500000,[b-c],[]\n4,-21.000000,[a-b],[b-c]\n9,-21.000000,[],[]\n"
        )


@pytest.mark.parametrize("name", ["a-b", "a;b", "a,b", "", " a", "[a", 'a"'])
def test_names_that_the_format_cannot_hold_are_refused(name):
    with pytest.raises(DataError, match="so it cannot contain the name"):
        write_trajectory("chain.csv", [Graph(2, (), ("x", name))], [0.0])


def test_one_variable_has_no_edge_to_name_it():
    with pytest.raises(DataError, match="a trajectory needs two variables or more"):
        write_trajectory("chain.csv", [Graph(1, (), ("x",))], [0.0])


def test_the_trajectory_of_the_command(run, here):
    """The networks of --samples, with the scores that mntools finds, and the prior where there is one."""
    zoo = ROOT / "data/zoo.csv"
    words = ["mnposterior", zoo, "--iterations", 100_000, "--seed", 2, "--samples", "all", "-q", "-o", "net"]
    assert run(*words, "--trajectory", "chain.csv", "--edge-prior", 0.2).code == 0
    chain = networks_of((here / "chain.csv").read_text())
    lines = (here / "all").read_text().splitlines()[2:]
    assert len(chain) == len(lines) > 100
    names = zoo.read_text().splitlines()[0].split(",")
    for i in (0, 57, len(chain) - 1):
        (here / "one").write_text(lines[i])
        cliques = [list(map(int, clique.split(","))) for clique in lines[i].split()]
        edges = {(names[u], names[v]) for clique in cliques for u in clique for v in clique if u < v}
        score = float(run("mntools", "score", zoo, "one").stdout)
        assert chain[i][1] == edges
        # ln(0.2 / 0.8) for each edge
        assert chain[i][0] == pytest.approx(score - 1.3862943611 * len(edges), abs=2e-6)


def test_a_name_is_refused_before_the_work(refuse, here):
    (here / "data.csv").write_text("a-b,c\n0,1\n1,0\n1,1\n")
    message = "a trajectory separates names by - and ;, so it cannot contain the name 'a-b'"
    refuse("mnposterior data.csv --trajectory chain.csv -q", 1, message)
