"""Positions whose distances fit those in a large graph, from the distances to neighbours and to a few pivots.

Full stress majorization compares all pairs of vertices. Here each vertex has terms with its neighbours and with pivots
only, and a pivot stands for the vertices around it: its term has the weight s / d^2, where s is the number of
vertices of its region at a distance of at most d / 2 from it (Ortmann, Klimenta and Brandes 2017). The pivots
are far apart: each is the vertex farthest from those before it. The start is pivot scaling (Brandes and Pich 2007),
the main directions of the doubly centred squared distances. Nothing is random.

Cost: one shortest-path search a pivot; O(n pivots + edges) a step.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

PIVOTS, STEPS = 100, 120
_DAMPING = 0.6  # all vertices move at once, so each moves part of the way


def sparse_stress(lengths: csr_matrix, unit: float, power: float) -> np.ndarray:
    """Positions in the plane.

    Parameters
    ----------
    lengths : float64[n, n], sparse
        Wanted lengths of the edges, in both directions, of a connected graph.
    unit
        A distance above it is shortened to unit (distance / unit) ** power.
    power
        In (0, 1].

    Returns
    -------
    float64[n, 2]
    """
    n = lengths.shape[0]
    pivots, distance = _pivots(lengths)
    region = distance.argmin(axis=0)
    weight = _weights(distance, region, pivots)
    wanted = np.where(distance > unit, unit * (distance / unit) ** power, distance)
    position = _scaled(wanted)
    start, end = lengths.nonzero()
    length = lengths.data
    pull = np.maximum(length, 1e-9) ** -2.0
    total = np.bincount(start, pull, n) + weight.sum(axis=0)
    for _ in range(STEPS):
        following = np.empty_like(position)
        apart = position[start] - position[end]
        aim = position[end] + apart * (length / np.maximum(np.hypot(*apart.T), 1e-9))[:, None]
        for axis in (0, 1):
            following[:, axis] = np.bincount(start, pull * aim[:, axis], n)
        apart = position[None] - position[pivots][:, None]
        far = np.maximum(np.hypot(apart[..., 0], apart[..., 1]), 1e-9)
        aim = position[pivots][:, None] + apart * (wanted / far)[..., None]
        following += (weight[..., None] * aim).sum(axis=0)
        position = position + _DAMPING * (following / total[:, None] - position)
    return position


def _pivots(lengths: csr_matrix) -> tuple[np.ndarray, np.ndarray]:
    """Vertices far from each other, int64[k], and the distances of all vertices from them, float64[k, n]."""
    chosen, rows = [0], []
    nearest = np.full(lengths.shape[0], np.inf)
    for _ in range(min(PIVOTS, lengths.shape[0])):
        rows.append(dijkstra(lengths, directed=False, indices=chosen[-1]))
        nearest = np.minimum(nearest, rows[-1])
        chosen.append(int(nearest.argmax()))
    return np.array(chosen[:-1]), np.array(rows)


def _weights(distance: np.ndarray, region: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    """float64[k, n]: the weight of the term of a pivot and a vertex; 0 for a pivot and itself."""
    weight = np.zeros_like(distance)
    for k, row in enumerate(distance):
        inside = np.sort(row[region == k])
        weight[k] = np.searchsorted(inside, row / 2, side="right") / np.maximum(row, 1e-9) ** 2.0
        weight[k, pivots[k]] = 0.0
    return weight


def _scaled(wanted: np.ndarray) -> np.ndarray:
    """Pivot scaling: float64[n, 2]."""
    squares = wanted**2
    centred = -0.5 * (squares - squares.mean(1, keepdims=True) - squares.mean(0, keepdims=True) + squares.mean())
    _, vectors = np.linalg.eigh(centred @ centred.T)
    main = vectors[:, -2:]
    main = main * np.where(main[np.abs(main).argmax(0), [0, 1]] < 0, -1.0, 1.0)  # eigenvectors have no sign
    position = centred.T @ main
    spread, n = np.abs(position).max(), np.arange(len(position))
    position *= wanted.max() / max(2 * spread, 1e-9)
    return position + 1e-3 * wanted.max() * np.stack([np.cos(n), np.sin(2.0 * n)], 1)
