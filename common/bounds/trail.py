"""From a run of the program to a proof that can be checked: multipliers are collected, and few of them kept.

A part of the problem goes through many rounds, each with rows and multipliers, and most of them can be skipped: where a
later step alone leaves no more families than were left in the run, those before it are not needed. So from each step
kept, the proof jumps as far as this holds, which is found by doubling and bisection. A share more of the families may
be left as long as the bound is proved in the end; the last of the shares tried keeps all steps, which repeats the run.
Late multipliers are no good for all families, since they do not see those that were ruled out before. Multipliers are
first rounded to multiples of 2^-30, so that the fractions kept are those that were tried.

Cost: a call of `common.bounds.families_kernels.price` for each step tried, for the families that are left.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..files.prooffile import BoundProof, ProofPart, ProofRow
from ..sets.masks import members
from .families import Choice
from .rows_kernels import WIDTH, Rows
from .separation import pick_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from .branching import Proof
    from .problem import Problem

FINEST = 1 << 30
SHARES = (0.1, 0.03, 0.01, 0.0)  # by which more families may be left than in the run
ROUNDING = 1e-9  # relative to the score: rounding errors of the solver's sums


class TrailStep(NamedTuple):
    """A round.

    numbers : int32[r], of its rows
    multipliers : float64[r], rounded
    """

    numbers: np.ndarray
    multipliers: np.ndarray


class Trail:
    """The data collected for a part of the problem.

    Parameters
    ----------
    numbers : dict of bytes to int, optional
        The number of each row in the whole problem, by its bytes: the same rows are in many rounds.

    Attributes
    ----------
    steps : list of TrailStep
        From the first round on.
    edge : int
        Mask of the edge over which the part was split, 0 if it was not.
    parts : list of Trail
    """

    def __init__(self, numbers: dict[bytes, int] | None = None) -> None:
        self._numbers: dict[bytes, int] = {} if numbers is None else numbers
        self.steps: list[TrailStep] = []
        self._is_needed = True  # the last of them
        self.edge = 0
        self.parts: list[Trail] = []

    def add(self, rows: Rows, multipliers: np.ndarray, is_better: bool, rules_out: bool) -> None:
        """Record the multipliers of a round, in the place of the last that are no longer needed.

        Parameters
        ----------
        rows
        multipliers : float64[r]
        is_better
            Whether they have the lowest bound so far.
        rules_out
            Whether they rule out families.
        """
        if is_better and not self._is_needed:
            self.steps.pop()
        self._is_needed = rules_out
        rounded = np.round(multipliers * FINEST) / FINEST
        used = rounded > 0.0
        known = self._numbers
        found = [known.setdefault(row.tobytes(), len(known)) for row in np.column_stack(pick_rows(rows, used))]
        self.steps.append(TrailStep(np.array(found, np.int32), rounded[used]))

    def rows(self) -> Rows:
        """All rows, in the order of their numbers."""
        table = np.frombuffer(b"".join(self._numbers), np.uint64).reshape(-1, 2 + WIDTH)
        return Rows(table[:, 0].copy(), table[:, 1].copy(), table[:, 2:].copy())

    def split(self, edge: int) -> list[Trail]:
        """The trails of the parts without and with an edge."""
        self.edge, self.parts = edge, [Trail(self._numbers), Trail(self._numbers)]
        return self.parts


def certificate(
    problem: Problem, proof: Proof, score: float, header: dict[str, str], may_go_on: Callable
) -> BoundProof | None:
    """The proof of a bound, with few steps.

    Parameters
    ----------
    problem
        With all its sets.
    proof
        With a trail.
    score
        Of the best network known.
    header : dict of str to str
        As in BoundProof.
    may_go_on
        Called at every step.

    Returns
    -------
    BoundProof or None
        None if it was stopped.
        Its upper bound is above the one found by a millionth and a margin for rounding.
    """
    assert proof.trail is not None
    upper = max(score, proof.bound)
    rounding = ROUNDING * (1.0 + abs(upper))
    upper += 3.0 * rounding
    goal = Fraction(int(np.ceil(upper * 1e6)) + 1, 1_000_000)
    every = Choice(problem.n, problem.sets, problem.scores)
    every.begin_with(proof.first)
    thinner = _Thinner(proof.trail, upper - rounding, may_go_on)
    whole = thinner.parts(every.copy())
    few = (thinner.parts(every.copy(), share) for share in SHARES)
    whole = next(filter(None, few), whole)
    if whole is None or not may_go_on():
        return None
    _show(whole, proof.trail.rows())
    return BoundProof(problem.n, problem.largest, proof.first, goal, whole, header)


class _Thinner:
    """Searches for few steps that prove a bound.

    Parameters
    ----------
    trail
        Of the whole problem.
    goal
        The bound.
    may_go_on
    """

    def __init__(self, trail: Trail, goal: float, may_go_on: Callable) -> None:
        self._trail, self._goal, self._may_go_on = trail, goal, may_go_on
        self._rows = trail.rows()
        self._left: dict[int, list[int]] = {}  # of every trail: the families that each step of the run leaves

    def parts(self, choice: Choice, share: float | None = None) -> ProofPart | None:
        """A proof whose steps are TrailSteps.

        Parameters
        ----------
        choice
            All families; changed.
        share
            By which more families may be left than in the run; None for all steps of the run, which come first.

        Returns
        -------
        ProofPart or None
            None if more families are left, or it was stopped.
        """
        whole = ProofPart([])
        waiting: list = [(self._trail, whole, choice)]
        while waiting:
            trail, part, choice = waiting.pop()
            part.steps, left = self._run(choice, trail) if share is None else self._jump(choice, trail, share)
            if part.steps is None or not self._may_go_on() or left and not trail.parts and share is not None:
                return None
            if left and trail.parts:
                u, v = trail.edge.bit_length() - 1, (trail.edge & -trail.edge).bit_length() - 1
                part.edge, part.parts = (v, u), [ProofPart([]), ProofPart([])]
                without = choice.copy()
                without.forbid(np.uint64(trail.edge))
                waiting += [(trail.parts[1], part.parts[1], choice), (trail.parts[0], part.parts[0], without)]
        return whole

    def _run(self, choice: Choice, trail: Trail) -> tuple[list[TrailStep], int]:
        """The steps of a part until the bound is proved, which are taken, and how many families are left, then 0."""
        found = self._left[id(trail)] = []
        for step in trail.steps:
            found.append(self._take(choice, step))
            if not found[-1] or not self._may_go_on():
                break
            choice.shrink()
        return trail.steps[: len(found)], found[-1] if found else 1

    def _jump(self, choice: Choice, trail: Trail, share: float) -> tuple[list[TrailStep] | None, int]:
        """Few steps of a part, which are taken, and how many families are left, 0 if the bound is proved.

        No steps if the next one leaves too many.
        """
        kept: list[TrailStep] = []
        run, at, left = self._left[id(trail)], -1, 1
        length = len(run) // 2 + 1
        while at < len(run) - 1 and left and self._may_go_on():
            before, good, bad = choice.alive, at, len(run)
            k = bad - 1  # maybe the last step is all that is needed
            while bad - good > 1 and left:
                choice.alive = before.copy()
                found = self._take(choice, trail.steps[k])
                if found <= (1.0 + share) * run[k]:
                    good, alive, left, length = k, choice.alive, found, 2 * (k - at)
                else:
                    bad = k
                k = at + length if at + length < bad else (good + bad) // 2
            if good == at:
                return None, left
            at, length, choice.alive = good, good - at, alive
            kept.append(trail.steps[at])
            choice.shrink()
        return kept, left

    def _take(self, choice: Choice, step: TrailStep) -> int:
        """Remove the families that a step rules out, repeatedly; how many are left, 0 if the bound is proved."""
        rows = pick_rows(self._rows, step.numbers)
        bound = choice.bound(rows, (rows.base == 0).astype(float), step.multipliers)
        before, left = -1, int(choice.alive.sum())
        while left != before:
            if bound <= self._goal:
                return 0
            before, left = left, choice.fix_families(bound - self._goal)
            bound = choice.bound_again()
        return left


def _show(whole: ProofPart, rows: Rows) -> None:
    """Replace the TrailSteps of a proof by ProofRows, which share their sets."""
    shown: dict[int, tuple] = {}

    def row(number: int, multiplier: float) -> ProofRow:
        if number not in shown:
            base, singles, larger = (part[number].tolist() for part in rows)
            sets = [frozenset((v,)) for v in members(singles)] + [frozenset(members(m)) for m in larger if m]
            shown[number] = frozenset(members(base)), tuple(sets)
        return ProofRow(Fraction(multiplier), *shown[number])

    waiting = [whole]
    while waiting:
        part = waiting.pop()
        part.steps = [list(map(row, *map(np.ndarray.tolist, step))) for step in part.steps]
        waiting += part.parts or []
