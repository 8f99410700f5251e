"""The coarsening step as an integer program, solved by SCIP (Section 3 of the paper).

A 0/1 variable a candidate; maximise what the chosen ones gain, subject to

* (1) an edge is added due to one separator at most;
* (2) what a candidate needs is added too: a constraint for each vertex of its separator, which is tighter than the
  paper's sum over them, and shared by candidates of which only one can be chosen, which is tighter again;
* (3) the edges due to a separator form a forest over its substantial components. The paper has one constraint for
  each set of components. Here those of two components and of all stand in the program, the others are added by a
  constraint handler when a solution breaks them, and stay.

In a forced step (Section 5 of the paper, FIC) the constraint of all components is an equation.

What SCIP has found when it is told to stop is used: the status says whether that is optimal, and bound and gap how far
it may be from it.
"""

import time
from dataclasses import dataclass

import numpy as np
from pyscipopt import SCIP_RESULT, Conshdlr, quicksum

from coarsen.solutions import broken_forests, is_solution
from common.ilp import finite, give, new_model, optimise

MAX_CUTS = 100  # a separation round; more make the LP slow before they make it tight
LEVELS = (0.9, 0.6, 0.3, 1e-4)  # of LP values at which components are looked for


@dataclass(frozen=True)
class Solution:
    """What SCIP found.

    Attributes
    ----------
    chosen : bool[m]
    gain : float
        Of the chosen candidates.
    bound : float
        No choice gains more.
    gap : float
        SCIP's: the difference of bound and gain, relative to the gain.
    status : str
        SCIP's: optimal, timelimit, gaplimit, userinterrupt, ...
    variables, constraints, cuts : int
        Size of the program, and the constraints (3) added while it was solved.
    seconds : float
    """

    chosen: np.ndarray
    gain: float
    bound: float
    gap: float
    status: str
    variables: int
    constraints: int
    cuts: int
    seconds: float


def solve(problem, first, limits):
    """Choose candidates.

    Parameters
    ----------
    problem : Problem
        With at least one candidate.
    first : bool[m]
        A solution to start from.
    limits : ProgramLimits

    Returns
    -------
    Solution
    """
    began = time.monotonic()
    model = new_model("coarsening")
    x = [model.addVar(vtype="B", obj=float(gain)) for gain in problem.gains]
    model.setMaximize()
    add_single_reasons(model, problem, x)
    add_needs(model, problem, x)
    add_pairs_of_components(model, problem, x)
    add_all_components(model, problem, x)
    handler = Forests(problem, x)
    model.includeConshdlr(
        handler, "forests", "constraints (3)", sepapriority=1, enfopriority=-1, chckpriority=-1, sepafreq=1,
        needscons=False,
    )
    give(model, x, first)
    size = (model.getNVars(), model.getNConss())
    optimise(model, limits, began, lambda: handler.gap)
    if handler.error is not None:
        raise handler.error
    chosen = np.zeros(len(x), bool)
    if model.getNSols():
        best = model.getBestSol()
        chosen[:] = [model.getSolVal(best, variable) > 0.5 for variable in x]
    elif is_solution(problem, first):
        chosen = first  # stopped before SCIP had looked at it
    gain = float(problem.gains[chosen].sum())
    quality = (finite(model, model.getDualbound()), finite(model, model.getGap()), model.getStatus())
    model.freeProb()  # the handler and the model hold each other; SCIP's memory need not wait for that
    return Solution(chosen, gain, *quality, *size, handler.cuts, time.monotonic() - began)


def add_single_reasons(model, problem, x):
    """(1): an edge is added due to at most one separator.

    Parameters
    ----------
    model : pyscipopt.Model
    problem : Problem
    x : list of pyscipopt.Variable, one a candidate
    """
    for same in _groups(problem.found.pair):
        if len(same) > 1:
            model.addCons(quicksum(x[i] for i in same) <= 1)


def add_needs(model, problem, x):
    """(2), one constraint for each vertex s of the separator and each end u.

    Rivals, of which at most one is added (see `Needs`), share a constraint: their sum is at most that of the ways to
    add u-s.

    Parameters
    ----------
    model : pyscipopt.Model
    problem : Problem
    x : list of pyscipopt.Variable, one a candidate
    """
    wanted, pair = problem.needs, problem.found.pair
    ways = {int(pair[group[0]]): group for group in _groups(pair)}
    for same in _groups(wanted.rivals):
        edge = int(wanted.edge[same[0]])
        model.addCons(quicksum(x[i] for i in wanted.candidate[same]) <= quicksum(x[j] for j in ways[edge]))


