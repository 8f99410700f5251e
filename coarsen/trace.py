"""The record of one step for the trace and the log."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One step; the trace writes these fields, in this order.

    Attributes
    ----------
    seconds
        Since the start.
    step
        From 1; 0 is the start.
    method
        tree, forest, empty or given for a start; ic, fic, greedy or search (a local search).
    variables, constraints, cuts
        Of the integer program; 0 without one.
    bound, gap
        Upper bound on the step's gain, and its difference to `gain` relative to `gain`; both 0 without a program.
    gain, score
        Gain of the step, and the network's score after it.
    edges
        Number of edges after it.
    status
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
