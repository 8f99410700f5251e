"""`Network` from Python: score, compare, draw, and its edges as a table; the same as the commands."""

import importlib.util
import json
import math

import networkx
import numpy as np
import pytest

import cliquewise
from cliquewise.common.errors import DataError, LimitError, UsageError
from tests.commands import ROOT
from tests.oracles.scores import bdeu

ZOO, VOTES = ROOT / "data/zoo.csv", ROOT / "data/votes.csv"


@pytest.fixture(scope="module")
def network():
    return cliquewise.coarsen(ZOO, method="forest", ess=10)


def frames():
    """A small table in every library that is installed, with its class and what makes a list of a column."""
    columns = {"a": ["x", "y", "y", "x", "y", "x"], "b": ["x", "y", "y", "x", "y", "y"], "c": [0, 1, 0, 1, 0, 1]}
    for name in ("pandas", "polars", "pyarrow"):
        if importlib.util.find_spec(name):
            library = importlib.import_module(name)
            yield library, library.table(columns) if name == "pyarrow" else library.DataFrame(columns)


def columns_of(frame):
    """The columns of a table of any library, as lists."""
    names = getattr(frame, "column_names", None) or list(frame.columns)
    return {name: frame[name].to_pylist() if hasattr(frame[name], "to_pylist") else list(frame[name]) for name in names}


def test_scores_are_those_of_the_command(run, network, tmp_path):
    network.write(tmp_path / "net.cliques")
    for options in ({}, {"score": "bic"}, {"ess": 3}, {"score": "bdeu", "ess": 0.5}):
        words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
        output = run("mntools", "score", ZOO, tmp_path / "net.cliques", *words, "-q").stdout
        for data in (ZOO, str(ZOO), cliquewise.read_csv(ZOO)):
            assert network.score(data, **options) == pytest.approx(float(output), abs=1e-6), options
    assert network.score() == pytest.approx(network.score(ZOO), abs=1e-6)
    with pytest.raises(UsageError, match="score, ess and edge_priors need data; give a table"):
        network.score(ess=3)


def test_lists_of_networks(run, tmp_path):
    """The best ones, and samples of a posterior; of another file its network."""
    table = {"a": [0, 1, 0, 1, 1] * 4, "b": [0, 0, 1, 1, 1] * 4, "c": [0, 1, 1, 1, 0] * 4}
    path = tmp_path / "best"
    best = cliquewise.junctor(table, best=5, networks=path)
    found = cliquewise.read_networks(path)
    assert len(found) == 5 and found[0].edges == best.edges and found[0].names == ("a", "b", "c")
    assert [one.score(table) for one in found] == pytest.approx([one.score() for one in found], abs=1e-6)
    assert [one.score() for one in found] == sorted((one.score() for one in found), reverse=True)
    cliquewise.mnposterior(table, iterations=20000, samples=tmp_path / "samples")
    assert len(cliquewise.read_networks(tmp_path / "samples")) > 50
    best.write(tmp_path / "one.cliques")
    assert [one.edges for one in cliquewise.read_networks(tmp_path / "one.cliques")] == [best.edges]
    with pytest.raises(UsageError, match="a list of 5 networks; cliquewise.read_networks reads it"):
        cliquewise.read_network(path)
    assert "a list of networks, for mntools average and check" in run("mntools", "convert", path).stderr


def test_a_network_without_probable_edges_is_refused():
    table = {"a": [0, 1, 0, 1], "b": [0, 0, 1, 1]}
    found = cliquewise.mnposterior(table, min_probability=1)
    assert found.edges == []
    for ask in (found.score, lambda rows: cliquewise.fit(rows, found)):
        with pytest.raises(DataError, match="probabilities"):
            ask(table)


def test_comparing_a_network_with_probabilities():
    sure = networkx.Graph()
    sure.add_nodes_from("abc")
    sure.add_edge("a", "b", probability=0.9)
    sure.add_edge("b", "c", probability=0.2)
    chain = cliquewise.from_networkx(networkx.path_graph(list("abc")))
    with pytest.raises(UsageError, match="give the threshold of an edge, such as min_probability=0.5"):
        chain.compare(sure)
    assert [chain.compare(sure, min_probability=least)["fp"] for least in (0.1, 0.5, 1.0)] == [0, 1, 2]
    table = {name: [0, 1, 1, 0] for name in "ab"}
    with pytest.raises(DataError, match="3 vertices but the data has 2 variables; the data have no column 'c'"):
        chain.score(table)


