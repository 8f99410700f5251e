"""Files of Bayesian networks: each format preserves the network, other programs read the same distribution."""

import dataclasses
import warnings

import numpy as np
import pytest

from cliquewise.common.errors import DataError, UsageError
from cliquewise.common.models.bayesnet import BayesianNetwork
from cliquewise.common.models.bif_names import simple_names
from cliquewise.common.models.model_file import MODEL_FORMATS, looks_like_model, read_model, write_model
from tests.random_models import named_model
from tests.slow import slow


def random_rows(network, seed, rows=50):
    """int32[rows, n], any states."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, [len(labels) for labels in network.states], (rows, network.n)).astype(np.int32)


@pytest.mark.parametrize("fmt", MODEL_FORMATS)
@pytest.mark.parametrize("seed", range(5))
def test_what_was_written_is_read(tmp_path, fmt, seed):
    network, path = named_model(seed, zeros=0.15 * (seed > 2)), tmp_path / "net"
    write_model(path, network, fmt, {"program": "test", "ess": "10"})
    assert looks_like_model(path)
    again = read_model(path)
    assert (again.names, again.states, again.parents) == (network.names, network.states, network.parents)
    for here, there in zip(again.tables, network.tables, strict=True):
        assert here == pytest.approx(there, rel=1e-13, abs=0)
    write_model(tmp_path / "again", named_model(seed, zeros=0.15 * (seed > 2)), fmt, {"program": "test", "ess": "10"})
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_names_that_all_readers_accept():
    names, states, comments = simple_names(named_model(1))
    assert names == ["type_2", "wet_road_2", "Wet_Road", "a_b_c", "gr_e_5_", "x"]
    assert states[:3] == [["no", "yes"], ["a_bit_2", "a_bit", "s5_12"], ["0", "1"]]
    assert states[3:] == [["table_2", "TABLE_3", "s"], ["s", "s_2", "_1"], ["007", "7"]]
    assert comments[:2] == ['// name type_2 "type"', '// name wet_road_2 "wet road"']
    assert comments[3:5] == ['// name gr_e_5_ "gr\\u00f6\\u00dfe <5>"', '// state wet_road_2 a_bit_2 "a bit"']
    assert len(comments) == 12


def test_comments_change_nothing(tmp_path):
    path = tmp_path / "net.bif"
    write_model(path, named_model(1, ("a", "b"), (("x", "y"), ("x", "y"))), "bif", {})
    for line in ("// name a is a name", "// name a", "// name", "// state a x", "// state q x \"z\"", '// name a "b"',
                 '// state a x "y"', "// name a 5", "// state  "):  # fmt: skip
        other = tmp_path / "other.bif"
        other.write_text(f"{line}\n{path.read_text()}")
        again = read_model(other)
        assert again.names == ("a", "b") and again.states == (("x", "y"), ("x", "y")), line


@pytest.mark.slow
def test_a_file_with_many_names_is_known_by_its_beginning(tmp_path):
    names = [f"column {v}" for v in range(4000)]
    network = BayesianNetwork(tuple(names), (("x", "y"),) * 4000, ((),) * 4000, (np.array([[0.5, 0.5]]),) * 4000)
    for fmt in MODEL_FORMATS:
        write_model(tmp_path / "net", network, fmt, {"program": "test"})
        assert looks_like_model(tmp_path / "net") and read_model(tmp_path / "net").names == network.names


def test_a_uai_file_of_others_has_numbers_for_names(tmp_path):
    path = tmp_path / "net.uai"
    path.write_text("BAYES\n2\n2 3\n2\n1 0\n2 0 1\n\n2\n 0.4 0.6\n\n6\n 0.1 0.2 0.7\n 0.3 0.3 0.4\n")
    network = read_model(path)
    assert network.names == ("V0", "V1") and network.states == (("0", "1"), ("0", "1", "2"))
    assert network.tables[1].tolist() == [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]] and network.parents == ((), (0,))
    path.write_text(path.read_text() + "# variable names are not known\n")
    assert read_model(path).names == ("V0", "V1")


def test_xmlbif_with_a_document_type(tmp_path):
    path = tmp_path / "net.xml"
    head = '<?xml version="1.0"?>\n<!-- of another program -->\n<!DOCTYPE BIF [\n <!ELEMENT BIF ( NETWORK )*>\n {} ]>\n'
    body = (
        '<BIF VERSION="0.3"><NETWORK><NAME>n</NAME><PROPERTY>p</PROPERTY>\n<VARIABLE TYPE="nature">\n<NAME> a </NAME>'
        "<OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME><PROPERTY>position = (1,2)</PROPERTY></VARIABLE>\n"
        "<DEFINITION><FOR>a</FOR><TABLE> .5 <!-- half --> .5 </TABLE></DEFINITION></NETWORK></BIF>\n"
    )
    path.write_text(head.format("") + body)
    assert looks_like_model(path) and read_model(path).tables[0].tolist() == [[0.5, 0.5]]
    path.write_text(head.format('<!ENTITY e "x">') + body)
    with pytest.raises(DataError, match="net.xml:5: a document type that declares entities"):
        read_model(path)


BROKEN = {
    "MARKOV\n1\n2\n": "found 'the end', expected the number of tables",
    "MARKOV\n1\n2\n1\n1 0\n2\n0 0\n": "its factors are 0 in all states",
    "MARKOV\n1\n2\n1\n1 0\n2\n0 -1\n": "a factor of V0 has a number that is not one",
    "MARKOV\n2\n2 2\n2\n1 0\n1 0\n2\n1 0\n2\n0 1\n": "its factors are 0 in all states",
    "MARKOV\n2\n2 2\n1\n2 0 0\n4\n1 1 1 1\n": "or one that occurs twice",
    "MARKOV\n2\n2 2000000\n1\n1 0\n2\n1 1\n": "variable 1 has 2,000,000 states, of at most 1,000,000",
    "BAYES\n1\n2\n2\n": "a Bayesian network of 1 variable has 1 table",
    "BAYES\n2\n2 2\n2\n1 0\n1 0\n2\n.5 .5\n": "or the second table of variable 0",
    "BAYES\n1\n2\n1\n1 0\n3\n": "should have 2 numbers",
    "BAYES\n1\n2\n1\n1 0\n2\n0.5": r"the table of the variables \[0\]: the file ends after 1 number of 2",
    "BAYES\n1\n2\n1\n1 0\n2\n0.5 0,5": "found '0,5', expected a number",
    "MARKOV\n1\n2\n1\n1 0\n2\n7 1 3\n": "found '3' after the last table; look for a number too many",
    'MARKOV\n1\n2\n1\n1 0\n2\n7 1\n# variable {"name": "a", "states": ["x", "x"]}\n': "'a' has no states, or two of",
    "BAYES\n1\n2\n1\n1 0\n2\n.5 .5\nvariable a\n": "found 'variable' after the last table",
    'BAYES\n1\n2\n1\n1 0\n2\n.5 .5\n# variable {"name": "a", "states": ["x"]}\n': "not the names and states of",
    'BAYES\n1\n2\n1\n1 0\n2\n.5 .5\n# variable {"name": "a", "states": ["x", "y"]\n': "not the names and states of",
    "BAYES\n1\n2\n1\n1 0\n2\n0.5 0.1\n": "probabilities of 'V0' sum to 0.6, must be 1",
    "BAYES\nmany\n": "found 'many', expected the number of variables",
    "BAYES\n2\n2 2\n2\n2 1 0\n2 0 1\n4\n.5 .5 .5 .5 4\n.5 .5 .5 .5": "the arcs form a cycle: ",
    '{"format": "cliquewise network", "variables": [\n{]}': ":2: broken JSON",
    '{"format": "cliquewise network", "variables": ' + "[" * 100_000: "JSON that is too deep",
    '{"format": "cliquewise network", "variables": [{"name": "a"}]}': "no 'states' in it",
    '{"format": "cliquewise network", "variables": 5}': "not laid out as",
    '{"format": "cliquewise network", "variables": []}': "no variables",
    '{"format": "cliquewise network", "variables": [{"name": "a", "states": ["x", "x"], "parents": [], '
    '"probabilities": [[0.5, 0.5]]}]}': "variable 'a' has no states, or two of the same name",
    '{"format": "cliquewise network", "variables": [{"name": "a", "states": ["x", "y"], "parents": ["b"], '
    '"probabilities": [[0.5, 0.5]]}]}': "an unknown parent 'b'",
    '{"format": "cliquewise network", "variables": [{"name": "a", "states": ["x", "y"], "parents": ["a"], '
    '"probabilities": [[0.5, 0.5]]}]}': "itself as a parent",
    '{"format": "cliquewise network", "variables": [{"name": "a", "states": ["x", "y"], "parents": [], '
    '"probabilities": [[0.5]]}]}': "1 probability for 'a', expected 1 times 2",
    "<BIF>\n<NETWORK>": ":2: broken XML",
    "<BIF><VARIABLE><NAME>a</NAME></VARIABLE></BIF>": "variable 'a' has no definition",
    "<BIF>\n<VARIABLE></VARIABLE></BIF>": ":2: 0 elements <NAME> where one was expected",
    "<BIF>\n<DEFINITION><FOR>a</FOR><TABLE>1 x</TABLE></DEFINITION></BIF>": ":2: the table of 'a'",
    "<BIF>\n<DEFINITION><FOR>a</FOR><TABLE>1</TABLE></DEFINITION></BIF>": "of 'a', which is not a variable",
    "a,b\n1,2\n": "a table or a list \\(CSV\\), not a model; a model is BIF, XMLBIF",
}


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_broken_files(tmp_path, number):
    text, message = list(BROKEN.items())[number]
    path = tmp_path / "net"
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        read_model(path)


@pytest.mark.parametrize("text", ["network,variable\n1,2\n", "variable value\nx 1\n", "BAYES,x\n1,2\n", "0,1\n", ""])
def test_data_are_refused_as_models(tmp_path, text):
    path = tmp_path / "data.csv"
    path.write_text(text)
    assert not looks_like_model(path) and not looks_like_model(tmp_path / "gone")


def test_names_that_xml_cannot_hold(tmp_path):
    network = named_model(1, ("a", "b\0"), (("x", "y"), ("x", "y")))
    with pytest.raises(UsageError, match="cannot be written in XMLBIF; use --format json"):
        write_model(tmp_path / "net", network, "xmlbif", {})
    assert not (tmp_path / "net").exists()


# ---- other programs


@pytest.fixture(scope="module")
def pgmpy():
    """The readers of pgmpy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pgmpy.readwrite")


