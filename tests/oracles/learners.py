"""The best network by trying every chordal graph."""

from tests.oracles.graphs import junction_sets
from tests.oracles.scores import decomposable_score


def scored_graphs(n, score, max_clique=None):
    """(score, edges) of every chordal graph on n vertices whose cliques hold at most `max_clique`."""
    return [
        (decomposable_score(cliques, separators.elements(), score), edges)
        for edges, cliques, separators in junction_sets(n)
        if max_clique is None or max(map(len, cliques)) <= max_clique
    ]


def best_chordal(n, score, max_clique=None, tolerance=1e-9):
    """The highest score, and every graph that reaches it up to `tolerance`, as frozensets of edges."""
    graphs = scored_graphs(n, score, max_clique)
    best = max(value for value, _ in graphs)
    return best, [edges for value, edges in graphs if value >= best - tolerance]


def best_forest(n, score):
    """Highest score and forests: cliques of at most two variables (Chow-Liu, but edges may be left out)."""
    return best_chordal(n, score, max_clique=2)
