"""The checkpoint of mplearn: the finished blankets, and the current graph of hill climbing.

A blanket depends only on the data, and the next step of hill climbing only on the current edges; so a resumed run
continues as if it had not been interrupted.
"""

from ..common.run.checkpoint import is_edges, is_index
from .blankets import Blanket


class Kept:
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

    def __init__(self, monitor, local):
        self.blankets, self.edges, self.steps = {}, set(), 0
        self._monitor = monitor
        if monitor.saved is not None:
            self._go_on_from(monitor.saved, local)

    def _go_on_from(self, saved, local):
        """Restore a saved state; scores are recomputed."""

        def is_blanket(variable, members, steps):
            good = all(is_index(number, local.n) for number in (variable, *members)) and is_index(steps)
            return good and variable not in members and members == sorted({*members})

        for one in saved.value("blankets", list, lambda found: all(is_blanket(*one) for one in found)):
            variable, members, steps = one
            self.blankets[variable] = Blanket(variable, tuple(members), local.score(variable, members), steps)
        edges = saved.value("edges", list, lambda found: is_edges(found, local.n))
        self.edges = {(u, v) for u, v in edges}
        self.steps = saved.value("steps", int, lambda steps: is_index(steps) and steps >= len(self.edges))

    def tell(self):
        """A safe point; may be called by any thread."""
        self._monitor.keep(self._state, lasting=True)

    def _state(self):
        blankets = [[one.variable, list(one.members), one.steps] for one in tuple(self.blankets.values())]
        return {"blankets": sorted(blankets), "edges": sorted(self.edges), "steps": self.steps}
