"""SCIP runs for all integer programs here, and lazy constraints, which are added only when a solution violates them.

SCIP runs in a separate thread without Python's lock, so that the time limit, Ctrl-C and SIGTERM take effect at once.
Its solution so far is used: the status says whether it is optimal, and bound and gap how far it may be from the
optimum.
"""

import math
import threading
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from pyscipopt import SCIP_RESULT, SCIP_STAGE, Conshdlr, Model, quicksum


@dataclass(frozen=True)
class ProgramLimits:
    """When SCIP may stop before the optimum.

    Attributes
    ----------
    seconds : float
    gap : float
        Relative.
    may_go_on : callable
        Called ten times per second; once it returns False, SCIP stops.
    on_gap : callable taking three floats
        Called as often with the gap, the seconds and the best solution's value.
    """

    seconds: float = 500.0
    gap: float = 0.0
    may_go_on: object = lambda: True
    on_gap: object = lambda gap, seconds, value: None


class Outcome(NamedTuple):
    """The result of SCIP.

    values : float64[m] or None, of the requested variables in its best solution; None if it has none
    bound : float, upper bound on the objective
    gap : float, the difference of bound and value, relative to the value
    status : str, SCIP's: optimal, timelimit, gaplimit, userinterrupt, ...
    nodes : int, of the search tree
    """

    values: object
    bound: float
    gap: float
    status: str
    nodes: int


def quiet_model(name):
    """A pyscipopt.Model that prints nothing and does not handle signals."""
    model = Model(name)
    model.hideOutput()
    model.setParam("misc/catchctrlc", False)
    return model


def give(model, x, values):
    """Give SCIP a first solution.

    Parameters
    ----------
    model : pyscipopt.Model
    x : list of pyscipopt.Variable
    values : sequence of float
        Variables not in the list are 0.

    Returns
    -------
    bool
        Whether SCIP accepted it; infeasible solutions are rejected.
    """
    solution = model.createSol()
    for variable, value in zip(x, values, strict=True):
        if value:
            model.setSolVal(solution, variable, float(value))
    return model.addSol(solution)


def optimize(model, x, handler, limits, began):
    """Run SCIP until it is done or stopped.

    Parameters
    ----------
    model : pyscipopt.Model
        Not usable afterwards.
    x : list of pyscipopt.Variable
        The variables whose values are returned.
    handler : LazyConstraints or None
        Included in the model; None if it has no lazy constraints.
    limits : ProgramLimits
    began : float
        By time.monotonic(): the time limit counts from there.

    Returns
    -------
    Outcome
    """
    model.setParam("limits/gap", limits.gap)
    model.setParam("limits/time", max(0.01, limits.seconds - (time.monotonic() - began)))
    errors = _run(model, handler, limits, began)
    if handler is not None and handler.error is not None:
        errors.append(handler.error)
    for error in errors:
        raise error
    values = None
    if model.getNSols():
        best = model.getBestSol()
        values = np.array([model.getSolVal(best, variable) for variable in x])
    bound, gap = (_finite(model, value) for value in (model.getDualbound(), model.getGap()))
    outcome = Outcome(values, bound, gap, model.getStatus(), model.getNTotalNodes())
    model.freeProb()  # the handler and the model form a reference cycle; free SCIP's memory now
    return outcome


def _finite(model, value):
    """A number of SCIP, with its infinity replaced by Python's."""
    return math.inf if model.isInfinity(value) else value


def _run(model, handler, limits, began):
    """Run SCIP in its thread; only the handler, which runs there, may query it. A list of exceptions."""
    errors = []

    def work():
        try:
            model.optimizeNogil()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while True:
        thread.join(0.1)
        if not thread.is_alive():
            return errors
        gap, value = (math.inf, -math.inf) if handler is None else (handler.gap, handler.value)
        limits.on_gap(gap, time.monotonic() - began, value)
        if not limits.may_go_on() and SCIP_STAGE.PRESOLVING <= model.getStage() <= SCIP_STAGE.SOLVING:
            model.interruptSolve()


