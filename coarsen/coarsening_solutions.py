"""Solutions of the coarsening program: a check of all constraints, and the violations of (3).

Neither depends on the integer program: the tests check SCIP's result with `is_solution`, and the constraint handler
uses `violated_forests` to find constraints to add.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .coarsening_program import DisjointSets

if TYPE_CHECKING:
    from .coarsening_program import ChoiceProblem


TOLERANCE = 1e-6


def is_solution(problem: ChoiceProblem, chosen: np.ndarray) -> bool:
    """Whether the chosen candidates (bool[m]) satisfy (1), (2) and (3), and the equations of a forced step."""
    found, needed = problem.found, problem.needs
    added = found.pair[chosen]
    if len(np.unique(added)) < len(added) or not np.isin(needed.edge[chosen[needed.candidate]], added).all():
        return False
    if problem.forced:
        due = np.unique(found.due_to)
        if (np.bincount(found.due_to[chosen], minlength=len(found.degrees))[due] != found.degrees[due] - 1).any():
            return False
    forest = DisjointSets(int(found.degrees.sum()))
    return all(forest.join(found.tails[i], found.heads[i]) for i in np.flatnonzero(chosen).tolist())


def violated_forests(
    problem: ChoiceProblem, values: np.ndarray, levels: Sequence[float]
) -> list[tuple[np.ndarray, int]]:
    """Sets of components whose inner edges sum to more than a forest can have.

    The sets are connected components of the graph of edges above a level, without pendant vertices: for integral values
    this finds a violated constraint if there is one.

    Parameters
    ----------
    values : float64[m]

    Returns
    -------
    list of (int64[...], int)
        Candidates inside, and the largest number of them in a forest; the most violated first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    tails, heads, nodes = problem.found.tails, problem.found.heads, int(problem.found.degrees.sum())
    found = {}
    for level in levels:
        edges = np.flatnonzero(values > level)
        while len(edges):  # remove pendant vertices
            degree = np.bincount(tails[edges], minlength=nodes)
            degree += np.bincount(heads[edges], minlength=nodes)
            inner = (degree[tails[edges]] > 1) & (degree[heads[edges]] > 1)
            if inner.all():
                break
            edges = edges[inner]
        if not len(edges):
            continue
        graph = coo_array((np.ones(len(edges)), (tails[edges], heads[edges])), shape=(nodes, nodes))
        _, label = connected_components(graph, directed=False)
        size = np.bincount(label)
        label[size[label] == 1] = -1
        within = np.flatnonzero((label[tails] == label[heads]) & (label[tails] >= 0))
        total = np.bincount(label[tails[within]], values[within], len(size))
        for part in np.flatnonzero(total > size - 1 + TOLERANCE):
            inside = within[label[tails[within]] == part]
            found[inside.tobytes()] = (total[part] - size[part] + 1, inside, int(size[part]) - 1)
    return [(inside, most) for _, inside, most in sorted(found.values(), key=lambda cut: -cut[0])]
