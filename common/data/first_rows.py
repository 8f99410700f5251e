"""The kind of the first rows of a table: names, the numbers of states, or data.

**Header.** A first row without numbers, or with words beside them: each column votes, for data if its first cell occurs
again below; for a header if it does not, although the labels below repeat (at least two rows per label) or are all
numbers and it is not; otherwise it abstains. A tie counts as a header. If all abstain, names that are all different
make a header. The decision is logged unless all votes agree (then only with `-v`). If a column of counts is given,
the first row is a header if and only if it contains its name.

A first row of numbers only is data unless they are all different, and either no column has a number below, or they are
0 to n - 1 or 1 to n in order, or at least half of them do not occur again in their columns. Then it is a header if that
would be rare for a row (below), refused if it would not be very likely, and else data: hardly any number repeats among
measurements.

Names that are repeated below, as where tables were joined, are refused: different words, in at most a tenth of the
rows, each of them only in rows equal to the first.

**Numbers of states.** GOBNILP, BLIP and Benchpress write how many states each column has between names and rows. A row
of whole numbers is taken for that if the cells below fit: at most so many different ones, which are below the number,
or from 1 to it, or not only numbers; the count of numbers of another range must be equal to it. It must be rare, too,
and no number more than twice the states seen plus two. If only one of that holds, or if it is rare and at most a
quarter of the columns contradict, the table is refused, and `--arities` decides; in a table of fewer than ten rows a
row that may be both is taken as data, with a warning.

**Rare** is a probability below 0.001, if each column is drawn independently: that of a cell which does not occur again
is the share of such cells below, of another one its share there, and of a number in a column of words a tenth of that.
If all cells occur again, it is not less than the share of rows equal to the first, counting the first one among them.
"""

from __future__ import annotations

import logging
import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..counted import counted
from ..errors import DataError
from ..number_text import is_number, whole_number
from .counts import no_column
from .csvtable import CsvTable, numbered
from .reading import MISSING
from .spellings import canonical_labels

INDEX_NAMES = ("", "#", "Unnamed: 0", "rownames", "row.names")  # above the numbers or names of rows

RARE, LIKELY = 1e-3, 0.05
MAX_STATES = 10**6  # of a column, in a row of numbers of states
SMALL_TABLE = 10  # rows; in a smaller table a row that may hold numbers of states is data
NUMBER_IN_WORDS = 0.1
CONTRADICTING_SHARE = 0.25  # share of the columns that may contradict a row of numbers of states, so that it is refused
REPEATED_SHARE = 0.1  # share of the rows that may be names again
YES, MAYBE, BROKEN, NO = "yes", "maybe", "broken", "no"
_BLOCK = 1 << 14  # rows processed together

LOG = logging.getLogger("cliquewise")


class FirstRows(NamedTuple):
    """The number of first rows that are no data, and their content.

    skipped : int, 0 to 2
    has_names : bool, whether the first row contains names
    arities : tuple of int, or None, the number of states of each column; 0 for the column of counts or weights
    """

    skipped: int
    has_names: bool
    arities: tuple | None


def first_rows(table: CsvTable, header: str, arities: str, counts: str | None, what: str) -> FirstRows:
    """Classify the first rows of a table (the rules are at the top of this file); an unusual header is logged.

    Parameters
    ----------
    header, arities : {"auto", "yes", "no"}
        Whether there are names, and numbers of states.
    counts
        The column of counts or weights, whose cell in the row of numbers of states does not matter.
    what
        Its content, for messages.

    Raises
    ------
    DataError
        It cannot be decided, or is not as the options say.
    """
    if header != "no":
        _refuse_repeated_names(table)
    if header == "auto" and counts is not None:
        header = "yes" if _names_counts(table, counts, what) else "no"
    places = {"yes": (1,), "no": (0,)}.get(header, (1, 0))
    found = {} if arities == "no" else {place: _candidate(table, place, counts) for place in places}
    if header == "auto":
        header = "yes" if _has_header(table, found, arities) else "no"
    has_names = header == "yes"
    candidate = found.get(int(has_names))
    if candidate is None or not _is_arities(candidate, arities, table):
        return FirstRows(int(has_names), has_names, None)
    numbers: tuple[int, ...] = candidate.numbers
    fewer = sum(seen < number for seen, number in zip(candidate.seen, numbers, strict=True))
    remark = f"; {counted(fewer, 'column')} with fewer in the data" if fewer else ""
    least, most = min(filter(None, numbers)), max(numbers)
    span = f"{least} to {most}" if most > least else f"{least}"
    line = candidate.line
    LOG.info("%s: line %d taken as the numbers of states, %s%s (--arities no if not)", table.source, line, span, remark)
    return FirstRows(1 + has_names, has_names, numbers)


