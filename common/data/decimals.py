"""The decimal separator of numbers: whether a point or a comma separates decimals or thousands.

`6.188` is between six and seven, or more than six thousand where a comma separates decimals. By default a table is read
with the decimal point, as by all programs, with a warning if that is doubtful: if all its numbers with a point have
groups of three digits behind it, and none without a point is above 999. `--decimal` decides: the numbers of the table,
also with a unit or a currency, become plain ones.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from ..errors import abridged
from ..number_text import is_number

if TYPE_CHECKING:
    from .csvtable import CsvTable
    from .dataset import Dataset

LOG = logging.getLogger("cliquewise")
DOUBTFUL_DECIMALS = "numbers whose point may separate thousands, but is read as that of decimals"
DECIMAL_ADVICE = "--decimal comma if it does, --decimal point if not"
_SAMPLE, _SHOWN = 1000, 5  # labels of a column, columns
_SIGN = {"point": (",", "."), "comma": (".", ",")}  # that of thousands, that of decimals
_CURRENCY = "[$\u20ac\u00a3]"
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+")


def _form(decimal: str) -> re.Pattern[str]:
    """Numbers that are not plain ones, with the signs before and behind them."""
    thousands, point = map(re.escape, _SIGN[decimal])
    grouped = rf"[1-9][0-9]{{0,2}}(?:{thousands}[0-9]{{3}})+(?:{point}[0-9]+)?"
    number = rf"[+-]?(?:{grouped}|[0-9]+{point}[0-9]+)"
    return re.compile(rf"({_CURRENCY} ?|)({number})( ?(?:%|[^\W\d_]{{1,5}}\.?|{_CURRENCY})|)")


def with_decimal(table: CsvTable, decimal: str) -> CsvTable:
    """A table in which numbers are written with a point and without thousands.

    Parameters
    ----------
    decimal
        auto, point or comma; by auto the table stays as it is.
    """
    if decimal == "auto":
        return table
    form, (thousands, point) = _form(decimal), _SIGN[decimal]

    def plain(label: str) -> str:
        found = form.fullmatch(label)
        if found is None:
            return label
        before, number, behind = found.groups()
        return before + number.replace(thousands, "").replace(point, ".") + behind

    return table._replace(labels=[tuple(map(plain, column)) for column in table.labels])


def warn_of_doubt(data: Dataset, measured: Collection[str]) -> None:
    """Warn of those columns of numbers whose points may separate thousands."""
    found = doubtful_columns(data, measured)
    if found:
        shown = abridged([f"{name} '{number}'" for name, number in found.items()], _SHOWN)
        LOG.warning("%s: %s: %s; %s", data.source, DOUBTFUL_DECIMALS, shown, DECIMAL_ADVICE)


def doubtful_columns(data: Dataset, measured: Collection[str]) -> dict[str, str]:
    """The columns of a table in which points may separate thousands, with a number of each.

    Parameters
    ----------
    measured
        The columns to examine.

    Returns
    -------
    dict of str to str
        Empty if any number of the table has other digits behind its point: then it has decimals.
    """
    found = {}
    for name, labels in zip(data.names, data.states, strict=True):
        numbers = [label for label in _enough(labels) if is_number(label)]
        pointed = [label for label in numbers if "." in label or "e" in label.lower()]
        if not all(map(_GROUPED.fullmatch, pointed)):
            return {}
        if name in measured and len(pointed) > 1 and all(abs(float(label)) < 1000 for label in numbers):
            found[name] = pointed[0]
    return found


def _enough(labels: tuple[str, ...]) -> tuple[str, ...]:
    """A sample of the labels of a column, at regular places, or all of a few."""
    return labels[:: 1 + len(labels) // _SAMPLE]
