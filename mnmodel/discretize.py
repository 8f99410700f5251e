"""`mnmodel discretize`: a CSV with numbers cut into classes, and the cut points."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..common.data.csvwriter import csv_pieces
from ..common.data.discretize import (
    apply_cuts,
    find_cuts,
    find_cuts_by_pairs,
    find_cuts_by_target,
    format_cuts,
    numeric_columns,
    read_cuts,
    with_few_digits,
)
from ..common.data.number_forms import with_plain_numbers
from ..common.data.reading import EVERY_ROW, Reading
from ..common.data.states import MISSING, ordered_dataset
from ..common.data.weights import split_weights
from ..common.errors import DataError, UsageError
from ..common.files.atomic_write import is_stdout, write_whole
from ..common.models.model_data import read_rows
from .given import split_names

if TYPE_CHECKING:
    import numpy as np

    from ..common.data.dataset import Dataset

LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class CutOptions:
    """How columns are cut.

    Attributes
    ----------
    bins
        Classes per column; of `mdl` only the limit above which a column is cut by default.
    method
        One of `common.data.discretize.METHODS`.
    initial_bins
        Classes that `hartemink` begins with.
    target
        The column that `mdl` cuts by.
    columns
        Names, separated by commas; None is all with more than `bins` different numbers.
    """

    bins: int
    method: str
    initial_bins: int
    target: str | None
    columns: str | None

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if self.method == "mdl" and self.target is None:
            raise UsageError("--method mdl needs --target: the column whose states the classes are to tell apart")
        if self.method == "hartemink" and self.initial_bins < self.bins:
            raise UsageError(f"--initial-bins {self.initial_bins} is below --bins {self.bins}; ask for more")

    def find(self, rows: Dataset, times: np.ndarray) -> dict[str, tuple[float, ...]]:
        """The cut points of a table, `times` being how many rows each of its rows stands for."""
        chosen = self._chosen(rows)
        if not chosen:
            raise DataError(f"no column with more than {self.bins} different numbers", rows.source)
        if self.method == "hartemink":
            return find_cuts_by_pairs(rows, chosen, self.bins, self.initial_bins, times)
        if self.target is not None:
            return find_cuts_by_target(rows, chosen, self.target, times)
        return find_cuts(rows, chosen, self.bins, self.method, times)

    def _chosen(self, rows: Dataset) -> list[str]:
        """The columns to cut; without --columns those with words among their numbers are named and left as they are."""
        if self.columns is not None:
            named = split_names(self.columns)
            if not named:
                raise UsageError("--columns names no column; leave it out to cut all with many numbers")
            if self.target in named:
                raise UsageError(f"--target {self.target} is among --columns; leave it out there")
            return named
        chosen, mixed = numeric_columns(rows, self.bins)
        for name, word in mixed.items():
            if name != self.target:
                advice = "so it is not cut; write ? or NA if it means missing"
                LOG.warning("%s, column '%s': '%s' is not a number, %s", rows.source, name, word, advice)
        return [name for name in chosen if name != self.target]


@dataclass(frozen=True)
class DiscretizeOptions(Reading):
    """A run of `mnmodel discretize`.

    Attributes
    ----------
    data
        A CSV.
    cutting
    labels
        Whether classes are intervals.
    cuts
        The file for the cut points.
    stored
        A file of cut points to apply instead.
    path
        The file for the table.
    """

    data: str
    cutting: CutOptions
    labels: bool
    cuts: str | None
    stored: str | None
    path: str | None


def discretize(options: DiscretizeOptions) -> None:
    """Cut columns into classes, and write the table.

    Raises
    ------
    CliquewiseError
        Incompatible options, a broken file, or columns that are not numeric.
    """
    cuts, path, cutting = options.cuts, options.path, options.cutting
    if cuts is not None and is_stdout(cuts) and is_stdout(path):
        raise UsageError("--cuts -: the table goes to standard output; name a file for one of them")
    cutting.check()
    points = None if options.stored is None else read_cuts(options.stored)
    needs = replace(EVERY_ROW, markers=MISSING)
    table = read_rows(options.data, options.reading(missing="state"), needs)
    table = ordered_dataset(table.names, table.states, table.codes, table.source)  # only numbers that rows have
    named = set(points or (split_names(cutting.columns) if cutting.columns is not None else ()))
    by_number = points is None and cutting.columns is None
    table = with_plain_numbers(table, lambda name, states: name in named or (by_number and states > cutting.bins))
    if points is None:
        rows, times = split_weights(table, options)
        points = cutting.find(rows, times)
        points = with_few_digits(rows, points) if options.labels else points
    result = apply_cuts(table, points, options.labels)
    for name, cut in points.items():
        LOG.debug("%s: %s", name, ", ".join(f"{point:.6g}" for point in cut) or "one class")
    _report(points, cutting, options.stored is not None)
    LOG.info("columns cut: %d of %d", len(points), len(table.names))
    write_whole(path, csv_pieces(result))
    if cuts is not None:
        write_whole(cuts, format_cuts(points))


def _report(points: dict[str, tuple[float, ...]], cutting: CutOptions, stored: bool) -> None:
    """Name the columns that have fewer classes than the user may expect."""
    if stored:
        return
    alone = [name for name, cut in points.items() if not cut]
    if alone:
        LOG.warning("columns of one number, now of one class: %s", ", ".join(alone))
    if cutting.method == "mdl":
        return
    fewer = [name for name, cut in points.items() if 0 < len(cut) < cutting.bins - 1]
    if fewer:
        LOG.info("columns with fewer than %d classes, since values are equal: %s", cutting.bins, ", ".join(fewer))
