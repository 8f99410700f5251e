"""What choices of candidates are solutions: all constraints checked at once, and where (3) is broken.

Neither knows of the integer program: what SCIP gives is checked by `is_solution` in the tests, and its constraint
handler learns from `broken_forests` what to add.
"""

import numpy as np

from cliquewise.coarsen.coarsening_program import Forest

TOLERANCE = 1e-6


def is_solution(problem, chosen):
    """Do the chosen candidates (bool[m]) satisfy (1), (2) and (3), and the equations of a forced step?"""
    found, wanted = problem.found, problem.needs
    added = found.pair[chosen]
    if len(np.unique(added)) < len(added) or not np.isin(wanted.edge[chosen[wanted.candidate]], added).all():
        return False
    if problem.forced:
        due = np.unique(found.due_to)
        if (np.bincount(found.due_to[chosen], minlength=len(problem.degrees))[due] != problem.degrees[due] - 1).any():
            return False
    forest = Forest(int(problem.degrees.sum()))
    return all(forest.join(problem.tails[i], problem.heads[i]) for i in np.flatnonzero(chosen).tolist())


def broken_forests(problem, values, levels):
    """Sets of components whose inner edges sum to more than a forest can have.

    The sets are connected parts of the graph of edges above a level, without their loose ends: with integral values
    that finds a broken constraint if there is one.

    Parameters
    ----------
    problem : Problem
    values : float64[m]
    levels : sequence of float

    Returns
    -------
    list of (int64[...], int)
        Candidates inside, and the most of them that a forest has; the most broken first.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = int(problem.degrees.sum())
    found = {}
    for level in levels:
        edges = np.flatnonzero(values > level)
        while len(edges):  # take off loose ends
            degree = np.bincount(problem.tails[edges], minlength=nodes)
            degree += np.bincount(problem.heads[edges], minlength=nodes)
            inner = (degree[problem.tails[edges]] > 1) & (degree[problem.heads[edges]] > 1)
            if inner.all():
                break
            edges = edges[inner]
        if not len(edges):
            continue
        tails, heads = problem.tails[edges], problem.heads[edges]
        graph = coo_array((np.ones(len(edges)), (tails, heads)), shape=(nodes, nodes))
        _, label = connected_components(graph, directed=False)
        size = np.bincount(label)
        label[size[label] == 1] = -1
        within = np.flatnonzero((label[problem.tails] == label[problem.heads]) & (label[problem.tails] >= 0))
        total = np.bincount(label[problem.tails[within]], values[within], len(size))
        for part in np.flatnonzero(total > size - 1 + TOLERANCE):
            inside = within[label[problem.tails[within]] == part]
            found[inside.tobytes()] = (total[part] - size[part] + 1, inside, int(size[part]) - 1)
    return [(inside, most) for _, inside, most in sorted(found.values(), key=lambda cut: -cut[0])]
