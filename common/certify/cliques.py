"""The independent check of a finished graph: whether it is chordal, and its cliques and score are as claimed.

No code is shared with the learners: chordality comes from a maximum cardinality search on Python sets
(Tarjan and Yannakakis 1984), maximal cliques and separators from that order (Blair and Peyton 1993), and a
set's score from the data, counted by sorting, or state by state if there are no more states than rows. Every learner
runs this check before it writes; `mntools check` runs it on any file.

**Score.** A decomposable graph scores the sum over its maximal cliques less the sum over the separators of a junction
tree (`common.certify.set_scores`).

**Tolerance.** A claim has six decimals, and a sum of scores from a score file has an error of half a unit of the sixth
decimal per set: 0.5e-6 for the claim and for each clique and separator. The rest is rounding, for which 1e-11 of the
sum of the set scores' absolute values is generous (they are accurate to 1e-15). Both are far below any wrong edge.

Cost: O(n + m) set operations for the graph, O(rows log rows) or less per clique; 43 variables and 67,557 rows take
about a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..data.dataset import Dataset
from ..errors import DataError
from ..graphs.graph import shown
from ..scores.scoring import BDEU_1, Scoring
from .outcome import Certificate
from .set_scores import set_score

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.edge_prior import EdgePrior
    from ..graphs.graph import Graph


def certify(
    graph: Graph,
    source: Dataset | None,
    by: Scoring = BDEU_1,
    claimed: float | None = None,
    max_clique: int | None = None,
    cliques: Sequence[tuple[int, ...]] | None = None,
    progress: Callable = lambda share: None,
) -> Certificate:
    """Check a graph against its claims.

    Parameters
    ----------
    source : Dataset, CliqueScores or None
        The source of the score; None leaves it unchecked.
    by
        Of CliqueScores only the prior is used.
    claimed
        The score claimed.
    max_clique
        The bound on the clique size claimed.
    cliques
        The maximal cliques claimed.
    progress : callable taking a float
        Called with the share of the sets scored so far.
    """
    found, separators, cycle = decompose(graph)
    if cycle:
        return Certificate((f"not chordal: chordless cycle {with_names(graph, cycle, '-')}",))
    problems = []
    largest = max(found, key=len)
    if max_clique is not None and len(largest) > max_clique:
        problems.append(
            f"clique {with_names(graph, largest)} has {len(largest)} vertices, at most {max_clique} claimed"
        )
    if cliques is not None:
        problems += _list_problems(graph, found, cliques)
    problems += prior_problems(graph, by.prior)
    score = None
    if source is not None:
        try:
            terms: list = []
            for members in (*found, *separators):
                progress(len(terms) / (len(found) + len(separators)))
                terms.append(set_score(source, members, by) * (1 if len(terms) < len(found) else -1))
        except DataError as error:
            return Certificate((*problems, str(error)), largest_clique=len(largest))
        score = sum_of(terms)
        problems += score_problems(claimed, score, terms)
    return Certificate(tuple(problems), (), score, len(largest))


def sum_of(terms: list[float]) -> float:
    """The sum of the terms of a score; minus infinity if one is, so that a set is impossible."""
    return -math.inf if -math.inf in terms else math.fsum(terms)


def score_problems(claimed: float | None, score: float, terms: list[float]) -> list[str]:
    """The problem of a score claimed that is not the sum of these terms, up to rounding."""
    size = math.fsum(abs(term) for term in terms if math.isfinite(term))
    if claimed is None or claimed == score or abs(claimed - score) <= 0.5e-6 * (1 + len(terms)) + 1e-11 * size:
        return []
    return [f"score claimed {claimed:.6f}, recomputed {score:.6f}"]


def prior_problems(graph: Dag | Graph, prior: EdgePrior) -> list[str]:
    """Edges of probability 0 that are there, regardless of their direction, and of probability 1 that are not."""
    edges = {tuple(sorted(edge)) for edge in graph.edges}
    problems = [
        f"edge {with_names(graph, one, '-')} has prior probability 0" for one in prior.forbidden if one in edges
    ]
    lacking = (one for one in prior.required if one not in edges)
    return problems + [f"edge {with_names(graph, one, '-')} of prior probability 1 is missing" for one in lacking]


def decompose(graph: Graph) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Maximal cliques and separators of a chordal graph, or a chordless cycle of any other.

    Returns
    -------
    cliques : tuple of tuple of int
        Maximal cliques, each ascending, sorted; empty if the graph is not chordal.
    separators : tuple of tuple of int
        One per edge of a junction tree (one less than cliques; empty sets join components); empty if the graph is not
        chordal.
    cycle : tuple of int
        The vertices of a chordless cycle of four or more; empty for a chordal graph.
    """
    adjacent = graph.neighbours()
    place: dict[int, int] = {}
    cliques: list[set[int]] = []
    separators: list[tuple[int, ...]] = []
    for v in _search_order(adjacent):
        earlier = adjacent[v] & place.keys()
        if earlier:
            last = max(earlier, key=place.__getitem__)
            if not earlier - {last} <= adjacent[last]:
                return (), (), _chordless_cycle(adjacent, set(place), v)
        place[v] = len(place)
        # A maximal clique grows vertex by vertex; another begins when the earlier part stops growing.
        if cliques and earlier == cliques[-1]:
            cliques[-1].add(v)
        else:
            if cliques:
                separators.append(tuple(sorted(earlier)))
            cliques.append(earlier | {v})
    return tuple(sorted(tuple(sorted(c)) for c in cliques)), tuple(sorted(separators)), ()


