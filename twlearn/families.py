"""The possible parent sets of each variable, with their local scores: the input of a learner of Bayesian networks.

A set is left out if one of its subsets scores at least as well: in any network the subset can replace the set, and the
moral graph only loses edges. For networks nearly as good, sets are kept that lose less than some score. A set of more
than `treewidth` parents is also left out, because it would give too large a clique in the moral graph.

From data the score of P for v is s(P + v) - s(P), with s the score of a set (`common.scores.scorer`); or the scores
come from a file in Cussens' layout (`common.files.parentsets`). From data, all sets are scored if there are not too
many, otherwise those that a search finds (`twlearn.parent_search`).

Cost for all sets: one score per set of up to max_parents + 1 variables, O(rows) each; memory for all these, and then
for the remaining sets.
"""

from typing import Any, NamedTuple

import numpy as np

from ..common.data.dataset import Dataset
from ..common.errors import DataError, LimitError
from ..common.exact.tables import PRICE_OF_EDGE
from ..common.files.parentsets import ParentSets
from ..common.files.scorefile import CliqueScores
from ..common.graphs.knowledge import Knowledge
from ..common.run.monitor import Monitor
from ..common.scores.scorer import SetScorer
from ..common.scores.scoring import Scoring
from ..common.sets.set_orders import set_count, set_counts
from .config import Config
from .families_kernels import FamilyScratch, useful_sets
from .known_families import Block, candidates_of, marks_of, possible_sets, useful, with_requirements
from .parent_search import searched_blocks

MANY_SETS = 5_000_000  # sets of a variable and its parents; if there are more, not all are scored (3 parents: n >= 105)


class ScoredFamilies(NamedTuple):
    """Parent sets with scores; those of v are the rows start[v] : start[v + 1], by decreasing score.

    start : int64[n + 1]
    parents : int32[m, kmax], each ascending and padded with -1; the last of each block is the empty set, unless sets
        are kept that score less
    scores : float64[m], finite; natural logarithms, larger is better; less `arc_price` for each parent
    arc_price : a tiny number: of networks with equal scores, the best has the fewest arcs
    artificial : int64[], rows of sets that are not possible, and only there so that each variable has an empty one
    """

    start: np.ndarray
    parents: np.ndarray
    scores: np.ndarray
    arc_price: float = 0.0
    artificial: np.ndarray = np.zeros(0, np.int64)

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.start) - 1

    @property
    def child(self) -> np.ndarray:
        """The variable of each parent set: int64[m]."""
        return np.repeat(np.arange(self.n), np.diff(self.start))


def families_of(
    source: Dataset | CliqueScores | ParentSets, scoring: Scoring, config: Config, monitor: Monitor, loss: float = 0.0
) -> ScoredFamilies | None:
    """The useful parent sets of every variable.

    Parameters
    ----------
    source : Dataset, CliqueScores or ParentSets
    scoring
        Scores from a file are used unchanged.
    config
        Its bounds on parents, `parent_sets` and `cache_mb`; its prior knowledge, see `twlearn.known_families`; its
        template, whose parent sets are added to those of a search.
    monitor
        Checked from time to time; if it stops the run, the result is None.
    loss
        Sets are kept that score less than this below a subset, >= 0; only of sets that are not searched.

    Returns
    -------
    ScoredFamilies or None

    Raises
    ------
    LimitError
        Too many sets for the memory.
    DataError
        A file that gives a variable no finite score without parents, or not the parents that it must have.
    """
    blocks: list[Block] | None
    if isinstance(source, ParentSets):
        blocks = [_listed(source, v, config, loss) for v in range(source.n)]
    elif isinstance(source, Dataset) and is_searched(source, config):
        blocks = searched_blocks(source, scoring, config, monitor)
    else:
        blocks = _computed(source, scoring, config, monitor, loss)
    return None if blocks is None else _families(blocks, source, config.known, is_pruned=not loss)


