"""Bayesian networks from BIF files, the interchange format of the public network repositories.

    network NAME { ... }
    variable NAME { type discrete [ 2 ] { yes, no }; ... }
    probability ( NAME | PARENT, PARENT ) { (yes, no) 0.1, 0.9; default 0.5, 0.5; }
    probability ( NAME ) { table 0.2, 0.8; }

Version 0.15 of the format, discrete variables. Names are words or quoted; blanks, commas and `|` are equivalent
separators; comments `// ...` and `/* ... */` and `property ...;` are skipped. A row in brackets names a state of each
parent and lists the probabilities of the variable's states; `default` applies to all rows not listed. `table` lists all
numbers in the order of the head, with the last variable changing fastest: all rows of the first state, then of the
second. Rows whose sum differs from 1 by at most 0.01, the rounding of printed numbers, are scaled, with a warning if
their decimals do not explain it; other sums are refused. Comments that give the original of a shortened name are used
(`common.models.bif_names`). R's bnlearn writes states without quotes that have blanks, brackets or commas (`[0,1)`):
`common.models.bif_states` separates them.

A file of 500,000 numbers takes about a third of a second.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from ..counted import counted
from ..errors import DataError
from .bayesnet import BayesianNetwork, check_acyclic
from .bif_names import with_original_names
from .bif_states import states_listed, states_named
from .probabilities import ROUNDING, TINY, numbers_of, scaled_table, sums_to_one, without_negatives

_MAX_NUMBERS = 10**8
_COMMENT = re.compile(r'"[^"]*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
# blanks are those of ASCII: others belong to names
_BETWEEN = re.compile(r"[\s,|]*", re.ASCII)
_TOKEN = re.compile(r'[\s,|]*("[^"]*"|[{}()\[\];]|[^\s,|{}()\[\];"]+)', re.ASCII)
_STATEMENT = re.compile(r'((?:[^;"{}]++|"[^"]*")*+);')
_LABELS = re.compile(r'((?:[^;"{}]++|"[^"]*")*+)\}')
_PLAIN = re.compile(r"[\w.+-]+")


def parse_bif(text: str, path: str = "-") -> BayesianNetwork:
    """The network in the text of a BIF file.

    Returns
    -------
    BayesianNetwork
        Variables in the order of the file.

    Raises
    ------
    DataError
        Malformed, not discrete, incomplete or cyclic; with the line.
    """
    scanner = _Scanner(_COMMENT.sub(_blank_comment, text), path)
    variables: dict[str, _Variable] = {}
    blocks: dict[str, _Block] = {}
    while (word := scanner.word_or_end()) is not None:
        if word == "network":
            scanner.block({})
        elif word == "variable":
            _read_variable(scanner, variables)
        elif word == "probability":
            _read_probability(scanner, blocks)
        else:
            raise scanner.error(f"found '{word}', expected 'network', 'variable' or 'probability'")
    if not variables:
        raise DataError("no 'variable' in it; expected a BIF file", path)
    names = tuple(variables)
    number = {name: v for v, name in enumerate(names)}
    for block in blocks.values():
        for name in (block.name, *block.parents):
            if name not in number:
                raise scanner.error(f"unknown variable '{name}'", block.at)
    for name, variable in variables.items():
        if name not in blocks:
            raise scanner.error(f"variable '{name}' has no 'probability'", variable.at)
    network = BayesianNetwork(
        names,
        tuple(tuple(variables[name].codes) for name in names),
        tuple(tuple(number[parent] for parent in blocks[name].parents) for name in names),
        tuple(_table(scanner, blocks[name], variables) for name in names),
    )
    check_acyclic(network, path)
    return with_original_names(network, text)


@dataclass
class _Variable:
    """A variable's states, {label: code}, and its position."""

    at: int
    codes: dict[str, int] = field(default_factory=dict)


@dataclass
class _Block:
    """A `probability` block as written: rows are (position, states or keyword, whether states, numbers)."""

    at: int
    name: str
    parents: list
    rows: list


