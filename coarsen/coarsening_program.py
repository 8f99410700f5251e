"""The coarsening program as plain data: which candidate edges to add in one step (Problem 2 of the paper).

A candidate is an edge u-v due to a minimal separator S of u and v (`coarsen.candidates`). With x = 1 for chosen
candidates,

    maximise   sum of x(u,v,S) d(u,v|S),      d(u,v|S) = s(S+u+v) + s(S) - s(S+u) - s(S+v)

    (1)  sum over S of x(u,v,S) <= 1                           for each pair u, v
    (2)  x(u,v,S) <= sum over R of x(u,s,R), and as for v      for each s in S with u-s not in the graph
    (3)  the edges due to S form a forest on the substantial components of the graph without S; for each set A of these,
         sum of x(u,v,S) between components in A <= |A| - 1

Proof that the result is chordal and has the claimed gain: by (2) both ends of u-v are adjacent to all of S once shorter
edges have been added (a candidate needs only shorter paths of the junction tree). By (3) no edges due to S have joined
the two components by then, so S still separates u from v. Then S is the set of common neighbours, the edge may be added
(`common.scores.edge_gain_kernels`), and it gains d(u,v|S). Nevertheless every step is checked: `coarsen.run.checked`
refuses a graph that is not chordal or has not gained the sum, and the tests try all assignments of small graphs.

A *forced* step (Section 5, FIC) takes degree - 1 edges due to each separator: (3) is an equation if A is the set of all
components. Edges of length 1 need nothing by (2), so the separators are independent and a maximum spanning tree over
the components of each is optimal: `greedy_choice` finds it.

Differences from the paper: (2) is split by s, which is tighter than the paper's sum over S. Constraints (3) of all
separators are equivalent to one: in the graph with one vertex per substantial component of each separator and one edge
per candidate between the two components it joins, the chosen edges must be a forest. Candidates that cannot matter are
left out (`coarsening_needs`). `coarsening_scip` solves the program, `coarsening_solutions` checks its solution.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .candidates import Candidates
from .coarsening_needs import NeededEdges, needs, possible, useful

LARGE_PROGRAM = 2000  # candidates; smaller problems are solved directly


@dataclass(frozen=True)
class ChoiceProblem:
    """The choice among m candidates.

    Attributes
    ----------
    found
        The candidates, with the components that each joins, (3).
    gains : float64[m]
    needs
        The edges that they need, (2).
    forced
        Whether every separator must be used up, with degree - 1 edges due to it (Section 5 of the paper).
    """

    found: Candidates
    gains: np.ndarray
    needs: NeededEdges
    forced: bool = False


def problem_of(
    found: Candidates, gains: np.ndarray, forced: bool = False, should_continue: Callable = lambda: True
) -> ChoiceProblem | None:
    """The problem of some candidates, without those that cannot matter.

    Parameters
    ----------
    gains : float64[m]
    should_continue
        Called often.

    Returns
    -------
    ChoiceProblem or None
        None once `should_continue` returns False.
    """
    if not should_continue():
        return None
    kept = gains > -np.inf
    found, gains = found.only(kept), gains[kept]
    while True:
        needed = needs(found, should_continue)
        if needed is None:
            return None
        kept = possible(found, needed)
        if kept.all() and not forced:  # a forced step also adds edges that lose
            kept = useful(found, needed, gains)
        if kept.all():
            return ChoiceProblem(found, gains, needed, forced)
        found, gains = found.only(kept), gains[kept]


def shorter(whole: ChoiceProblem, should_continue: Callable = lambda: True) -> list[ChoiceProblem]:
    """Problems with only the short candidates, each at most half as large as the next one or the whole.

    Parameters
    ----------
    should_continue
        Called often; once it returns False, no more problems follow.

    Returns
    -------
    list of ChoiceProblem
        By length, each a part of the next: a solution of one is a solution of all that follow.
    """
    found, size, parts = whole.found, len(whole.found), []
    for length in range(int(found.length.max(initial=1)) - 1, 0, -1):
        kept = found.length <= length
        if size > LARGE_PROGRAM and 0 < 2 * kept.sum() <= size:
            size = int(kept.sum())
            part = problem_of(found.only(kept), whole.gains[kept], whole.forced, should_continue)
            parts += [part] if part is not None and len(part.found) else []
    return parts[::-1]


class DisjointSets:
    """The trees of a forest that grows edge by edge (union-find with path halving)."""

    def __init__(self, size: int) -> None:
        self.parent = list(range(size))

    def root(self, node: int) -> int:
        """The representative of the node's tree."""
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def join(self, tail: int, head: int) -> bool:
        """Join two trees; False if the nodes are already in one tree."""
        tail, head = self.root(tail), self.root(head)
        self.parent[tail] = head
        return tail != head


def greedy_choice(problem: ChoiceProblem) -> np.ndarray:
    """A greedy solution: the best candidate whose needs are met is added repeatedly.

    In a forced problem also candidates that lose; edges of length 1 need nothing, so each separator can be used up.

    Returns
    -------
    bool[m]
    """
    found, needed = problem.found, problem.needs
    open_needs = np.bincount(needed.candidate, minlength=len(found))
    waiting: dict = {}
    for candidate, edge in zip(needed.candidate.tolist(), needed.edge.tolist(), strict=True):
        waiting.setdefault(edge, []).append(candidate)
    gains_enough = problem.gains > (-np.inf if problem.forced else 0.0)
    queue = [(-problem.gains[i], i) for i in np.flatnonzero(gains_enough & (open_needs == 0)).tolist()]
    heapq.heapify(queue)
    forest, taken = DisjointSets(int(found.degrees.sum())), set()
    pair = found.pair.tolist()
    chosen = np.zeros(len(found), bool)
    while queue:
        _, i = heapq.heappop(queue)
        if pair[i] in taken or not forest.join(found.tails[i], found.heads[i]):
            continue
        taken.add(pair[i])
        chosen[i] = True
        for j in waiting.get(pair[i], ()):
            open_needs[j] -= 1
            if open_needs[j] == 0 and gains_enough[j]:
                heapq.heappush(queue, (-problem.gains[j], j))
    return chosen
