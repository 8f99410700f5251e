"""The data of a run, from its options."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..data.frame import Frame
from ..data.reading import Reading
from ..errors import UsageError
from .load import kind_of, load_input

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.parentsets import ParentSets
    from ..files.scorefile import CliqueScores

LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class InputOptions(Reading):
    """Where the data come from, and how they are read.

    Attributes
    ----------
    data
        CSV or score file; `-` is standard input. From Python also a Dataset or a Frame.
    """

    data: Any

    def load(self, parent_sets: bool = False) -> CliqueScores | Dataset | ParentSets | None:
        """The Dataset or CliqueScores, or ParentSets if `parent_sets` are accepted; None if no data were given."""
        from ..data.dataset import Dataset
        from ..data.incomplete import IncompleteData, without_missing_state

        rule = self.missing or "refuse"
        data = self.data  # None, or data that a caller in Python has read
        if isinstance(data, str | Frame):
            data = load_input(data, self.reading(missing=rule), parent_sets)
        if isinstance(data, IncompleteData) and rule != "em":
            message = "these data were read with --missing em, so their missing cells have no state"
            raise UsageError(f"--missing {rule}: {message}; read them again with --missing {rule}")
        return without_missing_state(data) if rule == "em" and isinstance(data, Dataset) else data

    def load_data(self) -> Dataset:
        """The Dataset; scores are refused."""
        from ..data.dataset import Dataset
        from ..errors import DataError

        source = self.load()
        if not isinstance(source, Dataset):
            raise DataError("a file of scores, not data; give the table that they were computed from", self.data)
        return source


@dataclass(frozen=True)
class LearningOptions(InputOptions):
    """The data of a learner.

    Attributes
    ----------
    resample
        Seed of a bootstrap sample of the rows.
    """

    resample: int | None = None

    def load(self, parent_sets: bool = False) -> Any:
        """As InputOptions; for a Dataset, the sample."""
        data = super().load(parent_sets)
        return data if self.resample is None or kind_of(data) != "data" else self.sampled(data)

    def sampled(self, data: Any) -> Dataset:
        """The bootstrap sample of a Dataset."""
        from ..data.resampling import resampled

        assert self.resample is not None
        sample = resampled(data, self.resample)
        LOG.info("bootstrap sample of %s, %d different", counted(sample.n_rows, "row"), sample.n_stored)
        return sample
