"""The syntax trees of the project's files, which several tests read: each file is parsed once in a process."""

import ast
from functools import cache

from tests.commands import ROOT


def nodes_of(path):
    """All nodes of a Python file, from the outermost to the innermost; the path may be from the project's folder."""
    return _nodes_of(ROOT / path)


@cache
def _nodes_of(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def dotted_name(node):
    """The name that an expression is, `a` or `a.b.c`; of others, what follows their last point."""
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""
