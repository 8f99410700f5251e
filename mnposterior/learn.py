"""mnposterior's one public function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.data.incomplete import IncompleteData
from .config import chosen_method

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores
    from ..common.run.monitor import Monitor
    from ..common.run.result import Posterior
    from ..common.scores.scoring import Scoring
    from .config import PosteriorConfig


def warm_up(source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> None:
    """Compile the kernels of a later `learn`, by chains unless the method is exact, before its clock starts."""
    if config.method == "exact":
        from .exact import warm_up as warm_up_draws

        warm_up_draws(source, monitor)
        return
    if isinstance(source, IncompleteData):
        from .augmentation import CompletingChains

        CompletingChains(source, scoring, config, monitor).compile_all(monitor)
        return
    from .chains import warm_up as warm_up_chains

    warm_up_chains(source, scoring, config, monitor)


def learn(source: Dataset | CliqueScores, scoring: Scoring, config: PosteriorConfig, monitor: Monitor) -> Posterior:
    """Sample the posterior over chordal networks.

    Parameters
    ----------
    source : Dataset or CliqueScores
    scoring : Scoring
    config : PosteriorConfig
    monitor : Monitor
        An iteration is a move of a chain, or an exact draw. Chains need a limit of time or iterations.

    Returns
    -------
    Posterior

    Raises
    ------
    LimitError
        Too many variables; tables that do not fit in the allowed memory; no time for a single exact draw.
    UsageError
        A start network that does not fit.
    DataError
        The scores in the file forbid the start network, or every network.
    KeyboardInterrupt
        Stopped before the first exact draw.
    """
    if isinstance(source, IncompleteData):
        from .augmentation import sample_incomplete

        return sample_incomplete(source, scoring, config, monitor)
    if chosen_method(config, source.n, monitor.limits) == "exact":
        from .exact import sample_exactly

        return sample_exactly(source, scoring, config, monitor)
    from .chains import sample_by_chains

    return sample_by_chains(source, scoring, config, monitor)
