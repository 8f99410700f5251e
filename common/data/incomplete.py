"""Data with missing cells.

Such data are read with missing cells as the last state `?` of their column (`common.data.states`), so that states,
their order and equal rows are those of any table; here that state is removed again.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError
from .dataset import Dataset
from .labels import MISSING_LABEL
from .merging import merged

if TYPE_CHECKING:
    from .reading import States


@dataclass(frozen=True, eq=False, repr=False)
class IncompleteData(Dataset):
    """A table of state codes with missing cells, which has no scores by itself.

    Attributes
    ----------
    names, states, source, counts, has_names
        As in `Dataset`; no state stands for a missing cell.
    codes : int32[n_stored, n_vars]
        -1 is a missing cell.
    """

    @property
    def n_missing(self) -> int:
        """Number of missing cells in all rows of the data, regardless of their weights."""
        return round((self.unweighted_row_counts @ (self.codes < 0)).sum())


def without_missing_state(data: Dataset, hidden: States = MappingProxyType({})) -> Dataset | IncompleteData:
    """The data that were read with missing cells as a state, with these cells not known, equal rows merged.

    Without missing cells they are returned unchanged.

    Parameters
    ----------
    hidden
        Variables, with their states, of which no cell need be known. One that the data do not have comes last, missing
        in all rows.

    Raises
    ------
    DataError
        A column without any known cell, which is not hidden.
    """
    more = {name: tuple(labels) for name, labels in hidden.items() if name not in data.names}
    incomplete = [v for v, labels in enumerate(data.states) if labels[-1] == MISSING_LABEL]
    if not incomplete and not more:
        return data
    data = merged(data)
    codes, states = data.codes.astype(np.int32, order="F"), list(data.states)
    for v in incomplete:
        states[v] = data.states[v][:-1]
        codes[codes[:, v] == len(states[v]), v] = -1
        if (codes[:, v] < 0).all():
            if data.names[v] not in hidden:
                found = f"column '{data.names[v]}' has no cell that is not missing"
                raise DataError(f"{found}; leave it out: --drop {shlex.quote(data.names[v])}", data.source)
            states[v] = tuple(hidden[data.names[v]])
    codes = np.asfortranarray(np.column_stack([codes, np.full((len(codes), len(more)), -1, np.int32)]))
    held = {one.name: getattr(data, one.name) for one in fields(Dataset)}
    held |= {"names": (*data.names, *more), "states": (*states, *more.values()), "codes": codes}
    return IncompleteData(**held)
