"""A table of labels as a `Dataset`, with its states in order, independent of the source of the table.

A cell that is empty, `?` or `NA` is missing; as a state it comes last, as `?`. States that no row has are left out,
unless they are declared.
"""

import itertools
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import abridged
from ..number_text import is_number
from .dataset import Dataset
from .labels import MISSING_LABEL, in_order
from .reading import MISSING

LOG = logging.getLogger("cliquewise")
FEW_ROWS, OWN_VALUE = 20, 0.9  # no warning with fewer rows; share of rows with different values
MANY_NUMBERS, ROWS_PER_NUMBER = 20, 200  # a column with more different numbers and fewer rows for each is measured
ROWS_PER_PAIR = 20  # so are two columns of many numbers with fewer rows for each pair of numbers
SOME_NUMBERS, ROWS_PER_STATE = 7, 20  # with more numbers up to MANY_NUMBERS and fewer rows for each, links are missed
MOST_NUMBERS = 100  # with more it is measured however many rows there are
_BLOCK = 1 << 14  # rows sorted at a time
_FEW = 4  # codes that are compared with a column in less time than all are marked


@dataclass(frozen=True)
class DeclaredStates:
    """The states of columns that are known before their rows are read.

    Attributes
    ----------
    states : dict of str to tuple of str
        The states of some columns, in order; other labels there are missing cells.
    arities : dict of str to int
        The number of states of columns, at least those that rows have, not counting the missing one; 0 if unknown.
    markers
        The labels that mean a missing cell in other columns.
    possible : list of list of int
        For each column, the codes of labels that are states even if they do not occur; or empty.
    """

    states: Mapping[str, Sequence[str]] = field(default_factory=dict)
    arities: Mapping[str, int] = field(default_factory=dict)
    markers: Collection[str] = MISSING
    possible: Sequence[Sequence[int]] = ()

    def of(self, names: Sequence[str], seen: Sequence[Sequence[str]]) -> list[list[str]]:
        """The states of each column in order, but for the missing one.

        Parameters
        ----------
        seen
            The labels that rows have.
        """
        known = [in_order(dict.fromkeys(label for label in labels if label not in self.markers)) for labels in seen]
        numbers = [0 if name in self.states else self.arities.get(name, 0) for name in names]
        if any(numbers):
            known = with_unseen(known, numbers)
        return [list(self.states.get(name, labels)) for name, labels in zip(names, known, strict=True)]


NO_MARKERS = DeclaredStates(markers=())  # of models, in which no label means a missing cell


def ordered_dataset(
    names: tuple[str, ...],
    labels: Sequence[Sequence[str]],
    codes: np.ndarray,
    source: str = "-",
    chosen: np.ndarray | None = None,
    progress: Callable = lambda share: None,
    declared: DeclaredStates | None = None,
) -> Dataset:
    """The Dataset of a table, with its states sorted.

    Parameters
    ----------
    names : tuple of str, length n_vars
        All different.
    labels
        `labels[v][k]` is the label of code k of column v; all different within a column.
    codes : int[n_rows, n_vars]
        0 <= codes[r, v] < len(labels[v]).
    source
        For messages.
    chosen : int64[k], optional
        Which rows, in the order of the result; default all.
    progress : callable taking a float
        Called with the share done so far.
    declared
        The states that are known; None: none, and the usual labels are missing cells.

    Returns
    -------
    Dataset
        Columns may be constant.
    """
    n_rows, declared = len(codes) if chosen is None else len(chosen), declared or DeclaredStates()
    # a column of all rows would be scattered in memory
    blocks = [slice(start, start + _BLOCK) for start in range(0, n_rows, _BLOCK)]

    def columns_of(block: slice) -> np.ndarray:
        return np.ascontiguousarray((codes[block] if chosen is None else codes[chosen[block]]).T)

    occurs = [np.zeros(len(column), bool) for column in labels]
    for block in blocks:
        progress(0.5 * block.start / n_rows)
        for column, found in zip(columns_of(block), occurs, strict=True):
            _mark(column, found)
    unused = _mark_possible(names, labels, occurs, declared)
    if unused:
        LOG.info("%s: states that no row has, kept: %s", source, abridged(unused))
    states, recodes = [], []
    seen_of = [
        [label for label, is_found in zip(column, found, strict=True) if is_found]
        for column, found in zip(labels, occurs, strict=True)
    ]
    known_of = declared.of(names, seen_of)
    dtype = codes.dtype if max(map(len, known_of), default=0) < 255 else np.dtype(np.int32)
    for column, seen, known in zip(labels, seen_of, known_of, strict=True):
        code_of = {label: code for code, label in enumerate(known)}
        lacking = any(label not in code_of for label in seen)
        recodes.append(np.array([code_of.get(label, len(known)) for label in column], dtype=dtype))
        states.append(tuple(known) + (MISSING_LABEL,) * lacking)
    ordered = np.empty((n_rows, len(recodes)), dtype=dtype, order="F")
    for block in blocks:
        progress(0.5 + 0.5 * block.start / n_rows)
        for v, (column, recode) in enumerate(zip(columns_of(block), recodes, strict=True)):
            ordered[block, v] = recode[column]
    ordered.setflags(write=False)
    return Dataset(tuple(names), tuple(states), ordered, source)


