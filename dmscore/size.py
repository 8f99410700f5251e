"""Estimates of the size of a score file and of the memory to compute it, made before the work begins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..common.compiled import registries
from ..common.errors import LimitError
from ..common.files.atomic_write import is_compressed
from ..common.files.scorefile import MAX_VARIABLES
from ..common.run.resources import available_space, check_fits, megabytes, resident_memory
from ..common.scores.all_scores import walk_memory
from ..common.sets.set_orders import set_count

if TYPE_CHECKING:
    from ..common.data.dataset import Dataset
    from ..common.scores.counting_kernels import CountingTable
    from ..common.scores.score_text import Form


KERNELS = 54_000_000  # numba's registries and machine code, where reading the data has not loaded them
ADVICE = "give a smaller MAXCLIQUE"
COMPRESSED = 0.5  # of the size of a text, after compression, about
PIECE = 1 << 16  # lines that are formatted at a time
# bytes per set besides its score, in one section or two: masks, and memory to create or sort them
EXTRA = {"colex": (0, 16), "lex": (40, 40), "free": (16, 32)}


@dataclass(frozen=True)
class Size:
    """The resources that a run needs.

    Attributes
    ----------
    sets
        Scores to compute.
    lines
        Lines to write, about.
    text
        Bytes to write, about.
    more
        Bytes of memory that will be allocated, about.
    memory
        The same, including memory already in use.
    """

    sets: int
    lines: int
    text: int
    more: int
    memory: int

    def check(self, path: str | None, memory: float | None = None) -> None:
        """Refuse a run that does not fit in memory (all of it, or `memory` bytes) or in the file system of `path`."""
        check_fits(self.more, memory, f"{self.sets:,} scores", ADVICE)
        free = available_space(path)
        need = self.text * (COMPRESSED if is_compressed(path) else 1.0)
        if free is not None and need > free:
            raise LimitError(
                f"{self.sets:,} scores need about {megabytes(need)} of disk space, {megabytes(free)} are free; {ADVICE}"
            )


def size_of(data: Dataset, table: CountingTable, largest: int, form: Form, names: Sequence[str], threads: int) -> Size:
    """The memory and the output that a run will need.

    Parameters
    ----------
    table
        Of the data.
    largest
        Size of the largest sets.
    form
        The form of the file.
    names
        Variable names for a file of parent sets.

    Raises
    ------
    LimitError
        More variables than the files can contain.
    """
    n = data.n
    if n > MAX_VARIABLES and form.layout != "cussens":
        message = f"{n} variables; a file of the scores of sets contains at most {MAX_VARIABLES}"
        raise LimitError(f"{message}, one of parent sets (--layout cussens) any number")
    sets = set_count(n, largest)
    number = _digits(data, form.precision)
    walk = walk_memory(table, largest, threads)  # freed before the text is made
    if form.layout == "cussens":
        families = set_count(n - 1, largest - 1)
        # each variable is in so many parent sets of each other one
        parents = (n - 1) * set_count(n - 2, largest - 2) if largest > 1 else 0
        text = n * families * (number + 3) + parents * sum(len(name.encode()) + 1 for name in names)
        writing = families * (4 * largest + 12) + min(PIECE, families) * (180 + 16 * largest)
        return _sized(sets, n * families, text, max(walk, writing))
    lines = sets + (set_count(n, largest - 1) if form.pair else 0)
    text = lines * (number + 1)
    if form.order == "free":  # `k v1 ... vk`, and each variable is in so many sets
        text += 2 * lines + set_count(n - 1, largest - 1) * sum(len(str(v)) + 1 for v in range(n))
    writing = EXTRA[form.order][form.pair] * sets + min(PIECE, sets) * 170
    return _sized(sets, lines, text, max(walk, writing))


def _sized(sets: int, lines: int, text: int, temporary: int) -> Size:
    """A Size, with the temporary bytes in addition to the scores."""
    present, most = resident_memory()
    more = (0 if registries.are_loaded() else KERNELS) + 8 * sets + temporary
    return Size(sets, lines, text, more, max(most, present + more))


def _digits(data: Dataset, precision: int | None) -> int:
    """Approximate number of characters of a score."""
    if precision is None:
        return 18
    typical = data.n_rows * sum(math.log(arity) for arity in data.arity.tolist()) / 4
    return 2 + len(str(round(typical))) + precision
