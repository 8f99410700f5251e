"""The text of a CSV file and its cells: the reference parser.

Cells are separated by commas, semicolons, tabs, `|` or runs of blanks. `find_separator` takes what gives the same
number of cells in every row, and the most of them.
A cell may be quoted (`"a ""b"", c"`, line breaks too). Blanks around a cell are dropped, those inside its
quotes stay. CRLF, a lone CR and a byte order mark are accepted. Blank lines at the end are ignored; elsewhere
they are errors. In a file separated by tabs, a line of tabs only is a row of empty cells, also at the end.

`records` knows all line numbers and raises all errors about the shape of a file; `common.data.csvstream` is faster and
reads the same files.
"""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ..counted import counted
from ..errors import DataError
from ..files.decoding import byte_order_mark
from ..files.header_words import SEPARATORS

QUOTED = r'"([^"]*+(?:""[^"]*+)*+)"'
_SAMPLE_ROWS, _SAMPLE_CELLS = 50, 50_000

LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class Raw:
    """The source of rows: clean text (see `clean`), its separator, the file name, and the line where it begins."""

    text: str
    separator: str
    source: str
    line: int = 1


def raw_text(text: str, source: str, separator: str) -> Raw:
    """Clean text with its separator; unless that is the tab, lines of tabs at the end are blank lines.

    Parameters
    ----------
    separator
        A key of `common.files.header_words.SEPARATORS`, or auto.
    """
    ended = text.rstrip(" \t\n") + "\n"
    separator = find_separator(ended, source) if separator == "auto" else SEPARATORS[separator]
    return Raw(text if separator == "\t" else ended, separator, source)


_ADVICE = "save the file as UTF-8, in Excel as CSV UTF-8, or with iconv -f {} -t UTF-8"


def clean(data: bytes, source: str) -> str:
    """Text without NUL and byte order mark, LF at the end of each line, no blank line last; tabs stay."""
    data = plain_lines(unmarked(data, source), source)
    if not data.strip(b" \t\n"):
        raise DataError("the file is empty", source, 1)
    data = data.rstrip(b" \n") + b"\n"
    return utf8_text(data, source)


def unmarked(data: bytes, source: str) -> bytes:
    """The beginning of a file (bytes) without its byte order mark."""
    length, encoding = byte_order_mark(data)
    if encoding not in (None, "utf-8"):
        name = encoding[: len("UTF-16")].upper()
        raise DataError(f"{name} text; " + _ADVICE.format(name), source, 1)
    return data[length:]


def plain_lines(data: bytes, source: str, line: int = 1) -> bytes:
    """Bytes with LF at the end of each line.

    Parameters
    ----------
    source
        For messages.
    line
        Number of the first line.

    Raises
    ------
    DataError
        The bytes contain NUL.
    """
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataError("a NUL byte; is this a text file?", source, line + data.count(b"\n", 0, nul))
    return data


def utf8_text(data: bytes, source: str, line: int = 1) -> str:
    """Bytes as text.

    Parameters
    ----------
    data, source, line : as for `plain_lines`

    Raises
    ------
    DataError
        They are not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} is not UTF-8; " + _ADVICE.format("CP1252")
        raise DataError(found, source, line + data.count(b"\n", 0, error.start)) from None


def check_width(cells: list[str], width: int, source: str, line: int) -> None:
    """Refuse a row whose number of cells differs from that of the first.

    Parameters
    ----------
    width
        Cells of the first row.
    line
        Line of the row, for the message.

    Raises
    ------
    DataError
        The number of cells differs.
    """
    if len(cells) != width:
        found = "a blank line" if cells == [""] else counted(len(cells), "cell")
        advice = "mend it, or remove what is above or below the table"
        raise DataError(f"{found}; the first row has {counted(width, 'cell')}; {advice}", source, line)


def records(raw: Raw) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of each row, cells stripped and unquoted; ragged rows pass."""
    has_blanks = " " in raw.text or ("\t" in raw.text and raw.separator != "\t")
    if has_blanks or '"' in raw.text:
        yield from _difficult_records(raw)
        return
    for line, row in enumerate(io.StringIO(raw.text, newline="\n"), raw.line):
        yield line, row[:-1].split(raw.separator)


