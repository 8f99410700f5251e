"""Files of other kinds, given by mistake: their kind in a word, and advice.

They are recognised by their first bytes, not by the ending of their names. Gzip files are looked into.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8

_SAVE_AS_CSV = "save the table as CSV"
_UNPACK = "unpack it"
_NOT_DATA = "it has no table that could be read; give a CSV"
_ZIPPED = (  # by the names in a zip archive, near its beginning
    (rb"\[Content_Types\]\.xml|_rels/", "an Office document, .docx, .pptx or .xlsx", _SAVE_AS_CSV),
    (rb"opendocument\.", "an OpenDocument file, .odt or .odp", _SAVE_AS_CSV),
    (rb"\.npy", "a NumPy archive, .npz", "write the array as CSV"),
)
_BEGINNINGS = (
    (b"\xd0\xcf\x11\xe0", "an old Office document, .doc or .ppt", _SAVE_AS_CSV),
    (b"%PDF", "a PDF", _NOT_DATA),
    (b"\x89PNG", "a PNG image", _NOT_DATA),
    (b"\xff\xd8\xff", "a JPEG image", _NOT_DATA),
    (b"GIF8", "a GIF image", _NOT_DATA),
    (b"II*\0", "a TIFF image", _NOT_DATA),
    (b"MM\0*", "a TIFF image", _NOT_DATA),
    (b"RIFF", "a sound, a film or a WebP image", _NOT_DATA),
    (b"OggS", "a sound or a film", _NOT_DATA),
    (b"\x7fELF", "a program", _NOT_DATA),
    (b"RDX", "an RData file", "in R: write.csv(table, 'table.csv', row.names = FALSE)"),
    (b"RDA", "an RData file", "in R: write.csv(table, 'table.csv', row.names = FALSE)"),
    (b"X\n\0\0\0", "an RDS file of R", "in R: write.csv(readRDS(file), 'table.csv', row.names = FALSE)"),
    (b"$FL2", "an SPSS file, .sav", _SAVE_AS_CSV),
    (b"$FL3", "an SPSS file, .sav", _SAVE_AS_CSV),
    (b"<stata_dta>", "a Stata file, .dta", _SAVE_AS_CSV),
    *(
        (begin + b"\1", "a Stata file, .dta", _SAVE_AS_CSV)
        for begin in (b"q\1", b"q\2", b"r\1", b"r\2", b"s\1", b"s\2")
    ),
    (b"HEADER RECORD*******LIBRARY", "a SAS transport file, .xpt", _SAVE_AS_CSV),
    (b"\0" * 12 + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf", "a SAS data set, .sas7bdat", _SAVE_AS_CSV),
    (b"MATLAB 5.0 MAT-file", "a MATLAB file, .mat", "write the table as CSV"),
    (b"SQLite format 3", "an SQLite database", "write the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "write the table as CSV"),
    (b"\x93NUMPY", "a NumPy array, .npy", "write it as CSV"),
    (b"\x80\x04\x95", "a pickle of Python", "write the table as CSV"),
    (b"\x80\x05\x95", "a pickle of Python", "write the table as CSV"),
    (b"PAR1", "a Parquet table", "write the table as CSV"),
    (b"ARROW1", "an Arrow table", "write the table as CSV"),
    (b"ORC", "an ORC file", "write the table as CSV or Parquet"),
    (b"Obj\1", "an Avro file", "write the table as CSV or Parquet"),
    (b"BZh", "a file compressed by bzip2", _UNPACK),
    (b"\xfd7zXZ", "a file compressed by xz", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a file compressed by zstd", _UNPACK),
    (b"7z\xbc\xaf", "a 7-Zip archive", _UNPACK),
    (b"Rar!", "a RAR archive", _UNPACK),
)
_TEXTS = (
    (
        r"<!doctype\s+html\b|<html\b|<head\b|<body\b|<table\b",
        "an HTML page",
        "download the file itself, or " + _SAVE_AS_CSV,
    ),
    (r"(?:<\?xml.*?\?>\s*)?(?:<!--.*?-->\s*)*<gexf\b", "a GEXF file of Gephi", "export it as GraphML or CSV"),
    (r"<\?xml\b", "an XML file", _SAVE_AS_CSV),
    (r"\{\\rtf", "an RTF document", _SAVE_AS_CSV),
    (
        r'\{"[^\n]*\}[ \t\r]*\n\{"',
        "JSON lines",
        "with pandas: read_json(file, lines=True).to_csv('table.csv', index=False)",
    ),
    (
        r"""(?:\[\s*)?\{\s*"|\[\s*\[""",
        "JSON",
        "if it is a table, with pandas: read_json(file).to_csv('table.csv', index=False)",
    ),
    (
        r"DMST\s*\n[0-9]+\s*\n[a-z]+_scores\s*\n|# parent sets\s*\n[0-9]+\s*\n",
        "a file of scores",
        "give the table that they were computed from",
    ),
    (
        r"""[!^]"?(?:series|sample|platform|database|dataset)_?[^\n]*\n"?[!^]""",
        "a series matrix or SOFT file of GEO",
        "with pandas: read_csv(file, sep='\\t', comment='!', index_col=0).T.to_csv('table.csv')",
    ),
    (r"-----BEGIN |%!PS", "no table", _NOT_DATA),
)


def foreign_kind(head: bytes) -> tuple[str, str] | None:
    """The kind of a file that is not data, and advice.

    Parameters
    ----------
    head
        The first bytes of the file, decompressed if it is of gzip; some thousand are enough.

    Returns
    -------
    (str, str) or None
        None if it may be a table.
    """
    found = binary_kind(head)
    if found is not None:
        return found
    text = head[: 1 << 12].removeprefix(BOM_UTF8).decode("utf-8", "replace").lstrip()
    for pattern, kind, advice in _TEXTS:
        if re.match(pattern, text, re.IGNORECASE | re.DOTALL):
            return kind, advice
    if head[:600].translate(None, b"\r\n")[456:464] == b"SPSSPORT":
        return "an SPSS portable file, .por", _SAVE_AS_CSV
    return None


def binary_kind(head: bytes) -> tuple[str, str] | None:
    """As `foreign_kind`; None for any text."""
    if head.startswith(b"PK\x03\x04"):
        inside = head[: 1 << 16]
        found = next((described for pattern, *described in _ZIPPED if re.search(pattern, inside)), None)
        return (found[0], found[1]) if found else ("a zip archive", _UNPACK)
    if _is_dbase(head):
        return "a dBase table, .dbf", _SAVE_AS_CSV
    if len(head) > 262 and head[257:262] == b"ustar":
        return "a tar archive", _UNPACK
    for begin, kind, advice in _BEGINNINGS:
        if head.startswith(begin) and (not begin.isalpha() or b"\0" in head[:512]):
            return kind, advice
    return None


def _is_dbase(head: bytes) -> bool:
    """Whether a file begins as those of dBase: a version, the date of the last change, and bytes that are 0."""
    return re.match(rb"[\x03\x04\x05\x30-\x32\x83\x8b\xf5].[\x01-\x0c][\x01-\x1f].{8}\0\0", head, re.DOTALL) is not None
