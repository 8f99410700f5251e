"""The result of a method from its chosen rows of ScoredFamilies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..common.graphs.dag import Dag
from ..common.run.result import LearnResult
from ..common.run.saved import is_permutation
from ..common.run.state_record import ArrayField, StateRecord, ValueField

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from ..common.run.saved import Saved
    from .chordal_choice_kernels import ChordalProblem
    from .families import ScoredFamilies


def result_of(
    families: ScoredFamilies,
    rows: Sequence[int] | np.ndarray,
    order: Sequence[int],
    status: str,
    iterations: int = 0,
    upper_bound: float = math.inf,
) -> LearnResult:
    """The result in which variable v has the family `rows[v]`.

    Parameters
    ----------
    rows : sequence of int, length n
    order
        See LearnResult, also for the other parameters.

    Returns
    -------
    LearnResult
    """
    score = math.fsum(families.scores[row] for row in rows)
    return LearnResult(_dag(families, rows), score, status, int(iterations), upper_bound, tuple(order))


def _dag(families: ScoredFamilies, rows: Sequence[int] | np.ndarray) -> Dag:
    """The network of these families; that it has no cycle is not checked."""
    return Dag.from_parents([[p for p in families.parents[row].tolist() if p >= 0] for row in rows])


def rows_of(families: ScoredFamilies, parents: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The row of each variable's parents, which are ascending; an empty set where they are not listed."""
    number = {}
    for v in range(families.n):
        for row in range(families.start[v], families.start[v + 1]):
            number[v, tuple(p for p in families.parents[row].tolist() if p >= 0)] = row
    return tuple(number.get((v, own), number[v, ()]) for v, own in enumerate(parents))


@dataclass
class NetworkState:
    """A network in a checkpoint.

    Attributes
    ----------
    families
    rows : int64[n]
        The family of each variable.
    order : sequence of int
        An elimination order.
    """

    families: ScoredFamilies
    rows: np.ndarray
    order: Sequence[int] = ()

    record = StateRecord(
        ArrayField(
            "rows", lambda rows, own: are_rows(rows, own.families) and _dag(own.families, rows).order() is not None
        ),
        ValueField("order", list, lambda order, own: is_permutation(order, own.families.n)),
    )

    @classmethod
    def of(cls, saved: Saved, families: ScoredFamilies) -> Self:
        """The state of an earlier part of the run."""
        state = cls(families, np.zeros(families.n, np.int64))
        cls.record.load(saved, state)
        return state


def are_rows(rows: np.ndarray, families: ChordalProblem | ScoredFamilies) -> bool:
    """Whether rows of ScoredFamilies, int64[..., n], belong to their variables."""
    first, end = families.start[:-1], families.start[1:]
    return rows.shape[-1] == len(first) and bool((rows >= first).all() and (rows < end).all())
