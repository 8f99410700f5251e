"""Memory of a run of coarsen: the data in the form of the kernels, and two tables of all pairs.

The score cache and the integer programs, whose size is not known in advance, are not included.
"""

from ..common.scores.needs import Needs
from ..common.scores.scorer import bytes_of_scores, scorer_bytes


def needs_of(source, config, threads):
    """Memory that a run needs.

    Parameters
    ----------
    source : Dataset or CliqueScores
    config : Config
    threads : int

    Returns
    -------
    Needs
    """
    tables = scorer_bytes(source, threads) + 16 * source.n**2
    return Needs(tables, bytes_of_scores(source, config.steps.max_clique))
