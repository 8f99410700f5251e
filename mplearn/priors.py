"""The parts of a local score that depend on the blanket but not on the counts: priors and penalties.

A prior is a function in `PRIORS` that takes `Blankets` and returns their logarithmic prior probability, up to a
constant for each variable, as float64 in the shape of `Blankets.configurations`. To add one, write the function,
add it to `PRIORS` (it is then a choice of `--prior`), and also add it to `common.certify.blankets.PRIORS`, where the
certificate has its own formula. It may depend on everything in Blankets, including the variables that are joined; the
search only requires that the prior of the graph is the product of the priors of its blankets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from .blanket_scoring import BlanketScoring


@dataclass(frozen=True)
class Blankets:
    """One blanket of a variable, or all blankets with one more variable.

    Attributes
    ----------
    variable : int
    members : tuple of int
    added : int64[m] or None
        None: `members` is the blanket. Else the blankets are `members` with each of these added.
    size : int
        Variables in a blanket.
    states : int
        The variable's arity, r_j.
    configurations : float64[m], or float
        The product of a blanket's arities, q_j; infinite where it exceeds a float.
    """

    variable: int
    members: tuple
    added: np.ndarray | None
    size: int
    states: int
    configurations: np.ndarray


def uniform(blankets: Blankets) -> np.ndarray:
    """Uniform over graphs."""
    return np.zeros_like(blankets.configurations)


def sparse(blankets: Blankets) -> float | np.ndarray:
    """2^(-q_j (r_j - 1)), Section 6.3 of the paper: a factor of one half per parameter."""
    return _times(blankets.states - 1, -math.log(2.0) * blankets.configurations)


PRIORS = {"uniform": uniform, "sparse": sparse}


def information_penalty(blankets: Blankets, n_rows: float, kind: str) -> float | np.ndarray:
    """Of PIC: q_j ln n as printed in the paper's appendix, or ln n / 2 for each of the q_j (r_j - 1) parameters.

    Parameters
    ----------
    kind
        One of `common.files.header_words.PENALTIES`.

    Returns
    -------
    float64[m] or float
        At most 0.
    """
    factor = 1.0 if kind == "printed" else (blankets.states - 1) / 2
    return _times(factor * math.log(n_rows), -blankets.configurations)


def threshold_penalty(blankets: Blankets, n_rows: float, threshold: float) -> np.ndarray:
    """Of CMI: each member must inform about the variable by more than `threshold` nats per row, given the others.

    Returns
    -------
    float64[m] or float
    """
    return np.full_like(blankets.configurations, -n_rows * threshold * blankets.size)


def _times(factor: float, configurations: float | np.ndarray) -> float | np.ndarray:
    """The product, which is 0 if the factor is 0, even for infinitely many configurations."""
    return factor * configurations if factor else np.zeros_like(configurations)


def log_weight(scoring: BlanketScoring, n_rows: float) -> Callable:
    """The terms added to the likelihood part of a local score.

    Parameters
    ----------
    scoring : BlanketScoring

    Returns
    -------
    callable taking Blankets
    """
    if scoring.kind == "pic":
        return partial(information_penalty, n_rows=n_rows, kind=scoring.penalty)
    if scoring.kind == "cmi":
        return partial(threshold_penalty, n_rows=n_rows, threshold=scoring.threshold)
    return PRIORS[scoring.prior]
