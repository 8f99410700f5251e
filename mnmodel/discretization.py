"""Discretization of numeric columns, by cut points that can be saved and applied to other data.

A column with cut points t_1 < ... < t_m becomes the class of each value, the number of cut points that are at most the
value: 0 below t_1, m from t_m on. `quantile`, `uniform` and `kmeans` cut each column separately
(`mnmodel.cut_points`), `hartemink` begins with more quantile classes and joins them (`mnmodel.hartemink`),
`mdl` cuts by the states of another column, the target (`mnmodel.mdl_cuts`). With ties there can be fewer classes
than requested, but a column of two values or more has at least two. Missing cells are ignored and stay missing.

A class is written as its number, or as its interval: `[135,150)` contains the values from 135 to below 150.

A file of cut points is a CSV with one line per cut point, `column,cut`; a column of one class has a line without a
number.
"""

import csv
import io
import logging
import math
import shlex
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ..common.counted import counted
from ..common.data.columns import unknown_column
from ..common.data.csvwriter import cell_text
from ..common.data.dataset import Dataset
from ..common.data.labels import MISSING_LABEL
from ..common.errors import DataError, UsageError
from ..common.files.input_stream import read_text
from ..common.number_text import is_number
from . import cut_points
from .hartemink import join_classes
from .mdl_cuts import best_cut, mdl_cuts

UNIVARIATE_METHODS = tuple(cut_points.METHODS)
METHODS = (*UNIVARIATE_METHODS, "hartemink", "mdl")
LOG = logging.getLogger("cliquewise")
_HEAD = ["column", "cut"]


def numeric_columns(data: Dataset, more_than: int) -> tuple[list[str], dict[str, str]]:
    """The columns with more than some number of different numbers.

    Returns
    -------
    (list of str, dict of str to str)
        Those that contain only numbers; and for those with words among them, the first word.
    """
    numeric, mixed = [], {}
    for name, labels in zip(data.names, data.states, strict=True):
        known = [label for label in labels if label != MISSING_LABEL]
        words = [label for label in known if not is_number(label)]
        if len(known) - len(words) > more_than:
            if words:
                mixed[name] = words[0]
            else:
                numeric.append(name)
    return numeric, mixed


def find_cuts(
    data: Dataset, columns: Sequence[str], bins: int, method: str, row_counts: np.ndarray
) -> dict[str, tuple[float, ...]]:
    """Cut points for some columns.

    Parameters
    ----------
    data
        States are labels of numbers; `?` is missing.
    bins
        Classes per column, at least 2.
    method
        One of `UNIVARIATE_METHODS`.
    row_counts : int64[n_stored]
        How many rows each one stands for.

    Returns
    -------
    dict of str to tuple of float
        Ascending, at most bins - 1 of them.

    Raises
    ------
    DataError
        A column that is unknown or not numeric.
    """
    cuts = {}
    for name in columns:
        numbers = _values(data, name)
        chosen = ~np.isnan(numbers) & (row_counts > 0)
        if not chosen.any():
            raise DataError("no number in it", data.source, column=name)
        cuts[name] = cut_points.cut_points(*_weighted(numbers[chosen], row_counts[chosen]), bins, method)
    return cuts


