"""Arrow and Parquet files as the text of a CSV file, so that `common.data.csvfile` is the one reader of tables.

A table and the CSV of the same cells give the same data: rows, states, warnings, merged rows. Cells are written as
pandas writes them in CSV: `True` and `False`, 2.0 for a floating-point number, dates without 00:00:00; a null, and a
number that is NaN, is an empty cell, so it is missing. Categories that no row has are left out, as other states are.
The columns in which pandas keeps its index are left out too.

Read are Parquet, and Arrow's file and stream format (Feather version 2), compressed inside or not. The file is held in
memory as it is stored; its text is made piece by piece.

Cost: 100 MB of text take about 4 s more than the CSV.
"""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, UsageError
from .csvwriter import csv_pieces
from .dataset import Dataset
from .frame import cell_as_text

if TYPE_CHECKING:
    import pyarrow

LOG = logging.getLogger("cliquewise")
_BEGINNINGS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow"}  # the last is the stream format
_ROWS = 1 << 16  # rows that become text together


def kind_of_table(head: bytes) -> str | None:
    """`Parquet` or `Arrow`, by the first six bytes of a file; None for anything else."""
    return next((kind for begin, kind in _BEGINNINGS.items() if head.startswith(begin)), None)


def as_csv(content: Any, source: str) -> Any:
    """The stream of a file, or its CSV text as a stream if it is an Arrow or Parquet file.

    Parameters
    ----------
    content
        From `common.files.input_stream.unzipped`.
    source
        For messages.

    Raises
    ------
    UsageError
        pyarrow is not installed.
    """
    return content if kind_of_table(content.peek(6)) is None else TableText(content.read(), source)


class TableText:
    """The CSV text of an Arrow or Parquet file, a binary stream for reading.

    Parameters
    ----------
    content
        The whole file.
    source
        For messages.

    Raises
    ------
    UsageError
        pyarrow is not installed.
    """

    def __init__(self, content: bytes, source: str) -> None:
        try:
            import_module("pyarrow")
        except ImportError as error:
            kind = kind_of_table(content)
            raise UsageError(f"{source}: {kind} files need pyarrow: pip install 'cliquewise[parquet]'") from error
        self._pieces = _text(content, source)
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        """So many bytes, fewer at the end; all that are left without a size."""
        parts, length = [self._rest], len(self._rest)
        while size < 0 or length < size:
            piece = next(self._pieces, None)
            if piece is None:
                break
            parts.append(piece)
            length += len(piece)
        text = b"".join(parts)
        self._rest = b"" if size < 0 else text[size:]
        return text if size < 0 else text[:size]


def _text(content: bytes, source: str) -> Iterator[bytes]:
    """The header line, then the rows.

    Raises
    ------
    DataError
        A damaged file, or a column whose cells are not text, numbers or the like.
    """
    import pyarrow

    try:
        schema, batches = _opened(content)
        index = _index_of_pandas(schema)
        chosen = [v for v, name in enumerate(schema.names) if name not in index]
        if index:
            LOG.info("%s: left out the index of pandas: %s", source, ", ".join(sorted(index)))
        if not chosen:
            raise DataError("no column", source)
        names = tuple(schema.names[v] for v in chosen)
        yield next(csv_pieces(Dataset(names, (), np.empty((0, len(names)), np.int32))))
        for batch in batches:
            for start in range(0, batch.num_rows, _ROWS):
                part = batch.slice(start, _ROWS)
                columns = [_cells(part.column(v), schema.names[v], source) for v in chosen]
                codes = np.asfortranarray(np.column_stack([codes for _, codes in columns]))
                _, *rows = csv_pieces(Dataset(names, tuple(labels for labels, _ in columns), codes))
                yield from rows
    except (pyarrow.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(f"a damaged {kind_of_table(content)} file ({reason})", source) from None


def _opened(content: bytes) -> tuple[pyarrow.Schema, Iterator[Any]]:
    """The schema of a file and its record batches."""
    from pyarrow import BufferReader, ipc

    stored = BufferReader(content)
    if kind_of_table(content) == "Parquet":
        from pyarrow.parquet import ParquetFile

        table = ParquetFile(stored)
        return table.schema_arrow, table.iter_batches(_ROWS)
    if content.startswith(b"\xff"):
        stream = ipc.open_stream(stored)
        return stream.schema, iter(stream)
    file = ipc.open_file(stored)
    return file.schema, (file.get_batch(i) for i in range(file.num_record_batches))


def _index_of_pandas(schema: pyarrow.Schema) -> set[str]:
    """The columns that contain an index of pandas without a name."""
    with contextlib.suppress(KeyError, ValueError, TypeError, AttributeError):
        columns = json.loads(schema.metadata[b"pandas"]).get("index_columns", [])
        return {name for name in columns if isinstance(name, str) and name.startswith("__index_level_")}
    return set()


def _times(known: pyarrow.Array) -> list[str | None]:
    """Times as in a DataFrame; those with nanoseconds, which Python lacks, as Arrow writes them."""
    import pyarrow
    from pyarrow import compute

    is_time = pyarrow.types.is_time(known.type)
    kind = pyarrow.time64("us") if is_time else pyarrow.timestamp("us", known.type.tz)
    times = known.cast(kind, safe=False)
    labels: list[str | None] = [*map(cell_as_text, times.to_pylist())]
    are_exact = compute.equal(times.cast(known.type, safe=False), known).to_pylist()
    if False not in are_exact:
        return labels
    texts = known.cast(pyarrow.string()).to_pylist()
    return [text if exact is False else label for label, exact, text in zip(labels, are_exact, texts, strict=True)]


def _cells(column: pyarrow.Array, name: str, source: str) -> tuple[tuple[str, ...], np.ndarray]:
    """The labels of a column and the codes of its rows; the last label is the empty one, of a missing cell."""
    import pyarrow

    try:
        encoded = column if pyarrow.types.is_dictionary(column.type) else column.dictionary_encode()
        known = encoded.dictionary
        if pyarrow.types.is_floating(known.type) or pyarrow.types.is_boolean(known.type):
            values = known.to_numpy(zero_copy_only=False)
            labels = [None if value is None or value != value else str(value) for value in values]
        elif pyarrow.types.is_timestamp(known.type) or pyarrow.types.is_time(known.type):
            labels = _times(known)
        else:
            labels = known.cast(pyarrow.string()).to_pylist()
    except (pyarrow.ArrowNotImplementedError, pyarrow.ArrowInvalid, pyarrow.ArrowKeyError):
        found = f"cells of type {column.type}, which are not states; leave the column out"
        raise DataError(found, source, column=name) from None
    if any("\0" in label for label in labels if label):
        raise DataError("a cell with a zero byte", source, column=name)
    codes = encoded.indices.cast(pyarrow.int32()).fill_null(len(labels)).to_numpy(zero_copy_only=False)
    return (*(label or "" for label in labels), ""), codes
