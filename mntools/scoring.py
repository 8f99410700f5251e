"""The score of a graph file by the options of the running command, which are refused where they have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..common.cli.compatibility import reject_ineffective_options
from ..common.networks.scoring import scoring_of_network

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.files.graphfile import GraphFile
    from ..common.files.parentsets import ParentSets
    from ..common.files.result_header import Claims
    from ..common.files.scorefile import CliqueScores
    from ..common.learning.options import ScoreOptions


def choose_scoring(file: GraphFile, scoring: ScoreOptions, source: Dataset | CliqueScores | ParentSets) -> Claims:
    """The score to use, as `scoring_of_network`; raises UsageError for options that have no effect with it."""
    by = scoring_of_network(file, scoring, source)
    reject_ineffective_options(score_type=by.score_type)
    return by
