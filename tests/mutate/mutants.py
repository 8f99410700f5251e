"""The mutants of a source file: texts that differ from it in one node of its syntax tree.

Changed are comparisons (to the one that differs at equality, and to the opposite), arithmetic and bit operators,
`and` and `or`, conditions (to their opposite), numbers (times 10, plus 1, and 0), truth values, returned values (to
None) and statements (left out: calls, `raise`, `continue`, `break`, updates). Strings stay as they are, since most
are for people, and so does what stands in f-strings.
"""

import ast
import math
from typing import NamedTuple

COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
CONDITIONS = {"test", "ifs", "values"}  # fields of branches, comprehensions, `and` and `or`


class Mutant(NamedTuple):
    """One change of a file: a text instead of the bytes from `start` to `end`.

    `first` and `last` are the lines, from 1, of the statement that is changed (of a compound one, its head);
    `in_function` says whether it runs when a function is called, rather than when the file is imported.
    """

    file: str
    start: int
    end: int
    text: str
    first: int
    last: int
    in_function: bool

    def applied(self, source):
        """The mutated file, bytes, from the bytes of the file."""
        return source[: self.start] + self.text.encode() + source[self.end :]

    def described(self, source):
        """One line for people, from the bytes of the file: where, what was there, what stands there now."""
        line = source.count(b"\n", 0, self.start) + 1
        before = " ".join(source[self.start : self.end].decode().split())
        return f"{self.file}:{line}: {before}  ->  {self.text}"


def mutants_of(file, source):
    """All mutants of a file.

    Parameters
    ----------
    file : str
        Its path, as it is to be reported.
    source : bytes
        Its text, in UTF-8.

    Returns
    -------
    list of Mutant
        In the order of the text.
    """
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    found = []

    def visit(node, field, statement, in_function):
        """Take up the changes of a node and of those below it."""
        if isinstance(node, ast.JoinedStr):  # the positions of its parts are wrong before Python 3.12
            return
        statement = node if isinstance(node, ast.stmt) else statement
        for text in _changes(node, field):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            found.append(Mutant(file, start, end, text, *_head(statement), in_function))
        is_function = isinstance(node, ast.FunctionDef | ast.Lambda)
        for name, value in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        visit(child, name, statement, in_function or (is_function and name == "body"))

    for node in ast.parse(source).body:
        visit(node, "body", node, False)
    return sorted(found)


def _head(statement):
    """First and last line of a statement, without the statements in it."""
    inner = [child.lineno for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]
    return statement.lineno, max(statement.lineno, min(inner) - 1) if inner else statement.end_lineno


def _changes(node, field):
    """The texts that may take a node's place; `field` is what the node is to the one above it."""
    match node:
        case ast.Compare(left, operators, right):
            for at, operator in enumerate(operators):
                for other in COMPARISONS[type(operator)]:
                    changed = [*operators[:at], other(), *operators[at + 1 :]]
                    yield f"({ast.unparse(ast.Compare(left, changed, right))})"
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
            yield f"({ast.unparse(ast.BinOp(left, OPERATORS[type(operator)](), right))})"
        case ast.BoolOp(operator, values):
            yield f"({ast.unparse(ast.BoolOp(OPERATORS[type(operator)](), values))})"
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(bool(value)):
            yield str(not value)
        case ast.Constant(int(value) | float(value)) if math.isfinite(value):
            yield from map(repr, sorted({value * 10, value + 1, 0} - {value}))
        case ast.Return(ast.expr() as value) if ast.unparse(value) != "None":
            yield "return None"
        case ast.Raise() | ast.Continue() | ast.Break() | ast.AugAssign() | ast.Expr(ast.Call()):
            yield "pass"
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call() if field in CONDITIONS:
            yield f"(not {ast.unparse(node)})"
