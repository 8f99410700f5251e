"""Tables of constants in READMEs: all of a command's files are there, with their values."""

import ast
import re

import pytest

from tests.commands import ROOT
from tests.constants import ROW, assigned, lines_of

# no choices of the default search: the published one, options, places in arrays, kinds of moves
OTHERS = {
    "lsmarkov": {"neighbourhood_kernels", "published", "trace"},
    "junctor": set(),
    "coarsen": set(),
    "mplearn": set(),
    "twlearn": {"known_families", "listing_scip"},
    "mnposterior": set(),
    "mixture": set(),
    "common/bounds": {"proof_estimate", "proof_log", "proof_trimming"},  # of words and certificates
    "common/exact": {"states_kernels", "tables", "toulbar2"},  # sizes
}
OPTIONS = {"cli", "config", "size"}
NAMES = {"KINDS", "ENDLESS", "PERMANENT"}


def numbers(path):
    """The constants of a file that are numbers or tuples of them: {name: value as it is written}."""
    text = path.read_text(encoding="utf-8")
    kinds = {ast.unparse(one) for node in ast.parse(text).body if is_numbered(node) for one in node.targets[0].elts}
    found = {name: ast.unparse(value).strip("()") for name, value in assigned(text) if name not in kinds | NAMES}
    numeric = re.compile(r"[\d.,e*_A-Z +<-]+")
    return {
        name: value for name, value in found.items() if (name.isupper() or "." in name) and numeric.fullmatch(value)
    }


def is_numbered(node):
    """Whether a statement numbers kinds of something: A, B, C = 0, 1, 2."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)):
        return False
    values = node.value.elts if isinstance(node.value, ast.Tuple) else []
    return [ast.unparse(one) for one in values] == [*map(str, range(len(values)))]


@pytest.mark.parametrize("folder", OTHERS)
def test_constants_are_as_the_table_says(folder):
    lines = lines_of(folder)
    rows = [ROW.fullmatch(line) for line in lines]
    assert all(rows), [line for line, row in zip(lines, rows, strict=True) if not row]
    documented = {(row[1], row[2]): row[3] for row in rows}
    files = [path for path in sorted((ROOT / folder).glob("*.py")) if path.stem not in OTHERS[folder] | OPTIONS]
    there = {(path.stem, name): value for path in files for name, value in numbers(path).items()}
    assert documented == there
