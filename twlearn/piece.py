"""A piece of a network as a separate problem for any method (BN-SLIM: Ramaswamy and Szeider 2021).

The piece contains the variables S of a connected set of bags. The variables outside keep their families and are
attached to S by separators. So that any solution can be put back,

* each separator must remain a clique. A new variable is added for it, whose only parent set is the separator: so its
  members are always joined in the moral graph.
* there must be no directed cycle through the outside. A family with parents outside is the variable's current one; in
  the piece its parents outside are replaced by their nearest ancestors in S, which all are in one separator. So every
  cycle in the whole network would be a cycle in the piece.

A variable may have any family inside S, or its current one. BN-SLIM differs: it forbids cycles
through the outside by arcs among the separators, and solves the piece by MaxSAT.

Cost: O(families of S), and a search for the ancestors of the parents outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..common.graphs.dag import Dag
from ..common.graphs.graph import Graph
from .families import ScoredFamilies
from .template import Template

if TYPE_CHECKING:
    from ..common.run.result import LearnResult
    from .bag_tree import BagTree


class Piece(NamedTuple):
    """The problem, and the data to map its solution back.

    families : ScoredFamilies, of the members and of one variable for each separator behind them
    members : list of int, ascending
    template : Template, the current network
    rows : list of dict of (tuple of int) to int, for each member its parent sets in the piece and their rows in the
        whole
    score : float, of the current network in the piece
    """

    families: ScoredFamilies
    members: list
    template: Template
    rows: list
    score: float


def piece_of(families: ScoredFamilies, rows: np.ndarray, tree: BagTree, chosen: set[int], members: set[int]) -> Piece:
    """The problem of improving a part of a network.

    Parameters
    ----------
    families
        Of all variables.
    rows : int64[n]
        The current network.
    chosen : set of int
        A connected set of bags.
    members : set of int
        Their variables.

    Returns
    -------
    Piece
    """
    ordered = sorted(members)
    local = np.full(families.n + 1, -1, np.int64)
    local[ordered] = np.arange(len(ordered))
    local[-1] = -2  # the padding of parent sets
    blocks, current = [], []
    for v in ordered:
        listed = slice(families.start[v], families.start[v + 1])
        parents = local[families.parents[listed]]
        inside = np.flatnonzero((parents != -1).all(axis=1))
        block = {}
        for i, listed_parents in zip(inside.tolist(), parents[inside].tolist(), strict=True):
            block[tuple(p for p in listed_parents if p >= 0)] = int(listed.start) + i
        own = _current_parents(families, rows, local, v)
        if own not in block or families.scores[block[own]] < families.scores[rows[v]]:
            block[own] = int(rows[v])
        blocks.append(block)
        current.append(own)
    separators = _maximal([frozenset(int(local[v]) for v in s) for s, _ in tree.separators(chosen) if len(s) > 1])
    return _problem(families, ordered, blocks, current, separators, [tree.bags[b] for b in sorted(chosen)], local)


def _current_parents(families: ScoredFamilies, rows: np.ndarray, local: np.ndarray, v: int) -> tuple[int, ...]:
    """The current parents of v in the piece: those outside replaced by their nearest ancestors inside, ascending."""
    found, seen, stack = set(), set(), [v]
    while stack:
        for p in families.parents[rows[stack.pop()]].tolist():
            if p >= 0 and p not in seen:
                seen.add(p)
                if local[p] >= 0:
                    found.add(int(local[p]))
                else:
                    stack.append(p)
    return tuple(sorted(found))


def _maximal(sets: list[frozenset[int]]) -> list[frozenset[int]]:
    """The maximal sets, each once."""
    kept: list[frozenset[int]] = []
    for one in sorted({*sets}, key=lambda s: (-len(s), sorted(s))):
        if not any(one <= other for other in kept):
            kept.append(one)
    return kept


def _problem(
    families: ScoredFamilies,
    members: list[int],
    blocks: list[dict[tuple[int, ...], int]],
    current: list[tuple[int, ...]],
    separators: list[frozenset[int]],
    bags: list[frozenset[int]],
    local: np.ndarray,
) -> Piece:
    """The Piece from the members' parent sets (`blocks`), the current ones and the separators."""
    scored = [{own: float(families.scores[row]) for own, row in block.items()} for block in blocks]
    forbidden = -1.0 - 10.0 * sum(max(block.values()) - min(block.values()) for block in scored)
    scored += [{tuple(sorted(s)): 0.0, (): forbidden} for s in separators]
    width = max(1, *(len(own) for block in scored for own in block))
    start, parents, scores = [0], [], []
    for block in scored:
        for own in sorted(block, key=lambda own: (-block[own], len(own), own)):
            parents.append((*own, *[-1] * (width - len(own))))
            scores.append(block[own])
            if not own:  # the current family may be that without parents inside: then lower scores are useless
                break
        start.append(len(scores))
    found = ScoredFamilies(np.array(start, np.int64), np.array(parents, np.int32), np.array(scores))
    n, size = found.n, len(members)
    cliques = [[int(local[v]) for v in bag] for bag in bags]
    graph = Graph.from_cliques(n, [*cliques, *((size + i, *s) for i, s in enumerate(separators))])
    inner = Dag.from_parents(current).order()
    assert inner is not None
    order = (*inner, *range(size, n))
    score = sum(scored[i][own] for i, own in enumerate(current))
    return Piece(found, members, Template(graph, order), blocks, score)


def put_back(piece: Piece, result: LearnResult) -> tuple[dict[int, int], Graph, tuple[int, ...]]:
    """Map a solution back to the whole network.

    Parameters
    ----------
    result
        Of its families.

    Returns
    -------
    (dict of int to int, Graph, tuple of int)
        The row of each member; the moral graph on the members and the separators' variables; its elimination order.
    """
    assert isinstance(result.graph, Dag)
    parents = result.graph.parents()
    rows = {v: piece.rows[i][parents[i]] for i, v in enumerate(piece.members)}
    return rows, result.graph.moral(), result.order or ()
