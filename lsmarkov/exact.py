"""Few variables: the optimal network by dynamic programming (`common.exact`), in less time than compiling a search.

Up to twelve variables have 4096 sets. Unless there are many rows, their scores and the recurrences together take well
under a second; then the search is skipped, and the result is proved optimal. With required edges there is no such
program, and the search is used.

Cost: see `common.exact.recurrences`; 0.06 s and 9 MB for twelve variables, besides the scores.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ..common.exact.backtrack import compile_recurrences, optimal_network
from ..common.exact.dense_scores import dense_scores, finite_sets
from ..common.exact.recurrences import fill
from ..common.exact.tables import all_states, allocate
from ..common.graphs.chordal import bit_rows
from ..common.run.result import OPTIMAL
from ..common.scores.all_scores import compile_all_scores
from ..common.scores.allowed import allowed_graph, complete_sets
from ..common.scores.spanning import compile_pair_gains
from ..common.sets.set_orders import set_count
from .start import check_scores

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor
    from ..common.scores.scorer import SetScorer
    from ..common.scores.scoring import Scoring
    from .config import Config
    from .ensemble import Ensemble

FEW_VARIABLES = 12  # with at most so many, and few rows, the optimum takes less time than compiling the search
MAX_WORK = 2e8  # largest value of distinct rows times sets: about a second


def is_small(source: Dataset | CliqueScores, config: Config, max_clique: int) -> bool:
    """Whether finding the optimum takes less time than compiling the search.

    Parameters
    ----------
    source : Dataset or CliqueScores
    """
    return has_few_sets(source, max_clique) and not config.as_published and config.required is None


def has_few_sets(source: Dataset | CliqueScores, max_clique: int) -> bool:
    """Whether the scores of all sets of at most `max_clique` variables take about a second at most."""
    return 1 < source.n <= FEW_VARIABLES and source.n_stored * set_count(source.n, max_clique) <= MAX_WORK


def kernel_tasks(source: Dataset | CliqueScores, scorer: SetScorer) -> list[Callable]:
    """The tasks for `Monitor.compile`, a list of callables: the kernels that the best network and its start need."""
    scoring = partial(compile_all_scores, source), partial(compile_pair_gains, scorer), scorer.compile
    return [*scoring, compile_recurrences]


def search(
    ensemble: Ensemble, source: Dataset | CliqueScores, scoring: Scoring, config: Config, max_clique: int
) -> str | None:
    """Put the walkers at the best network, and report it; if the monitor ends the program first, the start network.

    Returns
    -------
    str or None
        `OPTIMAL`, or why the program ended; None if no network has a finite score.
    """
    best = best_network(source, scoring, config, max_clique, ensemble.monitor)
    if best is None:
        check_scores(ensemble, source)
    else:
        ensemble.place(bit_rows(best))
    ensemble.report()
    return ensemble.status if best is None else OPTIMAL


def best_network(
    source: Dataset | CliqueScores, scoring: Scoring, config: Config, max_clique: int, monitor: Monitor
) -> Graph | None:
    """The best chordal network.

    Parameters
    ----------
    source : Dataset or CliqueScores
        Of few variables.

    Returns
    -------
    Graph or None
        None if the monitor stops the run, or no network has a finite score.
    """
    allowed = allowed_graph(config.allowed, config.forbidden, source.n)
    scores = dense_scores(source, scoring, max_clique, monitor)
    masks = finite_sets(scores)
    if allowed is not None:
        masks = masks[complete_sets(masks.astype(np.uint64), allowed)]
    tables = allocate(scores, all_states(source.n, masks))
    if not monitor.should_continue() or not fill(tables, monitor):
        return None
    return optimal_network(tables, source.names)[0]
