"""The mutants that mutation testing tries: what is changed, where, and nothing else."""

import ast
import os
import subprocess
import sys

import pytest

from tests.commands import FOLDERS, ROOT
from tests.mutate.__main__ import program, sample
from tests.mutate.mutants import mutants_of
from tests.mutate.tree import Tree


@pytest.mark.parametrize(
    "source, mutants",
    [
        ("a < b", ["(a <= b)", "(a >= b)"]),
        ("a == b is c", ["(a != b is c)", "(a == b is not c)"]),
        ("x - y", ["(x + y)"]),
        ("not x", ["(x)"]),
        ("a and b", ["(not a) and b", "(a or b)", "a and (not b)"]),
        ("7", ["0", "70", "8"]),
        ("0", ["1"]),
        ("True", ["False"]),
        ("f(x)", ["pass"]),
        ("'text'; f'{a < b}'; None", []),
        ("if x: pass", ["if (not x): pass"]),
        ("def f(): return x", ["def f(): return None"]),
        ("def f(x=False): return None", ["def f(x=True): return None"]),
        ("x += y", ["pass"]),
        ("raise E", ["pass"]),
        ("ü = é < 1", ["ü = (é <= 1)", "ü = (é >= 1)", "ü = é < 0", "ü = é < 10", "ü = é < 2"]),
    ],
)
def test_mutants_of_a_text(source, mutants):
    found = [mutant.applied(source.encode()).decode() for mutant in mutants_of("a.py", source.encode())]
    assert sorted(found) == sorted(mutants)


def test_the_lines_of_a_change():
    source = b"X = 1\n\n\ndef f(\n  a=2,\n):\n  if (\n    a\n  ):\n    return g(\n      a,\n    )\n"
    found = mutants_of("a.py", source)
    lines = {(m.described(source).split(":")[1], m.first, m.last, m.in_function) for m in found}
    assert lines == {("1", 1, 1, False), ("5", 4, 6, False), ("8", 7, 9, True), ("10", 10, 12, True)}


def test_every_mutant_of_a_file_is_another_program():
    source = (ROOT / "common" / "data" / "csvfile.py").read_bytes()
    found = mutants_of("common/data/csvfile.py", source)
    before = ast.dump(ast.parse(source))
    assert len(found) > 100 and all(ast.dump(ast.parse(mutant.applied(source))) != before for mutant in found[::5])


def test_every_folder_of_the_program_is_tried():
    assert {file.rpartition("/")[0] for file in program()} >= {*FOLDERS} - {"common/compiled"}


def test_a_sample_stays_while_its_statements_do():
    names = ("common/sets/bitset.py", "common/sets/set_orders.py")
    files = {name: (ROOT / name).read_bytes() for name in names}
    moved = {name: b"# above\n" + source for name, source in files.items()}

    def drawn(files, seed):
        return [(m.file, m.text, m.applied(files[m.file])) for m in sample(files, files, 20, 30, seed)]

    first = drawn(files, 1)
    assert len(first) == 30 and {file for file, _, _ in first} == {*names}
    assert drawn(moved, 1) == [(file, text, b"# above\n" + changed) for file, text, changed in first] != drawn(moved, 2)


SLOW = """\
import numpy as np
import pytest
from cliquewise.common.sets.bitset import induced


@pytest.mark.slow
def test_a_part():
    assert induced(np.array([[2], [1], [0]], np.uint64), np.array([0, 1])).tolist() == [[2], [1]]
"""


@pytest.mark.slow
def test_tests_run_the_copy_with_the_mutant(tmp_path):
    """One that the fast tests of this file do not notice is given to slow ones."""
    root = Tree(tmp_path).root
    (root / "tests/common/sets/test_slow.py").write_text(SLOW)
    words = ["common/sets/bitset.py", "--total", "3", "--slow", "60", "--record", "tests/common/sets/test_bitset.py"]
    variables = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTEST_CURRENT_TEST": ""}
    command = [sys.executable, "-m", "tests.mutate", *words]
    ran = subprocess.run(command, cwd=root, env=variables, capture_output=True, text=True, timeout=300)
    assert ran.stderr.count("tests/common/sets/test_bitset.py::") == 2, ran.stderr
    assert ran.stdout.endswith(
        "   0 of    3 survive in common/sets/bitset.py\n2 killed by fast tests, 1 by slow ones alone\n0 of 3 survive\n"
    ), ran.stdout
