"""Sets of vertices for which a solution of the relaxation of `twlearn.milp_scip` violates a constraint.

The programs of `twlearn.milp_cutting` and `twlearn.networks_scip` have theirs from `twlearn.milp_separation`.

For up to `MAX_ENUMERATED` vertices all 2^n sets are checked, so that nothing is missed: O(n^2 2^n) steps on whole
arrays. With more vertices, sets are grown greedily from every vertex. An integral solution with a cycle violates the
constraint of the set that remains when vertices without parents are removed repeatedly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .families import ScoredFamilies

MAX_ENUMERATED = 15  # vertices up to which all sets are checked
MAX_SETS = 20  # largest number of sets returned per kind
TOLERANCE = 1e-4  # smallest violation of a constraint


def most_edges(m: Any, w: int) -> Any:
    """Largest number of edges of a graph of treewidth w on m >= w vertices."""
    return w * m - w * (w + 1) // 2


def cyclic_part(parents: Mapping[int, set[int]]) -> list[int]:
    """The vertices that remain when those without a parent among the others are removed; none without a cycle.

    >>> cyclic_part({0: {1}, 1: {0}, 2: {0}, 3: set()})
    [0, 1, 2]
    """
    left = set(parents)
    while free := [v for v in left if left.isdisjoint(parents[v])]:
        left.difference_update(free)
    return sorted(left)


class ViolatedSets:
    """Finds violated sets for one program.

    Parameters
    ----------
    families
    w
        Bound on the treewidth.
    arcs : list of (int, int)
        The pairs that the values of y belong to.
    """

    def __init__(self, families: ScoredFamilies, w: int, arcs: list[tuple[int, int]]) -> None:
        n = families.n
        self.n, self.w = n, w
        self.owner = families.child
        self.has = np.zeros((len(families.scores), n), bool)
        for column in families.parents.T:
            rows = np.flatnonzero(column >= 0)
            self.has[rows, column[rows]] = True
        self.tails, self.heads = np.array(arcs).T
        self.masks = self.members = None
        if n <= MAX_ENUMERATED:
            self.masks = self.has @ (1 << np.arange(n))
            self.members = (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(float)
            sizes = self.members.sum(axis=1)
            self.allowed = np.where(sizes > w + 1, most_edges(sizes, w), np.inf)

    def free_families(self, cluster: list[int]) -> list[int]:
        """The families of a cluster's vertices without a parent in it: a list of rows, one of which must be chosen."""
        return np.flatnonzero(np.isin(self.owner, cluster) & ~self.has[:, cluster].any(axis=1)).tolist()

    def cycle(self, p: np.ndarray) -> list[list[int]]:
        """The set that remains when vertices without a parent among the others are removed: a list of one, or empty.

        Parameters
        ----------
        p : float64[families], each about 0 or 1
        """
        rows = np.flatnonzero(p > 0.5)
        left = cyclic_part({int(self.owner[row]): set(np.flatnonzero(self.has[row]).tolist()) for row in rows})
        return [left] if left else []

    def cluster_cuts(self, p: np.ndarray) -> list[list[int]]:
        """Cluster cuts, against cycles: the families without parents inside have too little weight. Worst first.

        Parameters
        ----------
        p : float64[families]
        """
        rows = np.flatnonzero(p > 1e-9)
        if self.masks is None:
            return self._grown_cluster_cuts(p, rows)
        n = self.n
        inside = np.zeros((n, 1 << n))  # for each vertex and set, the weight of its families inside the set
        np.add.at(inside, (self.owner[rows], self.masks[rows]), p[rows])
        for u in range(n):
            view = inside.reshape(n, -1, 2, 1 << u)
            view[:, :, 1] += view[:, :, 0]
        total = np.zeros(1 << n)
        sets = np.arange(1 << n)
        for v in range(n):
            total += np.where(sets >> v & 1, inside[v, ::-1], 0.0)
        total[0] = 1.0
        worst = np.flatnonzero(total < 1.0 - TOLERANCE)
        worst = worst[np.argsort(total[worst], kind="stable")][:MAX_SETS]
        return [[v for v in range(n) if mask >> v & 1] for mask in worst.tolist()]

    def _grown_cluster_cuts(self, p: np.ndarray, rows: np.ndarray) -> list[list[int]]:
        """Clusters grown from every vertex, each time by the vertex that increases the violation most."""
        n = self.n
        found: dict[tuple[int, ...], float] = {}
        has, owner, weight = self.has[rows], self.owner[rows], p[rows]
        for seed in range(n):
            cluster = [seed]
            clear = ~has[:, seed]  # families without a parent in the cluster
            for _ in range(min(n - 1, 12)):
                outside = [v for v in range(n) if v not in cluster]
                inner = np.isin(owner, cluster) & clear
                totals = [weight[(inner | (clear & (owner == v))) & ~has[:, v]].sum() for v in outside]
                best = int(np.argmin(totals))
                cluster.append(outside[best])
                clear &= ~has[:, outside[best]]
                if totals[best] < 1.0 - TOLERANCE:
                    found.setdefault(tuple(sorted(cluster)), totals[best])
        return [list(cluster) for cluster in sorted(found, key=lambda cluster: found[cluster])][:MAX_SETS]

    def edge_count_cuts(self, y: np.ndarray) -> list:
        """Sets with more edges than treewidth w allows, as lists of vertices.

        Parameters
        ----------
        y : float64[arcs]
        """
        joined = np.zeros((self.n, self.n))
        np.add.at(joined, (self.tails, self.heads), y)
        joined += joined.T
        return self._grown_cliques(joined) if self.members is None else self._enumerated_edge_count_cuts(joined)

    def _enumerated_edge_count_cuts(self, joined: np.ndarray) -> list[list[int]]:
        """Of all sets those with too many edges, the largest excess first."""
        assert self.members is not None
        edges = ((self.members @ joined) * self.members).sum(axis=1) / 2
        worst = np.flatnonzero(edges > self.allowed + TOLERANCE)
        worst = worst[np.argsort(self.allowed[worst] - edges[worst], kind="stable")][:MAX_SETS]
        return [np.flatnonzero(self.members[mask]).tolist() for mask in worst]

    def _grown_cliques(self, joined: np.ndarray) -> list[tuple[int, ...]]:
        """Sets of w + 2 vertices with too many edges, grown from every vertex."""
        size = self.w + 2
        found: dict[tuple[int, ...], None] = {}
        for seed in range(self.n if size < self.n else 0):
            members, pull = [seed], joined[seed].copy()
            while len(members) < size:
                pull[members] = -1.0
                members.append(int(np.argmax(pull)))
                pull = joined[members].sum(axis=0)
            if joined[np.ix_(members, members)].sum() / 2 > most_edges(size, self.w) + TOLERANCE:
                found[tuple(sorted(members))] = None
        return list(found)
