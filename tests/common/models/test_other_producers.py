"""Models as other programs write them: encodings, states without quotes, printed and unnormalised probabilities."""

import gzip
import itertools

import numpy as np
import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.models.any_graph import read_graph
from cliquewise.common.models.bif import parse_bif
from cliquewise.common.models.bif_states import states_listed, states_named
from cliquewise.common.models.model_file import MODEL_FORMATS, looks_like_model, parse_model, read_model, write_model
from tests.oracles import model_files as oracle
from tests.random_models import named_model

ODD = ("[0,1)", "(0,1]", "[0_1]", "a b", "(-inf,0.5)", "[2, inf)", "<=50K", "plain", "7", "x(1)")


def bif_of(states, table):
    """A BIF file of two variables as bnlearn writes it, nothing in quotes; `table[k]` is p(b | k-th state of a)."""
    listed = [f"variable {name} {{\n  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};\n}}\n"
              for name, labels in zip("ab", states, strict=True)]  # fmt: skip
    rows = [f"  ({label}) {', '.join(map(repr, row))};\n" for label, row in zip(states[0], table, strict=True)]
    first = ", ".join([repr(1 / len(states[0]))] * len(states[0]))
    return (
        "network unknown {\n}\n"
        + "".join(listed)
        + f"probability ( a ) {{\n  table {first};\n}}\nprobability ( b | a ) {{\n{''.join(rows)}}}\n"
    )


def test_states_without_quotes():
    table = [[0.25, 0.75], [0.5, 0.5], [0.125, 0.875]]
    for labels in itertools.permutations(ODD, 3):
        network = parse_bif(bif_of((labels, ("no way", "[0,1)")), table))
        assert network.states == (labels, ("no way", "[0,1)"))
        assert network.tables[1].tolist() == table


def test_rows_of_several_parents():
    parents = ({"[0,1)": 0, "[1,2)": 1}, {"a b": 0, "a": 1}, {"b": 0, "(0,1]": 1})
    for states in itertools.product(*parents):
        for between in (", ", ",", " , "):
            assert states_named(between.join(states), parents) == list(states)
    assert states_named('"a b" "b"', parents[1:]) == ["a b", "b"]
    assert states_named("a b", parents[1:]) == ["a", "b"]
    assert states_named("c d", parents[1:]) == ["c", "d"]  # unknown: the words, for the message


def test_the_announced_number_decides():
    assert states_listed(" a b ", "2") == ["a", "b"]
    assert states_listed(" a b, c ", "2") == ["a b", "c"]
    assert states_listed(" a b, c ", "3") == ["a", "b", "c"]
    assert states_listed('"a b" "c"', "2") == ["a b", "c"]


ONE_STATE = "caf\xe9"
NETS = {
    "bif": "network x {{ }} // {}\nvariable a {{ type discrete [ 2 ] {{ {}, y }}; }}\n"
    "probability ( a ) {{ table 0.25, 0.75; }}\n",
    "net": 'net {{ }} % {}\nnode a {{ label = "two\nlines"; states = ("{}" "y"); }}\n'
    "potential (a) {{ data = (0.25 0.75); }}\n",
}


@pytest.mark.parametrize("fmt", NETS)
def test_western_bytes_are_read_with_a_warning(tmp_path, caplog, fmt):
    path = tmp_path / f"net.{fmt}"
    path.write_bytes(NETS[fmt].format(ONE_STATE, ONE_STATE).encode("latin-1"))
    assert read_model(path).states == ((ONE_STATE, "y"),)
    assert f"{path}:1: not UTF-8 text, so it is read as Windows-1252" in caplog.text
    path.write_bytes(NETS[fmt].format("\x93 \x94", "y\x80").encode("latin-1"))
    assert read_model(path).states == (("y\u20ac", "y"),)


def test_dot_in_latin_1(tmp_path, caplog):
    (tmp_path / "g.dot").write_bytes(f'graph {{ "{ONE_STATE}" -- b }} // \xfc'.encode("latin-1"))
    assert read_graph(tmp_path / "g.dot").graph.names == (ONE_STATE, "b")
    assert "read as Windows-1252" in caplog.text


XMLBIF = (
    '{}<?xml version="1.0" encoding="{}"?>\n<BIF VERSION="0.3"><NETWORK><NAME>n</NAME><VARIABLE TYPE="nature">'
    "<NAME>a</NAME><OUTCOME>{}</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE><DEFINITION><FOR>a</FOR>"
    "<TABLE>0.25 0.75</TABLE></DEFINITION></NETWORK></BIF>"
)