@pytest.fixture(scope="module")
def pyagrum():
    """pyAgrum, whose import warns of its own parts."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pyagrum")


def written_names(network, fmt):
    """The network with the names that stand in a file."""
    if fmt != "bif":
        return network
    names, states, _ = simple_names(network)
    return dataclasses.replace(network, names=tuple(names), states=tuple(map(tuple, states)))


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("fmt", ["bif", "xmlbif"])
@pytest.mark.parametrize("seed", [0, *slow(1, 2, 3)])
def test_pgmpy_reads_the_same(pgmpy, tmp_path, fmt, seed):
    network, path = named_model(seed, zeros=0.1), tmp_path / "net"
    write_model(path, network, fmt, {"program": "mnmodel fit"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = (pgmpy.BIFReader if fmt == "bif" else pgmpy.XMLBIFReader)(path).get_model()
        assert model.check_model()
    named, rows = written_names(network, fmt), random_rows(network, seed)
    assert set(model.nodes) == set(named.names)
    expected = np.exp(network.log_likelihood(rows))
    for row, probability in zip(rows.tolist(), expected, strict=True):
        labels = {name: named.states[v][k] for v, (name, k) in enumerate(zip(named.names, row, strict=True))}
        parts = [cpd.get_value(**{name: labels[name] for name in cpd.variables}) for cpd in model.cpds]
        assert np.prod(parts) == pytest.approx(probability, rel=1e-9, abs=1e-300)


# its readers of BIF and UAI take numbers in single precision, that of UAI the parents in another order than the format
@pytest.mark.parametrize(
    ("fmt", "suffix", "precision"), [("xmlbif", "bifxml", 1e-9), ("bif", "bif", 1e-5), ("uai", "uai", 1e-5)]
)
@pytest.mark.parametrize("seed", range(4))
def test_pyagrum_reads_the_same(pyagrum, tmp_path, fmt, suffix, precision, seed):
    network, path = named_model(seed, zeros=0.1, most_parents=1 if fmt == "uai" else 3), tmp_path / f"net.{suffix}"
    write_model(path, network, fmt, {"program": "mnmodel fit"})
    model = pyagrum.loadBN(str(path))
    named, rows = written_names(network, fmt), random_rows(network, seed)
    joint = pyagrum.Instantiation()
    for name in model.names():
        joint.add(model.variable(name))
    expected = np.exp(network.log_likelihood(rows))
    for row, probability in zip(rows.tolist(), expected, strict=True):
        for v, k in enumerate(row):
            if fmt == "uai":
                joint.chgVal(str(v), k)
            else:
                joint.chgVal(named.names[v], named.states[v][k])
        assert model.jointProbability(joint) == pytest.approx(probability, rel=precision, abs=1e-300)


UAI = "BAYES\n3\n2 3 2\n3\n1 0\n1 1\n3 0 1 2\n2\n.1 .9\n3\n.2 .3 .5\n12\n{}\n"


def test_the_order_of_a_uai_file(tmp_path, caplog):
    path, p = tmp_path / "net.uai", np.array([[0.01, 0.02, 0.03], [0.11, 0.12, 0.13]])
    tables = np.stack([p, 1 - p], axis=-1)  # by both parents and the variable itself
    written = {
        "last": tables.ravel(),
        "first": tables.transpose(2, 1, 0).ravel(),
        "pyagrum": tables.transpose(1, 0, 2).ravel(),
    }
    for order, numbers in written.items():
        path.write_text(UAI.format(" ".join(map(str, numbers))))
        network = read_model(path, order)
        assert network.tables[2] == pytest.approx(tables.reshape(6, 2)) and not caplog.text
    path.write_text(UAI.format(" ".join(map(str, written["pyagrum"]))))
    assert read_model(path).tables[2] != pytest.approx(tables.reshape(6, 2))
    assert "net.uai: tables of several parents are read with the last variable changing fastest" in caplog.text
    caplog.clear()
    write_model(path, read_model(path, "pyagrum"), "uai", {})
    assert read_model(path).tables[2] == pytest.approx(tables.reshape(6, 2)) and not caplog.text


@pytest.mark.parametrize("seed", range(6))
def test_uai_files_that_pyagrum_wrote(pyagrum, tmp_path, seed):
    network = named_model(seed)
    write_model(tmp_path / "net.bifxml", network, "xmlbif", {})
    pyagrum.saveBN(pyagrum.loadBN(str(tmp_path / "net.bifxml")), str(tmp_path / "net.uai"))
    model, back = pyagrum.loadBN(str(tmp_path / "net.bifxml")), read_model(tmp_path / "net.uai", "pyagrum")
    rows = random_rows(network, seed)
    place = [model.idFromName(name) for name in network.names]
    moved = np.empty_like(rows)
    moved[:, place] = rows
    assert np.exp(back.log_likelihood(moved)) == pytest.approx(
        np.exp(network.log_likelihood(rows)), rel=1e-4, abs=1e-300
    )
