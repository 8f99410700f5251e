"""The components of synthetic networks: grid, hub, loop and clique, and three graphs of six vertices.

Pensar, Nyman, Niiranen, Corander: Marginal pseudo-likelihood learning of Markov network structures, 2014;
Figures 1 and 4, Table 1. The figures are pictures: details that the text and the table leave open were chosen here, as
were all vertex numbers. A graph is the tuple of its maximal cliques, because the distributions are products of one
factor per maximal clique.

Figure 4, 16 vertices each. These properties of Table 1 hold: the numbers of vertices and edges, the largest Markov
blanket, and whether the graph is chordal (the average blankets follow, except the 3.25 printed for the grid: 24 edges
give 3):

* `grid` (24 edges, blankets up to 4) is determined: 4 by 4.
* `hub` (15 edges, up to 8, a tree). Chosen: two hubs, joined to each other and to seven leaves each.
* `loop` (19 edges, up to 4, not chordal). Chosen: a chain of four rings of four vertices; an edge leads from each to
  the next, and the edge that leaves a ring starts where the previous one arrived.
* `clique` (20 edges, up to 4, chordal). Chosen: unconnected cliques of 5, 3, 3, 3 and 2 vertices; no other
  sizes of at least two vertices have these properties.

The choice was guided by Table 4: for several candidates with these properties we counted the edges that the
paper's search finds, for each component separately, in 100 networks. From n = 1000 to 32000 the sum over these four is
within 1.1 edges (of 78) of the published means over all network sizes. With five connected triangles for `clique` it is
2.6 below at n = 4000. This is not a proof: a hub with eight spokes and a clique of 5 beside a tree of 11 fits equally
well, and the loops tried cannot be distinguished.

Figure 1, binary variables:

* `figure1a` has six vertices and is chordal, since only chordal graphs were searched for it. Chosen: three
  triangles with a common vertex, two of which share an edge.
* `figure1b` is a star, one hub joined to all others; six vertices are a guess.
* `figure1c` is not chordal, and three more edges make it chordal. Chosen: the ring of six vertices.
"""

_RINGS = [tuple(range(first, first + 4)) for first in range(0, 16, 4)]


def _ring(vertices: range | tuple[int, ...]) -> list[tuple[int, int]]:
    """The edges of a ring through these vertices."""
    return [tuple(sorted(pair)) for pair in zip(vertices, (*vertices[1:], vertices[0]), strict=True)]


COMPONENTS = {
    "grid": tuple((v, v + 1) for v in range(16) if v % 4 < 3) + tuple((v, v + 4) for v in range(12)),
    "hub": ((0, 1), *((0, leaf) for leaf in range(2, 9)), *((1, leaf) for leaf in range(9, 16))),
    "loop": (*(edge for ring in _RINGS for edge in _ring(ring)), (2, 4), (4, 8), (8, 12)),
    "clique": ((0, 1, 2, 3, 4), (5, 6, 7), (8, 9, 10), (11, 12, 13), (14, 15)),
    "figure1a": ((0, 1, 2), (0, 2, 3), (0, 4, 5)),
    "figure1b": tuple((0, leaf) for leaf in range(1, 6)),
    "figure1c": tuple(_ring(range(6))),
}
