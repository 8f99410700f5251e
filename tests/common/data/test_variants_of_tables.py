"""What stands above and beside a table, twenty of each, as pandas reads it; bad input."""

import logging

import pytest

from tests.commands import ROOT
from tests.reading import read_csv

ROWS = [("u", "0"), ("v", "1"), ("u", "1"), ("w", "0"), ("w", "1"), ("u", "0")] * 3
PLAIN = "".join(f"{a},{b}\n" for a, b in ROWS)


def numbered(rows=ROWS, first=0, quote="", sign=","):
    return "".join(f"{quote}{k}{quote}{sign}{a}{sign}{b}\n" for k, (a, b) in enumerate(rows, first))


ABOVE = {  # the text, and the options of pandas; None: pandas has no such option
    "header": ("a,b\n" + PLAIN, {}),
    "one comment": ("# made by R\na,b\n" + PLAIN, {"comment": "#"}),
    "three comments": ("# made\n# by\n#me\na,b\n" + PLAIN, {"comment": "#"}),
    "quoted comment": ('"# made by R"\na,b\n' + PLAIN, None),
    "names after #": ("# a,b\n" + PLAIN, None),
    "names right after #": ("#a,b\n" + PLAIN, None),
    "a blank line": ("\n" + "a,b\n" + PLAIN, {}),
    "blank lines of blanks": ("  \n \t\na,b\n" + PLAIN, {"skiprows": 2}),
    "blank lines above numbers of states": ("\n\na,b\n3,2\n" + PLAIN, {"skiprows": [3]}),
    "blank line after comment": ("# x\n\na,b\n" + PLAIN, {"comment": "#"}),
    "empty cells": (",\n,\na,b\n" + PLAIN, {"skiprows": 2}),
    "Excel's sep": ("sep=;\n" + ("a,b\n" + PLAIN).replace(",", ";"), {"sep": ";", "skiprows": 1}),
    "sep=,": ("sep=,\na,b\n" + PLAIN, {"skiprows": 1}),
    "SEP in quotes": ('"sep=;"\n' + ("a,b\n" + PLAIN).replace(",", ";"), {"sep": ";", "skiprows": 1}),
    "byte order mark": ("\ufeffa,b\n" + PLAIN, {}),
    "mark and sep": ("\ufeffsep=;\n" + ("a,b\n" + PLAIN).replace(",", ";"), {"sep": ";", "skiprows": 1}),
    "CRLF": (("a,b\n" + PLAIN).replace("\n", "\r\n"), {}),
    "CR": (("a,b\n" + PLAIN).replace("\n", "\r"), {}),
    "tabs": (("a,b\n" + PLAIN).replace(",", "\t"), {"sep": "\t"}),
    "pipes": (("a,b\n" + PLAIN).replace(",", "|"), {"sep": "|"}),
    "pipes and blanks": (("a,b\n" + PLAIN).replace(",", " | "), {"sep": r" *\| *", "engine": "python"}),
    "pipes and quotes": ('"a"|"b"\n' + "".join(f'"{a}"|"{b}"\n' for a, b in ROWS), {"sep": "|"}),
    "sep=|": ("sep=|\n" + ("a,b\n" + PLAIN).replace(",", "|"), {"sep": "|", "skiprows": 1}),
    "names after # with pipes": (("# a,b\n" + PLAIN).replace(",", "|"), None),
    "empty cells with pipes": ((",\n,\na,b\n" + PLAIN).replace(",", "|"), {"sep": "|", "skiprows": 2}),
    "pipes and numbers of states": (("a,b\n3,2\n" + PLAIN).replace(",", "|"), {"sep": "|", "skiprows": [1]}),
    "blanks": (("a,b\n" + PLAIN).replace(",", "   "), {"sep": r"\s+"}),
    "quotes": ('"a","b"\n' + "".join(f'"{a}","{b}"\n' for a, b in ROWS), {}),
    "numbers of states": ("a,b\n3,2\n" + PLAIN, {"skiprows": [1]}),
    "comment and numbers of states": ("# x\na,b\n3,2\n" + PLAIN, {"comment": "#", "skiprows": [2]}),
    "no end of line": (("a,b\n" + PLAIN).rstrip(), {}),
    "blank lines below": ("a,b\n" + PLAIN + "\n\n", {}),
}
BESIDE = {
    "pandas' index": (",a,b\n" + numbered(), {"index_col": 0}),
    "pandas' index read twice": ("Unnamed: 0,a,b\n" + numbered(), {"index_col": 0}),
    "shuffled index": (",a,b\n" + "".join(f"{7 * k % 18},{a},{b}\n" for k, (a, b) in enumerate(ROWS)),
                       {"index_col": 0}),
    "index of words": (",a,b\n" + "".join(f"row{k}x,{a},{b}\n" for k, (a, b) in enumerate(ROWS)), {"index_col": 0}),
    "write.csv": ('"","a","b"\n' + numbered(first=1, quote='"'), {"index_col": 0}),
    "write.csv2": ('"";"a";"b"\n' + numbered(first=1, quote='"', sign=";"), {"sep": ";", "index_col": 0}),
    "write.table": ('"a" "b"\n' + numbered(first=1, quote='"', sign=" "), {"sep": " "}),
    "write.table, tabs": ("a\tb\n" + numbered(first=1, sign="\t"), {"sep": "\t"}),
    "write.table, commas": ('"a","b"\n' + numbered(first=1, quote='"'), {}),
    "write.table, names": ('"a" "b"\n' + "".join(f'"Mazda RX{k}" "{a}" {b}\n' for k, (a, b) in enumerate(ROWS)),
                           {"sep": " "}),
    "rownames": ("rownames,a,b\n" + numbered(first=1), {"index_col": 0}),
    "row.names": ("row.names,a,b\n" + numbered(first=1), {"index_col": 0}),
    "trailing comma": ("a,b,\n" + PLAIN.replace("\n", ",\n"), {"usecols": ["a", "b"]}),
    "trailing comma, not in the header": ("a,b\n" + PLAIN.replace("\n", ",\n"), {"index_col": False}),
    "trailing semicolon": (("a,b,\n" + PLAIN.replace("\n", ",\n")).replace(",", ";"),
                           {"sep": ";", "usecols": ["a", "b"]}),
    "trailing tab": (("a,b,\n" + PLAIN.replace("\n", ",\n")).replace(",", "\t"), {"sep": "\t", "usecols": ["a", "b"]}),
    "index and trailing pipe": ((",a,b,\n" + numbered().replace("\n", ",\n")).replace(",", "|"),
                                {"sep": "|", "usecols": ["a", "b"]}),
    "write.table, pipes": ('"a"|"b"\n' + numbered(first=1, quote='"', sign="|"), {"sep": "|"}),
    "index and trailing comma": (",a,b,\n" + numbered().replace("\n", ",\n"), {"usecols": ["a", "b"]}),
    "comment and index": ("# x\n,a,b\n" + numbered(), {"comment": "#", "index_col": 0}),
    "index of dates": (",a,b\n" + "".join(f"2024-01-{k + 1:02d},{a},{b}\n" for k, (a, b) in enumerate(ROWS)),
                       {"index_col": 0}),
    "index in semicolons": (";a;b\n" + numbered(sign=";"), {"sep": ";", "index_col": 0}),
}  # fmt: skip


