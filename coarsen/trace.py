"""What one step did, as the trace and the log tell it."""

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
        Most that the step could gain, and the difference to `gain` relative to it; both 0 without a program.
    gain, score : float
        What the step gained, and the network's score after it.
    edges : int
        In the network after it.
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
