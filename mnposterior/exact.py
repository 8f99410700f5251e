"""The posterior over chordal networks by the recurrences of `common.exact.recurrences` with sums instead of maxima.

After Kangas, Niinimaki and Koivisto (UAI 2015). With proper S < C, every rooted junction tree of a graph (with its
maximal cliques) corresponds to one path through

    f(S, R) = sum over C with S < C <= S + R of e^s(C) g(C, R - C)
    g(C, U) = sum over R <= U that contain one fixed vertex of U of h(C, R) g(C, U - R),      g(C, {}) = 1
    h(C, R) = sum over S < C of f(S, R) e^-s(S),

so that Z = sum over C with the vertex n - 1 of e^s(C) g(C, V - C) counts each graph r(G) times, where r(G) is the
number of its junction trees rooted at such a clique. Drawing backwards from the tables gives independent graphs with
probability e^score r(G) / Z. Weighted by w = 1 / r(G), which is known in closed form (Thomas and Green 2009), they are
draws from the posterior: for N draws,

    p(edge) = sum of w over the graphs that have it / sum of w,      ln sum over G of e^score = ln Z + ln mean w.

Standard errors are those of a ratio of sums, with one more draw of the largest weight: graphs with few rooted trees are
drawn rarely and have large weights, so agreement of all draws is weak evidence. None is above 0.5, the largest
possible one.

Differences from the paper: all numbers are logarithms, since scores differ by thousands. The root clique has the vertex
n - 1, as in `common.exact.recurrences`. h, a sum over proper subsets, is a transform of one step per vertex that never
subtracts; f and g are summed directly.

Cost: O(4^n) time, 2 * 3^(n-1) states of 24 bytes: 76 MB and a few seconds for 14 variables, 0.7 GB and a minute for 16.
"""

from __future__ import annotations

import logging
import math
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..common.compiled.random_kernels import random_states
from ..common.errors import DataError, LimitError
from ..common.exact.dense_scores import dense_scores
from ..common.graphs.chordal import chordal_score
from ..common.graphs.graph import Graph
from ..common.run.monitor import Monitor
from ..common.run.resources import check_fits
from ..common.run.result import COMPLETE, Posterior, without_result
from ..common.scores.all_scores import compile_all_scores
from ..common.scores.allowed import complete_sets
from .config import MAX_STANDARD_ERROR, PosteriorConfig
from .exact_kernels import SumTables, draw_graphs, fill_f_and_h, fill_g

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.scores.scoring import Scoring

MAX_VARIABLES = 24
FIRST_DRAW = "the first exact draw"
ADVICE = "draw fewer, or use --method chains"
STATE_BYTES = 24
DRAW_BYTES = 64  # of a draw, besides its neighbours: its weight, and working arrays
DRAWS_PER_STREAM = 500  # of random numbers
WITNESSES = 20  # networks whose scores are checked
MIN_EFFECTIVE_SAMPLES = 100  # fewer are warned of
MIN_STANDARD_ERROR = 1e-6  # the last digit that is written

LOG = logging.getLogger("cliquewise")


def check_variables(n: int) -> None:
    """Refuse too many variables.

    Parameters
    ----------
    n

    Raises
    ------
    LimitError
    """
    if n > MAX_VARIABLES:
        raise LimitError(f"{n} variables; --method exact takes at most {MAX_VARIABLES}; use --method chains")


def bytes_needed(n: int, draws: int) -> int:
    """Memory of the tables for n variables, and of the draws."""
    return 2 * 3 ** (n - 1) * STATE_BYTES + 24 * 2**n + draws * (8 * n + DRAW_BYTES)


def fill_tables(n: int, scores: np.ndarray, monitor: Monitor) -> SumTables | None:
    """The tables of all sums.

    Parameters
    ----------
    n
    scores : float64[2^n]
        By mask; minus infinity for sets that may not be cliques or separators.
    monitor

    Returns
    -------
    SumTables or None
        None if the run was stopped.
    """
    place = np.zeros(1 << n, np.int64)
    for v in range(n):
        place[1 << v : 2 << v] = place[: 1 << v] + 3**v
    states = 2 * 3 ** (n - 1)
    f, h, score_plus_g = (np.full(states, -np.inf) for _ in range(3))
    masks = np.arange(1 << n)
    cliques = masks[scores > -np.inf]
    score_plus_g[place[cliques]] = scores[cliques]
    tables = SumTables(n, scores, place, f, h, score_plus_g)
    parts = masks[: 1 << (n - 1)]
    stop = monitor.stop.flag

    def of_parts(some: np.ndarray) -> None:
        own, strict = np.empty(1 << n), np.empty(1 << n)
        for part in some.tolist():
            fill_f_and_h(tables, part, own, strict, stop)

    def of_cliques(some: np.ndarray, k: int) -> None:
        for clique in some.tolist():
            fill_g(tables, clique, k, stop)

    pieces = 16 * monitor.threads
    for k in range(1, n):
        list(monitor.map(of_parts, np.array_split(parts[np.bitwise_count(parts) == k], pieces)))
        list(monitor.map(lambda some, k=k: of_cliques(some, k), np.array_split(cliques, pieces)))
        monitor.reporter.progress(f"sums, layer {k} of {n - 1}", k, n - 1)
        if not monitor.should_continue():
            return None
    return tables


