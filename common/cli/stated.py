"""Data read with the settings in the header of a network, so that options need not be repeated."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..files.result_header import resample_seed, stated_reading
from ..learning.load import kind_of
from ..models.model_states import check_states
from ..run.resources import check_rows
from .compatibility import reject_ineffective_options

if TYPE_CHECKING:
    from ..learning.sources import InputOptions

_STATED = {
    "missing": "missing cells: %s",
    "counts": "column %s gives the number of rows that each row stands for",
    "weights": "column %s has the weights of the rows",
    "weight_scale": "scale of the weights: %s",
    "columns": "columns used: %s",
    "drop": "columns left out: %s",
    "na": "words for missing cells: %s",
}
LOG = logging.getLogger("cliquewise")


def load_as_stated(
    source: InputOptions, header: dict[str, str], path: str, parent_sets: bool = False, as_sample: bool = False
) -> Any:
    """The data, or None if none are given; settings that are not given as options come from the header.

    Parameters
    ----------
    header
        Of a network file.
    path
        That file, for messages.
    parent_sets
        As for InputOptions.load.
    as_sample
        Whether to return the bootstrap sample, if the network was learned from one.

    Returns
    -------
    Dataset, CliqueScores, ParentSets or None

    Raises
    ------
    DataError
        As InputOptions.load, or an invalid header.
    LimitError
        No memory to pass over the rows.
    """
    stated: dict[str, Any] = dict(stated_reading(header, path))
    if source.data is not None:
        check_states(source.states, header, path, "give the file: --states FILE")
        stated = {name: value for name, value in stated.items() if getattr(source, name) in (None, "auto")}
        for name, message in _STATED.items():
            if name in stated:
                LOG.info(message + ", as in the graph's header", stated[name])
        source = replace(source, **stated, stated=frozenset(stated))
    data: Any = source.load(parent_sets)
    reject_ineffective_options(source=kind_of(data))
    if kind_of(data) == "data":
        check_rows(data)
    seed = resample_seed(header, path) if as_sample and kind_of(data) == "data" else None
    if seed is None:
        return data
    from ..data.resampling import resampled

    LOG.info("bootstrap sample of the rows with seed %d, as in the graph's header", seed)
    return resampled(data, seed)
