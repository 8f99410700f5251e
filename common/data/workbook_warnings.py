"""What a sheet of a workbook shows, but does not store: warnings about cells that are read as empty ones.

Of merged cells only the first has the value. A formula has the value that was last calculated, but none if another
program wrote the file.
"""

from __future__ import annotations

import io
import logging
import re
from typing import Any

LOG = logging.getLogger("cliquewise")
_WITHOUT_VALUE = re.compile(  # t="str" is that of an empty text, which is a value
    rb'<c\b(?![^>]*\bt="str")[^>]*>\s*<f\b(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v></v>)?\s*</c>'
)


def warn_of_empty_cells(sheet: Any, number: int, content: bytes, source: str) -> None:
    """Warn of merged cells in several rows, and of formulas without values.

    Parameters
    ----------
    sheet : CalamineSheet
    number
        Of the sheet in the workbook, from 0.
    content
        The whole file.
    source
        For messages.
    """
    merged = [(start, end) for start, end in getattr(sheet, "merged_cell_ranges", None) or () if start[0] < end[0]]
    if merged:
        (row, column), (last, _) = min(merged)
        message = "%s: sheet '%s': cells are merged, such as rows %d to %d of column %d; only the first has the value"
        LOG.warning(f"{message}; unmerge and fill them", source, sheet.name, row + 1, last + 1, column + 1)
    formulas = _formulas_without_values(content, number)
    if formulas:
        message = "%s: sheet '%s': %d formulas have no stored value and are empty cells; save it in a spreadsheet"
        LOG.warning(message, source, sheet.name, formulas)


def _formulas_without_values(content: bytes, number: int) -> int:
    """How many formulas of a sheet of an .xlsx file have no value; 0 for other files."""
    import zipfile  # tables of text need neither
    from xml.etree import ElementTree

    if not content.startswith(b"PK"):
        return 0
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if "xl/workbook.xml" not in archive.namelist():
            return 0
        book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
        sheet = [one for one in book.iter() if one.tag.endswith("}sheet")][number]
        key = next(value for name, value in sheet.items() if name.endswith("}id"))
        files = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        target = next(one.attrib["Target"] for one in files if one.get("Id") == key)
        text = archive.read(target[1:] if target.startswith("/") else f"xl/{target}")
    return len(_WITHOUT_VALUE.findall(text)) if b"<f" in text else 0
