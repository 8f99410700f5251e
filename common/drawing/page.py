"""A page to look at: one HTML file that shows a network in any browser, and answers questions about a model.

The file has no outside resource: `web/page.html` with the style, the program (`web/*.js`) and the data as JSON. The
network is laid out here (`common.drawing.layout`), and a model is prepared for exact inference: its moral graph is made
chordal (`common.graphs.elimination`), and the maximal cliques form a junction tree. The page itself propagates findings
along this tree, or along those of all networks of a mixture (`web/inference.js`). Where that would be too slow, it has
the probabilities that were computed here, and states that it accepts no findings.

Nothing from the data becomes a program: in the JSON `<` is escaped, the page sets text and never HTML, and
its Content-Security-Policy admits only the program and the style with the hashes written into it.

Cost: the layout, half a minute for 1000 variables; file size about 20 bytes per probability.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import math
import time
import unicodedata
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counted import power_of_ten
from ..errors import LimitError, UsageError
from ..files.atomic_write import write_whole
from ..graphs.elimination import small_order
from ..graphs.graph import Graph
from ..graphs.greedy_elimination import min_fill_order
from ..graphs.treewidth import clique_tree
from ..junction.model import TreeModel
from ..models.empirical import Empirical
from ..models.mixture import Mixture, component_networks
from ..run.resources import check_fits
from ..scores.spanning import maximum_spanning_forest
from .communities import communities, place_by_communities
from .layered import place_in_layers
from .layout import place, place_as_given

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from ..files.graphfile import GraphFile
    from ..graphs.dag import Dag
    from ..models.bayesnet import BayesianNetwork
    from .picture import Drawing, EdgeNotes
    from .style import Style

LOG = logging.getLogger("cliquewise")
MAX_STEPS = 12_000_000  # steps of a propagation: numbers of the clique tables, each once per clique joined to it
DENSE, SHOWN = 5, 3  # edges per variable: if there are more than DENSE, only SHOWN are laid out and shown at first
MAX_PAGE_VERTICES = 3000  # the layout of more takes too long
_SCRIPTS = (
    *("inference.js", "picture.js", "cards.js", "panel.js", "page.js", "view.js", "parts.js", "communities.js"),
    *("pointer.js", "keys.js", "cases.js", "start.js"),
)
_BOLD, _LETTER, _TITLE, _ROW = 7.8, 6.7, 26, 16  # of a box, in pixels: letters of names and states, heights of both
_ROWS = 7  # most states shown
_NARROW, _WIDE = 118, 190  # limits of a box with states
_SPACING = 14  # more room between boxes, for arrows
_LAYOUT = 2000  # bytes of a variable or edge, with the bends of the edges
LAYERED_UP_TO = 400  # of more variables the layers would be too wide, and the page opens with its communities folded
COMPACT_FROM = 60  # from this number of variables on, each is a dot with its name; bars are shown on demand


@dataclass(frozen=True)
class Strengths:
    """A number for each edge, which the page shows as its width.

    Attributes
    ----------
    meaning : str
    values : sequence of float, or None
        In the order of the graph's edges; None: the page computes their mutual information in the model, if it can.
    """

    meaning: str
    values: tuple | None


@dataclass(frozen=True)
class Page:
    """The content of a page.

    Attributes
    ----------
    title : str
    graph : Graph or Dag
        The network that is drawn.
    header : dict of str to str
        Where the network is from.
    strengths : Strengths or None
        Of the edges.
    model : BayesianNetwork, Mixture or None
        Its probabilities.
    layout : str or None
        As in `Style`.
    positions : float64[n, 2] or None
        As in `Drawing`.
    findings : dict of int to sequence of float
        Those with which it opens: by variable, the likelihoods of its states, at most 1.
    evidence : sequence of EdgeNotes, or None
        One per edge: the notes that are shown when it is chosen.
    """

    title: str
    graph: Graph | Dag
    header: dict = field(default_factory=dict)
    strengths: Strengths | None = None
    model: BayesianNetwork | Mixture | None = None
    layout: str | None = None
    positions: np.ndarray | Sequence[tuple[float, float]] | None = None
    findings: dict = field(default_factory=dict)
    evidence: Sequence[EdgeNotes] | None = None


def page_of_drawing(file: GraphFile, drawing: Drawing, style: Style) -> Page:
    """The page of a graph file, without probabilities.

    Parameters
    ----------
    file : GraphFile
    drawing : Drawing
        The content that is shown.
    style : Style
        Its title and layout.

    Returns
    -------
    Page

    Raises
    ------
    UsageError
        An option that only a picture can have.
    """
    for option, is_given in (("--no-legend", not style.legend), ("--size", style.size), ("--grey", style.grey)):
        if is_given:
            raise UsageError(f"{option} has no effect on a page; leave it out, or write a .png, .svg or .pdf file")
    known = None if drawing.strengths is None else Strengths(drawing.shown, tuple(drawing.strengths))
    title = style.title or title_of(file.path)
    lines = file_lines(file.path) | file.header
    return Page(title, drawing.graph, lines, known, None, style.layout, drawing.positions, {}, drawing.evidence)


def title_of(path: str | PathLike[str]) -> str:
    """The title of the page of a file."""
    return "network" if str(path) == "-" else Path(path).name


def file_lines(path: str | PathLike[str]) -> dict[str, str]:
    """When a file was written, as header lines."""
    try:
        written = Path(path).stat().st_mtime if str(path) != "-" else None
    except OSError:
        written = None
    return {} if written is None else {"file-date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(written))}


def write_page(path: str | PathLike[str] | None, page: Page) -> None:
    """Write a page whole or not at all.

    Parameters
    ----------
    path : str, Path or None
        Target; `-` or None is standard output.
    page : Page

    Raises
    ------
    CliquewiseError
        Too large for a page, or the file cannot be written.
    """
    write_whole(path, page_text(page))


def page_text(page: Page) -> str:
    """The text of the HTML file.

    Parameters
    ----------
    page : Page

    Raises
    ------
    LimitError
        Too many variables, or probabilities that are not feasible.
    """
    web = files(__package__).joinpath("web")
    read = {name: web.joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "page.css", *_SCRIPTS)}
    style, script = read["page.css"], "".join(read[name] for name in _SCRIPTS)
    data = json.dumps(page_data(page), separators=(",", ":"), allow_nan=False)
    return Template(read["page.html"]).substitute(
        STYLE=style,
        STYLE_HASH=_hash(style),
        SCRIPT=script,
        SCRIPT_HASH=_hash(script),
        DATA=data.replace("<", "\\u003c"),
    )


def page_data(page: Page) -> dict:
    """The data of the page, as JSON can hold them.

    Parameters
    ----------
    page : Page

    Returns
    -------
    dict
        title, header; names, boxes (x, y, width, height of each variable, y downwards), edges, directed, strengths,
        their meaning; weak, how many of the weakest edges are hidden at first; communities, and whether they are
        folded; pinned, variables of a large network whose bars are always seen; cliques and up, the clique above each
        or -1; states of a model, and its parents and tables, or the weights and parts of a mixture, with all these of
        each network; or, of a model that is too large for that, marginals, log, and in fixed why.

    Raises
    ------
    LimitError
        As `page_text`.
    """
    graph, model = page.graph, page.model
    if graph.n > MAX_PAGE_VERTICES:
        raise LimitError(f"{graph.n} variables; a page shows at most {MAX_PAGE_VERTICES}")
    data: dict[str, Any] = {
        "title": page.title,
        "header": list(page.header.items()),
        "names": list(graph.labels),
        "edges": graph.edges,
        "directed": graph.directed,
        "cliques": [],
        "up": [],
    }
    if model is None:
        data |= _cliques_of(graph)
    else:
        data["states"] = model.states
        parts = _parts(model)
        steps = _steps(model, parts)
        data |= _answering(model, parts) if steps <= MAX_STEPS else _answers(model, page.findings, steps)
    if page.strengths is not None and not ("fixed" in data and page.strengths.values is None):
        values = page.strengths.values
        data |= {
            "meaning": page.strengths.meaning,
            "strengths": values and [value if math.isfinite(value) else None for value in map(float, values)],
        }
    if page.evidence is not None:
        data["evidence"] = [{"lines": one.lines, "table": one.table} for one in page.evidence]
    main = graph.edges if page.strengths is None else _strongest(graph, page.strengths.values)
    groups = communities(graph.n, main) if graph.n >= COMPACT_FROM else []
    data |= {
        "compact": graph.n >= COMPACT_FROM,
        "communities": groups,
        "folded": graph.n > LAYERED_UP_TO,
        "pinned": [graph.n - 1] if isinstance(model, Mixture) and graph.n >= COMPACT_FROM else [],
        "findings": [[v, list(map(float, one))] for v, one in page.findings.items()],
    }
    shown = getattr(model, "appearances", None)
    data["descriptions"] = None if shown is None else [[one.title, one.description] for one in shown]
    data["weak"] = len(graph.edges) - len(main)
    data["boxes"] = _boxes(page, main, groups)
    return data


def _boxes(page: Page, edges: Sequence[tuple[int, int]], groups: Sequence[Sequence[int]]) -> list[list[float]]:
    """x, y, width and height of the box of each variable, y downwards from the highest box."""
    n, model = page.graph.n, page.model
    states = [None] * n if model is None or n >= COMPACT_FROM else model.states
    sizes = [_box(name, labels) for name, labels in zip(page.graph.labels, states, strict=True)]
    centres = _centres(page, edges, groups, np.array([(w + _SPACING, h + _SPACING) for w, h in sizes], float))
    height = max(y + h / 2 for (_, y), (_, h) in zip(centres, sizes, strict=True))
    return [
        [round(x - w / 2, 1), round(height - y - h / 2, 1), w, h]
        for (x, y), (w, h) in zip(centres.tolist(), sizes, strict=True)
    ]


def _centres(
    page: Page, edges: Sequence[tuple[int, int]], groups: Sequence[Sequence[int]], sizes: np.ndarray
) -> np.ndarray:
    """Where the boxes are, float64[n, 2], y upwards; edges are straight here, also between layers."""
    n, directed = page.graph.n, page.graph.directed
    if page.layout is None and page.positions is not None and np.ptp(page.positions, axis=0).any():
        return place_as_given(np.asarray(page.positions), sizes)
    if page.layout == "layered" or (page.layout is None and directed and n <= LAYERED_UP_TO):
        try:
            check_fits(
                _LAYOUT * (n + len(edges)), None, f"the layout of {n} variables", "use --format dot and a viewer"
            )
            return place_in_layers(n, edges, sizes, directed)[0]
        except LimitError:
            if page.layout == "layered":
                raise
    return place_by_communities(groups, edges, sizes) if n > LAYERED_UP_TO else place(n, edges, sizes)


def _cliques_of(graph: Graph | Dag) -> dict[str, Any]:
    """The maximal cliques, and the one above each or -1; none if the graph is not chordal."""
    moral = graph if isinstance(graph, Graph) else graph.moral()
    cliques, up = clique_tree(moral, min_fill_order(moral))
    if len(Graph.from_cliques(moral.n, cliques).edges) > len(moral.edges):
        return {}
    return {"cliques": cliques, "up": list(up)}


def _strongest(graph: Graph | Dag, values: Sequence[float] | None) -> Sequence[tuple[int, int]]:
    """All edges; of a dense graph with strengths, those of the strongest spanning forest and the strongest others."""
    edges = graph.edges
    if values is None or len(edges) <= DENSE * graph.n:
        return edges
    order = sorted(range(len(edges)), key=lambda e: values[e])
    gains = np.full((graph.n, graph.n), -np.inf)
    for rank, e in enumerate(order, 1):
        u, v = edges[e]
        gains[u, v] = gains[v, u] = rank
    forest = set(maximum_spanning_forest(gains).edges)
    ranked = [edges[e] for e in reversed(order)]
    return sorted(ranked, key=lambda edge: (min(edge), max(edge)) not in forest)[: SHOWN * graph.n]


def computes_answers(model: BayesianNetwork | Mixture) -> bool:
    """Whether the page of a model computes its answers, which then takes no noticeable time."""
    return _steps(model, _parts(model)) <= MAX_STEPS


def _answering(model: BayesianNetwork | Mixture, parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The data with which a page computes: a network or the networks of a mixture, from `_parts`."""
    for network, part in zip(component_networks(model), parts, strict=True):
        if not isinstance(network, Empirical):
            part["tables"] = [table.ravel().tolist() for table in network.full().tables]
    return {"weights": model.weights.tolist(), "parts": parts} if isinstance(model, Mixture) else parts[0]


