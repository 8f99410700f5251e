"""A picture of a graph with readable names.

Vertices are rounded boxes with their names, edges are lines below them, and arcs have a head at the child. If strengths
are known, both width and colour show their square root, from pale and thin to dark and thick; an edge without
which the score would be better is dashed and red, as the legend explains. The same input gives the same bytes (for one
version of matplotlib).
"""

from __future__ import annotations

import base64
import io
import logging
import math
import os
import textwrap
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import LimitError, UsageError
from ..files.atomic_write import write_whole
from ..files.endings import format_of_name
from .layout import place, place_as_given
from .style import DEFAULT, Style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..graphs.dag import Dag
    from ..graphs.graph import Graph

    Progress = Callable[[float | None, str], object]

LOG = logging.getLogger("cliquewise")
FORMATS = ("png", "svg", "pdf")
MAX_DRAWN_VERTICES = 2000  # larger pictures are not readable
SCORE_LOST = "score lost without the edge"

_FONT, _SMALL, _TITLE = 9.0, 8.0, 13.0
_READABLE_SIZE = 4.0  # points; smaller names are warned of
_PAD = (7.0, 5.0)  # between a name and its box
_MARGIN = 22.0
_WRAP, _LINES = 16, 3
_WIDTHS = (0.8, 5.0)  # thinnest and thickest edge
_PLAIN_WIDTH = 1.4  # of edges without strengths
_HEAD = (7.0, 2.6)  # length and half the width of an arrow's head, without the share of its line


@dataclass(frozen=True)
class EdgeNotes:
    """Notes about an edge.

    Attributes
    ----------
    lines : tuple of str
    table : sequence of sequence of str
        The rows of the data behind it, below their heads; none: they are not known, or too many.
    """

    lines: tuple[str, ...]
    table: Sequence[Sequence[str]] = ()


@dataclass(frozen=True)
class Drawing:
    """The content of a picture.

    Attributes
    ----------
    graph : Graph or Dag
    strengths : sequence of float, or None
        One per edge, in order (see `common.drawing.strength`).
    caption
        A line below the picture.
    shown
        Meaning of the strengths.
    positions : float64[n, 2], or None
        Of the centres, where a file has them, y upwards.
    titles : sequence of str, or None
        In place of the names.
    evidence : sequence of EdgeNotes, or None
        One per edge: its notes on a page; a picture has no room for them.
    """

    graph: Graph | Dag
    strengths: Sequence[float] | None = None
    caption: str = ""
    shown: str = SCORE_LOST
    positions: np.ndarray | Sequence[tuple[float, float]] | None = None
    titles: Sequence[str] | None = None
    evidence: Sequence[EdgeNotes] | None = None


@dataclass(frozen=True)
class Picture:
    """A picture as the bytes of a file, which a notebook shows.

    Attributes
    ----------
    content
    kind
        One of `FORMATS`.
    """

    content: bytes
    kind: str

    def _repr_html_(self) -> str:
        """The picture for a notebook; of a PDF, its size."""
        if self.kind == "pdf":
            return f"<p>{escape(repr(self))}</p>"
        kind = {"svg": "svg+xml"}.get(self.kind, self.kind)
        return f'<img alt="a network" src="data:image/{kind};base64,{base64.b64encode(self.content).decode()}">'

    def __repr__(self) -> str:
        return f"<Picture, {self.kind.upper()} of {len(self.content)} bytes>"


@dataclass(frozen=True)
class _Palette:
    """Colours: of boxes, of boxes without edges, of edges without strengths, of losing ones, of weak to strong ones."""

    box: str
    rim: str
    ink: str
    alone_box: str
    alone_rim: str
    plain: str
    losing: str
    shades: tuple[str, ...]

    def shade(self, level: float) -> tuple[float, ...]:
        """Colour between the fixed shades, pale to dark."""
        from matplotlib.colors import to_rgb

        at = level * (len(self.shades) - 1)
        left = min(int(at), len(self.shades) - 2)
        mix = at - left
        pair = zip(to_rgb(self.shades[left]), to_rgb(self.shades[left + 1]), strict=True)
        return tuple((1 - mix) * a + mix * b for a, b in pair)


