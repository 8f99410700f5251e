"""Draws the table above it: a directive of Sphinx for the measured tables.

    ```{chart} data, seconds
    :log:
    ```

The argument names the column of labels, and that of numbers. The picture is in the page itself, so that the numbers are
written once.
"""

import io
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive, directives
from matplotlib.figure import Figure

TABLE_OF_A_CHART = r"(?m)((?:^\|.*\|\n)+)\n```\{{chart\}} {}$"
NUMBER = re.compile(r"-?[\d,]*\.?\d+")
GREY = "#808080"  # is read on white and on black
BLUE = "#4a7ab8"
WIDTH = 7.0  # inches
HEIGHT_OF_BAR = 0.26
AXIS = 0.7  # inches for the axis below


def table_above(text, argument):
    """The rows of the table above the chart with an argument, as dicts by the names of its columns."""
    lines = re.search(TABLE_OF_A_CHART.format(re.escape(argument)), text)[1].strip().splitlines()
    cells = [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def bars(rows, label, value, log):
    """Horizontal bars, one for each row that has a number, as SVG."""
    found = [(row[label], NUMBER.match(row[value])) for row in rows]
    points = [(name, float(number[0].replace(",", ""))) for name, number in found if number]
    figure = Figure(figsize=(WIDTH, AXIS + HEIGHT_OF_BAR * len(points)))
    axes = figure.subplots()
    axes.barh(range(len(points)), [number for _, number in points], color=BLUE, height=0.7)
    axes.set_yticks(range(len(points)), [name for name, _ in points])
    axes.invert_yaxis()
    if log:
        axes.set_xscale("log")
    axes.set_xlabel(value, color=GREY)
    axes.tick_params(colors=GREY)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GREY)
    figure.set_layout_engine("tight")
    out = io.StringIO()
    figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    svg = out.getvalue()
    return svg[svg.index("<svg") :]


class Chart(Directive):
    """The directive."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec = {"log": directives.flag, "alt": directives.unchanged}  # noqa: RUF012

    def run(self):
        """An inline picture of the table."""
        page = Path(self.state.document.settings.env.doc2path(self.state.document.settings.env.docname))
        label, value = (word.strip() for word in self.arguments[0].split(","))
        rows = table_above(page.read_text(encoding="utf-8"), self.arguments[0])
        name = self.options.get("alt", f"{value} by {label}")
        picture = (
            f'<div class="chart" role="img" aria-label="{name}">{bars(rows, label, value, "log" in self.options)}</div>'
        )
        return [nodes.raw("", picture, format="html")]


def setup(app):
    """Tells Sphinx of the directive."""
    app.add_directive("chart", Chart)
    return {"parallel_read_safe": True}
