"""Communities of networks with a planted partition, and their layout: nothing overlaps, and each is a region."""

import numpy as np
import pytest

from cliquewise.common.drawing.communities import communities, place_by_communities


def planted(seed, groups=5, size=12):
    """Edges within groups, a few between them, and vertices without edges."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), size)
    order = rng.permutation(groups * size)
    edges = set()
    for a in range(groups * size):
        for b in range(a):
            if rng.random() < (0.6 if group[a] == group[b] else 0.004):
                edges.add(tuple(sorted((int(order[a]), int(order[b])))))
    truth = {frozenset(order[group == k].tolist()) for k in range(groups)}
    return groups * size + 3, sorted(edges), truth


@pytest.mark.parametrize("seed", range(5))
def test_planted_communities_are_found(seed):
    n, edges, truth = planted(seed)
    found = communities(n, edges)
    assert set(map(frozenset, found)) == truth and found == communities(n, edges[::-1])
    assert found == sorted(map(sorted, found)) and communities(3, []) == []


@pytest.mark.fast_cases(2)
@pytest.mark.parametrize("seed", range(3))
def test_communities_are_regions_without_overlaps(seed):
    n, edges, _ = planted(seed)
    rng = np.random.default_rng(seed)
    sizes = np.column_stack([rng.uniform(40, 120, n), np.full(n, 26.0)])
    groups = communities(n, edges)
    centres = place_by_communities(groups, edges, sizes)
    low, high = centres - sizes / 2, centres + sizes / 2
    apart = ((low[:, None] >= high[None]) | (high[:, None] <= low[None])).any(-1)
    assert (apart | np.eye(n, dtype=bool)).all() and low.min(0) == pytest.approx([0, 0])
    for members in groups:
        box = low[members].min(0), high[members].max(0)
        others = np.setdiff1d(np.arange(n), members)
        assert ((low[others] >= box[1]) | (high[others] <= box[0])).any(1).all()