def sample_exactly(
    source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor
) -> Posterior:
    """Independent draws from the posterior over chordal networks, by importance weights.

    Parameters
    ----------
    source
    scoring
    config
    monitor
        An iteration is a draw. A stop ends the drawing; the draws so far are used.

    Returns
    -------
    Posterior

    Raises
    ------
    LimitError
        The tables do not fit in the allowed memory, or too many variables.
    DataError
        No network has a finite score.
    KeyboardInterrupt
        Stopped before the first draw.
    """
    n = source.n
    check_variables(n)
    largest = min(config.max_clique or n, source.max_size)
    check_fits(bytes_needed(n, config.draws), config.memory, f"{n} variables and {config.draws} draws", ADVICE)
    warm_up(source, monitor)
    monitor.start()
    scores = dense_scores(source, scoring, largest, monitor)
    if config.allowed is not None:
        masks = np.arange(1 << n, dtype=np.uint64)
        scores[~complete_sets(masks, config.allowed)] = -np.inf
    if not monitor.should_continue():
        raise without_result(monitor.status, FIRST_DRAW, "use --method chains")
    return _sample(source, scores, config, monitor)


def _sample(source: Dataset | CliqueScores, scores: np.ndarray, config: PosteriorConfig, monitor: Monitor) -> Posterior:
    """Draw networks by the scores of all sets, float64[2^n] by mask, minus infinity for cliques not allowed."""
    n = source.n
    tables = fill_tables(n, scores, monitor)
    if tables is None:
        raise without_result(monitor.status, FIRST_DRAW, "use --method chains")
    everything = (1 << n) - 1
    roots = np.flatnonzero((scores > -np.inf) & (np.arange(1 << n) >> (n - 1) == 1))
    logs = tables.score_plus_g[tables.place[roots] + 2 * tables.place[everything ^ roots]]
    top = logs.max(initial=-np.inf)
    if not math.isfinite(top):
        raise DataError("no network has a finite score", source.source)
    shares = np.cumsum(np.exp(logs - top))
    log_z = float(top + math.log(shares[-1]))
    neighbours, log_trees = _draw(tables, roots, shares / shares[-1], config, monitor)
    if not len(neighbours):
        raise without_result(monitor.status, FIRST_DRAW, "use --method chains")
    return _summary(neighbours, log_trees, log_z, scores, source, config, monitor)


def _draw(
    tables: SumTables, roots: np.ndarray, shares: np.ndarray, config: PosteriorConfig, monitor: Monitor
) -> tuple[np.ndarray, np.ndarray]:
    """The draws, one stream of random numbers after the other: uint32[draws, n] and float64[draws]."""
    neighbours, log_trees = np.zeros((config.draws, tables.n), np.uint32), np.zeros(config.draws)
    starts = range(0, config.draws, DRAWS_PER_STREAM)
    states = random_states(config.seed, len(starts))

    def draw_by_stream(i: int) -> int:
        mine = slice(starts[i], starts[i] + DRAWS_PER_STREAM)
        work = np.zeros((5, tables.n), np.int64)
        return draw_graphs(tables, roots, shares, states[i], neighbours[mine], log_trees[mine], work, monitor.stop.flag)

    drawn = []
    for i, done in enumerate(monitor.map(draw_by_stream, range(len(starts)))):
        drawn.append(np.arange(starts[i], starts[i] + done))
        monitor.advance(done)
        total = monitor.iterations
        monitor.reporter.progress(f"{total:,} of {config.draws:,} networks", total, config.draws)
    kept = np.concatenate(drawn)
    return neighbours[kept], log_trees[kept]


def warm_up(source: Dataset | CliqueScores, monitor: Monitor) -> None:
    """Compile the kernels of `sample_exactly`, before its clock starts."""
    monitor.compile(partial(compile_all_scores, source), compile_kernels)


def compile_kernels() -> None:
    """Draw a network of three variables."""
    with Monitor(threads=1) as monitor:
        tables = fill_tables(3, np.zeros(8), monitor)
        assert tables is not None
        _draw(tables, np.arange(4, 8), np.array([0.25, 0.5, 0.75, 1.0]), PosteriorConfig(draws=1), monitor)


