"""The best Bayesian networks known, or classes of equivalent ones, and those next to them.

Two networks are equivalent if they describe the same independences; by scores of sets of variables they score the same.
So a class is one result, and one of its networks within all bounds stands for it. Scores from a parent-set file need
not be like that: there each network is a result.

The lower the score of the last network wanted, the longer the proof that there are no others (`twlearn.listing_scip`).
But networks of high scores differ in few arcs: from each network of interest, the best first, all those are taken that
differ from it by one arc added, removed or reversed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..common.bounds.solution_pool import SolutionPool, ranked
from ..common.graphs.dag import Dag
from ..common.sets.masks import members
from .obstructions import graph_of_cliques, is_wider
from .silander_myllymaki import masks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..common.graphs.knowledge import Knowledge
    from .families import ScoredFamilies

Parents = tuple[int, ...]  # of each variable, as masks


class BestBayesianNetworks(SolutionPool):
    """The best networks known; like all scores here theirs are less the price of arcs.

    Parameters
    ----------
    families
        All that networks may have, of at most 64 variables.
    w
        Bound on the treewidth.
    most, within
        N >= 1 networks are wanted, none of which scores more than `within` less than the best.
    by_class
        Whether equivalent networks are one.
    known
        Arcs and edges that every network must have.
    should_continue
        Called for each network.
    """

    def __init__(
        self,
        families: ScoredFamilies,
        w: int,
        most: int,
        within: float,
        by_class: bool,
        known: Knowledge | None,
        should_continue: Callable,
    ) -> None:
        super().__init__(most, within)
        self.n, self.w, self.by_class = families.n, w, by_class
        self._edges = () if known is None else known.edges
        self._price, self._should_continue = families.arc_price, should_continue
        masks, artificial = masks_of(families.parents).tolist(), set(families.artificial.tolist())
        self._family_scores: list[dict[int, float]] = [{} for _ in range(self.n)]
        for row, (v, score) in enumerate(zip(families.child.tolist(), families.scores.tolist(), strict=True)):
            if row not in artificial:
                self._family_scores[v][masks[row]] = score

    def offer(self, network: Parents) -> None:
        """Add a network within all bounds, and the neighbours of interest of all networks added."""
        self.add(self.identity(network), network, self._score(network))
        while self._should_continue() and (taken := self.next()) is not None:
            for other in self._neighbours(*taken):
                self.add(self.identity(other), other, self._score(other))

    def networks(self) -> tuple[tuple[Dag, float], ...]:
        """Those wanted with their scores, the best first; tied ones by their number of arcs, then by these."""
        scored = [(Dag.from_parents([list(members(own)) for own in network]), network) for network in self.wanted()]
        return ranked([(dag, self._unpriced(network)) for dag, network in scored])[: self.most]

    def identity(self, network: Parents) -> Any:
        """What equal results have in common: of equivalent networks, their edges and colliders."""
        if not self.by_class:
            return network
        near = [own | sum(1 << v for v in range(self.n) if network[v] >> u & 1) for u, own in enumerate(network)]
        colliders = [(v, u, own & ~near[u] & ~((2 << u) - 1)) for v, own in enumerate(network) for u in members(own)]
        return tuple(near), frozenset(each for each in colliders if each[2])

    def _score(self, network: Parents) -> float:
        return math.fsum(scores[own] for scores, own in zip(self._family_scores, network, strict=True))

    def _unpriced(self, network: Parents) -> float:
        return self._score(network) + self._price * sum(own.bit_count() for own in network)

    def _neighbours(self, score: float, network: Parents) -> Iterator[Parents]:
        """The networks of interest with one arc added, removed or reversed."""
        for changed in self._changed(network):
            gain = sum(
                scores.get(new, -math.inf) - scores[old]
                for scores, old, new in zip(self._family_scores, network, changed, strict=True)
                if new != old
            )
            if gain > -math.inf and self.is_of_interest(score + gain) and self._is_possible(changed):
                yield changed

    def _changed(self, network: Parents) -> Iterator[Parents]:
        for v, own in enumerate(network):
            for u in range(self.n):
                if u == v or network[u] >> v & 1:
                    continue
                changed = list(network)
                changed[v] = own ^ 1 << u
                yield tuple(changed)
                if own >> u & 1:
                    changed[u] |= 1 << v
                    yield tuple(changed)

    def _is_possible(self, network: Sequence[int]) -> bool:
        """Whether a network has no cycle, the treewidth, and the edges that it must have."""
        families = [own | 1 << v for v, own in enumerate(network)]
        if any(not (network[u] >> v | network[v] >> u) & 1 for u, v in self._edges):
            return False
        if Dag.from_parents([*map(members, network)]).order() is None:
            return False
        return is_wider(graph_of_cliques(dict(enumerate(families))), self.w) is False
