"""A layout in layers: parents above their children, or one variable on top and the others outwards from it.

The method of Sugiyama, Tagawa and Toda (1981). Edges point downwards: arcs of an acyclic network do; in any other one a
search in breadth from a central variable orders the variables, and edges point from earlier to later ones. The layer of
a variable is the length of the longest path to it, then sources move down to their first child. An edge over several
layers gets a bend in each one between. Bends and variables are ordered within their layers by the mean place of their
neighbours, in sweeps down and up; the order with the fewest crossings is kept. Then each is put as near as possible to
the mean of its neighbours, which is an isotonic regression for each layer.

Cost: O(e log e) a sweep for e pieces of edges.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.optimize import isotonic_regression

from ..errors import LimitError
from ..graphs.dag import Dag
from ..graphs.graph import Graph
from .layout import GAP, packed

SWEEPS = 12  # down and up, for the order and then for the places
LAYER_SPACING = 46.0  # free space between two layers, in points
BEND = 8.0  # width of a bend
MAX_BENDS = 20_000  # more would be a surface of lines


def place_in_layers(
    n: int, edges: Sequence[tuple[int, int]], sizes: Sequence[tuple[float, float]] | np.ndarray, directed: bool
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Centres of the boxes and the routes of the edges.

    Parameters
    ----------
    n
        Number of vertices.
    sizes : float64[n, 2]
        Widths and heights of the boxes.
    directed
        Whether edges are arcs.

    Returns
    -------
    (float64[n, 2], list of float64[k, 2])
        As `common.drawing.layout.place`, y upwards; and for each edge the points from one end to the other.

    Raises
    ------
    LimitError
        More than `MAX_BENDS` bends.
    """
    layer = layers(n, edges, directed)
    routes: list[list[int]] = []
    pieces: list[tuple[int, int]] = []
    full = [*layer]
    for u, v in edges:
        step = 1 if layer[v] > layer[u] else -1
        bends = range(len(full), len(full) + abs(layer[v] - layer[u]) - 1)
        full += range(layer[u] + step, layer[v], step)
        route = [u, *bends, v]
        routes.append(route)
        pieces += pairwise(route)
        if len(full) - n > MAX_BENDS:
            raise LimitError(f"more than {MAX_BENDS} bends of edges in layers; use --layout organic")
    shown = np.full((len(full), 2), BEND)
    shown[:n] = np.asarray(sizes, float)
    depth = np.array(full)

    def arrange(members: list[int], inside: np.ndarray, boxes: np.ndarray) -> np.ndarray:
        return _component(depth[members] - depth[members].min(), inside, boxes)

    centres = packed(len(full), pieces, shown, arrange)
    return centres[:n], [centres[route] for route in routes]


def layers(n: int, edges: Sequence[tuple[int, int]], directed: bool) -> list[int]:
    """The layer of each vertex, 0 on top; the ends of an edge are in different layers.

    Parameters
    ----------
    n
    edges
        Arcs, if `directed`.
    directed
    """
    order: Sequence[int] | None = Dag(n, tuple(edges)).order() if directed else None
    if order is None:
        order = _breadth_first(n, edges)
    rank = {v: i for i, v in enumerate(order)}
    above: list[list[int]] = [[] for _ in range(n)]
    below: list[list[int]] = [[] for _ in range(n)]
    for edge in edges:
        u, v = sorted(edge, key=rank.__getitem__)
        above[v].append(u)
        below[u].append(v)
    layer = [0] * n
    for v in order:
        layer[v] = 1 + max((layer[u] for u in above[v]), default=-1)
    for v in reversed(order):
        if below[v] and not above[v]:
            layer[v] = min(layer[u] for u in below[v]) - 1
    return layer


