"""Arguments of Python functions that no command line has parsed: their types, and the ranges of the options.

A wrong one is a UsageError that names the argument and what is expected.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import UsageError, shown_value

if TYPE_CHECKING:
    from threading import Event

T = TypeVar("T")
# ranges that options of commands and arguments of functions share
MAX_SECONDS = 1e9  # timers fail above about 9e9
MAX_THREADS = 1024  # more than machines have; each has tables of its own
CLASS_RANGE = 2, 1000  # classes that a column of numbers is cut into
MAX_STARTS = 10_000  # of EM
MAX_DRAWS = 100_000  # completed copies of a row


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number in a range.

    Examples
    --------
    >>> whole_number("rows", 20.0, 1)
    20
    >>> whole_number("rows", 0, 1)
    Traceback (most recent call last):
    cliquewise.common.errors.UsageError: rows=0: expected a whole number, at least 1
    """
    found = number_or_none(value)
    if found is None or found != int(found) or not _within(int(value), least, most):
        upper = "" if most is None else f" and at most {most:,}"
        raise UsageError(f"{name}={shown_value(value)}: expected a whole number, at least {least}{upper}")
    return int(value)


def number(name: str, value: Any, above: float | None = None, least: float | None = None, most: float = 1e6) -> float:
    """A number above one limit, or at least as large, and at most another."""
    found = number_or_none(value)
    if found is None or (above is not None and found <= above) or not _within(found, least, most):
        lower = f"at least {least:g}" if above is None else f"above {above:g}"
        upper = "" if most == math.inf else f" and at most {most:,.15g}"
        raise UsageError(f"{name}={shown_value(value)}: expected a number, {lower}{upper}")
    return found


def one_of(name: str, value: T, choices: Iterable[T]) -> T:
    """One of some values."""
    known = list(choices)
    if value not in known:
        raise UsageError(f"{name}={shown_value(value)}: expected one of {', '.join(map(str, known))}")
    return value


def file_name(name: str, value: Any) -> str:
    """The name of a file."""
    if not isinstance(value, str | os.PathLike):
        raise UsageError(f"{name}={shown_value(value)}: give the name of a file")
    return os.fspath(value)


def stop_event(value: Any) -> Event | None:
    """The event by which another thread ends a run, the argument `stop`; None is none."""
    if value is not None and not hasattr(value, "wait"):
        raise UsageError(f"stop={shown_value(value)}: give a threading.Event")
    return value


def as_dict(name: str, value: Any, of: str) -> dict[Any, Any]:
    """A dict, or what has keys and values like one, such as a row of pandas; None is an empty one."""
    if value is None:
        return {}
    if not hasattr(value, "keys"):
        raise UsageError(f"{name}={shown_value(value)}: expected a dict of {of}")
    return dict(value)


def number_or_none(value: Any) -> float | None:
    """A finite number as float, also one of numpy; None for everything else, also for True and False."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    return float(value) if type(value) in (int, float) and math.isfinite(value) else None


def _within(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)
