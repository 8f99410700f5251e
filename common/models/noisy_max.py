"""The table of a noisy-MAX (Henrion 1989; Diez 1993), as GeNIe has them: each parent alone, and the rest of the world.

Each parent, in its state, causes one of the variable's states by itself, and so does the leak; the variable has the
strongest of these. States are ordered from the strongest to the weakest, so with a cumulative distribution F_k of each
cause, from the weakest state up, p(state i or weaker) is the product of all F_k(i or weaker).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..errors import LimitError
from .bayesnet import MAX_CELLS


def noisy_max_table(causes: Sequence[np.ndarray], leak: np.ndarray) -> np.ndarray:
    """The full table.

    Parameters
    ----------
    causes : sequence of float64[q_k, r]
        Of each parent: for each of its states the distribution of its effect.
    leak : float64[r]
        The distribution of the effect of other causes.

    Returns
    -------
    float64[q, r]
        By joint state of the parents, the last one changing fastest.

    Raises
    ------
    LimitError
        It has more than `MAX_CELLS` numbers.
    """
    cells = math.prod(len(cause) for cause in causes) * len(leak)
    if cells > MAX_CELLS:
        raise LimitError(f"the table of a noisy-MAX would have {cells} numbers, at most {MAX_CELLS}")
    weaker = _from_the_end(leak)[None]
    for cause in causes:
        weaker = (weaker[:, None] * _from_the_end(cause)[None]).reshape(-1, len(leak))
    return np.maximum(0.0, weaker - np.pad(weaker[:, 1:], ((0, 0), (0, 1))))


def _from_the_end(table: np.ndarray) -> np.ndarray:
    """Sums over each state and the weaker ones, along the last axis."""
    return np.cumsum(table[..., ::-1], axis=-1)[..., ::-1]