def _breadth_first(n: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The vertices of each component, from its centre outwards: the one whose farthest vertex is nearest."""
    near = Graph(n, tuple(edges)).neighbours()

    def reached(start: int) -> dict[int, int]:
        far, queue = {start: 0}, deque([start])
        while queue:
            u = queue.popleft()
            for v in sorted(near[u], key=lambda v: (-len(near[v]), v)):
                if v not in far:
                    far[v] = far[u] + 1
                    queue.append(v)
        return far

    order: list[int] = []
    seen: set[int] = set()
    for v in range(n):
        if v in seen:
            continue
        members = list(reached(v))
        seen.update(members)
        end = members[-1]  # the middle of a longest shortest way from there is central
        far = reached(end)
        other = list(far)[-1]
        back = reached(other)
        length = far[other]
        central = [w for w in members if far[w] + back[w] == length and far[w] == length // 2]
        order += reached(max(central, key=lambda w: (len(near[w]), -w)))
    return order


def _component(depth: np.ndarray, pieces: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Centres of one connected component with bends.

    Parameters
    ----------
    depth : int64[n]
        Layers from 0; the ends of a piece are in layers one apart.
    pieces : int64[k, 2]
    sizes : float64[n, 2]
    """
    near: list[list[list[int]]] = [[[] for _ in depth] for _ in range(2)]  # of each vertex those above and those below
    for u, v in pieces.tolist():
        top, low = (u, v) if depth[u] < depth[v] else (v, u)
        near[0][low].append(top)
        near[1][top].append(low)
    rows = [np.flatnonzero(depth == one).tolist() for one in range(depth.max() + 1)]
    rows = _ordered(rows, near)
    centres = np.zeros((len(depth), 2))
    height = 0.0
    for row in rows:
        half = sizes[row, 1].max() / 2
        centres[row, 1] = -(height + half)
        height += 2 * half + LAYER_SPACING
        space = sizes[row, 0] + GAP[0]
        centres[row, 0] = np.cumsum(space) - space / 2
        centres[row, 0] -= centres[row, 0].mean()
    for sweep in range(2 * SWEEPS):
        way = sweep % 2
        for row in rows[1:] if way == 0 else rows[-2::-1]:
            _place_row(row, near[way], near[1 - way] if sweep >= SWEEPS else None, centres[:, 0], sizes[:, 0])
    return centres


def _ordered(rows: list[list[int]], near: list[list[list[int]]]) -> list[list[int]]:
    """The rows in an order with few crossings."""
    best, fewest = rows, _crossings(rows, near[1])
    for sweep in range(2 * SWEEPS):
        if not fewest:
            break
        way = sweep % 2
        rows = [row[:] for row in rows]
        for k in range(1, len(rows)) if way == 0 else range(len(rows) - 2, -1, -1):
            fixed = rows[k - 1] if way == 0 else rows[k + 1]
            place = {v: i for i, v in enumerate(fixed)}
            own = {v: i for i, v in enumerate(rows[k])}

            def mean(v: int, place: dict = place, own: dict = own, way: int = way) -> float:
                around = near[way][v]
                return sum(place[u] for u in around) / len(around) if around else float(own[v])

            rows[k].sort(key=mean)
        crossings = _crossings(rows, near[1])
        if crossings < fewest:
            best, fewest = rows, crossings
    return best


def _crossings(rows: list[list[int]], below: list[list[int]]) -> int:
    """Number of pairs of pieces between two layers that cross: inversions, counted in a tree of partial sums."""
    total = 0
    for row, following in pairwise(rows):
        place = {v: i for i, v in enumerate(following)}
        sums, seen = [0] * (len(following) + 1), 0
        for u in row:
            ends = sorted(place[v] for v in below[u])
            for end in ends:
                k, before = end + 1, 0
                while k:
                    before += sums[k]
                    k &= k - 1
                total += seen - before
            for end in ends:
                k = end + 1
                while k <= len(following):
                    sums[k] += 1
                    k += k & -k
            seen += len(ends)
    return total


def _place_row(
    row: list[int], near: list[list[int]], others: list[list[int]] | None, x: np.ndarray, widths: np.ndarray
) -> None:
    """Move a row of boxes, in its order and without overlaps, as near as possible to their neighbours; changes `x`."""
    space = widths[row] + GAP[0]
    shift = np.cumsum(space) - space / 2
    wanted, weight = np.empty(len(row)), np.ones(len(row))
    for i, v in enumerate(row):
        around = near[v] + (others[v] if others is not None else [])
        wanted[i] = x[around].mean() if around else x[v]
        weight[i] = 4.0 if widths[v] == BEND else 1.0  # long edges become straight
    x[row] = isotonic_regression(wanted - shift, weights=weight).x + shift