def _weighted(numbers: np.ndarray, row_counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different numbers, ascending, and how many rows each stands for."""
    values, place = np.unique(numbers, return_inverse=True)
    weights = np.zeros(len(values), row_counts.dtype)
    np.add.at(weights, place, row_counts)
    return values, weights


def find_cuts_by_pairs(
    data: Dataset, columns: Sequence[str], bins: int, initial: int, row_counts: np.ndarray
) -> dict[str, tuple[float, ...]]:
    """Cut points that keep the mutual information of pairs of these columns.

    Parameters
    ----------
    data, row_counts : as for `find_cuts`
    columns
        At least two.
    bins
        Classes per column, at least 2.
    initial
        Quantile classes per column to begin with.

    Returns
    -------
    dict of str to tuple of float
        Ascending, at most bins - 1 of them.

    Raises
    ------
    DataError, UsageError
        As find_cuts; or only one column.
    """
    if len(columns) < 2:
        raise UsageError(f"--method hartemink compares columns, but only {', '.join(columns)} is cut; name two or more")
    cuts = find_cuts(data, columns, initial, "quantile", row_counts)
    cells = []
    for name in columns:
        values = _values(data, name)
        cells.append(np.where(np.isnan(values), -1, np.searchsorted(np.array(cuts[name]), values, side="right")))
    sizes = [len(cuts[name]) + 1 for name in columns]
    begins = join_classes(np.column_stack(cells), sizes, row_counts, bins)
    return {name: tuple(cuts[name][k - 1] for k in first[1:]) for name, first in zip(columns, begins, strict=True)}


def find_cuts_by_target(
    data: Dataset, columns: Sequence[str], target: str, row_counts: np.ndarray
) -> dict[str, tuple[float, ...]]:
    """Cut points that separate the states of another column, as many as the MDL criterion accepts.

    Parameters
    ----------
    data, row_counts : as for `find_cuts`
    target
        Its rows with missing cells are left out.

    Returns
    -------
    dict of str to tuple of float
        Ascending. A column without information about the target is cut once, at the best place.

    Raises
    ------
    DataError
        A column that is unknown, not numeric, or without a number where the target is known.
    """
    v = _place(data, target)
    missing = data.states[v].index(MISSING_LABEL) if MISSING_LABEL in data.states[v] else -1
    cuts, uninformative = {}, []
    for name in columns:
        values = _values(data, name)
        chosen = ~np.isnan(values) & (row_counts > 0) & (data.codes[:, v] != missing)
        if not chosen.any():
            raise DataError(f"no number in it where '{target}' is known", data.source, column=name)
        rows = values[chosen], data.codes[chosen, v].astype(np.int64), row_counts[chosen]
        cuts[name] = mdl_cuts(*rows)
        if not cuts[name]:
            uninformative.append(name)
            cuts[name] = best_cut(*rows)
        if not cuts[name]:  # one number where the target is known; others where it is not
            known = ~np.isnan(values) & (row_counts > 0)
            cuts[name] = cut_points.cut_points(*_weighted(values[known], row_counts[known]), 2, "quantile")
    if uninformative:
        LOG.warning("columns without information about %s, cut only once: %s", target, ", ".join(uninformative))
    return cuts


def with_few_digits(data: Dataset, cuts: dict[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """The same number of cut points, with as few digits as separate the same values of the data."""
    short: dict[str, tuple[float, ...]] = {}
    for name, points in cuts.items():
        values = _values(data, name)
        values = values[~np.isnan(values)]
        short[name] = ()
        for point, following in zip(points, (*points[1:], math.inf), strict=False):  # no pair without a point
            low = max((*short[name][-1:], np.max(values, where=values < point, initial=-math.inf)))
            high = np.min(values, where=values >= point, initial=math.inf)
            short[name] += (_few_digits(point, low, min(high, math.nextafter(following, -math.inf))),)
    return short


def _few_digits(point: float, low: float, high: float) -> float:
    """A point rounded to as few digits as leave it above `low` and at most `high`."""
    return next((short for digits in range(1, 17) if low < (short := float(f"{point:.{digits}g}")) <= high), point)


def intervals(points: Sequence[float]) -> tuple[str, ...]:
    """The classes between cut points as labels.

    Examples
    --------
    >>> intervals((135.0, 150.5))
    ('(-inf,135)', '[135,150.5)', '[150.5,inf)')
    """
    ends = ["-inf", *(repr(float(point)).removesuffix(".0") for point in points), "inf"]
    return tuple(f"{'[' if k else '('}{low},{high})" for k, (low, high) in enumerate(pairwise(ends)))


def apply_cuts(data: Dataset, cuts: dict[str, tuple[float, ...]], as_intervals: bool) -> Dataset:
    """The same table with classes instead of numbers.

    Parameters
    ----------
    cuts
        Other columns are unchanged.
    as_intervals
        Whether classes are intervals, otherwise their numbers.

    Returns
    -------
    Dataset
        The states of a column that was cut are 0, 1, ..., or intervals, even if no row has them, and `?` for missing
        cells.

    Raises
    ------
    DataError
        A column that is unknown or not numeric.
    """
    codes, states = np.array(data.codes, order="F"), list(data.states)
    for name, points in cuts.items():
        values = _values(data, name)
        v, missing = data.names.index(name), np.isnan(values)
        classes = np.searchsorted(np.array(points), values, side="right")
        codes[:, v] = np.where(missing, len(points) + 1, classes)
        labels = intervals(points) if as_intervals else tuple(map(str, range(len(points) + 1)))
        states[v] = (*labels, *([MISSING_LABEL] * bool(missing.any())))
    return Dataset(data.names, tuple(states), codes, data.source)


def format_cuts(cuts: dict[str, tuple[float, ...]]) -> str:
    """The text of a file of cut points."""
    text = io.StringIO()
    lines = [[name, cut] for name, points in cuts.items() for cut in (list(map(repr, points)) or [""])]
    csv.writer(text, lineterminator="\n").writerows([_HEAD, *lines])
    return text.getvalue()


def read_cuts(path: str) -> dict[str, tuple[float, ...]]:
    """Read a file of cut points.

    Parameters
    ----------
    path
        `-` is standard input.

    Raises
    ------
    DataError
        Malformed, or cut points of a column that are not ascending; with the line.
    """
    cuts: dict[str, tuple[float, ...]] = {}
    rows = csv.reader(io.StringIO(read_text(path, "a file of cut points")))
    if next(rows, None) != _HEAD:
        raise DataError("the first line must be 'column,cut', as mnmodel discretize --cuts writes it", path, 1)
    for row in rows:
        if len(row) != 2:
            raise DataError(f"{counted(len(row), 'cell')}, expected a column and a cut point", path, rows.line_num)
        name, text = row
        points = cuts.setdefault(name, ())
        if not text:
            continue
        cut = float(text) if is_number(text) else math.nan
        if not (math.isfinite(cut) and (not points or cut > points[-1])):
            raise DataError(f"'{text}' is not a number above the cut point before it", path, rows.line_num, name)
        cuts[name] = (*points, cut)
    if not cuts:
        raise DataError("no cut points", path)
    return cuts


def _values(data: Dataset, name: str) -> np.ndarray:
    """float64[rows] of a column; nan where a cell is missing."""
    v = _place(data, name)
    for k, label in enumerate(data.states[v]):
        if label != MISSING_LABEL and not (is_number(label) and math.isfinite(float(label))):
            row = int((data.codes[:, v] == k).argmax()) + 1
            missing = f"not a number; --na={shlex.quote(cell_text(f'{name}={label}'))} if it means missing"
            what = "too large" if is_number(label) else missing
            raise DataError(f"'{label}' in row {row} is {what}", data.source, column=name)
    numbers = np.array([math.nan if label == MISSING_LABEL else float(label) for label in data.states[v]])
    return numbers[data.codes[:, v]]


def _place(data: Dataset, name: str) -> int:
    """The number of a column."""
    if name not in data.names:
        raise DataError(unknown_column(name, data.names), data.source)
    return data.names.index(name)
