"""mntools average, and edge lists with probabilities: written, read, drawn."""

import math
import re

import pytest

from cliquewise.common.models.any_graph import read_graph

NETS = {
    "a.cliques": "# score -10\n# weight 1\n# names p,q,r,s\np,q,r\ns\n",
    "b.edges": "# score -11\n# weight 3\n# names s,r,q,p\np,q\nr,s\n",
    "c.arcs": "# score -12\n# weight 0\n# format arcs\n# variables 4\n1,0\n",
}


@pytest.fixture
def nets(workplace):
    """A folder with three networks on the same four variables, one in another order, one without names."""
    return workplace(NETS)


def test_shares(run, nets):
    done = run("mntools", "average", *NETS, "--indices")
    assert done.stdout == (
        "# program mntools average\n# networks 3\n# weighted-by equal\n# format edges\n# variables 4\n"
        "# columns u,v,probability\n0,1,1.000000\n0,2,0.333333\n1,2,0.333333\n2,3,0.333333\n"
    )
    named = run("mntools", "average", *NETS, "--min-probability", "0.5").stdout
    assert named.endswith("# names p,q,r,s\n# columns u,v,probability\np,q,1.000000\n")


@pytest.mark.parametrize("by, weights", [
    ("header", (0.25, 0.75, 0.0)),
    ("score", tuple(math.exp(-k) / (1 + math.exp(-1) + math.exp(-2)) for k in range(3))),
])  # fmt: skip
def test_weights(run, nets, by, weights):
    run("mntools", "average", *NETS, "--weight-by", by, "-o", "mean.edges")
    graph = read_graph("mean.edges").graph
    expected = {(0, 1): sum(weights), (0, 2): weights[0], (1, 2): weights[0], (2, 3): weights[1]}
    assert dict(zip(graph.edges, graph.probabilities, strict=True)) == pytest.approx(expected, abs=1e-6)


def test_probabilities_are_averaged_with_their_errors(run, workplace):
    """As sums over a few lines by hand."""
    top = "# variables 3\n# columns u,v,probability,error\n"
    folder = workplace(
        {
            "a.edges": f"{top}0,1,0.800000,0.030000\n0,2,0.1,0.01\n",
            "b.edges": f"{top}0,1,0.600000,0.040000\n1,2,1,0\n",
            "c.edges": "# variables 3\n0,1\n",
        }
    )
    assert run("mntools", "average", "a.edges", "b.edges", "-o", "both").code == 0
    assert (folder / "both").read_text().splitlines()[-4:] == [
        "# columns u,v,probability,error",
        "0,1,0.700000,0.025000",
        "1,2,0.500000,0.000000",
        "0,2,0.050000,0.005000",
    ]
    likely = run("mntools", "average", "a.edges", "b.edges", "--min-probability", 0.5).stdout.splitlines()[-2:]
    assert likely == ["0,1,0.700000,0.025000", "1,2,0.500000,0.000000"]
    mixed = run("mntools", "average", "a.edges", "c.edges").stdout.splitlines()  # one without errors
    assert mixed[-3:] == ["# columns u,v,probability", "0,1,0.900000", "0,2,0.050000"]


def test_an_edge_list_with_probabilities_is_a_graph(run, nets):
    run("mntools", "average", *NETS, "--names", "-o", "mean.edges")
    again = run("mntools", "convert", "mean.edges", "--format", "edges", "--names", "-q").stdout
    assert again == (nets / "mean.edges").read_text()
    for fmt in ("dot", "graphml", "json"):
        assert run("mntools", "convert", "mean.edges", "--format", fmt, "-q", "-o", "mean").code == 0
        back = run("mntools", "convert", "mean", "--format", "edges", "--names", "-q").stdout
        assert back == again and "0.333333" in back


def test_probabilities_count_as_edges_from_a_bound_on(run, refuse, nets):
    run("mntools", "average", *NETS, "-o", "mean.edges")
    for words in ("mean.edges b.edges", "b.edges mean.edges"):
        message = "mean.edges: probabilities of edges; give the threshold of an edge, such as --min-probability 0.5"
        refuse(f"mntools compare {words}", 2, message)
    refuse("mntools compare b.edges b.edges --min-probability 0.5", 2, "--min-probability has no effect")
    assert run("mntools", "compare", "mean.edges", "b.edges", "--min-probability", 0).stdout.startswith("tp 2 fp 2 ")
    assert run("mntools", "compare", "mean.edges", "b.edges", "--min-probability", 0.5).stdout.startswith("tp 1 fp 0 ")
    alone = run("mntools", "compare", "mean.edges", "mean.edges").stdout
    assert alone == "largest difference 0.0 mean difference 0.0\n"
    both = run("mntools", "compare", "mean.edges", "mean.edges", "--min-probability", 0.5).stdout
    assert both.startswith("tp 1 fp 0 fn 0 ") and both.endswith(alone)