def _mark_possible(
    names: Sequence[str], labels: Sequence[Sequence[str]], occurs: Sequence[np.ndarray], declared: DeclaredStates
) -> list[str]:
    """Mark the codes that are states even if they do not occur, as if they did; returns these states, for messages."""
    unused = []
    for name, column, found, possible in zip(names, labels, occurs, declared.possible, strict=False):
        if name not in declared.states:
            others = {*declared.markers, *(column[code] for code in np.flatnonzero(found).tolist())}
            new = [code for code in possible if column[code] not in others]
            found[new] = True
            unused += [f"{name} '{column[code]}'" for code in new]
    return unused


def with_unseen(known: Sequence[list[str]], arities: Sequence[int]) -> list[list[str]]:
    """The states of columns in order, including those that do not occur.

    Whole numbers below the number of states are completed from 0, or from 1 if the number itself is a state, or if no
    column has a 0 and some have their number of states. Other states follow the known ones as `unseen1`, `unseen2`, ...

    Parameters
    ----------
    known : sequence of list of str
        Of each column in order, without the missing one.
    arities
        The number of states of each column; 0 if it is those that are known.
    """
    whole = [_whole_numbers(labels) for labels in known]
    zeros = any(0 in numbers for numbers in whole)
    from_one = not zeros and any(number in numbers for numbers, number in zip(whole, arities, strict=True))
    result = []
    for labels, numbers, number in zip(known, whole, arities, strict=True):
        first = int(number in numbers or (from_one and 0 not in numbers))
        if number > len(labels) and numbers and min(numbers) >= first and max(numbers) < number + first:
            new = [str(k) for k in range(first, first + number) if k not in numbers]
            result.append(in_order([*labels, *new[: number - len(labels)]]))
            continue
        free = (f"unseen{k}" for k in itertools.count(1) if f"unseen{k}" not in labels)
        result.append([*labels, *itertools.islice(free, max(0, number - len(labels)))])
    return result


def _whole_numbers(labels: Sequence[str]) -> set[int]:
    """The labels as whole numbers, if all are."""
    values = [float(label) for label in labels] if all(map(is_number, labels)) else []
    return set(map(int, values)) if all(value.is_integer() for value in values) else set()


def _mark(column: np.ndarray, found: np.ndarray) -> None:
    """Set found[code] for every code in a part of a column; where few are left to be found, one by one."""
    left = np.flatnonzero(~found)
    if len(left) > _FEW:
        found[column] = True
        return
    for code in left:
        found[code] = (column == code).any()
