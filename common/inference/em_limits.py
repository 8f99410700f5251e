"""How often expectation maximisation starts, and when its rounds end."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EmLimits:
    """Limits of `common.inference.em`.

    Attributes
    ----------
    tolerance
        A rise of the objective, in natural logarithms for all rows together, that is too small to continue; >= 0.
    rounds
        The most rounds from one start, >= 1.
    starts : int or None
        Starts, >= 1, of which the best result is taken; None: 10 with a hidden variable, otherwise 1.
    seed
        Of the tables that random starts begin with, >= 0.
    """

    tolerance: float = 1e-3
    rounds: int = 1000
    starts: int | None = None
    seed: int = 1
