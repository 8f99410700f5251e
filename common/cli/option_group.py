"""Options that belong together, as one record."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click


def all_of(*options: Any) -> Callable:
    """A decorator that adds all these options; the help lists them in this order."""
    return lambda function: functools.reduce(lambda inner, option: option(inner), reversed(options), function)


def option_group(key: str, record: type, *options: Any) -> Callable:
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

        groups = getattr(function, "option_groups", ())
        command.option_groups = (*groups, (key, record, names))  # type: ignore[attr-defined]
        return all_of(*options)(command)

    return decorate


def records_of(command: click.Command, params: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a command's parameters as its function gets them: those of a group as one record."""
    values = dict(params)
    for key, record, names in getattr(command.callback, "option_groups", ()):
        values[key] = record(**{name: values.pop(name) for name in names})
    return values


def _names_of(*options: Any) -> set[str]:
    """The parameters of these options, as click names them."""

    def alone() -> None: ...

    return {param.name for param in all_of(*options)(alone).__click_params__}
