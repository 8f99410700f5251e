"""Discrete data from a CSV file, as `Dataset`; what cannot be read safely is refused with file and line.

Cells are separated by commas, semicolons, tabs or runs of blanks, found by trying them on the first rows.
A cell may be quoted (`"a ""b"", c"`, line breaks too). Blanks around a cell are dropped, those inside its
quotes stay. CRLF, a lone CR and a byte order mark are accepted. Blank lines at the end are ignored; elsewhere
they are errors. Between tabs a line of nothing but tabs is a row of empty cells, at the end as elsewhere.

**States** are any text; `common.data.states` has their order. A cell that is empty, `?` or `NA`, quoted or not, is
missing.

**Header.** `auto` takes a first row of nothing but numbers for data, unless they are all different and no column has a
number below. Otherwise each column votes: for data if
its first cell occurs again below; for a header if it does not, though the labels below repeat (at least two
rows a label) or are all numbers and it is none; else it abstains. A tie goes to the header. If all abstain,
names that are all different make a header.

**Two paths.** `_records` is the reference: one pattern, cell by cell; it knows the line of everything and
raises every error about the shape of a file. `_encode_fast` hides the separators inside quotes, splits whole
blocks, and looks into a cell only when it meets its text for the first time; at anything it does not
understand it gives up, and the reference reads the file. 100 MB of one-digit cells take 4 s and 0.6 GB on one
core; the reference needs about 0.6 microseconds a cell.
"""

import logging
import re
from dataclasses import dataclass
from itertools import islice

import numpy as np

from cliquewise.common.data.states import MISSING, is_number, ordered_dataset, warn_of_states
from cliquewise.common.errors import DataError
from cliquewise.common.files.input_stream import opened

_SEPARATORS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "blanks"}
_QUOTED = r'"([^"]*+(?:""[^"]*+)*+)"'
_QUOTED_BYTES = re.compile(_QUOTED.encode())
_SAMPLE_ROWS, _SAMPLE_CELLS = 50, 50_000
_REFERENCE_ROWS = 4096
_BLOCK_BYTES = 1 << 22
# While a block is split, bytes that no UTF-8 text contains stand for these characters inside quotes.
_SHOWN, _HIDDEN = b",;\t \n", b"\xf5\xf6\xf7\xf8\xf9"
_HIDE = np.frombuffer(bytes.maketrans(_SHOWN, _HIDDEN), dtype=np.uint8)
_SHOW = bytes.maketrans(_HIDDEN, _SHOWN)

log = logging.getLogger("cliquewise")


def read_csv(path, header="auto", missing="refuse", *, min_rows=2, min_columns=2, warn=True, tell=lambda share: None):
    """Read a table of discrete data.

    Parameters
    ----------
    path : str or os.PathLike
        The file; `-` is standard input.
    header : {"auto", "yes", "no"}
        Whether the first row holds the names; "auto" decides and logs it. Without a header the names are
        V0, V1, ...
    missing : {"refuse", "state", "drop"}
        Missing cells are an error, a state of their own (the last one, `?`), or reason to leave the row out
        (logged).
    min_rows, min_columns : int
        Smaller tables are refused; rows are counted without the header and after rows are left out.
    warn : bool
        Whether to say which columns are hardly meant as they are.
    tell : callable taking a float
        Told the share of the file that is read.

    Returns
    -------
    Dataset
        Constant columns are kept.

    Raises
    ------
    DataError
        One line with file, line and column as far as known.
    """
    if header not in ("auto", "yes", "no") or missing not in ("refuse", "state", "drop"):
        raise ValueError(f"header={header!r}, missing={missing!r}: the docstring has the choices")
    source = str(path)
    with opened(source) as stream:
        text = _clean(stream.read(), source)
    raw = _raw(text, source)
    first_line, first = next(_records(raw))
    if len(first) < min_columns:
        raise DataError(
            f"columns found: {len(first)}, needed: at least {min_columns}, separated by comma, "
            "semicolon, tab or blanks",
            source,
            first_line,
        )
    labels, codes = _encode(raw, len(first), tell)

    skip = _has_header(first, labels, codes, source) if header == "auto" else header == "yes"
    names = _header_names(first, source) if skip else tuple(f"V{v}" for v in range(len(first)))
    rows = codes[1:] if skip else codes
    if len(rows) == 0:
        raise DataError("a header and no data", source, first_line)
    lacking = _missing_cells(labels, rows)
    if missing == "refuse" and lacking.any():
        raise _missing_error(raw, names, labels, rows, lacking)
    if missing == "drop" and lacking.any():
        incomplete = lacking.any(axis=1)
        log.warning("%s: rows with missing cells left out: %d of %d", source, incomplete.sum(), len(rows))
        rows = rows[~incomplete]
    if len(rows) < min_rows:
        last_line = text.count("\n")
        raise DataError(f"data rows found: {len(rows)}, needed: at least {min_rows}", source, last_line)
    data = ordered_dataset(names, labels, rows, source)
    if warn:
        warn_of_states(data)
    return data


