"""Swap moves against the oracle: every one of every small chordal graph, drawn ones of large graphs."""

from itertools import combinations

import numpy as np
import pytest

from cliquewise.common.chains.swap_kernels import draw_swap, swap_gain, take_swap
from cliquewise.common.scores.scorer import SetScorer
from cliquewise.common.scores.scoring import Scoring
from tests.oracles import graphs
from tests.oracles.moves import swaps
from tests.oracles.scores import set_score
from tests.random_inputs import arity_of, random_dataset, random_set_scores, rows_of, scores_of
from tests.search_parts import LargeCase, edges_of, numbered, parts_of, random_state, rows_of_edges
from tests.slow import slow, slow_cases

nojit = pytest.mark.nojit


def scorer_and_score(n, source):
    """A SetScorer and the oracle's score of a frozenset: of data, or of a file in which some sets have none."""
    if source == "data":
        data = random_dataset(n, n_vars=n, n_rows=50, max_arity=4)
        return SetScorer(data, Scoring("bdeu", 10.0)), set_score(rows_of(data), arity_of(data), "bdeu", 10.0)
    values = random_set_scores(n, n)
    score = {s: -np.inf if {0, n - 1} <= s else value for s, value in values.items()}.__getitem__
    return SetScorer(scores_of(n, score)), score


@nojit
@pytest.mark.parametrize("source", ["data", "file with forbidden sets"])
@pytest.mark.parametrize("n", [4, *slow(5)])
def test_every_swap_of_every_small_graph(n, source):
    """All v, w, x, y: those of the definition gain what re-scoring says, all others are refused."""
    scorer, score = scorer_and_score(n, source)
    parts, numbers = parts_of(scorer), numbered(n)
    values = numbers.values(lambda members: score(frozenset(members)))
    checked = 0
    for number, (edges, cliques, _) in numbers.chordal.items():
        if values[number] == -np.inf:
            continue
        rows = rows_of_edges(n, edges)
        largest = max(map(len, cliques))
        for max_clique in {max(largest, 2), n}:
            expected = swaps(n, edges, max_clique)
            for v, w in combinations(range(n), 2):
                if (v, w) in edges:
                    continue
                for x, y in combinations(range(n), 2):
                    common = graphs.neighbours(n, edges)[v] & graphs.neighbours(n, edges)[w]
                    if (x, y) == (v, w) or not {x, y} <= common | {v, w}:
                        continue
                    gain = swap_gain(parts.scores, parts.scratch, parts.work, rows, v, w, x, y, max_clique)
                    after = expected.get(((v, w), (x, y)))
                    best = -np.inf if after is None else values[numbers.number(after)] - values[number]
                    assert gain == best or gain == pytest.approx(best, abs=1e-8), (edges, v, w, x, y)
                    checked += gain > -np.inf
    assert checked > 50


@pytest.mark.fast_cases(1)
@pytest.mark.parametrize(("n", "max_clique"), [(12, 3), (12, 4), (64, 3), (70, 5), *slow_cases((140, 4))])
def test_drawn_swaps_of_large_graphs(n, max_clique):
    """A chain of swaps, all of them taken: chordal, within the bound, and the gains add up to the score."""
    case = LargeCase(n)
    edges = k_tree(case.rng, n, max_clique)
    rows, state = rows_of_edges(n, edges), random_state(n)
    scores, scratch, work, _ = case.parts
    total, taken, inner = graphs.graph_score(n, edges, case.score), 0, 0
    for _ in range(3000):
        v = int(case.rng.integers(n))
        w, x, y = draw_swap(rows, v, state, work.chosen)
        if w < 0:
            continue
        gain = swap_gain(scores, scratch, work, rows, v, w, x, y, max_clique)
        if gain > -np.inf and taken < 60:
            take_swap(rows, v, w, x, y)
            total += gain
            taken += 1
            inner += not {x, y} & {v, w}
            after = edges_of(rows)
            assert len(after) == len(edges)
            cliques, _ = graphs.cliques_and_separators(n, after)
            assert max(map(len, cliques)) <= max_clique
            assert graphs.graph_score(n, after, case.score) == pytest.approx(total, abs=1e-6)
    assert taken == 60 and inner > 0


def k_tree(rng, n, size):
    """Edges of a random graph whose cliques all have `size` vertices: each vertex joins a part of a former clique."""
    cliques, edges = [list(range(size))], set(combinations(range(size), 2))
    for v in range(size, n):
        former = cliques[rng.integers(len(cliques))]
        left = rng.integers(size)
        chosen = [u for i, u in enumerate(former) if i != left]
        edges |= {graphs.pair(u, v) for u in chosen}
        cliques.append([*chosen, v])
    return frozenset(edges)
