"""Prior knowledge about the arcs of a Bayesian network, as constraints on a search.

A user states required and forbidden arcs, tiers (no arc from a later tier to an earlier one), an order of all
variables, roots (without parents) and leaves (without children), and edges, which are arcs of either direction. All
this is compiled into one record: the allowed arcs, the required arcs, and the required edges, which may have either
direction. An edge with only one allowed direction becomes a required arc, as does an edge whose other direction would
close a cycle of arcs. Statements that contradict each other, or the bounds, are refused with an error that names them.
"""

from __future__ import annotations

from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..errors import UsageError
from .dag import Dag
from .graph import Graph, shown
from .pdag import Pdag, cpdag, with_directions
from .treewidth import treewidth

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .statements import Statements

TREEWIDTH_WORK = 300_000  # sets times vertices: of the search for the treewidth of the required arcs and edges
_ADVICE = "remove it from one of them"


@dataclass(frozen=True)
class Knowledge:
    """The constraints on a search.

    Attributes
    ----------
    may : bool[n, n]
        Whether there may be an arc from the first variable to the second.
    arcs : tuple of (int, int)
        The required arcs.
    edges : tuple of (int, int)
        The required edges, u < v, of which both directions are allowed.
    names : tuple of str or None
        Of the variables, for messages.
    """

    may: np.ndarray
    arcs: tuple
    edges: tuple
    names: tuple[str, ...] | None = None

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.may)

    @property
    def total_order(self) -> np.ndarray | None:
        """An order that all allowed arcs follow, int64[n]; None if there is none."""
        order = self.order
        return None if np.tril(self.may[np.ix_(order, order)]).any() else order

    @property
    def order(self) -> np.ndarray:
        """An order of the variables, int64[n], that all allowed arcs follow which are in no cycle of allowed arcs.

        Variables in such cycles are consecutive, in an order that all required arcs follow.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        count, label = connected_components(csr_array(self.may), directed=True, connection="strong")
        u, v = np.nonzero(self.may)
        between = {(a, b) for a, b in zip(label[u].tolist(), label[v].tolist(), strict=True) if a != b}
        blocks = Dag(count, tuple(sorted(between))).order()
        inside = Dag(self.n, self.arcs).order()
        assert blocks is not None and inside is not None
        place = np.argsort(blocks)
        return np.array(sorted(inside, key=lambda w: place[label[w]]), np.int64)

    def parents(self, v: int) -> tuple[int, ...]:
        """The required parents of a variable, ascending."""
        return tuple(sorted(u for u, child in self.arcs if child == v))

    def admits(self, v: int, parents: tuple[int, ...]) -> bool:
        """Whether a variable may have these parents; required edges are not checked."""
        return all(self.may[u, v] for u in parents) and set(self.parents(v)) <= set(parents)

    def partners(self, v: int) -> tuple[int, ...]:
        """The other ends of the required edges of a variable, ascending."""
        return tuple(sorted(u + w - v for u, w in self.edges if v in (u, w)))

    def directed(self, arcs: Sequence[tuple[int, int]]) -> Knowledge:
        """The same knowledge, with each required edge in the direction that it has among some arcs."""
        here = {*arcs}
        found = tuple(edge if edge in here else edge[::-1] for edge in self.edges)
        may = self.may.copy()
        for u, v in found:
            may[v, u] = False
        return Knowledge(may, tuple(sorted((*self.arcs, *found))), (), self.names)

    def lacking(self, dag: Dag) -> tuple[int, int] | None:
        """The first required arc or edge that a network lacks; None if it has all."""
        arcs = {*dag.arcs}
        missing = [arc for arc in self.arcs if arc not in arcs]
        missing += [edge for edge in self.edges if edge not in arcs and edge[::-1] not in arcs]
        return missing[0] if missing else None

    def shown(self, arc: tuple[int, int]) -> str:
        """The required arc or edge between two variables, for a message: `arc A -> B` or `edge A - B`."""
        return self.arrow(arc) if arc in self.arcs else f"edge {shown(arc, self.names, ' - ')}"

    def arrow(self, arc: tuple[int, int]) -> str:
        """An arc in a message."""
        return f"arc {shown(arc, self.names, ' -> ')}"


def knowledge_of(stated: Statements, n: int, names: tuple[str, ...] | None = None) -> Knowledge | None:
    """The Knowledge of some statements.

    Parameters
    ----------
    n
        Number of variables.

    Returns
    -------
    Knowledge or None
        None if nothing is stated.

    Raises
    ------
    UsageError
        Statements that contradict each other.
    """
    if not stated.counts():
        return None
    against = _exclusions(stated, n)
    _check_order(stated, names)
    may = ~np.eye(n, dtype=bool)
    for barred in against.values():
        may &= ~barred
    arcs = {tuple(arc): "--required-arcs" for arc in stated.required_arcs}
    for arc in sorted(arcs):
        if not may[arc]:
            found = f"{shown(arc, names, ' -> ')} contradicts {_why(arc, against)}"
            raise UsageError(f"--required-arcs: {found}; {_ADVICE}")
    edges = set() if stated.required is None else {*stated.required.edges}
    edges -= {(min(arc), max(arc)) for arc in arcs}
    _direct(edges, arcs, may, against, names)
    _check_cycle(arcs, n, names)
    while edges:
        ancestors = _ancestors(arcs, n)
        directed = {(u, v) for u, v in edges if ancestors[u, v] or ancestors[v, u]}
        for u, v in sorted(directed):
            arcs[(u, v) if ancestors[u, v] else (v, u)] = "--required-edges"
        edges -= directed
        if not directed:
            break
        _check_cycle(arcs, n, names)
    for u, v in arcs:
        may[v, u] = False
    return Knowledge(may, tuple(sorted(arcs)), tuple(sorted(edges)), names)


def class_of(dag: Dag, known: Knowledge | None) -> Pdag:
    """The networks that are equivalent to one and agree with the knowledge, as a graph.

    Parameters
    ----------
    dag
        Acyclic; it agrees with the knowledge.

    Returns
    -------
    Pdag
        The CPDAG if nothing is known. Bounds on the number of parents are ignored.
    """
    found = cpdag(dag)
    return found if known is None else with_directions(found, [(u, v) for u, v in dag.arcs if not known.may[v, u]])


def check_bounds(known: Knowledge, treewidth_bound: int, max_parents: int | None) -> None:
    """Refuse required arcs and edges that the bounds on a network do not allow.

    Parameters
    ----------
    treewidth_bound
        On the moral graph, >= 1.
    max_parents
        None: unbounded.

    Raises
    ------
    UsageError
    """
    for v in sorted({v for _, v in known.arcs}):
        own = known.parents(v)
        if max_parents is not None and len(own) > max_parents:
            message = f"{shown([v], known.names)} must have the {len(own)} parents {shown(own, known.names, ', ')}"
            raise UsageError(f"--max-parents {max_parents}: {message}; raise the bound or require fewer arcs")
    members = sorted({v for pair in (*known.arcs, *known.edges) for v in pair})
    if not members:
        return
    place = {v: i for i, v in enumerate(members)}
    moral = {*Dag(known.n, known.arcs).moral().edges, *known.edges}
    graph = Graph(len(members), tuple(sorted((place[u], place[v]) for u, v in moral)))
    found = treewidth(graph, treewidth_bound, TREEWIDTH_WORK)
    if found.lower > treewidth_bound:
        message = f"the arcs and edges required have a moral graph of treewidth {found.lower} or more"
        raise UsageError(f"--treewidth {treewidth_bound}: {message}; raise the bound or require fewer")


def _exclusions(stated: Statements, n: int) -> dict[str, np.ndarray]:
    """The arcs that each kind of statement excludes, by the option that states it: bool[n, n]."""

    def matrix(arcs: Iterable[tuple[int, int]]) -> np.ndarray:
        found = np.zeros((n, n), bool)
        for arc in arcs:
            found[arc] = True
        return found

    def of_edges(graph: Graph) -> np.ndarray:
        one_way = matrix(graph.edges)
        return one_way | one_way.T

    def heads(variables: tuple[int, ...]) -> np.ndarray:
        return np.tile(np.isin(np.arange(n), variables), (n, 1))

    found: dict[str, np.ndarray] = {}
    if stated.forbidden_arcs:
        found["--forbidden-arcs"] = matrix(stated.forbidden_arcs)
    if stated.forbidden is not None:
        found["--forbidden-edges"] = of_edges(stated.forbidden)
    if stated.allowed is not None:
        found["--allowed-edges"] = ~of_edges(stated.allowed)
    if stated.tiers:
        found["--tiers"] = _against_tiers(stated, n)
    if stated.order:
        place = np.argsort(stated.order)
        found["--order"] = place[:, None] > place
    if stated.roots:
        found["--roots"] = heads(stated.roots)
    if stated.leaves:
        found["--leaves"] = heads(stated.leaves).T
    return found


def _against_tiers(stated: Statements, n: int) -> np.ndarray:
    """The arcs to an earlier tier, and those within a tier without arcs: bool[n, n]."""
    tier = np.full(n, -1)  # -1: in none
    for i, members in enumerate(stated.tiers):
        tier[list(members)] = i
    known = (tier[:, None] >= 0) & (tier[None, :] >= 0)
    alone = np.array([*stated.without_arcs, False])[tier]
    return known & ((tier[:, None] > tier) | ((tier[:, None] == tier) & alone))


def _check_order(stated: Statements, names: tuple[str, ...] | None) -> None:
    """Refuse an order in which a variable of a later tier precedes one of an earlier tier."""
    tier = {v: i for i, members in enumerate(stated.tiers) for v in members}
    before = [v for v in stated.order if v in tier]
    for u, v in pairwise(before):
        if tier[u] > tier[v]:
            first, second = shown([u], names), shown([v], names)
            message = f"{first} comes before {second}, which is in an earlier tier of --tiers"
            raise UsageError(f"--order: {message}; change one of them")


def _direct(
    edges: set[tuple[int, int]],
    arcs: dict[tuple[int, int], str],
    may: np.ndarray,
    against: dict[str, np.ndarray],
    names: tuple[str, ...] | None,
) -> None:
    """Move the edges that may have only one direction from a set to the arcs."""
    for u, v in sorted(edges):
        if not may[u, v] and not may[v, u]:
            edge = f"edge {shown((u, v), names, ' - ')}"
            one, other = _why((u, v), against), _why((v, u), against)
            if one == other:
                raise UsageError(f"--required-edges: {edge} contradicts {one}; {_ADVICE}")
            message = f"{shown((u, v), names, ' -> ')} contradicts {one} and {shown((v, u), names, ' -> ')} {other}"
            raise UsageError(f"--required-edges: of {edge}, {message}; change one of them")
        if not may[u, v] or not may[v, u]:
            arcs[(u, v) if may[u, v] else (v, u)] = "--required-edges"
            edges.discard((u, v))


def _check_cycle(arcs: Iterable[tuple[int, int]], n: int, names: tuple[str, ...] | None) -> None:
    """Refuse arcs that close a cycle."""
    try:
        TopologicalSorter(dict(enumerate(Dag(n, tuple(sorted(arcs))).parents()))).prepare()
    except CycleError as error:
        cycle = shown(error.args[1], names, " -> ")
        raise UsageError(f"the arcs required form the cycle {cycle}; remove one of them") from None


def _ancestors(arcs: Iterable[tuple[int, int]], n: int) -> np.ndarray:
    """Whether arcs lead from the first variable to the second: bool[n, n]; the arcs have no cycle."""
    dag = Dag(n, tuple(sorted(arcs)))
    is_ancestor, parents = np.zeros((n, n), bool), dag.parents()
    for v in dag.order() or ():
        for u in parents[v]:
            is_ancestor[:, v] |= is_ancestor[:, u]
            is_ancestor[u, v] = True
    return is_ancestor


def _why(arc: tuple[int, int], against: dict[str, np.ndarray]) -> str:
    """The options that exclude an arc."""
    return " and ".join(option for option, barred in against.items() if barred[arc])
