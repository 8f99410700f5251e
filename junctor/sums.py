"""The posterior over chordal networks by the recurrences of `common.exact.recurrences` with sums instead of maxima.

After Kangas, Niinimaki and Koivisto (UAI 2015). With proper S < C, every rooted junction tree of a graph (with its
maximal cliques) corresponds to one path through

    f(S, R) = sum over C with S < C <= S + R of e^s(C) g(C, R - C)
    g(C, U) = sum over R <= U holding one fixed vertex of U of h(C, R) g(C, U - R),      g(C, {}) = 1
    h(C, R) = sum over S < C of f(S, R) e^-s(S),

so that Z = sum over C with the vertex n - 1 of e^s(C) g(C, V - C) counts each graph r(G) times, where r(G) is the
number of its junction trees rooted at such a clique. Drawing backwards from the tables gives independent graphs with
probability e^score r(G) / Z. Weighted by w = 1 / r(G), which is known in closed form (Thomas and Green 2009), they are
draws from the posterior: for N draws,

    p(edge) = sum of w over the graphs that have it / sum of w,      ln sum over G of e^score = ln Z + ln mean w.

Where we differ. All numbers are logarithms, since scores differ by thousands. The root clique has the vertex n - 1, as
in `common.exact.recurrences`. h, a sum over proper subsets, is a transform of one step per vertex that never subtracts;
f and g are summed directly.

Cost: O(4^n) time, 2 * 3^(n-1) states of 24 bytes: 76 MB and a few seconds for 14 variables, 0.7 GB and a minute for 16.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from cliquewise.common.compiled.random_kernels import random_states
from cliquewise.common.errors import DataError
from cliquewise.common.graphs.chordal import chordal_score
from cliquewise.common.graphs.graph import Graph
from cliquewise.common.search.result import COMPLETE, Posterior
from cliquewise.junctor.sums_kernels import SumTables, draw_graphs, fill_f_and_h, fill_g

if TYPE_CHECKING:
    from cliquewise.common.search.monitor import Monitor

STATE_BYTES = 24
BATCH = 500  # draws per random stream
WITNESSES = 20  # networks to check


def bytes_needed(n):
    """Memory of the tables for n variables."""
    return 2 * 3 ** (n - 1) * STATE_BYTES + 24 * 2**n


def fill_tables(n, scores, monitor):
    """The tables of all sums.

    Parameters
    ----------
    n : int
    scores : float64[2^n]
        By mask; minus infinity for sets that may not be cliques or separators.
    monitor : Monitor

    Returns
    -------
    SumTables or None
        None if the run was stopped.
    """
    place = np.zeros(1 << n, np.int64)
    for v in range(n):
        place[1 << v : 2 << v] = place[: 1 << v] + 3**v
    states = 2 * 3 ** (n - 1)
    f, h, hung = (np.full(states, -np.inf) for _ in range(3))
    masks = np.arange(1 << n)
    cliques = masks[scores > -np.inf]
    hung[place[cliques]] = scores[cliques]
    tables = SumTables(n, scores, place, f, h, hung)
    parts = masks[: 1 << (n - 1)]
    stop = monitor.stop

    def of_parts(some):
        own, strict = np.empty(1 << n), np.empty(1 << n)
        for part in some.tolist():
            fill_f_and_h(tables, part, own, strict, stop)

    def of_cliques(some, k):
        for clique in some.tolist():
            fill_g(tables, clique, k, stop)

    pieces = 16 * monitor.threads
    for k in range(1, n):
        list(monitor.map(of_parts, np.array_split(parts[np.bitwise_count(parts) == k], pieces)))
        list(monitor.map(lambda some, k=k: of_cliques(some, k), np.array_split(cliques, pieces)))
        monitor.progress(f"sums, layer {k} of {n - 1}", k, n - 1)
        if not monitor.may_go_on():
            return None
    return tables


def sample(source, scores, config, monitor: Monitor) -> Posterior:
    """Draw from the posterior.

    Parameters
    ----------
    source : Dataset or CliqueScores
        Its names are those of the networks.
    scores : float64[2^n]
        By mask; minus infinity for cliques that are not allowed.
    config : Config
        With `draws`, `edge_prior` and `seed`.
    monitor : Monitor
        A stop ends the drawing; the draws so far are used.

    Returns
    -------
    Posterior

    Raises
    ------
    DataError
        No network has a finite score.
    KeyboardInterrupt
        Stopped before the first draw.
    """
    n = source.n
    log_odds = math.log(config.edge_prior / (1 - config.edge_prior))
    sizes = np.bitwise_count(np.arange(1 << n)).astype(np.int64)
    weighted = scores + log_odds * (sizes * (sizes - 1) // 2)  # each edge once: cliques minus separators
    tables = fill_tables(n, weighted, monitor)
    if tables is None:
        raise KeyboardInterrupt
    everything = (1 << n) - 1
    roots = np.flatnonzero((weighted > -np.inf) & (np.arange(1 << n) >> (n - 1) == 1))
    logs = tables.hung[tables.place[roots] + 2 * tables.place[everything ^ roots]]
    top = logs.max(initial=-np.inf)
    if not math.isfinite(top):
        raise DataError("no network has a finite score", source.source)
    shares = np.cumsum(np.exp(logs - top))
    log_z = float(top + math.log(shares[-1]))
    joined, log_trees = _draw(tables, roots, shares / shares[-1], config, monitor)
    if not len(joined):
        raise KeyboardInterrupt
    return _summary(joined, log_trees, log_z, scores, source, config, monitor)


def _draw(tables, roots, shares, config, monitor):
    """The draws, batch by batch: uint32[draws, n] and float64[draws]."""
    joined, log_trees = np.zeros((config.draws, tables.n), np.uint32), np.zeros(config.draws)
    starts = range(0, config.draws, BATCH)
    states = random_states(config.seed, len(starts))

    def batch(i):
        mine = slice(starts[i], starts[i] + BATCH)
        work = np.zeros((5, tables.n), np.int64)
        return draw_graphs(tables, roots, shares, states[i], joined[mine], log_trees[mine], work, monitor.stop)

    kept = []
    for i, done in enumerate(monitor.map(batch, range(len(starts)))):
        kept.append(np.arange(starts[i], starts[i] + done))
        monitor.done(done)
        monitor.progress(f"{monitor.iterations:,} of {config.draws:,} networks", monitor.iterations, config.draws)
    kept = np.concatenate(kept)
    return joined[kept], log_trees[kept]


def _summary(joined, log_trees, log_z, scores, source, config, monitor):
    """The Posterior from the weighted draws."""
    n, draws = source.n, len(joined)
    lightest = log_trees.min()
    weights = np.exp(lightest - log_trees)
    total, squares = weights.sum(), (weights**2).sum()
    u, v = np.triu_indices(n, 1)
    edges, shares, errors = [], [], []
    for one, other in zip(u.tolist(), v.tolist(), strict=True):
        has = (joined[:, one] >> np.uint32(other) & np.uint32(1)).astype(bool)
        if has.any():
            share = weights[has].sum() / total
            edges.append((one, other))
            shares.append(min(1.0, float(share)))
            errors.append(float(np.sqrt((weights**2 * (has - share) ** 2).sum()) / total))
    graph = Graph(n, tuple(edges), source.names, tuple(shares), tuple(errors))
    mean = weights.mean()
    details = {
        "edge-prior": f"{config.edge_prior:g}",
        "seed": str(config.seed),
        "draws": str(draws),
        "effective-samples": f"{total**2 / squares:.1f}",
        "largest-standard-error": f"{max(errors, default=0.0):.6f}",
        "log-normaliser": f"{log_z - lightest + math.log(mean):.6f}",
        "log-normaliser-error": f"{weights.std(ddof=1) / mean / math.sqrt(draws) if draws > 1 else math.inf:.6f}",
        "log-rooted-trees": f"{log_z:.6f}",
    }
    some = np.unique(np.linspace(0, draws - 1, WITNESSES).astype(int))
    witnesses = []
    for row in joined[some].tolist():
        one = Graph(n, tuple((a, b) for a in range(n) for b in range(a + 1, n) if row[a] >> b & 1), source.names)
        witnesses.append((one, chordal_score(one, lambda members: float(scores[sum(1 << m for m in members)]))))
    status = monitor.status if draws < config.draws else COMPLETE
    return Posterior(graph, status, draws, tuple(witnesses), details)
