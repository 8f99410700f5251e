"""A picture of a graph with readable names.

Vertices are rounded boxes with their names, edges are straight lines below them, and arcs have a head at the box of the
child. If strengths are known, both width and
colour show their square root, from pale and thin to dark and thick; an edge without which the score would be better is
dashed and red. The same input gives the same bytes (for one version of matplotlib).
"""

from __future__ import annotations

import io
import logging
import math
import textwrap
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LimitError, UsageError
from ..files.atomic_write import write_whole
from ..files.endings import format_of_name
from .layout import place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..graphs.dag import Dag
    from ..graphs.graph import Graph

LOG = logging.getLogger("cliquewise")
FORMATS = ("png", "svg", "pdf")
MAX_DRAWN_VERTICES = 3000  # larger pictures are not readable

_FONT = 9.0
_PAD = (7.0, 5.0)  # between a name and its box
_MARGIN = 22.0
_WRAP, _LINES = 16, 3
_BOX, _RIM, _INK = "#f3f6fb", "#41577a", "#16233a"
_ALONE_BOX, _ALONE_RIM = "#fafafa", "#b4bbc6"
_PLAIN, _LOSING = "#7488a3", "#c8384a"
_SHADES = ("#c3cfdf", "#7fa3cc", "#2f6db3", "#123f7d", "#0a1f44")
_WIDTHS = (0.8, 5.0)  # thinnest and thickest edge
_PLAIN_WIDTH = 1.4  # of edges without strengths
_HEAD = (7.0, 2.6)  # length and half the width of an arrow's head, without the share of its line


def picture_format(path: str, formats: Sequence[str] = FORMATS) -> str:
    """One of the formats, from the file's name; UsageError for another."""
    return format_of_name(path, formats, None, option="-o")


def draw_graph(
    path: str,
    graph: Graph | Dag,
    strengths: Sequence[float] | None = None,
    caption: str = "",
    shown: str = "score lost without the edge",
) -> None:
    """Draw a graph into a file, whole or not at all.

    Parameters
    ----------
    path
        Ends in .png, .svg or .pdf.
    graph
    strengths
        One per edge, in order (see `common.drawing.strength`).
    caption
        A line below the picture.
    shown
        Meaning of the strengths.

    Raises
    ------
    UsageError
        Another suffix, or matplotlib is not installed.
    DataError
        The file cannot be written.
    LimitError
        More vertices than a picture can show.
    """
    write_whole(path, picture(picture_format(path), graph, strengths, caption, shown))


def picture(
    kind: str,
    graph: Graph | Dag,
    strengths: Sequence[float] | None = None,
    caption: str = "",
    shown: str = "score lost without the edge",
) -> bytes:
    """The same picture as the bytes of a file.

    Parameters
    ----------
    kind
        One of `FORMATS`.

    Raises
    ------
    UsageError, LimitError
        As `draw_graph`.
    """
    if graph.n > MAX_DRAWN_VERTICES:
        raise LimitError(
            f"{graph.n} vertices; a picture shows at most {MAX_DRAWN_VERTICES}, use --format dot and a viewer"
        )
    try:
        import matplotlib
    except ImportError as error:
        raise UsageError("drawing needs matplotlib: pip install 'cliquewise[plot]'") from error
    labels = [_wrapped(name) for name in graph.names or map(str, range(graph.n))]
    fixed: Any = {"svg.hashsalt": "cliquewise", "svg.fonttype": "path"}
    with matplotlib.rc_context(fixed), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        drawn = _picture(graph, labels, strengths, _Foot(caption, _legend_values(strengths), shown), kind)
    if any("missing from" in str(warning.message) for warning in caught):
        LOG.warning("some characters of the names are not in the font; name another as font.family in a matplotlibrc")
    return drawn


def _wrapped(name: str) -> str:
    """A name on at most three lines, broken at blanks and underscores, shortened in the middle if necessary."""
    name = " ".join(name.split()) or " "
    if len(name) > _WRAP * _LINES:
        name = name[: _WRAP * 2 - 3] + "\u2026" + name[-_WRAP + 3 :]
    if len(name) <= _WRAP:
        return name
    pieces = textwrap.wrap(name.replace("_", "_ "), _WRAP, break_on_hyphens=True)
    return "\n".join(piece.replace("_ ", "_") for piece in pieces)


