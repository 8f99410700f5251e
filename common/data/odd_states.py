"""What is odd in the states of a table: told in a line each, with the option or the command that mends it.

States that look like missing cells, that differ only in case or blanks, identifiers, measurements, constants.
"""

from __future__ import annotations

import logging
import shlex
from collections.abc import Sequence

from .csvwriter import cell_text
from .dataset import Dataset
from .number_forms import NEARLY_ALL, plain_numbers
from .spellings import one_of_each
from .states import FEW_ROWS, MANY_NUMBERS, MISSING_LABEL, OWN_VALUE, ROWS_PER_NUMBER, is_number

LOG = logging.getLogger("cliquewise")
LIKE_MISSING = {
    *("nan", "null", "n/a", "#n/a", "<na>", "none", "nil", "missing", "unknown", "unk", "not available", "no data"),
    *(".", "..", "-", "--", "---", "*", "\\n", "#null!", "#value!", "#div/0!", "na", "n.a.", "k.a.", "-nan", "1.#qnan"),
}
CODES_OF_MISSING = {"-1", "-9", "-99", "-999", "-9999", "99", "999", "9999", "99999"}  # far from the other numbers


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
        if MANY_NUMBERS < len(known) and data.n_rows < ROWS_PER_NUMBER * len(known):
            if len(words_among_numbers(known)) <= (1.0 - NEARLY_ALL) * len(known):
                found.append(name)
    return found


def words_among_numbers(labels: Sequence[str]) -> list[str]:
    """The labels that are no numbers, neither plain ones nor those of the column's form."""
    form = plain_numbers(labels)
    return [label for label in labels if not is_number(label) and (form is None or label not in form[1])]


def like_missing(labels: Sequence[str]) -> list[str]:
    """The labels that look like missing cells.

    Words for it, blanks, and the numbers that programs write for it, if all others are numbers that lie on one side of
    them and at most half as far from 0; -1 only below numbers from 0.
    """
    found = [label for label in labels if label.strip().lower() in LIKE_MISSING or (label and not label.strip())]
    numbers = {label: float(label) for label in labels if is_number(label)}
    known = len(labels) - (MISSING_LABEL in labels[-1:]) - len(found)
    if len(numbers) < known:
        return found
    codes = [label for label in numbers if label.removesuffix(".0") in CODES_OF_MISSING]
    others = [value for label, value in numbers.items() if label not in codes]
    for label in codes if len(others) > 1 else []:
        code = numbers[label]
        if code < 0 <= min(others) or code > 2 * max(map(abs, others)):
            found.append(label)
    return found


def warn_of_states(data: Dataset, reading: Sequence[str] = ()) -> None:
    """Warn about suspicious columns: words for missing cells as states, identifiers, measurements, constants.

    Parameters
    ----------
    reading
        The options with which a command reads the data, for advice.
    """
    states = list(zip(data.names, data.states, strict=True))
    is_declared = any(word.startswith("--states") for word in reading)
    odd = [(name, label) for name, known in states for label in like_missing(known) if not is_declared]
    measured = measured_columns(data)
    many = max(FEW_ROWS, OWN_VALUE * data.n_rows)
    own = [name for name, known in states if len(known) > many and name not in measured]
    constant = [name for name, known in states if len(known) == 1]
    for columns, what, advice in (
        (own, "with a different value in nearly every row", "; leave out identifiers"),
        (constant, "with one state only, kept", ""),
    ):
        if columns:
            shown = ", ".join(columns[:5]) + (", ..." if len(columns) > 5 else "")
            LOG.warning("%s: columns %s: %d (%s)%s", data.source, what, len(columns), shown, advice)
    if odd:
        words = ",".join(dict.fromkeys(cell_text(label) for _, label in odd))
        shown = ", ".join(f"{name} '{label}'" for name, label in odd[:5]) + (", ..." if len(odd) > 5 else "")
        told = "states that look like missing cells"
        LOG.warning("%s: %s: %s; --na=%s if they are", data.source, told, shown, shlex.quote(words))
    alike = [(name, *next(iter(found.items()))) for name, known in states if (found := one_of_each(known, True))]
    if alike and not any(word.startswith("--same-states") for word in reading):
        shown = ", ".join(f"{name} '{a}' and '{b}'" for name, a, b in alike[:5]) + (", ..." if len(alike) > 5 else "")
        LOG.warning(
            "%s: states that differ in case or blanks: %s; --same-states fold makes them one", data.source, shown
        )
    if measured:
        told = f"columns of numbers with fewer than {ROWS_PER_NUMBER} rows for each number: {len(measured)}"
        named = ",".join(map(cell_text, measured))
        words_of = [
            words_among_numbers([x for x in known if x != MISSING_LABEL]) for name, known in states if name in measured
        ]
        odd_words = ",".join(dict.fromkeys(cell_text(word) for words in words_of for word in words))
        reading = [*reading, *([f"--na={odd_words}"] if odd_words else [])]
        command = ["mnmodel", "discretize", data.source, *reading, "--columns", named, "--labels", "-o", "cut.csv"]
        LOG.warning("%s: %s; cut them, or leave out identifiers: %s", data.source, told, shlex.join(command))