def test_a_score_on_other_rows_and_columns_in_another_order():
    """A chain a - b - c: its two cliques less b, on rows that it was not learned from."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 2, (40, 3))
    names = ("a", "b", "c")
    rows = {name: codes[:, v].tolist() for v, name in enumerate(names)}
    chain = cliquewise.from_networkx(networkx.path_graph(names))
    expected = bdeu(codes, (2, 2, 2), (0, 1), 2) + bdeu(codes, (2, 2, 2), (1, 2), 2) - bdeu(codes, (2, 2, 2), (1,), 2)
    assert chain.score(rows, ess=2) == pytest.approx(expected)
    assert chain.score({name: rows[name] for name in ("c", "a", "b")}, ess=2) == pytest.approx(expected)
    with pytest.raises(DataError, match="b|c"):
        chain.score({"a": [0, 1], "b": [1, 0], "d": [0, 1]})


def test_a_score_with_declared_states():
    """A state that no row has counts in the score; without it the number would be that of another network."""
    table, states = {"a": ["lo", "hi"] * 20, "b": [1, 2] * 20}, {"a": ["lo", "mid", "hi"]}
    found = cliquewise.coarsen(table, method="forest", states=states)
    assert found.score(cliquewise.read_csv(table, states=states)) == pytest.approx(found.score(), abs=1e-6)
    for data in (table, cliquewise.read_csv(table)):
        with pytest.raises(UsageError, match=r"learned with declared states.*; give what read_csv\(table, states="):
            found.score(data)
    with pytest.raises(DataError, match="other states than those with which"):
        found.score(cliquewise.read_csv(table, states={"a": ["hi", "mid", "lo"]}))


def test_a_score_with_missing_cells():
    """Of the data it was learned from, the score is that which was found: the completions are drawn again."""
    found = cliquewise.coarsen(VOTES, missing="em", method="forest")
    assert found.score(VOTES) == pytest.approx(found.score(), abs=1e-6)
    as_state = cliquewise.coarsen(VOTES, missing="state", method="forest")
    assert as_state.score(VOTES) == pytest.approx(as_state.score(), abs=1e-6)
    with pytest.raises(DataError, match="missing"):
        cliquewise.coarsen(ZOO, method="forest").score(VOTES)


def test_comparisons_are_those_of_the_command(run, network, tmp_path):
    other = cliquewise.coarsen(ZOO, method="greedy", max_clique=3)
    for one, name in ((network, "net"), (other, "other")):
        one.write(tmp_path / f"{name}.cliques")
    output = json.loads(
        run("mntools", "compare", tmp_path / "net.cliques", tmp_path / "other.cliques", "--format", "json").stdout
    )
    assert output["fn"] > 0
    for truth in (other, tmp_path / "other.cliques", str(tmp_path / "other.cliques"), other.to_networkx()):
        assert network.compare(truth) == output
    assert "shd" in cliquewise.twlearn(ZOO, treewidth=1, iterations=2).compare(networkx.DiGraph([
        (network.names[0], name) for name in network.names[1:]]))  # fmt: skip
    with pytest.raises(DataError, match="the other network: variable|the network: variable"):
        network.compare(networkx.path_graph(["a", "b"]))


def test_edges_are_a_table_of_the_kind_that_came_in():
    for library, frame in frames():
        found = cliquewise.lsmarkov(frame, ess=1)
        assert type(found.edges) is type(frame) and found.library == library.__name__
        plain = cliquewise.lsmarkov(columns_of(frame), ess=1)
        assert plain == found and plain.edges == [("a", "b")]
        assert columns_of(found.edges) == {"source": ["a"], "target": ["b"]}
        shares = cliquewise.posterior(frame, draws=50).edges
        assert type(shares) is type(frame) and list(columns_of(shares)) == ["source", "target", "probability", "error"]
        empty = cliquewise.lsmarkov(frame, ess=1, edge_prior=1e-9).edges
        assert type(empty) is type(frame) and columns_of(empty) == {"source": [], "target": []}
        again = networkx.from_pandas_edgelist(found.edges) if library.__name__ == "pandas" else None
        assert again is None or set(again.edges) == {("a", "b")}


def test_records_of_edges(network):
    first = network.edges[0]
    assert (first.source, first.target) == first == tuple(network.names[v] for v in network.graph.edges[0])
    shares = cliquewise.posterior({"a": [0, 1] * 9, "b": [0, 1] * 9, "c": [0, 0, 1] * 6}, draws=200)
    probabilities = [edge.probability for edge in shares.edges]
    assert probabilities == sorted(probabilities, reverse=True) and shares.edges[0][:2] == ("a", "b")
    assert math.isnan(shares.score()) and cliquewise.posterior is cliquewise.mnposterior


def test_a_drawing_is_that_of_the_command(run, network, tmp_path):
    network.write(tmp_path / "net.json")  # which has the names
    options = {"title": "Zoo", "legend": False, "size": (6, 4), "grey": True, "layout": "layered"}
    words = ["--title", "Zoo", "--no-legend", "--size", "6x4", "--grey", "--layout", "layered"]
    for data in ({}, {"data": ZOO}):
        also = ["--data", ZOO] if data else []
        done = run("mntools", "draw", tmp_path / "net.json", *words, *also, "-o", tmp_path / "net.svg")
        assert done.code == 0, done.stderr
        made = network.draw(tmp_path / "again.svg", **options, **data)
        assert made.content == (tmp_path / "net.svg").read_bytes() == (tmp_path / "again.svg").read_bytes()


@pytest.mark.slow
def test_pictures_in_a_notebook(network, tmp_path):
    made = network.draw(tmp_path / "net.png")
    assert made.content.startswith(b"\x89PNG") and repr(made).startswith("<Picture, PNG of ")
    assert made._repr_html_().startswith('<img alt="a network" src="data:image/png;base64,')
    assert network._repr_html_().startswith('<img alt="a network" src="data:image/svg+xml;base64,')
    assert network.draw(tmp_path / "net.pdf")._repr_html_().startswith("<p>&lt;Picture, PDF of ")
    large = cliquewise.from_networkx(networkx.path_graph(2001))
    assert large._repr_html_() == "<p>&lt;Network of 2,001 variables, 2,000 edges&gt;</p>"
    with pytest.raises(LimitError, match="a picture shows at most 2000"):
        large.draw()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": (3,)}, "size 3: expected width and height"),
        ({"layout": "round"}, "layout 'round': expected organic or layered"),
        ({"path": "net.bmp"}, "bmp"),
        ({"min_probability": 0.5}, "its edges have no probabilities"),
        ({"min_probability": 0.5, "data": ZOO}, "min_probability has no effect with data"),
    ],
)
def test_refusals_of_drawings(network, options, message):
    with pytest.raises(UsageError, match=message):
        network.draw(**options)
