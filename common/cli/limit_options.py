"""When a run ends: `--time-limit`, `--iterations` and `--target`, which arrive as `limits`, a `LimitOptions`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from .lists import FiniteFloat
from .together import together

if TYPE_CHECKING:
    from ..run.monitor import Limits

DEFAULT_SECONDS = 60.0  # of a search that would never end


@dataclass(frozen=True)
class LimitOptions:
    """When to stop; None is no limit.

    Attributes
    ----------
    time_limit
        Seconds, > 0.
    iterations
        >= 1, in the learner's own unit.
    target
        A score that is good enough.
    """

    time_limit: float | None = None
    iterations: int | None = None
    target: float | None = None

    @property
    def is_given(self) -> bool:
        """Whether there is any limit."""
        return self != LimitOptions()

    @property
    def given(self) -> Limits:
        """These limits."""
        from ..run.monitor import Limits

        return Limits(self.time_limit, self.iterations, self.target)

    @property
    def of_search(self) -> Limits:
        """These limits; for a search without any, `DEFAULT_SECONDS`."""
        from ..run.monitor import Limits

        return self.given if self.is_given else Limits(DEFAULT_SECONDS)


def time_limit_option(default: float | None = None, result: str = "the best graph found") -> Callable:
    """`--time-limit` with a tool's own default (seconds; None is no limit); `result` is what is then written."""
    return click.option(
        "--time-limit",
        type=FiniteFloat(min=0, min_open=True, max=1e9),  # timers fail above about 9e9
        default=default,
        show_default=default is not None,
        metavar="SECONDS",
        help=f"Stop after this many seconds and write {result}.",
    )


def limit_options(
    iterations: str | None = None, has_target: bool = False, result: str = "the best graph found"
) -> Callable:
    """The options of a LimitOptions.

    Parameters
    ----------
    iterations
        Help of `--iterations`; None for a command without it.
    has_target
        Whether there is `--target`.
    result
        What is written when the time is up.
    """
    options = [time_limit_option(result=result)]
    if iterations is not None:
        options.append(click.option("--iterations", type=click.IntRange(min=1), metavar="N", help=iterations))
    if has_target:
        options.append(
            click.option(
                "--target",
                type=FiniteFloat(),
                metavar="SCORE",
                help="Stop when a network with at least this score is found.",
            )
        )
    return together("limits", LimitOptions, *options)
