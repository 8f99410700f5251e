"""`mnmodel cluster`: groups of rows that differ in the dependences of their variables.

The groups are the components of a mixture of networks (`mixture.structural_em`), which grow by themselves: each row
goes to the component to which it most probably belongs. The mixture is evaluated on all rows, since there are no
validation rows; the number of components is given, and components are not joined. A row with a weight is a whole row in
its group, and keeps its weight.

Cost: that of `mixture.structural_em`, and a pass over groups times rows times variables.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.data.csvwriter import csv_pieces
from ..common.data.incomplete import without_missing_state
from ..common.data.merging import merged
from ..common.data.weights import single_rows
from ..common.errors import DataError
from ..common.files.atomic_write import write_whole
from ..common.learning.options import filled
from ..common.models.model_data import codes_for
from ..common.run.resources import check_fits, check_rows
from ..mixture.rows import rows_of
from ..mixture.structural_em import MIN_ROWS, WEIGHTS, MixtureLearner, MixturePlan, StructureLearner

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.run.monitor import Monitor

LOG = logging.getLogger("cliquewise")
ROW_BYTES = 40  # per row and group: responsibilities, their logarithms, and working arrays
CELL_BYTES = 24  # per row and variable, of the indicators


def cluster(
    data: Dataset, groups: int, ess: float, seed: int, monitor: Monitor, missing: str | None = None
) -> np.ndarray:
    """Groups of rows; equal rows are in the same one.

    Parameters
    ----------
    groups
        The number of groups, at least 2.
    missing
        How missing cells were read; with em, they are a state of the data but missing here.

    Returns
    -------
    int64[k]
        Each single row's group, from 0, in the order of their first rows.

    Raises
    ------
    DataError
        Groups that are left with fewer than `MIN_ROWS` rows.
    LimitError
        No memory for the responsibilities of all rows.
    """
    distinct = merged(without_missing_state(data) if missing == "em" else data)
    check_rows(distinct)
    most = int(distinct.n_rows // MIN_ROWS)
    if groups > most:
        found = f"{counted(distinct.n_rows, 'row')}, enough for {counted(most, 'group')} of {MIN_ROWS} rows or more"
        raise DataError(f"{found}; ask for fewer groups than {groups}", data.source)
    need = ROW_BYTES * groups * len(single_rows(distinct).place) + CELL_BYTES * distinct.n * distinct.n_stored
    check_fits(need, None, f"{groups} groups of {distinct.n_stored} rows", "ask for fewer --groups")
    rows = rows_of(distinct, distinct.codes[:0], seed)
    learner = MixtureLearner(rows, lambda logs: float(logs @ distinct.weights), StructureLearner(monitor, (seed,)))
    monitor.start()
    plan = MixturePlan(groups, ess, ess, weight=WEIGHTS[0])
    made = learner.learn(plan, rows.single.counts, np.random.default_rng(seed), monitor)
    if made is None:
        raise KeyboardInterrupt
    codes = codes_for(distinct, data)
    logs = np.array([one.network(rows).log_likelihood(codes) for one in made[0].networks])
    single = single_rows(data)
    of_rows = (logs + np.log(made[0].shares)[:, None]).argmax(axis=0)[single.place]
    sizes = np.bincount(of_rows, single.counts, groups)
    if sizes.min() < MIN_ROWS:
        few = f"a group is left with {counted(sizes.min(), 'row')}; ask for fewer groups than {groups}"
        raise DataError(few, data.source)
    LOG.info("groups of %s rows", ", ".join(f"{size:.0f}" for size in np.sort(sizes)[::-1]))
    first = np.unique(of_rows, return_index=True)[1]
    return np.argsort(np.argsort(first))[of_rows]


def write_groups(path: str, data: Dataset, chosen: np.ndarray, numbers: Sequence[int], column: str | None) -> None:
    """Write the rows of each group.

    Parameters
    ----------
    path
        With `{}` for the group's number.
    chosen : int64[k]
        The group of each single row.
    numbers
        Of the groups.
    column
        The name of the column of counts or weights, which is written last; for data with counts.
    """
    single = single_rows(data)
    counts = single.counts if data.rows is None else single.units * data.rows.unit
    for group, number in enumerate(numbers):
        rows = chosen == group
        part = replace(data, codes=np.asfortranarray(data.codes[single.place[rows]]), counts=None, rows=None)
        if column is not None:
            labels, codes = np.unique(counts[rows], return_inverse=True)
            states = (*data.states, tuple(f"{label:.15g}" for label in labels))
            part = replace(part, names=(*data.names, column), states=states, codes=np.column_stack([part.codes, codes]))
        write_whole(filled(path, number), csv_pieces(part))
