"""Edges, arcs, networks, tiers and probabilities from Python: the same result as with the file that has them."""

import copy

import networkx
import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.networks.edges_in_memory import ARCS, EDGES, NETWORK, PRIORS, TIERS, text_in_memory
from tests.commands import ROOT

pandas = pytest.importorskip("pandas")
ZOO = ROOT / "data/zoo.csv"
STEPS = {"iterations": 300}
PAIRS = [("hair", "venomous"), ("eggs", "tail")]
PRIOR = {("hair", "venomous"): 0.9999, ("eggs", "milk"): 0.0, ("tail", "fins"): 0.2}


@pytest.fixture
def file(tmp_path):
    """Writes a text and returns the name of its file."""

    def write(text):
        path = tmp_path / "listed"
        path.write_text(text)
        return str(path)

    return write


def undirected(edges):
    return {frozenset(pair) for pair in edges}


@pytest.mark.parametrize("which", ["required", "forbidden", "allowed"])
def test_edges_in_every_form(file, which):
    pairs = [*PAIRS, ("milk", "eggs"), ("milk", "hair")]
    expected = cliquewise.lsmarkov(ZOO, **STEPS, **{f"{which}_edges": file("".join(f"{u},{v}\n" for u, v in pairs))})
    graph = networkx.Graph(pairs)
    for given in (
        pairs,
        [pair[::-1] for pair in pairs],
        {frozenset(pair) for pair in pairs},
        graph,
        networkx.DiGraph(pairs),
        cliquewise.from_networkx(graph),
        pandas.DataFrame(pairs, columns=["source", "target"]),
        {"source": [u for u, _ in pairs], "target": [v for _, v in pairs]},
        np.array(pairs),
        [(expected.names.index(u), expected.names.index(v)) for u, v in pairs],
    ):
        assert cliquewise.lsmarkov(ZOO, **STEPS, **{f"{which}_edges": given}) == expected, given
    found, listed = undirected(expected.edges), undirected(pairs)
    assert {"required": listed <= found, "forbidden": not listed & found, "allowed": found <= listed}[which]


def test_probabilities_in_every_form(run, tmp_path):
    rows = [(*pair, share) for pair, share in PRIOR.items()]
    frame = pandas.DataFrame(rows, columns=["u", "v", "probability"])
    frame.to_csv(tmp_path / "priors.csv", index=False)
    expected = cliquewise.lsmarkov(ZOO, **STEPS, edge_priors=tmp_path / "priors.csv")
    assert expected.header["edge-priors"] and frozenset(("eggs", "milk")) not in undirected(expected.edges)
    for given in (PRIOR, rows, frame, frame.rename(columns={"u": "source", "v": "target"})):
        assert cliquewise.lsmarkov(ZOO, **STEPS, edge_priors=given) == expected
    assert expected.score(ZOO, edge_priors=PRIOR) == pytest.approx(expected.score(), abs=1e-6)
    with pytest.raises(DataError, match="edge_priors"):
        expected.score(ZOO)
    with pytest.raises(UsageError, match="need data"):
        expected.score(edge_priors=PRIOR)
    expected.write(tmp_path / "net.cliques")
    checked = run("mntools", "check", tmp_path / "net.cliques", "--data", ZOO, "--edge-priors", tmp_path / "priors.csv")
    assert checked.code == 0, checked.stdout + checked.stderr


def test_probabilities_that_were_learned():
    few = {name: list(column) for name, column in pandas.read_csv(ZOO).iloc[:, 1:8].items()}
    learned = cliquewise.mnposterior(few)
    cut = {(edge.source, edge.target): min(max(edge.probability, 0.01), 0.99) for edge in learned.edges}
    prior = {frozenset(pair): share for pair, share in cut.items()}
    graph = networkx.Graph()
    graph.add_edges_from((u, v, {"probability": share}) for (u, v), share in cut.items())
    found = [cliquewise.coarsen(few, edge_priors=given, method="greedy").score() for given in (cut, graph)]
    assert len(prior) > 3 and found[0] == found[1] != cliquewise.coarsen(few, method="greedy").score()


def test_a_network_to_start_from(tmp_path):
    start = cliquewise.coarsen(ZOO, method="forest")
    start.write(tmp_path / "start.edges")
    for learn, name, options in (
        (cliquewise.lsmarkov, "init", STEPS),
        (cliquewise.coarsen, "start", {"method": "greedy"}),
    ):
        expected = learn(ZOO, **options, **{name: tmp_path / "start.edges"})
        for given in (start, start.to_networkx(), start.edges, pandas.DataFrame(start.edges)):
            assert learn(ZOO, **options, **{name: given}) == expected
    cycle = [("hair", "milk"), ("milk", "eggs"), ("eggs", "tail"), ("tail", "hair")]
    with pytest.raises(UsageError, match="the graph is not chordal"):
        cliquewise.lsmarkov(ZOO, init=cycle)


