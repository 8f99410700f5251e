"""Files of other kinds are named."""

import gzip
import io
import zipfile

import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.files.foreign import foreign_kind
from tests.reading import read_csv

pytestmark = pytest.mark.nojit


def zipped(*names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return stream.getvalue()


KINDS = [
    ("an Office document", zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml")),
    *(("a zip archive", content) for content in (zipped("table.csv"), b"PK\x03\x04" + bytes(40))),
    ("a PDF", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj"),
    ("a PNG image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
    ("a JPEG image", b"\xff\xd8\xff\xe0\0\x10JFIF"),
    ("a GIF image", b"GIF89a\x01\0\x01\0"),
    ("a sound", b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(20)),
    ("an RData file", gzip.compress(b"RDX3\nX\n\0\0\0\x03\0\x04", mtime=0)),
    *(("an RData file", begin + bytes(20)) for begin in (b"RDX3\nX\n", b"RDA3\nA\n3\n")),
    ("an RDS file", gzip.compress(b"X\n\0\0\0\x03\0\x04", mtime=0)),
    *(("an HTML page", begin) for begin in (
        b"\n<!DOCTYPE html>\n<html><head><title>a,b</title>", b"<!DOCTYPE html><html><body>404</body></html>",
        b"<html><head></head></html>", b"\n\n  <HTML><BODY>", b"\xef\xbb\xbf<!doctype html>",
    )),
    ("a GEXF file", b'<?xml version="1.0"?>\n<gexf xmlns="http://gexf.net/1.3"><graph>'),
    ("an XML file", b'<?xml version="1.0"?><rows/>'),
    ("an RTF document", b"{\\rtf1\\ansi a,b}"),
    *(("JSON", text) for text in (
        b'[{"a": 1, "b": 2}]', b'[\n {\n  "a": 1}]', b'{"a": [1, 2], "b": [0]}', b"[[1], [0]]",
    )),
    ("JSON lines", b'{"a": 1}\n{"a": 0}\n'),
    ("a file of scores", b"DMST\n6\nsubset_scores\ncolex_order 6\n-1.5\n"),
    ("a file of scores", b"# parent sets\n2\na 1\n-1.5 0\nb 1\n-3 0\n"),
    *(("a series matrix or SOFT file of GEO", begin) for begin in (
        b'!Series_title\t"Blood"\n!Series_geo_accession\t"GSE1"\n', b"^DATABASE = GeoMiame\n!Database_name = GEO\n",
    )),
    ("an SPSS portable file", (b"ASCII SPSS PORT FILE".ljust(80) + b"\r\n") * 5 + b"0" * 56 + b"SPSSPORTA8/19991231"),
    ("an Avro file", b"Obj\1\x04\x14avro.codec\x08null\x16avro.schema"),
    *(("a dBase table", bytes((version, 121, 7, 26, 2, 0, 0, 0, 97, 0, 11, 0)) + bytes(20)) for version in (3, 48)),
    ("an old Office document", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 40),
    ("an SPSS file", b"$FL2@(#) SPSS DATA FILE"),
    *(("a Stata file, .dta", begin) for begin in (b"<stata_dta><header><release>118", b"s\2\1\0\x05\0")),
    ("a SAS data set", b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")),
    ("a SAS transport file", b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!\0"),
    ("a MATLAB file", b"MATLAB 5.0 MAT-file, Platform: GLNXA64\0"),
    ("a NumPy array", b"\x93NUMPY\x01\x00" + bytes(20)),
    ("a pickle", b"\x80\x04\x95" + bytes(20)),
    ("an HDF5 file", b"\x89HDF\r\n\x1a\n" + bytes(20)),
    ("an SQLite database", b"SQLite format 3\0"),
    ("a program", b"\x7fELF\x02\x01\x01" + bytes(30)),
    ("a tar archive", b"t.csv" + bytes(252) + b"ustar\x0000" + bytes(300)),
    ("a file compressed by xz", b"\xfd7zXZ\0\0\x04"),
    ("a file compressed by bzip2", b"BZh91AY&SY\0\0"),
    ("a file compressed by zstd", b"\x28\xb5\x2f\xfd" + bytes(20)),
    ("a 7-Zip archive", b"7z\xbc\xaf\x27\x1c" + bytes(20)),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "content"), KINDS)
def test_other_kinds_of_files_are_refused_as_tables(tmp_path, kind, content):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DataError, match=rf"t\.csv: {kind}.*, not a CSV; ") as caught:
        read_csv(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "RDX,GIF8\n0,1\n",
        "BZh,b\n0,1\n",
        "ORC,b\n",
        "PK,b\n",
        "<5,b\n",
        "X,b\n",
        "a,b\n<html>,0\n",
        "0,\t\t1",
        "Obj,b\n",
        "!a,b\n!sample_1,0\n",
    ],
)
def test_tables_that_begin_like_other_kinds_are_accepted(text):
    assert foreign_kind(text.encode()) is None


@pytest.mark.parametrize("cell", [b"\x93x\x94", b"\x80", b"caf\xe9"])
def test_the_encoding_of_windows_is_advised(tmp_path, cell):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + cell + b",1\ny,0\n")
    with pytest.raises(DataError, match=r":2: byte 0x.. is not UTF-8; .*iconv -f CP1252 -t UTF-8"):
        read_csv(path)
