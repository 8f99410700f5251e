"""The proposals of chains, adapted to the draws so far: pairs of variables, partners, and sets of edges.

* TOGGLE draws pairs of variables, in the share `ADAPTED_SHARE` of its draws, in proportion to the fourth root of the
  acceptance rate of their toggles at this temperature, and otherwise uniformly; REATTACH and REPLACE draw partners in
  proportion to the square root of the edge frequency. On alarm (37 variables) 5 in 100 toggles are then accepted, 2 in
  100 with uniform draws. With the square root 8 are, but rare edges, which mix slowest, are left less often.
* FLIP has sets of edges that change together, learned from the draws (`mnposterior.flips`); earlier sets are kept if
  they were accepted often enough.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from .alias_kernels import fill_alias
from .chains_kernels import MAX_FLIP_SETS, TOGGLE, ProposalRules, TemperedChains
from .draws_kernels import COUNT
from .flips import FlipSearch, ScoredDraws, learned_sets

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOG = logging.getLogger("cliquewise")
FLIP_SHARE = 0.05  # of the moves
REATTACH_SHARE, REPLACE_SHARE = 0.15, 0.15  # of the others, the rest is TOGGLE and BRANCH
BRANCH_SHARE, MIN_BRANCH_VARIABLES = 0.2, 50  # of the others, too; fewer variables have none
FULL_FLIP_VARIABLES = 50  # beyond which this share falls as the square of their number
TRIALS_PER_FLIP = 4.0  # networks in which sets are tried while they are learned, for each proposal of FLIP
MIN_KEPT_ACCEPTANCE = 1e-4  # of a known set that is kept
ADAPTED_SHARE = 0.8  # of the draws of pairs and partners, the others are uniform


class Proposals:
    """The distributions from which moves are drawn, at first uniform and without sets of FLIP.

    Parameters
    ----------
    n, temperatures
        Numbers of variables and of temperatures.

    Attributes
    ----------
    ends : int32[pairs, 2], the pairs of variables by number
    pair_shares : float64[temperatures, pairs], the probabilities of pairs
    toggles, proposals : float64[temperatures, pairs], accepted toggles of each pair, and its expected proposals, so far
    partners : float64[n, n], the probabilities of partners of each variable
    flip_first, flip_pairs : int64[sets + 1] and int32[any], where each set begins, and the pairs of all sets
    """

    def __init__(self, n: int, temperatures: int) -> None:
        self.n = n
        self.ends = np.column_stack(np.triu_indices(n, 1)).astype(np.int32)
        shape = temperatures, len(self.ends)
        self.pair_shares = np.full(shape, 1.0 / shape[1])
        self.toggles, self.proposals = np.zeros(shape), np.zeros(shape)
        self.partners = np.where(np.eye(n, dtype=bool), 0.0, 1.0 / (n - 1))
        self.flip_first, self.flip_pairs = np.zeros(1, np.int64), np.zeros(0, np.int32)

    def rules(self, beta: np.ndarray, moves: np.ndarray, max_clique: int) -> ProposalRules:
        """The rules for the kernels.

        Parameters
        ----------
        beta : float64[temperatures]
        moves : int64[temperatures]
            Of a chain in a round.
        """
        pair_tables = (*_alias_tables(self.pair_shares), np.log(self.pair_shares).astype(np.float32))
        with np.errstate(divide="ignore"):
            partner_logs = np.log(self.partners).astype(np.float32)
        partner_tables = (*_alias_tables(self.partners), partner_logs)
        flips = self.flip_first, self.flip_pairs
        others = REATTACH_SHARE, REPLACE_SHARE, BRANCH_SHARE if self.n >= MIN_BRANCH_VARIABLES else 0.0
        shares = np.cumsum([1.0 - sum(others), *others]) * (1.0 - self._flip_share)
        return ProposalRules(beta, shares, self.ends, *pair_tables, *partner_tables, *flips, moves, max_clique)

    @property
    def _flip_share(self) -> float:
        return FLIP_SHARE * min(1.0, (FULL_FLIP_VARIABLES / self.n) ** 2)

    def adapt(self, ladders: Sequence[TemperedChains]) -> None:
        """Adapt the probabilities of pairs and partners to the draws of ladders since the last adaptation."""
        self.toggles += sum(ladder.toggled.astype(float) for ladder in ladders)
        self.proposals += sum(ladder.proposed[:, TOGGLE, None] for ladder in ladders) * self.pair_shares
        self.pair_shares = _mixed_with_uniform(((self.toggles + 0.1) / (self.proposals + 1.0)) ** 0.25, 1.0)
        joined = np.zeros_like(self.partners)
        joined[self.ends[:, 0], self.ends[:, 1]] = sum(ladder.draws.sums.sum(0) for ladder in ladders)
        others = (self.partners > 0).astype(float)
        self.partners = _mixed_with_uniform(others * np.sqrt(joined + joined.T + 0.1), others)

    def learn_flips(self, ladders: Sequence[TemperedChains], acceptance: Callable) -> None:
        """Learn sets for FLIP from the draws of ladders, without the first quarter of them.

        Parameters
        ----------
        acceptance
            As for `FlipSearch`.
        """
        count = min(int(ladder.draws.numbers[COUNT]) for ladder in ladders)
        later = slice(count // 4, count)
        drawn = [ScoredDraws(ladder.draws.graphs[later], ladder.draws.scores[later]) for ladder in ladders]
        sums = np.sum([ladder.draws.sums.sum(0) for ladder in ladders], axis=0)
        rounds = sum(int(ladder.rounds.sum()) for ladder in ladders)
        known = self._kept_flips(np.sum([ladder.flips for ladder in ladders], axis=0))
        moves = sum(int(ladder.proposed.sum()) for ladder in ladders)
        search = FlipSearch(acceptance, TRIALS_PER_FLIP * self._flip_share * moves)
        sets = list(dict.fromkeys(known + learned_sets(drawn, self.ends, sums / max(1, rounds), known, search)))
        sets = sets[:MAX_FLIP_SETS]
        self.flip_first = np.cumsum([0, *map(len, sets)])
        self.flip_pairs = np.array([pair for one in sets for pair in one], np.int32)
        LOG.debug("%d sets of edges, of up to %d", len(sets), max(map(len, sets), default=0))

    def _kept_flips(self, flips: np.ndarray) -> list[tuple[int, ...]]:
        """The sets that are kept, by how often each was proposed and accepted, int64[MAX_FLIP_SETS, 2]."""
        sets = np.split(self.flip_pairs, self.flip_first[1:])[:-1]
        used = zip(sets, flips, strict=False)
        return [tuple(one.tolist()) for one, (proposed, accepted) in used if accepted > MIN_KEPT_ACCEPTANCE * proposed]


def _mixed_with_uniform(rates: np.ndarray, others: np.ndarray | float) -> np.ndarray:
    """Probabilities in proportion to these rates, mixed with uniform ones over all `others`."""
    adapted, others = rates / rates.sum(1, keepdims=True), np.broadcast_to(others, rates.shape)
    return ADAPTED_SHARE * adapted + (1 - ADAPTED_SHARE) * others / others.sum(1, keepdims=True)


def _alias_tables(shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An alias table for each row of probabilities: float32 and int32, of its shape."""
    keep, other = np.ones(shares.shape, np.float32), np.zeros(shares.shape, np.int32)
    waiting = np.zeros(shares.shape[1], np.int64)
    for i, row in enumerate(shares):
        fill_alias(row.copy(), keep[i], other[i], waiting)
    return keep, other