def add_pairs_of_components(model, problem, x):
    """(3) for two components: at most one edge between them.

    Parameters
    ----------
    model : pyscipopt.Model
    problem : Problem
    x : list of pyscipopt.Variable, one a candidate
    """
    nodes = int(problem.degrees.sum())
    low, high = np.minimum(problem.tails, problem.heads), np.maximum(problem.tails, problem.heads)
    for same in _groups(low * nodes + high):
        if len(same) > 1:
            model.addCons(quicksum(x[i] for i in same) <= 1)


def add_all_components(model, problem, x):
    """(3) for all components of a separator: degree - 1 edges, at most or, in a forced step, exactly.

    Parameters
    ----------
    model : pyscipopt.Model
    problem : Problem
    x : list of pyscipopt.Variable, one a candidate
    """
    for same in _groups(problem.found.due_to):
        most = int(problem.degrees[problem.found.due_to[same[0]]]) - 1
        edges = quicksum(x[i] for i in same)
        if problem.forced:
            model.addCons(edges == most)
        elif most > 1:  # for two components it stands already
            model.addCons(edges <= most)


def _groups(keys):
    """Lists of the indices with equal keys."""
    if not len(keys):
        return []
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order])) + 1
    return [part.tolist() for part in np.split(order, starts)]


class Forests(Conshdlr):
    """Constraints (3) that a solution breaks.

    Parameters
    ----------
    problem : Problem
    x : list of pyscipopt.Variable

    Attributes
    ----------
    cuts : int
        Constraints added.
    gap : float
        SCIP's, when it was last heard of.
    error : Exception or None
        What went wrong in a callback, where SCIP would swallow it.
    """

    def __init__(self, problem, x):
        self.problem = problem
        self.x = x
        self.cuts = 0
        self.gap = float("inf")
        self.error = None

    def conscheck(self, constraints, solution, *_flags):
        """May this solution be accepted?

        Parameters
        ----------
        constraints : list
            Those of this handler: none, since it stands for all of (3).
        solution : pyscipopt Solution
        *_flags : bool
            What else SCIP tells.
        """
        broken = self._guarded(lambda: self._broken(solution, [0.5]))
        return {"result": SCIP_RESULT.INFEASIBLE if broken else SCIP_RESULT.FEASIBLE}

    def consenfolp(self, constraints, *_flags):
        """The LP's solution is integral: forbid it, or accept it."""
        return {"result": SCIP_RESULT.CONSADDED if self._separate([0.5]) else SCIP_RESULT.FEASIBLE}

    consenfops = consenfolp  # the same where SCIP has no LP solution

    def conssepalp(self, constraints, *_flags):
        """Tighten the LP where a fractional solution breaks (3)."""
        self.gap = self.model.getGap()
        return {"result": SCIP_RESULT.CONSADDED if self._separate(LEVELS) else SCIP_RESULT.DIDNOTFIND}

    def conslock(self, constraint, locktype, nlockspos, nlocksneg):
        """A larger value of any variable may break (3).

        Parameters
        ----------
        constraint : None
            See `conscheck`.
        locktype : int
            SCIP_LOCKTYPE.
        nlockspos, nlocksneg : int
            Locks of the constraint itself and of its negation.
        """
        for variable in self.x:
            own = self.model.getTransformedVar(variable) or variable
            self.model.addVarLocksType(own, locktype, nlocksneg, nlockspos)

    def _separate(self, levels):
        """Add what the present solution breaks; how many constraints."""
        found = self._guarded(lambda: self._broken(None, levels)) or []
        for inside, most in found:
            terms = quicksum(self.x[i] for i in inside)
            self.model.addCons(terms <= most, enforce=False, check=False, removable=True)
        self.cuts += len(found)
        return len(found)

    def _broken(self, solution, levels):
        """Sets of components with too many edges among them: pairs of candidates inside and the bound."""
        values = np.array([self.model.getSolVal(solution, variable) for variable in self.x])
        return broken_forests(self.problem, values, levels)[:MAX_CUTS]

    def _guarded(self, work):
        """The work's result; an exception is kept for `solve` and ends the run."""
        try:
            return work()
        except Exception as error:
            self.error = error
            self.model.interruptSolve()
            return None