@dataclass(frozen=True)
class _Raw:
    """What rows are read from: clean text (see `_clean`), its separator, and the file's name for messages."""

    text: str
    separator: str
    source: str


def _raw(text, source):
    """Clean text with its separator; with any but tabs, lines of tabs at the end are blank lines."""
    ended = text.rstrip(" \t\n") + "\n"
    separator = _find_separator(ended, source)
    return _Raw(text if separator == "\t" else ended, separator, source)


# ---- from a file to clean text ---------------------------------------------------------------------------


def _clean(data, source):
    """Text without NUL and byte order mark, LF at the end of each line, no blank line first or last; tabs stay."""
    advice = "save the file as UTF-8, for example with iconv -f {} -t UTF-8"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("UTF-16 text; " + advice.format("UTF-16"), source, 1)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    nul = data.find(b"\0")
    if nul >= 0:
        raise DataError("a NUL byte; is this a text file?", source, data.count(b"\n", 0, nul) + 1)
    if not data.strip(b" \t\n"):
        raise DataError("the file is empty", source, 1)
    data = data.rstrip(b" \n") + b"\n"
    if not data[: data.index(b"\n")].strip(b" \t"):
        raise DataError("a blank line; remove it", source, 1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        found = f"byte 0x{data[error.start]:02x} is not UTF-8; " + advice.format("LATIN1")
        raise DataError(found, source, data.count(b"\n", 0, error.start) + 1) from None


# ---- cells: the reference --------------------------------------------------------------------------------


def _records(raw):
    """Yield (line, cells) of each row, cells stripped and unquoted; ragged rows pass."""
    separator = raw.separator
    blank = " *" if separator == "\t" else r"[ \t]*"
    plain = r"[^ \t\n]*" if separator == " " else rf"[^{separator}\n]*"
    end = r"[ \t]*\n|[ \t]+" if separator == " " else rf"{separator}|\n"
    line, first_line, cells = 1, 1, []
    for match in re.finditer(f"{blank}(?:{_QUOTED}{blank}|({plain}))({end})", raw.text):
        quoted, unquoted, terminator = match.groups()
        if quoted is not None:
            line += quoted.count("\n")
            cells.append(quoted.replace('""', '"'))
        elif unquoted.startswith('"'):
            closed = re.compile(_QUOTED).match(raw.text, match.start(2))
            found = "text after a closing quote; write a quote inside quotes twice"
            raise DataError(found if closed else "a quote that is never closed", raw.source, line)
        else:
            cells.append(unquoted.rstrip(" \t"))
        if terminator[-1] == "\n":
            yield first_line, cells
            line += 1
            first_line, cells = line, []


def _find_separator(text, source):
    """The one on which the first rows agree best; blanks only where the first row has none of the others."""

    def agreement(separator):
        widths = []
        try:
            for _, cells in islice(_records(_Raw(text, separator, source)), _SAMPLE_ROWS):
                widths.append(len(cells))
                if len(widths) > 1 and sum(widths) > _SAMPLE_CELLS:
                    break
        except DataError:  # with this separator the quotes make no sense
            widths.append(0)
        return widths.count(widths[0]) / len(widths) if widths[0] > 1 else 0

    *visible, blank = _SEPARATORS
    best = max(visible, key=agreement)
    if agreement(best) == 0:
        best = blank if agreement(blank) else ","
    if best != ",":
        log.info("%s: cells are separated by %s", source, _SEPARATORS[best])
    return best


# ---- codes in order of appearance ------------------------------------------------------------------------


class _NotPlain(Exception):
    """The fast path met something that only the reference can read or explain."""


class _Column(dict):
    """Code of each raw cell; a raw cell is decoded when first met, `labels` holds the codes by label."""

    def __init__(self):
        self.labels = {}

    def __missing__(self, raw_cell):
        cell = raw_cell.strip(b" \t")
        if b'"' in cell:
            if not _QUOTED_BYTES.fullmatch(cell):
                raise _NotPlain
            cell = cell[1:-1].replace(b'""', b'"').translate(_SHOW)
        code = self[raw_cell] = self.labels.setdefault(cell.decode(), len(self.labels))
        return code


def _encode(raw, width, tell):
    """Labels of each column in order of appearance, and int32[rows, width] codes; the header is a row too."""
    try:
        return _encode_fast(raw.text.encode(), raw.separator.encode(), width, tell)
    except _NotPlain:
        return _encode_reference(raw, width)


def _encode_reference(raw, width):
    columns = [{} for _ in range(width)]
    blocks = []
    records = _records(raw)
    while rows := list(islice(records, _REFERENCE_ROWS)):
        for line, cells in rows:
            if len(cells) != width:
                found = "a blank line" if cells == [""] else f"{len(cells)} cells"
                raise DataError(f"{found}; the first row has {width} cells", raw.source, line)
        block = np.empty((len(rows), width), dtype=np.int32)
        for v, cells in enumerate(zip(*(cells for _, cells in rows), strict=True)):
            codes = columns[v]
            block[:, v] = [codes.setdefault(cell, len(codes)) for cell in cells]
        blocks.append(block)
    return [tuple(codes) for codes in columns], np.concatenate(blocks)


def _encode_fast(data, separator, width, tell=lambda share: None):
    """`_encode_reference`, several times faster, or `_NotPlain`.

    Where it does not give up it is exact: a cell with a quote in it must be one complete quoted cell, so no
    cell that was split off begins or ends inside quotes.
    """
    if b'"' in data:
        data = _hide_quoted(data)
        if not data.endswith(b"\n"):  # inside quotes to the end
            raise _NotPlain
    columns = [_Column() for _ in range(width)]
    codes = np.empty((data.count(b"\n"), width), dtype=np.int32, order="F")
    row = 0
    for start, stop in _blocks(data, tell):
        block = data[start:stop]
        if separator == b" ":
            block = block.replace(b"\t", b" ")
            while b"  " in block:
                block = block.replace(b"  ", b" ")
            block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" ")
        characters = np.frombuffer(block, dtype=np.uint8)
        newline = characters == ord("\n")
        ends_row = newline[newline | (characters == ord(separator))]  # of each cell: is it the last of a row?
        n_rows = len(ends_row) // width
        whole = len(ends_row) == n_rows * width and ends_row[width - 1 :: width].all()
        if not whole or np.count_nonzero(ends_row) != n_rows:
            raise _NotPlain
        cells = block[:-1].replace(b"\n", separator).split(separator)
        for v, column in enumerate(columns):
            found = map(column.__getitem__, cells[v::width])
            codes[row : row + n_rows, v] = np.fromiter(found, np.int32, n_rows)
        row += n_rows
    return [tuple(column.labels) for column in columns], codes


