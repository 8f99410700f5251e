"""Docstrings of kernels say what each array is, since they have no annotations; the rest is a lint rule."""

import ast
import re

import pytest

from tests.commands import ROOT, program_files

KERNELS = [str(path) for path in program_files() if path.name.endswith("_kernels.py")]


def unexplained(text):
    """Parameters of public functions that neither their docstring nor that of the module mentions, as `line name`."""
    tree = ast.parse(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
            # the same arrays go through many kernels, so the module's docstring may say what they are
            described = f"{ast.get_docstring(tree)} {ast.get_docstring(function)}"
            names = [arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)]
            yield from (f"{function.lineno} {name}" for name in names if not re.search(rf"\b{name}\b", described))


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_say_what_their_arrays_are(name):
    assert list(unexplained((ROOT / name).read_text(encoding="utf-8"))) == []


def test_what_is_not_explained():
    text = '"""On `rows`."""\ndef f(rows, sets, *, most=1):\n    """All `sets` of rows."""\ndef _g(x):\n    pass\n'
    assert list(unexplained(text)) == ["2 most"]