def _summary(
    neighbours: np.ndarray,
    log_trees: np.ndarray,
    log_z: float,
    scores: np.ndarray,
    source: Dataset | CliqueScores,
    config: PosteriorConfig,
    monitor: Monitor,
) -> Posterior:
    """The Posterior from the weighted draws."""
    n, draws = source.n, len(neighbours)
    lightest = log_trees.min()
    weights = np.exp(lightest - log_trees)  # of the heaviest draw: 1
    total, squares = weights.sum(), (weights**2).sum()
    graph = _edge_probabilities(neighbours, weights, source.names)
    shares, errors = graph.probabilities or (), graph.errors or ()
    sizes = (share * (1 - share) / error**2 for share, error in zip(shares, errors, strict=True))
    smallest = min((size for size in sizes if size > 0), default=math.inf)
    edges = {*graph.edges}
    has_others = any(scores[1 << u | 1 << v] > -np.inf for u, v in combinations(range(n), 2) if (u, v) not in edges)
    unseen = _share(weights, np.zeros(draws, bool))[1] if has_others else 0.0
    normaliser_error = _normaliser_error(weights, lightest, n) if edges or has_others else 0.0
    if total**2 / squares < min(MIN_EFFECTIVE_SAMPLES, draws / 2):
        message = f"{draws} draws have an effective sample size of only {total**2 / squares:.1f}"
        LOG.warning("%s: the errors are rough; draw more networks with --draws", message)
    details = {
        "seed": str(config.seed),
        "draws": str(draws),
        "effective-samples": f"{total**2 / squares:.1f}",
        "effective-samples-edges": f"{smallest:.1f}" if 0 < smallest < math.inf else "unknown",
        "largest-standard-error": f"{max(errors, default=0.0):.6f}",
        "error-of-other-edges": f"{unseen:.6f}",
        "log-normaliser": f"{log_z - lightest + math.log(weights.mean()):.6f}",
        "log-normaliser-error": f"{normaliser_error:.6f}",
        "log-rooted-trees": f"{log_z:.6f}",
    }
    some = np.unique(np.linspace(0, draws - 1, WITNESSES).astype(int))
    witnesses = []
    for row in neighbours[some].tolist():
        drawn = Graph(n, tuple((u, v) for u, v in combinations(range(n), 2) if row[u] >> v & 1), source.names)
        witnesses.append((drawn, chordal_score(drawn, lambda members: float(scores[sum(1 << m for m in members)]))))
    status = (draws < config.draws and monitor.status) or COMPLETE
    return Posterior(graph, status, draws, tuple(witnesses), details)


def _edge_probabilities(neighbours: np.ndarray, weights: np.ndarray, names: tuple[str, ...] | None) -> Graph:
    """The edges that some draw has, with their weighted shares and standard errors."""
    found = {}
    for u, v in combinations(range(neighbours.shape[1]), 2):
        has = (neighbours[:, u] >> np.uint32(v) & np.uint32(1)).astype(bool)
        if has.any():
            found[u, v] = _share(weights, has)
    shares, errors = zip(*found.values(), strict=True) if found else ((), ())
    return Graph(neighbours.shape[1], tuple(found), names, shares, errors)


def _share(weights: np.ndarray, has: np.ndarray) -> tuple[float, float]:
    """The weighted share of the draws that have something, and its standard error.

    The draw of largest weight counts once more in the variance, as if one with the opposite outcome had been missed:
    few draws with large weights, or draws that all agree, are weak evidence.

    Parameters
    ----------
    weights : float64[draws]
    has : bool[draws]

    Returns
    -------
    (float, float)
    """
    total = weights.sum()
    share = min(1.0, float(weights[has].sum() / total))
    squares = (weights**2 * (has - share) ** 2).sum() + weights.max() ** 2
    return share, min(MAX_STANDARD_ERROR, max(MIN_STANDARD_ERROR, float(np.sqrt(squares) / total)))


def _normaliser_error(weights: np.ndarray, lightest: float, n: int) -> float:
    """The standard error of ln of the mean weight.

    As in `_share` a draw is added, of larger weight than all: a network with one part less has about n times fewer
    trees. But no weight exceeds that of a single tree. Up to two variables every network has one tree, and there is no
    error.

    Parameters
    ----------
    weights : float64[draws]
        Of the heaviest draw: 1.
    lightest
        ln of its number of trees.
    n
        Variables.
    """
    if n <= 2:
        return 0.0
    if len(weights) == 1:
        return math.inf
    draws, missed = len(weights), math.exp(min(lightest, math.log(n)))
    squares = ((weights - weights.mean()) ** 2).sum() * draws / (draws - 1) + missed**2
    return max(MIN_STANDARD_ERROR, float(math.sqrt(squares) / weights.sum()))
