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
        Its fields are named as click names the options' parameters; a field that none of these options has keeps its
        default.
    *options : decorator
    """
    names = _names_of(*options) & {field.name for field in fields(record)}

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> int | None:
            picked = {name: values.pop(name) for name in names}
            return function(*args, **{key: record(**picked)}, **values)

        return all_of(*options)(command)

    return decorate


def _names_of(*options: Any) -> set[str]:
    """The parameters of these options, as click names them."""

    def alone() -> None: ...

    return {param.name for param in all_of(*options)(alone).__click_params__}
