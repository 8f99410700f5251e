"""`mnmodel discretize`: a CSV with numbers cut into classes, and the cut points."""

import logging

from ..common.data.counts import split_counts
from ..common.data.csvwriter import csv_pieces
from ..common.data.discretize import apply_cuts, find_cuts, format_cuts, numeric_columns, read_cuts
from ..common.errors import DataError, UsageError
from ..common.files.atomic_write import is_stdout, write_whole
from ..common.models.model_data import read_rows
from .given import split_names

LOG = logging.getLogger("cliquewise")


def discretize(data, bins, method, columns, cuts, stored, header, separator, counts, path):
    """Cut columns into classes, and write the table.

    Parameters
    ----------
    data : str
        A CSV.
    bins : int
        Classes per column.
    method : str
        One of `common.data.discretize.METHODS`.
    columns : str or None
        Names, separated by commas; None is all with more than `bins` different numbers.
    cuts : str or None
        The file for the cut points.
    stored : str or None
        A file of cut points to apply instead.
    header : str
        auto, yes or no.
    separator : str
        As for `common.data.csvfile.read_csv`.
    counts : str or None
        The column that says how many rows each row stands for.
    path : str or None
        The file for the table.

    Raises
    ------
    CliquewiseError
        Incompatible options, a broken file, or columns that are not numeric.
    """
    if cuts is not None and is_stdout(cuts) and is_stdout(path):
        raise UsageError("--cuts -: the table goes to standard output; name a file for one of them")
    points = None if stored is None else read_cuts(stored)
    table = read_rows(data, header, counts, separator, keep_counts=True)
    if points is None:
        rows, times = split_counts(table, counts)
        chosen = _chosen(rows, bins, columns)
        if not chosen:
            raise DataError(f"no column with more than {bins} different numbers", data)
        points = find_cuts(rows, chosen, bins, method, times)
    result = apply_cuts(table, points)
    for name, cut in points.items():
        LOG.debug("%s: %s", name, ", ".join(f"{point:.6g}" for point in cut) or "one class")
    fewer = [name for name, cut in points.items() if stored is None and len(cut) < bins - 1]
    if fewer:
        LOG.info("columns with fewer than %d classes, since values are equal: %s", bins, ", ".join(fewer))
    LOG.info("columns cut: %d of %d", len(points), len(table.names))
    if cuts is not None:
        write_whole(cuts, format_cuts(points))
    write_whole(path, csv_pieces(result))


def _chosen(rows, bins, columns):
    """The columns to cut; without --columns those with words among their numbers are named and left as they are."""
    if columns is not None:
        if not split_names(columns):
            raise UsageError("--columns names no column; leave it out to cut all with many numbers")
        return split_names(columns)
    chosen, mixed = numeric_columns(rows, bins)
    for name, word in mixed.items():
        LOG.warning("%s, column '%s': '%s' is not a number, so it is not cut; write ? or NA if it means missing",
                    rows.source, name, word)  # fmt: skip
    return chosen
