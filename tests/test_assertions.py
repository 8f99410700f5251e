"""Every test can fail: it asserts something, or hands its case to a helper or fixture of the tests that does."""

import ast
from collections import defaultdict
from functools import cache

from tests.commands import ROOT
from tests.syntax import dotted_name, nodes_of

DEPTH = 3  # helpers that call helpers
EXPECTING = {"pytest.raises", "pytest.warns", "pytest.fail"}


def functions(path):
    """Functions and methods of a file, also those inside others."""
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef)]


@cache
def named():
    """The functions of all files of the tests by name: {name: [(path, node)]}."""
    found = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in functions(path):
            found[node.name].append((path, node))
    return found


@cache
def called(node):
    """The functions that a function calls, as they are written."""
    return {dotted_name(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}


def helpers(path, node):
    """The functions that one calls or takes as fixtures: of its file, or of others but no test."""
    for name in {call.rpartition(".")[2] for call in called(node)} | {one.arg for one in node.args.args}:
        found = named().get(name, ())
        yield from (one for one in found if one[0] == path or not name.startswith("test_"))


def can_fail(path, node, depth=DEPTH):
    """Whether a function asserts, or expects an error, in itself or in its helpers."""
    if any(isinstance(one, ast.Assert) for one in ast.walk(node)) or called(node) & EXPECTING:
        return True
    return depth > 0 and any(can_fail(*helper, depth - 1) for helper in helpers(path, node) if helper[1] is not node)


def test_every_test_can_fail():
    tests = [
        (path, node)
        for name, found in named().items()
        for path, node in found
        if name.startswith("test_") and path.name.startswith("test_")
    ]
    assert len(tests) > 1000
    assert [f"{path.name}: {node.name}" for path, node in tests if not can_fail(path, node)] == []


def test_a_test_without_assertion_is_found(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text(
        "def shows_it(x):\n    assert x\ndef shows_nothing(x):\n    print(x)\n"
        "def calls_nothing(x):\n    shows_nothing(x)\ndef calls_it(x):\n    shows_it(x)\n"
    )
    path = tmp_path / "a.py"
    monkeypatch.setitem(named(), "shows_it", [(path, functions(path)[0])])
    monkeypatch.setitem(named(), "shows_nothing", [(path, functions(path)[1])])
    assert [node.name for node in functions(path) if can_fail(path, node)] == ["shows_it", "calls_it"]