@pytest.mark.parametrize(
    "encoding", ["ISO-8859-1", "iso-8859-15", "windows-1252", "UTF-8", "US-ASCII", "UTF-16", "UTF-32"]
)
@pytest.mark.parametrize("before", ["", "\n", " \r\n\n"])
def test_the_encoding_that_xml_declares(tmp_path, caplog, encoding, before):
    label = {"iso-8859-15": "\u20ac", "windows-1252": "\u201cx\u201d", "US-ASCII": "x"}.get(encoding, ONE_STATE)
    path = tmp_path / "net.xml"
    path.write_bytes(XMLBIF.format(before, encoding, label).encode(encoding))
    assert looks_like_model(path)
    assert read_model(path).states == ((label, "y"),)
    assert not caplog.records


def test_version_0_2_of_xmlbif():
    text = XMLBIF.format("", "UTF-8", "x").replace("OUTCOME", "VALUE").replace("DEFINITION", "PROBABILITY")
    text = (
        text.replace('VERSION="0.3"', 'VERSION="0.2"')
        .replace(' TYPE="nature"', "")
        .replace("<VALUE>x", "<TYPE>discrete</TYPE><VALUE>x")
    )
    network = parse_model(text, "net")
    assert network.states == (("x", "y"),) and network.tables[0].tolist() == [[0.25, 0.75]]


def test_utf_16_without_a_mark_and_declared_by_mistake(tmp_path):
    path = tmp_path / "net.xml"
    text = XMLBIF.format("", "utf-16", ONE_STATE)
    for encoding in ("utf-16-le", "utf-16-be", "utf-8"):
        path.write_bytes(text.encode(encoding))
        assert read_model(path).states == ((ONE_STATE, "y"),)


def test_wrong_declarations(tmp_path):
    path = tmp_path / "net.xml"
    path.write_bytes(XMLBIF.format("", "utf-8", ONE_STATE).encode("latin-1"))
    with pytest.raises(DataError, match=r"net.xml:2: not utf-8 text, as it begins"):
        read_model(path)
    path.write_bytes(XMLBIF.format("", "klingon", "x").encode())
    with pytest.raises(DataError, match=r"net.xml:1: unknown encoding 'klingon'"):
        read_model(path)
    path.write_bytes(b"network a { }\0")
    with pytest.raises(DataError, match="a zero byte"):
        read_model(path)


def test_blank_lines_keep_the_numbers_of_lines():
    with pytest.raises(DataError, match=r"net:4: broken XML"):
        parse_model("<?xml version='1.0'?>\n\n\n<BIF>", "net")


def test_late_declarations_keep_the_numbers_of_lines(tmp_path):
    (tmp_path / "net.xml").write_text("\n\n<?xml version='1.0'?><BIF>\n</BAF>")
    with pytest.raises(DataError, match=r"net.xml:4: broken XML"):
        read_model(tmp_path / "net.xml")


@pytest.mark.parametrize("fmt", MODEL_FORMATS)
def test_gzipped_models(tmp_path, fmt):
    network = named_model(1)
    write_model(tmp_path / "net", network, fmt, {})
    (tmp_path / "net.gz").write_bytes(gzip.compress((tmp_path / "net").read_bytes()))
    plain, zipped = read_model(tmp_path / "net"), read_model(tmp_path / "net.gz")
    assert looks_like_model(tmp_path / "net.gz")
    assert (plain.names, plain.states, plain.parents) == (zipped.names, zipped.states, zipped.parents)
    assert all(map(np.array_equal, plain.tables, zipped.tables))
    (tmp_path / "net.gz").write_bytes((tmp_path / "net.gz").read_bytes()[:-20])
    with pytest.raises(DataError, match="a damaged gzip file"):
        read_model(tmp_path / "net.gz")


def texts_of(numbers):
    """A model of one variable in each format that has no counts."""
    states = [f"s{k}" for k in range(len(numbers))]
    table = " ".join(map(repr, numbers))
    outcomes = "".join(f"<OUTCOME>{label}</OUTCOME>" for label in states)
    ids = "".join(f"<state id='{label}'/>" for label in states)
    return {
        "bif": f"network n {{ }}\nvariable a {{ type discrete [ {len(states)} ] {{ {', '.join(states)} }}; }}\n"
        f"probability ( a ) {{ table {table}; }}",
        "xmlbif": f"<BIF><VARIABLE><NAME>a</NAME>{outcomes}</VARIABLE>"
        f"<DEFINITION><FOR>a</FOR><TABLE>{table}</TABLE></DEFINITION></BIF>",
        "xdsl": f"<smile><nodes><cpt id='a'>{ids}<probabilities>{table}</probabilities></cpt></nodes></smile>",
        "uai": f"BAYES\n1\n{len(states)}\n1\n1 0\n{len(states)}\n{table}\n",
    }