def _blocks(data, tell):
    """Where the blocks of whole lines begin and end; tells what share of them is done."""
    start = 0
    while start < len(data):
        stop = data.find(b"\n", start + _BLOCK_BYTES) + 1 or len(data)
        yield start, stop
        start = stop
        tell(start / len(data))


def _hide_quoted(data):
    """The same bytes with separators, blanks and line breaks replaced wherever the quotes before are odd."""
    pieces, inside = [], 0
    for start in range(0, len(data), _BLOCK_BYTES):
        piece = np.frombuffer(data[start : start + _BLOCK_BYTES], dtype=np.uint8)
        odd = np.bitwise_xor.accumulate((piece == ord('"')).view(np.uint8)) ^ inside
        inside = odd[-1]
        pieces.append(np.where(odd, _HIDE[piece], piece).tobytes())
    return b"".join(pieces)


# ---- what the table means --------------------------------------------------------------------------------


def _has_header(first, labels, codes, source):
    """Whether the first row holds the names (the rule is on top of this file); logs the answer and why."""
    words = [cell for cell in first if cell not in MISSING]
    if words and all(map(is_number, words)):
        below = [label for column in labels for label in column[1:] if label not in MISSING]
        again = (codes[1:] == 0).any()  # the first row was encoded first, so its cells have code 0
        answer = len(set(words)) == len(first) and bool(below) and not again and not any(map(is_number, below))
        taken = "a header: numbers, above columns without any (--header no if not)"
        not_taken = "data: nothing but numbers (--header yes if they are names)"
        log.info("%s: first row taken as %s", source, taken if answer else not_taken)
        return answer
    for_data = for_header = 0
    for v, cell in enumerate(first):
        if (codes[1:, v] == 0).any():
            for_data += 1
            continue
        below = [label for label in labels[v][1:] if label not in MISSING]
        over_numbers = all(map(is_number, below)) and cell not in MISSING and not is_number(cell)
        for_header += bool(below) and (over_numbers or 2 * len(below) < len(codes))
    if for_header or for_data:
        answer = for_header >= for_data
    else:
        answer = len(set(words)) == len(first)
    log.info(
        "%s: first row taken as %s: its cells occur again in %d of %d columns (--header %s if not)",
        source,
        "a header" if answer else "data",
        for_data,
        len(first),
        "no" if answer else "yes",
    )
    return answer


