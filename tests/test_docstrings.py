"""Docstrings exist and are true: their documented parameters are those of the function."""

import ast
import re

import pytest

from tests.commands import ROOT, program_files

NAMES = [*map(str, program_files()), *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*.py"))]
MANY = 2  # with more parameters than this, each one is described; a method may have one more


def parse(name):
    """The syntax tree of a file."""
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


def functions(tree):
    """Public functions and methods of public classes, with the name to report."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node.name, node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner


def parameters(function):
    """Names in the signature, without self and cls; variable ones with their stars."""
    spec = function.args
    names = [arg.arg for arg in spec.posonlyargs + spec.args]
    names += [f"*{spec.vararg.arg}"] if spec.vararg else []
    names += [arg.arg for arg in spec.kwonlyargs]
    names += [f"**{spec.kwarg.arg}"] if spec.kwarg else []
    return [name for name in names if name not in ("self", "cls")]


def described(docstring):
    """Names in the Parameters section of a docstring; None when there is no such section."""
    section = re.search(r"(?ms)^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", docstring + "\n")
    if section is None:
        return None
    heads = [line for line in section[1].splitlines() if line and not line.startswith(" ")]
    return [name.strip() for head in heads for name in head.split(" : ")[0].split(",")]


def is_command(function):
    """A click command: its parameters are documented as options, in its help."""
    decorators = " ".join(ast.unparse(decorator) for decorator in function.decorator_list)
    return re.search(r"command|group|option|argument", decorators) is not None


@pytest.mark.parametrize("name", NAMES)
def test_module_has_a_docstring(name):
    assert ast.get_docstring(parse(name))


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("tests/")])
def test_public_functions_are_described(name):
    tree = parse(name)
    for called, function in functions(tree):
        where = f"{name}:{function.lineno} {called}"
        docstring = ast.get_docstring(function)
        assert docstring, f"{where}: no docstring"
        if is_command(function):
            continue
        names = described(docstring)
        if names is None and name.endswith("_kernels.py"):
            # the same arrays go through many kernels, so the module's docstring may say what they are
            text = f"{ast.get_docstring(tree)} {docstring}"
            unnamed = [p for p in parameters(function) if not re.search(rf"\b{p}\b", text)]
            assert not unnamed, f"{where}: nothing says what {', '.join(unnamed)} is"
        elif names is None:
            assert len(parameters(function)) <= MANY + ("." in called), f"{where}: no Parameters section"
        else:
            assert names == parameters(function), f"{where}: described {names}, has {parameters(function)}"


def test_the_parser_of_docstrings():
    listed = "Parameters\n----------\na, b : int\n    Both.\n*rest : float\n    More.\n"
    assert described(f"Do it.\n\n{listed}\nReturns\n-------\nint\n") == ["a", "b", "*rest"]
    assert described("Do it.") is None
    function = ast.parse("def f(self, a, /, b, *rest, c=1, **more): pass").body[0]
    assert parameters(function) == ["a", "b", "*rest", "c", "**more"]
