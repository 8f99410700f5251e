"""`mnmodel discretize`: a CSV with numbers cut into classes, and the cut points."""

from __future__ import annotations

import logging
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..common.data.columns import chosen_columns
from ..common.data.csvwriter import cell_text, csv_pieces
from ..common.data.decimals import warn_of_doubt
from ..common.data.number_forms import with_plain_numbers
from ..common.data.reading import EVERY_ROW, Reading
from ..common.data.states import MISSING, ordered_dataset
from ..common.data.weights import split_weights
from ..common.errors import DataError, UsageError
from ..common.files.atomic_write import write_whole
from ..common.models.model_data import read_rows
from ..common.models.model_states import declared_states
from .discretization import (
    apply_cuts,
    find_cuts,
    find_cuts_by_pairs,
    find_cuts_by_target,
    format_cuts,
    numeric_columns,
    read_cuts,
    with_few_digits,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

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
        One of `mnmodel.discretization.METHODS`.
    initial_bins
        Classes that `hartemink` begins with.
    target
        The column that `mdl` cuts by.
    columns
        Names, patterns and ranges, as `common.data.columns` reads them; None is all with more than `bins` different
        numbers.
    keep
        Those that are left as they are, in the same form.
    """

    bins: int
    method: str
    initial_bins: int
    target: str | None
    columns: str | None
    keep: str | None = None

    def check(self) -> None:
        """Refuse options that contradict each other."""
        if self.method == "mdl" and self.target is None:
            raise UsageError("--method mdl needs --target: the column whose states the classes are to separate")
        if self.method != "mdl" and self.target is not None:
            raise UsageError(f"--target has no effect with --method {self.method}; leave it out, or use --method mdl")
        if self.method == "hartemink" and self.initial_bins < self.bins:
            raise UsageError(f"--initial-bins {self.initial_bins} is below --bins {self.bins}; ask for more")

    def find(
        self, rows: Dataset, row_counts: np.ndarray, per_row: float, kept: Collection[str]
    ) -> dict[str, tuple[float, ...]]:
        """The cut points of a table.

        Parameters
        ----------
        rows
        row_counts : int64[n_stored]
            The weight of each of its rows, in parts of a row.
        per_row
            How many parts are a row.
        kept
            Columns that stay as they are.
        """
        chosen = self._chosen(rows, kept)
        if not chosen and kept and self.columns is None:
            LOG.info("%s: no other column with more than %d different numbers", rows.source, self.bins)
            return {}
        if not chosen:
            raise DataError(f"no column with more than {self.bins} different numbers", rows.source)
        if self.method == "hartemink":
            return find_cuts_by_pairs(rows, chosen, self.bins, self.initial_bins, row_counts)
        if self.target is not None:
            return find_cuts_by_target(rows, chosen, self.target, row_counts / per_row)
        return find_cuts(rows, chosen, self.bins, self.method, row_counts)

    def _chosen(self, rows: Dataset, kept: Collection[str]) -> list[str]:
        """The columns to cut; without --columns those with words among their numbers are named and left as they are."""
        if self.columns is not None:
            named = _names_in(self.columns, rows.names, "--columns")
            for option, others in (("--target", {self.target}), ("--keep", kept)):
                if both := [name for name in named if name in others]:
                    raise UsageError(f"{option} {both[0]} is among --columns; leave it out there")
            return named
        chosen, mixed = numeric_columns(rows, self.bins)
        for name, word in mixed.items():
            if name not in kept and name != self.target:
                advice = f"so it is not cut; --na={shlex.quote(cell_text(f'{name}={word}'))} if it means missing"
                LOG.warning("%s, column '%s': '%s' is not a number, %s", rows.source, name, word, advice)
        return [name for name in chosen if name not in kept and name != self.target]

    def kept(self, names: Sequence[str]) -> set[str]:
        """Those of a table's columns that are to stay as they are."""
        return set() if self.keep is None else {*_names_in(self.keep, names, "--keep")}


def _names_in(text: str, names: Sequence[str], option: str) -> list[str]:
    """The names of the columns in a list (`common.data.columns`), each once."""
    return [names[v] for v in dict.fromkeys(chosen_columns(text, names, option))]


@dataclass(frozen=True)
class DiscretizeOptions(Reading):
    """A run of `mnmodel discretize`.

    Attributes
    ----------
    data
        A CSV; from Python also a Frame.
    cutting
    labels
        Whether classes are intervals, otherwise their numbers.
    cuts
        The file for the cut points.
    stored
        A file of cut points to apply instead.
    path
        The file for the table.
    """

    data: Any
    cutting: CutOptions
    labels: bool = True
    cuts: str | None = None
    stored: str | None = None
    path: str | None = None


def discretize(options: DiscretizeOptions) -> None:
    """Cut columns into classes, and write the table.

    Raises
    ------
    CliquewiseError
        Incompatible options, a broken file, or columns that are not numeric.
    """
    cuts, path = options.cuts, options.path
    result, points = cut_table(options)
    write_whole(path, csv_pieces(result))
    if cuts is not None:
        write_whole(cuts, format_cuts(points))


def cut_table(options: DiscretizeOptions) -> tuple[Dataset, dict[str, tuple[float, ...]]]:
    """The table with classes instead of numbers, its rows in order, and the cut points.

    Raises
    ------
    CliquewiseError
        As discretize.
    """
    cutting = options.cutting
    cutting.check()
    points = None if options.stored is None else read_cuts(options.stored)
    needs = replace(EVERY_ROW, markers=MISSING)
    table = read_rows(options.data, options.reading(missing="state"), needs)
    table = ordered_dataset(table.names, table.states, table.codes, table.source)  # only numbers that rows have
    by_number = points is None and cutting.columns is None
    named = {*(points or ([] if cutting.columns is None else _names_in(cutting.columns, table.names, "--columns")))}
    kept = cutting.kept(table.names)
    kept |= set(declared_states(str(options.states)).states) if options.states is not None else set()

    def is_cut(name: str, states: int) -> bool:
        return name in named or (by_number and states > cutting.bins and name not in kept)

    if options.decimal == "auto":
        many = zip(table.names, table.states, strict=True)
        warn_of_doubt(table, [name for name, labels in many if is_cut(name, len(labels))])
    table = with_plain_numbers(table, is_cut, are_numbers=points is not None)
    if points is None:
        rows, row_counts, per_row = split_weights(table, options)
        points = cutting.find(rows, row_counts, per_row, kept)
        counted = replace(rows, codes=rows.codes[row_counts > 0])
        points = with_few_digits(counted, points) if options.labels else points
    elif kept:
        points = {name: cut for name, cut in points.items() if name not in kept}
    result = apply_cuts(table, points, options.labels)
    for name, cut in points.items():
        LOG.debug("%s: %s", name, ", ".join(f"{point:.6g}" for point in cut) or "one class")
    _report(points, cutting, options.stored is not None)
    LOG.info("columns cut: %d of %d", len(points), len(table.names))
    return result, points


def _report(points: dict[str, tuple[float, ...]], cutting: CutOptions, stored: bool) -> None:
    """Name the columns that have fewer classes than the user may expect."""
    one_class = [name for name, cut in points.items() if not cut]
    if one_class:  # also with -q: such a column has no information
        reason = "without cut points" if stored else "of one number"
        LOG.error("columns %s, now of one class: %s", reason, ", ".join(one_class))
    if stored:
        return
    if cutting.method == "mdl":
        return
    fewer = [name for name, cut in points.items() if 0 < len(cut) < cutting.bins - 1]
    if fewer:
        LOG.info("columns with fewer than %d classes, since values are equal: %s", cutting.bins, ", ".join(fewer))