class _Scanner:
    """Tokens of a text in sequence, with their lines."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path, self.next, self.at = text, path, 0, 0

    def error(self, message: str, at: int | None = None) -> DataError:
        """A DataError at a position; the last token if none is given."""
        return DataError(message, self.path, self.text.count("\n", 0, self.at if at is None else at) + 1)

    def word(self) -> str:
        """The next token without quotes."""
        found = self.word_or_end()
        if found is None:
            raise self.error("the file ends inside a block; is it complete?")
        return found

    def word_or_end(self) -> str | None:
        """The next token without quotes; None at the end."""
        match = _TOKEN.match(self.text, self.next)
        if match is None:
            between = _BETWEEN.match(self.text, self.next)
            left = self.next if between is None else between.end()
            self.at = min(left, len(self.text.rstrip()))
            if left < len(self.text):
                raise self.error("a quote that is never closed")
            return None
        self.at, self.next = match.start(1), match.end()
        return match[1].strip('"')

    def expect(self, *tokens: Any) -> None:
        """Skip these tokens."""
        for token in tokens:
            if (found := self.word()) != token:
                raise self.error(f"found '{found}', expected '{token}'")

    def words(self, end: str) -> list[str]:
        """All tokens up to a closing bracket."""
        found = []
        while (word := self.word()) != end:
            if word in "{}()[];":
                raise self.error(f"found '{word}', expected '{end}'")
            found.append(word)
        return found

    def statement(self) -> str:
        """The text up to the next semicolon."""
        match = _STATEMENT.match(self.text, self.next)
        if match is None:
            raise self.error("a statement without a semicolon at its end")
        self.next = match.end()
        return match[1]

    def labels(self) -> str:
        """The text up to the next brace, which closes a list of states."""
        match = _LABELS.match(self.text, self.next)
        if match is None:
            return " ".join(self.words("}"))  # which raises the error
        self.next = match.end()
        return match[1]

    def block(self, readers: dict[str, Callable]) -> None:
        """A block in braces; text before it is skipped; `readers[keyword](word)` reads a statement."""
        while self.word() != "{":
            pass
        while (word := self.word()) != "}":
            if word in readers:
                readers[word](word)
            elif word == "property":
                self.statement()
            else:
                expected = ", ".join(f"'{keyword}'" for keyword in (*readers, "property", "}"))
                raise self.error(f"found '{word}', expected one of {expected}")


def _blank_comment(match: Any) -> str:
    """A comment as line breaks only, so that lines keep their numbers; a quoted word unchanged."""
    return match[0] if match[0].startswith('"') else " " + "\n" * match[0].count("\n")


def _read_variable(scanner: _Scanner, variables: dict[str, _Variable]) -> None:
    """`NAME { type discrete [ r ] { state, ... }; }`."""
    name = scanner.word()
    if name in variables:
        raise scanner.error(f"variable '{name}' is declared a second time")
    variable = variables[name] = _Variable(scanner.at)

    def read_type(_keyword: str) -> None:
        if (kind := scanner.word()) != "discrete":
            raise scanner.error(f"variable '{name}' is of type '{kind}'; only discrete ones can be sampled")
        scanner.expect("[")
        announced = scanner.word()
        scanner.expect("]", "{")
        labels = states_listed(scanner.labels(), announced)
        variable.codes = {label: code for code, label in enumerate(labels)}
        if announced != str(len(labels)):
            raise scanner.error(f"variable '{name}' has {counted(len(labels), 'state')}, announced were {announced}")
        if not labels or len(variable.codes) < len(labels):
            raise scanner.error(f"variable '{name}' has no states, or two of the same name")
        scanner.expect(";")

    scanner.block({"type": read_type})
    if not variable.codes:
        raise scanner.error(f"variable '{name}' has no 'type'", variable.at)


def _read_probability(scanner: _Scanner, blocks: dict[str, _Block]) -> None:
    """`( NAME | PARENT, ... ) { rows }`."""
    scanner.expect("(")
    family = scanner.words(")")
    if not family:
        raise scanner.error("a probability of no variable")
    block = _Block(scanner.at, family[0], family[1:], [])
    if len(set(family)) < len(family):
        raise scanner.error("a variable is named twice in one 'probability'")
    if block.name in blocks:
        raise scanner.error(f"variable '{block.name}' has a second 'probability'")
    blocks[block.name] = block

    def read_row(keyword: str) -> None:
        at, text = scanner.at, scanner.statement()
        states, bracket, values = text.rpartition(")") if keyword == "(" else (None, ")", text)
        if not bracket:
            raise scanner.error("a row of states without a bracket at its end", at)
        try:
            numbers = numbers_of(values.replace(",", " ").replace("|", " ").split())
        except ValueError as error:
            raise scanner.error(str(error), at) from None
        block.rows.append((at, keyword if states is None else states, keyword == "(", numbers))

    scanner.block({"(": read_row, "table": read_row, "default": read_row})


def _table(scanner: _Scanner, block: _Block, variables: dict[str, _Variable]) -> np.ndarray:
    """float64[q, r] of a block, each row summing to 1."""
    arity = len(variables[block.name].codes)
    parents = [variables[name].codes for name in block.parents]
    n_rows = math.prod(map(len, parents))
    if n_rows * arity > _MAX_NUMBERS:
        raise scanner.error(f"{n_rows * arity} probabilities for '{block.name}', at most {_MAX_NUMBERS}", block.at)
    table, listed_at = _listed_rows(scanner, block, parents, np.zeros((n_rows, arity)))
    odd = ~((table >= -TINY) & (table <= 1 + ROUNDING))
    if odd.any():
        row = int(odd.any(axis=1).argmax())
        raise scanner.error(f"{table[row][odd[row]][0]:g} is not a probability", int(listed_at[row]))
    if (listed_at < 0).any():
        what = f"row {_states_of(int((listed_at < 0).argmax()), parents)}" if parents else "table"
        raise scanner.error(f"'{block.name}' has no {what} and no default", block.at)
    table = without_negatives(table, scanner.path, block.name)
    sums = table.sum(axis=1)
    wrong = ~sums_to_one(sums)
    if wrong.any():
        row = int(wrong.argmax())
        found = f"probabilities of '{block.name}' sum to {sums[row]:.6g}, must be 1"
        raise scanner.error(found, int(listed_at[row]))
    given = [(parent, [*codes]) for parent, codes in zip(block.parents, parents, strict=True)]
    return scaled_table(table, scanner.path, block.name, given)


def _listed_rows(
    scanner: _Scanner, block: _Block, parents: list[dict[str, int]], table: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The table, float64[q, r], with the rows that a block lists, and their places in the text: int64[q], -1: none."""
    n_rows, arity = table.shape
    whole: tuple[int, list] | None = None
    default: tuple[int, list] | None = None
    listed: dict[int, tuple[int, list]] = {}  # by row
    usual = _usual_texts(parents) if 2 * len(block.rows) > n_rows else {}
    for at, states, by_states, numbers in block.rows:
        is_whole = not by_states and states == "table"
        expected = n_rows * arity if is_whole else arity
        if len(numbers) != expected:
            found = counted(len(numbers), "probability", "probabilities")
            raise scanner.error(f"{found} for '{block.name}', expected {expected}", at)
        if not by_states and not is_whole:
            default = at, numbers
            continue
        row = -1
        if by_states:
            row = usual[states] if states in usual else _row_number(scanner, block, parents, at, states)
        if whole is not None or row in listed or (is_whole and listed):
            raise scanner.error(f"a second row for the same states of the parents of '{block.name}'", at)
        if is_whole:
            whole = at, numbers
        else:
            listed[row] = at, numbers
    listed_at = np.full(n_rows, -1)
    if whole is not None:
        listed_at[:], table[:] = whole[0], np.reshape(whole[1], (arity, n_rows)).T
    elif default is not None:
        listed_at[:], table[:] = default
    if listed:
        rows = np.fromiter(listed, np.int64, len(listed))
        listed_at[rows], table[rows] = [at for at, _ in listed.values()], [numbers for _, numbers in listed.values()]
    return table, listed_at


def _usual_texts(parents: list[dict[str, int]]) -> dict[str, int]:
    """The row of each text of states as most programs write it; none where a state is more than a word."""
    if not all(_PLAIN.fullmatch(label) for codes in parents for label in codes):
        return {}
    return {", ".join(labels): row for row, labels in enumerate(product(*parents))}


def _row_number(scanner: _Scanner, block: _Block, parents: list[dict[str, int]], at: int, text: str) -> int:
    """The row of some states of the parents, the last one changing fastest."""
    states = states_named(text, parents)
    if len(states) != len(parents):
        raise scanner.error(
            f"{counted(len(states), 'state')} for {counted(len(parents), 'parent')} of '{block.name}'", at
        )
    row = 0
    for name, codes, state in zip(block.parents, parents, states, strict=True):
        if state not in codes:
            raise scanner.error(f"unknown state '{state}' of '{name}'", at)
        row = row * len(codes) + codes[state]
    return row


def _states_of(row: int, parents: list[dict[str, int]]) -> str:
    """The states of the parents in a row, as they would be written."""
    states = []
    for codes in reversed(parents):
        row, code = divmod(row, len(codes))
        states.append(list(codes)[code])
    return f"({', '.join(reversed(states))})"
