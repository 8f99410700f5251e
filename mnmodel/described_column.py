"""The description of a column by `mnmodel describe`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..common.python_words import in_python_words

if TYPE_CHECKING:
    from ..common.data.column_kinds import ColumnKind


@dataclass(frozen=True)
class OddNote:
    """Something odd in a column.

    Attributes
    ----------
    text
    option
        The option that solves it, as words of a command line; empty if the user must decide.
    is_corrected
        Whether `cliquewise learn` corrects it by itself: it leaves columns out, cuts numbers, and treats words among
        them as missing values.
    """

    text: str
    option: str
    is_corrected: bool = False

    def in_python(self) -> OddNote:
        """The same with arguments of functions instead of options."""
        return replace(self, option=in_python_words(self.option))

    def __str__(self) -> str:
        return self.text + (f" ({self.option})" if self.option else "")


@dataclass(frozen=True)
class DescribedColumn:
    """A column of a described table.

    Attributes
    ----------
    kind : ColumnKind
        Its kind, its states and their rows.
    notes : tuple of OddNote
    similar : tuple of str
        Columns that are nearly the same.
    """

    kind: ColumnKind
    notes: tuple[OddNote, ...]
    similar: tuple[str, ...]
