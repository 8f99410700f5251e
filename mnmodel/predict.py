"""`mnmodel predict` and `impute`: the target or the missing cells of rows, by a model."""

from __future__ import annotations

import itertools
import logging
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.counted import counted
from ..common.data.csvwriter import csv_pieces, csv_text
from ..common.data.labels import MISSING_LABEL, is_interval
from ..common.data.number_forms import with_numbers_plain
from ..common.data.reading import DEFAULT, MISSING, Reading
from ..common.data.same_states import UNKNOWN
from ..common.data.weights import split_weights
from ..common.errors import DataError, abridged
from ..common.files.atomic_write import write_whole
from ..common.models.model_data import codes_for, unknown_states
from ..common.models.model_names import variables_of
from ..common.number_text import is_number
from ..common.run.resources import ROW, check_fits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..common.data.dataset import Dataset


LOG = logging.getLogger("cliquewise")
CELL_BYTES = 12  # bytes of a cell of a completed table, with copies


def predict(
    network: Any,
    path: str,
    data: Dataset,
    target: str,
    reading: Reading = DEFAULT,
    proba: bool = False,
    skip_bad_rows: bool = False,
) -> tuple[str, str | None]:
    """The most probable state of a variable in each row.

    Parameters
    ----------
    network
    path
        Its file, for messages.
    data
        Its column of the target, if any, is used only to evaluate the predictions.
    target
    reading
        How the data were read, with the column of counts or weights, by which the predictions are evaluated.
    proba
        Whether to write the probability of every state.
    skip_bad_rows
        Whether a row that cannot be answered, also because of a state that the model does not have, has an empty
        answer.

    Returns
    -------
    (str, str or None)
        A CSV: state and probability, one line per row, `?` and nan if the row has no answer, and on request a
        column `TARGET=STATE` per state; and the confusion matrix as CSV, if rows have the target: a line per true
        state, a column per prediction.

    Raises
    ------
    CliquewiseError
        An unknown variable, data that do not fit, or inference that is too large.
    """
    (v,) = variables_of(network.names, [target], path)
    data, units, per_row = split_weights(data, reading)
    row_counts = units / per_row
    truth, table, impossible, best = predicted_states(network, data, v, skip_bad_rows)
    if impossible.any() and not skip_bad_rows:
        LOG.warning(
            "%s: rows of probability zero, without a prediction: %d, the first is row %d",
            data.source,
            impossible.sum(),
            impossible.argmax() + 1,
        )
    known = ((truth >= 0) | (truth == UNKNOWN)) & ~impossible
    confusion = _evaluation(network, v, data, truth, table, best, row_counts * known) if known.any() else None
    states = network.states[v]
    nothing = ["", "", *(("",) * len(states) * proba)]
    lines = (
        nothing
        if bad and skip_bad_rows
        else ["?" if bad else states[k], f"{row[k]:.10g}", *(f"{p:.10g}" for p in row * proba)]
        for k, row, bad in zip(best.tolist(), table.tolist(), impossible, strict=True)
    )
    head = [target, "probability", *(f"{target}={label}" for label in states * proba)]
    return csv_text(itertools.chain([head], lines)), confusion


