"""The best graph of the eligible edges as a 0/1 program, solved by SCIP (Section 5.2 of the paper).

The paper links blankets and edges by products. Here, with one variable y per candidate blanket and one x per eligible
edge, the program is linear and tighter:

    sum of y over j's candidates                      = 1        for each variable j
    sum of y over j's candidates that contain i          = x_ij     for each end j of each edge ij

With x at 0 or 1 these leave one candidate per variable, so y need not be declared integral. The objective, to be
minimised, is the sum of the losses of the chosen candidates against the best of their variable: small numbers, so that
no digits are lost, and no rounding to integers is needed. A candidate that alone loses more than the known graph is
left out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyscipopt import quicksum

from ..common.exact.scip import give, optimize, quiet_model

if TYPE_CHECKING:
    from ..common.exact.scip import ProgramLimits
    from .pbo_program import BlanketCandidates

ROUNDING = 1e-6  # of sums of losses


@dataclass(frozen=True)
class PboSolution:
    """The result.

    Attributes
    ----------
    edges : list of (int, int)
        Ascending.
    bound : float
        Upper bound on the score of graphs with these edges.
    status : str
        SCIP's: optimal, timelimit, userinterrupt, ...
    variables : int
        Of the program.
    """

    edges: list
    bound: float
    status: str
    variables: int


def solve(
    choices: list[BlanketCandidates],
    edges: list[tuple[int, int]],
    known: set[tuple[int, int]],
    required: set,
    limits: ProgramLimits,
) -> PboSolution:
    """The best graph.

    Parameters
    ----------
    choices
        One per variable.
    edges : list of (int, int)
        The eligible ones, in the order of their numbers; at least one.
    known : set of (int, int)
        A graph to start from.
    required : set of (int, int)
        Edges that the graph must have.

    Returns
    -------
    PboSolution
    """
    began = time.monotonic()
    model = quiet_model("blankets")
    x = [model.addVar(vtype="B", lb=float(edge in required)) for edge in edges]
    variables, start = list(x), [edge in known for edge in edges]
    at = [choice.chosen_by(known) for choice in choices]
    slack = sum(choice.losses[k] for choice, k in zip(choices, at, strict=True)) + ROUNDING
    for choice, taken in zip(choices, at, strict=True):
        losses = choice.losses
        y = {k: model.addVar(lb=0.0, ub=1.0, obj=float(losses[k])) for k in np.flatnonzero(losses <= slack).tolist()}
        model.addCons(quicksum(y.values()) == 1)
        for b, number in enumerate(choice.numbers):
            model.addCons(quicksum(y[k] for k in y if k >> b & 1) == x[number])
        variables += y.values()
        start += [k == taken for k in y]
    model.setMinimize()
    give(model, variables, start)
    size = model.getNVars()
    found = optimize(model, x, None, limits, began)
    chosen = sorted(known)
    if found.values is not None:
        chosen = [edge for edge, value in zip(edges, found.values, strict=True) if value > 0.5]
    best = sum(choice.scores.max() for choice in choices)
    return PboSolution(chosen, best - max(0.0, found.bound), found.status, size)
