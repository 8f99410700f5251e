"""From records to the cells of a table: published values, ours, and their comparison."""

from __future__ import annotations

import csv
import io
import math
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...common.errors import DataError
from ...common.files.input_stream import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .spec import Column, Spec


VERDICTS = ("equal", "better", "worse", "missing")


@dataclass(frozen=True)
class Cell:
    """One value of ours and the published one.

    Attributes
    ----------
    published
        As printed; empty if nothing was.
    ours
        None if there is no record.
    error
        Standard error of ours; nan for a single record or if it is not a mean.
    verdict
        One of `VERDICTS`, or empty if nothing is compared.
    """

    published: str
    ours: float | None
    error: float
    verdict: str


@dataclass(frozen=True)
class ReportTable:
    """The content of a table.

    Attributes
    ----------
    spec
    rows : list of (dict of str to str, list of Cell)
        The row's published values with its keys, and a cell for each column of ours.
    records : list of dict
    """

    spec: Spec
    rows: list
    records: list


def read_rows(path: str) -> list[dict[str, str]]:
    """The rows of a CSV file: list of dict."""
    text = read_text(path, "a CSV file")
    rows = list(csv.DictReader(io.StringIO(text)))
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise DataError("has another number of cells than the header", path, number)
    return rows


def read_records(spec: Spec, folder: str) -> list[dict[str, str]]:
    """All records of a table or figure, sorted by file name.

    Parameters
    ----------
    spec
    folder
        Contains one folder per source of the spec.

    Returns
    -------
    list of dict of str to str
    """
    files = [path for source in spec.sources for path in sorted(Path(folder, source).glob("*.csv"))]
    return [row for path in files for row in read_rows(str(path))]


def make_table(spec: Spec, folder: str) -> ReportTable:
    """A table's cells from the records in a folder: rows as they were published, others after them.

    Where nothing was published, rows are in the order of their keys.

    Parameters
    ----------
    spec
    folder

    Returns
    -------
    Table
    """
    records = read_records(spec, folder)
    published = read_rows(str(spec.path.parent / spec.published)) if spec.published else []
    for key in spec.keys:
        if published and key not in published[0]:
            raise DataError(f"has no column '{key}'", spec.published)
    rows = {tuple(row[key] for key in spec.keys): row for row in published}
    groups: dict = {}
    for record in records:
        key = tuple(record.get(key, "") for key in spec.keys)
        rows.setdefault(key, dict(zip(spec.keys, key, strict=True)))
        groups.setdefault(key, []).append(record)
    if not published:
        rows = dict(sorted(rows.items(), key=lambda row: [_in_order(value) for value in row[0]]))
    made = [
        (row, [_cell(spec, column, row, groups.get(key, [])) for column in spec.columns]) for key, row in rows.items()
    ]
    return ReportTable(spec, made, records)


def _in_order(value: str) -> tuple[int, float, str]:
    """The sort key of a key: numbers by their size, before words."""
    try:
        return 0, float(value), ""
    except ValueError:
        return 1, 0.0, value


def values_of(
    records: list[dict[str, str]],
    field: str,
    where: dict[str, str],
    best: str = "",
    sample: Sequence[str] = ("sample",),
) -> list[float]:
    """The numbers in one field of the selected records.

    Parameters
    ----------
    records
    field
    where : dict of str to str
        The selected records have these fields.
    best
        If given, only the record with the smallest value of this field is used, among those that agree in `sample`.
    sample : sequence of str

    Returns
    -------
    list of float
    """
    meant = [one for one in records if all(one.get(key) == value for key, value in where.items())]
    meant = [one for one in meant if one.get(field, "") != ""]
    if best:
        least: dict = {}
        for one in sorted(meant, key=lambda one: float(one[best])):
            least.setdefault(tuple(one.get(key, "") for key in sample), one)
        meant = list(least.values())
    return [float(one[field]) for one in meant]


def reduce(values: list[float], statistic: str) -> tuple[float | None, float]:
    """A statistic of numbers, and the standard error if it is a mean of several; (None, nan) for an empty list.

    Parameters
    ----------
    values
    statistic
        See `data.papers.spec.Column`.

    Returns
    -------
    (float or None, float)
    """
    if statistic == "count":
        return float(len(values)), math.nan
    if statistic == "zeros":
        values, statistic = [float(value == 0) for value in values], "mean"
    if statistic == "mean of others":
        values, statistic = [value for value in values if value], "mean"
    if not values:
        return None, math.nan
    if statistic == "mean":
        several = len(values) > 1
        return statistics.fmean(values), statistics.stdev(values) / len(values) ** 0.5 if several else math.nan
    of_all: dict[str, Callable[[list[float]], float]] = {"median": statistics.median, "min": min, "max": max}
    return of_all[statistic](values), math.nan


def _cell(spec: Spec, column: Column, row: dict[str, str], records: list[dict[str, str]]) -> Cell:
    """A cell of ours."""
    published = row.get(column.published, "") if column.published else ""
    ours, error = reduce(values_of(records, column.field, column.where, column.best), column.statistic)
    if ours is not None and column.minus is not None:
        less, _ = reduce(values_of(records, column.field, column.minus), column.statistic)
        ours = None if less is None else ours - less
    if ours is not None:
        ours, error = column.offset + ours * column.scale, error * abs(column.scale)
    compared = not spec.comparable or row.get(spec.group) in spec.comparable
    return Cell(published, ours, error, _verdict(column, published, ours, error) if compared else "")


def _verdict(column: Column, published: str, ours: float | None, error: float) -> str:
    """The comparison of ours with a published value."""
    if not published or not column.better:
        return ""
    if ours is None:
        return "missing"
    by = ours - float(published)
    allowed = max(column.tolerance, column.relative * abs(float(published)))
    if column.errors and not math.isnan(error):
        allowed = max(allowed, column.errors * math.sqrt(2.0) * error)
    if abs(by) <= allowed * (1 + 1e-9) + 1e-12:
        return "equal"
    return "better" if (by > 0) == (column.better == "higher") else "worse"
