"""How much memory a run of coarsen takes besides the scores that it keeps and the integer programs, whose size is not
known before: the data as kernels want them, and two tables of all pairs.
"""

from cliquewise.common.scores.needs import Needs
from cliquewise.common.scores.scorer import bytes_of_scores, scorer_bytes


def needs_of(source, config, threads):
    """What a run takes.

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
