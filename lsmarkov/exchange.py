"""The default search: descents that go on from the best network, then replica exchange.

1. A few walkers descend with kicks (`lsmarkov.descent_kernels`) until they stand still or their share of the time is
   spent. That finds a good network soonest, above all where scores are costly.
2. All walkers start from the networks found and become chains at fixed temperatures (`lsmarkov.exchange_kernels`). After
   every round chains at neighbouring temperatures change places with probability
   min(1, exp((1/T_i - 1/T_j)(score_j - score_i))) (Swendsen and Wang 1986), so that good networks sink to the cold end
   and the hot end keeps finding new ones. The temperatures move within their range so that all exchange rates become equal.

Number of walkers, rounds and draws do not depend on the number of threads, and scores do not depend on who computes
them: the same seed and iterations give the same network on any machine.
"""

import math

import numpy as np

from common.random_kernels import uniform
from lsmarkov import published
from lsmarkov.descent_kernels import DescentRules, descend, start_here
from lsmarkov.exchange_kernels import WalkRules, walk
from lsmarkov.neighbourhood_kernels import CLIQUE, EDGES, VERTEX
from lsmarkov.walker_kernels import BEST, IDLE, SCORE

CHAINS = 12
COLDEST, HOTTEST = 0.3, 4.0
MOVES = 4000  # a chain, between exchanges
SHARE = (0.7, 0.8, 0.9)
AIM = (0.2, 0.35, 0.55)

DESCENTS = 2
DESCENT_STEPS = 250
DESCENT_PATIENCE = 60
KICK = 5
STANDSTILL = 6000  # steps without a better network that end the descents
DESCENT_TIME = 0.15  # of the time limit
DESCENT_ITERATIONS = 0.02  # of the iterations


def search(team, partners, max_clique):
    """Search until the team's limits say stop.

    Parameters
    ----------
    team : Team of CHAINS walkers
    partners : int64[n, p], see `WalkRules`
    max_clique : int
    """
    if descend_first(team, max_clique):
        rules = WalkRules(partners, np.array(SHARE), np.array(AIM), max_clique)
        exchange(team, rules, Ladder(CHAINS, COLDEST, HOTTEST))


def compile_kernels(team):
    """Run every kernel of the search for no step, so that none is compiled while the clock runs."""
    published.compile_kernels(team)
    rules = WalkRules(np.zeros((team.scorer.n, 1), np.int64), np.array(SHARE), np.array(AIM), 2)
    walk(team.walkers[0], 1.0, 0, team.scorer.scores, team.scorer.scratch[0], team.work[0], rules, team.stop)


def descend_first(team, max_clique):
    """The first phase; returns whether the search may go on. All walkers end at the descents' best networks."""
    rules = DescentRules(EDGES + VERTEX + CLIQUE, DESCENT_PATIENCE, False, KICK, max_clique)
    walkers = team.walkers[:DESCENTS]

    def begin(i, walker, scratch, _work):
        start_here(walker, team.scorer.scores, scratch, team.hoods[i])

    def go_on(i, walker, scratch, work):
        descend(walker, team.scorer.scores, scratch, work, team.hoods[i], rules, DESCENT_STEPS, team.stop)

    limits = team.limits
    time_left = math.inf if limits.seconds is None else DESCENT_TIME * limits.seconds
    steps_left = math.inf if limits.iterations is None else DESCENT_ITERATIONS * limits.iterations
    running = team.each(begin, walkers)
    best, since = -math.inf, 0
    while running and since < STANDSTILL and team.seconds < time_left and team.steps < steps_left:
        running = team.each(go_on, walkers)
        score = team.best.numbers[BEST]
        since = 0 if score > best else since + DESCENT_STEPS
        best = max(best, score)
    for i, walker in enumerate(team.walkers):
        source = walkers[i % DESCENTS]
        walker.adjacency[:] = source.best
        walker.best[:] = source.best
        walker.numbers[SCORE] = source.numbers[BEST]
        walker.numbers[BEST] = source.numbers[BEST]
        walker.counts[IDLE] = 0
    return running


class Ladder:
    """Temperatures whose exchange rates are kept equal.

    Parameters
    ----------
    size : int
    coldest, hottest : float > 0, kept
    """

    ADAPT_EVERY = 40  # rounds

    def __init__(self, size, coldest, hottest):
        self.temperatures = np.geomspace(coldest, hottest, size)
        self.tried = np.zeros(size - 1)
        self.taken = np.zeros(size - 1)
        self.rounds = 0

    def adapt(self):
        """Every so many rounds, narrow the gaps with few exchanges and widen the others."""
        self.rounds += 1
        if self.rounds % self.ADAPT_EVERY:
            return
        rates = (self.taken + 1.0) / (self.tried + 4.0)
        gaps = np.diff(np.log(self.temperatures))
        gaps *= np.exp(0.5 * (rates - rates.mean()) / (rates.mean() + 0.1))
        gaps *= math.log(self.temperatures[-1] / self.temperatures[0]) / gaps.sum()
        low = math.log(self.temperatures[0])
        self.temperatures = np.exp(low + np.concatenate([[0.0], np.cumsum(gaps)]))
        self.tried *= 0.7
        self.taken *= 0.7


def exchange(team, rules, ladder):
    """The second phase: rounds of moves and exchanges until the team's limits say stop."""
    chains = list(range(len(team.walkers)))  # chains[i] is the walker at temperature i
    state = team.walkers[0].random.copy()

    def go_on(i, walker, scratch, work):
        walk(walker, ladder.temperatures[i], MOVES, team.scorer.scores, scratch, work, rules, team.stop)

    while team.each(go_on, [team.walkers[c] for c in chains]):
        inverse = 1.0 / ladder.temperatures
        for i in range(ladder.rounds % 2, len(chains) - 1, 2):
            a, b = (team.walkers[chains[j]].numbers[SCORE] for j in (i, i + 1))
            ladder.tried[i] += 1
            if uniform(state) < math.exp(min(0.0, (inverse[i] - inverse[i + 1]) * (b - a))):
                chains[i], chains[i + 1] = chains[i + 1], chains[i]
                ladder.taken[i] += 1
        ladder.adapt()
