"""toulbar2 for the most probable states of models whose junction tree is too large: a branch and bound.

The negative logarithms of the tables are costs, and toulbar2 finds states with the least sum, by soft arc consistency.
It runs in a process of its own, as it keeps Python's lock and handles signals itself; this file is the program of that
process.
Costs are whole numbers there, after multiplication by 10^`DIGITS`; the rounding is part of the gap. The limit is a
number of backtracks, not of seconds, so the same problem has the same answer.

The package pytoulbar2 is an extra: `pip install 'cliquewise[mpe]'`.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from ..errors import LimitError

MAX_BACKTRACKS = 20_000  # a minute or two on hundreds of variables
DIGITS = 9  # of a cost, after the point
NEEDED = "the most probable states of all variables can still be found: pip install 'cliquewise[mpe]'"


class Explanation(NamedTuple):
    """Most probable states.

    states : tuple of int or None, by variable; None: all states have probability 0
    gap : float, nats; no other states are more probable by more than this
    is_optimal : bool, whether the search ended, so that the gap is only the rounding of costs
    """

    states: tuple | None
    gap: float
    is_optimal: bool


def most_probable_states(arity: Sequence[int], factors: Sequence[tuple[tuple[int, ...], np.ndarray]]) -> Explanation:
    """States with the greatest product of factors; the best so far after `MAX_BACKTRACKS`.

    Parameters
    ----------
    arity
        Numbers of states of the variables.
    factors : sequence of (tuple of int, float64[states ...])
        Variables, all different, and numbers from 0 to 1.

    Returns
    -------
    Explanation

    Raises
    ------
    LimitError
        pytoulbar2 is not installed, fails, or found no states with a positive product within the limit.
    """
    if find_spec("pytoulbar2") is None:
        raise LimitError(NEEDED)
    import subprocess  # other questions do not need it

    with np.errstate(divide="ignore"):
        costs = [(scope, (-np.log(table)).ravel().tolist()) for scope, table in factors]
    problem = json.dumps({"arity": list(arity), "costs": costs, "backtracks": MAX_BACKTRACKS})
    done = subprocess.run([sys.executable, "-m", __name__], input=problem, capture_output=True, text=True, check=False)
    if done.returncode != 0 or not done.stdout:
        raise LimitError(
            f"toulbar2 failed, with code {done.returncode} {' '.join(done.stderr.split())[-200:]}".rstrip()
        )
    states, found, bound, ended = json.loads(done.stdout)
    if states is None:
        if not ended:
            raise LimitError(f"no states of positive probability in {MAX_BACKTRACKS} backtracks")
        return Explanation(None, 0.0, True)
    return Explanation(tuple(states), max(0.0, found - bound) + len(factors) * 10.0**-DIGITS, ended)


def solve(arity: Sequence[int], costs: Sequence[tuple[Sequence[int], list[float]]], backtracks: int) -> tuple:
    """The states of least cost or None, their cost, a bound on it, and whether the search ended, by pytoulbar2."""
    from pytoulbar2 import CFN  # an extra

    forbidden = 1.0 + sum(max((cost for cost in one if cost < math.inf), default=0.0) for _, one in costs)
    program = CFN(ubinit=forbidden, resolution=DIGITS, verbose=-1)
    program.Option.backtrackLimit = backtracks
    for v, states in enumerate(arity):
        program.AddVariable(f"x{v}", range(states))
    for scope, one in costs:
        program.AddFunction(list(scope), [min(cost, forbidden) for cost in one])
    found = program.Solve()
    ended = program.GetNbBacktracks() <= backtracks
    return (None, None, None, ended) if found is None else (found[0], found[1], program.GetDDualBound(), ended)


def _answer() -> None:
    """Solve the problem on standard input; the output of the library is redirected to standard error."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    problem = json.load(sys.stdin)
    json.dump(solve(problem["arity"], problem["costs"], problem["backtracks"]), answers)
    answers.close()


if __name__ == "__main__":
    _answer()
