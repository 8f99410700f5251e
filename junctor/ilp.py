"""Optimal networks of some 20 to 60 variables: the method `ilp` of junctor, from scores to a proved network.

The steps: scores of all sets that may be cliques; a first network by local search; families and what bounds rule out;
the integer program of `junctor.cutting` with branching over edges (`junctor.branching`). Without a bound on cliques
the sets are those that the order bound of `junctor.bounds` leaves.
"""

import logging
import math
from dataclasses import dataclass

import numpy as np

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.errors import DataError, LimitError
from cliquewise.common.files.scorefile import CliqueScores
from cliquewise.common.graphs.chordal import bit_rows, chordal_score, graph_of
from cliquewise.common.kernel_cache import announced
from cliquewise.common.scores.all_scores import all_scores
from cliquewise.common.scores.allowed import complete_sets
from cliquewise.common.search.result import GAP_REACHED, OPTIMAL, LearnResult
from cliquewise.common.sets.set_orders import colex_masks, set_count
from cliquewise.junctor.bounds import possible_sets
from cliquewise.junctor.branching import prove
from cliquewise.junctor.families import Choice
from cliquewise.junctor.incumbent import ROUNDING, Incumbent

LOG = logging.getLogger("cliquewise")
MAX_VARIABLES = 64
ORDER_BOUND_FROM, ORDER_BOUND_UP_TO = 100_000, 26  # sets, variables
SET_BYTES, FAMILY_BYTES = 32, 120
FIRST_STEPS, MORE_STEPS = 25_000, 8_000  # of local search, a variable: to begin with, and from a rounded solution
SEARCHES = 20  # from rounded solutions


@dataclass(frozen=True)
class Progress:
    """What a proof looks like after a round.

    Attributes
    ----------
    seconds : float
    score : float
        Of the best network known.
    bound : float
        Of the part of the problem in work; the whole problem's while there is one part.
    node : int
        Which part that is.
    families, columns, rows : int
        Families left, and the size of the linear program.
    """

    seconds: float
    score: float
    bound: float
    node: int
    families: int
    columns: int
    rows: int


def solve(n, sets, scores, known, rules=None, may_go_on=lambda: True, on_round=lambda tightening: None):
    """Find the best network of given sets and prove that it is.

    Parameters
    ----------
    n : int
        Variables, 2 to 64.
    sets : uint64[m]
        Masks of the sets that may be complete, ascending; with a set all its subsets, and all single variables.
    scores : float64[m]
        Finite.
    known : Incumbent
        With the edges that every network must have; brought up to date.
    rules : Rules, optional
    may_go_on : callable
        Asked every round, and every second.
    on_round : callable taking a Tightening
        Called after every round.

    Returns
    -------
    Proof
    """
    choice, root = Choice(n, sets, scores), 0
    if known.near is None:
        known.score = float(n * choice.families.gain.min()) - 1.0  # less than every network's
    else:
        root = int(np.argmax(np.bitwise_count(known.near)))
    return prove(choice, root, known, rules, may_go_on, on_round)


def learn_by_cutting(source, scoring, config, monitor):
    """A chordal Markov network of the highest score, by cutting planes.

    Parameters
    ----------
    source : Dataset or CliqueScores
        Of at most 64 variables.
    scoring : Scoring
    config : Config
    monitor : Monitor
        A stop ends the work with the best network so far.

    Returns
    -------
    LearnResult
        Its iterations are the rounds, its upper bound what is proved.

    Raises
    ------
    DataError
        Too many variables; no network has a finite score or all required edges.
    LimitError
        More sets than the memory allowed holds.
    KeyboardInterrupt
        Stopped before any network was known.
    """
    with announced("junctor ilp"):
        problem = Problem(source, scoring, config, monitor)
        first = None if problem.required else problem.search(None, FIRST_STEPS, 1)
        monitor.start()
        if not problem.compute():
            if first is None:
                raise KeyboardInterrupt
            return LearnResult(first.graph, first.score, monitor.status)
        problem.bound_sets(first)
        known = problem.incumbent(first)
        reporter = Reporter(monitor, known)
        proof = solve(problem.n, problem.sets, problem.scores, known, None, monitor.may_go_on, reporter)
    if known.near is None:
        if proof.finished:
            raise DataError("no network has a finite score and all required edges", source.source)
        raise KeyboardInterrupt
    LOG.info("bound %.6f at the root, %d parts, %d rounds", proof.root_bound, proof.nodes, reporter.rounds)
    graph = graph_of(known.near.reshape(-1, 1), source.names)
    upper = max(known.score, proof.bound)
    proved = upper <= known.score + ROUNDING * (1.0 + abs(known.score))
    status = (OPTIMAL if proved else GAP_REACHED) if proof.finished else monitor.status
    return LearnResult(graph, problem.score(graph), status, reporter.rounds, upper)


