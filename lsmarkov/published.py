"""The search as published: one walker, best stochastic neighbours, random restarts (Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..common.run.state_record import StateRecord, ValueField, natural
from ..common.scores.spanning import compile_pair_gains
from .descent_kernels import DescentRules, descend
from .neighbourhood_kernels import CLIQUE, EDGES, VERTEX, list_cliques, neighbourhood
from .walker_kernels import IDLE, SCORE, SINCE_START, STARTS
from .walker_state import walker_record

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..common.chains.moves_kernels import MoveScratch
    from ..common.scores.score_cache_kernels import ScoreScratch
    from .ensemble import Ensemble
    from .walker_kernels import Walker

OPERATIONS = {"C": CLIQUE, "E": EDGES, "V": VERTEX}
SLICE_STEPS = 250  # steps between two checks of the clock


def operations_of(letters: str) -> int:
    """The operations named by some of the letters C, E and V, as the kernels' sum; 0 is the greedy baseline."""
    return sum(OPERATIONS[letter] for letter in set(letters.upper()))


def kernel_tasks(ensemble: Ensemble) -> list[Callable]:
    """The tasks for `Monitor.compile`, a list of callables: every kernel of the search, for zero steps."""
    scorer, walker = ensemble.scorer, ensemble.walkers[0]
    hood, own = neighbourhood(scorer.n, scorer.words), (scorer.scores, scorer.scratch[0], ensemble.work[0])
    descent = partial(descend, walker, *own, hood, DescentRules(0, 1, False, 2), 0, ensemble.stop)
    return [partial(compile_pair_gains, scorer), scorer.compile, partial(list_cliques, hood, walker.adjacency), descent]


@dataclass
class _Bound:
    """The bound on cliques, which grows with restarts.

    Attributes
    ----------
    largest
        The final bound.
    max_clique, restarts
        At present.
    """

    largest: int
    max_clique: int
    restarts: int

    record = StateRecord(
        ValueField("max_clique", int, lambda size, own: 1 <= size <= own.largest), ValueField("restarts", int, natural)
    )


def search(ensemble: Ensemble, rules: DescentRules, dynamic_bound: bool = False) -> str:
    """Search until a limit of the ensemble is reached.

    Parameters
    ----------
    ensemble : Ensemble of one walker
    dynamic_bound
        Start with cliques of at most 2 and allow one more vertex after each restart, up to the bound of the rules
        (`--dynamictw`).

    Returns
    -------
    str
        Why it ended.
    """
    walker, scorer, largest = ensemble.walkers[0], ensemble.scorer, rules.max_clique
    hood = neighbourhood(scorer.n, scorer.words)
    bound = _Bound(largest, min(2, largest) if dynamic_bound else largest, int(walker.counts[STARTS]))

    def descend_slice(_: int, walker: Walker, steps: int, scratch: ScoreScratch, work: MoveScratch) -> None:
        own = rules._replace(max_clique=bound.max_clique)
        descend(walker, scorer.scores, scratch, work, hood, own, steps, ensemble.stop)

    saved, monitor = ensemble.monitor.saved, ensemble.monitor
    if saved is None:
        walker.numbers[SINCE_START] = walker.numbers[SCORE]
        ensemble.report()
    else:
        _Bound.record.load(saved, bound)
        walker_record(largest).load(saved, ensemble.walkers)
    list_cliques(hood, walker.adjacency)
    while (status := ensemble.status) is None:
        monitor.keep(partial(_state, walker, bound))
        steps = _steps_to_restart(walker, rules) if dynamic_bound else SLICE_STEPS
        ensemble.spread(descend_slice, steps=steps)
        ensemble.report()
        if walker.counts[STARTS] > bound.restarts:
            bound.restarts = int(walker.counts[STARTS])
            bound.max_clique = min(largest, bound.max_clique + 1)
    return status


def _state(walker: Walker, bound: _Bound) -> dict[str, Any]:
    """The state of the search between two slices."""
    return {**walker_record(bound.max_clique).save([walker]), **_Bound.record.save(bound)}


def _steps_to_restart(walker: Walker, rules: DescentRules) -> int:
    """A slice in which only the last step can end with a restart, so that the bound is increased at once."""
    return 1 if rules.operations == 0 else int(min(SLICE_STEPS, rules.patience - walker.counts[IDLE]))
