"""States that are written in several ways in one column: `1` and `1.0`, `Yes` and `yes`.

Equal numbers are one state, unless every label is to stand as it is (`exact`). Case, blanks (also those that do not
break, or have no width) and composed accents make no difference on request (`fold`); otherwise such labels are named.
Of the ways of writing, the state is the shortest, then the first by code point.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Container, Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from ..errors import abridged
from .reading import MISSING

if TYPE_CHECKING:
    from .csvtable import CsvTable

LOG = logging.getLogger("cliquewise")
_USUAL = re.compile(r"-?(?:0|[1-9]\d{0,14})", re.ASCII)  # of a number that no other of this form equals, but for -0
_NUMBER = re.compile(r"[+-]?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][+-]?\d{1,3})?", re.ASCII)
_FIXED = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.(\d{1,14}))?", re.ASCII)  # equal ones have other numbers of decimals
_SHOWN = 5
_NO_WIDTH = dict.fromkeys((0x200B, 0x2060, 0xFEFF))  # blanks that are not seen, as pages on the web have


def with_same_states(table: CsvTable, rule: str, declared: Container[str]) -> CsvTable:
    """The table in which all labels of the same state are equal.

    Parameters
    ----------
    rule : {"auto", "fold", "exact"}
        Equal numbers, also case and blanks, or nothing.
    declared
        Columns whose states are known.
    """
    if rule == "exact":
        return table
    labels, examples = [], []
    for v, (name, column) in enumerate(zip(table.names, table.labels, strict=True)):
        state = {} if name in declared else canonical_labels(column, rule == "fold")
        if state:  # there are labels of rows above the data, too
            state = canonical_labels([column[code] for code in table.codes_of_states(v)], rule == "fold")
        labels.append(tuple(state.get(label, label) for label in column) if state else column)
        examples += [(name, sorted((label, one))) for label, one in list(state.items())[:1]]
    if examples:
        shown = abridged([f"{name} ('{a}', '{b}')" for name, (a, b) in examples], _SHOWN)
        LOG.info("%s: one state written in several ways: %s (--same-states exact if not)", table.source, shown)
        return table._replace(labels=labels)
    return table


def canonical_labels(labels: Iterable[str], fold: bool) -> dict[str, str]:
    """The labels to be replaced, each with its replacement.

    Parameters
    ----------
    fold
        Whether case and blanks make no difference.
    """
    labels = [*labels]
    if _are_measurements(labels):
        return {}
    groups: dict[object, list[str]] = {}
    for label in labels:
        if label not in MISSING and not (_USUAL.fullmatch(label) and not fold and label != "-0"):
            groups.setdefault(_meaning(label, fold), []).append(label)
    if not groups:
        return {}
    if not fold:  # the usual forms of the numbers that are also written otherwise
        for label in labels:
            if _USUAL.fullmatch(label) and label != "-0" and (meaning := Decimal(label)) in groups:
                groups[meaning].append(label)
    result: dict[str, str] = {}
    for written in groups.values():
        best = min(written, key=lambda label: (len(label), label))
        result |= {label: best for label in written if label != best}
    return result


def _are_measurements(labels: list[str]) -> bool:
    """Whether all labels are numbers with the same number of decimals, no two of which are equal."""
    decimals = set()
    for label in labels:
        if label in MISSING:
            continue
        found = _FIXED.fullmatch(label)
        if found is None or (label[0] == "-" and not label.strip("-0.")):
            return False
        decimals.add(len(found[1] or ""))
        if len(decimals) > 1:
            return False
    return True


def _meaning(label: str, fold: bool) -> object:
    """The meaning of a label: a number, or the label itself, case-folded on request."""
    if _NUMBER.fullmatch(label):
        return Decimal(label)  # -0 equals 0
    if not fold:
        return label
    return folded(label)


def folded(label: str) -> str:
    """A label without what `fold` ignores: case, blanks, and how accents are composed."""
    return " ".join(unicodedata.normalize("NFC", label.translate(_NO_WIDTH)).split()).casefold()