def _search_order(adjacent: list[set[int]]) -> Iterator[int]:
    """Maximum cardinality search: always the vertex with most neighbours visited."""
    weight = [0] * len(adjacent)
    level = [set(range(len(adjacent)))] + [set() for _ in range(max(map(len, adjacent)))]
    top = 0
    for _ in adjacent:
        while not level[top]:
            top -= 1
        v = level[top].pop()  # the same vertex in every run: hashes of numbers are not random
        weight[v] = -1
        yield v
        for u in adjacent[v]:
            if weight[u] >= 0:
                level[weight[u]].remove(u)
                weight[u] += 1
                level[weight[u]].add(u)
        top = min(top + 1, len(level) - 1)


def _chordless_cycle(adjacent: list[set[int]], visited: set[int], v: int) -> tuple[int, ...]:
    """A chordless cycle through v, the first vertex at which the search failed.

    `visited` is still chordal, so every chordless cycle in it plus v goes through v: two neighbours a, b of
    v that are not adjacent, and a shortest path between them that avoids the other neighbours. Some pair has such a
    path.
    """
    near = sorted(adjacent[v] & visited)
    for a in near:
        for b in near:
            if a < b and b not in adjacent[a]:
                path = _shortest_path(adjacent, a, b, (visited - adjacent[v]) | {a, b})
                if path:
                    return _rotated((v, *path))
    raise AssertionError("maximum cardinality search failed on a chordal graph")


def _rotated(cycle: tuple[int, ...]) -> tuple[int, ...]:
    """The same cycle, from its smallest vertex towards the smaller neighbour."""
    start = cycle.index(min(cycle))
    cycle = cycle[start:] + cycle[:start]
    return cycle if cycle[1] < cycle[-1] else cycle[:1] + cycle[:0:-1]


def _shortest_path(adjacent: list[set[int]], start: int, goal: int, inside: set[int]) -> tuple[int, ...]:
    """Breadth-first path of vertices of `inside`, both ends included; empty if there is none."""
    before: dict[int, int | None] = {start: None}
    layer = [start]
    while layer and goal not in before:
        following = []
        for u in layer:
            for w in sorted(adjacent[u] & inside):
                if w not in before:
                    before[w] = u
                    following.append(w)
        layer = following
    path = [goal] if goal in before else []
    while path and (previous := before[path[-1]]) is not None:
        path.append(previous)
    return tuple(path)


def _list_problems(graph: Graph, found: tuple[tuple[int, ...], ...], cliques: Sequence[tuple[int, ...]]) -> list[str]:
    """The problems of a list of maximal cliques."""
    listed = [tuple(sorted(c)) for c in cliques]
    proper, problems, seen = set(found), [], set()
    holders: list[set] = [set() for _ in range(graph.n)]
    for i, clique in enumerate(found):
        for v in clique:
            holders[v].add(i)
    for clique in listed:
        if clique in seen:
            problems.append(f"clique {with_names(graph, clique)} is listed twice")
        elif clique not in proper:
            around = set.intersection(*(holders[v] for v in clique)) if clique else set(range(len(found)))
            problems.append(
                f"clique {with_names(graph, clique)} is inside {with_names(graph, found[min(around)])}"
                if around
                else f"{with_names(graph, clique)} is not a clique of the graph"
            )
        seen.add(clique)
    problems += [f"clique {with_names(graph, c)} is not listed" for c in found if c not in seen]
    return problems


def with_names(graph: Dag | Graph, vertices: tuple[int, ...], between: str = ",") -> str:
    """Vertices by index, and by name if there are names."""
    text = shown(vertices, None, between)
    return text if graph.names is None else f"{text} ({shown(vertices, graph.names, between)})"
