"""Parent sets under knowledge about arcs (`common.graphs.knowledge`).

Forbidden arcs only exclude parent sets. For required arcs and edges, most of the work is done by
scores, so that every method keeps them:

* a variable whose parents R are required has only sets that contain R, and the empty set, with a large loss: searches
  need one set that is always possible;
* for an edge u - v that may have either direction, every set of v without u loses B, and every set of u with v gains B.
  A network has at most one of the two arcs, so this adds 0 if the edge is there, and -B if it is not.

B is larger than any difference of scores, so the best network has all of them, if there is one; its score is not
changed. A set is only useless beside a subset with the same members of R and the same ends of required edges.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..common.errors import DataError
from ..common.graphs.graph import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from ..common.graphs.knowledge import Knowledge

Block = tuple[np.ndarray, np.ndarray]  # parent sets of a variable, int32[m, k] padded with -1, and their scores
PARTNER, REQUIRED = 1, 2  # marks of variables, see `marks_of`


def marks_of(known: Knowledge | None, v: int, n: int) -> np.ndarray:
    """For a variable's possible parents: uint8[n], REQUIRED, or PARTNER at the end of a required edge, else 0."""
    marks = np.zeros(n, np.uint8)
    if known is not None:
        marks[list(known.partners(v))] = PARTNER
        marks[list(known.parents(v))] = REQUIRED
    return marks


def candidates_of(known: Knowledge | None, v: int, n: int) -> np.ndarray:
    """The possible parents of a variable, ascending: int64[c]."""
    if known is None:
        return np.flatnonzero(np.arange(n) != v)
    return np.flatnonzero(known.may[:, v])


def possible_sets(parents: np.ndarray, v: int, known: Knowledge | None) -> np.ndarray:
    """Which sets are allowed as parents of a variable, or empty: bool[m] for int32[m, k], padded with -1."""
    if known is None:
        return np.ones(len(parents), bool)
    may = np.append(known.may[:, v], True)  # the last for the padding
    holds = np.ones(len(parents), bool)
    for u in known.parents(v):
        holds &= (parents == u).any(axis=1)
    return may[parents].all(axis=1) & (holds | (parents < 0).all(axis=1))


def useful(parents: np.ndarray, scores: np.ndarray, fixed: Iterable[int], loss: float = 0.0) -> list[int]:
    """The places of sets without a subset, with the same members of `fixed`, that scores `loss` more, or as much.

    Parameters
    ----------
    parents : int32[m, k], padded with -1
    scores : float64[m]
    """
    kept: list[int] = []
    best: dict[tuple[int, ...], float] = {}
    same = {*fixed}
    for i in np.lexsort((np.arange(len(scores)), np.count_nonzero(parents >= 0, axis=1))):
        members = tuple(p for p in parents[i].tolist() if p >= 0)
        if not _is_matched(members, scores[i] + loss, best, same):
            best[members] = scores[i]
            kept.append(i)
    kept.sort()
    return kept


def _is_matched(members: tuple[int, ...], score: float, best: dict[tuple[int, ...], float], fixed: set[int]) -> bool:
    """Whether a proper subset in `best` ({tuple: score}) with the same members of `fixed` scores at least as well."""
    stay = fixed.intersection(members)
    if 1 << len(members) > len(best):
        return any(x >= score and stay <= set(s) <= set(members) for s, x in best.items())
    smaller = (s for size in range(len(stay), len(members)) for s in combinations(members, size) if stay <= set(s))
    return any(best.get(s, -np.inf) >= score for s in smaller)


def with_requirements(blocks: Sequence[Block], known: Knowledge, source: Any) -> tuple[list[Block], list[np.ndarray]]:
    """Blocks (parents, scores) in which required arcs decide, and which sets of each are not possible: bool[m].

    Parameters
    ----------
    blocks
        Of the sets that are possible, and the empty ones.
    source
        For messages.

    Raises
    ------
    DataError
        No set has the required parents.
    """
    loss = 1.0 + 2.0 * sum(float(scores.max() - scores.min()) for _, scores in blocks)
    changed = [scores.copy() for _, scores in blocks]
    artificial = [np.zeros(len(scores), bool) for scores in changed]
    for v, (parents, _) in enumerate(blocks):
        own = known.parents(v)
        if own:
            artificial[v][:] = (parents < 0).all(axis=1)
            if artificial[v].all():
                child, needed = shown([v], known.names), shown(own, known.names, ", ")
                raise DataError(f"no parent set of '{child}' has the required members: {needed}", source.source)
            changed[v][artificial[v]] -= loss
    for u, v in known.edges:
        ends = (blocks[v][0] == u).any(axis=1), (blocks[u][0] == v).any(axis=1)
        if not ends[0].any() and not ends[1].any():
            message = f"'{shown([u], known.names)}' and '{shown([v], known.names)}', whose edge is required"
            raise DataError(f"no parent set joins {message}", source.source)
        changed[v][~ends[0]] -= loss
        changed[u][ends[1]] += loss
    return [(parents, scores) for (parents, _), scores in zip(blocks, changed, strict=True)], artificial