def _refuse_repeated_names(table: CsvTable) -> None:
    """Refuse a table with names that are repeated below (the rules are at the top of this file)."""
    columns = variable_columns(table, True)
    names = {table.first[v] for v in columns}
    if len(columns) < 2 or len(names) < len(columns) or names & {*MISSING} or any(map(is_number, names)):
        return
    equal = table.repeats(np.zeros(table.n_columns, np.int64), 1)
    tally = table.tally(1)
    if 0 < equal <= REPEATED_SHARE * table.n_rows() and all(tally[v][0] == equal for v in columns):
        row = 0 if table.counts is not None else 1 + int((table.rows[1:, 0] == 0).argmax())
        found = f"the names again, as where tables were joined ({counted(equal, 'row')})"
        otherwise = "use --header no if they and the first one are data"
        if table.named:  # --header no is refused
            otherwise = "give the columns other names if they are data"
        raise DataError(f"{found}; remove such rows, or {otherwise}", table.source, table.line(row, 0))


def _is_arities(candidate: _Candidate, arities: str, table: CsvTable) -> bool:
    """Whether a row is the numbers of states, or a DataError where that cannot be known."""
    level, where = candidate.level, (table.source, candidate.line)
    if arities == "yes":
        if candidate.misfit is None:
            return True
        raise DataError(f"not numbers of states: {candidate.misfit}; correct it, or leave --arities out", *where)
    if level == BROKEN:
        found = f"this row looks like the numbers of states, but {candidate.misfit}"
        raise DataError(f"{found}; correct it, or use --arities no if it is data", *where)
    if level == MAYBE and candidate.below >= SMALL_TABLE:
        found = "this row may be data, or the numbers of states as GOBNILP's files have them"
        raise DataError(f"{found}; use --arities no or --arities yes", *where)
    if level == MAYBE:
        LOG.warning("%s: line %d taken as data; --arities yes if it is the numbers of states", *where)
    return level == YES


class _Candidate(NamedTuple):
    """A row that may be the numbers of states.

    Attributes
    ----------
    line
        Of the file.
    level
        YES, MAYBE, BROKEN (the rows below contradict it in a few columns) or NO.
    misfit : str or None
        The first contradiction.
    numbers : tuple of int
        0 for the column of counts or weights.
    seen : tuple of int
        Different cells below, without missing ones.
    below
        Rows below it.
    """

    line: int
    level: str = NO
    misfit: str | None = None
    numbers: tuple[int, ...] = ()
    seen: tuple[int, ...] = ()
    below: int = 0


def _candidate(table: CsvTable, place: int, counts: str | None) -> _Candidate:
    """The first row (place 0) or the second as numbers of states; `counts` as for `first_rows`."""
    cells, line = (table.second, table.second_line) if place else (table.first, table.first_line)
    if not cells:
        return _Candidate(line, misfit="no row")
    names = table.first if place else numbered(len(cells))
    columns = [v for v in variable_columns(table, place == 1) if names[v] != counts]
    among = set(columns)
    numbers = tuple(_whole(cell) if v in among else 0 for v, cell in enumerate(cells))
    for v in columns:
        if numbers[v] < 1:
            return _Candidate(line, misfit=f"column '{names[v]}' has '{cells[v]}'", numbers=numbers)
    codes = table.second_codes() if place else np.zeros(len(cells), np.int64)
    tally = table.tally(place + 1)
    below = round(float(tally[0].sum()))
    known = [known_labels(*column) for column in zip(table.labels, tally, strict=True)]
    seen = tuple(len(labels) if number else 0 for labels, number in zip(known, numbers, strict=True))
    problems = {v: problem for v in columns if (problem := _misfit(known[v], numbers[v])) is not None}
    misfit = None
    if problems:
        v = min(problems)
        misfit = f"column '{names[v]}' has {problems[v]}, and the row has {numbers[v]}"
    level = NO
    if below > 0:
        fitting = [v for v in columns if v not in problems]
        rare = FirstRowProbability(table, tally, codes, place + 1).of_row(fitting) < RARE
        plausible = all(numbers[v] <= 2 * len(known[v]) + 2 for v in fitting)
        if not problems:
            level = YES if rare and plausible else MAYBE if rare or plausible else NO
        elif rare and len(problems) <= CONTRADICTING_SHARE * len(columns):
            level = BROKEN
    return _Candidate(line, level, misfit, numbers, seen, below)


