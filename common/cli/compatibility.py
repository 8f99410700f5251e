"""Compatibility of options: the modes of a command in which each option has an effect.

The conditions of an option are part of its description (`common.cli.option`); a command adds those that differ there
(`add_conditions`). An option that was typed, even with its default value, and would have no effect is refused before
any work is done. A row may also be for one value of an option that is incompatible with something else.
Limits on the resources of a whole run (`--threads`, `--cache-mb`, `--memory`, `--time-limit`) apply to every mode, so
they need no conditions; neither does `--names` with a format that has names anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import click

from ..errors import UsageError
from .option import ABSENT, GIVEN, Conditions, Option
from .typed import TypedOptions

MAX_NUMBER = 2**63 - 1  # whole number
# options that demand something of the result: where that cannot be kept they are unsupported, not without effect
REQUIREMENTS = ("allowed_edges", "required_edges", "forbidden_edges", "certificate")


@dataclass(frozen=True)
class Table:
    """The compatibility table of one command.

    Attributes
    ----------
    rows
        By option, as click calls its parameter, or by (option, value): conditions as those of `Option`.
    derived : callable taking a dict of options and the set of those that were typed
        The modes that are not simply an option's value, as a dict; None if a mode is not known yet.
    """

    rows: Mapping[str | tuple[str, Any], Conditions] = field(default_factory=dict)
    derived: Any = lambda options, typed: {}

    @classmethod
    def of(cls, command: click.Command) -> Table:
        """The whole table of a command: its own rows, and the conditions in the descriptions of all other options."""
        own = getattr(command.callback, "conditions", cls())
        modes = {"source", *(param.name for param in command.params)}
        rows = {param.name: param.conditions for param in command.params if isinstance(param, Option)}
        kept = {name: {mode: wanted for mode, wanted in row.items() if mode in modes} for name, row in rows.items()}
        return cls({name: row for name, row in {**kept, **own.rows}.items() if row}, own.derived)


def add_conditions(rows: Mapping, derived: Any = Table.derived) -> Callable:
    """A decorator of a click command's function: the conditions that differ in this command.

    Parameters
    ----------
    rows, derived
        As in Table.
    """

    def decorate(function: Callable) -> Callable:
        function.conditions = Table(rows, derived)  # type: ignore[attr-defined]
        return function

    return decorate


def reject_ineffective_options(**known: str | None) -> None:
    """Refuse the options of the running command that have no effect, as `check`.

    Parameters
    ----------
    **known
        Modes that are known only from the files: `source`, or `score_type`.

    Raises
    ------
    UsageError
    """
    context = click.get_current_context(silent=True)
    if context is not None:
        check(TypedOptions.of(context), **known)


def is_accepted(context: click.Context, name: str, value: str) -> bool:
    """Whether a command has an option, and would have taken this value for it besides those that were given."""
    given = TypedOptions.of(context)
    try:
        check(replace(given, params={**given.params, name: value}, typed={*given.typed, name}))
    except UsageError:
        return False
    return name in given.params


def check(given: TypedOptions, **known: str | None) -> None:
    """Refuse options that have no effect, if the modes are known.

    Parameters
    ----------
    **known
        As for `reject_ineffective_options`.

    Raises
    ------
    UsageError
        Names the option, why it has no effect, and what to do.
    """
    table = Table.of(given.command)
    options = given.params
    typed = given.typed
    _refuse_huge(given)
    modes = {"source": None, **options, **table.derived(options, typed), **known}
    for key, conditions in table.rows.items():
        if _is_typed(given, key):
            for other, wanted in conditions.items():
                if not _is_met(wanted, modes[other]):
                    raise UsageError(_refusal(given, key, other, wanted, modes[other]))


def _is_typed(given: TypedOptions, key: str | tuple[str, Any]) -> bool:
    """Whether an option was typed, or an option with a value."""
    if isinstance(key, tuple):
        option, value = key
        return option in given.typed and given.params[option] == value
    return key in given.typed


def _refuse_huge(given: TypedOptions) -> None:
    """Refuse whole numbers that neither an array nor floating point can hold."""
    for param in given.command.params:
        value = given.params.get(param.name or "")
        if isinstance(value, int) and value > MAX_NUMBER:
            raise UsageError(f"{_label(param, value)}: a number of {len(str(value))} digits; give at most {MAX_NUMBER}")


def _is_met(wanted: str | tuple[str, ...], mode: bool | str | None) -> bool:
    """Whether a condition is met; True for a mode that is not known yet."""
    if wanted in (GIVEN, ABSENT):
        return (mode not in (None, False)) == (wanted == GIVEN)
    return mode is None or mode in wanted


def _refusal(
    given: TypedOptions,
    key: str | tuple[str, str],
    other: str,
    wanted: str | tuple[str, ...],
    mode: int | str | tuple[int, ...] | None,
) -> str:
    """The problem and the remedy, in one line."""
    command, options = given.command, given.params
    labels = {param.name: _label(param, options[param.name]) for param in command.params if param.name in options}
    if isinstance(key, tuple):  # a flag has no value to name
        option, does = f"{labels[key[0]]}{'' if key[1] is True else f' {key[1]}'}", "does not go"
    else:
        option, does = labels[key], "is not supported" if key in REQUIREMENTS else "has no effect"
    does = "is not supported yet" if (other, mode) == ("missing", "em") else does
    what = f"{option} {does}"
    if other == "source":
        return f"{what} with scores from a file, which are used unchanged; leave it out"
    by = labels[other]
    if wanted == GIVEN:
        return f"{option} needs {by}; add that, or leave it out"
    if wanted == ABSENT:
        return f"{what} with {by}; leave one of them out"
    choices = next(getattr(param.type, "choices", wanted) for param in command.params if param.name == other)
    *first, last = [choice for choice in wanted if choice in choices]
    return f"{what} with {by} {mode}; leave it out, or use {by} {', '.join(first)}{' or ' * bool(first)}{last}"


def _label(param: Any, value: Any) -> str:
    """An option's name as it is typed for a value."""
    if isinstance(param, click.Argument):
        return (param.metavar or param.name).strip("[]")
    return max(param.secondary_opts if value is False and param.secondary_opts else param.opts, key=len)
