"""JSON in a file: errors are one line, and numbers of a header are numbers that keep their digits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ..errors import DataError
from .header_words import NUMBERS

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)


class WrittenNumber(float):
    """A number of a JSON text, and how it is written there."""

    text: str

    def __new__(cls, text: str) -> WrittenNumber:
        """The number that a text is."""
        made = super().__new__(cls, text)
        made.text = text
        return made


def header_json(header: dict[str, str]) -> str:
    """The lines of a header as a JSON object: text, but numbers where a key means one and the value is one."""
    lines = (f"{json.dumps(key, ensure_ascii=False)}: {_value_json(key, value)}" for key, value in header.items())
    return f"{{{', '.join(lines)}}}"


def _value_json(key: str, value: str) -> str:
    is_number = key.removeprefix("network-") in NUMBERS or key in NUMBERS
    return value if is_number and _NUMBER.fullmatch(value) else json.dumps(value, ensure_ascii=False)


def header_text(value: Any) -> str:
    """A value of a header in JSON as the text of its line."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, WrittenNumber) else json.dumps(value, ensure_ascii=False)


def parsed_json(
    text: str,
    path: str,
    object_of: Callable[[list[tuple[str, Any]]], Any] | None = None,
    float_of: Callable[[str], float] = float,
) -> Any:
    """The value of a JSON text.

    Parameters
    ----------
    path
        For messages.
    object_of
        Makes an object from its names and values, in order; None makes a dict.
    float_of
        Makes a number that is not whole from its text: WrittenNumber keeps this.

    Raises
    ------
    DataError
        Not JSON (with the line), too deep, or with a number of too many digits.
    """
    try:
        return json.loads(text, object_pairs_hook=object_of, parse_float=float_of)
    except json.JSONDecodeError as error:
        raise DataError(f"broken JSON: {error.msg}", path, error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise DataError("JSON that is too deep, or a number that is too long", path) from error
