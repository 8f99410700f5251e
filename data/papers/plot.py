"""`papers plot`: draws the figure of a description from records and published values.

[figure] in the description (see `data.papers.spec`) states

* `kind`: `lines` (a statistic of y against x), `traces` (the score over time, averaged over data sets whose traces the
  records name in the field `trace`), or `ranges` (minimum, median and maximum of y for each x, as bars)
* `x`, `y`: fields, and `xlabel`, `ylabel` with units; `log` lists the axes with logarithmic scales; `statistic`
* `series`: tables with a `label`, the records selected by `where`, and the published values: `published`, the columns
  whose sum is drawn, with `-` before one to subtract, added to `offset` (a number, or one per panel), in the rows
  selected by `printed_where`; `published_label` is their label
* `panels`: the field whose values divide the records into panels side by side, `panel_title` with {} for the value
* `guides`: tables with a `label` and either a `base` (base^x, through the last value of the series named by `through`)
  or `sets_up_to` (the number of sets of at most this many of x variables)
* `share`: for `ranges`, y is shown in per cent between the records selected by `zero` and the best of all
"""

from __future__ import annotations

import math
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...common.drawing.picture import bytes_of_figure, picture_format, picture_settings
from ...common.errors import DataError, UsageError
from ...common.files.atomic_write import write_whole
from .cells import read_records, read_rows, reduce, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .spec import Spec

    Run = list[tuple[float, float]]


COLOURS = ("#1f5fa8", "#d1652b", "#2e8b57", "#8a4fa3", "#b8313f", "#6b6b6b", "#c29b1b", "#2aa3a3", "#101820")
SINGLE_PANEL = (6.6, 4.4)
MARKS = "osD^vPX*h"
PANEL = (4.2, 3.4)  # inches, per panel


def plot(spec: Spec, folder: str, path: str) -> None:
    """Draw a figure into a file, whole or not at all.

    Parameters
    ----------
    spec
        With a figure.
    folder
        Contains one folder of records per source of the spec.
    path
        Ends in .png, .svg or .pdf.

    Raises
    ------
    UsageError
        Another suffix, no figure in the description, or matplotlib is not installed.
    DataError
        A file cannot be read or written.
    """
    kind = picture_format(path)
    if not spec.figure:
        raise UsageError(f"{spec.path}: describes a table; use papers table")
    try:
        with picture_settings(**{"font.size": 9, "axes.titlesize": 9}):
            picture = _picture(spec, read_records(spec, folder), kind)
    except KeyError as error:
        raise DataError(f"a record or the description has no {error}", spec.path) from None
    write_whole(path, picture)


