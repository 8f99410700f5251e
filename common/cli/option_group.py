"""Options that belong together, as one record."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .option import Conditions, Option

if TYPE_CHECKING:
    import click


def all_of(*options: Any) -> Callable:
    """A decorator that adds all these options; the help lists them in this order."""
    return lambda function: functools.reduce(lambda inner, option: option(inner), reversed(options), function)


def with_conditions(conditions: Conditions, *options: Any) -> Callable:
    """A decorator that adds all these options, which then have an effect only if these conditions hold, too."""

    def decorate(function: Callable) -> Callable:
        decorated, added = _added(function, options)
        for param in added:
            if isinstance(param, Option):
                param.conditions = {**conditions, **param.conditions}
        return decorated

    return decorate


def _added(function: Callable, options: tuple) -> tuple[Any, list[click.Parameter]]:
    """A function with these options, and their parameters."""
    before = len(getattr(function, "__click_params__", ()))
    decorated: Any = all_of(*options)(function)
    return decorated, decorated.__click_params__[before:]


def option_group(key: str, record: type, *options: Any, undecided: tuple[str, ...] = ()) -> Callable:
    """A decorator that adds options and passes their values to the command as one record.

    Parameters
    ----------
    key
        The parameter of the command that gets the record.
    record : dataclass
        Its fields are named as click names the options' parameters. A field has the default of its option, which the
        help shows; one that none of these options has keeps it.
    *options : decorator
    undecided
        Options that have no default here: their value comes from elsewhere if they are not given.
    """
    defaults = {field.name: field.default for field in fields(record)}

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> int | None:
            picked = {name: values.pop(name) for name in names}
            return function(*args, **{key: record(**picked)}, **values)

        decorated, added = _added(command, options)
        named = {param.name: param for param in added if param.name in defaults}
        names = frozenset(named)
        groups = getattr(function, "option_groups", ())
        decorated.option_groups = (*groups, (key, record, names))
        for name, param in named.items():
            if name not in undecided:
                _take_default(param, defaults[name])
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
