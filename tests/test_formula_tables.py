"""What READMEs say of the program is there: formulas and their functions, files of a folder, the way of one run."""

import ast
import html
import re
from functools import cache

import pytest

from tests.commands import FOLDERS, ROOT, program_files

TABLES = (
    *("common", "common/bounds", "lsmarkov", "junctor", "coarsen", "mplearn", "twlearn", "mnposterior", "mixture"),
    *("mnmodel", "mntools"),
)
TABLES_OF_FILES = ("common/data", "common/files", "common/certify", "workflow")
HEADING = "## Formulas and algorithms"
WAY = "## The way of one `lsmarkov data.csv -o net`"
MIN_ROWS = 6
MAX_STEPS = 20  # of the way of one run
SYMBOL = re.compile(r"\w+'?\([^()]*\)")  # of a formula: d(v,w|S)
WORD = re.compile(r"[A-Z]-?\w+|\w{4,}")
BLOCK = 4  # blanks before what stands in a condition
STEM = 6  # letters of a word that must occur: its ending may differ
OTHERS = 20  # how many other functions a row is compared with
SMALL = {
    "with",
    "that",
    "from",
    "over",
    "each",
    "them",
    "their",
    "they",
    "which",
    "into",
    "time",
    "more",
    "than",
    "many",
}
PLACE = re.compile(r"`([\w./]+\.py)`: `([\w.]+)`")


def rows(text, heading=HEADING):
    """The rows of the table under a heading, without its head: (formula, file, function)."""
    section = text.partition(f"\n{heading}\n")[2].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    places = [PLACE.fullmatch(row[-1]) for row in cells]
    assert all(len(row) == 2 and row[0] and place for row, place in zip(cells, places, strict=True)), lines
    return [(row[0], *place.groups()) for row, place in zip(cells, places, strict=True)]


@cache
def defined(path):
    """The source of functions and classes of a file, by name, and of methods as `Class.method`."""
    text, found = path.read_text(encoding="utf-8"), {}
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        inner = node.body if isinstance(node, ast.ClassDef) else []
        for one, above in [(node, ""), *((one, f"{node.name}.") for one in inner)]:
            if isinstance(one, ast.FunctionDef | ast.ClassDef):
                found[above + one.name] = "".join(lines[one.lineno - 1 : one.end_lineno])
    return found


def mentions(source, formula):
    """Whether a function's source has the formula's first symbol; without one, half of its words, by their beginnings.

    What stands in brackets names papers and sections, which sources name where they like.
    """
    formula = html.unescape(formula)
    symbol = SYMBOL.search(formula)
    if symbol:
        return "".join(symbol[0].split()) in "".join(source.split())
    words = [word for word in WORD.findall(re.sub(r"\([^)]*\)", "", formula)) if word.lower() not in SMALL]
    return 2 * sum(bool(re.search(word[:STEM], source, re.IGNORECASE)) for word in words) >= len(words)


@pytest.mark.parametrize("folder", TABLES)
def test_what_a_table_names_exists(folder):
    found = rows((ROOT / folder / "README.md").read_text(encoding="utf-8"))
    assert len(found) >= MIN_ROWS
    check(found, folder, symbols=True)


def test_a_row_fits_few_other_functions():
    """Else a table that names a wrong one passes."""
    every = [
        (formula, f"{file}: {function}", defined(ROOT / folder / file)[function])
        for folder in TABLES
        for formula, file, function in rows((ROOT / folder / "README.md").read_text(encoding="utf-8"))
    ]
    pairs = [(row, other) for i, row in enumerate(every) for other in every[i + 1 : i + 1 + OTHERS]]
    fits = [mentions(other[2], row[0]) for row, other in pairs if row[1] != other[1]]
    assert len(fits) > 1000 and sum(fits) < 0.15 * len(fits)


def test_the_way_of_a_run_exists():
    found = rows((ROOT / "common/README.md").read_text(encoding="utf-8"), WAY)
    assert MIN_ROWS <= len(found) <= MAX_STEPS
    check(found, ".", symbols=False)


@pytest.mark.parametrize("folder", TABLES_OF_FILES)
def test_a_table_of_files_names_all(folder):
    first_cells = re.findall(r"(?m)^\| ([^|]*`[^|]*) \|", (ROOT / folder / "README.md").read_text(encoding="utf-8"))
    named = sorted(name for cell in first_cells for name in re.findall(r"`([\w/]+\.py)`", cell))
    assert named == sorted({path.name for path in (ROOT / folder).glob("*.py")} - {"__init__.py", "__main__.py"})


def check(found, folder, symbols):
    """Each row names a file below the folder, and what it defines; if wished, this mentions the formula."""
    for formula, file, function in found:
        path = ROOT / folder / file
        assert path.is_file(), f"{folder}: {formula}: there is no {file}"
        assert function in defined(path), f"{folder}: {formula}: {file} has no {function}"
        if symbols:
            assert mentions(defined(path)[function], formula), (
                f"{folder}: {formula}: {file}: {function} says nothing of it"
            )


def test_the_reader_of_tables():
    text = f"# T\n\n{HEADING}\n\n| formula | file |\n|---|---|\n| s(C) | `a/b.py`: `C.f` |\n\n## Next\n\n| x | y |\n"
    assert rows(text) == [("s(C)", "a/b.py", "C.f")]
    assert rows("# T\n") == []
    with pytest.raises(AssertionError):
        rows(text.replace("`C.f`", "C.f"))
    here = defined(ROOT / "tests/test_formula_tables.py")
    assert {"rows", "defined"} <= set(here)
    assert mentions("def gain(): 'd(v, w|S)'", "d(v,w&#124;S), the gain") and not mentions(
        here["rows"], "d(v,w&#124;S), rows"
    )
    assert mentions(here["rows"], "rows of a table") and not mentions(here["rows"], "junction tree with more")


PROGRAM = {str(path.with_suffix("")).replace("/", "."): ROOT / path for path in program_files()}
NAMED = re.compile(rf"`((?:common|data\.papers|{'|'.join(name for name in FOLDERS if '/' not in name)})(?:\.\w+)+)`")


def names_of(path):
    """The definitions of a file: functions, classes, methods, variables; and the imports of an `__init__`."""
    found = set(defined(path))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.col_offset == 0:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.FunctionDef) and node.col_offset <= BLOCK:  # in `if JIT:`
            found.add(node.name)
        if isinstance(node, ast.ImportFrom) and path.name == "__init__.py":
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def is_there(name):
    """Whether a dotted name is a module or folder of the program, or what one defines."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        module = ".".join(parts[:count])
        if module in PROGRAM:
            rest = ".".join(parts[count:])
            return not rest or rest in names_of(PROGRAM[module])
    return (ROOT / name.replace(".", "/")).is_dir()


def test_dotted_names_in_texts_lead_somewhere():
    texts = [*PROGRAM.values(), *(ROOT / folder / "README.md" for folder in FOLDERS)]
    texts = {path: path.read_text(encoding="utf-8") for path in texts if path.is_file()}
    named = [(path, name) for path, text in texts.items() for name in NAMED.findall(text)]
    assert len(named) > 100
    assert [f"{path}: {name}" for path, name in named if not is_there(name)] == []
    assert not is_there("common.search.result") and is_there("common.run.result.OPTIMAL")
    assert not is_there("common.run.result.the"), "a word of its text"
