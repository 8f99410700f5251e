"""JSON in a file; errors are one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..errors import DataError


def parsed_json(text: str, path: str, object_of: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a JSON text.

    Parameters
    ----------
    path
        For messages.
    object_of
        Makes an object from its names and values, in order; None makes a dict.

    Raises
    ------
    DataError
        Not JSON (with the line), too deep, or with a number of too many digits.
    """
    try:
        return json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        raise DataError(f"broken JSON: {error.msg}", path, error.lineno) from error
    except (RecursionError, ValueError) as error:
        raise DataError("JSON that is too deep, or a number that is too long", path) from error
