"""SCIP as all integer programs here run it, and constraints that are added only once a solution breaks them.

SCIP works in a thread of its own without Python's lock, so that the time limit, Ctrl-C and SIGTERM are heeded at
once. What it has then is used: the status says whether that is optimal, and bound and gap how far it may be from it.
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
        Asked ten times a second; SCIP stops once it says no.
    on_gap : callable taking three floats
        Told the gap, the seconds and the best solution's value as often.
    """

    seconds: float = 500.0
    gap: float = 0.0
    may_go_on: object = lambda: True
    on_gap: object = lambda gap, seconds, value: None


class Outcome(NamedTuple):
    """What SCIP came to.

    values : float64[m] or None, of the variables asked for in its best solution; None if it has none
    bound : float, nothing scores more
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
    """A pyscipopt.Model that prints nothing and leaves signals to Python."""
    model = Model(name)
    model.hideOutput()
    model.setParam("misc/catchctrlc", False)
    return model


def give(model, x, values):
    """Hand SCIP a first solution.

    Parameters
    ----------
    model : pyscipopt.Model
    x : list of pyscipopt.Variable
    values : sequence of float
        Variables not in the list are 0.

    Returns
    -------
    bool
        Whether SCIP took it; what breaks a constraint it does not.
    """
    solution = model.createSol()
    for variable, value in zip(x, values, strict=True):
        if value:
            model.setSolVal(solution, variable, float(value))
    return model.addSol(solution)


def optimize(model, x, handler, limits, began):
    """Let SCIP work until it is done or told to stop.

    Parameters
    ----------
    model : pyscipopt.Model
        Of no more use afterwards.
    x : list of pyscipopt.Variable
        Those whose values are wanted.
    handler : LazyConstraints or None
        Included in the model; None if it has no such constraints.
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
    model.freeProb()  # the handler and the model hold each other; SCIP's memory need not wait for that
    return outcome


def _finite(model, value):
    """SCIP's number, with Python's infinity for its own."""
    return math.inf if model.isInfinity(value) else value


def _run(model, handler, limits, began):
    """SCIP in its thread; only the handler, which runs there, may ask it for numbers. A list of what went wrong."""
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
    """Constraints that bound the sum of some 0/1 variables, too many to stand in the program from the start.

    A subclass says which of them a solution breaks: `broken(values, integral)` takes float64[m], the values of the
    variables, and whether they are to be taken as 0/1; it returns triples of indices, least and largest sum (None
    where there is none). For integral values it must find one if there is one.

    Parameters
    ----------
    x : list of pyscipopt.Variable

    Attributes
    ----------
    rising, falling : bool
        Whether a larger, a smaller value of a variable can break one of them.
    most : int
        Constraints added in a round; more make the LP slow before they make it tight.
    cuts : int
        Constraints added.
    gap, value : float
        SCIP's gap and the value of its best solution, when it was last heard of.
    error : Exception or None
        What went wrong in a callback, where SCIP would swallow it.
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
        """The constraints that a solution breaks; see the class."""
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
            Those of this handler: none, since it stands for all of them.
        solution : pyscipopt Solution
        *_flags : bool
            What else SCIP tells.
        """
        return {"result": SCIP_RESULT.INFEASIBLE if self._found(solution, True) else SCIP_RESULT.FEASIBLE}

    def consenfolp(self, constraints, *_flags):
        """The LP's solution is integral: forbid it, or accept it."""
        return {"result": SCIP_RESULT.CONSADDED if self._separate(True) else SCIP_RESULT.FEASIBLE}

    consenfops = consenfolp  # the same where SCIP has no LP solution

    def conssepalp(self, constraints, *_flags):
        """Tighten the LP where a fractional solution breaks something."""
        self.gap, self.value = self.model.getGap(), self.model.getPrimalbound()
        return {"result": SCIP_RESULT.CONSADDED if self._separate(False) else SCIP_RESULT.DIDNOTFIND}

    def conslock(self, constraint, locktype, nlockspos, nlocksneg):
        """Which way a variable may not be rounded without care.

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
        """Add what the present solution breaks; how many constraints."""
        found = self._found(None, integral)
        for inside, least, largest in found:
            total = quicksum(self.x[i] for i in inside)
            condition = total <= largest if least is None else total >= least
            self.model.addCons(condition, enforce=False, check=False, removable=True)
        self.cuts += len(found)
        return len(found)

    def _found(self, solution, integral):
        """What a solution breaks; an exception is kept for `optimize` and ends the run."""
        try:
            values = np.array([self.model.getSolVal(solution, variable) for variable in self.x])
            return self.broken(values, integral)[: self.most]
        except Exception as error:
            self.error = error
            self.model.interruptSolve()
            return []
