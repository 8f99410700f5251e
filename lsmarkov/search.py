"""The default search: annealing, merging, rebuilding and restarts take turns.

*Rebuilding.* A few walkers remove the edges of parts of the best network and rebuild them (`lsmarkov.rebuilding`). This
finds good networks soonest where cliques are large and variables are in many of them.

*Annealing.* Chains are heated from the best network and cooled again, mostly in a part of it (`lsmarkov.annealing`).
This finds good networks soonest with a bound on cliques or many variables.

*Restarting.* The whole network is annealed from nothing (`lsmarkov.restarting`), once the other methods have found
nothing better in half the work of the last restart; with 65 to 200 variables the first one comes at once.

*Merging.* The best network within the edges of several, by integer programming (`lsmarkov.merging`). Both with up to
200 variables, in runs of 20 seconds and more; with up to 1000, long runs only restart.

They take turns in short phases, whatever they gain: to continue with the one that gained most per neighbour evaluated,
and to try the others from time to time, was no better.

`python -m tests.bench ablation` measures the contribution of each part. Chains at the temperatures of a ladder that
exchange their states were a fourth method, and gave no improvement.

*Many variables.* With more than a thousand, only regions are annealed: the best subtree of one vertex takes O(n^2).

Numbers of walkers, steps and draws do not depend on the number of threads, and scores do not depend on the thread that
computes them: the same seed and iterations give the same network on any machine.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ..common.run.saved import is_index
from ..common.scores.growth import compile_grown
from ..common.scores.spanning import compile_pair_gains
from . import annealing, merging
from .merging import Merging, is_worth_loading
from .rebuilding import WALKERS as REBUILDERS
from .rebuilding import Rebuilding
from .restarting import Restarting
from .walker_state import walker_record

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from .ensemble import Ensemble

MANY_VARIABLES = 1000  # with more, only regions are annealed
MAX_THREADS = 16  # more find no work
FROM_LIMITS = 1.0, 2_000_000  # seconds and moves per variable: shorter runs of more than 200 do not restart
Method: TypeAlias = Rebuilding | annealing.Annealing | Restarting | Merging


def walkers_for(n: int) -> int:
    """The number of walkers for n variables."""
    return REBUILDERS if n <= MANY_VARIABLES else 1


def may_restart(ensemble: Ensemble) -> bool:
    """Whether a run may restart, while another walker keeps the best network.

    With more variables than are merged, a run that ends when it is idle would end in its first restart.
    """
    n, limits = ensemble.scorer.n, ensemble.monitor.limits
    if n <= annealing.MAX_VARIABLES:
        return is_worth_loading(ensemble)
    given = limits.time_limit, limits.iterations
    is_long = all(limit is None or limit >= least * n for limit, least in zip(given, FROM_LIMITS, strict=True))
    return is_long and not limits.until_idle and len(ensemble.walkers) > 1


def search(ensemble: Ensemble, gains: np.ndarray, max_clique: int) -> str:
    """Search until a limit of the ensemble is reached.

    Parameters
    ----------
    ensemble : Ensemble of `walkers_for` walkers
    gains : float64[n, n]
        The gain of every single edge.

    Returns
    -------
    str
        Why it ended.
    """
    saved, walkers = ensemble.monitor.saved, ensemble.walkers
    annealer = annealing.Annealing(ensemble, walkers[-1], gains, max_clique)
    rebuilding = [] if len(walkers) == 1 else [Rebuilding(ensemble, max_clique)]
    methods: list[Method] = [annealer, *rebuilding]
    if may_restart(ensemble):
        methods.append(restarts := Restarting(ensemble, annealer))
        if is_worth_loading(ensemble):
            methods.insert(1, Merging(ensemble, (annealer, restarts), walkers[-1], max_clique))
    phases = 0

    def state() -> dict[str, Any]:
        """The state of the search between two phases."""
        kept = {name: value for method in methods for name, value in method.state().items()}
        return {**walker_record(ensemble.scorer.n).save(walkers), **kept, "phases": phases}

    if saved is None:
        ensemble.report()
    else:
        walker_record(max_clique).load(saved, walkers)
        for method in methods:
            method.restore(saved)
        phases = saved.value("phases", int, is_index)
    while (status := ensemble.status) is None:
        ensemble.monitor.keep(state)
        methods[phases % len(methods)].phase()  # an earlier part with another limit may have had others
        phases += 1
    ensemble.monitor.pause(state)
    return status


def kernel_tasks(ensemble: Ensemble) -> list[Callable]:
    """The tasks for `Monitor.compile`, a list of callables: the kernels of the search, for zero steps."""
    scorer = ensemble.scorer
    return [
        partial(compile_pair_gains, scorer),
        scorer.compile,
        partial(compile_grown, scorer),
        *Rebuilding(ensemble, 2).kernel_tasks(),
        *annealing.kernel_tasks(ensemble),
        *merging.kernel_tasks(ensemble),
    ]