def _families(blocks: list[Block], source: Any, known: Knowledge | None, is_pruned: bool) -> ScoredFamilies:
    """The families of all variables from their blocks: arcs have their price, and required arcs decide.

    Parameters
    ----------
    is_pruned
        Whether sets that then score less than the empty one are left out.
    """
    price = PRICE_OF_EDGE * (1.0 + max(float(np.abs(scores).max()) for _, scores in blocks))
    blocks = [(parents, scores - price * (parents >= 0).sum(axis=1)) for parents, scores in blocks]
    artificial = [np.zeros(len(scores), bool) for _, scores in blocks]
    if known is not None:
        blocks, artificial = with_requirements(blocks, known, source)
    orders = [_by_score(parents, scores) for parents, scores in blocks]
    if is_pruned:
        orders = [_up_to_empty(parents, order) for (parents, _), order in zip(blocks, orders, strict=True)]
    start = np.cumsum([0, *map(len, orders)])
    every = np.full((start[-1], max(parents.shape[1] for parents, _ in blocks)), -1, np.int32)
    for first, (parents, _), order in zip(start, blocks, orders, strict=False):
        every[first : first + len(order), : parents.shape[1]] = parents[order]
    scores = np.concatenate([scores[order] for (_, scores), order in zip(blocks, orders, strict=True)])
    is_artificial = np.concatenate([one[order] for one, order in zip(artificial, orders, strict=True)])
    return ScoredFamilies(start.astype(np.int64), every, scores, price, np.flatnonzero(is_artificial))


def is_searched(source: Dataset | CliqueScores | ParentSets, config: Config) -> bool:
    """Whether parent sets are searched instead of scoring all: only those of data, on request or if they are many."""
    if not isinstance(source, Dataset):
        return False
    return config.parent_sets is not None or set_count(source.n, config.largest_parent_set + 1) > MANY_SETS


def _computed(
    source: Dataset | CliqueScores, scoring: Scoring, config: Config, monitor: Monitor, loss: float
) -> list[Block] | None:
    """A block for each variable of a Dataset or CliqueScores; None if stopped."""
    scorer = SetScorer(source, scoring, config.cache_mb, monitor.threads)
    n, known = scorer.n, config.known
    max_parents = min(config.largest_parent_set, n - 1, scorer.largest_set - 1)
    idle, counts_below = list(scorer.scratch), set_counts(max(n - 1, 1), max_parents)

    def block(v: int) -> Block:
        scratch, candidates = idle.pop(), candidates_of(known, v, n)
        count = set_count(len(candidates), max_parents)
        others, bits = np.zeros(max_parents + 1, np.int64), np.zeros(scorer.words, np.uint64)
        work = FamilyScratch(others, bits, np.empty(count), np.empty((count, max_parents), np.int32), np.empty(count))
        marks = marks_of(known, v, n)
        kept = useful_sets(v, candidates, marks, scorer.scores, scratch, counts_below, work, loss)
        idle.append(scratch)
        return _sorted(work.parents[:kept], work.scores[:kept])

    try:
        scorer.precompute(max_parents + 1, monitor.map, monitor.should_continue, monitor.reporter.phase("parent sets"))
    except LimitError as error:
        raise LimitError(f"{error}, or a smaller --max-parents") from None
    blocks = list(monitor.map(lambda v: block(v) if monitor.should_continue() else None, range(n)))
    if not monitor.should_continue():
        return None
    for v, (_, scores) in enumerate(blocks):
        if not np.isfinite(scores).all():
            name = v if source.names is None else f"'{source.names[v]}'"
            raise DataError(f"variable {name} scores minus infinity without parents", source.source)
    return blocks


def _listed(source: ParentSets, v: int, config: Config, loss: float) -> Block:
    """The block of variable v from a file."""
    parents, scores, max_parents, known = source.parents[v], source.scores[v], config.largest_parent_set, config.known
    sizes = np.count_nonzero(parents >= 0, axis=1)
    if not np.isfinite(scores[sizes == 0]).any():
        what = f"variable '{source.names[v]}' has no finite score without parents; add the line 'score 0'"
        raise DataError(what, source.source)
    allowed = (sizes <= max_parents) & np.isfinite(scores) & possible_sets(parents, v, known)
    parents, scores = _sorted(parents[allowed][:, :max_parents], scores[allowed])
    kept = useful(parents, scores, np.flatnonzero(marks_of(known, v, source.n)), loss)
    return parents[kept], scores[kept]


def _sorted(parents: np.ndarray, scores: np.ndarray) -> Block:
    """The block by decreasing score."""
    order = _by_score(parents, scores)
    return np.ascontiguousarray(parents[order], np.int32), scores[order]


def _up_to_empty(parents: np.ndarray, order: np.ndarray) -> np.ndarray:
    """An order without the sets behind the empty one: rounding made them better, the price of their arcs worse."""
    empty = (parents[order] < 0).all(axis=1)
    return order[: int(np.argmax(empty)) + 1]


def _by_score(parents: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Its order by decreasing score; of equal scores, the smaller set first, then the smaller members: int64[m]."""
    keys = [parents[:, k] for k in range(parents.shape[1] - 1, -1, -1)]
    return np.lexsort((*keys, np.count_nonzero(parents >= 0, axis=1), -scores))