def _difficult_records(raw: Raw) -> Iterator[tuple[int, list[str]]]:
    """`records` of a text with quotes or blanks: five times slower."""
    separator, line = raw.separator, raw.line
    blank = " *" if separator == "\t" else r"[ \t]*"
    plain = r"[^ \t\n]*" if separator == " " else rf"[^{separator}\n]*"
    end = r"[ \t]*\n|[ \t]+" if separator == " " else rf"{re.escape(separator)}|\n"
    first_line, cells = line, []
    for match in re.finditer(f"{blank}(?:{QUOTED}{blank}|({plain}))({end})", raw.text):
        quoted, unquoted, terminator = match.groups()
        if quoted is not None:
            line += quoted.count("\n")
            cells.append(quoted.replace('""', '"'))
        elif unquoted.startswith('"'):
            closed = re.compile(QUOTED).match(raw.text, match.start(2))
            found = "text after a closing quote; write a quote inside quotes twice"
            raise DataError(found if closed else "a quote that is never closed", raw.source, line)
        else:
            cells.append(unquoted.rstrip(" \t"))
        if terminator[-1] == "\n":
            yield first_line, cells
            line += 1
            first_line, cells = line, []


def find_separator(text: str, source: str) -> str:
    """The separator that gives the same number of cells in every row, and the most cells.

    If none does, it is the one on which the first rows agree best, so that the other rows can be named; blanks only if
    the first row has none of the others.

    Raises
    ------
    DataError
        Two of them give the same number of cells.
    """
    name_of = {sign: name for name, sign in SEPARATORS.items()}
    *visible, blank = name_of
    shares = {sign: _agreement(text, sign, source) for sign in visible}
    even = {sign: width for sign, (share, width) in shares.items() if share == 1}
    if len(even) > 1:  # rare: then all rows are examined, not only the first
        wholly = {sign: width for sign, width in even.items() if _agreement(text, sign, source, None)[0] == 1}
        even = wholly or even
    best = max(visible, key=lambda sign: (even.get(sign, 0), shares[sign][0]))
    tied = [name_of[sign] for sign in visible if sign in even and even[sign] == even[best]]
    if len(tied) > 1:
        found = f"{' and '.join(tied)} as separator both give {even[best]} cells in every row"
        raise DataError(f"{found}; choose with --separator", source)
    if shares[best][0] == 0:
        best = blank if _agreement(text, blank, source)[0] else ","
    others = [f"{name_of[sign]} would give {width}" for sign, width in even.items() if sign != best]
    if best != "," or others:
        alternatives = f"; {', '.join(others)} (--separator)" if others else ""
        LOG.info("%s: cells are separated by %ss%s", source, name_of[best], alternatives)
    return best


def _agreement(text: str, separator: str, source: str, rows: int | None = _SAMPLE_ROWS) -> tuple[float, int]:
    """The share of the first rows (None: all) with as many cells as the first, 0 if that has one; and that number."""
    widths: Counter[int] = Counter()
    cells = 0
    first = 0
    try:
        for _, row in islice(records(Raw(text, separator, source)), rows):
            first = first or len(row)
            widths[len(row)] += 1
            cells += len(row)
            if rows is not None and cells > _SAMPLE_CELLS and widths.total() > 1:
                break
    except DataError:  # with this separator the quotes are invalid
        widths[0] += 1
    if first > 1 and widths[first + 1] == widths.total() - 1 >= 2:  # without a name for row names
        return 1.0, first + 1
    return (widths[first] / widths.total() if first > 1 else 0), first
