"""The meaning of labels of states: numbers, intervals, and their order.

The order depends only on the labels: by value if every label of a column is a number (equal values by code point), by
the lower end if every label is an interval as `[135,150)`, otherwise by code point.
"""

import re
from collections.abc import Iterable, Sequence

from ..number_text import DECIMAL, is_number

MISSING_LABEL = "?"  # of the state of missing cells
_INTERVAL = re.compile(rf"[\[(] *(?:-inf|{DECIMAL}), *(?:inf|{DECIMAL}) *[\])]", re.ASCII)


def is_interval(label: str) -> bool:
    """Whether a label reads as an interval, `[135,150)` or `(-inf,135)`."""
    return _INTERVAL.fullmatch(label) is not None


def known_states(states: Sequence[str]) -> tuple[str, ...]:
    """The states of a column without that of missing cells, which is the last one."""
    return tuple(states[: len(states) - (MISSING_LABEL in states[-1:])])


def in_order(labels: Iterable[str]) -> list[str]:
    """Non-missing labels in the order of states: list of str."""
    known = list(labels)
    values: list[float] = []
    if all(map(is_number, known)):
        values = list(map(float, known))
    elif all(map(is_interval, known)):
        values = [float(label[1 : label.index(",")]) for label in known]
    return [label for _, label in sorted(zip(values, known, strict=True))] if values else sorted(known)
