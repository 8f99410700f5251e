"""What a sheet of a workbook shows, but does not store: warnings about cells that are read as empty ones.

Of merged cells only the first has the value. A formula has the value that was last calculated, but none if another
program wrote the file.
"""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Sequence
from typing import Any

LOG = logging.getLogger("cliquewise")
_WITHOUT_VALUE = re.compile(  # t="str" is that of an empty text, which is a value
    rb'<c\b(?![^>]*\bt="str")[^>]*>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>'
)


def warn_of_empty_cells(sheet: Any, cells: Sequence[Sequence[str]], number: int, content: bytes, source: str) -> None:
    """Warn of merged cells in several rows, and of formulas without values.

    Parameters
    ----------
    sheet : CalamineSheet
    cells
        Its texts, by row from the first one to the last with a text.
    number
        Of the sheet in the workbook, from 0.
    content
        The whole file.
    source
        For messages.
    """
    ranges = getattr(sheet, "merged_cell_ranges", None) or ()
    merged = [(start, end) for start, end in ranges if start[0] < end[0] and _hides_text(cells, *start)]
    if merged:
        (row, column), (last, _) = min(merged)
        message = "%s: sheet '%s': cells are merged, such as rows %d to %d of column %d; only the first has the value"
        LOG.warning(f"{message}; unmerge and fill them", source, sheet.name, row + 1, last + 1, column + 1)
    formulas = _formulas_without_values(content, number)
    if formulas:
        message = "%s: sheet '%s': formulas without a stored value are empty cells (%d); save it in a spreadsheet"
        LOG.warning(message, source, sheet.name, formulas)


def _hides_text(cells: Sequence[Sequence[str]], row: int, column: int) -> bool:
    """Whether the first of merged cells has a text, and the table goes on below it."""
    return row + 1 < len(cells) and any(cells[row][column : column + 1])


def _formulas_without_values(content: bytes, number: int) -> int:
    """How many formulas of a sheet of an .xlsx file have no value; 0 for files that only python-calamine reads."""
    import zipfile  # tables of text need none of these
    import zlib
    from xml.etree import ElementTree

    try:
        text = _sheet_xml(content, number)
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, LookupError, ValueError, RuntimeError):
        return 0
    return len(_WITHOUT_VALUE.findall(text)) if b"<f" in text else 0


def _sheet_xml(content: bytes, number: int) -> bytes:
    """The part of an .xlsx file that has a sheet."""
    import zipfile
    from xml.etree import ElementTree

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = {name.lower(): name for name in archive.namelist()}  # python-calamine ignores case
        book = ElementTree.fromstring(archive.read(names["xl/workbook.xml"]))
        sheet = [one for one in book.iter() if one.tag.endswith("}sheet")][number]
        (key,) = (value for name, value in sheet.items() if name.endswith("}id"))
        files = ElementTree.fromstring(archive.read(names["xl/_rels/workbook.xml.rels"]))
        (target,) = (one.attrib["Target"] for one in files if one.get("Id") == key)
        return archive.read(names[(target[1:] if target.startswith("/") else f"xl/{target}").lower()])
