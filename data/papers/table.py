"""`papers table`: published values, ours and the difference, in Markdown and CSV, and a sentence that counts them."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING

from .cells import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .cells import ReportTable
    from .spec import Spec


FORMATS = ("markdown", "csv")


def heads(spec: Spec) -> list[str]:
    """The heads of a table: list of str."""
    found = list(spec.keys)
    for column in spec.columns:
        if column.published:
            found += [f"{column.head}, {column.beside}", "ours"] + ["difference"] * bool(column.better)
        else:
            found.append(column.head)
    return found + [f"{name}, published" for name in spec.shown]


def lines(table: ReportTable) -> list[list[str]]:
    """The rows of a table as text: list of list of str.

    Parameters
    ----------
    table
    """
    found = []
    for row, cells in table.rows:
        line = [row[key] for key in table.spec.keys]
        for column, cell in zip(table.spec.columns, cells, strict=True):
            ours = "" if cell.ours is None else number(cell.ours, column.digits)
            if ours and not math.isnan(cell.error):
                ours += f" ± {number(cell.error, column.digits)}"
            if not column.published:
                line.append(ours)
                continue
            line += [cell.published, ours]
            if column.better:
                both = cell.verdict in VERDICTS[:3]
                line.append(number(cell.ours - float(cell.published), column.digits, "+") if both else "")
        found.append(line + [row.get(name, "") for name in table.spec.shown])
    return found


def number(value: float, digits: int, sign: str = "") -> str:
    """A number as text, never `-0.0`.

    Parameters
    ----------
    value
    digits
        Decimals.
    sign
        `+` to show the sign of positive numbers too.

    Returns
    -------
    str
    """
    text = f"{value:{sign}.{digits}f}"
    return text.replace("-", "+" if sign else "") if not float(text) else text


def missing(table: ReportTable) -> list[str]:
    """The rows without any record, by their keys: list of str."""
    return [
        " ".join(row[key] for key in table.spec.keys)
        for row, cells in table.rows
        if all(cell.ours is None or (cell.ours == 0 and not cell.published) for cell in cells)
    ]


def sentence(table: ReportTable) -> str:
    """A sentence that counts the verdicts: str.

    Parameters
    ----------
    table
    """
    groups: dict = {}
    for row, cells in table.rows:
        counts = groups.setdefault(row.get(table.spec.group, ""), dict.fromkeys(VERDICTS, 0))
        for cell in cells:
            if cell.verdict:
                counts[cell.verdict] += 1
    sentences = []
    for group, counts in groups.items():
        if total := sum(counts.values()):
            verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
            sentences.append(f"{f'{group}: ' if group else ''}of {total} cells {verdicts}")
    absent = missing(table)
    text = "; ".join(sentences)
    text = f"{text[0].upper()}{text[1:]}." if text else f"{len(table.rows) - len(absent)} of {len(table.rows)} rows."
    return text + (f" No result for {_listed(absent)}." if absent else "")


def _listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a row, and the number of further ones."""
    shown = ", ".join(names[:most])
    return shown + (f" and {len(names) - most} others" if len(names) > most else "")


def to_markdown(table: ReportTable) -> str:
    """The table with its title, the conditions and the sentence: str."""
    spec = table.spec
    parts = [f"## {spec.title}", f"*{spec.paper}.* {' '.join(spec.conditions.split())}".strip()]
    parts.append("\n".join([_row(heads(spec)), "|" + "---|" * len(heads(spec)), *map(_row, lines(table))]))
    return "\n\n".join([*parts, sentence(table)]) + "\n"


def _row(cells: Iterable[str]) -> str:
    """A line of a Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def to_csv(table: ReportTable) -> str:
    """The table as CSV; a `verdict` and an `error` follow each compared value of ours."""
    spec = table.spec
    head = list(spec.keys)
    for column in spec.columns:
        head += [f"{column.head} published"] * bool(column.published) + [column.head, f"{column.head} error"]
        head += [f"{column.head} verdict"] * bool(column.published and column.better)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*head, *spec.shown])
    for row, cells in table.rows:
        line = [row[key] for key in spec.keys]
        for column, cell in zip(spec.columns, cells, strict=True):
            line += [cell.published] * bool(column.published)
            line.append("" if cell.ours is None else f"{cell.ours:.10g}")
            line.append("" if math.isnan(cell.error) else f"{cell.error:.4g}")
            line += [cell.verdict] * bool(column.published and column.better)
        writer.writerow(line + [row.get(name, "") for name in spec.shown])
    return stream.getvalue()