def _picture(graph: Graph | Dag, labels: list[str], strengths: Sequence[float] | None, foot: _Foot, kind: str) -> bytes:
    """The bytes of the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(dpi=72)
    canvas = FigureCanvasAgg(figure)
    sizes = _box_sizes(figure, canvas.get_renderer(), labels)
    centres = place(graph.n, graph.edges, sizes)
    inner = (centres + sizes / 2).max(0)
    extent = np.maximum(inner, (foot.width(inner[0]), 0.0)) + 2 * _MARGIN + (0.0, foot.height(inner[0]))
    shift = ((extent[0] - inner[0]) / 2, _MARGIN + foot.height(inner[0]))
    figure.set_size_inches(extent / 72)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, extent[0]), ylim=(0, extent[1]))
    axes.set_axis_off()
    centres = centres + shift
    _draw_edges(axes, graph, centres, sizes, strengths)
    _draw_vertices(axes, graph, labels, centres, sizes)
    foot.draw(axes, inner[0], extent[0], strengths)
    stream = io.BytesIO()
    empty = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    longest = max(extent) / 72
    figure.savefig(stream, format=kind, dpi=min(160.0, 9000 / longest), metadata=empty, facecolor="white")
    return stream.getvalue()


def _box_sizes(figure: Any, renderer: Any, labels: list[str]) -> np.ndarray:
    """float64[n, 2]: room for each label."""
    text = figure.text(0, 0, "", fontsize=_FONT, parse_math=False, linespacing=1.1)
    sizes = np.empty((len(labels), 2))
    for v, label in enumerate(labels):
        text.set_text(label)
        box = text.get_window_extent(renderer)
        sizes[v] = max(box.width, 10.0) + 2 * _PAD[0], max(box.height, _FONT) + 2 * _PAD[1]
    text.remove()
    return sizes


def _draw_edges(
    axes: Any, graph: Graph | Dag, centres: np.ndarray, sizes: np.ndarray, strengths: Sequence[float] | None
) -> None:
    """Lines between the centres, weak ones first so that strong ones lie on top; arcs end in a head."""
    from matplotlib.collections import LineCollection, PolyCollection

    if not graph.edges:
        return
    ends = np.array(graph.edges)
    lines, known = centres[ends], strengths is not None
    order, level = np.arange(len(ends)), np.zeros(len(ends))
    colours: list[Any] = [_PLAIN] * len(ends)
    widths, losing = np.full(len(ends), _PLAIN_WIDTH), np.zeros(len(ends), bool)
    if strengths is not None:
        order, losing = np.argsort(np.abs(strengths), kind="stable"), np.asarray(strengths) < 0
        level = _levels(strengths, strengths)
        widths = _width(level)
        colours = [_LOSING if lost else _shade(share) for lost, share in zip(losing, level, strict=True)]
    heads = _heads(lines, sizes[ends[:, 1]], widths) if graph.directed else np.empty((len(lines), 0, 2))
    if graph.directed:
        lines[:, 1] = heads[:, 1:].mean(axis=1)
    for dashed in (False, True) if known else (False,):
        chosen = [e for e in order if losing[e] == dashed]
        look: dict[str, Any] = {"colors": [colours[e] for e in chosen], "linewidths": widths[chosen], "zorder": 1}
        look |= {"linestyles": "dashed" if dashed else "solid"} if known else {"capstyle": "round"}
        axes.add_collection(LineCollection(lines[chosen], **look))
        if graph.directed:
            axes.add_collection(
                PolyCollection(list(heads[chosen]), facecolors=look["colors"], edgecolors="none", zorder=1)
            )


def _heads(lines: np.ndarray, sizes: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Triangles whose tips are where the lines enter the boxes at their ends, larger for wider lines.

    Parameters
    ----------
    lines : float64[k, 2, 2]
    sizes : float64[k, 2]
        Of the boxes.
    widths : float64[k]

    Returns
    -------
    float64[k, 3, 2]
    """
    away = lines[:, 0] - lines[:, 1]
    length = np.maximum(np.hypot(*away.T), 1e-9)[:, None]
    within = (sizes / 2 / np.maximum(np.abs(away), 1e-9)).min(axis=1, keepdims=True)
    tip = lines[:, 1] + away * np.minimum(within, 1.0)
    unit = away / length
    back, side = unit * (_HEAD[0] + widths[:, None]), unit[:, ::-1] * (-1.0, 1.0) * (_HEAD[1] + 0.7 * widths[:, None])
    return np.stack([tip, tip + back + side, tip + back - side], axis=1)