def test_improbable_edges_are_counted(run, refuse, nets):
    (nets / "p.edges").write_text("# variables 4\n# columns u,v,probability\n0,1,0.004\n1,2,0.5\n0,3,0.01\n2,3,0\n")
    lines = run("mntools", "average", "p.edges").stdout.splitlines()
    assert "# left-out 2 edges of probability below 0.01" in lines
    assert lines[-2:] == ["1,2,0.500000", "0,3,0.010000"]  # the most probable first
    every = run("mntools", "average", "p.edges", "--min-probability", 0).stdout
    assert "left-out" not in every and every.endswith("0,3,0.010000\n0,1,0.004000\n2,3,0.000000\n")


def test_a_posterior_without_its_improbable_edges_is_a_doubtful_prior(run, nets):
    (nets / "d.csv").write_text("p,q,r,s\n" + "0,0,1,1\n1,1,0,1\n0,1,0,0\n1,0,1,0\n" * 5)
    for least, warned in ((0.9, True), (0, False)):
        words = ("--draws", 500, "--min-probability", least, "-q", "-o", "p.edges")
        assert run("mnposterior", "d.csv", *words).code == 0
        done = run("junctor", "d.csv", "--edge-priors", "p.edges")
        assert done.code == 0 and ("write it with --min-probability 0" in done.stderr) == warned


def test_a_network_of_the_probable_edges(run, nets):
    (nets / "p.edges").write_text(
        "# score-type bdeu\n# ess 3\n# seed 1\n# variables 5\n# columns u,v,probability,error\n"
        "0,1,0.9,0.1\n1,2,0.5,0.2\n2,3,0.7,0\n0,3,0.6,0.1\n3,4,0.4,0.1\n"
    )
    done = run("mntools", "convert", "p.edges", "--min-probability", "0.5", "--format", "edges")
    header = "# score-type bdeu\n# ess 3\n# min-probability 0.5\n"
    assert done.stdout == f"{header}# format edges\n# variables 5\n0,1\n0,3\n1,2\n2,3\n"
    assert "edges of at least 0.5: 4 of 5" in done.stderr and "left out" not in done.stderr
    chordal = run("mntools", "convert", "p.edges", "--min-probability", "0.5", "--chordal", "-o", "p.cliques")
    assert chordal.code == 0 and "1 edge added, largest clique 3" in chordal.stderr
    assert run("mntools", "check", "p.cliques").stdout.startswith("ok: chordal, 5 variables, 5 edges")
    for options in (["--chordal"], ["--chordal", "--format", "edges"], ["--format", "cliques"], []):
        done = run("mntools", "convert", "p.edges", *options)
        assert done.code == 2 and "choose its edges with --min-probability" in done.stderr and not done.stdout
    for fmt in ("dot", "graphml", "json"):
        run("mntools", "convert", "p.edges", "--format", fmt, "-q", "-o", "p.out")
        done = run("mntools", "convert", "p.out", "--format", "edges", "-q")
        assert done.stdout.endswith("0,1,0.900000,0.100000\n2,3,0.700000,0.000000\n0,3,0.600000,0.100000\n"
                                    "1,2,0.500000,0.200000\n3,4,0.400000,0.100000\n")  # fmt: skip


def test_probabilities_are_no_network(refuse, nets):
    (nets / "p.edges").write_text("# variables 4\n# columns u,v,probability\n0,1,0.9\n")
    (nets / "d.csv").write_text("p,q,r,s\n" + "0,0,1,1\n1,1,0,1\n0,1,0,0\n")
    refused = "probabilities of edges, not a network; mntools convert --min-probability 0.5 --chordal makes one"
    refuse("mntools score d.csv p.edges -q", 1, f"p.edges: {refused}")
    refuse("mnmodel fit d.csv p.edges -q", 1, f"p.edges: {refused}")
    refuse("mnmodel loglik d.csv p.edges d.csv -q", 1, f"p.edges: {refused}")
    refuse("lsmarkov d.csv --init p.edges -q", 2, f"--init p.edges: {refused}")
    refuse("mntools convert b.edges --min-probability 0.5", 1, "b.edges: its edges have no probabilities")
    refuse("mntools convert p.edges --min-probability 2", 2, "Invalid value for '--min-probability'")
    refuse("mntools average p.edges --min-probability nan", 2, "Invalid value for '--min-probability'")


