"""The draws of a chain, thinned to a fixed capacity.

When the capacity is reached, every second draw is dropped, and each remaining draw stands for twice as many rounds. The
presence of each edge is counted over all rounds, not only draws, in blocks of time, so that a burn-in can be dropped
later.

Throughout, `draws` is a Draws.
"""

from typing import NamedTuple

import numpy as np

from ..common.compiled.jit import inlined, kernel, lowest_bit
from ..common.compiled.records import by_address

COUNT, ROUNDS_PER_DRAW, ROUNDS_SINCE_DRAW = 0, 1, 2  # draws.numbers


@by_address
class Draws(NamedTuple):
    """Draws of one chain.

    graphs : uint64[capacity, n, words]
    scores : float64[capacity] and edges : int64[capacity], of these graphs
    sums : int32[blocks, pairs], in how many rounds each pair was an edge; block b covers the draws b * capacity /
        blocks to (b + 1) * capacity / blocks - 1 and the rounds before each of them
    numbers : int64[3], number of draws, rounds per draw, rounds since the last draw
    """

    graphs: np.ndarray
    scores: np.ndarray
    edges: np.ndarray
    sums: np.ndarray
    numbers: np.ndarray


@inlined
def pair_number(n, v, w):
    """The number of the pair v, w among those of n vertices in lexicographic order."""
    u = min(v, w)
    return u * (2 * n - u - 1) // 2 + max(v, w) - u - 1


@kernel
def halve(draws):
    """Keep every second draw (their number is even), each with twice the number of rounds."""
    numbers, sums = draws.numbers, draws.sums
    blocks = sums.shape[0]
    numbers[COUNT] //= 2
    numbers[ROUNDS_PER_DRAW] *= 2
    for i in range(numbers[COUNT]):
        draws.scores[i] = draws.scores[2 * i + 1]
        draws.edges[i] = draws.edges[2 * i + 1]
        for v in range(draws.graphs.shape[1]):
            for k in range(draws.graphs.shape[2]):
                draws.graphs[i, v, k] = draws.graphs[2 * i + 1, v, k]
    for b in range(blocks):
        for p in range(sums.shape[1]):
            sums[b, p] = sums[2 * b, p] + sums[2 * b + 1, p] if 2 * b < blocks else 0


@kernel
def record(draws, adjacency, score, edges):
    """Record a round that ended with the graph `adjacency`, its `score` and number of `edges`."""
    n, words = adjacency.shape
    capacity = draws.scores.shape[0]
    numbers = draws.numbers
    if numbers[COUNT] == capacity:
        halve(draws)
    count = numbers[COUNT]
    sums = draws.sums[count * draws.sums.shape[0] // capacity]
    for v in range(n):
        for k in range(v >> 6, words):
            word = adjacency[v, k]
            while word != np.uint64(0):
                w = 64 * k + lowest_bit(word)
                word &= word - np.uint64(1)
                if w > v:
                    sums[pair_number(n, v, w)] += 1
    numbers[ROUNDS_SINCE_DRAW] += 1
    if numbers[ROUNDS_SINCE_DRAW] == numbers[ROUNDS_PER_DRAW]:
        numbers[ROUNDS_SINCE_DRAW] = 0
        numbers[COUNT] += 1
        draws.scores[count] = score
        draws.edges[count] = edges
        for v in range(n):
            for k in range(words):
                draws.graphs[count, v, k] = adjacency[v, k]
