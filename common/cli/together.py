"""Options that belong together, as one record."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any


def all_of(*options: Any) -> Callable:
    """A decorator that adds all these options; the help lists them in this order."""
    return lambda function: functools.reduce(lambda inner, option: option(inner), reversed(options), function)


def together(key: str, record: type, *options: Any) -> Callable:
    """A decorator that adds options and passes their values to the command as one record.

    Parameters
    ----------
    key
        The parameter of the command that gets the record.
    record : dataclass
        Its fields are named as click names the options' parameters.
    *options : decorator
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> int | None:
            picked = {field.name: values.pop(field.name) for field in fields(record)}
            return function(*args, **{key: record(**picked)}, **values)

        return all_of(*options)(command)

    return decorate