@pytest.mark.parametrize("fmt", texts_of([1.0]))
@pytest.mark.parametrize(
    "numbers",
    [[0.33] * 3, [0.49, 0.5], [0.51, 0.5], [0.11] * 9, [0.1] * 9 + [0.09], [0.99, -1.19e-7, 0.01], [1.01], [0.99, 0.0]],
)
def test_sums_within_a_hundredth(fmt, numbers):
    clipped = np.maximum(numbers, 0)
    assert parse_model(texts_of(numbers)[fmt], "net").tables[0][0] == pytest.approx(clipped / clipped.sum(), abs=1e-15)


@pytest.mark.parametrize("fmt", texts_of([1.0]))
@pytest.mark.parametrize("numbers", [[0.48, 0.5], [0.52, 0.5], [0.98], [1.0, -1e-4], [0.329] * 3, [2.0, -1.0]])
def test_other_sums_are_refused(fmt, numbers):
    with pytest.raises(DataError, match=r"must be 1|is not a probability"):
        parse_model(texts_of(numbers)[fmt], "net")


@pytest.mark.parametrize("fmt", texts_of([1.0]))
@pytest.mark.parametrize(
    ("numbers", "is_rounded"),
    [
        ([0.333] * 3, True),
        ([0.33] * 3, True),
        ([0.495, 0.5], False),
        ([0.4948979592, 0.25, 0.25, 0.01], False),  # of a sample file of Hugin
        ([0.333, 0.333, 0.331], False),
        ([0.333333, 0.666664, 1.7e-6], True),
        ([1.005], False),
    ],
)
def test_sums_that_rounding_does_not_explain(fmt, numbers, is_rounded, caplog):
    parse_model(texts_of(numbers)[fmt], "net")
    name = "V0" if fmt == "uai" else "a"
    found = f"net: '{name}': rows that do not sum to 1 and are normalised: 1 of 1; the first sums to {sum(numbers):.6g}"
    assert caplog.messages == ([] if is_rounded else [found])


def test_the_row_that_rounding_does_not_explain_is_named(caplog):
    head = "network n { }\n" + "".join(f"variable {v} {{ type discrete [ 2 ] {{ x, y }}; }}\n" for v in "ab")
    parse_model(
        head + "probability (a) { table 0.5, 0.5; }\nprobability (b | a) { (x) 0.2, 0.8; (y) 0.3, 0.692; }", "n"
    )
    assert "'b': rows that do not sum to 1 and are normalised: 1 of 2; the first given a=y sums to 0.992" in caplog.text


@pytest.mark.parametrize("fmt", texts_of([1.0]))
def test_underscores_are_no_digits(fmt):
    text = texts_of([0.25, 0.75])[fmt].replace("0.25", "0.2_5")  # which Python reads as 0.25
    with pytest.raises(DataError, match=r"found '0.2_5', expected a number"):
        parse_model(text, "net")


def test_negatives_are_named(caplog):
    parse_model(texts_of([0.99, -1.19e-7, 0.01])["bif"], "net")
    assert "net: 'a': 1 numbers just below 0 are taken as 0, such as -1.19e-07" in caplog.text


def test_counts_in_hugin_files(caplog):
    text = (
        'net { }\nnode a { states = ("x" "y"); }\nnode b { states = ("u" "v"); }\n'
        "potential (a) { data = ( 10 90 ); }\npotential (b | a) { data = (( 0.5 0.5)( 3 1 )); }\n"
    )
    network = parse_model(text, "net")
    assert [table.tolist() for table in network.tables] == [[[0.1, 0.9]], [[0.5, 0.5], [0.75, 0.25]]]
    assert "net: 'a': rows that do not sum to 1 and are normalised: 1 of 1; the first sums to 100" in caplog.text
    assert (
        "net: 'b': rows that do not sum to 1 and are normalised: 1 of 2; the first given a=y sums to 4" in caplog.text
    )


def test_absent_numbers_in_hugin_files_are_uniform(caplog):
    text = 'net { }\nnode a { states = ("x" "y"); }\nnode b { states = ("u" "v" "w"); }\npotential (b | a) { }\n'
    network = parse_model(text, "net")
    assert network.parents == ((), (0,))
    assert [table.tolist() for table in network.tables] == [[[0.5, 0.5]], [[1 / 3] * 3] * 2]
    assert caplog.text.count("equally likely, as in Hugin") == 2


