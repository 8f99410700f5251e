"""The memory estimated for a run is enough for what it copies."""

import tracemalloc

import numpy as np

from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scorer import SetScorer, scorer_bytes
from cliquewise.common.scores.scoring import Scoring
from cliquewise.lsmarkov.annealing import Annealing
from cliquewise.lsmarkov.config import Config
from cliquewise.lsmarkov.ensemble import Ensemble
from cliquewise.lsmarkov.size import needs_of
from tests.random_inputs import dataset_of


def test_regions_of_a_restart_have_up_to_all_variables():
    """Their columns are copied, for each thread."""
    n, threads = 201, 2
    data = dataset_of(np.random.default_rng(1).integers(0, 3, (8000, n)))
    with Monitor(threads=threads) as monitor:
        monitor.start()
        ensemble = Ensemble(SetScorer(data, Scoring("bdeu", 1.0), 1, threads), 2, 1, monitor)
        ensemble.place(ensemble.walkers[0].best)
        annealing = Annealing(ensemble, ensemble.walkers[-1], np.zeros((n, n)), 3)
        ensemble.stop[0] = 1  # no moves
        annealing.cut(1, np.random.default_rng(0))  # compiled
        tracemalloc.start()
        annealing.cut(1, np.random.default_rng(1))
        copied = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert needs_of(data, Config(max_clique=3), threads).tables >= scorer_bytes(data, threads) + copied