def _picture(spec: Spec, records: list[dict[str, str]], kind: str) -> bytes:
    """The bytes of the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = spec.figure
    panels = _panels(figure, records)
    across = min(2, len(panels))
    down = math.ceil(len(panels) / across)
    several = (PANEL[0] * across, figure.get("panel_height", PANEL[1]) * down)
    size = several if len(panels) > 1 else SINGLE_PANEL
    canvas: Any = Figure(figsize=size, dpi=110, layout="constrained")
    FigureCanvasAgg(canvas)
    drawn = canvas.subplots(down, across, squeeze=False).flatten()
    draw = {"lines": _draw_lines, "traces": _draw_traces, "ranges": _draw_ranges}.get(figure.get("kind", ""))
    if draw is None:
        raise DataError("the kind of figure must be lines, traces or ranges", spec.path)
    for axes, (panel, members) in zip(drawn, panels, strict=False):
        draw(axes, spec, panel, members)
        if panel:
            axes.set_title(figure.get("panel_title", "{}").replace("{}", panel))
        if not axes.has_data():
            axes.text(0.5, 0.5, "no results", ha="center", va="center", transform=axes.transAxes, color="#888888")
        _finish(axes, figure)
    for axes in drawn[len(panels) :]:
        axes.set_axis_off()
    _legend(canvas, list(drawn))
    return bytes_of_figure(canvas, kind)


def _panels(figure: dict, records: list[dict[str, str]]) -> list[tuple[str, list[dict[str, str]]]]:
    """The records of each panel: list of (value, list of records)."""
    field = figure.get("panels")
    if not field:
        return [("", records)]
    order = figure.get("panel_order") or sorted({one[field] for one in records if field in one})
    return [(value, [one for one in records if one.get(field) == value]) for value in order] or [("", [])]


def _finish(axes: Any, figure: dict) -> None:
    """Labels, scales and grid."""
    axes.set_xlabel(figure["xlabel"])
    axes.set_ylabel(figure["ylabel"])
    if "x" in figure.get("log", ()):
        axes.set_xscale("log")
        if figure["kind"] == "lines":  # ticks at the values, not at powers of ten
            values = sorted({x for line in axes.get_lines() for x in line.get_xdata()})
            axes.set_xticks(values, [f"{x:g}" for x in values], fontsize=7)
            axes.set_xticks([], minor=True)
    if "y" in figure.get("log", ()):
        axes.set_yscale("log")
    if "ylim" in figure:
        axes.set_ylim(*figure["ylim"])
    axes.grid(True, color="#e3e6ea", linewidth=0.6)
    axes.set_axisbelow(True)


def _legend(canvas: Any, drawn: Sequence[Any]) -> None:
    """One legend below the panels, with one entry per label."""
    found: dict = {}
    for axes in drawn:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    if found:
        columns = min(len(found), 3 if len(drawn) == 1 else 4)
        canvas.legend(
            found.values(), found.keys(), loc="outside lower center", ncols=columns, frameon=False, fontsize=8
        )


def _draw_lines(axes: Any, spec: Spec, panel: str, records: list[dict[str, str]]) -> None:
    """A statistic of y against x; published values dashed, in the same colour."""
    figure = spec.figure
    published = read_rows(str(spec.path.parent / spec.published)) if spec.published else []
    if panel:
        published = [row for row in published if row.get(figure["panels"]) == panel]
    last = {}
    for number, series in enumerate(figure["series"]):
        colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
        points = _points(figure, series, [one for one in records if figure["x"] in one])
        if points:
            last[series["label"]] = points[-1]
            line = "none" if series.get("points") else "-"
            axes.plot(
                *zip(*points, strict=True), color=colour, marker=mark, ms=4, lw=1.4, ls=line, label=series["label"]
            )
        if printed := _printed(figure, series, panel, published):
            label = series.get("published_label", f"{series['label']}, published")
            axes.plot(
                *zip(*printed, strict=True), color=colour, marker=mark, ms=3, mfc="white", lw=1, ls="--", label=label
            )
    _draw_guides(axes, figure, records, last)


def _points(figure: dict, series: dict, records: list[dict[str, str]]) -> list[tuple[float, float]]:
    """The points of a series of ours: list of (x, y)."""
    groups: dict = {}
    for one in records:
        groups.setdefault(float(one[figure["x"]]), []).append(one)
    found = []
    for x, members in sorted(groups.items()):
        values = values_of(members, series.get("y", figure["y"]), series["where"], series.get("best", ""))
        y, _ = reduce(values, series.get("statistic", figure.get("statistic", "mean")))
        if y is not None and values:
            found.append((x, y))
    return found


def _printed(figure: dict, series: dict, panel: str, rows: list[dict[str, str]]) -> list[tuple[float, float]]:
    """The published points of a series: list of (x, y)."""
    found = []
    meant = series.get("printed_where", {})
    for row in rows if series.get("published") else ():
        if any(row.get(key) != value for key, value in meant.items()):
            continue
        cells = [(column.removeprefix("-"), -1.0 if column.startswith("-") else 1.0) for column in series["published"]]
        if all(row[column] for column, _ in cells):
            offset = figure.get("offset", 0.0)
            offset = offset.get(panel, 0.0) if isinstance(offset, dict) else offset
            found.append((float(row[figure["x"]]), offset + sum(sign * float(row[column]) for column, sign in cells)))
    return sorted(found)


def _draw_guides(axes: Any, figure: dict, records: list[dict[str, str]], last: dict[str, tuple[float, float]]) -> None:
    """Reference lines: the growth of a quantity."""
    xs = sorted({float(one[figure["x"]]) for one in records if one.get(figure["x"])})
    for number, guide in enumerate(figure.get("guides", ())):
        if not xs:
            return
        along: Sequence[float]
        if "base" in guide:
            if guide["through"] not in last:
                continue
            x0, y0 = last[guide["through"]]
            along = [x for x in xs if x <= x0]
            ys = [y0 * guide["base"] ** (x - x0) for x in along]
        else:
            along = range(int(xs[0]), int(xs[-1]) + 1)
            ys = [sum(math.comb(int(x), k) for k in range(guide["sets_up_to"] + 1)) for x in along]
        axes.plot(along, ys, color="#9aa1ab", lw=1, ls=(":", "-.", (0, (6, 3)))[number % 3], label=guide["label"])


def _draw_traces(axes: Any, spec: Spec, _panel: str, records: list[dict[str, str]]) -> None:
    """The mean over data sets of the best score so far, while all runs have one, until the first ends."""
    figure = spec.figure
    series = figure["series"]
    traces: dict = {}
    for number, one in enumerate(series):
        meant = [r for r in records if all(r.get(key) == value for key, value in one["where"].items())]
        for record in meant:
            traces.setdefault(number, {})[record["name"]] = _trace(record["trace"])
    common = sorted(set.intersection(*(set(found) for found in traces.values()))) if traces else []
    runs_of = {number: [found[name] for name in common if found[name]] for number, found in traces.items()}
    end = max((run[-1][0] for runs in runs_of.values() for run in runs), default=0.0)
    for number, runs in runs_of.items():
        if runs:
            times, means = _mean_of(runs, figure.get("from_seconds", 0.0), end)
            look: dict = {
                "color": COLOURS[number % len(COLOURS)],
                "ls": "--" if series[number].get("dashed") else "-",
                "lw": 1.4,
            }
            axes.plot(times, means, drawstyle="steps-post", label=series[number]["label"], **look)
    axes.set_title(f"mean over {', '.join(common) if len(common) < 9 else f'{len(common)} data sets'}")


def _mean_of(runs: Sequence[Run], begin: float, end: float) -> tuple[list[float], list[float]]:
    """The mean of runs over time, from the time when each has a score."""
    begin = max(begin, *(run[0][0] for run in runs))
    times = sorted({seconds for run in runs for seconds, _ in run if begin < seconds < end} | {begin, end})
    return times, [statistics.fmean(_at(run, seconds) for run in runs) for seconds in times]


def _trace(path: str) -> Run:
    """A trace as a list of (seconds, best score so far)."""
    best, found = -math.inf, []
    for row in read_rows(path):
        best = max(best, float(row["score"]))
        found.append((float(row["seconds"]), best))
    return found


def _at(run: Run, seconds: float) -> float:
    """The score of a run at a time; its first before that."""
    reached = run[0][1]
    for moment, score in run:
        if moment > seconds:
            break
        reached = score
    return reached


def _draw_ranges(axes: Any, spec: Spec, _panel: str, records: list[dict[str, str]]) -> None:
    """Minimum, median and maximum as bars, one group per value of x."""
    figure = spec.figure
    names = figure.get("order") or list(dict.fromkeys(one[figure["x"]] for one in records))
    names = [name for name in names if any(one[figure["x"]] == name for one in records)]
    series = figure["series"]
    width = 0.8 / len(series)
    for number, one in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        spans = []
        for place, name in enumerate(names):
            members = [r for r in records if r[figure["x"]] == name]
            values = values_of(members, figure["y"], one["where"])
            if "zero" in figure:
                zero = values_of(members, figure["y"], figure["zero"])
                best = max((v for s in series for v in values_of(members, figure["y"], s["where"])), default=0.0)
                values = [100 * (value - zero[0]) / (best - zero[0]) for value in values] if zero else []
            if values:
                spans.append(
                    (place - 0.4 + width * (number + 0.5), min(values), statistics.median(values), max(values))
                )
        if spans:
            ys, low, middle, high = zip(*spans, strict=True)
            axes.barh(ys, middle, height=width * 0.9, color=colour, alpha=0.75, label=one["label"])
            axes.hlines(ys, low, high, color="#101820", lw=1.2)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()  # the first on top
    axes.set_xlim(*figure.get("xlim", (0, 102)))


def embedded(path: str | Path) -> str | None:
    """A picture file as an svg element for a self-contained page, or None if there is no such file."""
    if not Path(path).exists():
        return None
    text = Path(path).read_text(encoding="utf-8")
    return text[text.index("<svg") :]
