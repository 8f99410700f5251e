"""The first line of a run on standard error: the data, the method, its time limit and its memory.

`lsmarkov: zoo.csv: 101 rows x 17 variables; search for 60 s (...); at most 1.1 GB for tables and cached scores`.
Only notices about how the data were read come before it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..run.limits import UNTIL_IDLE
from ..run.resources import megabytes
from .load import kind_of

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.parentsets import ParentSets
    from ..files.scorefile import CliqueScores
    from ..run.limits import Limits
    from ..scores.needs import Needs

LOG = logging.getLogger("cliquewise")


def log_summary(
    data: Dataset | CliqueScores | ParentSets, work: str, length: str, needs: Needs, cache_mb: int = 0, runs: int = 1
) -> None:
    """Log the first line of a run.

    Parameters
    ----------
    work
        The work, as `search`.
    length
        For how long, as from `length_of`.
    cache_mb
        Limit of the score cache, in megabytes.
    runs
        How many times it is done: once for each seed or sample.
    """
    times = f"{runs} times " if runs > 1 else ""
    scores = needs.scores(cache_mb) if cache_mb else 0.0
    what = "tables and cached scores" if cache_mb else "tables"
    memory = f"at most {megabytes(needs.tables + scores)} for {what}"
    LOG.info("%s: %s; %s%s %s; %s", data.source, _size(data), times, work, length, memory)


def _size(data: Any) -> str:
    """How much was read."""
    if kind_of(data) == "data":
        return f"{counted(data.n_rows, 'row')} x {counted(data.n, 'variable')}"
    return f"scores of {counted(data.n, 'variable')}"


def length_of(limits: Limits, by_itself: str = "until it is done", changed_by: str = "") -> str:
    """How long a run lasts, in words.

    Parameters
    ----------
    by_itself
        When it ends without limits.
    changed_by
        Options that change a limit that was not requested.
    """
    ends = [f"for {limits.time_limit:g} s"] if limits.time_limit is not None else []
    ends += [f"for {counted(limits.iterations, 'iteration')}"] if limits.iterations is not None else []
    ends += [f"until a score of {limits.target_score:.15g}"] if limits.target_score is not None else []
    ends += [UNTIL_IDLE] if limits.until_idle else []
    change = "change" if " or " in changed_by else "changes"
    return (" or ".join(ends) or by_itself) + (f" ({changed_by} {change} that)" if changed_by else "")


def sets_text(n: int, largest: int | None) -> str:
    """The number of sets of at most `largest` of n variables, in words: `2^14 sets`, `153 sets`."""
    from ..sets.set_orders import set_count

    return f"2^{n} sets" if largest is None or largest >= n else counted(set_count(n, largest), "set")
