"""All graphs of a few variables, ranked by marginal likelihood and by marginal pseudo-likelihood.

As in Pensar et al. 2014, Section 4.2; prints a JSON object about the two rankings:

    dmscore sample.csv 1 --layout junctor -o sample.score
    python -m cliquewise.data.papers.rank_graphs sample.score true.edges

The marginal likelihood (ML) of a chordal graph is the sum of s(later + v) - s(later) over a perfect elimination order,
`later` being the later neighbours of v; the pseudo-likelihood (MPL) of any graph is the sum over v of s(neighbours + v)
- s(neighbours). Both are ranked over the chordal graphs; `all` means MPL over all graphs. Cost: 2^(n(n-1)/2) graphs.
"""

from __future__ import annotations

import itertools
import json
import sys
from typing import TYPE_CHECKING

import numpy as np

from ...common.errors import DataError
from ...common.files.scorefile import read_scores
from ...common.models.any_graph import read_graph

if TYPE_CHECKING:
    from collections.abc import Sequence


TOP = 100


def read(scores: str, edges: str) -> tuple[np.ndarray, int, list[tuple[int, int]]]:
    """The scores of all subsets by bit mask, float64[2^n]; n; and the edges of a graph on these variables."""
    known = read_scores(scores)
    if len(known.scores) < 2**known.n:
        raise DataError("not the scores of all subsets", scores)
    return known.scores, known.n, list(read_graph(edges).graph.edges)


def ranked(scores: np.ndarray, n: int, true_edges: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Statistics of the two rankings of a sample: dict of str to float or int.

    Parameters
    ----------
    scores : float64[2^n]
        By bit mask.
    n
    true_edges
    """
    pairs = list(itertools.combinations(range(n), 2))
    graphs = np.arange(2 ** len(pairs))
    neighbours = np.zeros((len(graphs), n), dtype=np.int64)
    for k, (u, v) in enumerate(pairs):
        has = graphs >> k & 1
        neighbours[:, u] |= has << v
        neighbours[:, v] |= has << u
    bits = 1 << np.arange(n)
    pseudo = (scores[neighbours | bits] - scores[neighbours]).sum(1)
    likelihood, chordal = eliminated(scores, neighbours, n)
    true = sum(1 << pairs.index(edge) for edge in true_edges)
    order_ml = np.flatnonzero(chordal)[np.argsort(-likelihood[chordal], kind="stable")]
    order_mpl = np.flatnonzero(chordal)[np.argsort(-pseudo[chordal], kind="stable")]
    best_of_all = int(np.argmax(pseudo))
    found = {
        "top agrees": int(order_ml[0] == order_mpl[0]),
        "overlap": len(np.intersect1d(order_ml[:TOP], order_mpl[:TOP])) / TOP,
        "chordal": int(chordal[true]),
        "ML right": int(order_ml[0] == true),
        "MPL right": int(order_mpl[0] == true),
        "ML holds all": int(order_ml[0] & true == true),
        "MPL right of all": int(best_of_all == true),
    }
    for name, order in (("ML", order_ml), ("MPL", order_mpl)):
        found[f"{name} FP"] = float(np.bitwise_count(order[:TOP] & ~true).mean())
        found[f"{name} FN"] = float(np.bitwise_count(~order[:TOP] & true).mean())
    return found


def eliminated(scores: np.ndarray, neighbours: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Marginal likelihoods of graphs, by removing simplicial vertices; and which graphs are chordal.

    Parameters
    ----------
    scores : float64[2^n]
        By bit mask.
    neighbours : int64[graphs, n]
        The neighbours of each vertex, as bits.
    n

    Returns
    -------
    float64[graphs], bool[graphs]
        The number is meaningless for a graph that is not chordal.
    """
    left = np.full(len(neighbours), 2**n - 1)
    likelihood = np.zeros(len(neighbours))
    for _ in range(n):
        taken = np.zeros(len(neighbours), dtype=bool)
        for v in range(n):
            later = neighbours[:, v] & left
            joined = np.ones(len(neighbours), dtype=bool)
            for u in range(n):
                joined &= (later >> u & 1 == 0) | ((neighbours[:, u] | 1 << u) & later == later)
            now = ~taken & (left >> v & 1 == 1) & joined
            likelihood[now] += scores[later[now] | 1 << v] - scores[later[now]]
            left[now] &= ~(1 << v)
            taken |= now
    return likelihood, left == 0


if __name__ == "__main__":
    print(json.dumps(ranked(*read(*sys.argv[1:]))))
