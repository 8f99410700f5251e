"""Each formula and algorithm is where its tool's README says: tables `formula or algorithm | file: function`."""

import ast
import re

import pytest

from tests.commands import ROOT

FOLDERS = ("common", "common/bounds", "lsmarkov", "junctor", "coarsen", "mplearn", "twlearn", "mnposterior", "mnmodel")
HEADING = "## Formulas and algorithms"
LEAST_ROWS = 6
PLACE = re.compile(r"`([\w./]+\.py)`: `([\w.]+)`")


def rows(text):
    """The rows of the table under the heading, without its head: (formula, file, function)."""
    section = text.partition(f"\n{HEADING}\n")[2].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    places = [PLACE.fullmatch(row[-1]) for row in cells]
    assert all(len(row) == 2 and row[0] and place for row, place in zip(cells, places, strict=True)), lines
    return [(row[0], *place.groups()) for row, place in zip(cells, places, strict=True)]


def defined(path):
    """Functions and classes of a file, and methods as `Class.method`."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_a_table_names_exists(folder):
    found = rows((ROOT / folder / "README.md").read_text(encoding="utf-8"))
    assert len(found) >= LEAST_ROWS
    for formula, file, function in found:
        path = ROOT / folder / file
        assert path.is_file(), f"{folder}: {formula}: there is no {file}"
        assert function in defined(path), f"{folder}: {formula}: {file} has no {function}"


def test_the_reader_of_tables():
    text = f"# T\n\n{HEADING}\n\n| formula | file |\n|---|---|\n| s(C) | `a/b.py`: `C.f` |\n\n## Next\n\n| x | y |\n"
    assert rows(text) == [("s(C)", "a/b.py", "C.f")]
    assert rows("# T\n") == []
    with pytest.raises(AssertionError):
        rows(text.replace("`C.f`", "C.f"))
    assert {"rows", "defined"} <= defined(ROOT / "tests/test_formula_tables.py")
