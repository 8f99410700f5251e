"""The input of a tool: a data CSV or a score file, recognised by its first bytes, not its name."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..data.frame import Frame
from ..data.reading import DEFAULT, Reading

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..files.parentsets import ParentSets
    from ..files.scorefile import CliqueScores

    Source = Dataset | CliqueScores
    AnySource = Source | ParentSets


def load_input(
    path: str | os.PathLike | Frame,
    reading: Reading = DEFAULT,
    parent_sets: bool = False,
) -> AnySource:
    """Read data or scores.

    Parameters
    ----------
    path
        `-` is standard input. A table in memory is read as it is.
    reading
        How a CSV is read.
    parent_sets
        Whether parent-set scores are accepted.

    Raises
    ------
    DataError
        Unreadable or malformed, with file and line.
    """
    from ..data.csvfile import read_csv
    from ..data.reading import TO_LEARN
    from ..errors import DataError
    from ..files.file_kinds import FOREIGN, TABLES
    from ..files.input_stream import kind_of_file
    from ..files.parentsets import looks_like_parent_sets, read_parent_sets
    from ..files.scorefile import looks_like_scores, read_scores
    from ..models.model_states import with_declared
    from .progress import ProgressLine

    reading = with_declared(reading)
    if isinstance(path, Frame):
        return read_csv(path, reading, TO_LEARN)
    source = str(path)
    if looks_like_scores(source):
        return read_scores(source)
    if looks_like_parent_sets(source):
        if not parent_sets:
            raise DataError("parent-set scores; expected data or clique scores", source)
        return read_parent_sets(source)
    network = kind_of_file(source)
    if network is not None and network not in TABLES:  # a reader of tables knows what to do with those
        what = FOREIGN.get(network, "a network")
        raise DataError(f"{what} ({network}), not data; give the table or the scores to learn from", source)
    with ProgressLine() as line:
        return read_csv(source, reading, TO_LEARN, line.progress)


def kind_of(source: CliqueScores | Dataset | ParentSets | None) -> str | None:
    """`data` for a Dataset, `scores` for what contains scores, None for None."""
    from ..data.dataset import Dataset

    return None if source is None else "data" if isinstance(source, Dataset) else "scores"