def _answers(model: BayesianNetwork | Mixture, findings: dict, steps: int) -> dict[str, Any]:
    """The probabilities of a model that is too large for a page that computes; it would need `steps`."""
    codes = np.full((1, len(model.states)), -1, np.int32)
    likelihoods = {v: np.asarray(values, float) for v, values in findings.items()}
    for v in [v for v, values in likelihoods.items() if np.count_nonzero(values) == 1]:
        codes[0, v] = likelihoods.pop(v).argmax()
    try:
        logs, tables = model.marginals(codes, likelihoods)
    except LimitError:
        if not isinstance(model, TreeModel):
            raise
        logs, tables, beyond = model.marginals_within_reach(codes, likelihoods)
        if beyond:
            LOG.warning(
                "no bars for %d of %d variables, whose probabilities are not feasible", len(beyond), len(tables)
            )
    needed = f"{power_of_ten(steps)} numbers on junction trees, at most {MAX_STEPS}"
    reason = f"too large to take findings in a page: they need {needed}"
    LOG.warning("%s; the bars are for the evidence of --given", reason)
    return {
        "fixed": f"This model is {reason}. The bars are exact, for the findings that the page was made with.",
        "log": None if math.isnan(logs[0]) else float(logs[0]),
        "marginals": [None if math.isnan(p) else float(f"{p:.8g}") for table in tables for p in table[0].tolist()],
    }


