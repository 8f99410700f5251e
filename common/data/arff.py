"""Weka's .arff files: `@relation`, `@attribute` lines and `@data`, with rows or sparse rows.

Nominal attributes declare states: those that no row has count, their order is kept, and another word is refused with
its line. `?` without quotes is a missing cell; in quotes it is a word. A cell that a sparse row leaves out is 0, of a
nominal attribute its first state. Numbers, dates and text are cells as in a CSV. Comments begin with `%`.

Format: https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..counted import counted
from ..errors import DataError
from .csvtable import CsvTable, coded_table

_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|%[^\n]*\n)*@relation\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""@attribute\s+("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s{]+)\s*(.*)""", re.IGNORECASE)
_CELL = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|((?:[^,\t"'][^,\t]*?)?))\s*(?:([,\t])|$)""")
_ESCAPE = re.compile(r"\\(.)")
_NUMBERS = ("numeric", "real", "integer")


def is_arff(head: bytes) -> bool:
    """Whether a file begins as an .arff does."""
    return _BEGIN.match(head[: 1 << 16]) is not None


def arff_table(text: str, source: str) -> CsvTable:
    """The table of a file, with declared states.

    Parameters
    ----------
    text
        Clean.
    source
        For messages.

    Raises
    ------
    DataError
        Anything that is not in the format, or relational attributes, or weights of rows; with the line.
    """
    names: list[str] = []
    states: dict[str, tuple[str, ...]] = {}
    absent: list[str] = []  # of each attribute, the value that a sparse row leaves out
    columns: list[list[str]] = []
    lines = [1]  # of the names, which are on several, and of each row
    in_data = False
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if in_data:
            row = _row(line, absent, (source, number))
            for column, cell in zip(columns, row, strict=True):
                column.append(cell)
            lines.append(number)
        elif line.lower().startswith("@attribute"):
            name, declared, zero = _attribute(line, (source, number))
            names.append(name)
            absent.append(zero)
            if declared:
                states[name] = declared
        elif re.match(r"@data\b", line, re.IGNORECASE) and names:
            in_data, columns = True, [[] for _ in names]
        elif not re.match(r"@relation\b", line, re.IGNORECASE):
            raise DataError("expected @attribute" + " or @data" * bool(names), source, number)
    if not in_data:
        raise DataError("no @data", source)
    return coded_table(source, names, columns, np.array(lines))._replace(declared=states)


def _attribute(line: str, where: tuple[str, int]) -> tuple[str, tuple[str, ...], str]:
    """The name of an attribute, its states if it is nominal, and the cell that a sparse row leaves out."""
    found = _ATTRIBUTE.fullmatch(line)
    if found is None or not found[2]:
        raise DataError("an attribute without a name or a type", *where)
    name, kind = _unquoted(found[1]), found[2].strip()
    if not kind.startswith("{"):
        word = kind.split()[0].lower()
        if word not in (*_NUMBERS, "string", "date"):
            known = "numeric, string, date and {states} are read"
            raise DataError(f"attributes of type {word} cannot be columns; {known}", *where)
        return name, (), "0" if word in _NUMBERS else ""
    if not kind.endswith("}"):
        raise DataError("states without a } at their end", *where)
    labels = [label for label, _ in _cells(kind[1:-1], where)]
    twice = next((label for k, label in enumerate(labels) if label in labels[:k]), None)
    if twice is not None or labels == [""]:
        raise DataError("no states" if twice is None else f"the state '{twice}' twice", *where)
    return name, tuple(labels), labels[0]


def _row(line: str, absent: list[str], where: tuple[str, int]) -> list[str]:
    """The cells of a row, empty where they are missing."""
    if not line.startswith("{"):
        row = ["" if cell == "?" and not quoted else cell for cell, quoted in _cells(line, where)]
        if len(row) == len(absent) + 1 and re.fullmatch(r"\{[^{}]*\}", row[-1]):
            raise DataError("a weight of the row, which is not read; write it as a column, and use --counts", *where)
        if len(row) != len(absent):
            raise DataError(f"{counted(len(row), 'cell')}; there are {len(absent)} attributes", *where)
        return row
    if not line.endswith("}"):
        raise DataError("a sparse row without a } at its end", *where)
    row = list(absent)
    for entry in _entries(line[1:-1].strip()):
        place, _, rest = entry.strip().partition(" ")
        if not (place.isascii() and place.isdigit() and int(place) < len(row) and rest.strip()):
            raise DataError(f"'{entry.strip()}' is not the number of an attribute with a cell", *where)
        ((cell, quoted),) = _cells(rest, where)
        row[int(place)] = "" if cell == "?" and not quoted else cell
    return row


def _entries(inside: str) -> Iterator[str]:
    """The parts between commas that are not in quotes."""
    begin = 0
    for found in re.finditer(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|,|$""", inside):
        if found[0] in (",", ""):
            if inside[begin : found.start()].strip():
                yield inside[begin : found.start()].replace("\t", " ")
            begin = found.end()


def _cells(text: str, where: tuple[str, int]) -> Iterator[tuple[str, bool]]:
    """The cells of a list, with whether they were in quotes."""
    begin, more = 0, ","
    while more:
        found = _CELL.match(text, begin)
        if found is None:
            raise DataError("a quote that is never closed, or text after one", *where)
        double, single, plain, more = found.groups()
        quoted = double if single is None else single
        yield (plain if quoted is None else _ESCAPE.sub(r"\1", quoted)), quoted is not None
        begin = found.end()


def _unquoted(word: str) -> str:
    """A name without its quotes."""
    return _ESCAPE.sub(r"\1", word[1:-1]) if word[0] in "\"'" else word
