"""The default search: rebuilding, annealing and replica exchange, each while it is the most successful.

*Rebuilding.* A few walkers take down parts of the best network and build them anew (`lsmarkov.rebuilding`). This finds
good networks soonest where cliques are large and variables are in many of them.

*Annealing.* Chains are heated from the best network and cooled again, mostly in a part of it (`lsmarkov.annealing`).
This finds good networks soonest with a bound on cliques or many variables.

*Replica exchange.* Chains at the temperatures of a ladder that adapts to the data (`lsmarkov.replicas`), so that good
networks move to the cold end while the hot end keeps finding new ones. It continues where annealing, which always
starts at the best network, stays.

*Merging.* The best network within the edges of several, by integer programming (`lsmarkov.merging`): with up to 64
variables, in runs of 20 seconds and more.

They take turns in short phases, from the first. The one whose last improvement per neighbour evaluated was the largest
continues, the others are tried from time to time; if none improves the network they alternate (`lsmarkov.scheduler`).

*Swap moves* (`common.chains.swap_gain_kernels`) are four in ten of the chains' moves with cliques of at most four,
fewer if the bound is larger and single edges move freely.

`python -m tests.bench ablation` measures the contribution of each part. Phases of exchange of increasing length were
tried and gave no improvement.

*Many variables.* With more than a thousand, only regions are annealed: the best subtree of one vertex takes O(n^2), and
chains on the whole network do some thousand moves a second.

Numbers of walkers, steps and draws do not depend on the number of threads, and scores do not depend on the thread that
computes them: the same seed and iterations give the same network on any machine.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.chains.replica_exchange import compile_exchange
from ..common.graphs.chordal import compile_chordal_score
from ..common.scores.growth import compile_grown
from . import published
from .annealing import Annealing
from .exchange_kernels import WalkRules, walk
from .joint_kernels import LARGEST, least_gains
from .merging import Merging, compile_merging, is_worth_compiling, is_worth_loading
from .rebuilding import WALKERS as REBUILDERS
from .rebuilding import Rebuilding
from .replicas import Exchange
from .scheduler import PhaseScheduler
from .start import best_partners
from .walker_kernels import BEST
from .walker_state import walker_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from .ensemble import Ensemble


CHAINS = 14
SHARES = (0.7, 0.1, 0.1, 0.1)  # of the moves that are not swaps: EDGE, JOIN or LEAVE, RESEAT, REPLACE
JOINT = 0.005  # of all moves
PLACES = (0.0015, 0.0135)  # of all moves: TRANSPOSE, BRANCH
SWAPS = (0.03, 1.6, 0.4)  # share of all moves: minimum; factor of 1 / max_clique; maximum
ANYWHERE = 0.35  # of edges: to any vertex, up to 64 variables; less with more

MANY_VARIABLES = 1000  # with more, only regions are annealed


def walkers_for(n: int) -> int:
    """The number of walkers for n variables."""
    return CHAINS + REBUILDERS if n <= MANY_VARIABLES else 1


def search(ensemble: Ensemble, gains: np.ndarray, max_clique: int) -> None:
    """Search until a limit of the ensemble is reached.

    Parameters
    ----------
    ensemble : Ensemble of `walkers_for` walkers
    gains : float64[n, n]
        The gain of every single edge.
    """
    saved, walkers = ensemble.monitor.saved, ensemble.walkers
    everything = np.arange(ensemble.scorer.n)
    annealing = Annealing(ensemble, walkers[-1], gains, partial(walk_rules, max_clique=max_clique))
    methods: list[Any] = [annealing]
    if len(walkers) > 1:
        exchange = Exchange(ensemble, walkers[:CHAINS], walk_rules(everything, best_partners(gains), max_clique))
        methods = [Rebuilding(ensemble, max_clique), annealing, exchange]
    if is_worth_loading(ensemble):
        methods.append(Merging(ensemble, annealing, walkers[-1], max_clique))
    scheduler = PhaseScheduler(len(methods))
    state = partial(_state, ensemble, methods, scheduler)
    if saved is None:
        ensemble.run_slice(ensemble.score_start, walkers[-1:])
    else:
        walker_record(max_clique).load(saved, walkers)
        for method in methods:
            method.restore(saved)
        scheduler.record.load(saved, scheduler)
        ensemble.status = ensemble.monitor.status
    while ensemble.status is None:
        ensemble.monitor.keep(state)
        method, score, cost = scheduler.next_method(), ensemble.best.numbers[BEST], ensemble.evaluated
        methods[method].phase()
        scheduler.count_phase(method, ensemble.best.numbers[BEST] - score, ensemble.evaluated - cost)
    ensemble.monitor.pause(state)


def _state(ensemble: Ensemble, methods: list[Any], scheduler: PhaseScheduler) -> dict[str, Any]:
    """The state of the search between two phases."""
    return {
        **walker_record(ensemble.scorer.n).save(ensemble.walkers),
        **{name: value for method in methods for name, value in method.state().items()},
        **scheduler.record.save(scheduler),
    }


def kernel_tasks(ensemble: Ensemble) -> list[Callable]:
    """The tasks for `Monitor.compile`, a list of callables: the kernels of the search, for zero steps."""
    n = ensemble.scorer.n
    rules = walk_rules(np.arange(n), np.zeros((n, 1), np.int64), 2)
    scorer = ensemble.scorer
    rows = np.zeros((0, LARGEST), np.int64)
    nothing = np.zeros(scorer.words, np.uint64)
    scores, scratch, work = scorer.scores, scorer.scratch[0], ensemble.work[0]
    return [
        *published.start_tasks(ensemble),
        partial(compile_grown, scorer),
        *Rebuilding(ensemble, 2).kernel_tasks(),
        partial(least_gains, scores, scratch, nothing, rows, 0, 1, np.zeros(0), ensemble.stop),
        partial(walk, ensemble.walkers[0], 1.0, 0, scores, scratch, work, rules, ensemble.stop),
        compile_exchange,
        *([compile_merging] if is_worth_compiling(ensemble) else []),
        compile_chordal_score,  # last: a second process begins with it, while the first compiles the scores
    ]


def walk_rules(vertices: np.ndarray, partners: np.ndarray, max_clique: int) -> WalkRules:
    """The proposal distribution of the chains.

    Parameters
    ----------
    vertices : int64[m]
    partners : int64[n, p]
    max_clique
        As of WalkRules.

    Returns
    -------
    WalkRules
        Without joint sets.
    """
    anywhere = ANYWHERE * min(1.0, 64 / len(vertices))
    ends = np.array([0.45 - anywhere, 0.45 - anywhere, 0.65 - anywhere]) / (1.0 - anywhere)
    least, times, most = SWAPS
    swaps = max(least, min(most, times / max_clique))
    kinds = np.cumsum([*((1.0 - swaps - sum(PLACES) - JOINT) * np.array(SHARES)), swaps, *PLACES])
    return WalkRules(vertices, partners, kinds, anywhere, ends, max_clique, np.zeros((0, LARGEST), np.int64))
