"""Cells that are missing exactly where another column has certain states, such as questions that a survey skips.

Such cells have no value: completed as if they had one, they are answers of people who were not asked. For each column
with missing cells the first other column is named whose known states decide whether the cell is missing, in all rows.
Cost: a look at some rows for each pair of a column with missing cells and one of few states, which rules out nearly all
pairs; all rows of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.labels import MISSING_LABEL
from ..common.errors import abridged

if TYPE_CHECKING:
    from ..common.data.column_kinds import ColumnKind
    from ..common.data.dataset import Dataset

MIN_CELLS = 10  # that are missing, and known, of a column that may be skipped
_MAX_STATES = 20  # of a column that decides
_FIRST_ROWS = 50, 1000  # with the cell missing, and known, in which a pair can be ruled out
_SHOWN = 3


def skipped_cells(data: Dataset, kinds: Sequence[ColumnKind]) -> dict[tuple[str, tuple[str, ...]], list[str]]:
    """Columns whose cells are skipped, by the column that decides and its states without them.

    Parameters
    ----------
    data
        Missing cells are a last state `?`; equal rows may be merged.
    kinds
        Of its columns.
    """
    used = [v for v in range(data.n) if kinds[v].is_used]
    deciding = [v for v in used if len(kinds[v].labels) <= _MAX_STATES]
    codes = np.ascontiguousarray(data.codes[:, deciding])
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for v in used:
        if data.states[v][-1] != MISSING_LABEL:
            continue
        missing = data.codes[:, v] == len(data.states[v]) - 1
        for place in _not_ruled_out(codes, missing):
            u = deciding[place]
            known = np.bincount(data.codes[~missing, u], data.row_counts[~missing], data.arity[u])
            skipped = np.bincount(data.codes[missing, u], data.row_counts[missing], data.arity[u])
            states = tuple(label for label, number in zip(data.states[u], skipped, strict=True) if number)
            if (
                u != v
                and not (known * skipped).any()
                and MISSING_LABEL not in states[-1:]
                and min(known.sum(), skipped.sum()) >= MIN_CELLS * data.denominator
            ):
                found.setdefault((data.names[u], states), []).append(data.names[v])
                break
    return found


def _not_ruled_out(codes: np.ndarray, missing: np.ndarray) -> np.ndarray:
    """The columns of the codes no state of which has the cell missing in one of the first rows and known in another."""
    without, known = (
        codes[np.flatnonzero(rows)[:most]] for rows, most in zip((missing, ~missing), _FIRST_ROWS, strict=True)
    )
    columns = np.arange(codes.shape[1])
    is_without = np.zeros((len(columns), _MAX_STATES + 1), bool)
    is_without[columns, without] = True
    return np.flatnonzero(~is_without[columns, known].any(axis=0))


def skipped_cells_sentences(data: Dataset, kinds: Sequence[ColumnKind]) -> list[str]:
    """A sentence with advice for each column that decides."""
    found: dict[str, list[str]] = {}
    for (name, states), columns in skipped_cells(data, kinds).items():
        found.setdefault(name, []).append(f"{abridged(states, _SHOWN)}: {abridged(columns, _SHOWN)}")
    return [
        f"missing exactly where {name} is {'; or '.join(cases[:_SHOWN])}{'; ...' * (len(cases) > _SHOWN)}; "
        "if there is no value then, as for a question that was not asked, --missing state, otherwise --missing em"
        for name, cases in found.items()
    ]
