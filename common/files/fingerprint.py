"""Fingerprint of the inputs of a run: a digest of its data, and its options by name.

Both are computed from the records themselves (Dataset, CliqueScores, ParentSets; Scoring and a tool's Config), so that
a new field is part of the fingerprint, unless it is described as one `without_effect` on results.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import field, fields, is_dataclass
from typing import Any

import numpy as np

_IDLE = "without effect"  # in the metadata of a field
NO_EFFECT = {_IDLE: True}  # the metadata of a field that changes no result
OF_WEIGHTS = {"denominator", "rows"}  # of data, left out without weights
_MAX_VALUE_LENGTH = 60  # longest value, in characters, that is not replaced by a digest


def without_effect(default: Any) -> Any:
    """A field of a record with this default that changes no result, as the name of a file or a limit on memory."""
    return field(default=default, metadata=NO_EFFECT)


def json_value(value: Any) -> Any:
    """A value in JSON types, arrays as digests.

    Parameters
    ----------
    value
        None, a number, text, an array, a record (dataclass or named tuple), or a dict, list or tuple of these.

    Returns
    -------
    object
        None, bool, int, float, str, list or dict. Equal for equal values, on any machine.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(f"{value.dtype.str} {value.shape} ".encode())
        digest.update(np.ascontiguousarray(value.T))  # type: ignore[arg-type]  # data are stored column by column
        return digest.hexdigest()
    if is_dataclass(value):
        left_out = OF_WEIGHTS if getattr(value, "rows", None) is None else ()
        kept = [one.name for one in fields(value) if _IDLE not in one.metadata and one.name not in left_out]
        return {name: json_value(getattr(value, name)) for name in kept}
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): json_value(one) for key, one in value.items()}
    return [json_value(one) for one in value]


def data_digest(source: Any) -> str:
    """The fingerprint of a data set, or of scores: 64 hexadecimal digits.

    Parameters
    ----------
    source : Dataset, CliqueScores or ParentSets
        Names, states and the order of the rows matter; the file name does not.
    """
    return _digest([type(source).__name__, json_value(source)])


def options_of(*records: Any) -> dict:
    """The options of a run by name: a dict of str to str, long values by their digests.

    Parameters
    ----------
    *records : dataclass
        Such as Scoring and Config. Nested records are expanded: `steps.max-clique`.
    """
    found: dict = {}
    for record in records:
        for name, value in json_value(record).items():
            found.update(_named(name.replace("_", "-"), value))
    return found


def _named(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """The options of one field."""
    if isinstance(value, dict) and all(key.isidentifier() for key in value):
        for key, one in value.items():
            yield from _named(f"{name}.{key.replace('_', '-')}", one)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield name, text if len(text) <= _MAX_VALUE_LENGTH else _digest(value)


def _digest(value: list[dict[str, Any] | str]) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()
