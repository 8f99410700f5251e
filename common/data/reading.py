"""How a table is read: the user's options, and the needs of the caller.

Reading has three steps. *Cells*: `common.data.csvtext`, by the separator. *Columns*: `common.data.first_rows` and
`common.data.extra_columns` distinguish names, numbers of states, row numbers and data. *States*: `common.data.states`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ..errors import UsageError
from ..files.header_words import DECIMALS, FIT_RULES, READ_BY, SEPARATORS, WEIGHT_SCALES

MISSING = ("", "?", "NA")  # cells that are missing
AUTO_YES_NO = ("auto", "yes", "no")
SAME_STATES = ("auto", "fold", "exact")

States = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Declared:
    """The states of columns, and the file that has them.

    Attributes
    ----------
    path
    states : dict of str to tuple of str
    hidden
        Whether they may be of variables that have no column.
    """

    path: str
    states: States
    hidden: bool = False

    def __str__(self) -> str:
        return self.path


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a table is to be read, by the options of the same names.

    Attributes
    ----------
    header : {"auto", "yes", "no"}
        Whether the first row contains the names; "auto" decides and logs it. Without a header the names are V0, V1, ...
    separator
        A key of `common.files.header_words.SEPARATORS`, or auto.
    arities : {"auto", "yes", "no"}
        Whether the row above the data has the number of states of each column, including those that no row has; "auto"
        decides and logs it.
    sheet
        The sheet of a workbook, by its name or its number from 1; None is the first that has cells.
    missing : {"refuse", "state", "drop", "em"}
        Missing cells are an error, a separate state (the last one, `?`), or their rows are left out (logged). By em
        they are missing values, read as a state at first. None is refuse, unless a header has another rule.
    counts
        The column that gives the number of rows that each row stands for; it is not a variable.
    weights
        The column of weights of rows, which need not be whole numbers; it is not a variable.
    weight_scale : {"rows", "none"}
        Whether weights are scaled so that their sum is the number of rows; None is rows.
    columns, drop
        The columns to use, and those to leave out, as a list of names, patterns and ranges (`common.data.columns`).
    decimal : {"auto", "point", "comma"}
        The decimal separator; the other sign then separates thousands (`common.data.decimals`).
    states
        A file of the states of columns (`common.data.declared`); or these, as `common.models.model_states` reads them.
    na
        Further words for missing cells, as a list of words and of `NAME=WORD`.
    same_states : {"auto", "fold", "exact"}
        Whether labels of one column are one state if they are equal numbers, also if they differ in case and blanks,
        or never (`common.data.spellings`).
    of_model : dict of str to tuple of str, or None
        The states of a model, which labels are matched with later: a column whose states there are intervals is cut by
        them, so no warning asks for it.
    before_warnings : callable taking a Dataset, or None
        Refuses a table that does not belong to a graph, before there are warnings about its columns.
    stated : frozenset of str
        The settings that come from the header of a result, not from an option. The result was made from this table, or
        from the same one in another format; a setting that does not apply to that format is ignored (`is_explicit`).
    """

    header: str = "auto"
    separator: str = "auto"
    arities: str = "auto"
    decimal: str = "auto"
    sheet: str | None = None
    missing: str | None = "refuse"
    counts: str | None = None
    weights: str | None = None
    weight_scale: str | None = None
    columns: str | None = None
    drop: str | None = None
    states: str | Declared | None = None
    na: str | None = None
    same_states: str = "auto"
    of_model: States | None = field(default=None, repr=False)
    before_warnings: Callable | None = field(default=None, repr=False)
    stated: frozenset[str] = field(default=frozenset(), repr=False)

    def check(self) -> None:
        """Refuse values that no option has.

        Raises
        ------
        UsageError
        """
        choices: dict[str, tuple] = {
            "header": AUTO_YES_NO,
            "arities": AUTO_YES_NO,
            "same_states": SAME_STATES,
            "decimal": ("auto", *DECIMALS),
        }
        choices |= {"separator": ("auto", *SEPARATORS), "missing": (None, *FIT_RULES)}
        choices["weight_scale"] = (None, *WEIGHT_SCALES)
        for name, known in choices.items():
            if getattr(self, name) not in known:
                listed = ", ".join(choice for choice in known if choice is not None)
                raise UsageError(f"--{name.replace('_', '-')}={getattr(self, name)}: expected one of {listed}")
        if self.counts is not None and self.weights is not None:
            raise UsageError("--counts and --weights: give one of them; counts are weights with --weight-scale none")
        if self.weight_scale is not None and self.weights is None:
            raise UsageError("--weight-scale needs --weights; add that, or leave it out")

    def is_explicit(self, name: str) -> bool:
        """Whether an option gave a setting, so that it is refused, not ignored, where it does not apply."""
        return name not in self.stated and getattr(self, name) != getattr(DEFAULT, name)

    def words(self) -> list[str]:
        """The words of a command line that read a table so, but for missing cells."""
        values = {name: getattr(self, name) for name in READ_BY if name != "missing"}
        return [f"--{name.replace('_', '-')}={v}" for name, v in values.items() if v != getattr(DEFAULT, name)]

    def header_lines(self) -> dict[str, str]:
        """The values that differ from the defaults, as lines of a result's header; without declared states."""
        from ..files.result_header import text_line

        values = {name: getattr(self, name) for name in READ_BY if name != "states"}
        return {READ_BY[name]: text_line(value) for name, value in values.items() if value != getattr(DEFAULT, name)}

    @staticmethod
    def among(values: Mapping[str, Any]) -> Reading:
        """The reading with some values, by the names of its fields; other values are left out."""
        return Reading(**{one.name: values[one.name] for one in fields(Reading) if one.name in values})

    def reading(self, **changed: Any) -> Reading:
        """The reading alone, of a record that has more; with some values changed."""
        return Reading.among(vars(self) | changed)


@dataclass(frozen=True)
class TableNeeds:
    """The needs of the caller of a table.

    Attributes
    ----------
    min_rows, min_columns
        Smaller tables are refused; rows are counted without the header and after rows are left out.
    warn
        Whether to warn about suspicious columns.
    merge
        Whether equal rows may be merged, because their order does not matter: then a large file is read in pieces, and
        memory grows with the number of distinct rows.
    keep_counts
        Whether the column of counts is read as others are, for `common.data.counts.split_counts`.
    markers
        The words that mean a missing cell.
    as_written
        Whether labels are kept as they are written, to be matched with those of a model or to be written again.
    """

    min_rows: int = 2
    min_columns: int = 2
    warn: bool = True
    merge: bool = False
    keep_counts: bool = False
    markers: Collection[str] = MISSING
    as_written: bool = False


DEFAULT = Reading()
TO_LEARN = TableNeeds(merge=True)
TO_DESCRIBE = TableNeeds(1, 1, warn=False, merge=True)
IN_ORDER = TableNeeds()
FOR_MODEL = TableNeeds(
    1, 1, warn=False, markers=(), as_written=True
)  # which knows the words for missing cells that are its states
EVERY_ROW = TableNeeds(1, 1, warn=False, keep_counts=True, markers=(), as_written=True)
