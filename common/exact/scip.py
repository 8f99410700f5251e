"""Runs of SCIP for all integer programs, and lazy constraints, which are added only when a solution violates them.

SCIP runs in a separate thread without Python's lock, so that the time limit, Ctrl-C and SIGTERM take effect at once.
The best solution so far is used: the status shows whether it is optimal, bound and gap how far it may be from the
optimum.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from pyscipopt import SCIP_RESULT, SCIP_STAGE, Conshdlr, Model, quicksum


@dataclass(frozen=True)
class ProgramLimits:
    """When SCIP may stop before the optimum.

    Attributes
    ----------
    seconds
        Of making and solving the program.
    gap
        Relative.
    should_continue
        Called ten times per second; once it returns False, SCIP stops.
    on_gap : callable taking three floats
        Called as often with the gap, the seconds and the best solution's value.
    """

    seconds: float = 500.0
    gap: float = 0.0
    should_continue: Callable = lambda: True
    on_gap: Callable = lambda gap, seconds, value: None


class Outcome(NamedTuple):
    """The result of SCIP.

    values : float64[m] or None, of the requested variables in its best solution; None if it has none
    bound : float, upper bound on the objective
    gap : float, the difference of bound and value, relative to the value
    status : str, SCIP's: optimal, timelimit, gaplimit, userinterrupt, ...
    nodes : int, of the search tree
    """

    values: np.ndarray | None
    bound: float
    gap: float
    status: str
    nodes: int


def quiet_model(name: str) -> Any:
    """A pyscipopt.Model that prints nothing and does not handle signals."""
    model = Model(name)
    model.hideOutput()
    model.setParam("misc/catchctrlc", False)
    return model


def give(model: Model, x: list[Any], values: Sequence[float] | np.ndarray) -> None:
    """Give SCIP a first solution, which it ignores if it is infeasible.

    Parameters
    ----------
    x : list of pyscipopt.Variable
    values
        Variables not in the list are 0.
    """
    solution = model.createSol()
    for variable, value in zip(x, values, strict=True):
        if value:
            model.setSolVal(solution, variable, float(value))
    model.addSol(solution)


def optimize(
    model: Model, x: list[Any], handler: LazyConstraints | None, limits: ProgramLimits, began: float
) -> Outcome:
    """Run SCIP until it is done or stopped.

    Parameters
    ----------
    model
        Not usable afterwards.
    x : list of pyscipopt.Variable
        The variables whose values are returned.
    handler
        Included in the model; None if it has no lazy constraints.
    began
        By time.monotonic(): the time limit counts from there.
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


def _finite(model: Any, value: float) -> float:
    """A number of SCIP, with its infinity replaced by Python's."""
    return math.inf if model.isInfinity(value) else value


def _run(model: Any, handler: Any, limits: ProgramLimits, began: float) -> list:
    """Run SCIP in its thread; only the handler, which runs there, may query it. Returns its exceptions."""
    errors = []

    def work() -> None:
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
        if not limits.should_continue() and SCIP_STAGE.PRESOLVING <= model.getStage() <= SCIP_STAGE.SOLVING:
            model.interruptSolve()


class LazyConstraints(Conshdlr):
    """Lazy constraints: bounds on sums of 0/1 variables, too many to be in the program from the start.

    A subclass determines the violated ones: `violated(values, integral)` takes float64[m], the values of the variables,
    and whether they are to be read as 0/1; it returns triples of indices, least and largest sum (None for no bound), or
    with weights of the indices (float64[]) as a fourth.
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

    def __init__(self, x: list[Any]) -> None:
        self.x = x
        self.cuts = 0
        self.gap, self.value = math.inf, -math.inf
        self.error: Exception | None = None

    def violated(self, values: np.ndarray, integral: bool) -> Sequence[tuple]:
        """The constraints that a solution violates; see the class."""
        raise NotImplementedError

    def include_in(self, model: Any, name: str) -> None:
        """Make the constraints part of a pyscipopt.Model.

        Its symmetries are not used: SCIP finds those of the constraints that it has, and lazy ones can break them.
        """
        model.setParam("misc/usesymmetry", 0)
        model.includeConshdlr(
            self, name, name, sepapriority=1, enfopriority=-1, chckpriority=-1, sepafreq=1, needscons=False
        )

    def conscheck(self, constraints: list, solution: Any, *_flags: bool) -> dict[str, int]:
        """Whether this solution may be accepted.

        Parameters
        ----------
        constraints
            Those of this handler: none, since the handler represents all of them.
        solution : pyscipopt Solution
        *_flags
            Further arguments of SCIP.
        """
        return {"result": SCIP_RESULT.INFEASIBLE if self._found(solution, True) else SCIP_RESULT.FEASIBLE}

    def consenfolp(self, constraints: list, *_flags: Any) -> Any:
        """The LP's solution is integral: forbid it, or accept it."""
        return {"result": SCIP_RESULT.CONSADDED if self._separate(True) else SCIP_RESULT.FEASIBLE}

    consenfops = consenfolp  # type: ignore[assignment]  # the same if SCIP has no LP solution

    def conssepalp(self, constraints: list, *_flags: Any) -> dict[str, int]:
        """Tighten the LP if a fractional solution violates constraints."""
        self.gap, self.value = self.model.getGap(), self.model.getPrimalbound()
        return {"result": SCIP_RESULT.CONSADDED if self._separate(False) else SCIP_RESULT.DIDNOTFIND}

    def conslock(self, constraint: None, locktype: int, nlockspos: int, nlocksneg: int) -> None:
        """Declare the directions in which rounding a variable can violate a constraint.

        Parameters
        ----------
        constraint
            See `conscheck`.
        locktype
            SCIP_LOCKTYPE.
        nlockspos, nlocksneg
            Locks of the constraint itself and of its negation.
        """
        down = self.falling * nlockspos + self.rising * nlocksneg
        up = self.falling * nlocksneg + self.rising * nlockspos
        for variable in self.x:
            own = self.model.getTransformedVar(variable) or variable
            self.model.addVarLocksType(own, locktype, down, up)

    def _separate(self, integral: bool) -> int:
        """Add the constraints that the current solution violates; returns their number."""
        found = self._found(None, integral)
        for inside, least, largest, *weights in found:
            each = weights[0].tolist() if weights else [1.0] * len(inside)
            total = quicksum(weight * self.x[i] for i, weight in zip(inside, each, strict=True))
            condition = total <= largest if least is None else total >= least
            self.model.addCons(condition, enforce=False, check=False, removable=True)
        self.cuts += len(found)
        return len(found)

    def _found(self, solution: Any, integral: bool) -> Sequence[tuple]:
        """The violated constraints of a solution; an exception is kept for `optimize` and ends the run."""
        try:
            values = np.array([self.model.getSolVal(solution, variable) for variable in self.x])
            return self.violated(values, integral)[: self.most]
        except Exception as error:
            self.error = error
            self.model.interruptSolve()
            return []