class Reporter:
    """Tells of every round.

    Parameters
    ----------
    monitor : Monitor
    known : Incumbent

    Attributes
    ----------
    rounds, nodes : int
        How many there were.
    """

    def __init__(self, monitor, known):
        self._monitor, self._known = monitor, known
        self.rounds, self.nodes, self._work = 0, 0, None

    def __call__(self, work):
        """Take note of a Tightening."""
        self.rounds += 1
        self.nodes += work is not self._work
        self._work = work
        size = (work.left, len(work.program.columns), len(work.program.rows.base))
        score, bound = self._known.score, work.node.bound
        self._monitor.record(Progress(self._monitor.seconds, score, bound, self.nodes, *size))
        left = f"part {self.nodes}, {work.left} families left"
        self._monitor.progress(f"best {score:.4f}, bound {bound:.4f}, {left}")


class Problem:
    """The sets that may be complete and their scores.

    Parameters
    ----------
    source : Dataset or CliqueScores
    scoring : Scoring
    config : Config
    monitor : Monitor

    Attributes
    ----------
    n : int
    largest : int
        Size of the largest sets.
    sets : uint64[m]
    scores : float64[m]
        From `compute`, as `sets`.
    required : tuple of int
        Masks of the edges that must be there.
    """

    def __init__(self, source, scoring, config, monitor):
        self.n = source.n
        if self.n > MAX_VARIABLES:
            told = f"{self.n} variables; junctor takes at most {MAX_VARIABLES}, lsmarkov any number"
            raise DataError(told, source.source)
        self._source, self._scoring, self._config, self._monitor = source, scoring, config, monitor
        self.largest = min(config.max_clique or self.n, source.max_size)
        self._check_memory()
        self.required = () if config.required is None else tuple(1 << u | 1 << v for u, v in config.required.edges)

    def compute(self):
        """Compute the scores; whether that came to an end."""
        monitor = self._monitor
        if isinstance(self._source, Dataset):
            self.sets = colex_masks(self.n, self.largest)
            by, total = (self._scoring.score_type, self._scoring.ess), len(self.sets)

            def tell(done):
                monitor.progress(f"scores: {done:,} of {total:,}", done, total)

            how = {"threads": monitor.threads, "on_progress": tell, "may_go_on": monitor.may_go_on}
            self.scores = all_scores(self._source, *by, self.largest, **how)
        else:
            kept = np.bitwise_count(self._source.masks) <= self.largest
            self.sets, self.scores = self._source.masks[kept], self._source.scores[kept]
        if not monitor.may_go_on():
            return False
        self._keep_possible()
        return True

    def bound_sets(self, first):
        """Keep the sets that the order bound of `junctor.bounds` leaves, where there are many.

        Parameters
        ----------
        first : LearnResult or None
            A network.
        """
        if first is None or len(self.sets) < ORDER_BOUND_FROM or self.n > ORDER_BOUND_UP_TO:
            return
        dense = np.full(1 << self.n, -np.inf)
        dense[self.sets.astype(np.int64)] = self.scores
        every, monitor = len(self.sets), self._monitor
        masks, _ = possible_sets(self.n, dense, self.largest, first.score, monitor.map, monitor.may_go_on)
        if not monitor.may_go_on():
            return
        self.sets, self.scores = masks.astype(np.uint64), dense[masks]
        LOG.info("%d of %d sets can be in a better network", len(masks), every)

    def _check_memory(self):
        """Refuse what does not fit."""
        count = set_count(self.n, self.largest)
        if count >= ORDER_BOUND_FROM and self.n <= ORDER_BOUND_UP_TO and self._config.required is None:
            need = (24 + 4 * self.n) * 2**self.n
        else:
            need = count * (SET_BYTES + self.largest * FAMILY_BYTES)
        if need > (self._config.memory or math.inf):
            told = f"{count} sets of up to {self.largest} variables need {need / 1e9:.3g} GB"
            raise LimitError(f"{told}, {self._config.memory / 1e9:.3g} GB may be used (--memory); lower --max-clique")

    def _keep_possible(self):
        """Leave out what is not allowed or has no score, and everything that holds such a set."""
        good = np.isfinite(self.scores)
        if self._config.allowed is not None:
            good &= complete_sets(self.sets, self._config.allowed)
        singles = np.bitwise_count(self.sets) <= 1
        if not good[singles].all():
            raise DataError("no network has a finite score", self._source.source)
        if not good.all():
            self.sets, self.scores = with_all_subsets(self.sets, self.scores, good)

    def score(self, graph):
        """The score of a graph, summed over its cliques and separators."""

        def of(members):
            mask = np.uint64(sum(1 << v for v in members))
            at = min(np.searchsorted(self.sets, mask), len(self.sets) - 1)
            return float(self.scores[at]) if self.sets[at] == mask else -math.inf

        return chordal_score(graph, of)

    def incumbent(self, first):
        """The network to begin with, and the means to find better ones.

        Parameters
        ----------
        first : LearnResult or None
            Of a local search that knew nothing of required edges; None if there are any.

        Returns
        -------
        Incumbent
        """
        known = Incumbent(self.n, improve=self._searches(), gap=self._config.gap, required=self.required)
        graph = (first or self.search(None, FIRST_STEPS, 1)).graph
        edges = {1 << u | 1 << v for u, v in graph.edges}
        if edges.issuperset(self.required) and np.isfinite(self.score(graph)):
            known.near, known.score = bit_rows(graph)[:, 0], self.score(graph)
            LOG.info("local search found %.6f", known.score)
        return known

    def _searches(self):
        """What goes on from a network, a limited number of times."""
        seeds = iter(range(2, 2 + SEARCHES))

        def improve(near, score):
            seed = next(seeds, None)
            if seed is None or not self._monitor.may_go_on():
                return near, score
            graph = self.search(graph_of(near.reshape(-1, 1)), MORE_STEPS, seed).graph
            return bit_rows(graph)[:, 0], self.score(graph)

        return improve

    def search(self, start, steps, seed):
        """Local search; required edges are worth more than anything else.

        Parameters
        ----------
        start : Graph or None
        steps : int
            For each variable.
        seed : int

        Returns
        -------
        LearnResult
        """
        from cliquewise.lsmarkov.config import Config as Search
        from cliquewise.lsmarkov.learn import learn

        source = self._with_bonus() if self.required else self._source
        number = (self._config.seed - 1) * (SEARCHES + 1) + seed
        search = Search(max_clique=max(2, self.largest), init=start, allowed=self._config.allowed, seed=number)
        with self._monitor.part(iterations=steps * self.n) as part:
            return learn(source, self._scoring, search, part)

    def _with_bonus(self):
        """Clique scores in which every required edge adds much: a network's score grows by that for each it has."""
        whole = np.isfinite(self.scores)
        bonus = 10.0 * (1.0 + np.ptp(self.scores[whole]))
        count = sum((self.sets & np.uint64(edge) == np.uint64(edge)).astype(np.int64) for edge in self.required)
        masks = colex_masks(self.n, self.largest)
        scores = np.full(len(masks), -np.inf)
        scores[np.searchsorted(masks, self.sets)] = self.scores + bonus * count
        return CliqueScores(self.n, self.largest, masks, scores, self._source.source)


def with_all_subsets(sets, scores, good):
    """The good sets all of whose subsets are good.

    Parameters
    ----------
    sets : uint64[m]
        Ascending, with a set all its subsets.
    scores : float64[m]
    good : bool[m]

    Returns
    -------
    (uint64[k], float64[k])
    """
    kept = good.copy()
    for v in range(64):
        bit = np.uint64(1 << v)
        holding = np.flatnonzero(sets & bit)
        kept[holding] &= kept[np.searchsorted(sets, sets[holding] ^ bit)]
    return sets[kept], scores[kept]