def _draw_vertices(axes: Any, graph: Graph | Dag, labels: list[str], centres: np.ndarray, sizes: np.ndarray) -> None:
    """Boxes and names; vertices without edges are paler."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import FancyBboxPatch

    boxes = []
    joined = {v for edge in graph.edges for v in edge}
    for v, label in enumerate(labels):
        box, rim = (_BOX, _RIM) if v in joined or not graph.edges else (_ALONE_BOX, _ALONE_RIM)
        corner = centres[v] - sizes[v] / 2
        style = "round,pad=0,rounding_size=6"
        look: Any = {"facecolor": box, "edgecolor": rim, "linewidth": 0.9, "zorder": 2}
        boxes.append(FancyBboxPatch(corner, sizes[v, 0], sizes[v, 1], style, **look))
        axes.text(
            *centres[v],
            label,
            fontsize=_FONT,
            color=_INK,
            ha="center",
            va="center",
            linespacing=1.1,
            parse_math=False,
            zorder=3,
        )
    axes.add_collection(PatchCollection(boxes, match_original=True, zorder=2), autolim=False)


class _Foot:
    """The text below the picture: the caption, and sample edges beside it, or below if too wide."""

    _LINE, _SAMPLE = 18.0, 24.0

    def __init__(self, caption: str, values: list[float], title: str) -> None:
        self.caption, self.title = caption, title
        self.entries = [(f"{value:g}" if value > 0 else "less than 0", value) for value in values]
        self.widths = [4.3 * len(caption)]
        if values:
            texts = sum(self._SAMPLE + 24 + 5 * len(text) for text, _ in self.entries)
            self.widths.append(4.3 * len(self.title) + texts)

    def stacked(self, room: float) -> bool:
        """Whether caption and samples do not fit side by side in this width."""
        return len(self.widths) > 1 and sum(self.widths) + 24 > room

    def width(self, room: float) -> float:
        """Width needed."""
        return max(self.widths) if self.stacked(room) else sum(self.widths)

    def height(self, room: float) -> float:
        """Height needed."""
        return 12 + self._LINE * (1 + self.stacked(room)) if self.width(room) else 0.0

    def draw(self, axes: Any, room: float, page: float, strengths: Sequence[float] | None) -> None:
        """Draw on a page of this width."""
        style = {"fontsize": 8, "color": _RIM, "va": "center", "parse_math": False}
        axes.text(_MARGIN, 20 + self._LINE * self.stacked(room), self.caption, **style)
        if not self.entries:
            return
        x = _MARGIN if self.stacked(room) else page - _MARGIN - self.widths[1]
        axes.text(x, 20, self.title, **style)
        x += 4.3 * len(self.title)
        for text, value in self.entries:
            level = _levels([value], strengths or ())[0]
            look = {"color": _shade(level), "linewidth": _width(level), "solid_capstyle": "butt"}
            if value < 0:
                look = {"color": _LOSING, "linewidth": _WIDTHS[0] + 0.6, "linestyle": "dashed"}
            axes.plot([x + 12, x + 12 + self._SAMPLE], [20, 20], **look)
            x += self._SAMPLE + 24 + 5 * len(text)
            axes.text(x, 20, text, ha="right", **style)


def _legend_values(strengths: Sequence[float] | None) -> list[float]:
    """Up to four round values between the weakest and the strongest edge, and -1 if any is negative."""
    known = [] if strengths is None else strengths
    positive = [s for s in known if s > 0 and math.isfinite(s)]
    negative = [-1.0] if any(s < 0 for s in known) else []
    if not positive:
        return negative
    high, low = max(positive), max(min(positive), max(positive) / 1000)
    steps = [m * 10.0**e for e in range(-6, 12) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    wanted = [steps[i] for i in sorted({round(k * (len(steps) - 1) / 3) for k in range(4)})] if steps else [high]
    return [float(f"{value:.3g}") for value in wanted] + negative


def _levels(values: Sequence[float], strengths: Sequence[float]) -> np.ndarray:
    """Square root of the strength on a scale from 0 to 1 (the strongest edge)."""
    finite = [abs(s) for s in strengths if math.isfinite(s)]
    top = max(finite, default=0.0) or 1.0
    return np.sqrt(np.clip(np.abs(np.asarray(values, float)) / top, 0.0, 1.0))


def _width(level: Any) -> Any:
    return _WIDTHS[0] + (_WIDTHS[1] - _WIDTHS[0]) * level


def _shade(level: float) -> tuple[float, ...]:
    """Colour between the fixed shades, pale to dark."""
    from matplotlib.colors import to_rgb

    at = level * (len(_SHADES) - 1)
    left = min(int(at), len(_SHADES) - 2)
    mix = at - left
    pair = zip(to_rgb(_SHADES[left]), to_rgb(_SHADES[left + 1]), strict=True)
    return tuple((1 - mix) * a + mix * b for a, b in pair)
