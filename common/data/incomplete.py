"""Data with holes: rows in which some cells are not known.

Such data are read with missing cells as the last state `?` of their column (`common.data.states`), so that states,
their order and equal rows are those of any table; here that state is taken away again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..errors import DataError
from .dataset import Dataset
from .merging import merged
from .states import MISSING_LABEL


@dataclass(frozen=True, repr=False)
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
    def holes(self) -> int:
        """Number of missing cells in all rows of the data, whatever their weights."""
        row_counts = self.row_counts if self.rows is None else np.bincount(self.rows.place, minlength=self.n_stored)
        return int((row_counts @ (self.codes < 0)).sum())


def without_missing_state(data: Dataset) -> Dataset | IncompleteData:
    """The data that were read with missing cells as a state, with these cells not known, equal rows merged.

    Without missing cells they are returned unchanged.

    Raises
    ------
    DataError
        A column without any known cell.
    """
    holes = [v for v, labels in enumerate(data.states) if labels[-1] == MISSING_LABEL]
    if not holes:
        return data
    data = merged(data)
    codes, states = data.codes.astype(np.int32, order="F"), list(data.states)
    for v in holes:
        states[v] = data.states[v][:-1]
        codes[codes[:, v] == len(states[v]), v] = -1
        if (codes[:, v] < 0).all():
            found = f"column '{data.names[v]}' has no cell that is not missing"
            raise DataError(f"{found}, so nothing can be learned of it; leave it out", data.source)
    held = {one.name: getattr(data, one.name) for one in fields(Dataset)}
    return IncompleteData(**(held | {"states": tuple(states), "codes": codes}))
