"""When a run ends: `--time-limit`, `--iterations` and `--target-score`, which arrive as `limits`, in one record."""

from __future__ import annotations

from collections.abc import Callable

import click

from ..arguments import MAX_SECONDS
from ..run.limits import Limits
from .lists import FiniteFloat
from .option import LIMITS, option
from .option_group import option_group


def solver_limit_option(name: str, field: str) -> Callable:
    """The time limit of an integer program, which is not that of the run: a decorator.

    Parameters
    ----------
    name, field
        Of the option, and of its value.
    """
    return option(
        name,
        field,
        group=LIMITS,
        type=FiniteFloat(min=0, min_open=True),
        metavar="SECONDS",
        help="Stop an integer program after this many seconds and use its best solution.",
    )


def limit_options(
    iterations: str | None = None, has_target: bool = False, result: str = "the best graph found"
) -> Callable:
    """The options that make a `common.run.limits.Limits`.

    Parameters
    ----------
    iterations
        Help of `--iterations`; None for a command without it.
    has_target
        Whether there is `--target-score`.
    result
        Name of the output that is written when the time is up.
    """
    options = [
        option(
            "--time-limit",
            first=True,
            group=LIMITS,
            type=FiniteFloat(min=0, min_open=True, max=MAX_SECONDS),
            metavar="SECONDS",
            help=f"Stop after this many seconds and write {result}.",
        )
    ]
    if iterations is not None:
        options.append(option("--iterations", group=LIMITS, type=click.IntRange(min=1), metavar="N", help=iterations))
    if has_target:
        options.append(
            option(
                "--target-score",
                group=LIMITS,
                type=FiniteFloat(),
                metavar="SCORE",
                help="Stop when a network with at least this score is found.",
            )
        )
    return option_group("limits", Limits, *options)
