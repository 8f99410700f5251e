"""From a run of the program to a proof that can be checked: multipliers are collected, and few of them kept.

A part of the problem goes through many rounds, each with rows and multipliers; later rounds rule out most of what
earlier ones rule out. So the steps of the proof are searched backwards: the last round is applied to all families,
repeatedly while it rules out a good share of them; then earlier and earlier rounds are tried; if none of them is
sufficient, the rounds are applied in order. Multipliers are first rounded to multiples of 2^-30, so that the fractions
kept are those that were tried.

Cost: some calls of `common.bounds.families_kernels.price` for all families in the first steps, then for the remaining
ones.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from ..files.prooffile import BoundProof, ProofPart, ProofRow
from .families import Choice
from .separation import pick_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from .branching import Proof
    from .problem import Problem
    from .rows_kernels import Rows

FINEST = 1 << 30
SHARE = 0.2  # of the families left: a step that rules out more is kept
ROUNDING = 1e-9  # relative to the score: rounding errors of the solver's sums


class Trail:
    """The data collected for a part of the problem.

    Attributes
    ----------
    steps : list of (Rows, float64[r])
        Rows and their multipliers, rounded, from the first round on.
    edge : int
        Mask of the edge over which the part was split, 0 if it was not.
    parts : list of Trail
    """

    def __init__(self) -> None:
        self.steps: list[tuple[Rows, np.ndarray]] = []
        self.edge = 0
        self.parts: list[Trail] = []

    def add(self, rows: Rows, multipliers: np.ndarray) -> None:
        """Record the multipliers of a round."""
        rounded = np.round(multipliers * FINEST) / FINEST
        used = rounded > 0.0
        self.steps.append((pick_rows(rows, used), rounded[used]))

    def split(self, edge: int) -> list[Trail]:
        """The trails of the parts without and with an edge."""
        self.edge, self.parts = edge, [Trail(), Trail()]
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
    upper = max(score, proof.bound)
    rounding = ROUNDING * (1.0 + abs(upper))
    upper += 3.0 * rounding
    goal = Fraction(int(np.ceil(upper * 1e6)) + 1, 1_000_000)
    choice = Choice(problem.n, problem.sets, problem.scores)
    families = choice.families
    choice.alive[(families.child == proof.root) & (families.parents != 0)] = False
    whole = ProofPart([])
    waiting: list = [(proof.trail, whole, choice, [])]
    while waiting:
        trail, part, choice, before = waiting.pop()
        thinner = _Thinner(choice, upper - rounding, before + trail.steps, may_go_on)
        part.steps = [_rows(*step) for step in thinner.steps()]
        if not may_go_on():
            return None
        if thinner.done or not trail.parts:
            continue
        u, v = trail.edge.bit_length() - 1, (trail.edge & -trail.edge).bit_length() - 1
        part.edge, part.parts = (v, u), [ProofPart([]), ProofPart([])]
        without = choice.copy()
        without.forbid(np.uint64(trail.edge))
        last = trail.steps[-1:] or before
        waiting.append((trail.parts[1], part.parts[1], choice, last))
        waiting.append((trail.parts[0], part.parts[0], without, last))
    return BoundProof(problem.n, problem.largest, proof.root, goal, whole, header)


class _Thinner:
    """Searches for few steps that prove a bound of the remaining families.

    Parameters
    ----------
    choice
        Changed.
    goal
    found : list of (Rows, float64[r])
    may_go_on

    Attributes
    ----------
    done : bool
        Whether the bound is proved.
    """

    def __init__(self, choice: Choice, goal: float, found: list[tuple[Rows, np.ndarray]], may_go_on: Callable) -> None:
        self._choice, self._goal, self._found, self._may_go_on = choice, goal, found, may_go_on
        self.done = False

    def steps(self) -> list[tuple[Rows, np.ndarray]]:
        """The steps to keep, in order: list as `found`."""
        kept = []
        while not self.done:
            step = self._next()
            if step is None:
                break
            kept.append(step)
        if self.done:
            return kept
        for step in self._found:  # no single step is sufficient
            before = int(self._choice.alive.sum())
            if self._apply(step) < before or self.done:
                kept.append(step)
            if self.done or not self._may_go_on():
                break
        return kept

    def _next(self) -> tuple[Rows, np.ndarray] | None:
        """The latest of the steps tried that rules out a good share or ends the proof; None if there is none."""
        back = 1
        while back <= len(self._found) and self._may_go_on():
            step = self._found[-back]
            before = int(self._choice.alive.sum())
            spare = self._choice.alive.copy()
            if self._apply(step) <= (1.0 - SHARE) * before or self.done:
                return step
            self._choice.alive[:] = spare
            back *= 2
        return None

    def _apply(self, step: tuple[Rows, np.ndarray]) -> int:
        """Remove the families that a step rules out; returns how many are left."""
        rows, multipliers = step
        choice = self._choice
        bound = choice.bound(rows, (rows.base == 0).astype(float), multipliers)
        self.done = bound <= self._goal
        left = choice.fix_families(bound - self._goal) if not self.done else 0
        self.done |= left == 0
        return left


def _rows(rows: Rows, multipliers: np.ndarray) -> list[ProofRow]:
    """A step as ProofRows."""
    found = []
    for base, singles, larger, number in zip(*map(np.ndarray.tolist, (*rows, multipliers)), strict=True):
        members = [frozenset((v,)) for v in sorted(_members(singles))] + [_members(m) for m in larger if m]
        found.append(ProofRow(Fraction(number), _members(base), tuple(members)))
    return found


def _members(mask: int) -> frozenset[int]:
    """A mask as a frozenset."""
    return frozenset(v for v in range(mask.bit_length()) if mask >> v & 1)