class FirstRowProbability:
    """How probable the cells of a first row are if it is data.

    Parameters
    ----------
    tally : list of float64[labels]
        How often each cell occurs in the rows below.
    codes : int[n_columns]
        Of the row.
    skipped
        First rows, the row included, that are not below it.
    """

    def __init__(self, table: CsvTable, tally: list[np.ndarray], codes: np.ndarray, skipped: int) -> None:
        self._table, self._codes, self._skipped = table, codes, skipped
        self.below = float(tally[0].sum())
        self.fresh, self.shares = [], []
        for labels, counts, code in zip(table.labels, tally, codes, strict=True):
            again = counts[code]
            share = again / max(1.0, self.below) if again else ((counts == 1).sum() + 1) / (self.below + 1)
            in_words = is_number(labels[code]) and not any(map(is_number, known_labels(labels, counts)))
            self.fresh.append(not again)
            self.shares.append(float(share) * (NUMBER_IN_WORDS if in_words else 1.0))

    def of_row(self, columns: list[int]) -> float:
        """The probability of the row's cells in these columns."""
        probability = math.prod(self.shares[v] for v in columns)
        if any(self.fresh[v] for v in columns):
            return probability
        equal = self._table.repeats(self._codes, self._skipped)
        return max(probability, (equal + 1) / (self.below + 2))

    def of_fresh(self, columns: list[int]) -> float:
        """A bound on the probability that as many cells, in any of these columns, do not occur again."""
        new = [self.shares[v] for v in columns if self.fresh[v]]
        return min(1.0, math.comb(len(columns), len(new)) * math.prod(new))


def known_labels(labels: tuple[str, ...], counts: np.ndarray) -> list[str]:
    """The labels of a column that occur and are not missing."""
    return [label for label, found in zip(labels, counts, strict=True) if found > 0 and label not in MISSING]


def variable_columns(table: CsvTable, has_names: bool) -> list[int]:
    """The columns, except row numbers, which their name shows, and a last column that is always empty."""
    first = int(has_names and table.first[0] in INDEX_NAMES)
    last = table.n_columns - (table.first[-1] == "" and set(table.labels[-1]) == {""})
    return list(range(first, last))


def _whole(cell: str) -> int:
    """The whole number in a cell, 0 if there is none."""
    number = float(cell) if is_number(cell) else 0.0
    return int(number) if number.is_integer() and 0 < number <= MAX_STATES else 0


def _misfit(known: list[str], number: int) -> str | None:
    """Why these cannot be the states of a column with a number of states; None if they can."""
    different = len(known) - len(canonical_labels(known, False))
    if different > number:
        return counted(different, "state")
    if not known or not all(map(is_number, known)) or different == number:
        return None
    values = [float(label) for label in known]
    if all(value.is_integer() for value in values) and (0 <= min(values) and max(values) < number):
        return None
    if all(value.is_integer() for value in values) and 1 <= min(values) and max(values) <= number:
        return None
    return f"the state {known[int(np.argmax(values))]}"


def _names_counts(table: CsvTable, column: str, what: str) -> bool:
    """Whether the first row is a header because it contains the name of the column of counts."""
    if column not in table.first and column not in numbered(len(table.first)):
        raise DataError(no_column(column, table.first, what, "the first row is"), table.source)
    return column in table.first


def _has_header(table: CsvTable, found: dict[int, _Candidate], arities: str) -> bool:
    """Whether the first row contains the names; logs the answer and the reason."""
    columns = variable_columns(table, True)
    names = [table.first[v] for v in columns]
    if found and len(set(names)) == len(names) and "" not in names and _is_above(found[1], arities):
        return True
    if arities == "yes" and found[0].misfit is None:
        return False
    if set(names) - set(MISSING) and all(is_number(name) for name in names if name not in MISSING):
        return _has_header_of_numbers(table, columns, found.get(0))
    return _has_header_of_words(table, columns)


def _is_above(candidate: _Candidate, arities: str) -> bool:
    """Whether a row is the numbers of states, so that names are above it."""
    return candidate.level == YES or (arities == "yes" and candidate.misfit is None)


