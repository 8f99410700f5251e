"""The exact second phase as data: candidate blankets, and which of them an optimum cannot hold (Section 5.2).

The candidates of a variable are all subsets of its neighbours in G_or, 2^d of them; a graph is a choice of one each
such that i is in j's if j is in i's. What a candidate loses is the difference to the best of its variable. In each
connected component of G_or the losses of an optimum sum to no more than those of the graph we have (that of hill
climbing), so a candidate that alone loses more is out. An edge that no candidate at one of its ends holds is absent
at the other end as well, and one that all hold is present; that removes more, and so on until nothing changes. What
is left is a small fraction, often one candidate each.

Cost: a local score a candidate; the rest is O(candidates x degree) a round.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Candidates:
    """Of one variable; those that are out have been removed.

    Attributes
    ----------
    variable : int
    around : tuple of int
        Its neighbours in G_or, ascending.
    sets : int64[k]
        Blankets: bit b is around[b].
    scores : float64[k]
        Local scores.
    numbers : list of int
        The edges to `around`, in this order.
    """

    variable: int
    around: tuple
    sets: np.ndarray
    scores: np.ndarray
    numbers: list = field(default_factory=list)

    @property
    def losses(self):
        """float64[k]: the best score less each."""
        return self.scores.max() - self.scores

    def keep(self, kept):
        """Remove those that `kept` (bool[k]) does not mark; whether there were any."""
        if kept.all():
            return False
        self.sets, self.scores = self.sets[kept], self.scores[kept]
        return True

    def holds(self, b):
        """bool[k]: which candidates hold around[b]."""
        return (self.sets >> b) & 1 == 1


def degrees(n, edges):
    """How many edges each of n vertices has: list of int."""
    counts = [0] * n
    for u, v in edges:
        counts[u] += 1
        counts[v] += 1
    return counts


def count_candidates(n, edges):
    """How many candidate blankets the eligible edges (pairs) make for n variables, all together."""
    return sum(1 << degree for degree in degrees(n, edges))


def candidates(run, edges):
    """All candidate blankets of all variables.

    Parameters
    ----------
    run : mplearn.run.Run
    edges : list of (int, int)
        The eligible ones.

    Returns
    -------
    list of Candidates or None
        None after an interruption.
    """
    around = [[] for _ in range(run.local.n)]
    for number, (u, v) in enumerate(edges):
        around[u].append((v, number))
        around[v].append((u, number))

    def one(variable):
        near = sorted(around[variable])
        names = tuple(u for u, _ in near)
        scores = np.empty(1 << len(near))
        with run.thread() as thread:
            for k in range(len(scores)):
                if not run.may_go_on():
                    return None
                members = [u for b, u in enumerate(names) if k >> b & 1]
                scores[k] = run.local.score(variable, members, thread)
        return Candidates(variable, names, np.arange(len(scores)), scores, [number for _, number in near])

    found = list(run.map(one, range(run.local.n)))
    return None if None in found else found


def components(n, edges):
    """The vertices of each connected component of a graph.

    Parameters
    ----------
    n : int
    edges : iterable of (int, int)

    Returns
    -------
    list of list of int
    """
    near = [[] for _ in range(n)]
    for u, v in edges:
        near[u].append(v)
        near[v].append(u)
    seen, found = [False] * n, []
    for root in range(n):
        if seen[root]:
            continue
        seen[root] = True
        part = [root]
        for v in part:
            for u in near[v]:
                if not seen[u]:
                    seen[u] = True
                    part.append(u)
        found.append(part)
    return found


def reduce(choices, edges, known, slack=1e-6):
    """Remove candidates that no graph at least as good as the known one holds.

    Parameters
    ----------
    choices : list of Candidates
        One a variable, changed in place.
    edges : list of (int, int)
        The eligible ones, in the order of their numbers.
    known : float64[n]
        Local scores of the graph we have; its candidates are kept.
    slack : float
        Loss allowed beyond, so that rounding removes nothing.
    """
    for part in components(len(choices), edges):
        here = [choices[v] for v in part]
        changed = True
        while changed:
            changed = False
            room = sum(choice.scores.max() - known[choice.variable] for choice in here) + slack
            for choice in here:
                changed |= choice.keep(choice.losses <= room)
            for choice in here:
                for b, u in enumerate(choice.around):
                    changed |= _agree(choice, b, choices[u])


def _agree(choice, b, other):
    """Carry over to `choice` what all candidates of its neighbour around[b] say of the edge between them."""
    held = other.holds(other.around.index(choice.variable))
    if held.all():
        return choice.keep(choice.holds(b))
    return not held.any() and choice.keep(~choice.holds(b))