def test_arcs_and_tiers(file):
    def learn(**known):
        return cliquewise.twlearn(ZOO, treewidth=2, method="s2", iterations=2, **known)

    arcs = [("milk", "hair"), ("eggs", "tail")]
    by_file = learn(required_arcs=file("milk,hair\neggs,tail\n"))
    for given in (
        arcs,
        networkx.DiGraph(arcs),
        pandas.DataFrame(arcs),
        cliquewise.from_networkx(networkx.DiGraph(arcs)),
    ):
        found = learn(required_arcs=given)
        assert found == by_file and {*arcs} <= {*found.edges}
    tiers = learn(tiers=file("legs,toothed\nnone:airborne,aquatic\n"))
    assert learn(tiers=[["legs", "toothed"], "none:airborne,aquatic"]) == tiers
    names = tiers.names
    order = learn(order=file("\n".join(reversed(names)) + "\n"))
    assert learn(order=names[::-1]) == order
    for undirected_arcs in (networkx.Graph(arcs), cliquewise.from_networkx(networkx.Graph(arcs))):
        with pytest.raises(UsageError, match="required_arcs: a network without directions; give a list of pairs"):
            learn(required_arcs=undirected_arcs)
    with pytest.raises(UsageError, match=r"required_arcs: found \{"):
        learn(required_arcs=[{"milk", "hair"}])


def test_an_arc_between_columns_that_are_words_of_a_heading():
    table = {"from": [0, 1, 0, 1] * 5, "to": [0, 1, 0, 0] * 5}
    found = cliquewise.twlearn(table, treewidth=1, method="s2", iterations=2, forbidden_arcs=[("from", "to")])
    assert found.header["forbidden-arcs"] == "1"


@pytest.mark.parametrize(
    "given, message",
    [
        ([("hair", "venomus")], r"<required_edges>, 'hair,venomus': unknown vertex 'venomus'.*did you mean 'venomous'"),
        ([("milk", "hair"), ("hair", "hair")], "<required_edges>, 'hair,hair': self loop"),
        ([("hair", "milk", "eggs")], r"required_edges: found \('hair', 'milk', 'eggs'\); give a list of pairs"),
        (["hi"], "required_edges: found 'hi'; give a list of pairs"),
        (5, "required_edges: 5; give the name of a file, or a list of pairs"),
        (object(), "required_edges: of the type object; give the name of a file, or"),
        (pandas.DataFrame({"hair": [1]}), "required_edges: a table of 1 column; give a list of pairs"),
    ],
)
def test_objects_that_are_not_edges_are_refused_by_name(given, message):
    with pytest.raises((UsageError, DataError), match=message):
        cliquewise.lsmarkov(ZOO, **STEPS, required_edges=given)


@pytest.mark.parametrize(
    "given, message",
    [
        ({("hair", "milk"): 2}, "<edge_priors>, 'hair,milk,2': '2' is not a probability"),
        ([("hair", "milk")], r"edge_priors: found \('hair', 'milk'\); give a dict"),
        (networkx.Graph([("hair", "milk")]), "edge_priors: a network without probabilities; give a dict"),
    ],
)
def test_objects_that_are_not_probabilities_of_edges_are_refused_by_name(given, message):
    with pytest.raises((UsageError, DataError), match=message):
        cliquewise.lsmarkov(ZOO, **STEPS, edge_priors=given)


def test_names_that_lists_would_read_as_something_else():
    """Commas, quotes, a first #, blanks at the ends, and numbers, which are not the places of columns here."""
    names = ["#a", 'b,"c"', "it's", "10", "20"]
    rng = np.random.default_rng(1)
    table = pandas.DataFrame(rng.integers(0, 2, (40, len(names))), columns=names)
    pairs = [("#a", 'b,"c"'), ("it's", "10"), ("10", "20")]
    assert undirected(pairs) <= undirected(map(tuple, cliquewise.coarsen(table, required_edges=pairs).edges.values))
    numbered = pandas.DataFrame(rng.integers(0, 2, (40, 3)), columns=[3, 1, 2])
    found = cliquewise.coarsen(numbered, required_edges=[(1, 3)]).edges
    assert frozenset("13") in undirected(map(tuple, found.values))
    assert text_in_memory("x", [(1, 3)], EDGES).text == "# format edges\n1,3\n"


def test_kinds_of_text():
    directed = cliquewise.from_networkx(networkx.DiGraph([("b", "a")]))
    assert text_in_memory("x", directed, NETWORK).text == "# format arcs\nb,a\n"
    assert text_in_memory("x", [("b", "a")], ARCS).text == "# format arcs\nb,a\n"
    copied = copy.deepcopy(text_in_memory("x", [("a", "b")], EDGES))
    assert (copied, copied.text, copied.line(2)) == ("<x>", "# format edges\na,b\n", "a,b")
    assert text_in_memory("x", [], EDGES).text == "# format edges\n"
    assert text_in_memory("x", [("b", " a", 0.5)], PRIORS).text == 'u,v,probability\nb," a",0.5\n'
    assert text_in_memory("x", [["a,b", "c"], "d:f"], TIERS).text == '"a,b",c\nd:f\n'


@pytest.mark.slow  # seconds of a processor
def test_a_study_and_a_cross_validation_take_them():
    data = pandas.read_csv(ZOO)[["eggs", "milk", "tail", "hair", "type"]]
    rows = cliquewise.cross_validate(data, "coarsen", {"method": "forest", "required_edges": PAIRS[1:]}, folds=2)
    assert rows["edges"].min() >= 1
    with pytest.raises((UsageError, DataError), match="required_edges.*'eggs,tale'"):
        cliquewise.cross_validate(data, "coarsen", {"required_edges": [("eggs", "tale")]}, folds=2)
    study = cliquewise.learn(data, time_limit=1, edge_priors={("eggs", "milk"): 0.0})
    assert frozenset(("eggs", "milk")) not in undirected(map(tuple, study.network.edges.values))
