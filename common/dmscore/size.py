"""How large a score file will be and how much memory it takes to compute, before the work begins."""

import math
from dataclasses import dataclass

from cliquewise.common.errors import LimitError
from cliquewise.common.files.scorefile import MAX_VARIABLES
from cliquewise.common.search.machine import available_memory, available_space, megabytes
from cliquewise.common.sets.set_orders import set_count

PROGRAM = 170_000_000  # interpreter, numpy, numba
# bytes a set besides its score: masks, and what it takes to make or sort them
EXTRA = {"colex": 0, "lex": 40, "free": 16}


@dataclass(frozen=True)
class Size:
    """What a run will need.

    Attributes
    ----------
    sets : int
        Scores to compute.
    lines : int
        Lines to write, about.
    text : int
        Bytes to write, about.
    memory : int
        Bytes of memory, about.
    """

    sets: int
    lines: int
    text: int
    memory: int

    def check(self, path):
        """Refuse what does not fit into memory or into the file system of `path`."""
        for need, free, where in (
            (self.memory, available_memory(), "of memory"),
            (self.text, available_space(path), "of disk space"),
        ):
            if free is not None and need > free:
                raise LimitError(
                    f"{self.sets:,} scores need about {megabytes(need)} {where}, {megabytes(free)} are free; "
                    "give a smaller MAXCLIQUE"
                )


def size_of(data, largest, form, names, threads):
    """What a run will need.

    Parameters
    ----------
    data : Dataset
    largest : int
        Size of the largest sets.
    form : common.dmscore.cli.Form
        What is written.
    names : sequence of str
        As a file of parent sets will name the variables.
    threads : int

    Returns
    -------
    Size

    Raises
    ------
    LimitError
        More variables than the files can hold.
    """
    n = data.n_vars
    if n > MAX_VARIABLES and form.layout != "cussens":
        told = f"{n} variables; a file of the scores of sets holds at most {MAX_VARIABLES}"
        raise LimitError(f"{told}, one of parent sets (--layout cussens) any number")
    sets = set_count(n, largest)
    number = _digits(data, form.precision)
    memory = PROGRAM + 8 * sets + threads * data.n_rows * (12 * (largest + 1) + 60)
    if form.layout == "cussens":
        families = set_count(n - 1, largest - 1)
        # each variable is in so many parent sets of each other one
        parents = (n - 1) * set_count(n - 2, largest - 2) if largest > 1 else 0
        text = n * families * (number + 3) + parents * sum(len(name.encode()) + 1 for name in names)
        return Size(sets, n * families, text, memory + families * (4 * largest + 12))
    lines = sets + (set_count(n, largest - 1) if form.pair else 0)
    text = lines * (number + 1)
    if form.order == "free":  # `k v1 ... vk`, and each variable is in so many sets
        text += 2 * lines + set_count(n - 1, largest - 1) * sum(len(str(v)) + 1 for v in range(n))
    return Size(sets, lines, text, memory + (EXTRA[form.order] + 24 * form.pair) * sets)


def _digits(data, precision):
    """Characters of a score, about."""
    if precision is None:
        return 18
    typical = data.n_rows * sum(math.log(arity) for arity in data.arity.tolist()) / 4
    return 2 + len(str(round(typical))) + precision