_BLUE = _Palette(
    *("#f3f6fb", "#41577a", "#16233a", "#fafafa", "#b4bbc6", "#7488a3", "#c8384a"),
    ("#c3cfdf", "#7fa3cc", "#2f6db3", "#123f7d", "#0a1f44"),
)
_GREY = _Palette(
    *("#f5f5f5", "#4a4a4a", "#141414", "#fbfbfb", "#b5b5b5", "#808080", "#4a4a4a"),
    ("#cccccc", "#a0a0a0", "#6a6a6a", "#333333", "#000000"),
)


@dataclass(frozen=True)
class _Canvas:
    """The axes to draw on, and their scale: lengths are in points of the unscaled picture."""

    axes: Any
    palette: _Palette
    scale: float


@contextmanager
def picture_settings(**more: Any) -> Iterator[None]:
    """matplotlib's settings for pictures of equal bytes, and more, while a picture is drawn: a context.

    Raises
    ------
    UsageError
        matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise UsageError("drawing needs matplotlib: pip install 'cliquewise[plot]'") from error
    settings: Any = {"svg.hashsalt": "cliquewise", "svg.fonttype": "path", **more}
    with matplotlib.rc_context(settings):
        yield


def picture_format(path: str, formats: Sequence[str] = FORMATS) -> str:
    """One of the formats, from the file's name; UsageError for another."""
    return format_of_name(path, formats, None, option="-o")


def saved_picture(path: str | os.PathLike[str] | None, drawing: Drawing, style: Style, progress: Progress) -> Picture:
    """A picture, written to a file of this name, if there is one; otherwise it is an SVG image.

    Raises
    ------
    UsageError, LimitError
        As `picture`, or another ending.
    DataError
        The file cannot be written.
    """
    kind = "svg" if path is None else picture_format(os.fspath(path))
    made = Picture(picture(kind, drawing, style, progress), kind)
    if path is not None:
        write_whole(os.fspath(path), made.content)
    return made


def shown_in_notebook(network: Any, n: int) -> str:
    """HTML of an object with the method `draw`; its `repr` if it has more variables than a picture shows."""
    return f"<p>{escape(repr(network))}</p>" if n > MAX_DRAWN_VERTICES else network.draw()._repr_html_()


def picture(
    kind: str, drawing: Drawing, style: Style = DEFAULT, progress: Progress = lambda share, text: None
) -> bytes:
    """A picture as the bytes of a file.

    Parameters
    ----------
    kind
        One of `FORMATS`.
    drawing
    style
    progress : callable taking a share in [0, 1] and a text
        Called with the share done so far, and with a description of the work.

    Raises
    ------
    UsageError
        matplotlib is not installed.
    LimitError
        More vertices than a picture can show.
    """
    graph = drawing.graph
    if graph.n > MAX_DRAWN_VERTICES:
        raise LimitError(
            f"{graph.n} variables; a picture shows at most {MAX_DRAWN_VERTICES}; write it for a viewer such as Gephi, "
            "which finds communities: mntools convert GRAPH -o net.graphml, or in Python network.write('net.graphml')"
        )
    labels = [_wrapped(name) for name in drawing.titles or graph.labels]
    with picture_settings(), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        drawn = _picture(drawing, labels, style, kind, progress)
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


