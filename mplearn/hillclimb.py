"""One coherent graph from the eligible edges, by hill climbing (Algorithm 2 of the paper).

From the empty graph, the eligible edge whose addition or removal raises the score most is added or removed, as long
as one does. A change at the edge uv touches the blankets of u and v only, so after a step only the edges that overlap
its edge are looked at again (Section 5.3). Where we differ: a gain below 1e-9 is taken for rounding, and of edges that
gain the same up to that the first is taken.

Cost: two local scores an edge at first, and after each step for each edge at its ends.
"""

import numpy as np

from cliquewise.mplearn.local import LEAST_GAIN, first_best


def hill_climb(run, edges):
    """Algorithm 2.

    Parameters
    ----------
    run : mplearn.run.Run
    edges : list of (int, int)
        The eligible ones, u < v, ascending; those required are among them and stay.

    Returns
    -------
    chosen : list of (int, int)
        Ascending.
    steps : int
    done : bool
        Whether no step gains any more; False after an interruption.
    """
    local, kept = run.local, run.kept
    required = run.known.required
    kept.edges &= {*edges}
    kept.edges |= required
    chosen = kept.edges
    blankets = [set() for _ in range(local.n)]
    for u, v in chosen:
        blankets[u].add(v)
        blankets[v].add(u)
    scores = [local.score(v, blanket) for v, blanket in enumerate(blankets)]
    at = [[] for _ in range(local.n)]  # numbers of the edges at each variable
    for number, edge in enumerate(edges):
        for v in edge:
            at[v].append(number)
    gains = np.full(len(edges), -np.inf)

    def flipped(v, u):
        """The local score of v with u added to its blanket or taken from it."""
        return local.score(v, blankets[v] ^ {u})

    def look_at(numbers):
        for number in numbers:
            if not run.monitor.may_go_on():
                return
            u, v = edges[number]
            if edges[number] in required:
                continue
            gains[number] = (flipped(u, v) - scores[u]) + (flipped(v, u) - scores[v])

    look_at(range(len(edges)))
    while run.monitor.may_go_on():
        local.sets.make_room()
        best = first_best(gains) if edges else -1
        if best < 0 or gains[best] <= LEAST_GAIN:
            return sorted(chosen), kept.steps, True
        u, v = edges[best]
        scores[u], scores[v] = flipped(u, v), flipped(v, u)
        blankets[u] ^= {v}
        blankets[v] ^= {u}
        chosen ^= {edges[best]}
        kept.steps += 1
        kept.tell()
        sign = "+" if edges[best] in chosen else "-"
        run.report_graph("hc", kept.steps, f"{sign}{u}-{v}", sum(scores), len(chosen), len(edges))
        look_at(sorted({*at[u], *at[v]}))
    return sorted(chosen), kept.steps, False
