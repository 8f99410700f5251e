"""Positions of boxes: none overlap, whatever the size; large graphs have short edges; nothing is random."""

import numpy as np
import pytest

from cliquewise.common.drawing.layout import place
from tests.random_inputs import random_chordal_edges


def tree_with_more_edges(n, seed):
    """A random tree whose vertices join one of the forty before them, and a third as many other edges."""
    rng = np.random.default_rng(seed)
    edges = {(int(rng.integers(max(0, v - 40), v)), v) for v in range(1, n)}
    more = {tuple(sorted(map(int, rng.choice(n, 2, replace=False)))) for _ in range(n // 20)}
    return sorted(edges | more)


CHORDAL = [(n, random_chordal_edges(n, n, most)) for n, most in ((1, 1), (2, 2), (25, 1), (40, 2), (60, 4))]


@pytest.mark.fast_cases(4)
@pytest.mark.parametrize(("n", "edges"), [*CHORDAL, *((n, tree_with_more_edges(n, 1)) for n in (301, 1000))])
def test_no_boxes_overlap(n, edges):
    sizes = np.random.default_rng(n).uniform((20, 15), (90, 40), (n, 2))
    centres = place(n, edges, sizes)
    free = np.abs(centres[:, None] - centres[None]) - (sizes[:, None] + sizes[None]) / 2
    overlap = (free < 0).all(2)
    np.fill_diagonal(overlap, False)
    assert not overlap.any() and (centres - sizes / 2).min(0) == pytest.approx(0.0, abs=1e-9)
    assert (place(n, edges, sizes) == centres).all()


@pytest.mark.slow
def test_edges_of_a_large_graph_are_shorter_than_other_distances():
    n, edges = 800, tree_with_more_edges(800, 3)
    centres = place(n, edges, [(50, 20)] * n)
    ends = np.array(edges)
    along = np.hypot(*(centres[ends[:, 0]] - centres[ends[:, 1]]).T)
    others = np.hypot(*(centres[ends[:, 0]] - centres[np.roll(ends[:, 1], 1)]).T)
    assert np.median(along) < 0.35 * np.median(others)
