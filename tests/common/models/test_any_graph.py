"""A Bayesian network wherever a graph is expected: its arcs, on the variables of the data."""

import dataclasses

import numpy as np
import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.graphfile import format_graph
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.models.any_graph import parse_graph, read_graph, read_header
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.model_file import MODEL_FORMATS, read_model, write_model
from tests.random_models import small_model


@pytest.mark.parametrize("fmt", MODEL_FORMATS)
def test_the_arcs_of_a_model_are_a_graph(tmp_path, fmt):
    path = tmp_path / "net"
    for seed in range(40):
        network = small_model(seed)
        write_model(path, network, fmt, {"program": "test"})
        expected = Dag.from_parents(network.parents, network.names)
        assert read_graph(path).network == expected
        turned = network.names[::-1]
        place = {name: v for v, name in enumerate(turned)}
        arcs = sorted((place[network.names[u]], place[network.names[v]]) for u, v in expected.arcs)
        assert read_graph(path, turned).network == Dag(network.n, tuple(arcs), turned)
        assert read_header(path.read_text(), "net") == {}


def test_a_uai_file_without_names_is_on_the_columns_in_order():
    text = "BAYES\n2\n2 2\n2\n1 0\n2 0 1\n2\n0.5 0.5\n4\n0.1 0.9 0.3 0.7\n"
    assert parse_graph(text, "net", ("b", "a")).dag == Dag(2, ((0, 1),), ("b", "a"))
    assert parse_graph(text, "net").dag == Dag(2, ((0, 1),))
    assert parse_graph(text + "# variable order is that of the table\n", "net", ("b", "a")).dag.names == ("b", "a")


def test_a_model_of_other_variables(tmp_path):
    network = dataclasses.replace(small_model(1), names=tuple(f"y{v}" for v in range(small_model(1).n)))
    write_model(tmp_path / "net", network, "bif", {})
    with pytest.raises(DataError, match="vertex 'y0' is not a variable of the data"):
        read_graph(tmp_path / "net", small_model(1).names)


def test_convert_keeps_the_probabilities_of_a_model(run, refuse, workplace):
    workplace({"net": "a,b\n"})
    network = small_model(3)
    write_model("net.bif", network, "bif", {"program": "test", "rows": "7"})
    before = "net.bif"
    for fmt in ("xdsl", "net", "uai", "xmlbif", "bif"):
        assert run(*f"mntools convert {before} --format {fmt} -o again.{fmt}".split()).code == 0
        before = f"again.{fmt}"
    again = read_model("again.bif")
    assert [again.names, again.states, again.parents] == [network.names, network.states, network.parents]
    assert all(np.allclose(*tables, atol=1e-12) for tables in zip(again.tables, network.tables, strict=True))
    with open("net.bif") as first, open("again.bif") as last:
        assert first.readline() == last.readline() == "// program test\n" and last.readline() == "// rows 7\n"
    refuse("mntools convert net --format bif", 1, "net: no Bayesian network with probabilities")
    workplace({"asia.dsc": 'belief network "Asia"\nnode A\n{'})
    refuse(
        "mntools convert asia.dsc --format bif", 1, "asia.dsc: a Bayesian network (MSBNx, .dsc), which is not read; "
    )
    refuse("mntools convert net.bif --format bif --names", 2, "--names has no effect with --format bif")


def test_commands_take_a_model_as_the_list_of_its_arcs(run, workplace):
    rows = "\n".join(f"{a},{b},{(a & b) if i else 1 - (a & b)}" for i in range(4) for a in (0, 1) for b in (0, 1))
    network = BayesianNetwork(
        ("c", "a", "b"),
        (("0", "1"),) * 3,
        ((1, 2), (), ()),
        (np.full((4, 2), 0.5), np.full((1, 2), 0.5), np.full((1, 2), 0.5)),
    )
    workplace({"d.csv": f"a,b,c\n{rows}\n"})
    write_model("net.bif", network, "bif", {})
    dag = Dag.from_parents(network.parents, network.names)
    workplace({"net.arcs": format_graph(dag, "arcs", use_names=True)})
    for line in ("mntools score d.csv {} --ess 1", "mnmodel fit d.csv {}", "mntools convert {} --format modelstring"):
        model, arcs = (run(*line.format(name).split(), "-q") for name in ("net.bif", "net.arcs"))
        outputs = [model.stdout, arcs.stdout]
        if line.startswith("mnmodel fit"):  # a model that is fitted again keeps its order of variables
            outputs = [sorted(text.splitlines()) for text in outputs]
        assert model.code == arcs.code == 0 and outputs[0] == outputs[1], line
    assert model.stdout == "[a][b][c|a:b]\n"


@pytest.mark.parametrize("table", ["0.9 0.1 0.2 0.8", "0.9 0.2 0.1 0.8"])
def test_the_order_of_the_tables_of_uai_does_not_matter(tmp_path, caplog, table):
    """It changes the probabilities, not the arcs; for these --uai-order is needed, or a warning given."""
    path = tmp_path / "net.uai"
    path.write_text(f"BAYES\n2\n2 2\n2\n1 0\n2 0 1\n\n2\n 0.5 0.5\n\n4\n {table}\n")
    assert read_graph(path).dag.arcs == ((0, 1),) and caplog.text == ""
    path.write_text(path.read_text().replace(table, "0.9 0.3 0.1 0.8"))
    with pytest.raises(DataError, match=r"net\.uai"):
        read_graph(path)
