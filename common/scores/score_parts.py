"""Parts of the scores of all sets, computed on different machines, and their merging.

A part is an archive of arrays (`common.files.checkpointfile`): the ranks of its sets in colex order, ascending, and
their scores. Its head identifies the whole.
"""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from ..errors import DataError
from ..files.checkpointfile import read_checkpoint, write_checkpoint
from ..files.input_stream import opened
from ..files.parts import check_parts
from ..run.resources import check_fits
from ..sets.set_orders import set_count
from .score_text import Form

PART = "scores of sets"
SET_BYTES = 40  # its score and rank, in a part and in the whole, and its mask


def write_part(path: str | None, head: dict, form: Form, scores: np.ndarray) -> None:
    """Write a part.

    Parameters
    ----------
    path
        None or `-` is standard output.
    head
        The inputs of the part: `shard`, `data`, `names`, `largest`, score and version.
    form
        The form of the whole.
    scores : float64[set_count(n, largest)]
        In colex order; NaN for the sets of other parts.
    """
    ranks = np.flatnonzero(~np.isnan(scores))
    write_checkpoint(path, {"part": PART, **head, "form": asdict(form)}, {"ranks": ranks, "scores": scores[ranks]})


def is_part(path: str) -> bool:
    """Whether a file is an archive, like parts of scores, and not text; standard input is not."""
    if path == "-":
        return False
    with opened(path) as stream:
        return stream.read(2) == b"PK"


def merged_scores(paths: Sequence[str]) -> tuple[Form, tuple[str, ...], int, np.ndarray]:
    """The whole from the files of its parts.

    Returns
    -------
    (Form, tuple of str, int, float64[set_count(n, largest)])
        The form of the whole, the names of the variables, the size of the largest sets, the scores in colex order.

    Raises
    ------
    DataError
        A file is not a part; a part is missing, repeated or from another run.
    LimitError
        No memory for the whole.
    """
    heads, states = {}, {}
    for path in paths:
        if path == "-":
            raise DataError("parts of scores are archives; name a file", path)
        head, states[path] = read_checkpoint(path, "part", "make it again, with --shard")
        if head.get("part") != PART:
            raise DataError("a checkpoint, not a part that dmscore --shard made", path)
        heads[path] = {key: value for key, value in head.items() if key not in ("format", "sha256")}
    order = check_parts(heads, "{}")
    try:
        head = heads[order[0]]
        names, largest, form = tuple(map(str, head["names"])), int(head["largest"]), Form(**head["form"])
        sets = set_count(len(names), largest)
        check_fits(SET_BYTES * sets, None, f"the scores of {sets} sets", "")
        scores = np.full(sets, np.nan)
    except (KeyError, TypeError, ValueError):
        raise DataError("a part without information on the whole; make it again", order[0]) from None
    for path in order:
        _put(scores, states[path], path)
    if np.isnan(scores).any():
        raise DataError(f"{np.count_nonzero(np.isnan(scores))} sets are in no part; make them again", order[0])
    return form, names, largest, scores


def _put(scores: np.ndarray, state: dict[str, np.ndarray], path: str) -> None:
    """Write a part's scores to their places."""
    empty = np.zeros(0)
    ranks, values = state.get("ranks", empty), state.get("scores", empty)
    kinds = [getattr(one, "dtype", None) for one in (ranks, values)]
    if kinds != [np.int64, np.float64] or ranks.shape != values.shape or ranks.ndim != 1 or np.isnan(values).any():
        raise DataError("a part without its scores; make it again", path)
    if len(ranks) and (ranks.min() < 0 or ranks.max() >= len(scores)):
        raise DataError("a part with sets that the whole does not have; make it again", path)
    if not np.isnan(scores[ranks[ranks > 0]]).all() or (np.diff(ranks) <= 0).any():
        raise DataError("a part with sets that are also in another one; make it again", path)
    scores[ranks] = values
