"""A run of a learner that only compiles its kernels, in a second process (`common.run.second_compiler`)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..data.dataset import Dataset
from ..files.scorefile import CliqueScores
from ..run.limits import Limits
from ..run.monitor import Monitor
from ..scores.tiny_source import few_rows, tiny_source

if TYPE_CHECKING:
    from .load import AnySource


class ReversedCompilation(Monitor):
    """A run that only compiles: the kernels that a learner compiles before its clock starts, in reverse order."""

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(limits, threads=1, on_start=self._compile_all)
        self._tasks: list[Callable] = []

    def compile(self, *tasks: Callable) -> None:
        """Compile kernels, when the clock starts."""
        self._tasks += tasks

    def _compile_all(self) -> None:
        super().compile(*reversed(self._tasks))
        self.interrupt()


def compilation_run(learn: Callable, source: AnySource, *options: Any, limits: Limits | None) -> Callable | None:
    """A learner that runs only to compile its kernels, for `second_compiler`; None if it has parent sets.

    Parameters
    ----------
    learn
        A function of a module; called with little of the source, these options and a monitor.
    limits
        Those of the run, since learners choose methods and kernels by them.
    """
    if isinstance(source, CliqueScores):
        return partial(_run, learn, tiny_source(source), *options, limits=limits)
    return partial(_run, learn, few_rows(source), *options, limits=limits) if isinstance(source, Dataset) else None


def _run(learn: Callable, *inputs: Any, limits: Limits | None) -> None:
    with (
        ReversedCompilation(limits) as monitor,
        contextlib.suppress(KeyboardInterrupt),
    ):
        learn(*inputs, monitor)