def _picture(drawing: Drawing, labels: list[str], style: Style, kind: str, progress: Progress) -> bytes:
    """The bytes of the picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(dpi=72)
    renderer = FigureCanvasAgg(figure).get_renderer()
    progress(0.0, "sizes of names")
    sizes = _box_sizes(figure, renderer, labels)
    progress(0.1, "layout")
    centres, routes = _laid_out(drawing, style, sizes)
    foot = _Footer(drawing, _legend_values(drawing.strengths)) if style.legend else _Footer(Drawing(drawing.graph), [])
    head = _Title(figure, renderer, style.title)
    inner = (centres + sizes / 2).max(0)
    below = foot.height(inner[0])
    extent = np.maximum(inner, (max(foot.width(inner[0]), head.width), 0.0)) + 2 * _MARGIN + (0.0, below + head.height)
    shift = np.array([(extent[0] - inner[0]) / 2, _MARGIN + below])
    page = extent if style.size is None else np.array(style.size) * 72
    scale = float((page / extent).min())
    if scale * _FONT < _READABLE_SIZE:
        LOG.warning("names are %.1f points high in a picture of this size; choose a larger one", scale * _FONT)
    figure.set_size_inches(*(page / 72).tolist())
    spare = (page / scale - extent) / 2
    limits: Any = {"xlim": (-spare[0], extent[0] + spare[0]), "ylim": (-spare[1], extent[1] + spare[1])}
    axes = figure.add_axes((0, 0, 1, 1), **limits)
    axes.set_axis_off()
    progress(0.5, "drawing")
    canvas = _Canvas(axes, _GREY if style.grey else _BLUE, scale)
    _draw_edges(canvas, drawing, [route + shift for route in routes], sizes)
    _draw_vertices(canvas, drawing.graph, labels, centres + shift, sizes)
    foot.draw(canvas, inner[0], extent[0], drawing.strengths)
    head.draw(canvas, extent)
    return bytes_of_figure(figure, kind, min(160.0, 9000 / (max(page) / 72)))


def bytes_of_figure(figure: Any, kind: str, dpi: Any = "figure") -> bytes:
    """A figure of matplotlib as a file, one of `FORMATS`, whose bytes do not depend on the time."""
    stream = io.BytesIO()
    empty = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    figure.savefig(stream, format=kind, dpi=dpi, metadata=empty, facecolor="white")
    return stream.getvalue()


def _laid_out(drawing: Drawing, style: Style, sizes: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Centres of the boxes, float64[n, 2], and the points of each edge, float64[k, 2]."""
    from .layered import place_in_layers

    graph = drawing.graph
    if style.layout == "layered":
        return place_in_layers(graph.n, graph.edges, sizes, graph.directed)
    if style.layout is None and drawing.positions is not None and np.ptp(drawing.positions, axis=0).any():
        centres = place_as_given(np.asarray(drawing.positions), sizes)
    else:
        centres = place(graph.n, graph.edges, sizes)
    return centres, [centres[[u, v]] for u, v in graph.edges]


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


def _draw_edges(canvas: _Canvas, drawing: Drawing, routes: list[np.ndarray], sizes: np.ndarray) -> None:
    """Lines along the routes, weak ones first so that strong ones lie on top; arcs end in a head."""
    from matplotlib.collections import LineCollection, PolyCollection

    graph, strengths = drawing.graph, drawing.strengths
    if not graph.edges:
        return
    ends = np.array(graph.edges)
    known = strengths is not None
    order, level = np.arange(len(ends)), np.zeros(len(ends))
    colours: list[Any] = [canvas.palette.plain] * len(ends)
    widths, losing = np.full(len(ends), _PLAIN_WIDTH), np.zeros(len(ends), bool)
    if strengths is not None:
        order, losing = np.argsort(np.abs(strengths), kind="stable"), np.asarray(strengths) < 0
        level = _levels(strengths, strengths)
        widths = _width(level)
        shade = canvas.palette.shade
        colours = [canvas.palette.losing if lost else shade(share) for lost, share in zip(losing, level, strict=True)]
    lines = [route.copy() for route in routes]
    if graph.directed:
        last = np.array([route[-2:] for route in routes])
        heads = _heads(last, sizes[ends[:, 1]], widths)
        for line, end in zip(lines, heads[:, 1:].mean(axis=1), strict=True):
            line[-1] = end
    for dashed in (False, True) if known else (False,):
        chosen = [e for e in order if losing[e] == dashed]
        props: dict[str, Any] = {"colors": [colours[e] for e in chosen], "linewidths": canvas.scale * widths[chosen]}
        props |= {"linestyles": "dashed" if dashed else "solid"} if known else {"capstyle": "round"}
        canvas.axes.add_collection(LineCollection([lines[e] for e in chosen], zorder=1, **props))
        if graph.directed:
            filled = {"facecolors": props["colors"], "edgecolors": "none", "zorder": 1}
            canvas.axes.add_collection(PolyCollection([heads[e] for e in chosen], **filled))


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


