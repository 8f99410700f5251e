"""Description of a table or figure of a rerun: a TOML file beside the published values.

A table has a `title`, the `paper` and the part of it that is reproduced, the `conditions` under which ours were
measured and how they deviate, the `keys` that identify a row, the CSV file of `published` values, the `sources`
(folders of records, by default one with the description's name), and its columns. A figure has the first three, and
[figure] (see `data.papers.plot`). `papers measure` writes records; data/papers has examples of everything.
"""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...common.errors import DataError
from ...common.files.input_stream import read_text

if TYPE_CHECKING:
    from typing import Any


STATISTICS = ("mean", "median", "min", "max", "count", "zeros", "mean of others")
BETTER = ("", "higher", "lower")


@dataclass(frozen=True)
class Column:
    """A column of ours, with the published one if there is one.

    Attributes
    ----------
    head : str
    field : str
        Of the records.
    where : dict of str to str
        Selects the records with these fields.
    minus : dict of str to str, or None
        Records whose value is subtracted.
    best : str
        Of records that agree in the keys and in `sample`, only the one with the smallest value of this field is used.
    statistic : str
        One of `STATISTICS`, over the records of a row: `zeros` is the share of values that are 0, `mean of others` the
        mean of the nonzero values.
    scale, offset : float
        The value is multiplied by `scale`, then `offset` is added.
    digits : int
        Number of decimals shown.
    published, beside : str
        Column of the published values, none if empty; and their name in the head.
    better : str
        higher or lower; if empty, values are not compared.
    tolerance, relative : float
        Values differ if by more than `tolerance`, and by more than the share `relative` of the published one.
    errors : float
        Differences below this many standard errors of the difference of two such means also count as equal.
    """

    head: str
    field: str = "score"
    where: dict = dataclasses.field(default_factory=dict)
    minus: dict | None = None
    best: str = ""
    statistic: str = "mean"
    scale: float = 1.0
    offset: float = 0.0
    digits: int = 1
    published: str = ""
    beside: str = "published"
    better: str = ""
    tolerance: float = 0.0
    relative: float = 0.0
    errors: float = 0.0


@dataclass(frozen=True)
class Spec:
    """A table or figure.

    Attributes
    ----------
    path : Path
    title, paper, conditions : str
    keys : tuple of str
    published : str
        CSV file beside `path`; none if empty.
    sources : tuple of str
        Folders of records.
    group : str
        Column of the published values; verdicts are counted per value of it.
    comparable : tuple of str
        Values of this column for which ours and the published are compared; all if empty.
    shown : tuple of str
        Further published columns to show, of other programs.
    columns : tuple of Column
    figure : dict
    """

    path: Path
    title: str
    paper: str
    conditions: str = ""
    keys: tuple = ()
    published: str = ""
    sources: tuple = ()
    group: str = ""
    comparable: tuple = ()
    shown: tuple = ()
    columns: tuple = ()
    figure: dict = dataclasses.field(default_factory=dict)

    @property
    def name(self) -> str:
        """The file name without its ending: the name of the target, its table and its picture."""
        return self.path.stem


def read_spec(path: str) -> Spec:
    """Read a table's or figure's description.

    Parameters
    ----------
    path

    Returns
    -------
    Spec

    Raises
    ------
    DataError
        Not TOML, unknown words, values of the wrong kind.
    """
    try:
        raw = tomllib.loads(read_text(path, "a description of a table"))
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"is not TOML: {error}", path) from None
    columns = tuple(_made(Column, column, path) for column in raw.pop("column", []))
    raw = {{"from": "sources"}.get(key, key): value for key, value in raw.items()}
    for key in ("keys", "sources", "shown", "comparable"):
        raw[key] = tuple(raw.get(key, ()))
    raw["sources"] = raw["sources"] or (Path(path).stem,)
    spec = _made(Spec, {**raw, "path": Path(path), "columns": columns}, path)
    if bool(spec.figure) == bool(columns):
        raise DataError("must have columns or a figure, and not both", path)
    for column in columns:
        for value, known, what in ((column.statistic, STATISTICS, "statistic"), (column.better, BETTER, "better")):
            if value not in known:
                raise DataError(f"{what} '{value}' is not one of {', '.join(known)}", path, column=column.head)
    return spec


def _made(kind: Any, values: dict[str, Any], path: str) -> Any:
    """A record of a class from a TOML table; unknown and missing keys are refused."""
    fields = {field.name: field for field in dataclasses.fields(kind)}
    if extra := sorted(values.keys() - fields.keys()):
        raise DataError(f"'{extra[0]}' is not known here; known are {', '.join(sorted(fields))}", path)
    try:
        return kind(**values)
    except TypeError as error:
        raise DataError(str(error).split("__init__() ")[-1], path) from None