def _header_names(first, source):
    """The names, all different and none empty; a line break in a name becomes a blank."""
    numbers = {}
    for number, cell in enumerate(first, 1):
        name = cell.replace("\n", " ")
        if not name:
            raise DataError("a column without a name; name it or remove it", source, 1, number)
        if name in numbers:
            raise DataError(
                f"columns {numbers[name]} and {number} have the same name; rename one, or use "
                "--header no if the first row is data",
                source,
                1,
                name,
            )
        numbers[name] = number
    return tuple(numbers)


def _missing_cells(labels, rows):
    """bool[rows, columns]: which cells are missing."""
    lacking = np.zeros(rows.shape, dtype=bool, order="F")
    for v, column in enumerate(labels):
        missing_codes = [code for code, label in enumerate(column) if label in MISSING]
        if missing_codes:
            lacking[:, v] = np.isin(rows[:, v], missing_codes)
    return lacking


def _missing_error(raw, names, labels, rows, lacking):
    """The first missing cell of the file as a `DataError`."""
    row = int(lacking.any(axis=1).argmax())
    v = int(lacking[row].argmax())
    back = row - len(rows)  # from the end, since a header may stand in front
    lines = [line for line, _ in _records(raw)] if '"' in raw.text else range(1, raw.text.count("\n") + 1)
    label = labels[v][rows[row, v]]
    found = f"missing value '{label}'" if label else "empty cell"
    return DataError(
        f"{found} ({lacking.sum()} missing in all): --missing state makes it a state, "
        "--missing drop leaves such rows out",
        raw.source,
        lines[back],
        names[v],
    )