def _draw_vertices(
    canvas: _Canvas, graph: Graph | Dag, labels: list[str], centres: np.ndarray, sizes: np.ndarray
) -> None:
    """Boxes and names; vertices without edges are paler."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import FancyBboxPatch

    boxes, palette = [], canvas.palette
    joined = {v for edge in graph.edges for v in edge}
    for v, label in enumerate(labels):
        is_alone = v not in joined and graph.edges
        box, rim = (palette.alone_box, palette.alone_rim) if is_alone else (palette.box, palette.rim)
        corner = centres[v] - sizes[v] / 2
        style = "round,pad=0,rounding_size=6"
        props: Any = {"facecolor": box, "edgecolor": rim, "linewidth": 0.9 * canvas.scale, "zorder": 2}
        boxes.append(FancyBboxPatch(corner, sizes[v, 0], sizes[v, 1], style, **props))
        canvas.axes.text(
            *centres[v],
            label,
            fontsize=_FONT * canvas.scale,
            color=palette.ink,
            ha="center",
            va="center",
            linespacing=1.1,
            parse_math=False,
            zorder=3,
        )
    canvas.axes.add_collection(PatchCollection(boxes, match_original=True, zorder=2), autolim=False)


class _Title:
    """The title above the picture."""

    def __init__(self, figure: Any, renderer: Any, title: str) -> None:
        self.title = " ".join(title.split())
        text = figure.text(0, 0, self.title, fontsize=_TITLE, fontweight="bold", parse_math=False)
        self.width = text.get_window_extent(renderer).width if self.title else 0.0
        text.remove()
        self.height = 2 * _TITLE if self.title else 0.0

    def draw(self, canvas: _Canvas, extent: np.ndarray) -> None:
        """Draw on a page of this size."""
        style: Any = {"fontsize": _TITLE * canvas.scale, "fontweight": "bold", "parse_math": False}
        place: Any = {"color": canvas.palette.ink, "ha": "center", "va": "center"}
        canvas.axes.text(extent[0] / 2, extent[1] - _MARGIN - _TITLE / 2, self.title, **style, **place)


class _Footer:
    """The text below the picture: the caption, and sample edges beside it, or below if too wide."""

    _LINE, _SAMPLE = 18.0, 24.0

    def __init__(self, drawing: Drawing, values: list[float]) -> None:
        self.caption, self.title = drawing.caption, drawing.shown
        self.entries = [(f"{value:g}" if value > 0 else "below 0: better without", value) for value in values]
        self.widths = [4.3 * len(self.caption)]
        if values:
            texts = sum(self._SAMPLE + 24 + 5 * len(text) for text, _ in self.entries)
            self.widths.append(4.3 * len(self.title) + texts)

    def stacked(self, space: float) -> bool:
        """Whether caption and samples do not fit side by side in this width."""
        return len(self.widths) > 1 and sum(self.widths) + 24 > space

    def width(self, space: float) -> float:
        """Width needed."""
        return max(self.widths) if self.stacked(space) else sum(self.widths)

    def height(self, space: float) -> float:
        """Height needed."""
        return 12 + self._LINE * (1 + self.stacked(space)) if self.width(space) else 0.0

    def draw(self, canvas: _Canvas, space: float, page: float, strengths: Sequence[float] | None) -> None:
        """Draw on a page of this width."""
        palette, scale = canvas.palette, canvas.scale
        style = {"fontsize": _SMALL * scale, "color": palette.rim, "va": "center", "parse_math": False}
        canvas.axes.text(_MARGIN, 20 + self._LINE * self.stacked(space), self.caption, **style)
        if not self.entries:
            return
        x = _MARGIN if self.stacked(space) else page - _MARGIN - self.widths[1]
        canvas.axes.text(x, 20, self.title, **style)
        x += 4.3 * len(self.title)
        for text, value in self.entries:
            level = _levels([value], strengths or ())[0]
            props: Any = {"color": palette.shade(level), "linewidth": _width(level), "solid_capstyle": "butt"}
            if value < 0:
                props = {"color": palette.losing, "linewidth": _WIDTHS[0] + 0.6, "linestyle": "dashed"}
            props["linewidth"] *= scale
            canvas.axes.plot([x + 12, x + 12 + self._SAMPLE], [20, 20], **props)
            x += self._SAMPLE + 24 + 5 * len(text)
            canvas.axes.text(x, 20, text, ha="right", **style)


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
