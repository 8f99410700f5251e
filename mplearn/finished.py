"""The checkpoint of mplearn: the finished blankets, and the current graph of hill climbing.

A blanket depends only on the data, and the next step of hill climbing only on the current edges; so a resumed run
continues as if it had not been interrupted.
"""

from ..common.run.checkpoint import Field, is_edges, is_index, state_of
from .blankets import Blanket


def _is_blanket(own, variable, members, steps):
    n = own.local.n
    good = all(is_index(number, n) for number in (variable, *members)) and is_index(steps)
    return good and variable not in members and members == sorted({*members})


def _plain(blankets):
    """Blankets by variable as JSON; other threads may add some meanwhile."""
    return sorted([one.variable, list(one.members), one.steps] for one in tuple(blankets.values()))


def _blankets(found, own):
    """Blankets by variable from JSON; scores are recomputed."""
    score = own.local.score
    return {v: Blanket(v, tuple(members), score(v, members), steps) for v, members, steps in found}


class Finished:
    """The work done so far.

    Parameters
    ----------
    monitor : Monitor
    local : LocalScores

    Attributes
    ----------
    blankets : dict of int to Blanket
        By variable; only finished ones.
    edges : set of (int, int)
        Of the graph in the second phase, u < v.
    steps : int
        Of hill climbing.
    """

    fields = (
        Field(
            "blankets", list, lambda found, own: all(_is_blanket(own, *one) for one in found), False, _plain, _blankets
        ),
        Field(
            name="edges",
            kind=list,
            good=lambda found, own: is_edges(found, own.local.n),
            pack=lambda edges: sorted(map(list, edges)),
            unpack=lambda found, _: {(u, v) for u, v in found},
        ),
        Field("steps", int, lambda steps, own: is_index(steps) and steps >= len(own.edges)),
    )

    def __init__(self, monitor, local):
        self.blankets, self.edges, self.steps = {}, set(), 0
        self.local, self._monitor = local, monitor
        if monitor.saved is not None:
            monitor.saved.restore(self, self.fields)

    def keep(self):
        """A safe point; may be called by any thread."""
        self._monitor.keep(lambda: state_of(self, self.fields), lasting=True)
