"""Lines above a table that are no rows: lines with `#`, blank lines, rows without any cell, and Excel's `sep=;`.

They are left out, and this is logged. If the last of the lines that begin with `#` has as many cells as
the row below it, none of them empty, it contains the names, as `# a,b,c` of numpy and `#CHROM` of others, unless the
row below is a row of names: more of its cells do not occur again in their columns than do. Excel's line names the
separator of the cells. Blank lines below them are left out, too.
"""

from __future__ import annotations

import logging
import re
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from ..errors import DataError
from ..files.header_words import SEPARATORS
from .csvtext import Raw, raw_text, records
from .csvwriter import quoted

LOG = logging.getLogger("cliquewise")
_SEPARATOR = re.compile(r'[ \t]*"?sep=(.)"?[,;|\t ]*\n', re.IGNORECASE)
_EMPTY = re.compile(r'(?:[ \t]|"")*[,;|](?:[,;| \t]|"")*\n')
_COMMENT = re.compile(r'[ \t]*"?#')
_SAMPLE_ROWS = 200


class Preamble(NamedTuple):
    """The lines above a table.

    separator : str, the separator of its cells
    lines : int, number of lines of the file above the first row, including that of the names
    names : str or None, the row of names that one of these lines contains
    """

    separator: str
    lines: int = 0
    names: str | None = None

    @property
    def line(self) -> int:
        """The line of the file where the first row is."""
        return self.lines + (self.names is None)

    def cut(self, text: bytes) -> bytes:
        """The beginning of a file, from the first row on."""
        if self.lines == 0:
            return text
        below = text.split(b"\n", self.lines)[self.lines]
        return below if self.names is None else self.names.encode() + b"\n" + below

    def raw(self, text: str, source: str) -> Raw:
        """A whole clean text, from the first row on."""
        below = self.cut(text.encode()).decode() if self.lines else text
        return replace(raw_text(below, source, _named(self.separator, source)), line=self.line)


def preamble(text: str, source: str, separator: str) -> Preamble:
    """The lines above a table, and the separator of its cells.

    Parameters
    ----------
    text
        Clean, from the beginning of a file; the first rows are enough.
    separator
        As in `common.data.reading.Reading`.

    Raises
    ------
    DataError
        Nothing below, or a separator that is not read.
    """
    above = _lines_above(text)
    if above.end == 0:
        return Preamble(raw_text(text, source, separator).separator)
    if above.separator is not None and separator == "auto":
        separator = _named(above.separator, source)
    lines = text.count("\n", 0, above.end)
    if above.end >= len(text):
        raise DataError("no row below the lines at the top", source, lines)
    raw = raw_text(text[above.end :], source, separator)
    cells = _names(above.comments[-1], raw) if above.comments else []
    left_out = {
        "lines that begin with #": len(above.comments) - bool(cells),
        "rows without cells": above.empty,
        "blank lines": above.blank,
    }
    for what, count in left_out.items():
        if count:
            LOG.info("%s: %s left out above the table: %d", source, what, count)
    if not cells:
        return Preamble(raw.separator, lines)
    if not cells[0].startswith("#"):
        LOG.info("%s: line %d holds the names, after its #", source, lines)
    return Preamble(raw.separator, lines, raw.separator.join(map(quoted, cells)))


class _LinesAbove(NamedTuple):
    """The lines above a table.

    end : int, where the table begins
    separator : str or None, that of a first line sep=
    comments : list of str, lines that begin with #
    empty, blank : int, rows without cells, and lines of blanks
    """

    end: int
    separator: str | None
    comments: list[str]
    empty: int
    blank: int


def _lines_above(text: str) -> _LinesAbove:
    """The lines at the beginning of a text that are above its table."""
    separator: str | None = None
    comments: list[str] = []
    begin, empty, blank = 0, 0, 0
    while begin < len(text):
        end = text.find("\n", begin) + 1 or len(text)
        line = text[begin:end]
        stated = _SEPARATOR.fullmatch(line) if begin == 0 else None
        if stated:
            separator = stated[1]
        elif _COMMENT.match(line):
            comments.append(line)
        elif _EMPTY.fullmatch(line):
            empty += 1
        elif line.strip():
            break
        else:
            blank += 1
        begin = end
    return _LinesAbove(begin, separator, comments, empty, blank)


def _named(sign: str, source: str) -> str:
    """The name of a separator."""
    for name, known in SEPARATORS.items():
        if known == sign:
            return name
    raise DataError(f"sep={sign}: cells can be separated by {', '.join(SEPARATORS)}", source, 1)


def _names(line: str, raw: Raw) -> list[str]:
    """The names that a line after a # contains; none if it contains none."""
    try:
        (_, (first, *others)), *_ = records(Raw(line.strip() + "\n", raw.separator, raw.source))
        (_, below), *rows = islice(records(raw), _SAMPLE_ROWS)
    except (DataError, ValueError):  # the reader reports it
        return []
    cells = [first.lstrip("# \t") or first.strip(), *others]
    if raw.separator == " " and first.strip() == "#":
        cells = others
    if len(cells) != len(below) or len(cells) < 2 or "" in cells:
        return []
    again = sum(any(cell == row[v] for _, row in rows if len(row) == len(below)) for v, cell in enumerate(below))
    return cells if 2 * again >= len(below) else []
