"""The independent check of a Bayesian network (an arc list); that of undirected graphs is `common.certify.cliques`.

It checks that there is no directed cycle; the bound on the parents; the score as the sum over families, each s(P + v) -
s(P) with s as in `common.certify.set_scores`, or as listed in the parent-set file; and the bound on the treewidth of
the moral graph, by the elimination order in the file or one that is found (`common.graphs.treewidth`), which is
verified here. Learners of a bounded treewidth use that search too: its order is verified, and its lower bound can
only refuse a network. A treewidth that can be neither proved nor refuted is reported as undecided.

Cost: O(rows log rows) per family; 100 variables and 2,000 rows take a tenth of a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError
from ..files.parentsets import ParentSets
from ..graphs.graph import shown
from ..graphs.treewidth import Treewidth, treewidth
from ..scores.scoring import BDEU_1, Scoring
from .cliques import prior_problems, score_problems, sum_of, with_names
from .outcome import Certificate
from .set_scores import set_score

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.result_header import Claims
    from ..files.scorefile import CliqueScores
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph


def certify_arcs(
    dag: Dag,
    source: Dataset | None,
    claims: Claims,
    by: Scoring = BDEU_1,
    progress: Callable = lambda share: None,
) -> Certificate:
    """Check a directed graph against its claims.

    Parameters
    ----------
    source : Dataset, CliqueScores, ParentSets or None
        The source of the score; None leaves it unchecked.
    claims
        Score, treewidth, elimination order and bound on the parents are used.
    by
        Of scores from a file only the prior is used, and of parent-set scores nothing.
    progress : callable taking a float
        Called with the share of the families scored so far.
    """
    cycle = directed_cycle(dag)
    if cycle:
        return Certificate((f"not acyclic: {with_names(dag, (*cycle, cycle[0]), '->')}",))
    width, problems, undecided = _check_treewidth(dag, claims)
    most = max(map(len, dag.parents()))
    if claims.max_parents is not None and most > claims.max_parents:
        problems.append(f"a vertex with {most} parents, at most {claims.max_parents} claimed")
    problems += prior_problems(dag, by.prior)
    score = None
    if source is not None:
        try:
            terms = [part for _, _, parts in family_terms(dag, source, by, progress) for part in parts]
        except DataError as error:
            return Certificate((*problems, str(error)), tuple(undecided), treewidth=width)
        score = sum_of(terms)
        problems += score_problems(claims.score, score, terms)
    return Certificate(tuple(problems), tuple(undecided), score, treewidth=width)


def directed_cycle(dag: Dag) -> tuple[int, ...]:
    """The vertices of a directed cycle from the smallest on, each the parent of the next; empty if there is none."""
    try:
        TopologicalSorter(dict(enumerate(dag.parents()))).prepare()
    except CycleError as error:
        cycle = error.args[1][:-1]  # its end is its beginning
        start = cycle.index(min(cycle))
        return (*cycle[start:], *cycle[:start])
    return ()


def family_terms(
    dag: Dag,
    source: Dataset | CliqueScores | ParentSets,
    by: Scoring,
    progress: Callable = lambda share: None,
) -> list[tuple[int, tuple[int, ...], tuple[float, ...]]]:
    """The local scores that add up to a network's.

    Parameters
    ----------
    by
        As for `common.certify.set_scores.set_score`.
    progress : callable taking a float
        Called with the share of the families scored so far.

    Returns
    -------
    list of (int, tuple of int, tuple of float)
        Vertex, its parents, and the numbers whose sum is its local score: one from a parent-set file, else s(P + v)
        and -s(P).

    Raises
    ------
    DataError
        Scores that are not in the file, or cannot be subtracted.
    """
    if isinstance(source, ParentSets):
        return [(v, parents, (_listed(source, v, parents),)) for v, parents in enumerate(dag.parents())]
    terms: list[tuple[int, tuple[int, ...], tuple[float, ...]]] = []
    for v, parents in enumerate(dag.parents()):
        progress(v / dag.n)
        family, alone = (set_score(source, members, by) for members in ((*parents, v), parents))
        if alone == -math.inf:
            raise DataError(f"the parents of {v}, {with_names(dag, parents)}, score minus infinity as a set")
        terms.append((v, parents, (family, -alone)))
    return terms


def _listed(source: ParentSets, v: int, parents: tuple[int, ...]) -> float:
    """The score that a parent-set file gives a family."""
    listed = source.parents[v]
    row = np.full(max(listed.shape[1], len(parents)), -1)
    row[: len(parents)] = parents
    found: Any = (
        np.flatnonzero((listed == row[: listed.shape[1]]).all(axis=1)) if len(parents) <= listed.shape[1] else ()
    )
    if not len(found):
        given = shown(parents, source.names) or "no parents"
        raise DataError(f"the parent-set file has no score for '{source.names[v]}' with {given}")
    return float(source.scores[v][found[0]])


def _check_treewidth(dag: Dag, claims: Claims) -> tuple[Treewidth, list[str], list[str]]:
    """Bounds on the treewidth; problems; undecided claims."""
    moral = dag.moral()
    target = claims.treewidth
    order = claims.elimination_order
    if order is not None:
        if len(order) != dag.n:
            return treewidth(moral, target), [f"elimination order of {len(order)} vertices, there are {dag.n}"], []
        width = order_width(moral, order)
        if target is not None and width > target:
            return Treewidth(0, width, order), [f"elimination order of width {width}, treewidth {target} claimed"], []
        return Treewidth(0, width, order), [], []
    found = treewidth(moral, target)
    found = Treewidth(found.lower, order_width(moral, found.order), found.order)
    if target is None or found.upper <= target:
        return found, [], []
    if found.lower > target:
        return found, [f"treewidth {target} claimed, it is at least {found.lower}"], []
    return found, [], [f"treewidth {target} claimed, shown is only {found.lower} to {found.upper}"]


def order_width(graph: Graph, order: tuple[int, ...]) -> int:
    """The width of an elimination order of all vertices of a Graph: the most neighbours of a vertex when eliminated."""
    adjacent, width = graph.neighbours(), 0
    for v in order:
        around = adjacent[v]
        width = max(width, len(around))
        for u in around:
            adjacent[u] = (adjacent[u] | around) - {u, v}
    return width
