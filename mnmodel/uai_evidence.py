"""Findings and answers in the files of the UAI inference competitions.

An evidence file (.evid) has the number of findings, then a variable and its state for each, all as numbers from 0:
`2 0 1 3 0`. In files of 2010 and before, the number of samples of evidence comes first, `1`. An answer has the task in
its first line and then one line:

    MAR   number of variables; of each its number of states and their probabilities
    MPE   number of variables; the state of each
    MMAP  number of variables that are maximised over; each with its state
    PR    logarithm, to base 10, of the probability of the evidence, or of the partition function
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..common.counted import counted
from ..common.errors import DataError
from ..common.files.input_stream import read_text

if TYPE_CHECKING:
    import numpy as np


def read_evidence(path: str, arity: Sequence[int]) -> dict[int, int]:
    """The findings in an evidence file.

    Parameters
    ----------
    path
        `-` is standard input.
    arity
        Of the model's variables.

    Returns
    -------
    dict of int to int
        States by variable.

    Raises
    ------
    DataError
        Unreadable, malformed, several samples, a variable twice, or numbers that the model does not have.
    """
    words = read_text(path, "an evidence file (.evid)").split()
    wrong = next((word for word in words if not re.fullmatch("[0-9]{1,9}", word)), None)
    if wrong is not None or not words:
        found = "an empty file" if wrong is None else f"found '{wrong}'"
        raise DataError(f"{found}; expected the number of findings, then a variable and its state, from 0, each", path)
    numbers = list(map(int, words))
    if len(numbers) != 1 + 2 * numbers[0]:
        if numbers[0] > 1 and _is_samples(numbers):
            raise DataError(f"{numbers[0]:,} samples of evidence; give one, in a file of its own", path)
        if not _is_samples(numbers):
            raise DataError(
                f"{2 * numbers[0]} numbers for {counted(numbers[0], 'finding')} expected, found {len(numbers) - 1}",
                path,
            )
        numbers = numbers[1:]
    found_states: dict[int, int] = {}
    for v, k in zip(numbers[1::2], numbers[2::2], strict=True):
        if v in found_states:
            raise DataError(f"variable {v} is given twice", path)
        if v >= len(arity) or k >= arity[v]:
            known = f"variables 0 to {len(arity) - 1}" if v >= len(arity) else f"states 0 to {arity[v] - 1} of it"
            raise DataError(f"variable {v} with state {k}: the model has {known}", path)
        found_states[v] = k
    return found_states


def _is_samples(numbers: list[int]) -> bool:
    """Whether the first number is that of samples, and each has its number of findings."""
    place = 1
    for _ in range(numbers[0]):
        if place >= len(numbers):
            return False
        place += 1 + 2 * numbers[place]
    return place == len(numbers)


def marginals_answer(tables: Sequence[np.ndarray]) -> str:
    """An answer of task MAR: the distributions, float64[r], of all variables in order."""
    parts = [f"{len(table)} " + " ".join(f"{p:.10g}" for p in table.tolist()) for table in tables]
    return f"MAR\n{' '.join([str(len(tables)), *parts])}\n"


def explanation_answer(states: Sequence[int], targets: Sequence[int] | None) -> str:
    """An answer of task MPE, the states of all variables in order; or MMAP, those of some."""
    if targets is None:
        return f"MPE\n{' '.join(map(str, [len(states), *states]))}\n"
    pairs = (str(number) for v in targets for number in (v, states[v]))
    return f"MMAP\n{' '.join([str(len(targets)), *pairs])}\n"


def partition_answer(log: float) -> str:
    """An answer of task PR, from a natural logarithm."""
    return f"PR\n{log / math.log(10):.10g}\n"
