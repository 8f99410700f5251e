"""Tasks in parallel, on threads of which each has a work space of its own."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def on_free_threads(
    run: Callable[[int, int], object],
    count: int,
    threads: int,
    parallel_map: Callable = map,
    should_continue: Callable = lambda: True,
) -> None:
    """Call `run(task, thread)` once for each task, on the next thread that is free.

    Parameters
    ----------
    count, threads
        Numbers of tasks and of threads, which are numbered from 0.
    parallel_map
        Like `map`; that of a thread pool shares the work.
    should_continue
        Called before each task, from several threads; once it returns False, the remaining tasks are skipped.

    Examples
    --------
    >>> on_free_threads(lambda task, thread: print(task, thread), 3, 2)
    0 0
    1 0
    2 0
    """
    queue = itertools.count()

    def share(thread: int) -> None:
        while should_continue() and (task := next(queue)) < count:
            run(task, thread)

    list(parallel_map(share, range(min(threads, count))))
