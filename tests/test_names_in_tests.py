"""Slow tests run rarely: what they import, call and patch by name must exist at any time.

Each attribute of a module of the program in a file of tests, each name imported in a function, and each name that
monkeypatch.setattr is given as text is looked up.
"""

import ast
import importlib
import types

from tests.commands import ROOT


def imported(tree):
    """{name in the file: object} of what a file imports from the program, and the names that are not there."""
    objects, missing = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "cliquewise":
            module = importlib.import_module(node.module)
            for alias in node.names:
                try:
                    objects[alias.asname or alias.name] = getattr(module, alias.name)
                except AttributeError:
                    try:
                        objects[alias.asname or alias.name] = importlib.import_module(f"{node.module}.{alias.name}")
                    except ModuleNotFoundError:
                        missing.append(f"{node.lineno}: {node.module}.{alias.name}")
    return objects, missing


def names_used(tree, objects):
    """(line, object, attribute) of attributes of modules, and of what monkeypatch.setattr replaces by name."""
    parameters = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    variables = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    objects = {name: one for name, one in objects.items() if name not in parameters | variables}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = objects.get(node.value.id)
            if isinstance(owner, types.ModuleType):
                yield node.lineno, owner, node.attr
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "setattr"
            and len(node.args) == 3
            and isinstance(node.args[0], ast.Name)
            and isinstance(node.args[1], ast.Constant)
            and node.args[0].id in objects
        ):
            yield node.lineno, objects[node.args[0].id], node.args[1].value


def missing_names(text):
    """["line: name", ...] of names in a file of tests that the program does not have."""
    tree = ast.parse(text)
    objects, missing = imported(tree)
    return missing + [
        f"{line}: {getattr(owner, '__name__', owner)}.{name}"
        for line, owner, name in names_used(tree, objects)
        if not hasattr(owner, name)
    ]


def test_names_used_by_tests_exist():
    files = [(path, missing_names(path.read_text(encoding="utf-8"))) for path in sorted((ROOT / "tests").rglob("*.py"))]
    assert [f"{path.relative_to(ROOT)}:{name}" for path, missing in files for name in missing] == []


def test_missing_names_are_found():
    text = (
        "from cliquewise.mixture import run, nowhere\n"
        "def test(monkeypatch):\n"
        "    from cliquewise.mixture.run import absent\n"
        "    run.gone()\n"
        "    monkeypatch.setattr(run, 'NEVER', 1)\n"
    )
    expected = ["1: mixture.nowhere", "3: mixture.run.absent", "4: mixture.run.gone", "5: mixture.run.NEVER"]
    assert sorted(missing_names(text)) == [one.replace("mixture", "cliquewise.mixture") for one in expected]
