"""Thousands of variables: a greedy network, whose pieces are improved one by one as separate problems.

The first network is the best of some greedy ones (`twlearn.insertion`) or, if there are scores of sets and it is
better, that in a chordal graph which grows edge by edge (`twlearn.growth`). Then repeatedly a variable is chosen, the
bags around it are cut out, and the search over chordal graphs and orders (`twlearn.chordal`) continues on this piece
from its current state (`twlearn.piece`). The result replaces the piece if it is better; the treewidth stays within the
bound, and the score never decreases. Every variable is chosen once per sweep.

Cost: `MOVES` moves and some milliseconds of preparation per piece, independent of the size of the whole.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.chains.replica_exchange import MOVES as ROUND
from ..common.run.checkpoint import Field, natural, state_of
from ..common.run.monitor import Limits, Monitor
from .bag_tree import BagTree, cliques_of, is_rooted
from .chordal import CHAINS, chordal
from .families import ScoredFamilies
from .insertion import best_insertion, compile_insertion
from .piece import piece_of, put_back
from .result import are_rows, network

if TYPE_CHECKING:
    from ..common.run.checkpoint import Saved
    from ..common.run.result import LearnResult
    from .config import Config
    from .growth import ChordalGrowth
    from .insertion import PartialKTree

LOG = logging.getLogger("cliquewise")
RUNS = 10  # number of greedy networks at the start
SIZE = 120  # variables per piece, in whole bags
MOVES = 4 * CHAINS * ROUND  # of the search in a piece, at first
LONGEST = 64  # largest factor of this number
LEAST_GAIN = 1e-7  # less is rounding


class Pieces:
    """A network that is improved piece by piece.

    Parameters
    ----------
    families
        Of at least two variables.
    grown
        The start network.
    """

    fields = (
        Field("rows", good=lambda rows, own: are_rows(rows, own.families)),
        Field("waiting", good=lambda v, own: ((v >= 0) & (v < own.families.n)).all(), any_length=True),
        Field("had"),
        Field("times", int, lambda times, _: 1 <= times <= LONGEST),
        Field("sweeps", int, natural),
        Field("pieces", int, natural),
        *(Field(name, float) for name in ("score", "before", "now")),
    )

    def __init__(self, families: ScoredFamilies, config: Config, grown: PartialKTree) -> None:
        self.families, self.config = families, config
        self.rows = grown.rows.copy()
        self.tree = BagTree(grown.cliques, grown.clique_parent)
        self.score = grown.score
        self.waiting = np.zeros(0, np.int64)  # variables that were not yet in a piece in this sweep, and some that were
        self.had = np.zeros(families.n, bool)
        self.times, self.sweeps, self.pieces = 1, 0, 0  # length of searches; number of sweeps and pieces begun
        self.before, self.now = np.inf, 0.0  # gain of the last sweep and of the current one

    def state(self) -> dict[str, np.ndarray]:
        """The state of the run, see `Monitor.keep`."""
        members, ends, clique_parent = self.tree.arrays()
        return {"members": members, "ends": ends, "clique_parent": clique_parent, **state_of(self, self.fields)}

    def restore(self, saved: Saved) -> None:
        """Restore the state of an earlier part of the run (Saved)."""
        n, any_length = self.families.n, np.zeros(0, np.int64)
        members = saved.array("members", any_length, lambda v: len(v) > 0 and ((v >= 0) & (v < n)).all())
        good = {
            "ends": lambda ends: (np.diff(ends, prepend=0) > 0).all() and ends[-1] == len(members),
            "clique_parent": is_rooted,
        }
        ends, clique_parent = (saved.array(name, any_length, good[name]) for name in good)
        if len(ends) != len(clique_parent):
            raise saved.wrong("clique_parent")
        self.tree = BagTree.from_arrays(members, ends, clique_parent)
        if not self.tree.is_sound(n, self.config.treewidth):
            raise saved.wrong("members")
        saved.restore(self, self.fields)

    def next_piece(self) -> tuple[set[int], set[int], Any]:
        """The bags of the next piece, their variables, and random numbers for it."""
        self.waiting = self.waiting[~self.had[self.waiting]]
        if not len(self.waiting):
            self.waiting = np.random.default_rng((self.config.seed, 0, self.sweeps)).permutation(self.families.n)
            self.had[:] = False
            if self.now < 0.5 * self.before < np.inf:
                self.times = min(LONGEST, 2 * self.times)
            self.before, self.now, self.sweeps = self.now or self.before, 0.0, self.sweeps + 1
        random = np.random.default_rng((self.config.seed, 1, self.pieces))
        self.pieces += 1
        chosen, members = self.tree.around(int(self.waiting[0]), SIZE, random)
        self.had[sorted(members)] = True
        return chosen, members, random

    def improve(self, monitor: Monitor) -> float:
        """Improve the next piece, if possible; returns the gain.

        Returns
        -------
        float
        """
        chosen, members, random = self.next_piece()
        piece = piece_of(self.families, self.rows, self.tree, chosen, members)
        with monitor.part(None, self.times * MOVES) as part:
            config = replace(self.config, template=piece.template, seed=int(random.integers(1 << 31)))
            result = chordal(piece.families, config, part, adapts=False)
        gain = result.score - piece.score
        if gain <= LEAST_GAIN * (1.0 + abs(piece.score)):
            return 0.0
        rows, moral, order = put_back(piece, result)
        size = len(piece.members)
        cliques, clique_parent = cliques_of(moral, order)
        cliques = [frozenset(piece.members[i] for i in clique if i < size) for clique in cliques]
        for v, row in rows.items():
            self.rows[v] = row
        self.tree.replace(chosen, cliques, clique_parent)
        self.score += gain
        self.now += gain
        return gain


def pieces(
    families: ScoredFamilies, config: Config, monitor: Monitor, growth: ChordalGrowth | None = None
) -> LearnResult:
    """The best network found.

    Parameters
    ----------
    families
        Of at least two variables, with no more than w parents.
    monitor
        An iteration is a piece.
    growth
        Another start.

    Returns
    -------
    LearnResult
    """
    monitor.compile(partial(_compile, config), *([] if growth is None else [growth.compile]))
    monitor.start()
    saved = monitor.saved
    grown = best_insertion(families, config.treewidth, config.seed, RUNS if saved is None else 1, monitor)
    if saved is None:
        LOG.info("greedy network: %.6f", grown.score)
        if growth is not None:
            other = growth.network(families, monitor)
            LOG.info("in a chordal graph that grows: %.6f", other.score)
            grown = max(grown, other, key=lambda one: one.score)
    state = Pieces(families, config, grown)
    if saved is not None:
        state.restore(saved)
    monitor.report(0, state.score)
    while monitor.status is None:
        state.improve(monitor)
        monitor.report(1, state.score)
        if monitor.may_go_on():  # otherwise the whole piece must be repeated
            monitor.keep(state.state)
    order = state.tree.elimination_order()
    return network(families, state.rows.tolist(), order, monitor.status, monitor.iterations)


def _compile(config: Config) -> None:
    """Run the kernels for two variables without possible parents, so that none is compiled while the clock runs."""
    tiny = ScoredFamilies(np.arange(3), np.full((2, 1), -1, np.int32), np.zeros(2))
    with Monitor(Limits(iterations=1), 1) as monitor:
        compile_insertion()
        chordal(tiny, replace(config, template=None), monitor)
