"""twlearn's one public function: `learn`."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from ..common.files.parentsets import ParentSets
from ..common.graphs.dag import Dag
from ..common.graphs.start_network import check_start
from ..common.run.result import OPTIMAL
from .config import EXACT
from .families import families_of
from .result import network

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from ..common.scores.scoring import Scoring
    from .config import Config
    from .families import ScoredFamilies

LOG = logging.getLogger("cliquewise")
MAX_BY_PROGRAM = 25  # variables up to which the integer programs mostly end in a minute
FEW_SETS = 30  # parent sets a variable up to which that of the network alone does
MANY_VARIABLES = 100  # from this number on, the search over the whole network is slower than over its pieces


def learn(
    source: Dataset | CliqueScores | ParentSets, scoring: Scoring, config: Config, monitor: Monitor
) -> LearnResult:
    """A Bayesian network of bounded treewidth.

    Parameters
    ----------
    source : Dataset, CliqueScores or ParentSets
    scoring
        Scores from a file are used unchanged.

    Returns
    -------
    LearnResult
        Its graph is a Dag.

    Raises
    ------
    UsageError
        A template that does not fit the data or the bound.
    DataError
        The scores in the file leave a variable without any parent set.
    LimitError
        Too large for the memory or the method.
    KeyboardInterrupt
        Stopped before the parent sets were scored.
    """
    most = min(config.max_parents, config.treewidth)
    families = families_of(source, most, scoring, config.cache_mb, monitor, config.parent_sets)
    if families is None:  # stopped while scoring
        raise KeyboardInterrupt
    LOG.info("%d parent sets of %d variables", len(families.scores), families.n)
    _report_larger(source, config)
    if config.template is not None:
        check_start(config.template.graph, families.n, config.treewidth + 1, config.template.named)
    result = _run(families, config, monitor, source, scoring)
    assert isinstance(result.graph, Dag)
    price = families.arc_price * len(result.graph.arcs)
    score, upper = result.score + price, result.upper_bound + price
    return replace(result, graph=Dag(families.n, result.graph.arcs, source.names), score=score, upper_bound=upper)


def _report_larger(source: Dataset | CliqueScores | ParentSets, config: Config) -> None:
    """Report how many sets of a file are left out only because of the bound on the parents."""
    if isinstance(source, ParentSets):
        sizes = np.concatenate([np.count_nonzero(parents >= 0, axis=1) for parents in source.parents])
        larger = np.count_nonzero((sizes > config.max_parents) & (sizes <= config.treewidth))
        if larger:
            LOG.info(
                "left out: %d sets of more than %d; raise --max-parents to include them", larger, config.max_parents
            )


def _run(
    families: ScoredFamilies,
    config: Config,
    monitor: Monitor,
    source: Dataset | CliqueScores | ParentSets,
    scoring: Scoring,
) -> LearnResult:
    """The method's LearnResult."""
    n = families.n
    if n == 1:
        return network(families, [0], [0], OPTIMAL, upper_bound=float(families.scores[0]))
    method = method_for(n, config, monitor.limits.iterations is not None, sets_in(source))
    LOG.info("method %s", method)
    function = getattr(import_module(f"cliquewise.twlearn.{method}"), method)
    if method == "pieces" and not isinstance(source, ParentSets):
        from .growth import ChordalGrowth

        function = partial(function, growth=ChordalGrowth(source, scoring, config, monitor.threads))
    result = function(families, config, monitor)
    if method in EXACT:  # the result of their last step, or of their only one
        monitor.report(result.iterations - monitor.iterations, result.score)
    return result


def sets_in(source: Dataset | CliqueScores | ParentSets) -> int | None:
    """The number of parent sets in a file of them; None for other sources."""
    return sum(map(len, source.scores)) if isinstance(source, ParentSets) else None


def method_for(n: int, config: Config, counts: bool = False, sets: int | None = None) -> str:
    """The method for n variables: the requested one, or the best for this size.

    Parameters
    ----------
    n
    config
    counts
        Whether iterations are limited: then only methods that count them, or end in seconds.
    sets
        The number of parent sets, if it is known.
    """
    if config.method != "auto":
        return config.method
    if config.template is not None:
        return "chordal"
    from . import kp, milp_columns

    if kp.suits(n, config.treewidth, config.memory):
        return "kp"
    is_small = n <= MAX_BY_PROGRAM and milp_columns.suits(n, config.treewidth)
    if (is_small or _is_sparse(n, sets)) and not counts:
        return "milp"
    return "chordal" if n < MANY_VARIABLES else "pieces"


def _is_sparse(n: int, sets: int | None) -> bool:
    """Whether the program of the network's families alone is for n variables, and mostly ends soon."""
    if sets is None or sets > FEW_SETS * n:
        return False
    from .networks_scip import MOST_VARIABLES  # SCIP is loaded only for this

    return n <= MOST_VARIABLES
