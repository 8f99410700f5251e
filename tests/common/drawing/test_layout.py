"""Positions of boxes: none overlap, whatever the size; large graphs have short edges; nothing is random."""

import numpy as np
import pytest

from cliquewise.common.drawing.layout import place
from tests.slow import slow


def tree_with_more_edges(n, seed):
    """A random tree whose vertices join one of the forty before them, and a third as many other edges."""
    rng = np.random.default_rng(seed)
    edges = {(int(rng.integers(max(0, v - 40), v)), v) for v in range(1, n)}
    more = {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(n // 20)}
    return sorted(edges | more)


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize("n", [2, 40, 301, *slow(1000)])
def test_no_boxes_overlap(n):
    edges = tree_with_more_edges(n, 1)
    sizes = np.column_stack([np.random.default_rng(2).uniform(20, 90, n), np.full(n, 22.0)])
    centres = place(n, edges, sizes)
    free = np.abs(centres[:, None] - centres[None]) - (sizes[:, None] + sizes[None]) / 2
    overlap = (free < 0).all(2)
    np.fill_diagonal(overlap, False)
    assert not overlap.any() and (centres - sizes / 2).min() > -1e-9
    assert (place(n, edges, sizes) == centres).all()


@pytest.mark.slow
def test_edges_of_a_large_graph_are_shorter_than_other_distances():
    n, edges = 800, tree_with_more_edges(800, 3)
    centres = place(n, edges, [(50, 20)] * n)
    ends = np.array(edges)
    along = np.hypot(*(centres[ends[:, 0]] - centres[ends[:, 1]]).T)
    others = np.hypot(*(centres[ends[:, 0]] - centres[np.roll(ends[:, 1], 1)]).T)
    assert np.median(along) < 0.35 * np.median(others)
