"""When the rounds of expectation and maximisation end."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EmLimits:
    """Limits of the rounds of `common.inference.em`.

    Attributes
    ----------
    tolerance
        A rise of the objective, in natural logarithms for all rows together, that is too small to go on; >= 0.
    rounds
        The most rounds, >= 1.
    """

    tolerance: float = 1e-3
    rounds: int = 1000
