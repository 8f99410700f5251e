"""The search as published: one walker, best stochastic neighbours, random restarts (Algorithm 1)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..common.graphs.chordal import compile_chordal_score
from ..common.run.saved import is_index
from ..common.scores.spanning import compile_pair_gains
from .descent_kernels import DescentRules, descend, start_here
from .neighbourhood_kernels import CLIQUE, EDGES, VERTEX
from .walker_kernels import IDLE, STARTS
from .walker_state import walker_record

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..common.chains.moves_kernels import MoveScratch
    from ..common.scores.score_cache_kernels import ScoreScratch
    from .ensemble import Ensemble
    from .walker_kernels import Walker

OPERATIONS = {"C": CLIQUE, "E": EDGES, "V": VERTEX}
SLICE = 250  # steps between two checks of the clock


def operations_of(letters: str) -> int:
    """The operations named by some of the letters C, E and V, as the kernels' sum; 0 is the greedy baseline."""
    return sum(OPERATIONS[letter] for letter in set(letters.upper()))


def kernel_tasks(ensemble: Ensemble) -> list[Callable]:
    """The tasks for `Monitor.compile`, a list of callables: every kernel of the search, for zero steps."""
    place = ensemble.walkers[0], ensemble.scorer.scores, ensemble.scorer.scratch[0], ensemble.work[0], ensemble.hoods[0]
    return [*start_tasks(ensemble), partial(descend, *place, DescentRules(0, 1, False, 2), 0, ensemble.stop)]


def start_tasks(ensemble: Ensemble) -> list[Callable]:
    """The same: the kernels before the first step."""
    scorer = ensemble.scorer
    place = ensemble.walkers[0], scorer.scores, scorer.scratch[0], ensemble.hoods[0]
    return [
        partial(compile_pair_gains, scorer),
        scorer.compile,
        compile_chordal_score,
        partial(start_here, *place),
    ]


def search(ensemble: Ensemble, rules: DescentRules, dynamic_bound: int | None = None) -> None:
    """Search until a limit of the ensemble is reached.

    Parameters
    ----------
    ensemble : Ensemble of one walker
    dynamic_bound
        Start with cliques of at most 2 and allow one more vertex after each restart, up to this (`--dynamictw`).
    """
    walker, hood = ensemble.walkers[0], ensemble.hoods[0]
    rules = DescentRules(*rules) if dynamic_bound is None else rules._replace(max_clique=2)
    restarts = walker.counts[STARTS]

    def go_on(_: int, walker: Walker, steps: int, scratch: ScoreScratch, work: MoveScratch) -> None:
        descend(walker, ensemble.scorer.scores, scratch, work, hood, rules, steps, ensemble.stop)

    saved, monitor = ensemble.monitor.saved, ensemble.monitor
    if saved is None:
        running = ensemble.run_slice(ensemble.score_start)
    else:
        largest = rules.max_clique if dynamic_bound is None else dynamic_bound
        rules = rules._replace(max_clique=saved.value("max_clique", int, lambda size: 1 <= size <= largest))
        restarts = saved.value("restarts", int, is_index)
        walker_record(largest).load(saved, ensemble.walkers)
        ensemble.score_start(0, walker, 0, ensemble.scorer.scratch[0], ensemble.work[0])  # lists the cliques
        walker_record(largest).load(saved, ensemble.walkers)
        ensemble.status = monitor.status
        running = ensemble.status is None
    while running:
        monitor.keep(partial(_state, walker, rules, restarts))
        steps = SLICE if dynamic_bound is None else _steps_to_restart(walker, rules)
        running = ensemble.run_slice(go_on, steps=steps)
        if dynamic_bound is not None and walker.counts[STARTS] > restarts:
            restarts = walker.counts[STARTS]
            rules = rules._replace(max_clique=min(dynamic_bound, rules.max_clique + 1))


def _state(walker: Walker, rules: DescentRules, restarts: int) -> dict[str, Any]:
    """The state of the search between two slices."""
    return {
        **walker_record(rules.max_clique).save([walker]),
        "max_clique": rules.max_clique,
        "restarts": int(restarts),
    }


def _steps_to_restart(walker: Walker, rules: DescentRules) -> int:
    """A slice in which only the last step can end with a restart, so that the bound is increased at once."""
    return 1 if rules.operations == 0 else int(min(SLICE, rules.patience - walker.counts[IDLE]))
