"""Compatibility of options: the modes of a command in which each option has an effect.

A command has one table with a row for every option (`goes_with`): empty if the option always has an effect, otherwise
conditions on other options and on the kind of data. An option that was typed, even with its default value, and would
have no effect is refused before any work is done. A row may also be for one value of an option that is incompatible
with something else. Limits on the resources of a whole run (`--threads`, `--cache-mb`, `--memory`, `--time-limit`)
apply to every mode, so they need no conditions; neither does `--names` with a format that has names anyway.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from ..errors import UsageError
from ..files.result_header import READ_BY, SCORE_TYPES
from .typed import TypedOptions

LARGEST = 2**63 - 1  # whole number
GIVEN, ABSENT = "given", "absent"
# options that demand something of the result: where that cannot be kept they are unsupported, not without effect
DEMANDS = ("allowed_edges", "required_edges", "forbidden_edges", "certificate")
ALWAYS: dict = {}
# rows of groups of options (`common.cli.option_group`)
OF_DATA = {"source": ("data",)}  # scores from a file are used unchanged
INPUT = {"data": ALWAYS, **dict.fromkeys(READ_BY, OF_DATA)}
LEARNING = {**INPUT, "resample": OF_DATA}
SCORE: dict = {
    "score_type": OF_DATA,
    "ess": {**OF_DATA, "score_type": ("bdeu", "mpl")},
    "gamma": {**OF_DATA, "score_type": ("ebic",)},
    **dict.fromkeys(("edge_prior", "edge_priors"), {"score_type": SCORE_TYPES}),  # not of blankets
}
ARCS = ("required_arcs", "forbidden_arcs", "tiers", "total_order", "roots", "leaves")
KNOWLEDGE = dict.fromkeys((*ARCS, "allowed_edges", "required_edges", "forbidden_edges"), ALWAYS)
CHOICE = {**OF_DATA, "score_type": ("bdeu",)}  # of --choose, with the options that a command has for one network
OUTPUT = {"fmt": ALWAYS, "use_names": ALWAYS, "path": ALWAYS, "provenance": ALWAYS}
RESOURCES = {"threads": ALWAYS, "cache_mb": ALWAYS, "memory": ALWAYS, "dry_run": ALWAYS}
LIMITS = {"time_limit": ALWAYS, "iterations": ALWAYS, "target": ALWAYS}
WITH_EM: dict = {"missing": ("em",)}  # of an option that only --missing em has
WITHOUT_EM: dict = {"missing": ("refuse", "state", "drop")}  # of one that it does not have
OF_EM = {"completions": WITH_EM, "completed": WITH_EM}
SWEEP = {
    "seed": {"seeds": ABSENT},
    "seeds": ALWAYS,
    "resamples": {**OF_DATA, "resample": ABSENT, "seeds": ABSENT},
    "shard": ALWAYS,  # `SweepOptions.runs` refuses it without one of these
}
KEEPING = {"checkpoint": ALWAYS, "checkpoint_every": {"checkpoint": GIVEN}, "resume": {"checkpoint": GIVEN}}


@dataclass(frozen=True)
class Table:
    """The compatibility table of one command.

    Attributes
    ----------
    rows
        By option, as click calls its parameter, or by (option, value): dict of conditions, all of which must hold. The
        key is another option, the value GIVEN, ABSENT, or a tuple of those values with which it has an effect. The key
        `source` stands for what the input is, `data` or `scores`.
    derived : callable taking a dict of options and the set of those that were typed
        The modes that are not simply an option's value, as a dict; None if a mode is not known yet.
    """

    rows: dict
    derived: Any = lambda options, typed: {}


def goes_with(rows: dict, derived: Any = Table.derived) -> Callable:
    """A decorator, the outermost of a click command's function: refuses options that have no effect by these rows.

    Parameters
    ----------
    rows
        As in Table, for options that no `option_group` has rows for, or for which others hold in this command.
    derived
        As in Table.
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def command(*args: Any, **values: Any) -> int | None:
            reject_ineffective_options()
            return function(*args, **values)

        own = {**getattr(function, "option_rows", {}), **rows}
        command.goes_with = Table(own, derived)  # type: ignore[attr-defined]
        return command

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
    table: Any = getattr(given.command.callback, "goes_with", None)
    if table is None:
        return
    options, typed = given.params, given.typed
    _refuse_huge(given)
    modes = {"source": None, **options, **table.derived(options, typed), **known}
    for key, conditions in table.rows.items():
        option, *value = key if isinstance(key, tuple) else (key,)
        if option in typed and value in ([], [options[option]]):
            for other, wanted in conditions.items():
                if not _holds(wanted, modes[other]):
                    raise UsageError(_refusal(given, key, other, wanted, modes[other]))


def _refuse_huge(given: TypedOptions) -> None:
    """Refuse whole numbers that neither an array nor floating point can hold."""
    for param in given.command.params:
        value = given.params.get(param.name or "")
        if isinstance(value, int) and value > LARGEST:
            raise UsageError(f"{_label(param, value)}: a number of {len(str(value))} digits; give at most {LARGEST}")


def _holds(wanted: str | tuple[str, ...], mode: bool | str | None) -> bool:
    """Whether a condition holds; True for a mode that is not known yet."""
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
        option, does = labels[key], "is not supported" if key in DEMANDS else "has no effect"
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
    return f"{what} with {by} {mode}; leave it out, or take {by} {', '.join(first)}{' or ' * bool(first)}{last}"


def _label(param: Any, value: Any) -> str:
    """An option's name as it is typed for a value."""
    if isinstance(param, click.Argument):
        return (param.metavar or param.name).strip("[]")
    return max(param.secondary_opts if value is False and param.secondary_opts else param.opts, key=len)
