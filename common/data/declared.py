"""States that are declared: which states a column has, including those that no row has, and their order.

A file of states is a CSV with the columns `column` and `state`, a line for each state, or JSON, an object with a list
of states for each column. The states of a column are in the order of the file. A label of a table is the state it
writes, or means (`common.data.same_states`); another label is refused. Columns that the file does not have keep the
states that their rows have.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..counted import counted
from ..errors import DataError, UsageError, abridged
from ..files.input_stream import read_text
from .csvwriter import cell_text
from .reading import Declared, States

if TYPE_CHECKING:
    from .csvtable import CsvTable

COLUMNS = ["column", "state"]


def read_declared(path: str | Declared | None) -> dict[str, tuple[str, ...]]:
    """The states of columns in a file, in order; none without a file.

    Parameters
    ----------
    path
        Of a file of states; or its content.

    Raises
    ------
    DataError
        Neither form, a column without states, or a state twice.
    """
    if path is None:
        return {}
    if isinstance(path, Declared):
        return {name: tuple(states) for name, states in path.states.items()}
    text = read_text(path, "a file of states")
    found: dict[str, list[str]] = {}
    if text.lstrip().startswith("{"):
        for name, states in _from_json(text, path).items():
            found[name] = [_label(state, name, path) for state in states]
    else:
        rows = csv.reader(io.StringIO(text), strict=True)
        try:
            if [word.strip() for word in next(rows, [])] != COLUMNS:
                raise DataError("not a file of states: the first line must be 'column,state'", path, 1)
            for row in rows:
                if len(row) != 2:
                    raise DataError(f"{counted(len(row), 'cell')} instead of a column and a state", path, rows.line_num)
                found.setdefault(row[0], []).append(row[1])
        except csv.Error as error:
            raise DataError(str(error), path, rows.line_num) from None
    for name, states in found.items():
        twice = next((state for k, state in enumerate(states) if state in states[:k]), None)
        if twice is not None or not states:
            raise DataError("no states" if twice is None else f"the state '{twice}' twice", path, column=name)
    return {name: tuple(states) for name, states in found.items()}


def _from_json(text: str, path: str) -> dict[str, list]:
    """An object with a list for each column."""
    try:
        declared = json.loads(text)
    except ValueError as error:
        raise DataError(f"not JSON: {error}", path) from None
    if not all(isinstance(states, list) for states in declared.values()):
        raise DataError('not a file of states: expected {"column": ["state", ...], ...}', path)
    return declared


def _label(state: Any, name: str, path: str) -> str:
    """A state of JSON as text."""
    if isinstance(state, str):
        return state
    if isinstance(state, bool) or not isinstance(state, int | float):
        raise DataError(f"a state is neither text nor a number: {json.dumps(state)}", path, column=name)
    return str(state)


def states_text(states: States, fmt: str) -> str:
    """A file of states.

    Parameters
    ----------
    fmt
        csv or json.
    """
    if fmt == "json":
        return json.dumps({name: list(labels) for name, labels in states.items()}, indent=1, ensure_ascii=False) + "\n"
    lines = (f"{cell_text(name)},{cell_text(label)}\n" for name, labels in states.items() for label in labels)
    return "column,state\n" + "".join(lines)


def states_digest(states: States) -> str:
    """SHA-256 of declared states, as a result's header has it."""
    return hashlib.sha256(states_text(states, "csv").encode()).hexdigest()


def with_declared_states(
    table: CsvTable, arities: Mapping[str, int], states: States, path: str | Declared, fold: bool
) -> CsvTable:
    """A table whose labels are the declared states where they mean these.

    Parameters
    ----------
    arities
        The numbers of states that the table declares; 0 if unknown.
    path
        The file of states, for messages.
    fold
        Whether case and blanks make no difference.

    Raises
    ------
    UsageError
        None of the columns is there.
    DataError
        A label that is no declared state, with its line, or another number of states.
    """
    from .same_states import UNKNOWN, codes_of

    if not set(states) & set(table.names) and not (isinstance(path, Declared) and path.hidden):
        found = abridged(list(states))
        raise UsageError(f"--states {path} has no effect: {table.source} has none of its columns ({found})")
    labels = list(table.labels)
    for v, name in enumerate(table.names):
        if name not in states:
            continue
        known = states[name]
        if arities[name] not in (0, len(known)):
            found = (
                f"{counted(arities[name], 'state')} in the table's line of numbers of states, {len(known)} in {path}"
            )
            raise DataError(found, table.source, column=name)
        codes = codes_of(labels[v], known, fold)
        for code in np.unique(table.rows[:, v]).tolist():
            if codes[code] == UNKNOWN:
                line = table.line(int((table.rows[:, v] == code).argmax()), v)
                found = f"state '{labels[v][code]}' is not declared in {path}, which has {abridged(known)}"
                if not fold and UNKNOWN not in codes_of([labels[v][code]], known, fold=True):
                    found += "; --same-states=fold ignores case and blanks"
                raise DataError(found, table.source, line, name)
        labels[v] = tuple(known[k] if k >= 0 else label for label, k in zip(labels[v], codes, strict=True))
    return table._replace(labels=labels)
