"""Local search of `lsmarkov` for a first network: the better it is, the fewer sets remain for the exact methods.

Cost: FIRST_STEPS steps per variable, a second or two for twenty variables; before an integer program of millions of
sets, STEPS_PER_SET for each of them, a microsecond or two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Monitor
    from ..common.run.result import LearnResult
    from ..common.scores.scoring import Scoring
    from ..lsmarkov.config import Config as SearchConfig
    from .config import Config

FIRST_STEPS = 25_000  # per variable, of the first search
STEPS_PER_SET = 2  # for each set of the integer program, of the first search, if that is more


@dataclass(frozen=True)
class LocalSearch:
    """The settings of a run.

    Attributes
    ----------
    scoring, config
        Of the exact method, with its allowed edges and its seed.
    largest
        Largest clique.
    """

    scoring: Scoring
    config: Config
    largest: int

    def learn(self, source: Dataset | CliqueScores, start: Graph | None, monitor: Monitor) -> LearnResult:
        """The best network found until the monitor stops the search.

        Parameters
        ----------
        start
            The network to begin with; None for no edges.
        """
        from ..lsmarkov.learn import learn

        return learn(source, self.scoring, self._search(start), monitor)

    def warm_up(self, source: Dataset | CliqueScores, monitor: Monitor) -> None:
        """Compile the kernels of a later search, before the clock of the monitor starts."""
        from ..lsmarkov.learn import warm_up

        warm_up(source, self.scoring, self._search(None), monitor)

    def _search(self, start: Graph | None) -> SearchConfig:
        """The Config of a search."""
        from ..lsmarkov.config import Config as SearchConfig

        config, largest = self.config, max(2, self.largest)
        return SearchConfig(max_clique=largest, init=start, allowed=config.allowed, seed=config.seed)
