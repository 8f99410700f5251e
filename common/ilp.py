"""Running SCIP for an integer program: silently, and ended by the clock, a gap, Ctrl-C or SIGTERM at once.

SCIP works in a thread of its own without Python's lock; what it has found when it ends is used.
"""

import math
import threading
import time
from dataclasses import dataclass

from pyscipopt import SCIP_STAGE, Model


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
    on_gap : callable taking two floats
        Told the gap and the seconds as often.
    """

    seconds: float = 500.0
    gap: float = 0.0
    may_go_on: object = lambda: True
    on_gap: object = lambda gap, seconds: None


def new_model(name):
    """A Model that prints nothing and leaves signals to Python."""
    model = Model(name)
    model.hideOutput()
    model.setParam("misc/catchctrlc", False)
    return model


def give(model, variables, values):
    """Hand SCIP a solution to start from.

    Parameters
    ----------
    model : pyscipopt.Model
    variables : list of pyscipopt.Variable
    values : sequence of bool
    """
    solution = model.createSol()
    for variable, value in zip(variables, values, strict=True):
        if value:
            model.setSolVal(solution, variable, 1.0)
    model.addSol(solution)


def optimise(model, limits, began, known_gap=lambda: math.inf):
    """Let SCIP work until it is done or told to stop.

    Parameters
    ----------
    model : pyscipopt.Model
    limits : ProgramLimits
    began : float
        When the limit's seconds began, by `time.monotonic`.
    known_gap : callable
        The gap as far as it is known: only callbacks of SCIP, in its thread, may ask it for numbers.

    Raises
    ------
    Exception
        What went wrong in SCIP's thread.
    """
    model.setParam("limits/gap", limits.gap)
    model.setParam("limits/time", max(0.01, limits.seconds - (time.monotonic() - began)))
    errors = []

    def work():
        try:
            model.optimizeNogil()
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
        limits.on_gap(known_gap(), time.monotonic() - began)
        if not limits.may_go_on() and SCIP_STAGE.PRESOLVING <= model.getStage() <= SCIP_STAGE.SOLVING:
            model.interruptSolve()
    for error in errors:
        raise error


def finite(model, value):
    """SCIP's number, with Python's infinity for its own.

    Parameters
    ----------
    model : pyscipopt.Model
    value : float
    """
    if model.isInfinity(value):
        return math.inf
    return -math.inf if model.isInfinity(-value) else value
