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


KINDS = {
    "an Office document": zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml"),
    "a zip archive": zipped("table.csv"),
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
    "a PNG image": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "a JPEG image": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "a GIF image": b"GIF89a\x01\0\x01\0",
    "an RData file": gzip.compress(b"RDX3\nX\n\0\0\0\x03\0\x04"),
    "an RDS file": gzip.compress(b"X\n\0\0\0\x03\0\x04"),
    "an HTML page": b"\n<!DOCTYPE html>\n<html><head><title>a,b</title>",
    "a GEXF file": b'<?xml version="1.0"?>\n<gexf xmlns="http://gexf.net/1.3"><graph>',
    "an old Office document": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 40,
    "an SPSS file": b"$FL2@(#) SPSS DATA FILE",
    "a Stata file, .dta": b"<stata_dta><header><release>118",
    "a Stata file": b"s\2\1\0\x05\0",
    "a SAS data set": b"\0" * 12 + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011"),
    "a SAS transport file": b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!\0",
    "a MATLAB file": b"MATLAB 5.0 MAT-file, Platform: GLNXA64\0",
    "a file compressed by xz": b"\xfd7zXZ\0\0\x04",
    "a file compressed by bzip2": b"BZh91AY&SY\0\0",
    "an SQLite database": b"SQLite format 3\0",
}


@pytest.mark.parametrize("kind", KINDS)
def test_tables_that_are_none(tmp_path, kind):
    path = tmp_path / "t.csv"
    path.write_bytes(KINDS[kind])
    with pytest.raises(DataError, match=rf"t\.csv: {kind}.*, not a CSV; ") as caught:
        read_csv(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["RDX,GIF8\n0,1\n", "BZh,b\n0,1\n", "ORC,b\n", "PK,b\n", "<5,b\n", "X,b\n", "a,b\n<html>,0\n"]
)
def test_tables_that_are_some(text):
    assert foreign_kind(text.encode()) is None


@pytest.mark.parametrize("cell", [b"\x93x\x94", b"\x80", b"caf\xe9"])
def test_the_encoding_of_windows_is_advised(tmp_path, cell):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + cell + b",1\ny,0\n")
    with pytest.raises(DataError, match=r":2: byte 0x.. is not UTF-8; .*iconv -f CP1252 -t UTF-8"):
        read_csv(path)
