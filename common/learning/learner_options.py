"""The common part of the options of all learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..run.limits import Limits
from .incomplete import EmOptions
from .options import CheckpointOptions, OutputOptions
from .resources import ResourceOptions
from .sources import LearningOptions


@dataclass(frozen=True, kw_only=True)
class LearnerOptions:
    """The options of a run; each learner adds its own.

    Attributes
    ----------
    source, em
        The data, and how their missing cells are completed.
    scoring : ScoreOptions, or the learner's own record
    limits, resources, checkpoints
        For how long, with what, and where a checkpoint is kept.
    output
        The output.
    """

    source: LearningOptions
    scoring: Any
    output: OutputOptions
    limits: Limits = Limits()
    resources: ResourceOptions = ResourceOptions()
    checkpoints: CheckpointOptions = CheckpointOptions()
    em: EmOptions = EmOptions()
