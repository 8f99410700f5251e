"""Sheets of Excel and OpenDocument workbooks (.xlsx, .xls, .xlsb, .ods) as the text of a CSV file.

So `common.data.csvfile` is the one reader of tables: names, rows above the names and empty cells are found as in a CSV,
and messages name the row of the sheet. Without `--sheet` the first sheet that has cells is read, a hidden one only if
all are hidden; it is logged if there are more, as a warning if another is much larger. Whole numbers are written
without a point, as Excel shows them; errors such as #N/A are empty cells, as pandas reads them; a date without a time
is a date. Empty rows and columns around the table are left out.
"""

from __future__ import annotations

import io
import logging
import shlex
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import DataError, UsageError, nearest
from ..number_text import whole_number
from .csvwriter import csv_text
from .frame import cell_as_text
from .workbook_warnings import warn_of_empty_cells

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

LOG = logging.getLogger("cliquewise")
MUCH_LARGER = 3  # than the first, a sheet which may be the table, and the first a legend
_ZIP, _OLD = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"


def may_be_workbook(head: bytes) -> bool:
    """Whether a file begins as workbooks do: a zip archive, or a document of an old Office."""
    return head.startswith((_ZIP, _OLD))


def is_workbook(content: bytes) -> bool:
    """Whether a file is a workbook, rather than another archive or document.

    Parameters
    ----------
    content
        The whole file.
    """
    import zipfile  # tables of text do not need it

    if content.startswith(_OLD):
        names = ("Workbook", "Book", "EncryptedPackage")
        return any(name.encode("utf-16-le") in content for name in names)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            kind = archive.read("mimetype") if "mimetype" in archive.namelist() else b""
            return b"spreadsheet" in kind or any(name.startswith("xl/") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, KeyError, NotImplementedError, RuntimeError):
        return b"xl/" in content[: 1 << 16]  # truncated, which its reader reports


def workbook_text(content: bytes, source: str, sheet: str | None) -> bytes:
    """The CSV text of a sheet; its first lines are empty if the table begins below.

    Parameters
    ----------
    content
        The whole file.
    sheet
        Its name, or its number from 1; None is the first with cells that is not hidden.

    Raises
    ------
    UsageError
        No such sheet, or python-calamine is not installed.
    DataError
        A damaged file, one with a password, or no cells.
    """
    try:
        calamine: Any = import_module("python_calamine")
    except ImportError as error:
        found = "workbooks need python-calamine: pip install 'cliquewise[excel]', or save the table as CSV"
        raise UsageError(f"{source}: {found}") from error
    try:
        book = calamine.load_workbook(io.BytesIO(content))
        chosen = _chosen(book, source, sheet)
        rows = chosen.to_python(skip_empty_area=False)
    except calamine.PasswordError:
        raise DataError("a workbook with a password; save it without one", source) from None
    except (calamine.CalamineError, OSError) as error:
        raise DataError(f"a damaged workbook ({str(error).partition(chr(10))[0]})", source) from None
    cells = [[_text(cell) for cell in row] for row in rows]
    while cells and not any(cells[-1]):
        cells.pop()
    used = [v for v in range(len(cells[0]) if cells else 0) if any(row[v] for row in cells)]
    if not used:
        raise DataError("a sheet without cells; choose another by --sheet", source)
    span = slice(used[0], used[-1] + 1)
    if any("" in row[span] for row in cells):
        warn_of_empty_cells(chosen, cells, book.sheet_names.index(chosen.name), content, source)
    return csv_text(row[span] for row in cells).encode()


def _chosen(book: CalamineWorkbook, source: str, sheet: str | None) -> CalamineSheet:
    """A sheet, by its name or number."""
    from python_calamine import SheetVisibleEnum

    names = book.sheet_names
    if sheet is None:
        sizes = {name: _size(book.get_sheet_by_name(name)) for name in names}
        sheets = [sheet for sheet in book.sheets_metadata if sizes[sheet.name]]
        if not sheets:
            raise DataError("a workbook without cells", source)
        shown = [sheet for sheet in sheets if sheet.visible == SheetVisibleEnum.Visible]
        found = [sheet.name for sheet in shown or sheets]
        largest = max(found, key=lambda name: sizes[name])
        if sizes[largest] >= MUCH_LARGER * sizes[found[0]]:
            message = "%s: sheet '%s' read, which is the first, but '%s' is much larger; --sheet %s reads that"
            LOG.warning(message, source, found[0], largest, shlex.quote(largest))
        elif len(found) > 1:
            LOG.info("%s: sheet '%s' read, of %s (--sheet)", source, found[0], ", ".join(f"'{name}'" for name in found))
        sheet = found[0]
    elif sheet not in names:
        number = whole_number(sheet)
        if not 1 <= number <= len(names):
            known = f"the sheets are {', '.join(names)}{nearest(sheet, names)}"
            raise UsageError(f"--sheet {sheet}: {source} has no such sheet; {known}")
        sheet = names[number - 1]
    return book.get_sheet_by_name(sheet)


def _size(sheet: CalamineSheet) -> int:
    """Number of cells of a sheet, from its first to its last one."""
    return sheet.height * sheet.width


def _text(cell: Any) -> str:
    """A cell as text; whole numbers without a point."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else cell_as_text(cell)