def _part(network: BayesianNetwork | Empirical) -> dict[str, Any]:
    """A network with its junction tree, but without its tables; or rows with their probabilities."""
    if isinstance(network, Empirical):
        return {"rows": network.rows.tolist(), "probabilities": network.probabilities.tolist()}
    moral = network.moral_graph()
    cliques, up = clique_tree(moral, small_order(moral, [len(labels) for labels in network.states]))
    return {"cliques": cliques, "up": list(up), "parents": network.parents}


def _parts(model: BayesianNetwork | Mixture) -> list[dict[str, Any]]:
    """The networks of a model, each with its junction tree."""
    return [_part(network) for network in component_networks(model)]


def _steps(model: BayesianNetwork | Mixture, parts: list[dict[str, Any]]) -> int:
    """The numbers that a propagation in a page passes; `parts` from `_parts`."""
    steps, arity = 0, [len(labels) for labels in model.states]
    for part in parts:
        if "rows" in part:
            steps += len(part["rows"]) * len(arity)
            continue
        cells = [math.prod(arity[v] for v in clique) for clique in part["cliques"]]
        steps += sum(cells) + sum(cells[j] for j in part["up"] if j >= 0)
    return steps


def _box(name: str, states: Sequence[str] | None) -> tuple[int, int]:
    """Width and height of a variable's box."""
    space = 20 + _BOLD * _width_in_letters(name)
    if states is None:
        return min(max(34, round(space)), _WIDE), _TITLE
    labels = 104 + _LETTER * max(map(_width_in_letters, states))
    return min(max(_NARROW, round(space), round(labels)), _WIDE), _TITLE + _ROW * min(len(states), _ROWS) + 6


def _width_in_letters(text: str) -> int:
    """The width of a text, in letters: East Asian ones are twice as wide, combining ones take no room."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _hash(text: str) -> str:
    """A source for a Content-Security-Policy: the hash of a text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