class LazyConstraints(Conshdlr):
    """Lazy constraints: bounds on sums of 0/1 variables, too many to be in the program from the start.

    A subclass determines the violated ones: `broken(values, integral)` takes float64[m], the values of the variables,
    and whether they are to be read as 0/1; it returns triples of indices, least and largest sum (None for no bound).
    For integral values it must find a violated constraint if there is one.

    Parameters
    ----------
    x : list of pyscipopt.Variable

    Attributes
    ----------
    rising, falling : bool
        Whether a larger (rising) or smaller (falling) value of a variable can violate one of them.
    most : int
        Constraints added per round; more slow down the LP before they tighten it.
    cuts : int
        Constraints added.
    gap, value : float
        SCIP's gap and the value of its best solution, at the last callback.
    error : Exception or None
        Exception in a callback, which SCIP would ignore.
    """

    rising = True
    falling = True
    most = 100

    def __init__(self, x):
        self.x = x
        self.cuts = 0
        self.gap, self.value = math.inf, -math.inf
        self.error = None

    def broken(self, values, integral):
        """The constraints that a solution violates; see the class."""
        raise NotImplementedError

    def include_in(self, model, name):
        """Make the constraints part of a pyscipopt.Model."""
        model.includeConshdlr(
            self, name, name, sepapriority=1, enfopriority=-1, chckpriority=-1, sepafreq=1, needscons=False
        )

    def conscheck(self, constraints, solution, *_flags):
        """May this solution be accepted?

        Parameters
        ----------
        constraints : list
            Those of this handler: none, since the handler represents all of them.
        solution : pyscipopt Solution
        *_flags : bool
            Further arguments of SCIP.
        """
        return {"result": SCIP_RESULT.INFEASIBLE if self._found(solution, True) else SCIP_RESULT.FEASIBLE}

    def consenfolp(self, constraints, *_flags):
        """The LP's solution is integral: forbid it, or accept it."""
        return {"result": SCIP_RESULT.CONSADDED if self._separate(True) else SCIP_RESULT.FEASIBLE}

    consenfops = consenfolp  # the same if SCIP has no LP solution

    def conssepalp(self, constraints, *_flags):
        """Tighten the LP if a fractional solution violates constraints."""
        self.gap, self.value = self.model.getGap(), self.model.getPrimalbound()
        return {"result": SCIP_RESULT.CONSADDED if self._separate(False) else SCIP_RESULT.DIDNOTFIND}

    def conslock(self, constraint, locktype, nlockspos, nlocksneg):
        """Declare the directions in which rounding a variable can violate a constraint.

        Parameters
        ----------
        constraint : None
            See `conscheck`.
        locktype : int
            SCIP_LOCKTYPE.
        nlockspos, nlocksneg : int
            Locks of the constraint itself and of its negation.
        """
        down = self.falling * nlockspos + self.rising * nlocksneg
        up = self.falling * nlocksneg + self.rising * nlockspos
        for variable in self.x:
            own = self.model.getTransformedVar(variable) or variable
            self.model.addVarLocksType(own, locktype, down, up)

    def _separate(self, integral):
        """Add the constraints that the current solution violates; returns their number."""
        found = self._found(None, integral)
        for inside, least, largest in found:
            total = quicksum(self.x[i] for i in inside)
            condition = total <= largest if least is None else total >= least
            self.model.addCons(condition, enforce=False, check=False, removable=True)
        self.cuts += len(found)
        return len(found)

    def _found(self, solution, integral):
        """The violated constraints of a solution; an exception is kept for `optimize` and ends the run."""
        try:
            values = np.array([self.model.getSolVal(solution, variable) for variable in self.x])
            return self.broken(values, integral)[: self.most]
        except Exception as error:
            self.error = error
            self.model.interruptSolve()
            return []
