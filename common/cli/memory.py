"""The option `--memory`: a learner chooses its cache by it; for all other commands it is a bound on all tables.

The limit covers the tables and the cached scores; the program itself and its data are not included, and the memory of
SCIP and HiGHS for an integer program is not known in advance.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..run.resources import GIGABYTE, memory_bound
from .lists import FiniteFloat
from .options import resource_option

_of_memory: dict[str, Any] = {"type": FiniteFloat(min=0, min_open=True), "metavar": "GB"}
memory_option = resource_option(
    "--memory", **_of_memory, help="Limit for tables and cached scores.  [default: the free memory]"
)


def bounded_memory(function: Callable) -> Callable:
    """`--memory` of a command that does not see it: it holds for all tables that are made while the command runs."""

    @functools.wraps(function)
    def command(*args: Any, memory: float | None, **values: Any) -> int | None:
        with memory_bound(None if memory is None else memory * GIGABYTE):
            return function(*args, **values)

    return resource_option("--memory", **_of_memory, help="Limit for tables.  [default: the free memory]")(command)
