"""Cells with several answers, as `tv;web` in the table of a questionnaire where one may tick several boxes.

Each combination of answers is a state of its own, so what one answer depends on is hidden by all others: there are up
to 2^k combinations of k answers. A column is one of these if its labels are sets of fewer answers than there are
labels: no answer is empty or twice in a label, most labels have several, and each answer is in two labels or more.

Cost: one pass over the labels, of which there are few in a column of states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..common.number_text import is_number

SEPARATORS = {";": "semicolons", ",": "commas", "|": "bars"}
MIN_LABELS, MAX_ANSWERS = 4, 60  # labels; answers to one question


def several_answers(labels: Sequence[str]) -> tuple[str, int] | None:
    """What separates answers, and their number, if the labels of a column are sets of answers.

    Examples
    --------
    >>> several_answers(["tv", "tv;web", "web", "radio;tv", "radio;web"])
    ('semicolons', 3)
    >>> several_answers(["Bonn, Rhein", "Bonn, Land", "Trier, Mosel", "Trier, Land"])
    """
    for separator in SEPARATORS:
        sets = [[answer.strip() for answer in label.strip(separator + " ").split(separator)] for label in labels]
        often = Counter(answer for answers in sets for answer in answers)
        several = sum(len(answers) > 1 for answers in sets)
        if len(labels) < MIN_LABELS or 2 * several <= len(labels) or not 1 < len(often) <= MAX_ANSWERS:
            continue
        are_sets = all(len(set(answers)) == len(answers) and all(answers) for answers in sets)
        alone = sum(count == 1 for count in often.values())  # as "none of these", which has no other beside it
        if separator == "," and all(map(is_number, often)):
            continue  # a decimal comma
        if are_sets and len(often) < len(labels) and alone <= 1 and len({len(answers) for answers in sets}) > 1:
            return SEPARATORS[separator], len(often)
    return None