def _has_header_of_numbers(table: CsvTable, columns: list[int], candidate: _Candidate | None) -> bool:
    """Whether a first row that has only numbers above some columns contains names."""
    cells = [table.first[v] for v in columns]
    values = [float(cell) for cell in cells if cell not in MISSING]
    different = len(set(values)) == len(cells)
    increases = different and len(cells) > 1 and all(a < b for a, b in pairwise(values))
    level = NO if candidate is None else candidate.level
    if level == YES and not increases:
        return False
    answer, why = _are_numbers_names(table, columns, increases, level) if different else (False, "")
    taken = f"a header: numbers, {why} (--header no if not)"
    not_taken = "data: nothing but numbers (--header yes if they are names)"
    LOG.info("%s: first row taken as %s", table.source, taken if answer else not_taken)
    return answer


def _are_numbers_names(table: CsvTable, columns: list[int], increases: bool, level: str) -> tuple[bool, str]:
    """Whether different numbers above the columns are names, and why.

    Raises
    ------
    DataError
        They may be names, and something else.
    """
    cells, tally = [table.first[v] for v in columns], table.tally(1)
    below = [known_labels(table.labels[v], tally[v]) for v in columns]
    probability = FirstRowProbability(table, tally, np.zeros(len(table.first), np.int64), 1)
    n_fresh = sum(probability.fresh[v] for v in columns)
    if any(below) and not any(is_number(label) for known in below for label in known):
        return n_fresh == len(cells), "above columns without any"
    if level == YES:
        raise _undecided(table, "names, or the numbers of states")
    is_sequence = len(cells) > 1 and [*map(whole_number, cells)] in ([*range(len(cells))], [*range(1, len(cells) + 1)])
    if not is_sequence and 2 * n_fresh < len(cells):
        return False, ""
    likely = probability.of_row(columns) if is_sequence else probability.of_fresh(columns)
    if likely < RARE and not increases and level == MAYBE:
        raise _undecided(table, "names, or the numbers of states")
    if likely < RARE and (increases or n_fresh == len(cells)):
        return True, "which are not a row of the table"
    if is_sequence or likely < LIKELY:
        if probability.below >= SMALL_TABLE or len(cells) > 2:
            raise _undecided(table, "names, or a row of data")
        LOG.warning("%s: the first row may be names (--header yes)", table.source)
    return False, ""


def _undecided(table: CsvTable, what: str) -> DataError:
    """The error for a first row of numbers that can be of two kinds."""
    shown = ",".join(table.first[:6]) + (",..." if len(table.first) > 6 else "")
    options = "--header yes or --header no" + (" or --arities yes" if "states" in what else "")
    return DataError(f"the first row, {shown}, may be {what}; use {options}", table.source, table.first_line)


def _has_header_of_words(table: CsvTable, columns: list[int]) -> bool:
    """Whether a first row that is not of numbers only contains names, by the votes of the columns."""
    first, labels, source = table.first, table.labels, table.source
    words = [first[v] for v in columns if first[v] not in MISSING]
    stored = table.rows[1:] if table.counts is None else table.rows
    n_rows = len(stored) if table.counts is None else int(table.counts.sum())
    again = np.zeros(len(first), bool)
    if table.counts is not None:
        again |= table.counts[0] > 0
        stored = stored[1:]
    for start in range(0, len(stored), _BLOCK):
        again |= (stored[start : start + _BLOCK] == 0).any(axis=0)  # the first row's cells have code 0
    for_data = for_header = 0
    for v in columns:
        cell = first[v]
        if again[v]:
            for_data += 1
            continue
        known = [label for label in labels[v][1:] if label not in MISSING]
        over_numbers = all(map(is_number, known)) and cell not in MISSING and not is_number(cell)
        for_header += bool(known) and (over_numbers or 2 * len(known) < n_rows + 1)
    if for_header or for_data:
        answer = for_header >= for_data
    else:
        answer = len(set(words)) == len(columns)
    is_sure = bool(for_header) != bool(for_data)
    LOG.log(
        logging.DEBUG if is_sure else logging.INFO,
        "%s: first row taken as %s: its cells occur again in %d of %d columns (--header %s if not)",
        source,
        "a header" if answer else "data",
        for_data,
        len(columns),
        "no" if answer else "yes",
    )
    return answer
