"""The positions of the boxes of a drawing, so that names are readable and edges can be followed.

Each component is laid out by stress majorization (Gansner, Koren and North 2004): distances in the plane are as close
as possible to distances in the graph, started from classical scaling, so nothing is random. In components of more than
`_ALL_PAIRS_UP_TO` vertices only the distances to neighbours and to a hundred pivots count (`sparse_stress`). The layout
is rotated to be wide, then boxes are pushed apart until none overlap, and away from edges that would run under them.
Components are packed side by side, vertices without edges are in a grid below. Lengths are in points (1/72 inch).

Cost: O((n + e)^2) memory for e edges and O(n^2) time per step up to `_ALL_PAIRS_UP_TO` vertices, then O(n) each; 60
vertices take under a second, 300 some three, 2000 some three.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.spatial import cKDTree

from ..run.resources import check_fits
from .sparse_stress import sparse_stress

GAP = np.array([16.0, 14.0])  # minimum free space between boxes
_EDGE = 32.0  # length of an edge beyond the boxes
_FOLDS = (1.0, 0.85, 0.75, 0.65)  # exponents of long distances that are tried; below 1, long trees fold up
_FEW, _MANY = 6, 150  # vertices; only between these bounds is more than one layout tried
_ALL_PAIRS_UP_TO = 300  # vertices up to which all pairs count
_STEPS = 300  # of majorization
_PUSHES = 600  # steps in which boxes are pushed apart
_FILLED_SHARE = 0.2  # share of a large drawing that its boxes may fill, so that they can be pushed apart
_GROWTH = 0.0005  # of a drawing in which boxes still overlap: this share in the first step, twice in the second, ...
_ROW_SPACING = 0.85  # boxes are wider than high, so rows may be closer than columns


def place(
    n: int, edges: Sequence[tuple[int, int]], sizes: Sequence[tuple[float, float]] | np.ndarray, quick: bool = False
) -> np.ndarray:
    """Centres of the boxes.

    Parameters
    ----------
    n
        Number of vertices.
    sizes : float64[n, 2]
        Widths and heights of the boxes.
    quick
        Whether to try one layout of each component only.

    Returns
    -------
    float64[n, 2]
        Centres; no two boxes overlap; the lower left corner of the whole is at the origin.

    Raises
    ------
    LimitError
        No memory for the tables of all pairs.
    """
    sizes = np.asarray(sizes, float)
    largest = max((len(group) for group in _components(n, edges) if len(group) <= _ALL_PAIRS_UP_TO), default=0)
    _check_memory(largest, len(edges))
    return packed(n, edges, sizes, lambda _, inside, boxes: _component(inside, boxes, quick))


def packed(n: int, edges: Sequence[tuple[int, int]], sizes: np.ndarray, arrange: Callable) -> np.ndarray:
    """Centres of the boxes, each connected component as `arrange` lays it out.

    Parameters
    ----------
    n, edges, sizes
        As for `place`.
    arrange : callable taking the vertices, edges and sizes of a component
        list of int, int64[e, 2] by place in that list, float64[k, 2] -> float64[k, 2].
    """
    centres = np.zeros((n, 2))
    blocks = []
    components = _components(n, edges)
    component = {v: k for k, members in enumerate(components) for v in members}
    inside: list[list[tuple[int, int]]] = [[] for _ in components]
    for u, v in edges:
        inside[component[u]].append((u, v))
    for members, own in zip(components, inside, strict=True):
        if len(members) > 1:
            index = {v: i for i, v in enumerate(members)}
            ends = np.array([(index[u], index[v]) for u, v in own])
            centres[members] = arrange(members, ends, sizes[members])
            blocks.append(members)
    _pack(centres, blocks, sizes)
    alone = [members[0] for members in components if len(members) == 1]
    if alone:
        _grid(centres, blocks, alone, sizes)
    return centres - (centres - sizes / 2).min(0)


def place_as_given(positions: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Centres where a file has them, farther apart as far as boxes would overlap.

    Parameters
    ----------
    positions : float64[n, 2]
        Of the centres, y upwards, in any unit.
    sizes : float64[n, 2]

    Returns
    -------
    float64[n, 2]
        As `place`.
    """
    centres = _spread(np.asarray(positions, float), np.empty((0, 2), int), sizes, 0)
    return centres - (centres - sizes / 2).min(0)


def _check_memory(n: int, edges: int) -> None:
    """Refuse a component with too many vertices and edges for the memory."""
    need = 100 * n * n + 60 * edges * edges + 130 * n * edges
    check_fits(need, None, f"the layout of {n} vertices and {edges} edges", "use --format dot and a viewer")