def test_draw_shows_probabilities_as_widths(run, nets):
    pytest.importorskip("matplotlib")
    run("mntools", "average", *NETS, "-o", "mean.edges")
    lines = (nets / "mean.edges").read_text().replace("# columns u,v,probability\n", "")
    (nets / "plain.edges").write_text(re.sub(r",[01]\.\d+", "", lines))
    for name in ("mean", "plain"):
        assert run("mntools", "draw", f"{name}.edges", "-o", f"{name}.svg", "-q").code == 0
    drawn = [(nets / f"{name}.svg").read_text() for name in ("mean", "plain")]
    mean, plain = (re.findall("stroke-width: ([0-9.]+)", text) for text in drawn)
    assert mean.count("5") == 2 and "5" not in plain  # the surest edge, and its sample below the picture
    assert len(set(mean)) > len(set(plain))


def test_refusals(refuse, nets):
    (nets / "plain.edges").write_text("# variables 4\n0,1\n")
    (nets / "five.edges").write_text("# variables 5\n0,1\n")
    (nets / "odd.edges").write_text("# weight -1\n# variables 4\n0,1\n")
    (nets / "other.edges").write_text("# names p,q,r,x\np,q\n")
    (nets / "bad.edges").write_text("# columns u,v,probability\n0,1,1.5\n")
    (nets / "what.edges").write_text("# columns u,v,width\n0,1,1.5\n")
    average = "mntools average a.cliques"
    refuse(f"{average} plain.edges --weight-by score", 1, "plain.edges: no line '# score ...' in it; use --weight-by")
    refuse(f"{average} plain.edges --weight-by header", 1, "plain.edges: no line '# weight ...' in it")
    refuse(f"{average} odd.edges --weight-by header", 1, "odd.edges: '# weight -1': expected a number from 0 to 1e+100")
    (nets / "bic.edges").write_text("# score -9\n# score-type bic\n# names p,q,r,s\np,q\n")
    refuse(f"{average} bic.edges --weight-by score", 1, "bic.edges: '# score-type bic', but 'none' in a.cliques: their")
    refuse("mntools average c.arcs --weight-by header", 1, "c.arcs: all weights are 0")
    refuse(f"{average} five.edges", 1, "five.edges: the graph has 5 vertices but the data has 4 variables")
    refuse("mntools average plain.edges five.edges", 1, "plain.edges: 4 vertices, but another network has 5")
    refuse(f"{average} other.edges", 1, "other.edges: vertex 'x' is not a variable of the data")
    refuse("mntools check bad.edges", 1, "bad.edges:2: '1.5' is not a probability")
    refuse("mntools check what.edges", 1, "what.edges:1: '# columns u,v,width': expected u,v,probability or u,v,pro")
    (nets / "short.edges").write_text("# columns u,v,probability,error\n0,1,0.5\n")
    (nets / "odd2.edges").write_text("# columns u,v,probability,error\n0,1,0.5,x\n")
    refuse("mntools check short.edges", 1, "short.edges:2: 3 cells, expected 4: u,v,probability,error")
    refuse("mntools check odd2.edges", 1, "odd2.edges:2: 'x' is not a standard error")
    (nets / "odd3.edges").write_text("# columns u,v,probability\n0,1,0_1\n")
    refuse("mntools check odd3.edges", 1, "odd3.edges:2: '0_1' is not a probability")


def test_standard_input_with_names_in_another_order(run, workplace):
    workplace({"one.edges": "# format edges\n# variables 3\n# names A,B,C\nA,B\n"})
    other = b"# format edges\n# variables 3\n# names C,B,A\nA,B\n"
    done = run("mntools", "average", "one.edges", "-", "--names", "-q", input=other)
    assert [line for line in done.stdout.splitlines() if line[0] != "#"] == ["A,B,1.000000"]


def test_a_vertex_that_the_truth_does_not_have(refuse, workplace):
    workplace({"nine.edges": "0,8\n", "three.edges": "# format edges\n# variables 3\n0,1\n"})
    refuse("mntools compare nine.edges three.edges", 1, "nine.edges: 9 vertices, but 3 in three.edges")