def predicted_states(
    network: Any, data: Dataset, v: int, skip_bad_rows: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The predictions of a variable in each row, from the other cells.

    Parameters
    ----------
    skip_bad_rows
        Whether rows may have states that the model does not have; then each row without an answer is logged.

    Returns
    -------
    truth : int32[rows]
        The state in the row; -1 is not known, `UNKNOWN` a state that the model does not have.
    probability : float64[rows, r]
        Of each state, nan in a row without an answer.
    impossible : bool[rows]
        Which rows have no answer.
    best : int64[rows]
        The most probable state, 0 in a row of probability zero.

    Raises
    ------
    CliquewiseError
        Data that do not fit, or inference that is too large.
    """
    optional = network.names if skip_bad_rows else (network.names[v],)
    codes = codes_for(network, data, optional, partial=True, narrow=True)
    truth = codes[:, v].astype(np.int32)
    codes[:, v] = -1
    messages = unknown_states(network, data, codes)
    logs, table = network.posterior(np.maximum(codes, -1, out=codes), (v,))
    impossible = np.isneginf(logs)
    best = np.where(impossible, 0, np.where(np.isnan(table), -1.0, table).argmax(axis=1))
    impossible[list(messages)] = True
    table[impossible] = np.nan
    if skip_bad_rows:
        log_bad_rows(data, impossible, messages)
    return truth, table, impossible, best


def log_bad_rows(data: Dataset, bad: np.ndarray, messages: dict[int, str]) -> None:
    """A line of the log for each row that has no answer.

    Parameters
    ----------
    bad : bool[rows]
        Which ones.
    messages : dict of int to str
        Of some of these rows; the others have probability zero.
    """
    for row in np.flatnonzero(bad).tolist():
        LOG.warning("%s: %s", data.source, messages.get(row) or f"row {row + 1} has probability zero")


def _evaluation(
    network: Any,
    v: int,
    data: Dataset,
    truth: np.ndarray,
    table: np.ndarray,
    best: np.ndarray,
    row_counts: np.ndarray,
) -> str:
    """Log how many predictions are right, and their log loss; returns the confusion matrix as CSV.

    A state that the model does not have is never predicted: its probability is zero.
    """
    target, states = network.names[v], network.states[v]
    right, total = float(row_counts[best == truth].sum()), float(row_counts.sum())
    has_count = row_counts > 0
    probabilities = np.where(truth >= 0, table[np.arange(len(best)), truth.clip(0)], 0.0)[has_count]
    with np.errstate(divide="ignore"):
        loss = -(row_counts[has_count] * np.log(probabilities)).sum() / (total or 1.0)
    message = (
        f"{right:.10g} of {total:.10g} rows that have it ({right / (total or 1.0):.4f}), log loss {loss + 0.0:.6f}"
    )
    LOG.info("%s: right in %s", target, message)
    column = data.names.index(target)
    labels = [*states, *data.states[column]]
    counts = defaultdict[tuple[str, int], float](float)
    cells = np.where(truth >= 0, truth, len(states) + data.codes[:, column].astype(np.int64))
    for cell, k, count in zip(
        cells[has_count].tolist(), best[has_count].tolist(), row_counts[has_count].tolist(), strict=True
    ):
        counts[labels[cell], k] += count
    more = [labels[cell] for cell in np.unique(cells[has_count]).tolist() if cell >= len(states)]
    lines = [[label, *(f"{counts[label, k]:.10g}" for k in range(len(states)))] for label in [*states, *more]]
    return csv_text([[target, *states], *lines])


def impute(
    network: Any,
    data: Dataset,
    path: str | None,
    draws: int | None,
    seed: int,
    skip_bad_rows: bool,
    reading: Reading,
) -> None:
    """Write the rows with all their missing cells filled in.

    Parameters
    ----------
    network, data, draws, seed, skip_bad_rows
        As for `filled`.
    path
        Of the table to write; None or `-` is standard output.
    reading
        Which column has counts or weights.

    Raises
    ------
    CliquewiseError
        As `filled`, or a file that cannot be written.
    """
    write_whole(path, csv_pieces(filled(network, data, draws, seed, skip_bad_rows, split_weights(data, reading)[1])))


def filled(
    network: Any,
    data: Dataset,
    draws: int | None = None,
    seed: int = 1,
    skip_bad_rows: bool = False,
    row_counts: np.ndarray | None = None,
) -> Dataset:
    """The rows with all their missing cells filled in.

    Parameters
    ----------
    network
    data
        Columns that are not in the model stay as they are, their missing cells as `?`. So do the known numbers of a
        column that the model has in intervals; what is filled in there is their median in the interval, by draws one
        of them at random, and the interval itself if there is none.
    draws
        Number of copies of each row, with independent draws; None: one, with the most probable cells, all of a row
        together.
    seed
        Of the draws.
    skip_bad_rows
        Whether a row of probability zero, or with a state that the model does not have, stays as it is.
    row_counts
        How often each row counts for these medians and draws; None: once.

    Raises
    ------
    CliquewiseError
        Data that do not fit, a row of probability zero, or inference that is too large.
    """
    codes = codes_for(network, data, network.names if skip_bad_rows else (), partial=True, narrow=True)
    messages = unknown_states(network, data, codes)
    bad = np.isin(np.arange(len(codes)), list(messages))
    missing = (codes[:, [name in data.names for name in network.names]] < 0) & ~bad[:, None]
    codes[bad] = -1
    rows = len(codes) * (draws or 1)
    check_fits(rows * (CELL_BYTES * data.n + ROW), None, f"{rows} rows of {data.n} variables", "draw fewer at a time")
    given = np.repeat(codes, draws or 1, axis=0)
    logs, full = _completed(network, data, codes, draws, seed)
    full = np.where(given < 0, full, given)  # also in a complete row of probability zero
    impossible = np.isneginf(logs) & missing.any(axis=1)
    if skip_bad_rows:
        bad |= impossible
        log_bad_rows(data, bad, messages)
        missing[bad] = False
    elif impossible.any():
        found = f"row {impossible.argmax() + 1} has probability zero ({impossible.sum()} such rows)"
        raise DataError(f"{found}; its missing cells cannot be filled in", data.source)
    cells, incomplete = counted(missing.sum(), "cell"), counted(missing.any(axis=1).sum(), "row")
    LOG.info("%s: %s of %s filled in", data.source, cells, incomplete)
    number = {name: v for v, name in enumerate(network.names)}
    written = np.repeat(data.codes.astype(np.int32), draws or 1, axis=0)
    states = [tuple(MISSING_LABEL if label in MISSING else label for label in labels) for labels in data.states]
    stays = np.repeat(bad, draws or 1)
    rng = None if draws is None else np.random.default_rng([seed, 3])
    row_counts = np.ones(len(codes)) if row_counts is None else row_counts
    cut = []
    for i, name in enumerate(data.names):
        if name not in number:
            continue
        v = number[name]
        labels = network.states[v]
        if _is_cut(labels, data.states[i]):
            cut.append(name)
            filled_in = _numbers_of_classes(data.states[i], data.codes[:, i], codes[:, v], row_counts, full[:, v], rng)
            written[:, i] = np.where(stays | (given[:, v] >= 0), written[:, i], filled_in)
            states[i] = (*states[i], *labels)
        else:
            written[:, i] = np.where(stays, len(labels) + written[:, i], full[:, v])
            states[i] = (*labels, *states[i]) if stays.any() else labels
    if cut:
        what = "medians" if rng is None else "random ones"
        LOG.info("%s: known numbers stay, others are %s in their interval: %s", data.source, what, abridged(cut))
    return replace(data, codes=written, states=tuple(states))


def _completed(
    network: Any, data: Dataset, codes: np.ndarray, draws: int | None, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The log probability of the known cells of each row, and the rows with the others filled in.

    Parameters
    ----------
    network, data, draws, seed
        As for `filled`.
    codes : int8 or int32[rows, n]
        Known cells; -1 is missing.

    Returns
    -------
    (float64[rows], int8 or int32[rows * copies, n])
    """
    if draws is not None:
        logs, drawn = network.draw_missing(codes, np.random.default_rng([seed, 2]), draws)
        return logs, drawn.reshape(-1, network.n)
    logs, _, full = network.most_probable(codes)
    if getattr(network, "hidden", None) in data.names:  # the other cells are the most probable ones over all classes
        v = network.n - 1
        rows = np.flatnonzero(codes[:, v] < 0)
        full[rows, v] = -1
        full[rows, v] = network.posterior(full[rows], (v,))[1].argmax(axis=1)
    return logs, full


def _is_cut(states: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether the states of a variable are intervals, and some labels of the table's column are not."""
    own = [label for label in labels if label not in MISSING]
    return all(is_interval(state) for state in states if state != MISSING_LABEL) and not all(map(is_interval, own))


def _numbers_of_classes(
    labels: Sequence[str],
    column: np.ndarray,
    known: np.ndarray,
    row_counts: np.ndarray,
    classes: np.ndarray,
    rng: np.random.Generator | None,
) -> np.ndarray:
    """A known number of each cell's class: the median, the lower one of two, or a random one.

    Parameters
    ----------
    labels
        Of the column.
    column : int[rows]
        Labels of the rows.
    known : int8 or int32[rows]
        Classes of the rows; -1 is missing.
    row_counts : int64 or float64[rows]
        How often each row counts.
    classes : int8 or int32[m]
        Those wanted.
    rng
        For random ones; None for medians.

    Returns
    -------
    int64[m]
        Numbers of labels; the number of labels and the class if no number of this class is known.
    """
    plain = with_numbers_plain(labels, all_forms=False, are_numbers=True)
    values = np.array([float(text) if is_number(text) else np.nan for text in plain])
    found = len(labels) + classes.astype(np.int64)
    for k in np.unique(classes[classes >= 0]).tolist():
        own = np.flatnonzero((known == k) & ~np.isnan(values[column]) & (row_counts > 0))
        own = own[np.argsort(values[column[own]], kind="stable")]
        if len(own):
            before, where = np.cumsum(row_counts[own]), np.flatnonzero(classes == k)
            wanted = before[-1] * (0.5 if rng is None else rng.random(len(where)))
            found[where] = column[own[np.searchsorted(before, wanted, "left" if rng is None else "right")]]
    return found
