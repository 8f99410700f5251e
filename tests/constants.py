"""The constants of modules, and the tables of them in READMEs."""

import ast
import re

from tests.commands import ROOT

HEADING = "## Constants"
ROW = re.compile(r"\| `(\w+)\.py`: `([\w.]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|([^|]*)\|")
SETTINGS = {"Rules", "SeparationLimits"}  # classes whose defaults are such constants


def lines_of(folder):
    """The lines of a package's table."""
    section = (ROOT / folder / "README.md").read_text(encoding="utf-8").partition(f"{HEADING}\n")[2].split("\n## ")[0]
    return [line for line in section.splitlines() if line.startswith("| `")]


def assigned(text):
    r"""What a module assigns to names and as defaults of settings: yields (name, node of the value).

    >>> [(name, ast.unparse(value)) for name, value in assigned("A, B = 1, 2\nclass Rules:\n    a: int = 3")]
    [('A', '1'), ('B', '2'), ('Rules.a', '3')]
    """
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef) and node.name in SETTINGS:
            fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and one.value is not None]
            yield from ((f"{node.name}.{ast.unparse(one.target)}", one.value) for one in fields)
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from ((ast.unparse(one), value) for one, value in zip(target.elts, node.value.elts, strict=True))
            else:
                yield ast.unparse(target), node.value
