"""The posterior distribution over chordal networks, sampled by chains.

p(G | data) is proportional to exp(score of G) * (p / (1 - p)) ^ edges over the chordal graphs with cliques of at most
the bound, where p is the edge prior; 1/2 makes the prior uniform. It is sampled by independent ladders of tempered
chains (`mnposterior.ladders`) with different starts (`mnposterior.starts`).

*Adaptation.* In the first part of the run after the search for starts, at most the share `ADAPTATION_SHARE`, the
ladders are adapted to the draws so far, each time its length has doubled and at the end. Draws before the last
adaptation are discarded.

The remaining draws give probabilities and diagnostics (`mnposterior.summary`).
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ..common.errors import LimitError
from ..common.graphs.graph import Graph
from ..common.graphs.start_network import init_network
from ..common.run.result import COMPLETE, Posterior
from ..common.run.state_record import StateRecord, ValueField, natural
from ..common.scores.greedy import compile_growth
from ..common.scores.scorer import SetScorer
from ..common.scores.spanning import compile_pair_gains
from .cooling import Cooling
from .ladders import Ladders
from .starts import Starts
from .summary import summary

if TYPE_CHECKING:
    from typing import Any

    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.run.saved import Saved
    from ..common.scores.scoring import Scoring
    from .config import PosteriorConfig

LOG = logging.getLogger("cliquewise")
MAX_VARIABLES = 1000
ADAPTATION_SHARE = 0.2  # of the run after the search for starts, at most


@dataclass(frozen=True)
class PosteriorRow:
    """The chain of a ladder at temperature 1 between two slices: a row of the trace.

    Attributes
    ----------
    seconds : float
    step : int
        Moves of all chains so far.
    ladder : int
    adapting : int
        1 during adaptation, when draws are not used, otherwise 0.
    score : float
        Of the current network.
    edges : int
    """

    seconds: float
    step: int
    ladder: int
    adapting: int
    score: float
    edges: int


def check_size(n: int) -> None:
    """LimitError if there are too many variables for chains."""
    if n > MAX_VARIABLES:
        raise LimitError(f"{n} variables; mnposterior takes at most {MAX_VARIABLES}")


def sample_by_chains(
    source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor
) -> Posterior:
    """Sample the posterior over chordal networks within the limits.

    Parameters
    ----------
    source
        Of at most `MAX_VARIABLES` variables.
    scoring
    config
    monitor
        An iteration is a move of a chain. It has a limit of time or iterations.

    Returns
    -------
    Posterior

    Raises
    ------
    LimitError
        Too many variables.
    UsageError
        A start network that does not fit.
    DataError
        The scores in the file forbid the start network.
    """
    check_size(source.n)
    scorer = _scorer(source, scoring, config, monitor)
    if scorer.n == 1:
        alone = Graph(1, (), source.names, ())
        witness = Graph(1, (), source.names), scorer.score((0,))
        return Posterior(alone, COMPLETE, 0, (witness,), {}, (witness[0],), (witness[1],))
    max_clique = min(config.max_clique or scorer.n, scorer.largest_set)
    init = None if config.init is None else init_network(config, scorer.n, max_clique)
    ladders = Ladders(scorer, config, max_clique, monitor)
    starts = Starts(source, scoring, config, max_clique, monitor)
    _compile(ladders, starts)
    monitor.start()
    run = ChainSampling(ladders, monitor)
    if monitor.saved is None or Cooling.record.is_in(monitor.saved):
        ladders.start_at(starts.networks(ladders) if init is None else [starts.checked(init, scorer)])
        run.began = monitor.share_done
    else:
        run.restore(monitor.saved)
    run.sample()
    return summary(ladders, config, source.names, monitor)


def warm_up(source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> None:
    """Compile the kernels of a later `sample_by_chains`, of at least two variables, before its clock starts."""
    scorer = _scorer(source, scoring, config, monitor)
    max_clique = min(config.max_clique or scorer.n, scorer.largest_set)
    starts = Starts(source, scoring, config, max_clique, monitor)
    _compile(Ladders(scorer, config, max_clique, monitor), starts)


def _scorer(source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> SetScorer:
    threads = min(config.ladders, monitor.threads)
    return SetScorer(source, scoring, config.cache_mb, threads, config.allowed)


def _compile(ladders: Ladders, starts: Starts) -> None:
    """Compile the kernels of chains, and of the search for their starts."""
    scorer, monitor = ladders.scorer, ladders.monitor
    tasks = partial(compile_pair_gains, scorer), partial(compile_growth, scorer)
    monitor.compile(*tasks, scorer.compile, ladders.compile_kernels)
    if starts.config.init is None and monitor.saved is None and starts.max_clique > 1:
        starts.warm_up()


class ChainSampling:
    """The phases of a run: adaptation, then sampling.

    Parameters
    ----------
    ladders
    monitor
    """

    record = StateRecord(
        ValueField("slices", int, natural),
        ValueField("next_time", int, lambda slices, _: slices >= 1),
        ValueField("adapting", bool),
        ValueField("began", float, lambda began, _: began >= 0.0),
        prefix="sampling-",
    )

    def __init__(self, ladders: Ladders, monitor: Monitor) -> None:
        self.ladders, self.monitor = ladders, monitor
        self.slices, self.next_time, self.adapting = 0, 1, True
        self.began = 0.0  # the share of the run that the search for starts took

    def sample(self) -> None:
        """Run slices until a limit is reached."""
        adapted = self.began + ADAPTATION_SHARE * (1.0 - self.began)  # the share of the run at its end
        while self.ladders.run_slice():
            self.slices += 1
            ends = self.adapting and self.monitor.share_done >= adapted
            if ends or (self.adapting and self.slices == self.next_time):
                self.ladders.adapt(ends)
                self.next_time *= 2
            self.adapting = self.adapting and not ends
            _report(self.ladders, self.monitor, self.adapting)
            self.monitor.keep(self._state)
        _report(self.ladders, self.monitor, self.adapting)
        if self.adapting:
            LOG.warning("stopped during adaptation; the probabilities are unreliable; let it run longer")

    def _state(self) -> dict[str, Any]:
        return self.record.save(self) | self.ladders.state()

    def restore(self, saved: Saved) -> None:
        """Continue where an earlier part of the run ended."""
        self.record.load(saved, self)
        self.ladders.restore(saved)


def _report(ladders: Ladders, monitor: Monitor, adapting: bool) -> None:
    seconds = monitor.clock.seconds
    for i, (score, edges) in enumerate(ladders.current()):
        monitor.reporter.record(PosteriorRow(seconds, monitor.iterations, i, int(adapting), score, edges))
    what = f"{'adapting' if adapting else 'sampling'}, scores {ladders.shown_scores()}"
    monitor.reporter.progress(f"{seconds:.0f} s, {what}")
