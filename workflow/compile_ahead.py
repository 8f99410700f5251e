"""The kernels of the next steps, which a second process compiles while `cliquewise learn` compiles and searches.

It warms up the learners of these steps with a few rows of the data (`common.run.second_compiler`). Kernels that the
first step needs too are compiled last, in reverse order.
"""

from __future__ import annotations

from ..common.data.dataset import Dataset
from ..common.learning.compilation_run import ReversedCompilation
from ..common.scores.scoring import Scoring
from ..common.scores.tiny_source import tiny_source


def compile_kernels(data: Dataset, max_clique: int | None, proof: int | None, method: str) -> None:
    """Compile the kernels that the learners of the later steps compile before their clocks start.

    Parameters
    ----------
    data
        A few rows of the table.
    max_clique
        Largest clique of the networks that are drawn; None for any.
    proof
        Largest clique of the networks over which optimality is proved; None if there is no proof.
    method : {"chains", "exact"}
        Of the probabilities.
    """
    from ..junctor import ilp
    from ..junctor.config import Config
    from ..mnposterior import learn as posterior
    from ..mnposterior.config import PosteriorConfig

    scoring = Scoring("bdeu", 1.0)
    with ReversedCompilation() as monitor:
        if proof is not None:
            ilp.warm_up(tiny_source(data), scoring, Config(proof), monitor)
        posterior.warm_up(data, scoring, PosteriorConfig(method=method, max_clique=max_clique), monitor)
        monitor.start()
