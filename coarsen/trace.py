"""The record of one step for the trace and the log."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One step; the trace writes these, in this order.

    Attributes
    ----------
    seconds : float
        Since the start.
    step : int
        From 1; 0 is the start.
    method : str
        tree, forest, empty or given for a start; ic, fic, greedy or search (a local search).
    variables, constraints, cuts : int
        Of the integer program; 0 without one.
    bound, gap : float
        Upper bound on the step's gain, and its difference to `gain` relative to `gain`; both 0 without a program.
    gain, score : float
        Gain of the step, and the network's score after it.
    edges : int
        Number of edges after it.
    status : str
        SCIP's, or empty.
    """

    seconds: float
    step: int
    method: str
    variables: int
    constraints: int
    cuts: int
    bound: float
    gap: float
    gain: float
    score: float
    edges: int
    status: str
