"""The best graph of the eligible edges as a 0/1 program, solved by SCIP (Section 5.2 of the paper).

The paper ties blankets to edges by products. Here, with a variable y for each candidate blanket and x for each
eligible edge, it is linear, and tighter:

    sum of y over j's candidates                      = 1        for each variable j
    sum of y over j's candidates that hold i          = x_ij     for each end j of each edge ij

With x at 0 or 1 these leave one candidate for each variable, so y need not be declared integral. Minimised is the sum
of what the chosen candidates lose against the best of their variable: small numbers, so that no digits are lost, and
nothing needs to be rounded to whole ones. Variables with one candidate left (`mplearn.program`) take no part.
"""

import time
from dataclasses import dataclass

import numpy as np
from pyscipopt import quicksum

from common.ilp import finite, give, new_model, optimise


@dataclass(frozen=True)
class Solution:
    """What was found.

    Attributes
    ----------
    edges : list of (int, int)
        Ascending.
    bound : float
        No graph of these edges scores more.
    status : str
        SCIP's: optimal, timelimit, userinterrupt, ...; optimal where nothing was left to solve.
    variables, constraints : int
        Size of the program.
    """

    edges: list
    bound: float
    status: str
    variables: int
    constraints: int


def solve(choices, edges, known, limits):
    """The best graph.

    Parameters
    ----------
    choices : list of Candidates
        One a variable; after `mplearn.program.reduce`.
    edges : list of (int, int)
        The eligible ones, in the order of their numbers.
    known : set of (int, int)
        A graph to start from, whose candidates are among the choices.
    limits : ProgramLimits

    Returns
    -------
    Solution
    """
    began = time.monotonic()
    best = sum(choice.scores.max() for choice in choices)
    fixed = {edges[choice.numbers[b]] for choice in choices for b in range(len(choice.around)) if choice.holds(b).all()}
    open_ones = [choice for choice in choices if len(choice.sets) > 1]
    if not open_ones:
        return Solution(sorted(fixed), best, "optimal", 0, 0)
    model = new_model("blankets")
    x = {}
    variables, start = [], []
    for choice in open_ones:
        y = [model.addVar(lb=0.0, ub=1.0, obj=float(loss)) for loss in choice.losses]
        model.addCons(quicksum(y) == 1)
        variables += y
        start += (choice.sets == _set_in(choice, known)).tolist()
        for b, number in enumerate(choice.numbers):
            held = choice.holds(b)
            if held.all() or not held.any():
                continue
            if number not in x:
                x[number] = model.addVar(vtype="B")
                variables.append(x[number])
                start.append(edges[number] in known)
            model.addCons(quicksum(y[k] for k in np.flatnonzero(held)) == x[number])
    model.setMinimize()
    give(model, variables, start)
    size = (model.getNVars(), model.getNConss())
    optimise(model, limits, began)
    chosen = set(known)
    if model.getNSols():
        solution = model.getBestSol()
        chosen = fixed | {edges[number] for number in x if model.getSolVal(solution, x[number]) > 0.5}
    bound, status = best - max(0.0, finite(model, model.getDualbound())), model.getStatus()
    model.freeProb()
    return Solution(sorted(chosen), bound, status, *size)


def _set_in(choice, graph):
    """The candidate that a graph (set of edges) chooses."""
    v = choice.variable
    return sum(1 << b for b, u in enumerate(choice.around) if (min(u, v), max(u, v)) in graph)
