"""Data read with the settings in the header of a network, so that options need not be repeated."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..data.arrowfile import kind_of_table
from ..files.input_stream import first_bytes
from ..files.result_header import arity_row, counts_column, header_row, missing_rule, resample_seed, separator
from ..learning.load import kind_of
from ..run.resources import check_rows
from .compatibility import reject_ineffective_options

if TYPE_CHECKING:
    from ..learning.sources import InputOptions

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
    missing, row, counts = missing_rule(header, path), header_row(header, path), counts_column(header)
    sign, arities = separator(header, path), arity_row(header, path)
    if source.data is not None:
        if source.missing is None and missing is not None:
            LOG.info("missing cells: %s, as the graph's header says", missing)
            source = replace(source, missing=missing)
        if source.counts is None and counts is not None:
            LOG.info("column %s says how many rows each row stands for, as the graph's header says", counts)
            source = replace(source, counts=counts)
        is_text = kind_of_table(first_bytes(source.data)) is None  # otherwise it has names and no separator
        if source.header == "auto" and row is not None and is_text:
            source = replace(source, header=row)
        if source.separator == "auto" and sign is not None and is_text:
            source = replace(source, separator=sign)
        if source.arities == "auto" and arities is not None:
            source = replace(source, arities=arities)
    data: Any = source.load(parent_sets)
    reject_ineffective_options(source=kind_of(data))
    if kind_of(data) == "data":
        check_rows(data)
    seed = resample_seed(header, path) if as_sample and kind_of(data) == "data" else None
    if seed is None:
        return data
    from ..data.resampling import resampled

    LOG.info("bootstrap sample of the rows with seed %d, as the graph's header says", seed)
    return resampled(data, seed)
