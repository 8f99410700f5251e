"""`mntools plot`: the score over the time of a run, from its trace.

A trace is a CSV with the columns `seconds` and `score`, as written by every `--trace`. If it has a column `ladder`
(`mnposterior`), each ladder is a line, the burn-in (`adapting` 1) is grey, and a second panel shows R-hat of
the score over the draws after it, up to each moment (`common.chains.diagnostics`).
"""

import csv
import io
import math
from typing import Any

import numpy as np

from ..common.chains.diagnostics import MIN_DRAWS, r_hat
from ..common.drawing.picture import bytes_of_figure, picture_format, picture_settings
from ..common.errors import DataError
from ..common.files.atomic_write import write_whole
from ..common.files.input_stream import read_text
from ..common.number_text import is_number

MOMENTS = 80  # at which R-hat is shown
GOOD_R_HAT = 1.01
MAX_NUMBER = 1e100  # number that is drawn
PANEL_SIZE, LOWER = (6.6, 3.6), 2.0  # inches; height of the second panel


def read_trace(path: str) -> dict[str, np.ndarray]:
    """The numbers of a trace, by column.

    Parameters
    ----------
    path
        `-` is standard input.

    Returns
    -------
    dict of str to float64[rows]
        `seconds` and `score`; `ladder` and `adapting` if the trace has them.

    Raises
    ------
    DataError
        Not a trace, or one without rows.
    """
    rows = list(csv.DictReader(io.StringIO(read_text(path, "a trace"))))
    if not rows:
        raise DataError("no rows; expected a trace, with the columns seconds and score", path)
    columns: dict = {}
    for name in ("seconds", "score", "ladder", "adapting"):
        if name not in rows[0]:
            if name in ("seconds", "score"):
                raise DataError(f"no column '{name}'; expected a trace", path)
            continue
        for line, row in enumerate(rows, 2):
            text = row[name] or ""  # a short row has none
            value = float(text) if is_number(text) else math.nan
            if not abs(value) < MAX_NUMBER:
                raise DataError(f"'{text}' in the column '{name}' is not a number that can be drawn", path, line)
            columns.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in columns.items()}


def r_hat_over_time(trace: dict) -> tuple[np.ndarray, np.ndarray]:
    """R-hat of the score up to some moments of a run.

    Parameters
    ----------
    trace
        From `read_trace`, with ladders.

    Returns
    -------
    (float64[m], float64[m])
        Seconds, and R-hat of the draws until then; empty with one ladder or too few draws.
    """
    is_draw = trace["adapting"] == 0 if "adapting" in trace else np.ones(len(trace["score"]), bool)
    draws = [is_draw & (trace["ladder"] == ladder) for ladder in np.unique(trace["ladder"])]
    length = min(int(one.sum()) for one in draws)
    scores = np.array([trace["score"][one][:length] for one in draws])
    if len(draws) < 2 or length < 2 * MIN_DRAWS:
        return np.zeros(0), np.zeros(0)
    ends = np.unique(np.linspace(2 * MIN_DRAWS, length, MOMENTS).astype(int))
    return trace["seconds"][draws[0]][ends - 1], np.array([r_hat(scores[:, :end]) for end in ends])


def plot_trace(source: str, path: str) -> None:
    """Draw a trace into a file, whole or not at all.

    Parameters
    ----------
    source
        The trace.
    path
        Ends in .png, .svg or .pdf.

    Raises
    ------
    UsageError
        Another suffix, or matplotlib is not installed.
    DataError
        A file cannot be read or written.
    """
    kind = picture_format(path)
    with picture_settings(**{"font.size": 9}):
        write_whole(path, _picture(read_trace(source), kind))


def _picture(trace: dict[str, np.ndarray], kind: str) -> bytes:
    """The bytes of the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    moments, values = r_hat_over_time(trace) if "ladder" in trace else (np.zeros(0), np.zeros(0))
    known = np.isfinite(values).any()
    figure = Figure(figsize=(PANEL_SIZE[0], PANEL_SIZE[1] + LOWER * known), layout="constrained")
    FigureCanvasAgg(figure)
    heights = [PANEL_SIZE[1], LOWER] if known else [PANEL_SIZE[1]]
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    _draw_scores(axes[0], trace)
    if known:
        axes[1].plot(moments, values, color="black", linewidth=1)
        axes[1].axhline(GOOD_R_HAT, color="grey", linestyle="dashed", linewidth=0.8)
        axes[1].set_ylabel("R-hat of the score")
        if np.nanmax(values) > 2:
            axes[1].set_yscale("log")
    axes[-1].set_xlabel("seconds")
    return bytes_of_figure(figure, kind, 160)


def _draw_scores(axes: Any, trace: dict[str, np.ndarray]) -> None:
    """The score over time, one line per ladder."""
    ladders = trace.get("ladder", np.zeros(len(trace["score"])))
    for ladder in np.unique(ladders):
        mine = ladders == ladder
        axes.plot(trace["seconds"][mine], trace["score"][mine], linewidth=0.7)
    adapting = trace.get("adapting", np.zeros(1))
    if adapting.any():
        axes.axvspan(0, trace["seconds"][adapting > 0].max(), color="0.9", zorder=0)
    later = trace["score"][trace["seconds"] > 0.02 * trace["seconds"].max()]  # low scores at the start are irrelevant
    low, high = (float(later.min()), float(later.max())) if len(later) else (math.nan, math.nan)
    if high > low:
        axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    axes.set_ylabel("score")
