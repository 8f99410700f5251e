"""Rungs of a temperature ladder at equal parts of its communication barrier.

All pairs of adjacent rungs should have equal rejection rates: the sum of the rejection rates over the rungs is the
communication barrier between the ends, of which each pair gets an equal part (Syed, Bouchard-Cote, Deligiannidis and
Doucet, Journal of the Royal Statistical Society B 84, 2022, Section 5.4).
"""

from __future__ import annotations

import numpy as np

HOTTEST = 1e6  # temperature at which heating ends, at any acceptance rate


def equal_parts(places: np.ndarray, rejected: np.ndarray, count: int, length: float | None = None) -> np.ndarray:
    """Places on a ladder that divide the barrier into equal parts: pairs of them have equal rejection rates.

    Parameters
    ----------
    places : float64[k]
        Of the present rungs, on the scale on which the new ones are interpolated.
    rejected : float64[k - 1]
        Rejection rates of adjacent rungs, > 0.
    count
        Of the new rungs.
    length
        Of the part of the barrier to divide; None for all of it.

    Returns
    -------
    float64[count]
        The first is where it was.
    """
    barrier = np.concatenate([[0.0], np.cumsum(rejected)])
    return np.interp(np.linspace(0.0, barrier[-1] if length is None else length, count), barrier, places)