def test_escapes_in_hugin_strings():
    text = 'net { HR_Desc = "C:\\"; }\nnode a { states = ("say \\"x\\"" "y"); }\npotential (a) { data = (0.5 0.5); }\n'
    assert parse_model(text, "net").states == (('say "x"', "y"),)


def test_messages_with_names_of_two_lines_are_one_line():
    for text in ('net { }\n"a\nb" { }', 'network n { }\n"a\nb" { }'):
        with pytest.raises(DataError, match="found 'a b', expected"):
            parse_model(text, "net")


def test_the_row_with_a_wrong_sum_is_named():
    text = "BAYES\n2\n2 2\n2\n1 0\n2 0 1\n2\n0.5 0.5\n4\n0.5 0.5 0.5 0.6\n"
    with pytest.raises(DataError, match=r"net: probabilities of 'V1' given V0=1 sum to 1.1, must be 1"):
        parse_model(text, "net")


def test_the_order_that_sums_to_one_is_advised():
    text = "BAYES\n2\n2 2\n2\n1 0\n2 0 1\n2\n0.5 0.5\n4\n0.9 0.2 0.1 0.8\n"
    for order in (None, "last"):
        with pytest.raises(DataError, match="give --uai-order first"):
            parse_model(text, "net", order)
    assert parse_model(text, "net", "first").tables[1].tolist() == [[0.9, 0.1], [0.2, 0.8]]


UNREAD = {
    "bif01": "sum to", "bif04": "sum to 1.4", "bif05": "expected one of", "bif06": "expected one of",
    "bifxml03": "influence diagram", "xml01": "influence diagram", "xml02": "influence diagram",
    "xml03": "UnBBayes' own XML", "xml04": "UnBBayes' own XML", "net06": "continuous", "net07": "continuous",
    "uai01": "credal network, H-CREDAL", "uai02": "credal network", "uai03": "second table",
    "uai10": "credal network", "uai11": "credal network", "xdsl05": "influence diagram",
}  # fmt: skip


WITHOUT_TABLE = {"xdsl14": 1, "dne07": 5}  # variables without a table in their file: a noisy-MAX, nodes without numbers
READERS = {
    ".bif": oracle.read_bif, ".xml": oracle.read_xmlbif, ".bifxml": oracle.read_xmlbif, ".xdsl": oracle.read_xdsl,
    ".net": oracle.read_net, ".dne": oracle.read_dne,
}  # fmt: skip


def test_public_files_are_read_as_they_say_or_refused_by_name(shared):
    paths = sorted((shared / "data" / "models").glob("*-*"))
    assert len(paths) > 60
    for path in paths:
        kind = path.name.partition("-")[0]
        message = UNREAD.get(kind, UNREAD.get(kind.rstrip("0123456789")))
        if message is not None:
            with pytest.raises(DataError, match=message):
                read_model(path)
        elif path.suffix == ".uai":
            check_factors(read_model(path, "last"), *oracle.read_uai(path.read_text()))
        else:
            raw = path.read_bytes()
            text = raw.decode("ascii" if raw.isascii() else "latin-1")
            assert check_tables(read_model(path), READERS[path.suffix](text)) == WITHOUT_TABLE.get(kind, 0), path


def check_tables(network, message):
    """Compare a network with what its file says; the number of variables of whose numbers it says nothing."""
    without = 0
    for name, labels, parents, table in zip(
        network.names, network.states, network.parents, network.tables, strict=True
    ):
        states, parent_set, numbers = message[name]
        assert states in (None, list(labels)) and [network.names[u] for u in parents] == parent_set
        without += numbers is None
        if numbers is not None:
            rows = np.maximum(np.reshape(numbers, table.shape), 0)
            assert table == pytest.approx(rows / rows.sum(axis=1, keepdims=True), abs=1e-12)
    return without


def check_factors(network, kind, arity, factors):
    """Compare a network with the product of the factors of its file, in random joint states."""
    assert [len(labels) for labels in network.states] == arity
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, r, 50) for r in arity]).astype(np.int32)
    logs = network.log_likelihood(codes) + (network.log_partition if kind == "MARKOV" else 0.0)
    with np.errstate(divide="ignore"):
        wanted = sum(np.log(np.reshape(numbers, [arity[v] for v in scope])[tuple(codes[:, scope].T)])
                     for scope, numbers in factors)  # fmt: skip
    assert logs == pytest.approx(wanted, abs=1e-6)
