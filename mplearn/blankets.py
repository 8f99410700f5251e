"""A Markov blanket for each variable, independently of the others (Algorithm 1 of the paper).

Starting from the empty blanket, the variable that raises the local score most is added, as long as one does. After each
addition, while the blanket contains more than two members, the member whose removal raises the score most is removed,
while there is one. The variables are distributed over threads; a blanket depends only on the data. Differences from the
paper: gains below 1e-9 are treated as rounding, and of changes with equal gain up to that, the first is made. Variables
that do not gain alone remain candidates: no bound excludes them, since a variable that is independent of each of two
others can be a function of both.

Cost: per addition, one pass over the data for every other variable (`mplearn.extensions_kernels`); per check of
removals, two set scores per member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .blanket import Blanket
from .local import MIN_GAIN, first_best

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from .local import LocalScores
    from .run import BlanketRun

    FindBlanket = Callable[[int], Blanket | None]


def climb(
    local: LocalScores,
    variable: int,
    largest: int,
    thread: int = 0,
    should_continue: Callable = lambda: True,
    required: Collection[int] = frozenset(),
    forbidden: Collection[int] = frozenset(),
) -> Blanket | None:
    """Algorithm 1 for one variable.

    Parameters
    ----------
    largest
        Members a blanket may have.
    thread
        Index of the work space.
    should_continue
        Called before each step.
    required, forbidden : set of int
        Variables that must, and must not, be members.

    Returns
    -------
    Blanket or None
        None if it was stopped.
    """
    members, steps = sorted(required), 0
    score = local.score(variable, members, thread)
    out = np.array(sorted(forbidden), np.int64)
    while len(members) < min(largest, local.n - 1 - len(out)):
        if not should_continue():
            return None
        wider = [*members, local.best_addition(variable, members, thread, out)]
        gained = local.score(variable, wider, thread)
        if gained <= score + MIN_GAIN:
            break
        members, score, steps = wider, gained, steps + 1
        while len(members) > 2:
            without = [[u for u in members if u != v] for v in sorted(members) if v not in required]
            if not without:
                break
            scores = [local.score(variable, rest, thread) for rest in without]
            best = first_best(scores)
            if scores[best] <= score + MIN_GAIN:
                break
            members, score, steps = without[best], scores[best], steps + 1
    return Blanket(variable, tuple(sorted(members)), score, steps)


def climbing(run: BlanketRun, largest: int | None) -> FindBlanket:
    """Algorithm 1, with the edge constraints of a run.

    Parameters
    ----------
    largest
        Members a blanket may have; None: any number.
    """
    required, forbidden = run.known.required_neighbours, run.known.forbidden_neighbours
    most = run.local.n if largest is None else largest

    def find(v: int) -> Blanket | None:
        with run.thread() as thread:
            return climb(run.local, v, most, thread, run.monitor.should_continue, required[v], forbidden[v])

    return find


def find_blankets(run: BlanketRun, variables: Sequence[int], find: FindBlanket) -> list[Blanket]:
    """The blankets of several variables, in the run's threads.

    Parameters
    ----------
    find : callable taking a variable
        Its Blanket; None if it was stopped.

    Returns
    -------
    list of Blanket
        In the order of the variables; those not reached before an interruption are left out.
    """
    finished = run.checkpoint.blankets

    def one(variable: int) -> Blanket | None:
        blanket = find(variable)
        if blanket is not None:
            finished[variable] = blanket
            run.checkpoint.keep()
        return blanket

    left = [v for v in variables if v not in finished]
    done = len(variables) - len(left)
    for blanket in run.monitor.map(one, left):
        if blanket is not None:
            done += 1
            run.report_blanket(blanket, done, len(variables))
    return [finished[v] for v in variables if v in finished]


def eligible_edges(blankets: Iterable[Blanket]) -> list[tuple[int, int]]:
    """The edges of G_or: i is in the blanket of j, or j in that of i.

    Returns
    -------
    list of (int, int)
        u < v, ascending.
    """
    return sorted({(min(u, v), max(u, v)) for u, v in _arcs(blankets)})


def mutual_edges(blankets: Iterable[Blanket]) -> list[tuple[int, int]]:
    """The edges of G_and: i is in the blanket of j, and j in that of i; the result as in `eligible_edges`."""
    arcs = _arcs(blankets)
    return sorted((u, v) for u, v in arcs if u < v and (v, u) in arcs)


def _arcs(blankets: Iterable[Blanket]) -> set[tuple[int, int]]:
    """A member of a blanket, and its variable."""
    return {(u, one.variable) for one in blankets for u in one.members}
