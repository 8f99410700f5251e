"""A learner that runs only to compile its kernels, in a second process (`common.run.second_compiler`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ..data.dataset import Dataset
from ..files.scorefile import CliqueScores
from ..run.monitor import Limits, Monitor
from ..scores.tiny_source import few_rows, tiny_source

if TYPE_CHECKING:
    from .load import AnySource

SECONDS = 1.0  # of the search


class LastFirst(Monitor):
    """A run that compiles, when its clock starts, what other runs compile before that, in reverse order."""

    def __init__(self, iterations: int | None = None) -> None:
        super().__init__(Limits(SECONDS, iterations), threads=1, on_start=self._compile_all)
        self._tasks: list[Callable] = []

    def compile(self, *tasks: Callable) -> None:
        """Compile kernels, when the clock starts."""
        if self.clock.has_started:
            super().compile(*tasks)
        else:
            self._tasks += tasks

    def _compile_all(self) -> None:
        super().compile(*reversed(self._tasks))


def briefly(learn: Callable, source: AnySource, *words: Any, iterations: int | None = None) -> Callable | None:
    """A learner that runs only to compile its kernels, for `second_compiler`; None if it has parent sets.

    Parameters
    ----------
    learn
        A function of a module; called with little of the source, these words and a monitor.
    iterations
        The limit, for learners that choose their method by it.
    """
    if isinstance(source, CliqueScores):
        return partial(_run, learn, tiny_source(source), *words, iterations=iterations)
    return (
        partial(_run, learn, few_rows(source), *words, iterations=iterations) if isinstance(source, Dataset) else None
    )


def _run(learn: Callable, *words: Any, iterations: int | None = None) -> None:
    with LastFirst(iterations) as monitor:
        learn(*words, monitor)
