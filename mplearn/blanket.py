"""The Markov blanket of a variable."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Blanket:
    """The result for one variable.

    Attributes
    ----------
    variable : int
    members : tuple of int
        Ascending.
    score : float
        Local score.
    steps : int
        Additions and removals.
    """

    variable: int
    members: tuple
    score: float
    steps: int = 0
