"""The temperatures of a ladder: how many, from 1 to which, and how they are spaced.

The rejection rates of exchanges between adjacent temperatures add up to a length of the ladder that hardly depends on
their number, the *communication barrier*. All pairs should have an equal part of it, and with twice as many
temperatures as this length, states travel fastest between the ends (Syed, Bouchard-Cote, Deligiannidis and Doucet
2022). From 1/T to 1/T' it is the integral of the standard deviation of the score, divided by the square root of pi, if
scores are normal. New rungs are found as in `common.chains.ladder`, which is for optima: there the number of rungs is
given and both ends are measured; here the cold end is 1, and the number and the hot end are to be found.

Where the chain at temperature 1 is mobile (the share `MOBILE_ACCEPTANCE` of its moves is accepted), `MIN_TEMPERATURES`
are enough, and the hottest is the largest that keeps the rejection rates below `MAX_REJECTION_RATE`, or, for draws that
count, `SAMPLING_REJECTION_RATE`: hot chains find the modes for which joint toggles are learned (`mnposterior.flips`),
and these toggles then lead to the modes at temperature 1. Otherwise one chain is heated from a good network until it is
mobile. The barrier up to there gives the number of temperatures and their first values, if more than `MIN_TEMPERATURES`
are needed, and the ladder always reaches that far. The draws of the heated chain are few and correlated, so the barrier
is estimated as about half of what it is; hence `TEMPERATURES_PER_BARRIER`.

Cost: `ROUNDS_PER_TEMPERATURE` rounds of moves of one chain at fewer than thirty temperatures.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.chains.ladder import equal_parts

if TYPE_CHECKING:
    from collections.abc import Callable

MIN_TEMPERATURES, MAX_TEMPERATURES = 8, 64  # of a ladder
MAX_PAIR_ENTRIES = 1 << 22  # pairs of variables times temperatures, if there are more than MIN_TEMPERATURES
ROUNDS_PER_TEMPERATURE = 50  # of the heated chain; the first half is not used
HEATING_FACTOR = 1.3  # between two of its temperatures
MOBILE_ACCEPTANCE = 0.02  # share of the moves that a mobile chain accepts
FIRST_HOT_END, MAX_TEMPERATURE = 10.0, 1000.0  # first hot end of mobile chains; end of heating
TEMPERATURES_PER_BARRIER = 4.0  # of a barrier of 1, as it is estimated
ADDED_REJECTION_RATE = 1e-3  # to each measured one, so that temperatures stay apart
MAX_REJECTION_RATE = 0.6  # of the exchanges between two temperatures, during adaptation
SAMPLING_REJECTION_RATE = 0.3  # the same after it


class Temperatures(NamedTuple):
    """The first temperatures of a ladder.

    beta : float64[k], 1/T, descending from 1
    beta_min : float, the ladder always reaches down to this 1/T
    """

    beta: np.ndarray
    beta_min: float


def max_temperatures(n: int) -> int:
    """The largest number of temperatures for n variables."""
    pairs = max(1, n * (n - 1) // 2)
    return min(MAX_TEMPERATURES, max(MIN_TEMPERATURES, MAX_PAIR_ENTRIES // pairs))


def measured_temperatures(measure: Callable[[float], tuple[float, float]], most: int) -> Temperatures:
    """The first temperatures of a ladder.

    Parameters
    ----------
    measure
        Continues one chain at a temperature; returns the share of its moves that were accepted, and the standard
        deviation of its score.
    most
        Number of temperatures, at least `MIN_TEMPERATURES`.
    """
    temperature = 1.0
    rate, spread = measure(temperature)
    if rate >= MOBILE_ACCEPTANCE:
        return Temperatures(1.0 / np.geomspace(1.0, FIRST_HOT_END, MIN_TEMPERATURES), 1.0)
    beta: list[float] = [1.0]
    rejected: list[float] = []
    while (
        rate < MOBILE_ACCEPTANCE and temperature < MAX_TEMPERATURE and TEMPERATURES_PER_BARRIER * sum(rejected) < most
    ):
        before, temperature = spread, temperature * HEATING_FACTOR
        rate, spread = measure(temperature)
        beta.append(1.0 / temperature)
        rejected.append((beta[-2] - beta[-1]) * (before + spread) / 2.0 / math.sqrt(math.pi))
    count = min(most, math.ceil(TEMPERATURES_PER_BARRIER * sum(rejected)))
    if count <= MIN_TEMPERATURES:
        return Temperatures(1.0 / np.geomspace(1.0, FIRST_HOT_END, MIN_TEMPERATURES), beta[-1])
    return Temperatures(adapted_temperatures(np.array(beta), np.array(rejected), count, beta[-1]), beta[-1])


def adapted_temperatures(
    beta: np.ndarray, rejected: np.ndarray, count: int, beta_min: float = 1.0, rate: float = MAX_REJECTION_RATE
) -> np.ndarray:
    """Ladder adaptation: temperatures with about equal rejection rates between adjacent ones.

    The rejection rates are added up to the barrier, whose first part is divided by `equal_parts`: the part down to
    `beta_min`, or as much more as gives each pair of `count` temperatures the rejection rate `rate`.

    Parameters
    ----------
    beta : float64[k]
        1/T, descending from 1.
    rejected : float64[k - 1]
        Rejection rates of adjacent temperatures.
    count
        Of the new temperatures, at least 2.
    beta_min
        The largest 1/T at which they may end.
    rate
        Largest rejection rate, if they still reach this 1/T.

    Returns
    -------
    float64[count]
    """
    rejected = rejected + ADDED_REJECTION_RATE
    barrier = np.concatenate([[0.0], np.cumsum(rejected)])
    needed = np.interp(-beta_min, -beta, barrier)
    return equal_parts(beta, rejected, count, min(barrier[-1], max(needed, rate * (count - 1))))
