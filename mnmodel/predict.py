"""`mnmodel predict` and `impute`: what rows do not have, by a model."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.counts import split_counts
from ..common.data.csvwriter import csv_pieces
from ..common.data.same_states import UNKNOWN
from ..common.data.states import MISSING, MISSING_LABEL
from ..common.errors import DataError
from ..common.files.atomic_write import write_whole
from ..common.models.model_data import codes_for, variables_of
from ..common.run.resources import ROW, check_fits
from .query import csv_text

if TYPE_CHECKING:
    from typing import Any

    from ..common.data.dataset import Dataset


LOG = logging.getLogger("cliquewise")
CELL = 12  # bytes of a cell of a completed table, with copies


def predict(
    network: Any, path: str, data: Dataset, target: str, counts: str | None = None, proba: bool = False
) -> tuple[str, str | None]:
    """The most probable state of a variable in each row.

    Parameters
    ----------
    network
    path
        Its file, for messages.
    data
        Its column of the target, if any, is used only to judge the predictions.
    target
    counts
        The column that says how many rows each one stands for, to judge them.
    proba
        Whether to write the probability of every state.

    Returns
    -------
    (str, str or None)
        A CSV: state and probability, one line per row, `?` and nan if the row has probability zero, and on request a
        column `TARGET=STATE` per state; and the confusion matrix as CSV, if rows have the target: a line per true
        state, a column per prediction.

    Raises
    ------
    CliquewiseError
        An unknown variable, data that do not fit, or inference that is too large.
    """
    (v,) = variables_of(network, [target], path)
    data, times = split_counts(data, counts)
    codes = codes_for(network, data, optional=(target,))
    table, impossible, best = best_states(network, codes, v)
    if impossible.any():
        LOG.warning(
            "%s: rows of probability zero, without a prediction: %d, the first is row %d",
            data.source,
            impossible.sum(),
            impossible.argmax() + 1,
        )
    known = ((codes[:, v] >= 0) | (codes[:, v] == UNKNOWN)) & ~impossible
    confusion = _judged(network, v, data, codes[:, v], table, best, times * known) if known.any() else None
    states = network.states[v]
    lines = [
        ["?" if bad else states[k], f"{row[k]:.10g}", *(f"{chance:.10g}" for chance in row * proba)]
        for k, row, bad in zip(best.tolist(), table.tolist(), impossible, strict=True)
    ]
    return csv_text([[target, "probability", *(f"{target}={label}" for label in states * proba)], *lines]), confusion


def best_states(network: Any, codes: np.ndarray, v: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a variable in each row: the probabilities of its states, whether the row is impossible, the best state.

    Parameters
    ----------
    codes : int32[rows, n]
        -1 is not known.

    Returns
    -------
    (float64[rows, r], bool[rows], int64[rows])
        Of impossible rows the best state is 0.
    """
    logs, table = network.posterior(codes, (v,))
    impossible = np.isneginf(logs)
    return table, impossible, np.where(impossible, 0, np.where(np.isnan(table), -1.0, table).argmax(axis=1))


def _judged(
    network: Any,
    v: int,
    data: Dataset,
    truth: np.ndarray,
    table: np.ndarray,
    best: np.ndarray,
    times: np.ndarray,
) -> str:
    """Say how many predictions are right, and their log loss; the confusion matrix as CSV.

    A state that the model does not have is never predicted: its probability is zero.
    """
    target, states = network.names[v], network.states[v]
    right, asked = int(times[best == truth].sum()), int(times.sum())
    counted = times > 0
    probabilities = np.where(truth >= 0, table[np.arange(len(best)), truth.clip(0)], 0.0)[counted]
    with np.errstate(divide="ignore"):
        loss = -(times[counted] * np.log(probabilities)).sum() / max(1, asked)
    told = f"{right} of {asked} rows that have it ({right / max(1, asked):.4f}), log loss {loss + 0.0:.6f}"
    LOG.info("%s: right in %s", target, told)
    column = data.names.index(target)
    labels, counts = [*states, *data.states[column]], Counter[tuple[str, int]]()
    cells = np.where(truth >= 0, truth, len(states) + data.codes[:, column])
    for cell, k, count in zip(cells[counted].tolist(), best[counted].tolist(), times[counted].tolist(), strict=True):
        counts[labels[cell], k] += count
    more = [labels[cell] for cell in np.unique(cells[counted]).tolist() if cell >= len(states)]
    lines = [[label, *(str(counts[label, k]) for k in range(len(states)))] for label in [*states, *more]]
    return csv_text([[target, *states], *lines])


def impute(network: Any, data: Dataset, path: str | None, draws: int | None = None, seed: int = 1) -> None:
    """Write the rows with all their missing cells filled in.

    Parameters
    ----------
    network, data, draws, seed
        As for `filled`.
    path
        Of the table to write; None or `-` is standard output.

    Raises
    ------
    CliquewiseError
        As `filled`, or a file that cannot be written.
    """
    write_whole(path, csv_pieces(filled(network, data, draws, seed)))


def filled(network: Any, data: Dataset, draws: int | None = None, seed: int = 1) -> Dataset:
    """The rows with all their missing cells filled in.

    Parameters
    ----------
    network
    data
        Columns that are not in the model stay as they are, their missing cells as `?`.
    draws
        Each row that often, with independent draws; None: once, with the most probable cells, all of a row
        together.
    seed
        Of the draws.

    Raises
    ------
    CliquewiseError
        Data that do not fit, a row of probability zero, or inference that is too large.
    """
    codes = codes_for(network, data)
    rows = len(codes) * (draws or 1)
    check_fits(rows * (CELL * data.n + ROW), None, f"{rows} rows of {data.n} variables", "draw fewer at a time")
    holes = codes[:, [name in data.names for name in network.names]] < 0
    if draws is None:
        logs, _, full = network.most_probable(codes)
    else:
        logs, full = network.draw_missing(codes, np.random.default_rng([seed, 2]), draws)
        full = full.reshape(-1, network.n)
    impossible = np.isneginf(logs) & holes.any(axis=1)
    if impossible.any():
        found = f"row {impossible.argmax() + 1} has probability zero ({impossible.sum()} such rows)"
        raise DataError(f"{found}; its missing cells cannot be filled in", data.source)
    LOG.info("%s: %d cells of %d rows filled in", data.source, holes.sum(), holes.any(axis=1).sum())
    given, number = np.repeat(codes, draws or 1, axis=0), {name: v for v, name in enumerate(network.names)}
    full = np.where(given < 0, full, given)  # also in a complete row of probability zero
    hidden = getattr(network, "hidden", None)
    if draws is None and hidden in data.names:  # the other cells are the most probable ones whatever the class
        open_rows, v = np.flatnonzero(given[:, network.n - 1] < 0), network.n - 1
        full[open_rows, v] = -1
        full[open_rows, v] = network.posterior(full[open_rows], (v,))[1].argmax(axis=1)
    written = np.repeat(data.codes.astype(np.int32), draws or 1, axis=0)
    states = [tuple(MISSING_LABEL if label in MISSING else label for label in labels) for labels in data.states]
    for i, name in enumerate(data.names):
        if name in number:
            written[:, i], states[i] = full[:, number[name]], network.states[number[name]]
    return replace(data, codes=written, states=tuple(states))
