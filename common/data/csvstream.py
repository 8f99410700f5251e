"""The cells of a CSV file that is read in pieces: all rows, or the distinct ones with their counts.

Rows take a byte per cell until a column has more than 256 labels, and the text is not kept; where equal rows may be
merged, memory grows with the distinct rows only.

One pass is enough, so standard input and compressed files are read like other files: codes are numbered in order of
appearance, and sorted when all labels are known. A piece ends with a line; the rest, a row that is cut off or blank
lines that may be the last, begins the next piece. If a row cannot be read, the reference parser (`common.data.csvtext`)
reports the reason.

Cost: reading 1 GB of one-digit cells, 50 in a row, takes about ten seconds.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DataError
from .csvstream_kernels import (
    ASKED,
    AT,
    BAD,
    BEGIN,
    COLUMN,
    CUT,
    DONE,
    END,
    FULL_CELLS,
    FULL_CODES,
    FULL_ROWS,
    NEW,
    NEWLINE,
    PENDING,
    SLOT,
    STATUS,
    Cells,
    KnownRows,
    place_cells,
    place_rows,
    read_rows,
)
from .csvtable import TopRows, top_rows
from .csvtext import (
    Raw,
    check_width,
    plain_lines,
    records,
    unmarked,
    utf8_text,
)
from .extra_columns import longer_first_row
from .preamble import Preamble, preamble

PIECE = 1 << 20  # bytes read at a time
_TAIL = 1 << 10
_SAMPLE = 1 << 22  # bytes of whole lines, by which the separator and the first rows are known
_FIRST_CAPACITY = 1 << 12  # rows, and cells


class CsvStream:
    """Reads a file, and counts its distinct rows or keeps all.

    Parameters
    ----------
    width
        Number of cells per row.
    source
        For messages.
    merge
        Whether to count the distinct rows; otherwise all are kept in their order.
    line
        Of the first row.

    Attributes
    ----------
    labels : list of dict of str to int
        The codes of each column.
    lines : list of list of int
        By column and code, the line of the row where a label first occurs, below the first row if it does.
    """

    def __init__(
        self,
        width: int,
        separator: str,
        source: str,
        merge: bool,
        line: int,
    ) -> None:
        self.width, self.separator, self.source = width, separator, source
        self.labels: list[dict] = [{} for _ in range(width)]
        self.lines: list[list] = [[] for _ in range(width)]
        self._first = self._line = line  # of the first row, and of the next one
        self._row, self._row_hash = np.zeros(width, np.int32), np.zeros(1, np.uint64)
        self._outcome = np.zeros(7, np.int64)
        self._cells, self._named = _no_cells(width), 0
        self._merges = merge
        self._rows = self._make_rows(_FIRST_CAPACITY, np.uint8)

    @property
    def codes(self) -> np.ndarray:
        """uint8 or int32[k, width]: the distinct rows, or all, in order of appearance."""
        return self._rows.codes[: self._rows.known[0]]

    @property
    def counts(self) -> np.ndarray | None:
        """int64[k]: how often each occurred; None if all rows are kept."""
        return self._rows.counts[: self._rows.known[0]] if self._merges else None

    @property
    def last_line(self) -> int:
        """Number of lines read."""
        return self._line - 1

    def read(self, text: bytes, most: int = 2**62, last: bool = False) -> int:
        """Read rows.

        Parameters
        ----------
        text
            Clean, whole lines.
        most
            Rows to read.
        last
            Whether nothing follows.

        Returns
        -------
        int
            Number of bytes read; the rest must be passed again, followed by the next bytes.

        Raises
        ------
        DataError
            A row that cannot be read.
        """
        data, outcome = np.frombuffer(text, np.uint8), self._outcome
        outcome[:] = 0
        while True:
            before, begun, line = int(self._rows.known[1]), int(outcome[AT]), self._line
            rows = self._cells, self._rows, self._row, self._row_hash
            read_rows(data, ord(self.separator), most, self._largest_code, *rows, outcome)
            status, at = int(outcome[STATUS]), int(outcome[AT])
            self._name_cells(data, begun, line)
            if at > begun:
                most -= int(self._rows.known[1]) - before
                self._line += text.count(b"\n", begun, at)
            if status == DONE or (status == CUT and not last):
                return at
            if status in (BAD, CUT):
                self._explain(text[at:])
            cell = int(outcome[BEGIN]), int(outcome[END])
            if status == FULL_ROWS:
                self._rows = self._make_rows(2 * len(self._rows.codes), self._rows.codes.dtype)
            if status == FULL_CODES:
                self._rows = self._make_rows(len(self._rows.codes), np.int32)
            if status == FULL_CELLS:
                self._cells = _with_room(self._cells, cell[1] - cell[0])
            if status == ASKED:
                self._set_code(int(outcome[COLUMN]), text[slice(*cell)])

    def first_row(self, text: bytes) -> int:
        """Read the first row, which may be a header and is not counted; returns its number of bytes."""
        done = self.read(text, most=1)
        self._rows.counts[:1] = 0
        self._cells.short[self._cells.short != NEW] = PENDING  # so that the first of them below is noticed
        self._cells.code[: self._cells.known[0]] = PENDING
        return done

    def _explain(self, text: bytes) -> None:
        """Raise the error of a malformed row."""
        raw = Raw(text.decode(), self.separator, self.source, self._line)
        for line, cells in records(raw):
            check_width(cells, self.width, self.source, line)
        raise AssertionError("the reference reads a row that the kernel does not")

    def _name_cells(self, data: np.ndarray, begun: int, line: int) -> None:
        """Keep labels and lines of the cells to which the kernel gave codes; a row began at `begun`, in `line`."""
        first, self._named = self._named, int(self._cells.known[0])
        if first == self._named:
            return
        new = slice(first, self._named)
        bounds, rows = self._cells.bounds[first : self._named + 1], self._cells.row[new]
        kept = self._cells.kept[bounds[0] : bounds[-1]].tobytes()
        ends = np.flatnonzero(data[begun : rows[-1]] == NEWLINE)
        lines = line + np.searchsorted(ends, rows - begun)
        numbered = zip(self._cells.column[new].tolist(), self._cells.code[new].tolist(), lines.tolist(), strict=True)
        begin = 0
        for (column, code, found), end in zip(numbered, (bounds[1:] - bounds[0]).tolist(), strict=True):
            if code != PENDING:
                self.labels[column][kept[begin:end].decode()] = code
                self.lines[column].append(found)
            begin = end

    def _set_code(self, column: int, cell: bytes) -> None:
        """The code of a cell with quotes inside or of one in the first row: its label may have one already."""
        label = cell.decode()
        if label.startswith('"'):
            label = label[1:-1].replace('""', '"')
        labels, lines = self.labels[column], self.lines[column]
        code = labels.setdefault(label, len(labels))
        if code == len(lines):
            lines.append(self._line)
        elif lines[code] == self._first:
            lines[code] = self._line
        if code > self._largest_code:
            self._rows = self._make_rows(len(self._rows.codes), np.int32)
        self._cells.codes[column] = len(labels)
        if len(cell) <= 1:
            self._cells.short[column, cell[0] if cell else 0] = code
        else:
            self._cells.code[self._cells.slots[self._outcome[SLOT]]] = code

    @property
    def _largest_code(self) -> int:
        """The largest code that fits the type of the rows."""
        return int(np.iinfo(self._rows.codes.dtype).max)

    def _make_rows(self, capacity: int, dtype: Any) -> KnownRows:
        """Arrays for `capacity` rows, with the known ones."""
        known = getattr(self, "_rows", None)
        rows = KnownRows(
            np.empty((capacity, self.width), dtype),
            np.empty(capacity if self._merges else 0, np.int64),
            np.empty(capacity if self._merges else 0, np.uint64),
            np.full(1 << (2 * capacity - 1).bit_length() if self._merges else 0, -1, np.int32),
            np.zeros(2, np.int64),
        )
        if known is not None:
            number = int(known.known[0])
            rows.known[:] = known.known
            for new, old in zip(rows[:3], known[:3], strict=True):
                new[:number] = old[:number]
            if self._merges:
                place_rows(rows)
        return rows


def _no_cells(width: int) -> Cells:
    """Cells of a table, none of which is known."""
    return Cells(
        np.full((width, 256), NEW, np.int32),
        np.full(2 * _FIRST_CAPACITY, -1, np.int32),
        np.zeros(_FIRST_CAPACITY, np.int32),
        np.zeros(_FIRST_CAPACITY + 1, np.int64),
        np.zeros(64 * _FIRST_CAPACITY, np.uint8),
        np.zeros(_FIRST_CAPACITY, np.int32),
        np.zeros(_FIRST_CAPACITY, np.int64),
        np.zeros(width, np.int32),
        np.zeros(1, np.int64),
    )


def _with_room(cells: Cells, size: int) -> Cells:
    """The same cells with room for another one of `size` bytes, and for as many as there are."""
    number, capacity = int(cells.known[0]), 2 * len(cells.code)
    used = int(cells.bounds[number])
    larger = cells._replace(
        slots=np.full(2 * capacity, -1, np.int32),
        column=_extended(cells.column, capacity),
        bounds=_extended(cells.bounds, capacity + 1),
        kept=_extended(cells.kept, max(len(cells.kept), 2 * used + size)),
        code=_extended(cells.code, capacity),
        row=_extended(cells.row, capacity),
    )
    place_cells(larger)
    return larger


def _extended(array: np.ndarray, size: int) -> np.ndarray:
    """The array with zeros behind it."""
    return np.concatenate([array, np.zeros(size - len(array), array.dtype)])


def read_stream(
    head: bytes, stream: Any, source: str, progress: Callable, separator: str, merge: bool, named: bool
) -> tuple[TopRows, CsvStream]:
    """Read a file in pieces.

    Parameters
    ----------
    head
        Its first bytes, more than a first row.
    stream : binary stream
        The rest.
    source
        For messages.
    progress : callable taking a float or None
        Called with the share of the file that is read, None if unknown.
    separator
        As in `common.data.reading.Reading`.
    merge
        Whether equal rows may be merged.
    named
        Whether the first row has the names of columns, and nothing is above it.

    Returns
    -------
    (TopRows, CsvStream)
        The first two rows, of which the first is not counted, and the stream.

    Raises
    ------
    DataError
        The shape of the file is wrong; with the line.
    """
    text, blanks = unmarked(head, source), b" \t\n"
    csv, buffer, size, ended = None, b"", PIECE, False
    while not ended:
        more = stream.read(size)
        ended = not more
        held = b"\r" if text.endswith(b"\r") and not ended else b""  # perhaps the first half of a line end
        line = 1 if csv is None else csv.last_line + 1
        text = plain_lines(text.removesuffix(held), source, line + buffer.count(b"\n"))
        buffer, text = buffer + text, held + more
        if csv is None:
            ready, _ = _whole_lines(buffer, blanks, ended)
            if not ready and not ended:
                continue
            if not ready:
                raise DataError("the file is empty", source, 1)
            above = Preamble(",") if named else preamble(utf8_text(_first_lines(ready), source), source, separator)
            sign = above.separator
            blanks = b" \n" if sign == "\t" else blanks
            buffer = above.cut(buffer)
            ready, _ = _whole_lines(buffer, blanks, ended)
            longer = longer_first_row(Raw(utf8_text(_first_lines(ready), source), sign, source))
            if longer is not None:
                first, lines = longer
                buffer = b"\n".join([first.encode(), *buffer.split(b"\n", lines)[lines:]])
                ready, _ = _whole_lines(buffer, blanks, ended)
            top = top_rows(Raw(utf8_text(_first_lines(ready), source), sign, source, above.line))
            csv = CsvStream(len(top.first), sign, source, merge, above.line)
            buffer = buffer[csv.first_row(ready) :]
        ready, rest = _whole_lines(buffer, blanks, ended)
        if not ready.isascii():
            utf8_text(ready, source, csv.last_line + 1)
        done = csv.read(ready, last=ended) if ready else 0
        buffer = ready[done:] + rest
        size = PIECE if done else 2 * size  # so that a long open quote is not scanned too often
        progress(_share(stream))
    assert csv is not None  # an empty file is refused
    return top, csv


def _whole_lines(buffer: bytes, blanks: bytes, ended: bool) -> tuple[bytes, bytes]:
    """Bytes up to the last line that is known not to be followed by blank lines only, and the rest."""
    if ended:
        kept = buffer.rstrip(blanks)
        return kept + b"\n" * bool(kept), b""
    tail = buffer[-_TAIL:].rstrip(blanks)  # without a copy of all, unless all of the tail is blank
    size = len(buffer) - min(len(buffer), _TAIL) + len(tail) if tail else len(buffer.rstrip(blanks))
    cut = buffer.rfind(b"\n", 0, size) + 1
    return buffer[:cut], buffer[cut:]


def _first_lines(text: bytes) -> bytes:
    """Whole lines from the beginning of whole lines, of `_SAMPLE` bytes or more."""
    return text[: text.find(b"\n", _SAMPLE) + 1 or len(text)]


def _share(stream: Any) -> float | None:
    """The share of a file that is read; None for a pipe."""
    with contextlib.suppress(OSError, AttributeError, ValueError):
        found = os.fstat(stream.fileno())
        if stat.S_ISREG(found.st_mode):
            return os.lseek(stream.fileno(), 0, os.SEEK_CUR) / max(1, found.st_size)
    return None
