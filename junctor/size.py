"""Memory limit of a run of junctor: that of its tables, before bounds reduce them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..common.bounds import problem
from ..common.bounds.finish import most_bytes
from ..common.bounds.orders import bytes_of_bounds
from ..common.exact import tables
from ..common.scores.needs import Needs
from .learn import uses_cutting

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from .config import Config


def needs_of(source: Dataset | CliqueScores, config: Config, limits: Any) -> tuple[str, Needs]:
    """The memory that a run needs.

    Parameters
    ----------
    limits : Limits

    Returns
    -------
    (str, Needs)
        The method, and its tables: `learn` refuses those that do not fit, once it knows the number of sets.
    """
    n = source.n
    largest = min(config.max_clique or source.n, source.max_size)
    if uses_cutting(n, config, limits):
        search = 0 if config.certificate else most_bytes(n, largest)
        return "ilp", Needs(problem.bytes_needed(n, largest, config.required is not None) + search)
    return "dp", Needs(max(tables.most_bytes_needed(n, largest, lists=config.bounds), bytes_of_bounds(n)))
