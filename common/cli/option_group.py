"""Options that belong together, as one record."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import click

_NO_ROWS: Mapping[Any, dict] = {}


def all_of(*options: Any) -> Callable:
    """A decorator that adds all these options; the help lists them in this order."""
    return lambda function: functools.reduce(lambda inner, option: option(inner), reversed(options), function)


def option_group(
    key: str, record: type, *options: Any, rows: Mapping[Any, dict] = _NO_ROWS, undecided: tuple[str, ...] = ()
) -> Callable:
    """A decorator that adds options and passes their values to the command as one record.

    Parameters
    ----------
    key
        The parameter of the command that gets the record.
    record : dataclass
        Its fields are named as click names the options' parameters. A field has the default of its option, which the
        help shows; one that none of these options has keeps it.
    *options : decorator
    rows
        With what they have an effect: rows of the command's `common.cli.compatibility.Table`, where it has no others.
        Those of options that are not among these are ignored.
    undecided
        Options that have no default here: None says that something else decides.
    """
    defaults = {field.name: field.default for field in fields(record)}
    all_names = _names_of(*options)
    names = all_names & {*defaults}

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> int | None:
            picked = {name: values.pop(name) for name in names}
            return function(*args, **{key: record(**picked)}, **values)

        groups = getattr(function, "option_groups", ())
        command.option_groups = (*groups, (key, record, names))  # type: ignore[attr-defined]
        own = {name: row for name, row in rows.items() if name in all_names}
        command.option_rows = {**own, **getattr(function, "option_rows", {})}  # type: ignore[attr-defined]
        before = len(getattr(command, "__click_params__", ()))
        decorated = all_of(*options)(command)
        for param in decorated.__click_params__[before:]:
            if param.name in names and param.name not in undecided:
                _take_default(param, defaults[param.name])
        return decorated

    return decorate


def _take_default(param: Any, default: Any) -> None:
    """Give an option that has no default and is no flag the default of its field."""
    if (
        isinstance(default, str | int | float)
        and not param.is_flag
        and not isinstance(param.default, str | int | float)
    ):
        param.default, param.show_default = default, bool(default != "" and "[default:" not in (param.help or ""))


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
