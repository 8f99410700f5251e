"""Data for a model: columns matched to its variables by name, cells to its states by meaning.

A missing cell (empty, `?`, `NA`) is summed out, unless this word, or `?`, is a state of the variable in the model
(`common.data.same_states`).
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..data.dataset import Dataset
from ..data.labels import MISSING_LABEL, in_order
from ..data.merging import merged
from ..data.reading import FOR_MODEL, MISSING, Reading, TableNeeds
from ..data.same_states import UNKNOWN, codes_of, extended_states, other_spellings
from ..data.suspected import warn_of_suspected
from ..errors import DataError, UsageError, abridged, nearest
from ..number_text import is_number
from ..run.resources import check_rows
from .model_file import looks_like_model
from .model_states import declared_states, with_declared

if TYPE_CHECKING:
    from os import PathLike

    from .model_names import Network

LOG = logging.getLogger("cliquewise")


def read_rows(
    path: str | PathLike[str], reading: Reading, needs: TableNeeds = FOR_MODEL, network: Network | None = None
) -> Dataset:
    """Rows for a model.

    Parameters
    ----------
    path, reading, needs
        As for `common.data.csvfile.read_csv`. Usually words for missing cells are states, of which `codes_for` knows
        which the model has.
    network
        The model, whose states the cells then have if the reading ignores case and blanks (`fold`).
    """
    from ..data.csvfile import read_csv  # most queries to a model have no table

    fold = network is not None and reading.same_states == "fold"
    data = read_csv(path, with_declared(replace(reading, same_states="auto") if fold else reading), needs)
    check_rows(data)
    return _with_states_of(network, data) if fold and network is not None else data


def _with_states_of(network: Network, data: Dataset) -> Dataset:
    """The same rows, with the states of a model where labels differ from them in case and blanks only."""
    known = dict(zip(network.names, network.states, strict=True))
    states, codes, respelled = list(data.states), np.array(data.codes, np.int32, order="F"), []
    for v, name in enumerate(data.names):
        plain, alike = (codes_of(data.states[v], known.get(name, ()), fold) for fold in (False, True))
        if plain != alike:
            pairs = zip(data.states[v], plain, alike, strict=True)
            written = [label if first == k else known[name][k] for label, first, k in pairs]
            respelled += [f"{name} '{a}' is '{b}'" for a, b in zip(data.states[v], written, strict=True) if a != b]
            states[v] = tuple(dict.fromkeys(written))
            codes[:, v] = np.array([*map(states[v].index, written), -1], np.int32)[codes[:, v]]
    if respelled:
        LOG.info("%s: states that differ from the model's in case or blanks: %s", data.source, abridged(respelled, 5))
    return replace(data, states=tuple(states), codes=codes)


def read_states(paths: Sequence[str], data: Dataset, reading: Reading) -> list[Dataset]:
    """The tables of `--states-of`; of a model there are only the states.

    Parameters
    ----------
    data
        To which their states will be added.
    reading
        As for `common.data.csvfile.read_csv`; of it, only the layout counts.

    Raises
    ------
    UsageError
        A table without any of the columns of `data`.
    """
    changed = dict.fromkeys(("counts", "weights", "weight_scale", "columns", "drop", "states"))
    alike = reading.reading(missing="state", **changed)
    tables = []
    for path in paths:
        if looks_like_model(path):
            declared = declared_states(path).states
            none = np.zeros((0, len(declared)), np.int32)
            tables.append(Dataset(tuple(declared), tuple(map(tuple, declared.values())), none, path))
        else:
            tables.append(read_rows(path, alike, replace(FOR_MODEL, markers=MISSING)))
    for table in tables:
        if not set(table.names) & set(data.names):
            found = f"its columns are {abridged(table.names)}, those of {data.source} {abridged(data.names)}"
            raise UsageError(f"--states-of {table.source} has no effect: {found}; leave it out")
    return tables


def with_states(data: Dataset, others: Sequence[Dataset], missing: bool = False) -> Dataset:
    """The same rows with further possible states.

    Parameters
    ----------
    others
        Columns are matched by name.
    missing
        Whether their missing cells are a state.

    Returns
    -------
    Dataset
        Each variable has the states of all data sets, in the usual order, including those that no row has. A state
        that means one there is already (`common.data.same_states`) is that one. The states of a model come first, in
        its order.
    """
    models = [other for other in others if other.n_stored == 0]
    data, others = _in_their_order(data, models), [other for other in others if other.n_stored]
    states, columns = [dict.fromkeys(labels) for labels in data.states], {name: v for v, name in enumerate(data.names)}
    for other in others:
        for name, labels in zip(other.names, other.states, strict=True):
            if name in columns:
                seen = states[columns[name]]
                for label, code in zip(labels, codes_of(labels, [*seen]), strict=True):
                    if code == UNKNOWN or (code < 0 and missing):
                        seen[label] = None
    codes = np.empty(data.codes.shape, np.int32, order="F")
    ordered = []
    for v, labels in enumerate(states):
        if len(labels) == len(data.states[v]):  # nothing new: the order may be declared
            ordered.append(data.states[v])
        else:
            is_declared = any(data.names[v] in model.names for model in models)
            known = [label for label in labels if label != MISSING_LABEL]
            ordered.append((*(known if is_declared else in_order(known)), *(labels.keys() & {MISSING_LABEL})))
        place = {label: code for code, label in enumerate(ordered[v])}
        codes[:, v] = np.array([*(place[label] for label in data.states[v]), -1], dtype=np.int32)[data.codes[:, v]]
    return replace(data, states=tuple(ordered), codes=codes)


def _in_their_order(data: Dataset, models: Sequence[Dataset]) -> Dataset:
    """Data with the states of models first, in their order, then those that no model has."""
    states, codes = list(data.states), np.array(data.codes, np.int32, order="F")
    for model in reversed(models):
        for name in set(model.names) & set(data.names):
            v, known = data.names.index(name), model.states[model.names.index(name)]
            states[v], place = extended_states(states[v], known)
            codes[:, v] = np.array([*place, -1], np.int32)[codes[:, v]]  # a missing cell stays one
    return replace(data, states=tuple(states), codes=codes) if models else data


def codes_for(
    network: Network, data: Dataset, optional: Collection[str] = (), partial: bool = False, narrow: bool = False
) -> np.ndarray:
    """The rows of some data, coded by the states of a model.

    Parameters
    ----------
    data
        Columns that are not in the model are not used, with a log message.
    optional
        Variables for which no column is needed, as none is for the class of a mixture; without one they are missing in
        all rows. Their cells, but for those of the class, may have states that are not in the model.
    partial
        Whether no column is needed of any variable, but of one; the log names those that are not there.
    narrow
        Whether codes take one byte each where that is enough, as for inference.

    Returns
    -------
    int8 or int32[n_stored, n]
        -1 for a missing cell, `UNKNOWN` for a state that is not in the model.

    Raises
    ------
    DataError
        A variable without a column, or a cell with a state that is not in the model; with the row.
    """
    hidden = getattr(network, "hidden", None)  # the class of a mixture
    _compare_columns(network, data, {*optional, hidden}, partial)
    column = {name: i for i, name in enumerate(data.names)}
    if hidden in column:
        LOG.info("%s: column '%s' is taken as the class of the mixture", data.source, hidden)
    dtype = np.int8 if narrow and max(map(len, network.states)) <= np.iinfo(np.int8).max else np.int32
    codes = np.full((data.n_stored, network.n), -1, dtype=dtype, order="F")
    respelled = []
    for v, (name, labels) in enumerate(zip(network.names, network.states, strict=True)):
        if name not in column:
            continue
        cells, words = data.codes[:, column[name]], data.states[column[name]]
        recode = codes_of(words, labels)
        respelled += [(name, word, labels[code]) for word, code in other_spellings(words, labels, recode)]
        codes[:, v] = np.array([*recode, -1], dtype=dtype)[cells]
        unknown = np.flatnonzero(codes[:, v] == UNKNOWN if UNKNOWN in recode else [])
        if len(unknown) and name not in optional:
            row = int(unknown[0])
            word = words[cells[row]]
            found = _unknown_state(word, labels)
            advice = "leave a cell empty if its state is not known; fit with --states-of to count states of other data"
            if name == hidden:
                advice = "it is the class of the mixture; leave the column out, or give it another name"
            where = f"row {row + 1}, " if data.counts is None else ""  # merged rows are in another order
            message = f"{where}column '{name}': {found} ({len(unknown)} such cells); {advice}"
            raise DataError(message, data.source)
    if respelled:
        first = "column '{}': '{}' is '{}'".format(*respelled[0])
        others = f", and {len(respelled) - 1} more" if len(respelled) > 1 else ""
        LOG.info("%s: states that are written in another way than in the model: %s%s", data.source, first, others)
    return codes


def _compare_columns(network: Network, data: Dataset, optional: Collection[str | None], partial: bool) -> None:
    """Refuse data without a column that is needed, and report the columns of the model or of the data alone.

    The arguments are as for `codes_for`; the class of a mixture is among the optional variables.
    """
    known, there = set(network.names), {*data.names, *optional}
    lacking = [name for name in network.names if name not in there]
    more = [name for name in data.names if name not in known]
    if lacking and not (partial and len(more) < data.n):
        found = f"the columns are {abridged(data.names)}"
        raise DataError(f"no column {abridged(lacking)}, which the model has; {found}", data.source)
    if lacking:
        LOG.warning("%s: no column %s, which the model has: missing in all rows", data.source, abridged(lacking))
    if more:
        LOG.info("%s: columns that are not in the model are not used: %s", data.source, abridged(more))
    if data.counts is None:
        warn_of_suspected(data, "not used", more)


def _unknown_state(word: str, labels: Sequence[str]) -> str:
    """What is wrong with a label; one number is not another one that was written wrongly."""
    hint = "" if is_number(word) else nearest(word, labels)
    return f"state '{word}' is not in the model, which knows {abridged(labels)}{hint}"


def unknown_states(network: Network, data: Dataset, codes: np.ndarray) -> dict[int, str]:
    """The rows with a state that the model does not have.

    Parameters
    ----------
    data, codes
        Rows, and their codes as from `codes_for`.

    Returns
    -------
    dict of int to str
        By row, the message for its first such cell.
    """
    messages = {}
    for row, v in np.argwhere(codes == UNKNOWN)[::-1].tolist():  # of several in a row the first
        labels = network.states[v]
        column = data.names.index(network.names[v])
        word = data.states[column][data.codes[row, column]]
        found = _unknown_state(word, labels)
        messages[row] = f"row {row + 1}, column '{network.names[v]}': {found}"
    return messages


def coded_beside(data: Dataset, rows: Dataset) -> tuple[Dataset, np.ndarray]:
    """Data with the states of further rows, and these rows, both read by the same rule for missing cells.

    The further rows evaluate what is learned from the data, so a warning says if they are the same rows.

    Returns
    -------
    (Dataset, int32[n_stored, n])
        The data, as by `with_states`, and the rows, coded by its states. Where missing cells are a state, they are one
        in both.

    Raises
    ------
    DataError
        As for `codes_for`.
    """
    data = with_states(data, [rows], missing=True)
    codes = codes_for(data, rows)
    if rows.n_rows == data.n_rows:
        first, second = merged(data), merged(replace(data, codes=codes, counts=rows.counts))
        if np.array_equal(first.codes, second.codes) and np.array_equal(first.weights, second.weights):
            advice = "they favour what fits them too closely; give rows that were held out"
            LOG.warning("%s: its rows are those that are learned from, and %s", rows.source, advice)
    return data, codes
