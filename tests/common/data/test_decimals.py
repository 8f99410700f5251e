"""What separates decimals and thousands: as pandas reads it where the user says it, and doubt is reported."""

import logging

import pytest

from tests.reading import read_csv

COMMA, POINT = "comma", "point"
WRITTEN = {  # decimal comma: pandas with decimal="," and thousands="."
    COMMA: (
        *("6.188", "15.800", "1.234.567", "1.234,5", "23,6", "0,5", "-6.188", "+1.000,25", "999.999.999", "7", "1234"),
        *("12.000", "100.100", "-0,25", "3,14159", "2.000.000,01", "10", "-1.234", "1,2", "88.888", "1.000"),
    ),
    POINT: (
        *("6,188", "15,800", "1,234,567", "1,234.5", "23.6", "0.5", "-6,188", "+1,000.25", "999,999,999", "7", "1234"),
        *("12,000", "100,100", "-0.25", "3.14159", "2,000,000.01", "10", "-1,234", "1.2", "88,888", "1,000"),
    ),
}


@pytest.mark.parametrize(("decimal", "text"), [(sign, text) for sign, texts in WRITTEN.items() for text in texts])
def test_numbers_are_those_of_pandas(tmp_path, decimal, text):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "t.csv"
    path.write_text(f"a;b\n{text};x\n5;y\n9;x\n")
    signs = {"decimal": ",", "thousands": "."} if decimal == COMMA else {"decimal": ".", "thousands": ","}
    theirs = pandas.read_csv(path, sep=";", **signs).a.tolist()
    data = read_csv(path, decimal=decimal, separator="semicolon", warn=False)
    assert [float(data.states[0][code]) for code in data.codes[:, 0]] == theirs


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("6.188 €", "6188 €"),
        ("€ 6.188,50", "€ 6188.50"),
        ("12,5%", "12.5%"),
        ("1.000 kg", "1000 kg"),
        ("1,5 l", "1.5 l"),
    ],
)
def test_numbers_with_units(tmp_path, text, plain):
    (tmp_path / "t.csv").write_text(f"a;b\n{text};x\n7;y\n")
    assert plain in read_csv(tmp_path / "t.csv", decimal=COMMA, warn=False).states[0]


@pytest.mark.parametrize(
    "text", ["1.2.3", "0.500", "12.34", "1.2345", "A.123", "01.02.2020", "10:30", "1.234.56", "v1.000.x", "a,b", ""]
)
def test_other_cells_stay_as_they_are(tmp_path, text):
    (tmp_path / "t.csv").write_text(f"a;b\n{text};x\n7;y\n")
    data = read_csv(tmp_path / "t.csv", decimal=COMMA, warn=False, missing="state")
    assert (text or "?") in data.states[0]


DOUBTFUL = {
    "six thousand": "{}.{:03d}",
    "with a sign": "-{}.{:03d}",
}
CERTAIN = {
    "other digits": "{}.{:02d}",
    "more digits": "{}.{:04d}",
    "below one": "0.{1:03d}",
    "two groups": "1.{}.{:03d}",
    "commas too": "{}.{:03d},5",
    "commas alone": "{},{:03d}",
    "whole": "{}{:03d}",
}


def table(form, more="x", extra=""):
    rows = [form.format(k % 90 + 10, 37 * k % 1000) for k in range(1, 120)]
    return "a;b\n" + "".join(f"{row};{more}{k % 2}\n" for k, row in enumerate(rows)) + extra


@pytest.mark.parametrize("name", [*DOUBTFUL, *CERTAIN])
def test_doubt_is_reported_with_the_option(tmp_path, caplog, run, name):
    path = tmp_path / "t.csv"
    path.write_text(table({**DOUBTFUL, **CERTAIN}[name]))
    with caplog.at_level(logging.WARNING):
        read_csv(path, separator="semicolon")
    done = run("mnmodel", "discretize", path, "--separator", "semicolon", "--columns", "a", "-o", tmp_path / "cut.csv")
    described = run("mnmodel", "describe", path, "--separator", "semicolon").stdout
    for output in (caplog.text, done.stderr, described):
        assert ("--decimal comma if it does" in output) == (name in DOUBTFUL), output


@pytest.mark.parametrize(("more", "extra"), [("0.5", ""), ("x", "1234;x1\n"), ("x", "12.5;x1\n")])
def test_a_table_that_decides_is_not_doubtful(tmp_path, caplog, more, extra):
    (tmp_path / "t.csv").write_text(table(DOUBTFUL["six thousand"], more, extra))
    with caplog.at_level(logging.WARNING):
        read_csv(tmp_path / "t.csv", separator="semicolon")
    assert "--decimal" not in caplog.text


@pytest.mark.parametrize("decimal", [COMMA, POINT])
def test_the_option_ends_doubt_and_is_stated(tmp_path, run, decimal):
    path, net = tmp_path / "t.csv", tmp_path / "net"
    path.write_text(table(DOUBTFUL["six thousand"]))
    done = run("lsmarkov", path, "--decimal", decimal, "--iterations", 10, "--threads", 1, "-o", net)
    assert done.code == 0 and "may separate" not in done.stderr
    assert f"# decimal {decimal}\n" in net.read_text()
    assert run("mntools", "check", net, "--data", path).code == 0


def test_counts_and_weights_are_numbers_of_the_table(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;n\nx;0;1.200\ny;1;300\nx;1;2\n")
    assert read_csv(tmp_path / "t.csv", counts="n", decimal=COMMA, warn=False).total == 1502
    assert read_csv(tmp_path / "t.csv", weights="n", weight_scale="none", decimal=COMMA, warn=False).total == 1502
