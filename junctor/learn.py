"""junctor's one public function."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..common.bounds.problem import MAX_VARIABLES
from ..common.data.dataset import Dataset
from ..common.errors import DataError, UsageError
from ..common.graphs.edge_constraints import check_edges
from ..common.run.result import LearnResult
from ..common.scores.allowed import allowed_graph
from .dynamic_program import learn_by_dynamic_program

if TYPE_CHECKING:
    from ..common.files.scorefile import CliqueScores
    from ..common.run.limits import Limits
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring
    from .config import Config

MAX_BY_DP = 32  # variables
CUTTING_FROM, BOUNDED_CUTTING_FROM = 19, 15  # variables, without and with a bound on cliques: see `uses_cutting`


def uses_cutting(n: int, config: Config, limits: Limits) -> bool:
    """Whether to use cutting planes for n variables: they are requested, needed, or faster.

    Parameters
    ----------
    limits : Limits
    """
    if config.method != "auto":
        return config.method == "ilp"
    special = config.required is not None or limits.time_limit is not None or config.gap > 0.0
    is_short = config.max_clique is None or config.best is not None  # the dynamic program
    return special or config.certificate or n >= (CUTTING_FROM if is_short else BOUNDED_CUTTING_FROM)


def check_variables(source: Dataset | CliqueScores, config: Config, limits: Limits) -> None:
    """DataError if there are more variables than the method takes."""
    n = source.n
    if n > MAX_VARIABLES:
        advice = "search with lsmarkov; mntools bound --graph bounds its network"
        raise DataError(f"{n} variables; junctor takes at most {MAX_VARIABLES}: {advice}", source.source)
    if n > MAX_BY_DP and not uses_cutting(n, config, limits):
        raise DataError(f"{n} variables; method dp takes at most {MAX_BY_DP}, method ilp more", source.source)


def learn(source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor) -> LearnResult:
    """A chordal Markov network of the highest score.

    Parameters
    ----------
    source
        With at most 64 variables, 32 for the dynamic program; in practice, memory is the limit.
    monitor
        A stop ends the work, in any phase: with the best network known so far, status "interrupted".

    Returns
    -------
    LearnResult
        Its iterations are the states of the dynamic program or the rounds of the cutting planes; its upper bound is
        proved.

    Raises
    ------
    LimitError
        The tables do not fit in the allowed memory.
    UsageError
        Edges that contradict each other; required ones for the dynamic program.
    DataError
        More variables; scores of a file that allow no network.
    KeyboardInterrupt
        Stopped before any network was known.
    """
    n = source.n
    check_variables(source, config, monitor.limits)
    check_edges(config)
    if config.method == "dp" and config.required is not None:
        raise UsageError("--method dp cannot require edges, nor those of prior probability 1; use --method ilp")
    config = replace(config, allowed=allowed_graph(config.allowed, config.forbidden, n), forbidden=None)
    if uses_cutting(n, config, monitor.limits):
        from .ilp import learn_by_cutting

        return learn_by_cutting(source, scoring, config, monitor)
    return learn_by_dynamic_program(source, scoring, config, monitor)
