"""The posterior distribution over all chordal graphs, by listing them."""

from itertools import product
from math import exp, log

from tests.oracles.learners import scored_graphs


def edge_probabilities(n, score, max_clique=None, edge_prior=0.5):
    """The probability of each edge, {(u, v): p}, and ln of the sum of exp(score) * odds^edges over all graphs.

    Parameters
    ----------
    n : int
    score : callable
        Of a frozenset.
    max_clique : int, optional
    edge_prior : float
    """
    odds = log(edge_prior / (1 - edge_prior))
    logs = {edges: value + len(edges) * odds for value, edges in scored_graphs(n, score, max_clique)}
    top = max(logs.values())
    total = sum(exp(value - top) for value in logs.values())
    shares = {(u, v): 0.0 for u in range(n) for v in range(u + 1, n)}
    for edges, value in logs.items():
        for edge in edges:
            shares[edge] += exp(value - top) / total
    return shares, top + log(total)


def edge_probabilities_with_missing_cells(rows, arity, score_of, max_clique=None):
    """As `edge_probabilities`, from rows with missing cells (None): the sum over all that they may be.

    Parameters
    ----------
    rows : list of lists
    arity : list of int
    score_of : callable
        Of complete rows: the function from sets to scores.
    """
    missing = [(i, v) for i, row in enumerate(rows) for v, cell in enumerate(row) if cell is None]
    found = []
    for cells in product(*(range(arity[v]) for _, v in missing)):
        complete = [list(row) for row in rows]
        for (i, v), cell in zip(missing, cells, strict=True):
            complete[i][v] = cell
        found.append(edge_probabilities(len(arity), score_of(complete), max_clique))
    top = max(log_sum for _, log_sum in found)
    weights = [exp(log_sum - top) for _, log_sum in found]
    return {
        edge: sum(w * shares[edge] for w, (shares, _) in zip(weights, found, strict=True)) / sum(weights)
        for edge in found[0][0]
    }
