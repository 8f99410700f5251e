"""Every test can fail: it asserts something, or hands its case to a helper or fixture of the tests that does."""

import ast
from functools import cache

from tests.commands import ROOT

DEPTH = 3  # helpers that call helpers


def functions(path):
    """Functions and methods of a file by name, also those inside others."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@cache
def files():
    """The files of the tests with their functions."""
    return {path: functions(path) for path in sorted((ROOT / "tests").rglob("*.py"))}


def helpers(path, node):
    """The functions that one calls or takes as fixtures: of its file, or of others but no test."""
    calls = [one.func for one in ast.walk(node) if isinstance(one, ast.Call)]
    names = {getattr(call, "id", getattr(call, "attr", "")) for call in calls} | {one.arg for one in node.args.args}
    for other, found in files().items():
        for name in names & set(found):
            if other == path or not name.startswith("test_"):
                yield other, found[name]


def can_fail(path, node, depth=DEPTH):
    """Whether a function asserts, or expects an error, in itself or in its helpers."""
    if any(isinstance(one, ast.Assert) for one in ast.walk(node)):
        return True
    if any(f"pytest.{name}(" in ast.unparse(node) for name in ("raises", "warns", "fail")):
        return True
    return depth > 0 and any(can_fail(*helper, depth - 1) for helper in helpers(path, node) if helper[1] is not node)


def test_every_test_can_fail():
    tests = [
        (path, node)
        for path, found in files().items()
        if path.name.startswith("test_")
        for name, node in found.items()
        if name.startswith("test_")
    ]
    assert len(tests) > 1000
    assert [f"{path.name}: {node.name}" for path, node in tests if not can_fail(path, node)] == []


def test_a_test_without_assertion_is_found(tmp_path):
    (tmp_path / "a.py").write_text(
        "def shows_it(x):\n    assert x\ndef shows_nothing(x):\n    print(x)\n"
        "def calls_nothing(x):\n    shows_nothing(x)\ndef calls_it(x):\n    shows_it(x)\n"
    )
    path = tmp_path / "a.py"
    files()[path] = functions(path)
    try:
        assert [name for name, node in files()[path].items() if can_fail(path, node)] == ["shows_it", "calls_it"]
    finally:
        del files()[path]
