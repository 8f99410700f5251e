"""Communities of a large network: sets of variables with many edges among them, and a layout that keeps them together.

They are found by maximizing modularity (Blondel et al. 2008: Louvain's method), by networkx. Each is laid out by
itself, and then all of them as boxes of that size, so no two overlap, and a page can show each as one circle.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .layout import place

SPACING = 60.0  # between communities


def communities(n: int, edges: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Communities of at least two vertices.

    Parameters
    ----------
    n
        Number of vertices.
    edges

    Returns
    -------
    list of list of int
        Ascending, each and by their first vertices; a vertex is in one of them at most.
    """
    import networkx  # takes a while, and only pages of large networks need it

    graph = networkx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(sorted(edges))
    found = networkx.community.louvain_communities(graph, seed=1)
    return sorted(sorted(one) for one in found if len(one) > 1)


def place_by_communities(
    groups: Sequence[Sequence[int]], edges: Sequence[tuple[int, int]], sizes: np.ndarray
) -> np.ndarray:
    """Centres of boxes, those of each community together.

    Parameters
    ----------
    groups
        Disjoint.
    edges
    sizes : float64[n, 2]
        Of the boxes.

    Returns
    -------
    float64[n, 2]
        As `common.drawing.layout.place`.

    Raises
    ------
    LimitError
        As there.
    """
    n = len(sizes)
    alone = sorted(set(range(n)).difference(*groups))
    blocks = [*map(list, groups), *([v] for v in alone)]
    block_of, place_in = np.empty(n, int), np.empty(n, int)
    for i, members in enumerate(blocks):
        block_of[members], place_in[members] = i, range(len(members))
    inside: list[list[tuple[int, int]]] = [[] for _ in blocks]
    between = set()
    for u, v in edges:
        a, b = sorted((int(block_of[u]), int(block_of[v])))
        if a == b:
            inside[a].append((int(place_in[u]), int(place_in[v])))
        else:
            between.add((a, b))
    local = [place(len(members), own, sizes[members], quick=True) for members, own in zip(blocks, inside, strict=True)]
    extents = np.array([(at + sizes[members] / 2).max(0) for members, at in zip(blocks, local, strict=True)])
    spacing = SPACING * (np.array([len(one) for one in blocks]) > 1)[:, None]
    middles = place(len(blocks), sorted(between), extents + spacing)
    centres = np.empty((n, 2))
    for members, at, extent, middle in zip(blocks, local, extents, middles, strict=True):
        centres[members] = middle + at - extent / 2
    return centres - (centres - sizes / 2).min(0)