@pytest.mark.parametrize("name", [*ABOVE, *BESIDE])
def test_the_same_two_columns_as_pandas(tmp_path, caplog, name):
    pandas = pytest.importorskip("pandas")
    text, options = {**ABOVE, **BESIDE}[name]
    (tmp_path / "t.csv").write_bytes(text.encode())
    with caplog.at_level(logging.INFO):
        data = read_csv(tmp_path / "t.csv", warn=False)
    assert data.names == ("a", "b")
    assert [tuple(data.states[v][row[v]] for v in range(2)) for row in data.codes] == ROWS
    if options is not None:
        theirs = pandas.read_csv(tmp_path / "t.csv", dtype=str, encoding="utf-8-sig", **options)
        assert list(theirs.columns) == ["a", "b"] and list(theirs.itertuples(index=False, name=None)) == ROWS
    if name in BESIDE:
        assert "left out" in caplog.text or "makes no column" in caplog.text


TITLES = {
    "sep alone": "sep=;\n",
    "a title": "Survey of 2024,,\na,b,c\n1,x,y\n2,y,x\n1,x,x\n2,y,y\n",
    "a title above an empty row": "Survey,,\n,,\na,b,c\n" + "1,x,y\n2,y,x\n" * 9,
    "a title, an empty row and numbers": "Table 1;;\n;;\na;b;c\n" + "1;0;1\n2;1;1\n" * 9,
}
BAD = {path.name: path.read_bytes() for path in sorted((ROOT / "data/bad").glob("*.csv"))}


@pytest.mark.parametrize("name", [*TITLES, *BAD])
def test_bad_input_is_refused_in_one_line(run, here, name):
    (here / "t.csv").write_bytes(BAD[name] if name in BAD else TITLES[name].encode())
    for words in (["lsmarkov", "t.csv"], ["mnmodel", "discretize", "t.csv", "-q"], ["mnposterior", "t.csv"]):
        done = run(*words)
        if words[0] == "mnmodel" and done.code == 0:
            continue  # missing cells stay missing
        messages = [line for line in done.stderr.splitlines() if "t.csv" in line]
        assert done.code == 1 and done.stdout == "" and messages and "Traceback" not in done.stderr, done.stderr
        assert done.stderr.splitlines()[-1].startswith(f"{words[0]}: t.csv"), done.stderr
