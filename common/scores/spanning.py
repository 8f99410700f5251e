"""Pairwise gains and the maximum-weight forest: the best network with cliques of at most two.

See Chow and Liu (1968). An edge u-v alone gains s(uv) - s(u) - s(v); only edges that gain are added, so the forest may
be disconnected. With few variables each pair is scored like any set, and the scores stay in the scorer's cache. With
many, pairs of variables with few states are counted on bit planes, 64 rows at a time, and the contribution of a cell to
the score is looked up by its count: 8 million pairs of 4000 binary variables take half a second with 500 rows; scoring
them one by one takes ten seconds. The forest is found by Prim's algorithm (1957) on the whole matrix: n steps of O(n),
0.2 s for 4000 variables.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..graphs.graph import Graph
from ..run.free_threads import on_free_threads
from .bit_planes import FEW_STATES, bit_planes
from .score_kernels import AIC, BDEU, BIC, QNML, Formula
from .spanning_kernels import Planes, count_pair_gains, fill_pair_gains

if TYPE_CHECKING:
    from .scorer import SetScorer

MANY_VARIABLES = 512  # fewer pairs are scored as sets
MAX_TERMS = 1 << 24  # counts whose terms are tabulated
SIDE = 64  # largest side of a tile: its rows stay in the cache, and all threads have work
TILE = 1 << 26  # pairs times rows: well below a second


def pair_gains(
    scorer: SetScorer,
    parallel_map: Callable = map,
    should_continue: Callable = lambda: True,
    on_progress: Callable = lambda share: None,
) -> np.ndarray:
    """The gain of every single edge.

    Parameters
    ----------
    parallel_map
        Like `map`; a thread pool's `map` fills the tiles in parallel, one scratch area of the scorer per thread.
    should_continue
        Called between tiles, from several threads; once it returns False, the gains of the remaining pairs are set to
        0.
    on_progress : callable taking a float
        The share of the tiles that is done.

    Returns
    -------
    float64[n, n]
        Symmetric, zero on the diagonal; minus infinity if a pair has no score.
    """
    gains = np.zeros((scorer.n, scorer.n))
    planes = planes_of(scorer) if _suits_planes(scorer) else None
    counted = np.zeros(scorer.n, bool) if planes is None else planes.first >= 0
    tiles = list(_tiles(scorer.n, scorer.scores.table.columns.shape[1]))
    threads = len(scorer.scratch)
    bits = np.zeros((threads, scorer.words), np.uint64)
    counts = np.zeros((threads, FEW_STATES, FEW_STATES), np.int64)

    def fill(i: int, t: int) -> None:
        if planes is not None:
            count_pair_gains(planes, counts[t], tiles[i], gains)
        if not counted.all():
            fill_pair_gains(scorer.scores, scorer.scratch[t], bits[t], counted, tiles[i], gains)
        if t == 0:
            on_progress((i + 1) / len(tiles))

    on_free_threads(fill, len(tiles), threads, parallel_map, should_continue)
    if planes is not None:
        _add_prior(scorer.scores.formula, counted, gains)
    return gains


def pair_gains_by(score_of: Callable, n: int) -> np.ndarray:
    """The gain of every single edge among n variables, as `pair_gains`, from the scores of sets that are known.

    Parameters
    ----------
    score_of : callable taking a tuple of int
        The score of a set; minus infinity if it may not be complete.
    """
    gains, single = np.zeros((n, n)), [score_of((v,)) for v in range(n)]
    for u, v in itertools.combinations(range(n), 2):
        gains[u, v] = gains[v, u] = score_of((u, v)) - single[u] - single[v]
    return gains


def _suits_planes(scorer: SetScorer) -> bool:
    """Whether pairs are counted on bit planes: of many variables, with a term for every count."""
    table = scorer.scores.table
    total = int(table.weights.sum()) + table.columns.shape[1] - len(table.weights)
    return scorer.scores.compute and scorer.n >= MANY_VARIABLES and total <= MAX_TERMS


def _add_prior(formula: Formula, counted: np.ndarray, gains: np.ndarray) -> None:
    """Add the prior to the gains of pairs that were counted on bit planes (bool[n])."""
    if formula.each_pair == 0 and not len(formula.pairs):
        return
    both = np.flatnonzero(counted)
    for at, v in enumerate(both):  # temporary matrices of thousands of variables would take seconds and memory
        own = np.full(len(both), formula.each_pair)
        own[at] = 0.0
        if len(formula.pairs):
            own += formula.pairs[v, both]
        gains[v, both] += own


def compile_pair_gains(scorer: SetScorer) -> None:
    """Compile the kernels of `pair_gains`: run them on no pairs."""
    none, gains = np.zeros(4, np.int64), np.zeros((1, 1))
    fill_pair_gains(scorer.scores, scorer.scratch[0], np.zeros(scorer.words, np.uint64), none > 0, none, gains)
    if _suits_planes(scorer):
        words, numbers, values = np.zeros((1, 1), np.uint64), np.zeros(1, np.int64), np.zeros(1)
        planes = Planes(words, numbers, numbers, numbers, numbers, numbers, 1, gains, numbers, values, values, words)
        count_pair_gains(planes, np.zeros((1, 1), np.int64), none, gains)


def _tiles(n: int, rows: int) -> Iterator[np.ndarray]:
    """Squares below the diagonal, row by row: int64[4] each, see `fill_pair_gains`."""
    side = int(min(SIDE, max(1, (TILE // max(1, rows)) ** 0.5)))
    for u in range(0, n, side):
        for v in range(0, u + 1, side):
            yield np.array([u, min(n, u + side), v, min(n, v + side)])


def planes_of(scorer: SetScorer) -> Planes:
    """The data of a SetScorer as Planes, with score contributions of counts.

    The planes of rows of weight 1 are those of the CountingTable. For the other rows, a part for each binary digit of
    the weights follows, with the rows whose weight has this digit.
    """
    table, formula = scorer.scores.table, scorer.scores.formula
    weights, first = table.weights, table.first_plane
    n_rows = int(weights.sum()) + table.columns.shape[1] - len(weights)
    digits = range(int(weights.max(initial=0)).bit_length())
    heavy = [table.columns[:, : len(weights)][:, weights >> digit & 1 > 0] for digit in digits]
    parts = [table.planes, *(bit_planes(rows, table.arity, first, len(table.planes)) for rows in heavy)]
    shifts = np.array([0, *digits], np.int64)
    marginal = sum(
        np.bitwise_count(part).sum(axis=1, dtype=np.int64) << s for part, s in zip(parts, shifts, strict=True)
    )
    cells = np.zeros(FEW_STATES**2 + 1, bool)
    arities = np.unique(table.arity[first >= 0])
    cells[np.multiply.outer(arities, arities)] = cells[arities] = True
    kind_of = np.cumsum(cells) - 1
    terms, base = cell_terms(formula, np.flatnonzero(cells), n_rows)
    alone = np.zeros(scorer.n)
    for arity in arities:
        alike = np.flatnonzero(table.arity == arity)
        alone[alike] = base[kind_of[arity]]
        for state in range(arity):
            alone[alike] += terms[kind_of[arity], marginal[first[alike] + state]]
    bits, ends = (np.hstack(parts) if len(parts) > 1 else table.planes), np.cumsum([p.shape[1] for p in parts])
    allowed = scorer.scores.allowed
    return Planes(bits, ends, shifts, first, table.arity, marginal, n_rows, terms, kind_of, base, alone, allowed)


def cell_terms(formula: Formula, cells: np.ndarray, n_rows: float) -> tuple[np.ndarray, np.ndarray]:
    """Score contributions of a cell of 0, 1, ..., n_rows rows in a set with k cells, and the rest of the score.

    Parameters
    ----------
    formula
        See `common.scores.score_kernels`; "rows" are counts in parts of rows, if it has a denominator.
    cells : int64[k]
        Product of the arities.

    Returns
    -------
    (float64[k, n_rows + 1], float64[k])
    """
    from scipy.special import gammaln, xlogy

    counts, penalty = np.arange(n_rows + 1.0) / formula.denominator, np.zeros(len(cells))
    n_rows = n_rows / formula.denominator
    if formula.kind == BDEU:
        prior = formula.ess / cells[:, None]
        terms = gammaln(counts + prior) - gammaln(1.0 + prior) + np.log(formula.ess) - np.log(cells)[:, None]
        terms[:, 0] = 0.0
        return terms, penalty + gammaln(formula.ess) - gammaln(formula.ess + n_rows)
    if formula.kind == BIC:
        penalty = 0.5 * np.log(n_rows) * (cells - 1.0)
    elif formula.kind == AIC:
        penalty = cells - 1.0
    elif formula.kind == QNML:
        penalty = formula.log_regrets[cells]
    return np.tile(xlogy(counts, counts), (len(cells), 1)), -xlogy(n_rows, n_rows) - penalty


def forest_around(
    kept: Graph | None, gains: np.ndarray, names: tuple[str, ...] | None = None, losses: bool = False
) -> Graph:
    """A chordal graph, plus the maximum-weight edges that join its components in a forest.

    Parameters
    ----------
    kept
        Chordal; None is the empty graph.
    gains, names, losses
        As for `maximum_spanning_forest`.

    Returns
    -------
    Graph
        Chordal, with no new cliques of more than two.
    """
    if kept is None:
        return maximum_spanning_forest(gains, names, losses)
    gains = gains.copy()
    for u, v in kept.edges:
        gains[u, v] = gains[v, u] = np.inf
    forest = maximum_spanning_forest(gains, names, losses)
    return Graph(forest.n, tuple(sorted({*forest.edges, *kept.edges})), names)


def maximum_spanning_forest(gains: np.ndarray, names: tuple[str, ...] | None = None, losses: bool = False) -> Graph:
    """The maximum-weight forest, without edges that do not gain.

    Parameters
    ----------
    gains : float64[n, n], symmetric
    losses
        Whether to add also edges that do not gain, which gives a maximum-weight spanning tree of the allowed edges.
    """
    n = gains.shape[0]
    best, joined_to = np.full(n, -np.inf), np.full(n, -1)  # for each vertex outside, its best edge into the tree
    outside = np.ones(n, bool)
    edges = []
    for _ in range(n):
        v = int(np.where(outside, best, -np.inf).argmax())
        if not outside[v] or best[v] == -np.inf:
            v = int(outside.argmax())  # no edge leaves the tree: start another
        elif losses or best[v] > 0.0:
            edges.append((min(v, int(joined_to[v])), max(v, int(joined_to[v]))))
        outside[v] = False
        best[v] = -np.inf
        nearer = outside & (gains[v] > best)
        best[nearer] = gains[v, nearer]
        joined_to[nearer] = v
    return Graph(n, tuple(sorted(edges)), names)
