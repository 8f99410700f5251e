"""The page of `mnmodel describe`: one HTML file with a bar for each column, without scripts or outside resources."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted, percent
from ..common.data.column_kinds import NUMBER, ColumnKind
from ..common.data.number_forms import with_numbers_plain
from ..common.drawing.static_page import static_page
from ..common.number_text import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .described_column import DescribedColumn

WIDTH, HEIGHT = 240, 18  # of a bar
PARTS = 10  # states with a part of their own; the rest share one
INTERVALS = 24  # of a histogram
FILLS = ("2f6db3", "e08a2e", "3f9a63", "b3476b", "7a5fb5", "4aa3b5", "a5803f", "6f8f2f", "c46f9b", "5f7fd0")
FILL_OF = {f"s{k}": fill for k, fill in enumerate(FILLS)} | {"others": "5b6778", "missing": "b9c1cc"}  # in notebooks


def page_of(title: str, columns: Sequence[DescribedColumn], totals: Sequence[str], command: str, form: str) -> str:
    """The text of the HTML file.

    Parameters
    ----------
    title, totals
        Sentences about the table as a whole.
    command
        The recommended command line; may be empty.
    form
        What the command is: a command of a shell, or a call from Python.
    """
    last = f"<h2>Recommended {form}</h2>\n<pre><code>{escape(command)}</code></pre>" if command else ""
    return static_page(
        str(__package__),
        "describe",
        title,
        COLUMNS=table_of(columns),
        TOTALS="".join(f"<li>{escape(sentence)}</li>\n" for sentence in totals),
        COMMAND=last,
    )


def table_of(columns: Sequence[DescribedColumn]) -> str:
    """The table of the columns."""
    head = "".join(f"<th scope=col>{word}</th>" for word in ("column", "kind", "states", "", "missing", "oddities"))
    rows = "".join(map(_row, columns))
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>"


def _row(column: DescribedColumn) -> str:
    kind = column.kind
    notes = [
        escape(note.text) + (f" <code>{escape(note.option)}</code>" if note.option else "") for note in column.notes
    ]
    notes += [f"nearly the same as {escape(', '.join(column.similar))}"] if column.similar else []
    missing = percent(kind.missing, 1) if kind.missing else ""
    cells = [escape(kind.kind), _bar(kind), escape(kind.content), missing, "<br>".join(notes)]
    return f"<tr><th scope=row>{escape(kind.name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"


def _bar(kind: ColumnKind) -> str:
    """The shares of the states side by side, or the histogram of numbers; then the share of missing cells."""
    known = WIDTH * (1.0 - kind.missing)
    parts = _histogram(kind, known) if kind.kind == NUMBER else _shares(kind, known)
    if kind.missing:
        parts.append(_part("missing", known, WIDTH - known, HEIGHT, f"missing {percent(kind.missing, 1)}"))
    label = escape(f"{kind.name}: {kind.content}", quote=True)
    box = f'role="img" aria-label="{label}" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f"<svg {box}>{''.join(parts)}</svg>"


def _shares(kind: ColumnKind, width: float) -> list[str]:
    """A part for each of the most frequent states, in their order; the others together at the end."""
    total = max(1, kind.counts.sum())
    often = sorted(np.argsort(-kind.counts, kind="stable")[:PARTS].tolist())
    parts, begin = [], 0.0
    for place, k in enumerate(often):
        share = kind.counts[k] / total
        parts.append(_part(f"s{place}", begin, width * share, HEIGHT, f"{kind.labels[k]} {percent(share, 1)}"))
        begin += width * share
    others = len(kind.labels) - len(often)
    if others:
        parts.append(_part("others", begin, width - begin, HEIGHT, counted(others, "other state")))
    return parts


def _histogram(kind: ColumnKind, width: float) -> list[str]:
    """Rows in intervals of equal width."""
    found = zip(with_numbers_plain(kind.labels), kind.counts, strict=True)
    pairs = [(float(label), count) for label, count in found if is_number(label)]
    heights, ends = np.histogram([a for a, _ in pairs], INTERVALS, weights=[b for _, b in pairs])
    spans = [f"{low:g} to {high:g}" for low, high in pairwise(ends)]
    step = width / INTERVALS
    most = max(1e-300, float(heights.max()))
    return [
        _part("s0", k * step, step - 1, HEIGHT * height / most, f"{spans[k]}: {counted(height, 'row')}")
        for k, height in enumerate(heights.tolist())
        if height
    ]


def _part(name: str, begin: float, width: float, height: float, title: str) -> str:
    box = f'x="{begin:.2f}" y="{HEIGHT - height:.2f}" width="{max(0.0, width):.2f}" height="{height:.2f}"'
    return f'<rect class="{name}" fill="#{FILL_OF[name]}" {box}><title>{escape(title)}</title></rect>'
