"""Checkpoint files: arrays and JSON in a zip archive, as numpy's .npz files are, without pickles.

    head.json    the inputs of the run: {"format": 1, "sha256": ..., "program": ..., "version": ..., ...}
    state.json   the plain part of its state
    NAME.npy     an array of its state

Nothing is compressed, so no file is larger in memory than on disk. `sha256` is a digest of the other parts, by which a
damaged file is detected. A file is written whole or not at all.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from .atomic_write import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

FORMAT = 1
_HEAD, _STATE, _ARRAY = "head.json", "state.json", ".npy"
_KINDS = "biuf"  # of numbers in arrays: booleans, integers, floating point
_DAMAGED = (ValueError, LookupError, EOFError, RuntimeError, ArithmeticError, struct.error, zlib.error)


def write_checkpoint(
    path: str | None, head: dict, state: dict[str, object], claim: Callable[[int], None] | None = None
) -> None:
    """Write a checkpoint.

    Parameters
    ----------
    head
        Of JSON values.
    state
        Arrays of numbers, and JSON values.
    claim
        As for `common.files.atomic_write.write_whole`.

    Raises
    ------
    DataError
        It cannot be written; the file is then unchanged.
    """
    arrays = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    plain = {name: value for name, value in state.items() if name not in arrays}
    parts = {_STATE: json.dumps(plain).encode()}
    for name, array in arrays.items():
        if array.dtype.kind not in _KINDS:
            raise TypeError(f"{name}: an array of {array.dtype}; a checkpoint holds numbers")
        text = io.BytesIO()
        np.lib.format.write_array(text, array, (1, 0))
        parts[name + _ARRAY] = text.getvalue()
    first = {_HEAD: json.dumps({"format": FORMAT, "sha256": _digest(parts), **head}).encode()}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, part in (first | parts).items():
            archive.writestr(zipfile.ZipInfo(name), part)  # without the time: equal states make equal files
    write_whole(path, content.getvalue(), claim)


def _digest(parts: dict[str, bytes]) -> str:
    """The digest of names and contents; parts are a dict of str to bytes."""
    each = (name.encode() + b" " + hashlib.sha256(part).digest() for name, part in sorted(parts.items()))
    return hashlib.sha256(b"".join(each)).hexdigest()


def read_checkpoint(path: str, what: str = "checkpoint", remedy: str = "delete it to start again") -> tuple[dict, dict]:
    """Read a checkpoint.

    Parameters
    ----------
    what, remedy
        For messages: what the file should be, and what to do if it is damaged.

    Returns
    -------
    (dict, dict)
        Head and state, as they were written.

    Raises
    ------
    DataError
        Unreadable, damaged, or not a checkpoint of this program.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(one.file_size for one in archive.infolist()) > os.stat(path).st_size:
                raise ValueError("larger inside than outside")
            parts = {one.filename: archive.read(one) for one in archive.infolist()}
        head = json.loads(parts.pop(_HEAD))
        if not isinstance(head, dict) or head.get("format") != FORMAT or head.get("sha256") != _digest(parts):
            raise ValueError("its contents do not agree")
        state = json.loads(parts.pop(_STATE))
        if not isinstance(state, dict):
            raise ValueError("its state is of another kind")
        state.update({name.removesuffix(_ARRAY): _array(part) for name, part in parts.items()})
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from error
    except (zipfile.BadZipFile, *_DAMAGED) as error:
        raise DataError(f"not a {what}, or damaged ({error}); {remedy}", path) from error
    return head, state


def _array(content: bytes) -> np.ndarray:
    """An array from the content of its part; it is never larger than that content."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array of another format")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.kind not in _KINDS:
        raise ValueError(f"an array of {dtype}")
    flat = np.frombuffer(content, dtype, offset=stream.tell())
    return flat.reshape(shape, order="F" if by_columns else "C").copy()
