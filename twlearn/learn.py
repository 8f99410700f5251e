"""twlearn's one public function: `learn`."""

from __future__ import annotations

import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from ..common.counted import counted
from ..common.data.dataset import Dataset
from ..common.errors import DataError
from ..common.files.parentsets import ParentSets
from ..common.graphs.dag import Dag
from ..common.graphs.start_network import check_start
from ..common.run.result import COMPLETE, OPTIMAL, without_result
from ..common.scores.scorer import SetScorer
from ..common.sets.set_orders import set_count
from .config import EXACT, FEW_PARENTS
from .families import families_of, is_searched
from .result import result_of
from .template import check_template

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from ..common.scores.scoring import Scoring
    from .config import Config
    from .families import ScoredFamilies

LOG = logging.getLogger("cliquewise")
MAX_BY_PROGRAM = 25  # largest number of variables for which the integer programs mostly end in a minute
FEW_SETS = 30  # largest number of parent sets per variable for which the one without the k-tree mostly does
MANY_VARIABLES = 100  # from this number on, the search over arcs is better
SEVERAL_VARIABLES = 40  # and from this number on, if scoring all sets would take long
LONG_SCORING = 1e9  # sets times rows: a second or two of a processor


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
        The scores in the file leave a variable without any parent set; no network has the required arcs and edges, or
        none was found.
    LimitError
        Too large for the memory or the method.
    KeyboardInterrupt
        Stopped before the parent sets were scored.
    """
    method = method_for(source, config, monitor.limits.iterations is not None)
    config = replace(config, method=method).with_max_parents()
    if isinstance(source, ParentSets):
        _report_larger(source, config)
        _warn_of_lacking(source, config)
    if config.template is not None:
        check_start(config.template.graph, source.n, config.treewidth + 1, config.template.named)
        if config.known is not None:
            config = replace(config, template=check_template(config.template, config.known))
    LOG.info("method %s", method)
    if config.best is not None:
        from .listing import with_best_networks
        from .silander_myllymaki import compile_bounds

        monitor.compile(compile_bounds)
    search = _by_arcs if method == "climb" and source.n > 1 else _by_families
    result = search(source, scoring, config, monitor)
    assert isinstance(result.graph, Dag)
    _check_known(result, config)
    if config.best is not None:
        result = with_best_networks(source, scoring, config, monitor, result)
    named = tuple((replace(cast("Dag", graph), names=source.names), score) for graph, score in result.networks)
    return replace(result, graph=replace(cast("Dag", result.graph), names=source.names), networks=named)


def _check_known(result: LearnResult, config: Config) -> None:
    """Refuse a network without the required arcs and edges."""
    known = config.known
    assert isinstance(result.graph, Dag)
    lacking = None if known is None else known.lacking(result.graph)
    if known is not None and lacking is not None:
        verb = "has" if result.status == OPTIMAL else "was found that has"
        parents = counted(cast("int", config.max_parents), "parent")
        raise DataError(
            f"no network of treewidth at most {config.treewidth} and with at most {parents} {verb} the "
            f"{known.shown(lacking)} and all other requirements; require fewer"
        )


def _report_larger(source: ParentSets, config: Config) -> None:
    """Report how many sets of a file are left out only because of the bound on the parents."""
    sizes = np.concatenate([np.count_nonzero(parents >= 0, axis=1) for parents in source.parents])
    larger = np.count_nonzero((sizes > config.max_parents) & (sizes <= config.treewidth))
    if larger:
        LOG.info(
            "left out: %s of more than %d; raise --max-parents to include them",
            counted(int(larger), "set"),
            config.max_parents,
        )


def _warn_of_lacking(source: ParentSets, config: Config) -> None:
    """Warn if sets that a file lacks can count: a pruned set is useless only beside every one of its subsets."""
    known = config.known
    if config.best is None and (known is None or not (known.arcs or known.edges)):
        return
    largest = min(max(parents.shape[1] for parents in source.parents), cast("int", config.max_parents))
    listed = sum(int(np.count_nonzero((parents[:, largest:] < 0).all(axis=1))) for parents in source.parents)
    lacking = source.n * set_count(source.n - 1, largest) - listed
    if lacking > 0:
        LOG.warning(
            "%s: %d parent sets of up to %d are not in the file; if it was pruned, one of them can be needed for "
            "required arcs or edges, or for networks nearly as good: results are those of the sets in the file",
            source.source, lacking, largest,
        )  # fmt: skip


def _by_arcs(
    source: Dataset | CliqueScores | ParentSets, scoring: Scoring, config: Config, monitor: Monitor
) -> LearnResult:
    """The LearnResult of the search over arcs, whose parent sets are scored when they are needed."""
    from .arc_gains import ListedGains, SetGains
    from .climb import climb

    gains: SetGains | ListedGains
    if isinstance(source, Dataset):
        gains = SetGains(source, scoring, config.cache_mb, monitor, config.parent_sets, config.known)
    else:
        has_sets = not isinstance(source, ParentSets)
        scorer = SetScorer(source, scoring, config.cache_mb, monitor.threads) if has_sets else None
        gains = ListedGains(_families(source, scoring, config, monitor), scorer)
    return _unpriced(climb(gains, config, monitor), gains.arc_price)


def _unpriced(result: LearnResult, arc_price: float) -> LearnResult:
    """A result whose score is not less the price of arcs."""
    price = arc_price * len(result.graph.edges)
    return replace(result, score=result.score + price, upper_bound=result.upper_bound + price)


def _families(
    source: Dataset | CliqueScores | ParentSets, scoring: Scoring, config: Config, monitor: Monitor
) -> ScoredFamilies:
    """The parent sets, with those of the template."""
    families = families_of(source, scoring, config, monitor)
    if families is None:  # stopped while scoring
        raise without_result(monitor.status, "all parent sets were scored")
    LOG.info("%s of %s", counted(len(families.scores), "parent set"), counted(families.n, "variable"))
    return families


def _by_families(
    source: Dataset | CliqueScores | ParentSets, scoring: Scoring, config: Config, monitor: Monitor
) -> LearnResult:
    """The LearnResult of a method that has all parent sets at its beginning."""
    families = _families(source, scoring, config, monitor)
    if families.n == 1:
        return result_of(families, [0], [0], OPTIMAL, upper_bound=float(families.scores[0]))
    result = _search_of(config.method)(families, config, monitor)
    if config.method in EXACT:  # the result of their last step, or of their only one
        monitor.report(result.iterations - monitor.iterations, result.score)
    if is_searched(source, config):
        result = _without_proof(result)
    return _unpriced(result, families.arc_price)


def _without_proof(result: LearnResult) -> LearnResult:
    """A result from some of the parent sets: a bound or an optimum of these says nothing about all networks."""
    status = COMPLETE if result.status == OPTIMAL else result.status
    return replace(result, status=status, upper_bound=math.inf)


def _search_of(method: str) -> Callable[[ScoredFamilies, Config, Monitor], LearnResult]:
    """The search of a method, which is imported only if it is used."""
    if method == "chordal":
        from .chordal import chordal

        return chordal
    if method == "kp":
        from .kp import kp

        return kp
    if method == "milp":
        from .milp import milp

        return milp
    if method == "skp":
        from .skp import skp

        return skp
    from .s2 import s2

    return s2


def method_for(source: Dataset | CliqueScores | ParentSets, config: Config, has_iteration_limit: bool = False) -> str:
    """The method for some data: the requested one, or the best for their size.

    Parameters
    ----------
    source : Dataset, CliqueScores or ParentSets
    config
    has_iteration_limit
        Whether iterations are limited: then only methods that count them, or end in seconds.

    Returns
    -------
    str
    """
    n, w = source.n, config.treewidth
    if config.method != "auto":
        return config.method
    if config.best is not None:
        return "milp"
    from . import kp, milp_columns

    if config.template is None:
        if kp.suits(n, w, config.memory, config.order is not None):
            return "kp"
        if ((n <= MAX_BY_PROGRAM and milp_columns.suits(n, w)) or _is_sparse(source)) and not has_iteration_limit:
            return "milp"
    takes_long = isinstance(source, Dataset) and set_count(n, FEW_PARENTS + 1) * source.n_stored > LONG_SCORING
    return "climb" if n >= MANY_VARIABLES or (n >= SEVERAL_VARIABLES and takes_long) else "chordal"


def _is_sparse(source: Dataset | CliqueScores | ParentSets) -> bool:
    """Whether the program of the network's families alone is for these parent sets, and mostly ends soon."""
    if not isinstance(source, ParentSets) or sum(map(len, source.scores)) > FEW_SETS * source.n:
        return False
    from .networks_scip import MAX_WORD_VARIABLES  # SCIP is loaded only for this

    return source.n <= MAX_WORD_VARIABLES
