"""The program of `common.bounds.cutting` for more variables than a word has bits, with rows from windows.

The linear program has the families of all variables. Let W be a window, some of the variables. A perfect order of a
chordal graph, restricted to W, is a perfect order of the graph on W, and the earlier neighbours of v in W are its
earlier neighbours P restricted to W. So every row over members and a base in W holds for the graph when P is replaced
by P restricted to W, which changes no coefficient; and a fractional solution violates it iff its restriction to W does.
So windows of up to 64 variables find all violated rows except those over more variables. A round covers the graph of
the solution's edges by windows grown along heavy edges, and separates the restriction to each. The search for rows is
greedy; in windows of different sizes it finds different rows. Of rows over more variables, weighted clusters are
searched (`common.bounds.weighted_clusters`).

The problem is split over edges as for fewer variables (`common.bounds.branching`). Cost: as for fewer variables; the
windows of a round overlap, and all of them together are about twice the variables.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.dataset import Dataset
from ..errors import DataError
from ..graphs.chordal import bit_rows, graph_of
from ..graphs.graph import Graph
from ..graphs.zero_gain_edges import without_zero_gain_edges
from ..run.result import COMPLETE, OPTIMAL, LearnResult
from ..scores.all_scores import all_scores, compile_all_scores
from ..scores.growth import compile_grown, grown
from ..scores.scorer import SetScorer
from ..scores.spanning import maximum_spanning_forest, pair_gains_by
from ..sets.set_orders import colex_masks, set_count
from .branching import prove
from .callbacks import NO_CALLBACKS, Callbacks
from .cutting import CuttingPlaneLoop, Rules
from .incumbent import Incumbent
from .problem import MAX_VARIABLES, StopCondition
from .reports import RoundReporter
from .row_program import StoppedError
from .set_families import ColexFamilyPool
from .violated_rows import EdgeValues, Solution, join_rows, pick_rows, separate
from .weighted_clusters import separate_weighted_clusters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..files.scorefile import CliqueScores
    from ..run.monitor import Monitor
    from ..scores.scoring import Scoring
    from .branching import Proof
    from .rows_kernels import Rows

SIZES = (12, 20, 32, 48, 64)  # variables of windows
ADDED_FAMILIES = 15  # families of each variable added per round at most
KEPT_FAMILIES = 60  # families without a value that stay in the program, for each variable
ROWS_PER_VARIABLE = 0.5  # of each kind, for each variable of a window
GROWTH_STEPS, LARGER_MEMBERS = 24, 16  # members added to a row, members of two or more variables, at most
PARTLY_PRICED_FACTOR = 3  # times more of both if most rounds price only some families
MAX_KEPT_FACTOR = 4  # times more families stay
CLUSTERS = 40  # searches for a weighted cluster, each from random weights
SEARCHES = 3  # that a solution is searched for violated rows, each time in other windows, before the end
PATIENCE, PROGRESS = 6, 0.02  # as in Rules
ROUNDING = 10  # rounds between two roundings of a solution to a network, as in Rules


class WindowedSolution(EdgeValues):
    """The edges of a fractional solution with many variables, and windows over them.

    Parameters
    ----------
    pool
    child : int64[k]
    parents : uint64[k]
        The numbers of the sets P.
    x : float64[k]

    Attributes
    ----------
    pool, families
        As given; the families as child, parents and value.
    weight : float64[n, n]
        Symmetric: c of every pair.
    """

    def __init__(self, pool: ColexFamilyPool, child: np.ndarray, parents: np.ndarray, x: np.ndarray) -> None:
        self.pool, self.families, self.weight = pool, (child, parents, x), np.zeros((pool.n, pool.n))
        for column in pool.members[parents.astype(np.int64)].T:
            there = column >= 0
            np.add.at(self.weight, (child[there], column[there]), x[there])
        self.weight += self.weight.T

    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the sets of two with c > 0, and their c: (uint64[e], float64[e]), ascending."""
        v, u = np.nonzero(np.tril(self.weight))  # v > u: in colex order
        return self.pool.numbers(np.column_stack([u, v])), self.weight[v, u]

    def table(self) -> np.ndarray:
        """The families: the child, then its parents, then -1: int64[k, K]."""
        child, parents, _ = self.families
        return np.column_stack([child, self.pool.members[parents.astype(np.int64), :-1]])

    def windows(self, sizes: tuple[int, ...], rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Windows that together cover all variables, each grown along heavy edges: yields int64[w], ascending.

        Parameters
        ----------
        sizes : tuple of int
            Variables of a window.
        rng
            Chooses where windows begin, and their sizes.
        """
        n = len(self.weight)
        left = np.ones(n, bool)
        for start in rng.permutation(n):
            if left[start]:
                most = min(n, int(rng.choice(sizes)))
                window, near, outside = [start], self.weight[start].copy(), np.ones(n, bool)
                outside[start] = False
                while len(window) < most:
                    v = int(np.argmax(np.where(outside, near, -1.0)))
                    outside[v] = False
                    window.append(v)
                    near += self.weight[v]
                left[window if most == n else window[: (most + 1) // 2]] = False
                yield np.sort(np.array(window, np.int64))


class WindowedCuttingPlaneLoop(CuttingPlaneLoop):
    """Solves the linear program of many variables, with rows from windows.

    Parameters
    ----------
    *whole
        As for CuttingPlaneLoop.
    sizes : tuple of int
        Variables of a window, at most 64; chosen at random.
    is_bound
        Whether a bound is wanted, which rows of up to `LARGER_MEMBERS` lower; networks are found sooner without these.
    """

    def __init__(self, *whole: Any, sizes: tuple[int, ...], is_bound: bool) -> None:
        super().__init__(*whole)
        self._sizes, self._rng, self._wider = sizes, np.random.default_rng(1), 1
        self._growth = {"steps": GROWTH_STEPS, "larger": LARGER_MEMBERS} if is_bound else {}

    def _read(self, child: np.ndarray, parents: np.ndarray, x: np.ndarray) -> None:
        """As in CuttingPlaneLoop."""
        pool: Any = self.program.pool
        self.solution = WindowedSolution(pool, child, parents, x)

    def _violated_rows(self, is_last: bool) -> Rows:
        """As in CuttingPlaneLoop, window by window; several times if nothing is found and no family enters."""
        solution: WindowedSolution = self.solution
        pool, families = solution.pool, solution.families
        found, first_new = [self.program.rows], len(self.program.rows.base)
        limits = self._separation
        for _ in range(SEARCHES if is_last else 1):
            for window in solution.windows(self._sizes, self._rng):
                if not self._callbacks.should_continue():
                    raise StoppedError
                part = Solution(len(window), *pool.inside(window, *families))
                each = 5 + int(ROWS_PER_VARIABLE * len(window))
                limits = replace(limits, each=each, **self._growth)
                found.append(pool.with_support(window, separate(part, limits)))
            if self._growth:
                starts = self._rng.integers(0, pool.largest, (CLUSTERS, pool.n))
                clusters = pool.empty_rows(CLUSTERS)
                found.append(separate_weighted_clusters(solution.table(), families[2], starts, limits.least, clusters))
            rows = join_rows(found)
            _, first = np.unique(np.column_stack(rows), axis=0, return_index=True)
            if first.max(initial=-1) >= first_new:
                break
        return pick_rows(rows, np.sort(first[first >= first_new]))

    def _useful(self) -> np.ndarray:
        """As in CuttingPlaneLoop, but more are kept if the bound does not move for many rounds."""
        if self.idle > self.rules.patience:
            self._wider = min(2 * self._wider, MAX_KEPT_FACTOR)
        return super()._useful()

    def _kept(self) -> int:
        return self._wider * super()._kept()


def bound_by_windows(
    source: Dataset | CliqueScores,
    scoring: Scoring,
    monitor: Monitor,
    max_clique: int,
    known: Graph | None,
    sizes: tuple[int, ...] = SIZES,
    memory: float | None = None,
) -> LearnResult:
    """A bound on the score of every chordal network.

    Parameters
    ----------
    source
        Of more than 64 variables.
    scoring
    monitor
    max_clique
    known
        A network, chordal.
    sizes : tuple of int
        Variables of windows, at most 64.
    memory
        Bytes that may be used.

    Returns
    -------
    LearnResult
        The upper bound, and the network known, or one grown from the best forest.

    Raises
    ------
    DataError
        Scores from a file.
    """
    if not isinstance(source, Dataset):
        raise DataError(
            f"{source.n} variables; with scores from a file, bounds take at most {MAX_VARIABLES}", source.source
        )
    watch, count = StopCondition(monitor, memory), set_count(source.n, max_clique)
    scorer = None if known is not None else SetScorer(source, scoring)
    growth = [] if scorer is None else [partial(compile_grown, scorer)]
    monitor.compile(*window_tasks(source), *growth)
    monitor.start()

    def progress(done: int) -> None:
        monitor.reporter.progress(f"scores: {done:,} of {count:,}", done, count)

    scores = all_scores(source, scoring, max_clique, monitor.threads, progress, watch.should_continue)
    pool = ColexFamilyPool(source.n, max_clique, scores, watch.should_continue) if watch.should_continue() else None
    if pool is None or not watch.should_continue():
        return LearnResult(known or Graph(source.n, ()), -math.inf, watch.status or COMPLETE)
    graph = known if scorer is None else _grown(pool, scorer, watch, source.names)
    assert graph is not None
    incumbent = _incumbent(pool, graph)
    reporter = RoundReporter(monitor, incumbent)
    proof = _run(pool, incumbent, Callbacks(watch.should_continue, reporter), sizes=sizes)
    bound, finished = (math.inf, False) if proof is None else (proof.bound, proof.finished)
    ended = OPTIMAL if incumbent.is_proved(bound) else (not finished and watch.status) or COMPLETE
    assert incumbent.graph is not None
    found = without_zero_gain_edges(incumbent.graph, pool.score_of)
    return LearnResult(found, incumbent.score, ended, reporter.rounds, bound)


def _incumbent(pool: ColexFamilyPool, graph: Graph) -> Incumbent:
    """A chordal network as an Incumbent."""
    incumbent = Incumbent(graph.n, graph, names=graph.names)
    incumbent.score = float(pool.families.gain[pool.find(*incumbent.families(pool))].sum())
    return incumbent


def solve_by_windows(
    n: int,
    sets: list[tuple[int, ...]],
    scores: np.ndarray,
    incumbent: Incumbent,
    callbacks: Callbacks,
) -> Proof | None:
    """Find the best network of given sets and prove it optimal.

    Of windows of all sizes, those of the largest are sufficient where there are few sets.

    Parameters
    ----------
    n
        Variables, any number.
    sets : list of tuple of int
        Those that may be complete, ascending, in colex order; closed under subsets, with all single variables. The
        numbers of sets up to the size of the largest must fit in 63 bits.
    scores : float64[m]
        Finite.
    incumbent
        With a network, and the edges that every network must have; updated.
    callbacks

    Returns
    -------
    Proof or None
        None without time for a first bound.
    """
    largest = max(map(len, sets))
    members = np.array([(*own, *[-1] * (largest - len(own))) for own in sets], np.int16).reshape(len(sets), largest)
    pool = ColexFamilyPool(n, largest, scores, callbacks.should_continue, members)
    return _run(pool, incumbent, callbacks, rounding=1, sizes=SIZES[-1:], is_bound=False)


def _run(
    pool: ColexFamilyPool,
    incumbent: Incumbent,
    callbacks: Callbacks,
    rounding: int = ROUNDING,
    sizes: tuple[int, ...] = SIZES,
    is_bound: bool = True,
) -> Proof | None:
    """Find the best network and prove it optimal, as far as time allows; None without time for a first bound."""
    rules = Rules(patience=PATIENCE, progress=PROGRESS, rounding=rounding)
    each = pool.n * (PARTLY_PRICED_FACTOR if len(pool.alive) > rules.whole else 1)
    rules = replace(rules, columns=ADDED_FAMILIES * each, kept=KEPT_FAMILIES * each)
    try:
        loop = partial(WindowedCuttingPlaneLoop, sizes=sizes, is_bound=is_bound)
        return prove(pool, incumbent, rules, callbacks, loop=loop)
    except StoppedError:
        return None


def _grown(pool: ColexFamilyPool, scorer: SetScorer, watch: StopCondition, names: tuple[str, ...] | None) -> Graph:
    """A network grown from the best forest: Graph."""
    forest = maximum_spanning_forest(pair_gains_by(pool.score_of, pool.n))
    return graph_of(grown(scorer, bit_rows(forest), pool.largest, watch.should_continue), names)


def window_tasks(source: Dataset | CliqueScores) -> list[Callable]:
    """The tasks for `Monitor.compile`: the kernels of `bound_by_windows` with a network known."""
    return [partial(compile_all_scores, source), compile_windows]


def compile_windows() -> None:
    """Solve a small problem whose relaxation needs every kernel."""
    size = np.bitwise_count(colex_masks(5, 3))
    pool = ColexFamilyPool(5, 3, np.where(size == 2, 1.0, 0.0) - (size > 2))
    _run(pool, _incumbent(pool, Graph(5, ())), NO_CALLBACKS, sizes=(4,))
