"""What READMEs say of the program is there: tables `formula or algorithm | file: function`, and the way of one run."""

import ast
import re

import pytest

from tests.commands import FOLDERS, ROOT, program_files

TABLES = ("common", "common/bounds", "lsmarkov", "junctor", "coarsen", "mplearn", "twlearn", "mnposterior", "mnmodel")
HEADING = "## Formulas and algorithms"
WAY = "## The way of one `lsmarkov data.csv -o net`"
LEAST_ROWS = 6
PLACE = re.compile(r"`([\w./]+\.py)`: `([\w.]+)`")


def rows(text, heading=HEADING):
    """The rows of the table under a heading, without its head: (formula, file, function)."""
    section = text.partition(f"\n{heading}\n")[2].split("\n## ")[0]
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


@pytest.mark.parametrize("folder", TABLES)
def test_what_a_table_names_exists(folder):
    found = rows((ROOT / folder / "README.md").read_text(encoding="utf-8"))
    assert len(found) >= LEAST_ROWS
    check(found, folder)


def test_the_way_of_a_run_exists():
    found = rows((ROOT / "common/README.md").read_text(encoding="utf-8"), WAY)
    assert len(found) >= LEAST_ROWS
    check(found, ".")


def check(found, folder):
    """Each row names a file below the folder, and what it defines."""
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


PROGRAM = {str(path.with_suffix("")).replace("/", "."): ROOT / path for path in program_files()}
NAMED = re.compile(rf"`((?:common|data\.papers|{'|'.join(name for name in FOLDERS if '/' not in name)})(?:\.\w+)+)`")


def is_there(name):
    """Whether a dotted name is a module or folder of the program, or a name in the text of one."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = ".".join(parts[:count])
        if module in PROGRAM:
            rest = parts[count:]
            return not rest or re.search(rf"\b{rest[0]}\b", PROGRAM[module].read_text(encoding="utf-8")) is not None
    return (ROOT / name.replace(".", "/")).is_dir()


def test_dotted_names_in_texts_lead_somewhere():
    texts = [*PROGRAM.values(), *(ROOT / folder / "README.md" for folder in FOLDERS)]
    texts = {path: path.read_text(encoding="utf-8") for path in texts if path.is_file()}
    named = [(path, name) for path, text in texts.items() for name in NAMED.findall(text)]
    assert len(named) > 100
    assert [f"{path}: {name}" for path, name in named if not is_there(name)] == []
    assert not is_there("common.search.result") and is_there("common.run.result.OPTIMAL")
