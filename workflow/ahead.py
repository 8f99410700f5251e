"""What a second process compiles while `cliquewise learn` compiles and searches: the kernels of the next steps.

It warms the learners of these steps up, by a few rows of the data (`common.run.second_compiler`). What the first
step needs too comes last, in reverse order.
"""

from __future__ import annotations

from ..common.data.dataset import Dataset
from ..common.learning.brief_run import ReversedCompilation
from ..common.scores.scoring import Scoring
from ..common.scores.tiny_source import tiny_source


def compile_kernels(data: Dataset, max_clique: int | None, proof: int | None) -> None:
    """Compile what the learners of the steps after the first one compile before their clocks start.

    Parameters
    ----------
    data
        A few rows of the table.
    max_clique
        Of the networks that have probabilities; None for any.
    proof
        The largest clique of the network that is to be proved the best; None if none is.
    """
    from ..junctor import ilp
    from ..junctor.config import Config
    from ..mnposterior import learn as posterior
    from ..mnposterior.config import PosteriorConfig

    scoring = Scoring("bdeu", 1.0)
    with ReversedCompilation() as monitor:
        if proof is not None:
            ilp.warm_up(tiny_source(data), scoring, Config(proof), monitor)
        posterior.warm_up(data, scoring, PosteriorConfig(max_clique=max_clique), monitor)
        monitor.start()
