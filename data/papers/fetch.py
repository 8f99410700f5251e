"""`make data`: fetches the public data sets of sources.csv, and lists those that are not available.

    python fetch.py FOLDER

For each file, sources.csv states the source, how it is converted, and the SHA-256 of the result; other results are not
kept. Conversions: `dat`, the coarsening paper's layout (names, arities, rows; blanks); `varying`, a table without a
header, from which columns with one state are dropped; `copy`, the file unchanged; `pgmpy`, a network in the installed
Python package; `hand` and `none` are not fetched. Existing files are not fetched again. The exit code is 0 even without
a network connection: missing data are missing in the tables.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import importlib.util
import os
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


HERE = Path(__file__).parent
MAX_BYTES = 1 << 28
SECONDS = 20


def download(url: str) -> bytes:
    """The bytes at an address."""
    if not url.startswith("https://"):
        raise OSError("only https is fetched")
    with urllib.request.urlopen(url, timeout=SECONDS) as answer:
        content = answer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise OSError("is too large")
    return content


def from_package(name: str) -> bytes:
    """A network of pgmpy's examples."""
    found = importlib.util.find_spec("pgmpy")
    if found is None or found.origin is None:
        raise OSError("pgmpy is not installed")
    return gzip.decompress((Path(found.origin).parent / "utils" / "example_models" / name).read_bytes())


def with_header(rows: Iterable[list[str]], numbers: Sequence[int]) -> bytes:
    """Rows as CSV under the names V0, V1, ... of these columns."""
    lines = [",".join(f"V{number}" for number in numbers), *(",".join(row) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def prepared(how: str, source: str) -> bytes:
    """The bytes of a data set."""
    if how == "pgmpy":
        return from_package(source)
    content = download(source)
    if how == "copy":
        return content
    lines = content.decode().split("\n")
    if how == "dat":
        rows = [line.split() for line in lines if line.strip()]
        return with_header(rows[2:], range(len(rows[0])))
    rows = [line.strip().split(",") for line in lines if line.strip()]
    varying = [k for k in range(len(rows[0])) if len({row[k] for row in rows}) > 1]
    return with_header(([row[k] for k in varying] for row in rows), varying)


def fetch(entry: dict[str, str], folder: str) -> str:
    """Create one file; returns a message about it."""
    path = Path(folder, entry["file"])
    if entry["how"] in ("none", "hand"):
        what = "not to be had" if entry["how"] == "none" else "to be prepared by hand"
        return f"{what}: {entry['file']} ({entry['note']})"
    if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"]:
        return f"there: {entry['file']}"
    try:
        content = prepared(entry["how"], entry["source"])
    except (OSError, UnicodeDecodeError, IndexError) as error:
        return f"not to be had now: {entry['file']} ({error})"
    if hashlib.sha256(content).hexdigest() != entry["sha256"]:
        return f"not kept: {entry['file']} (another checksum than {entry['sha256'][:12]}...; see {entry['source']})"
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_bytes(content)
    os.replace(beside, path)
    return f"fetched: {entry['file']}"


def main(folder: str) -> None:
    """Create all files."""
    with (HERE / "sources.csv").open(newline="") as stream:
        for entry in csv.DictReader(stream):
            print(fetch(entry, folder), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
