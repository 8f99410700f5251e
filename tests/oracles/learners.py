"""The best network by trying every chordal graph."""

from tests.oracles.graphs import junction_sets
from tests.oracles.scores import decomposable_score


def scored_graphs(n, score, max_clique=None, allowed=None, required=()):
    """(score, edges) of every chordal graph on n vertices whose cliques hold at most `max_clique`.

    Of those with the required edges, and without any that is not allowed.
    """
    return [
        (decomposable_score(cliques, separators.elements(), score), edges)
        for edges, cliques, separators in junction_sets(n)
        if max_clique is None or max(map(len, cliques)) <= max_clique
        if edges.issuperset(required) and (allowed is None or edges.issubset(allowed))
    ]


def best_chordal(n, score, max_clique=None, allowed=None, required=()):
    """The highest score of these graphs, and all that reach it up to 1e-9, as frozensets of edges."""
    graphs = scored_graphs(n, score, max_clique, allowed, required)
    best = max(value for value, _ in graphs)
    return best, [edges for value, edges in graphs if value >= best - 1e-9]


def best_forest(n, score):
    """Highest score and forests: cliques of at most two variables (Chow-Liu, but edges may be left out)."""
    return best_chordal(n, score, max_clique=2)