def _components(n: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Connected components as ascending lists, the largest first."""
    ends = np.array(edges, np.int64).reshape(-1, 2)
    label = connected_components(csr_matrix((np.ones(len(ends)), ends.T), shape=(n, n)), directed=False)[1]
    members: dict[int, list[int]] = {}
    for v, k in enumerate(label.tolist()):
        members.setdefault(k, []).append(v)
    return sorted(members.values(), key=lambda group: (-len(group), group))


def _component(edges: np.ndarray, sizes: np.ndarray, quick: bool) -> np.ndarray:
    """Centres of one connected component: the best of a few layouts, by crossings and by size."""
    lengths = _lengths(edges, sizes)
    if len(sizes) > _ALL_PAIRS_UP_TO:
        centres = _flat(sparse_stress(lengths, lengths.data.mean(), _FOLDS[1]))
        crowded = (sizes + GAP).prod(1).sum() / (_FILLED_SHARE * max(np.ptp(centres, axis=0).prod(), 1.0))
        return _spread(centres * max(1.0, np.sqrt(crowded)), edges, sizes)
    distance = shortest_path(lengths, directed=False)
    unit = distance[edges[:, 0], edges[:, 1]].mean()
    tried = []
    powers = _FOLDS[:1] if quick or len(sizes) <= _FEW else _FOLDS if len(sizes) <= _MANY else _FOLDS[1:2]
    for power in powers:
        wanted = np.where(distance > unit, unit * (distance / unit) ** power, distance)
        centres = _spread(_flat(_majorize(wanted)), edges, sizes)
        tried.append((_crossings(centres, edges), np.ptp(centres, axis=0).sum(), centres))
    least = min(extent for _, extent, _ in tried) or 1.0
    return min(tried, key=lambda one: one[0] + 0.25 * len(edges) * one[1] / least)[2]


def _crossings(centres: np.ndarray, edges: np.ndarray) -> int:
    """Number of pairs of edges that cross, without edges with a common end."""
    start, end = centres[edges[:, 0]], centres[edges[:, 1]]

    def side(point: np.ndarray) -> np.ndarray:
        """[e, f]: the side of edge e on which the point of edge f lies."""
        along, to = (end - start)[:, None], point[None] - start[:, None]
        return np.sign(along[..., 0] * to[..., 1] - along[..., 1] * to[..., 0])

    apart = (edges[:, None, :, None] != edges[None, :, None, :]).all((2, 3))
    split = side(start) * side(end) < 0
    return int((split & split.T & apart).sum()) // 2


def _lengths(edges: np.ndarray, sizes: np.ndarray) -> csr_matrix:
    """The wanted lengths of edges, float64[n, n] with both directions: room for their boxes and their surroundings."""
    n = len(sizes)
    u, v = edges.T
    near = csr_matrix((np.ones(2 * len(edges)), (np.append(u, v), np.append(v, u))), shape=(n, n))
    degree = near.getnnz(axis=1)
    common = np.asarray(near[u].multiply(near[v]).sum(axis=1)).ravel()
    apart = degree[u] + degree[v] - 2 * common  # neighbours of one end only: they need room around the edge
    length = _EDGE + sizes.mean(0).mean() * 0.5 + 7.0 * np.sqrt(apart)
    return csr_matrix((np.append(length, length), (np.append(u, v), np.append(v, u))), shape=(n, n))


def _majorize(distance: np.ndarray) -> np.ndarray:
    """Positions whose distances fit `distance`, weighted by its inverse square: least stress, by majorization."""
    n = len(distance)
    centred = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centred @ distance**2 @ centred)
    position = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 1e-9))
    position *= np.where(position[np.abs(position).argmax(0), [0, 1]] < 0, -1.0, 1.0)  # eigenvectors have no sign
    position = position + 1e-3 * distance.max() * np.stack([np.cos(np.arange(n)), np.sin(2.0 * np.arange(n))], 1)
    wanted = distance + np.eye(n)
    weight = wanted**-2.0
    np.fill_diagonal(weight, 0.0)
    inverse = np.linalg.inv(np.diag(weight.sum(1)) - weight + 1.0 / n)  # + 1/n makes the Laplacian regular
    for _ in range(_STEPS):
        now = np.hypot(*(position[:, None] - position[None]).transpose(2, 0, 1))
        pull = weight * distance / np.maximum(now, 1e-9)
        following = inverse @ (pull.sum(1)[:, None] * position - pull @ position)
        moved = np.abs(following - position).max()
        position = following
        if moved < 1e-3 * _EDGE:
            break
    return position


def _flat(position: np.ndarray) -> np.ndarray:
    """Turned so that the longest extent is horizontal."""
    position = position - position.mean(0)
    _, _, axes = np.linalg.svd(position, full_matrices=False)
    if len(axes) < 2:
        return position
    axes = axes * np.where(axes[:, :1] + 1e-6 * axes[:, 1:] < 0, -1.0, 1.0)
    return position @ axes.T * (1.0, _ROW_SPACING)


def _spread(centres: np.ndarray, edges: np.ndarray, sizes: np.ndarray, steps: int = _PUSHES) -> np.ndarray:
    """Push boxes away from each other and from the edges of others."""
    for step in range(steps):
        push, touching = _box_push(centres, sizes)
        if step < steps * 2 // 3 and len(sizes) <= 2 * _MANY:
            off, under = _edge_push(centres, edges, sizes)
            push += off
        else:
            under = False  # in the end boxes matter more than edges
        if not touching and not under:
            break
        centres = centres + push
    growth, (push, touching) = 1.0, _box_push(centres, sizes)
    while touching:
        growth += _GROWTH
        centres = growth * centres + push
        push, touching = _box_push(centres, sizes)
    return centres


def _box_push(centres: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, bool]:
    """Moves that separate overlapping boxes along the axis of least overlap; and whether any overlap."""
    space = sizes + GAP
    width = space.max(0)
    first, second = cKDTree(centres / width).query_pairs(1.0, p=np.inf, output_type="ndarray").T
    gap = centres[first] - centres[second]
    overlap = (space[first] + space[second]) / 2 - np.abs(gap)
    near = (overlap > 0).all(1)
    push = np.zeros_like(centres)
    if not near.any():
        return push, False
    first, second, gap, overlap = first[near], second[near], gap[near], overlap[near]
    along, pairs = overlap.argmin(1), np.arange(len(first))
    amount, way = overlap[pairs, along], gap[pairs, along]
    amount = np.where(way == 0, np.where(first > second, 1.0, -1.0), np.sign(way)) * amount
    for axis in (0, 1):
        chosen = along == axis
        ends, moves = np.append(first[chosen], second[chosen]), np.append(amount[chosen], -amount[chosen])
        count = np.maximum(np.bincount(ends, minlength=len(centres)), 1)
        push[:, axis] = np.bincount(ends, moves, len(centres)) / count * 0.55
    return push, True


def _edge_push(centres: np.ndarray, edges: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, bool]:
    """Moves that take boxes off edges of other vertices; and whether any lie on one."""
    start, end = centres[edges[:, 0]], centres[edges[:, 1]]
    half = sizes / 2 + GAP / 3
    # In units of the box the test is for circles: the distance of the segment from the centre.
    a = (start[:, None] - centres[None]) / half
    along = (end - start)[:, None] / half[None]
    at = np.clip(-(a * along).sum(2) / np.maximum((along**2).sum(2), 1e-9), 0.0, 1.0)
    nearest = a + at[:, :, None] * along
    far = np.linalg.norm(nearest, axis=2)
    rows = np.arange(len(edges))
    far[rows, edges[:, 0]] = far[rows, edges[:, 1]] = 2.0
    hit = far < 1.15
    push = np.zeros_like(centres)
    if not hit.any():
        return push, False
    e, v = np.nonzero(hit)
    across = np.stack([-along[e, v, 1], along[e, v, 0]], 1)
    away = np.where(far[e, v, None] > 1e-6, -nearest[e, v], across)
    away /= np.maximum(np.linalg.norm(away, axis=1), 1e-9)[:, None]
    move = away * (1.2 - far[e, v, None]) * half[v] * 0.25
    np.add.at(push, v, move)
    np.add.at(push, edges[e, 0], -move * (1 - at[e, v, None]))
    np.add.at(push, edges[e, 1], -move * at[e, v, None])
    return push, True


def _pack(centres: np.ndarray, blocks: list[list[int]], sizes: np.ndarray) -> None:
    """Components beside and below each other, largest first, in a page of about 3:2; moves them in place.

    Each is placed at the corner right of or below a placed one where the page grows least.
    """
    low = np.zeros((0, 2))  # upper left and lower right corners of the placed ones; y points down here
    high = np.zeros((0, 2))
    for members in blocks:
        corner = (centres[members] - sizes[members] / 2).min(0)
        size = (centres[members] + sizes[members] / 2).max(0) - corner + 2 * GAP
        right_of, below = np.column_stack([high[:, 0], low[:, 1]]), np.column_stack([low[:, 0], high[:, 1]])
        spots = np.vstack([[(0.0, 0.0)], right_of, below])
        clash = ((spots[:, None] < high[None]) & (spots[:, None] + size > low[None])).all(2).any(1)
        spots = spots[~clash]
        page = np.maximum(spots + size, high.max(0, initial=0.0))
        grown = np.maximum(page[:, 0] / 1.5, page[:, 1])
        x, y = spots[np.lexsort((spots[:, 0], spots[:, 1], grown))[0]]
        low, high = np.vstack([low, (x, y)]), np.vstack([high, (x, y) + size])
        centres[members] += np.array([x, -y - size[1]]) - corner + GAP


def _grid(centres: np.ndarray, blocks: list[list[int]], alone: list[int], sizes: np.ndarray) -> None:
    """Vertices without edges in even columns below everything else; moves them in place."""
    placed = [v for members in blocks for v in members]
    cell = sizes[alone].max(0) + GAP
    low = np.zeros(2)
    if placed:
        low = (centres[placed] - sizes[placed] / 2).min(0)
        width = (centres[placed] + sizes[placed] / 2).max(0)[0] - low[0]
    else:
        width = np.sqrt(1.5 * len(alone) * cell.prod())
    columns = max(1, min(len(alone), int((width + GAP[0]) // cell[0])))
    for i, v in enumerate(alone):
        centres[v] = low + (cell[0] * (i % columns + 0.5), -2 * GAP[1] - cell[1] * (i // columns + 0.5))
