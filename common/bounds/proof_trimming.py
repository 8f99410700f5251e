"""From the log of a run to a short proof that can be checked.

A part of the problem takes many rounds, each with rows and multipliers, and most of them can be skipped: if a later
step alone leaves no more families than were left in the run, the steps before it are not needed. So from each step
kept, the proof skips as far ahead as this is true, which is found by doubling and bisection. Some more families may be
left as long as the bound is proved in the end; shares of them are tried in turn, and the last, 0, repeats the run. The
last multipliers alone do not suffice, since they were found for the families that earlier steps had left. Multipliers
are first rounded to multiples of 2^-30, so that the fractions kept are those that were tried.

Cost: a call of `common.bounds.families_kernels.price` for each step tried, for the families that are left.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..files.prooffile import BoundProof, ProofPart, ProofRow
from ..sets.masks import members
from .families import FamilyPool
from .incumbent import ROUNDING
from .violated_rows import pick_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from .branching import Proof
    from .problem import Problem
    from .proof_log import LoggedStep, ProofLog
    from .rows_kernels import Rows

SHARES = (0.1, 0.03, 0.01, 0.0)  # of the families left in the run: as many more may be left


def certificate(
    problem: Problem, proof: Proof, upper: float, header: dict[str, str], should_continue: Callable
) -> BoundProof | None:
    """The proof of a bound, with few steps.

    Parameters
    ----------
    problem
        With all its sets.
    proof
        With a log.
    upper
        The bound, finite.
    header : dict of str to str
        As in BoundProof.
    should_continue
        Called at every step.

    Returns
    -------
    BoundProof or None
        None if it was stopped.
        Its upper bound is above the one given by a millionth and a margin for rounding.
    """
    assert proof.log is not None
    rounding = ROUNDING * (1.0 + abs(upper))
    upper += 3.0 * rounding
    goal = Fraction(int(np.ceil(upper * 1e6)) + 1, 1_000_000)
    every = FamilyPool(problem.n, problem.sets, problem.scores)
    every.begin_with(proof.first)
    trimmer = ProofTrimmer(proof.log, upper - rounding, should_continue)
    whole = trimmer.parts(every.copy())
    few = (trimmer.parts(every.copy(), share) for share in SHARES)
    whole = next(filter(None, few), whole)
    if whole is None or not should_continue():
        return None
    _show(whole, proof.log.rows())
    return BoundProof(problem.n, problem.largest, proof.first, goal, whole, header)


class ProofTrimmer:
    """Searches for few steps that prove a bound.

    Parameters
    ----------
    log
        Of the whole problem.
    goal
        The bound.
    should_continue
    """

    def __init__(self, log: ProofLog, goal: float, should_continue: Callable) -> None:
        self._log, self._goal, self._should_continue = log, goal, should_continue
        self._rows = log.rows()
        self._left: dict[int, list[int]] = {}  # of every log: the families that each step of the run leaves

    def parts(self, pool: FamilyPool, share: float | None = None) -> ProofPart | None:
        """A proof whose steps are LoggedSteps.

        Parameters
        ----------
        pool
            All families; changed.
        share
            How many more families may be left than in the run, as a share; None for all steps of the run, which come
            first.

        Returns
        -------
        ProofPart or None
            None if more families are left, or it was stopped.
        """
        whole = ProofPart([])
        waiting: list = [(self._log, whole, pool, ())]
        while waiting:
            log, part, pool, required = waiting.pop()
            part.steps, left = self._run(pool, log) if share is None else self._jump(pool, log, share)
            if part.steps is None or not self._should_continue():
                return None
            if left and not log.parts and share is not None and len(pool.open_edges(required)):
                return None  # without open edges there is one network, which is listed
            if left and log.parts:
                u, v = log.edge.bit_length() - 1, (log.edge & -log.edge).bit_length() - 1
                part.edge, part.parts = (v, u), [ProofPart([]), ProofPart([])]
                without = pool.copy()
                without.forbid(np.uint64(log.edge))
                having = (log.parts[1], part.parts[1], pool, (*required, log.edge))
                waiting += [having, (log.parts[0], part.parts[0], without, required)]
        return whole

    def _run(self, pool: FamilyPool, log: ProofLog) -> tuple[list[LoggedStep], int]:
        """The steps of a part until the bound is proved, applied to the pool; and the number of families left."""
        found = self._left[id(log)] = []
        for step in log.steps:
            found.append(self._apply(pool, step))
            if not found[-1] or not self._should_continue():
                break
            pool.shrink()
        return log.steps[: len(found)], found[-1] if found else 1

    def _jump(self, pool: FamilyPool, log: ProofLog, share: float) -> tuple[list[LoggedStep] | None, int]:
        """Few steps of a part, applied to the pool; and the number of families left, 0 if the bound is proved.

        None for the steps if the next one leaves too many families.
        """
        kept: list[LoggedStep] = []
        run, at, left = self._left[id(log)], -1, 1
        length = len(run) // 2 + 1
        while at < len(run) - 1 and left and self._should_continue():
            before, good, bad = pool.alive, at, len(run)
            k = bad - 1  # the last step may suffice
            while bad - good > 1 and left:
                pool.alive = before.copy()
                found = self._apply(pool, log.steps[k])
                if found <= (1.0 + share) * run[k]:
                    good, alive, left, length = k, pool.alive, found, 2 * (k - at)
                else:
                    bad = k
                k = at + length if at + length < bad else (good + bad) // 2
            if good == at:
                return None, left
            at, length, pool.alive = good, good - at, alive
            kept.append(log.steps[at])
            pool.shrink()
        return kept, left

    def _apply(self, pool: FamilyPool, step: LoggedStep) -> int:
        """Remove the families that a step rules out, repeatedly; returns the number left, 0 if the bound is proved."""
        rows = pick_rows(self._rows, step.numbers)
        bound = pool.bound(rows, step.multipliers)
        before, left = -1, int(pool.alive.sum())
        while left != before:
            if bound <= self._goal:
                return 0
            before, left = left, pool.fix_families(bound - self._goal)
            bound = pool.bound_again()
        return left


def _show(whole: ProofPart, rows: Rows) -> None:
    """Replace the LoggedSteps of a proof by ProofRows, which share their sets."""
    shown: dict[int, tuple] = {}

    def row(number: int, multiplier: float) -> ProofRow:
        if number not in shown:
            base, singles, larger, *_ = (part[number].tolist() for part in rows)
            sets = [frozenset((v,)) for v in members(singles)] + [frozenset(members(m)) for m in larger if m]
            shown[number] = frozenset(members(base)), tuple(sets)
        return ProofRow(Fraction(multiplier), *shown[number])

    waiting = [whole]
    while waiting:
        part = waiting.pop()
        part.steps = [list(map(row, *map(np.ndarray.tolist, step))) for step in part.steps]
        waiting += part.parts or []
