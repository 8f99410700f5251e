"""The order of states: a table of labels as a `Dataset`, independent of the source of the table.

The order depends only on the labels: by value if every label of a column is a number (equal values by code point), by
the lower end if every label is an interval as `[135,150)`, otherwise by code point. A cell that is empty, `?` or `NA`
is missing; as a state it comes last, as `?`. States that no row has are left out.
"""

import itertools
import logging
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from .csvwriter import cell_text
from .dataset import Dataset
from .reading import MISSING

LOG = logging.getLogger("cliquewise")
LIKE_MISSING = {"nan", "null", "n/a", "<na>"}
FEW_ROWS, OWN_VALUE = 20, 0.9  # no warning with fewer rows; share of rows with different values
MANY_NUMBERS, ROWS_PER_NUMBER = 20, 20  # a column with more different numbers and fewer rows for each is measured
_BLOCK = 1 << 14  # rows sorted at a time
_FEW = 4  # codes that are compared with a column in less time than all are marked
MISSING_LABEL = "?"

_DECIMAL = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(_DECIMAL, re.ASCII)
_INTERVAL = re.compile(rf"[\[(](?:-inf|{_DECIMAL}),(?:inf|{_DECIMAL})[\])]", re.ASCII)


def is_number(label: str) -> bool:
    """Whether a label reads as a decimal number."""
    return _NUMBER.fullmatch(label) is not None


def is_interval(label: str) -> bool:
    """Whether a label reads as an interval, `[135,150)` or `(-inf,135)`."""
    return _INTERVAL.fullmatch(label) is not None


def in_order(labels: Iterable[str]) -> list[str]:
    """Non-missing labels in the order of states: list of str."""
    known = list(labels)
    values: list[float] = []
    if all(map(is_number, known)):
        values = list(map(float, known))
    elif all(map(is_interval, known)):
        values = [float(label[1 : label.index(",")]) for label in known]
    return [label for _, label in sorted(zip(values, known, strict=True))] if values else sorted(known)


def ordered_dataset(
    names: tuple[str, ...],
    labels: Sequence[Sequence[str]],
    codes: np.ndarray,
    source: str = "-",
    chosen: np.ndarray | None = None,
    progress: Callable = lambda share: None,
    markers: Collection[str] = MISSING,
    arities: Sequence[int] = (),
) -> Dataset:
    """The Dataset of a table whose states are in any order.

    Parameters
    ----------
    names : tuple of str, length n_vars
        All different.
    labels
        `labels[v][k]` is what code k of column v stands for; all different within a column.
    codes : int[n_rows, n_vars]
        0 <= codes[r, v] < len(labels[v]).
    source
        For messages.
    chosen : int64[k], optional
        Which rows, in the order of the result; default all.
    progress : callable taking a float
        Told the share that is done.
    markers
        The labels that mean a missing cell.
    arities
        The number of states of each column, at least those that rows have, not counting the missing one; 0 if unknown.

    Returns
    -------
    Dataset
        Columns may be constant.
    """
    n_rows = len(codes) if chosen is None else len(chosen)
    # reading a column of all rows would access scattered memory
    blocks = [slice(start, start + _BLOCK) for start in range(0, n_rows, _BLOCK)]
    occurs = [np.zeros(len(column), bool) for column in labels]
    for part in blocks:
        progress(0.5 * part.start / n_rows)
        block = codes[part] if chosen is None else codes[chosen[part]]
        for v, found in enumerate(occurs):
            _mark(block[:, v], found)
    states, recodes = [], []
    seen_of = [
        [label for label, is_found in zip(column, found, strict=True) if is_found]
        for column, found in zip(labels, occurs, strict=True)
    ]
    known_of = [in_order(label for label in seen if label not in markers) for seen in seen_of]
    known_of = with_unseen(known_of, arities) if any(arities) else known_of
    dtype = codes.dtype if max(map(len, known_of), default=0) < 255 else np.dtype(np.int32)
    for column, seen, known in zip(labels, seen_of, known_of, strict=True):
        lacking = any(label in markers for label in seen)
        code_of = {label: code for code, label in enumerate(known)}
        recodes.append(np.array([code_of.get(label, len(known)) for label in column], dtype=dtype))
        states.append(tuple(known) + (MISSING_LABEL,) * lacking)
    ordered = np.empty((n_rows, len(recodes)), dtype=dtype, order="F")
    for part in blocks:
        progress(0.5 + 0.5 * part.start / n_rows)
        block = codes[part] if chosen is None else codes[chosen[part]]
        for v, recode in enumerate(recodes):
            ordered[part, v] = recode[block[:, v]]
    ordered.setflags(write=False)
    return Dataset(tuple(names), tuple(states), ordered, source)


def with_unseen(known: Sequence[list[str]], arities: Sequence[int]) -> list[list[str]]:
    """The states of columns with those that no row has, in order.

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


def measured_columns(data: Dataset) -> list[str]:
    """The names of columns of numbers that have too many states to show a dependence.

    These are columns with more than 20 different numbers and fewer than 20 rows for each: measurements. Each number is
    a state with parameters of its own, so that an edge has to explain more than it can. Some fifty columns of
    measurements (breast cancer, wine, diabetes) were rounded to various numbers of states: of the edges that pay when
    the column is cut into four classes, to a class or to another column cut so, 80 % were lost with 3 to 5 rows a
    state, 70 % with 15 to 20, and 34 % with 50 to 100 (BDeu, ess 1).
    """
    found = []
    for name, labels in zip(data.names, data.states, strict=True):
        known = [label for label in labels if label != MISSING_LABEL]
        if MANY_NUMBERS < len(known) and data.n_rows < ROWS_PER_NUMBER * len(known) and all(map(is_number, known)):
            found.append(name)
    return found


def warn_of_states(data: Dataset, reading: Sequence[str] = ()) -> None:
    """Warn about suspicious columns: words for missing cells as states, identifiers, measurements, constants.

    Parameters
    ----------
    reading
        The options with which a command reads the data, for advice.
    """
    states = list(zip(data.names, data.states, strict=True))
    odd = [name for name, known in states if any(label.lower() in LIKE_MISSING for label in known)]
    measured = measured_columns(data)
    many = max(FEW_ROWS, OWN_VALUE * data.n_rows)
    own = [name for name, known in states if len(known) > many and name not in measured]
    constant = [name for name, known in states if len(known) == 1]
    for columns, what, advice in (
        (odd, "with nan, null or n/a, which are states", "; write ? or NA if they mean missing"),
        (own, "with a different value in nearly every row", "; leave out identifiers"),
        (constant, "with one state only, kept", ""),
    ):
        if columns:
            shown = ", ".join(columns[:5]) + (", ..." if len(columns) > 5 else "")
            LOG.warning("%s: columns %s: %d (%s)%s", data.source, what, len(columns), shown, advice)
    if measured:
        told = f"columns of numbers with fewer than {ROWS_PER_NUMBER} rows for each number: {len(measured)}"
        named = ",".join(map(cell_text, measured))
        command = ["mnmodel", "discretize", data.source, *reading, "--columns", named, "--labels", "-o", "cut.csv"]
        LOG.warning("%s: %s; cut them, or leave out identifiers: %s", data.source, told, shlex.join(command))
