"""k-trees: every code another one, all as likely; S2 against exhaustive search."""

from collections import Counter
from itertools import combinations, product
from math import comb

import numpy as np
import pytest

from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.twlearn.config import Config
from cliquewise.twlearn.dandelion_kernels import decode, draw_code, empty_ktree, exchange_member
from cliquewise.twlearn.s2 import s2
from tests.learning import run
from tests.oracles.graphs import is_chordal, maximal_cliques, pair
from tests.random_inputs import random_dataset
from tests.twlearn.scored import families_of


def edges_of(tree):
    """The k-tree's edges: frozenset of pairs."""
    edges = {pair(u, v) for u, v in combinations(tree.root.tolist(), 2)}
    for number in tree.order:
        edges |= {pair(int(tree.vertex[number]), u) for u in tree.cliques[number].tolist()}
    return frozenset(edges)


def is_ktree(n, k, edges):
    """By definition, taken apart: some vertex of degree k in a clique, and the rest a k-tree, down to a clique."""
    left = set(range(n))
    edges = set(edges)
    while len(left) > k + 1:
        around = {v: {u for u in left if pair(u, v) in edges} for v in left}
        leaves = [v for v in left if len(around[v]) == k]
        leaf = next((v for v in leaves if all(pair(a, b) in edges for a, b in combinations(around[v], 2))), None)
        if leaf is None:
            return False
        edges -= {pair(leaf, u) for u in around[leaf]}
        left.remove(leaf)
    return len(edges) == comb(k + 1, 2)


def all_trees(n, k):
    """The k-tree of every code."""
    tree, m = empty_ktree(n, k), n - k
    for root in combinations(range(n), k):
        for code in product(range(1 + k * m), repeat=m - 2):
            tree.root[:] = root
            decode(tree, np.array(code, np.int64))
            yield edges_of(tree)


@pytest.mark.nojit
@pytest.mark.parametrize(("n", "k"), [(3, 1), (5, 1), (6, 1), (4, 2), (5, 2), (6, 2), (5, 3), (6, 3), (7, 4)])
def test_codes_and_ktrees_are_one_to_one(n, k):
    """As many k-trees as codes, C(n, k) (k (n - k) + 1)^(n - k - 2), and no two the same."""
    trees = list(all_trees(n, k))
    assert len(trees) == comb(n, k) * (k * (n - k) + 1) ** (n - k - 2)
    assert len(set(trees)) == len(trees)
    assert all(is_ktree(n, k, edges) for edges in trees)


def test_there_are_no_other_ktrees_of_six_vertices():
    """Counted without codes: among all graphs with 9 edges those that come apart as 2-trees do."""
    pairs = [pair(u, v) for u, v in combinations(range(6), 2)]
    assert sum(is_ktree(6, 2, edges) for edges in combinations(pairs, 9)) == 1215 == len(set(all_trees(6, 2)))


def test_draws_are_uniform():
    n, k, draws = 5, 2, 60000
    tree, code, random = empty_ktree(n, k), np.zeros(1, np.int64), random_states(7, 1)[0]
    seen = Counter()
    for _ in range(draws):
        draw_code(tree, code, random)
        decode(tree, code)
        seen[edges_of(tree)] += 1
    kinds = comb(5, 2) * 7
    expected = draws / kinds
    chi_square = sum((count - expected) ** 2 / expected for count in seen.values())
    assert len(seen) == kinds
    assert abs(chi_square - (kinds - 1)) < 4 * (2 * (kinds - 1)) ** 0.5  # mean and four standard deviations


@pytest.mark.nojit
@pytest.mark.parametrize(("n", "k"), [(2, 1), (5, 4), (6, 3), (9, 1)])
def test_a_member_of_the_root_is_exchanged(n, k):
    """Any other vertex may come in, each as likely, and the root stays ascending."""
    random, draws = random_states(5, 1)[0], 3000
    tree = empty_ktree(n, k)
    for root in list(combinations(range(n), k))[:8]:
        for j in range(k):
            seen = Counter()
            for _ in range(draws // (8 * k)):
                tree.root[:] = root
                exchange_member(tree, j, random)
                came = set(tree.root.tolist()) - set(root)
                assert len(came) == 1 and tree.root.tolist() == sorted({*root} - {root[j]} | came)
                seen[came.pop()] += 1
            expected = draws // (8 * k) / (n - k)
            assert len(seen) == n - k
            assert all(abs(count - expected) < 5 * expected**0.5 + 3 for count in seen.values())


@pytest.mark.parametrize(("n", "k"), [(2, 1), (8, 7), (12, 3), (100, 4), (70, 10)])
def test_drawn_graphs_are_ktrees(n, k):
    tree, code, random = empty_ktree(n, k), np.zeros(max(n - k - 2, 0), np.int64), random_states(3, 1)[0]
    for _ in range(3):
        draw_code(tree, code, random)
        decode(tree, code)
        edges = edges_of(tree)
        assert len(edges) == comb(k, 2) + (n - k) * k
        if n <= 12:
            assert is_chordal(n, edges) and {len(c) for c in maximal_cliques(n, edges)} == {k + 1}
        done = set(tree.root.tolist())
        for number in tree.order:  # each joins a clique of what is there
            clique = tree.cliques[number].tolist()
            assert set(clique) <= done and len(set(clique)) == k
            assert all(pair(a, b) in edges for a, b in combinations(clique, 2))
            done.add(int(tree.vertex[number]))
        assert done == set(range(n))


def test_climbing_finds_better_networks_than_sampling():
    """With as many k-trees: every second one a change of the best, or all drawn again."""
    families = families_of(random_dataset(4, n_vars=12, n_rows=80), 3)

    def scores(climb):
        configs = [Config(3, independent=not climb, seed=seed) for seed in range(1, 9)]
        found = [run(s2, families, config, iterations=1000) for config in configs]
        assert all(result.iterations == 1000 for result in found)
        return [result.score for result in found]

    independent, climbed = scores(False), scores(True)
    assert min(climbed) > max(independent)
