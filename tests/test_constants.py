"""Tables of constants in READMEs: all of a command's files are there, with their values."""

import ast
import re

import pytest

from tests.commands import ROOT

HEADING = "## Constants"
# no choices of the default search: the published one, options, places in arrays, kinds of moves
OTHERS = {
    "lsmarkov": {"neighbourhood_kernels", "published", "trace"},
    "junctor": set(),
    "coarsen": set(),
    "mplearn": set(),
    "twlearn": {"known_families", "listing_scip"},
    "mnposterior": set(),
    "mixture": set(),
}
OPTIONS = {"cli", "config", "size"}
NAMES = {"KINDS", "ENDLESS"}
ROW = re.compile(r"\| `(\w+)\.py`: `(\w+)` \| ([^|]+) \| [^|]+ \| [^|]+ \| [^|]* \|")


def numbers(path):
    """The constants of a file that are numbers or tuples of them: {name: value as it is written}."""
    found = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and [ast.unparse(one) for one in value.elts] == [
            *map(str, range(len(value.elts)))
        ]:
            continue  # kinds of something, numbered
        pairs = zip(target.elts, value.elts, strict=True) if isinstance(target, ast.Tuple) else [(target, value)]
        found |= {ast.unparse(name): ast.unparse(one).strip("()") for name, one in pairs}
    numeric = re.compile(r"[\d.,e*_A-Z +<-]+")
    return {
        name: value
        for name, value in found.items()
        if name.isupper() and name not in NAMES and numeric.fullmatch(value)
    }


@pytest.mark.parametrize("folder", OTHERS)
def test_constants_are_as_the_table_says(folder):
    section = (ROOT / folder / "README.md").read_text(encoding="utf-8").partition(f"{HEADING}\n")[2].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    rows = [ROW.fullmatch(line) for line in lines]
    assert all(rows), [line for line, row in zip(lines, rows, strict=True) if not row]
    documented = {(row[1], row[2]): row[3] for row in rows}
    files = [path for path in sorted((ROOT / folder).glob("*.py")) if path.stem not in OTHERS[folder] | OPTIONS]
    there = {(path.stem, name): value for path in files for name, value in numbers(path).items()}
    assert documented == there
