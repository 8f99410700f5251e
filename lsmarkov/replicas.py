"""Replica exchange: chains at the temperatures of a ladder that adapts to the data.

All chains draw moves (`lsmarkov.exchange_kernels`); after every round those at adjacent temperatures may exchange their
states (`common.chains.replica_exchange`, which also determines the ladder).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.chains.replica_exchange import ReplicaExchange
from ..common.run.saved import is_permutation
from ..common.run.state_record import StateRecord, ValueField, below_infinity
from .ensemble import put
from .exchange_kernels import walk
from .joint import JointSets
from .walker_kernels import BEST, SCORE, TOLERANCE

if TYPE_CHECKING:
    from ..common.chains.ladder import Ladder
    from ..common.chains.moves_kernels import MoveScratch
    from ..common.run.saved import Saved
    from ..common.scores.score_cache_kernels import ScoreScratch
    from .ensemble import Ensemble
    from .exchange_kernels import WalkRules
    from .walker_kernels import Walker

LOG = logging.getLogger("cliquewise")

ROUNDS = 100  # per phase
LOOKS = 4  # batches of sets evaluated for joint moves before a phase, if nothing was better since the last one


class EnsembleWalks:
    """The chains of an ensemble, for `ReplicaExchange`."""

    def __init__(self, ensemble: Ensemble, rules: WalkRules) -> None:
        self.ensemble, self.rules = ensemble, rules

    def run(self, chains: list[Walker], temperatures: list[float] | np.ndarray, moves: int) -> bool:
        """Draw this number of moves of each chain at its temperature; returns whether the search may continue."""
        ensemble, rules = self.ensemble, self.rules
        scores, stop = ensemble.scorer.scores, ensemble.stop

        def go_on(i: int, walker: Walker, own: int, scratch: ScoreScratch, work: MoveScratch) -> None:
            walk(walker, temperatures[i], own, scores, scratch, work, rules, stop)

        return ensemble.status is None and ensemble.run_slice(go_on, chains, moves)

    def counts(self, chain: Walker) -> tuple[int, int]:
        """The numbers of moves of a chain that were drawn and accepted so far."""
        return chain.tried.sum(), chain.taken.sum()

    def score(self, chain: Walker) -> float:
        """Score of a chain's current network."""
        return chain.numbers[SCORE]

    def best_score(self) -> float:
        """Score of the best network of all."""
        return self.ensemble.best.numbers[BEST]

    def present(self, chain: Walker) -> list[np.ndarray]:
        """The arrays that contain a chain's current network and its score, not copies."""
        return [chain.adjacency, chain.numbers[SCORE : SCORE + 1]]

    def put_at_best(self, chain: Walker) -> None:
        """Put a chain at the best network of all."""
        best = self.ensemble.best
        chain.adjacency[:], chain.numbers[SCORE] = best.best, best.numbers[BEST]


class Exchange:
    """Phases of replica exchange.

    Parameters
    ----------
    chains : list of Walker, at least two
        chains[i] is the chain on rung i.
    """

    record = StateRecord(
        ValueField("rungs", list, lambda rungs, own: is_permutation(rungs, len(own.replicas.chains))),
        ValueField("known", float, below_infinity),
    )

    def __init__(self, ensemble: Ensemble, chains: list[Walker], rules: WalkRules) -> None:
        scorer, random = ensemble.scorer, chains[0].random.copy()
        self.ensemble, self.kernel = ensemble, EnsembleWalks(ensemble, rules)
        empty = sum(scorer.score((v,)) for v in range(scorer.n))
        self.replicas = ReplicaExchange(self.kernel, chains, random, empty, rounds=1)
        self.joint_sets = JointSets(scorer, rules.max_clique, int(random[0]))
        self.known = -np.inf  # best score before the last phase

    @property
    def rungs(self) -> list[int]:
        """The numbers of the walkers that are the chains."""
        number = {id(walker): i for i, walker in enumerate(self.ensemble.walkers)}
        return [number[id(chain)] for chain in self.replicas.chains]

    @rungs.setter
    def rungs(self, rungs: list[int]) -> None:
        self.replicas.chains[:] = [self.ensemble.walkers[i] for i in rungs]

    def state(self) -> dict[str, Any]:
        """The state to continue from, besides the chains."""
        return self.replicas.state() | self.record.save(self) | self.joint_sets.state()

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self.record.load(saved, self)
        self.replicas.restore(saved)
        self.joint_sets.restore(saved, LOOKS * self.replicas.rounds)

    def phase(self) -> None:
        """Run some rounds. Better networks found elsewhere are adopted: first by all chains, later by the coldest."""
        ensemble, replicas, best = self.ensemble, self.replicas, self.ensemble.best
        chains, score = replicas.chains, float(best.numbers[BEST])
        if score > max(chain.numbers[BEST] for chain in chains) + TOLERANCE:
            for chain in chains if replicas.ladder is None else chains[:1]:
                put(chain, best.best, score)
        for _ in range(1 if score > self.known + TOLERANCE else LOOKS):
            self.joint_sets.look(ensemble.monitor.map, ensemble.stop)
        self.kernel.rules = self.kernel.rules._replace(joint_sets=self.joint_sets.listed)
        self.known = max(score, self.known)
        if not replicas.fit():
            replicas.rounds += 1  # the joint sets looked at are counted by rounds
            return
        for _ in range(ROUNDS):
            if not replicas.round():
                return
        ladder = replicas.ladder
        assert ladder is not None
        ensemble.report_ladder(ladder)
        self._log_rates(ladder)
        ladder.end_phase()

    def _log_rates(self, ladder: Ladder) -> None:
        phases = ladder.phases + 1
        if phases & (phases - 1) == 0:
            shares = [
                f"{rates.min():.0%} to {rates.max():.0%}" for rates in (ladder.exchange_rates, ladder.acceptance_rates)
            ]
            LOG.debug("phase %d: %s of the exchanges taken, %s of the moves", phases, *shares)
