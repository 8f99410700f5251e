"""`mnmodel cv`: cross-validation of a learner's networks on held-out rows (Stone 1974; Geisser 1975).

The rows are divided at random into parts, the folds. For each fold the learner's command is run on the other rows, its
network is fitted to them as `mnmodel fit` does, and evaluated on the rows of the fold:

* the log-likelihood: the mean of ln p(row), natural logarithm; with `--missing em` of the observed cells;
* with a target the log loss, the mean of -ln p(target | the other cells), and the accuracy of its most probable state.

A network that is not chordal is fitted over a chordal cover of it. All fits have the states of all rows, so that every
row has a probability with a prior. Several settings of the learner see the same folds, and each is compared with the
first one row by row: the difference has a smaller standard error than the two means. Standard errors are those of a
mean of independent rows; that the networks of different folds share rows is neglected, as always (Bengio and
Grandvalet 2004 show that no estimate from one cross-validation is unbiased).

Cost: folds times settings runs of the learner.
"""

from __future__ import annotations

import csv
import itertools
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.cli.command import handling_signals
from ..common.cli.from_python import learned_with
from ..common.counted import counted
from ..common.data.csvwriter import csv_text
from ..common.errors import DataError, UsageError
from ..common.files.fingerprint import data_digest
from ..common.files.input_stream import read_text
from ..common.graphs.chordal import is_chordal
from ..common.graphs.treewidth import min_fill_cover
from ..common.learning.choice import few_messages
from ..common.models.held_out import error_of_mean, folds, mean_and_error, observed_logs
from ..common.models.model_names import variables_of
from ..common.run.result import INTERRUPTED
from .fit import FitOptions

if TYPE_CHECKING:
    from ..common.cli.typed import TypedOptions
    from ..common.data.dataset import Dataset
    from ..common.files.graphfile import GraphFile
    from ..common.files.shard import Shard
    from ..common.models.model_fit import FittedNetwork

LOG = logging.getLogger("cliquewise")
ALL = "all"
DIGITS = 10
COLUMNS = ("setting", "fold", "rows", "edges")
LIKELIHOOD, DIFFERENCE, LOG_LOSS, ACCURACY = "log_likelihood", "difference", "log_loss", "accuracy"


@dataclass(frozen=True)
class Mean:
    """A mean over rows.

    Attributes
    ----------
    rows
        The number of rows, or the sum of their weights.
    mean
    error
        Its standard error; 0 for one row.
    """

    rows: float
    mean: float
    error: float

    @classmethod
    def of(cls, values: np.ndarray, counts: np.ndarray) -> Mean:
        """The weighted mean of values; rounded as it is written, so that parts give the same result as one run."""
        return cls(float(counts.sum()), *map(_rounded, mean_and_error(values, counts)))

    @classmethod
    def pooled(cls, parts: Sequence[Mean]) -> Mean:
        """The mean of all rows, from those of their parts."""
        rows = sum(part.rows for part in parts)
        mean = sum(part.rows * part.mean for part in parts) / rows
        within = sum(part.rows * (part.rows - 1) * part.error**2 for part in parts)
        between = sum(part.rows * (part.mean - mean) ** 2 for part in parts)
        return cls(rows, mean, error_of_mean(within + between, rows))


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class FoldRow:
    """The result of a setting on one fold, or on all.

    Attributes
    ----------
    setting
        The learner's command line.
    fold
        From 1, or `ALL`.
    edges
        Of the network; the mean for all folds.
    means : dict of str to Mean
        By the name of the column.
    """

    setting: str
    fold: str
    edges: float
    means: dict[str, Mean]

    def cells(self) -> list[str]:
        """The cells of a row of the CSV."""
        rows = next(iter(self.means.values())).rows
        numbers = itertools.chain.from_iterable((one.mean, one.error) for one in self.means.values())
        return [self.setting, self.fold, f"{rows:.15g}", *(f"{one + 0.0:.{DIGITS}g}" for one in (self.edges, *numbers))]

    def record(self) -> dict[str, Any]:
        """The same as numbers, by the names of the columns."""
        rows = next(iter(self.means.values())).rows
        found: dict[str, Any] = {"setting": self.setting, "fold": self.fold, "rows": rows, "edges": float(self.edges)}
        for key, one in self.means.items():
            found |= {key: one.mean, f"{key}_error": one.error}
        return found

    @classmethod
    def read(cls, cells: Sequence[str], columns: Sequence[str]) -> FoldRow:
        """From the cells of the CSV; ValueError if they are none."""
        setting, fold, rows, edges, *numbers = cells
        values = iter(map(float, numbers))
        pairs = zip(columns, zip(values, values, strict=True), strict=True)
        return cls(setting, fold, float(edges), {name: Mean(float(rows), *pair) for name, pair in pairs})


@dataclass(frozen=True)
class Setting:
    """A learner with its options.

    Attributes
    ----------
    line
        Its command line, which names the setting in results.
    options
        Those of its command, without data.
    """

    line: str
    options: TypedOptions


@dataclass(frozen=True)
class CrossValidation:
    """A cross-validation.

    Attributes
    ----------
    data
    count
        Number of folds, at least 2.
    seed
        Of the folds.
    settings : tuple of Setting
    target
        The variable to predict, for the log loss.
    options
        Of the fits.
    handling_signals
        How a run is stopped; see `Host`.
    """

    data: Dataset
    count: int
    seed: int
    settings: tuple[Setting, ...]
    target: str | None
    options: FitOptions
    handling_signals: Callable = handling_signals

    def check(self) -> None:
        """Refuse more folds than rows, and a target that is no column or not known in any row of a fold."""
        if self.count > self.data.n_rows:
            found = f"{self.data.source} has {counted(self.data.n_rows, 'row')}"
            raise UsageError(f"--folds {self.count}: {found}; ask for at most that many")
        if self.target is not None:
            variables_of(self.data.names, [self.target], self.data.source)
            if self._has_target(self.data).all():
                return
            for fold, (_, test) in enumerate(folds(self.data, self.count, self.seed), start=1):
                if not self._has_target(test).any():
                    found = f"fold {fold} has no row in which '{self.target}' is known"
                    raise DataError(f"{found}; ask for fewer --folds, or leave out --target", self.data.source)

    def _has_target(self, test: Dataset) -> np.ndarray:
        """The rows whose target is known; others have no log loss and no accuracy."""
        return test.codes[:, self.data.names.index(self.target)] >= 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The means that are written."""
        compared = (DIFFERENCE,) if len(self.settings) > 1 else ()
        return (LIKELIHOOD, *compared, *((LOG_LOSS, ACCURACY) if self.target is not None else ()))

    @property
    def head(self) -> dict[str, str]:
        """The comment lines of the result."""
        lines = {"folds": str(self.count), "seed": str(self.seed), "data": data_digest(self.data)}
        more = {} if self.target is None else {"target": self.target}
        if self.options.ml:
            more["parameters"] = "relative frequencies"
        return {"program": "mnmodel cv", **lines, **more}

    @property
    def names(self) -> list[str]:
        """The settings as command lines."""
        return [setting.line for setting in self.settings]

    def rows(self, wanted: Sequence[int], done: dict[int, list[FoldRow]]) -> Iterator[list[FoldRow]]:
        """The rows of the requested folds, a list for each; folds that are done are not learned again."""
        for fold, (learned, test) in enumerate(folds(self.data, self.count, self.seed), start=1):
            if fold in done:
                yield [self._with_target_rows(row, test) for row in done[fold]]
            elif fold in wanted:
                yield self._evaluated(fold, learned, test)

    def _evaluated(self, fold: int, learned: Dataset, test: Dataset) -> list[FoldRow]:
        """All settings on one fold."""
        made: list[FoldRow] = []
        first = np.zeros(0)
        for setting in self.settings:
            name = setting.line
            with few_messages():
                file = _learn(setting.options, learned, self.handling_signals)
                network, _ = self.options.fit_file(learned, file)
            logs = observed_logs(network, test.codes)
            impossible = int(test.weights[np.isneginf(logs)].sum())
            if impossible:
                message = f"rows of probability zero under relative frequencies: {impossible} of {test.n_rows}"
                LOG.warning("fold %d, %s: %s, so that their mean is -inf; leave out --ml", fold, name, message)
            first = logs if not made else first
            values = {LIKELIHOOD: logs}
            if len(self.settings) > 1:
                with np.errstate(invalid="ignore"):
                    values[DIFFERENCE] = logs - first
            if self.target is not None:
                values[LOG_LOSS], values[ACCURACY] = self._prediction(network, test.codes)
            edges = len(file.network.edges)
            means = {key: Mean.of(found, test.weights) for key, found in values.items()}
            if self.target is not None:
                known = self._has_target(test)
                means |= {key: Mean.of(values[key][known], test.weights[known]) for key in (LOG_LOSS, ACCURACY)}
            made.append(FoldRow(name, str(fold), edges, means))
            message = ", ".join(f"{key.replace('_', ' ')} {one.mean:.6f}" for key, one in means.items())
            LOG.info("fold %d of %d, %s: %s, %s", fold, self.count, name, counted(edges, "edge"), message)
        return made

    def _with_target_rows(self, row: FoldRow, test: Dataset) -> FoldRow:
        """A row that was read, whose file has the number of rows but not of those with a target."""
        if self.target is None:
            return row
        rows = float(test.weights[self._has_target(test)].sum())
        return replace(row, means=row.means | {key: replace(row.means[key], rows=rows) for key in (LOG_LOSS, ACCURACY)})

    def _prediction(self, network: FittedNetwork, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """-ln p(target | the other cells) of rows, and whether the target's most probable state is right."""
        assert self.target is not None
        (v,) = variables_of(network.names, [self.target], self.data.source)
        every = []
        for state in range(len(network.states[v])):
            changed = codes.copy()
            changed[:, v] = state
            every.append(observed_logs(network, changed))
        joint = np.column_stack(every)
        with np.errstate(invalid="ignore"):
            lost = np.logaddexp.reduce(joint, axis=1) - joint[np.arange(len(codes)), codes[:, v]]
        return np.where(np.isnan(lost), np.inf, lost), (joint.argmax(axis=1) == codes[:, v]).astype(float)

    def lines(self, made: list[list[FoldRow]]) -> list[FoldRow]:
        """The rows of the result; with those for all folds if they are all there."""
        lines = [row for rows in made for row in rows]
        if len(made) == self.count:
            lines += map(self._pooled, zip(*made, strict=True))
        return lines

    def text(self, made: list[list[FoldRow]], shard: Shard | None) -> str:
        """The result: comment lines and a CSV."""
        lines = self.lines(made)
        part = {} if shard is None else {"shard": str(shard)}
        head = "".join(f"# {key} {value}\n" for key, value in {**self.head, **part}.items())
        titles = itertools.chain.from_iterable((key, f"{key}_error") for key in self.columns)
        return head + csv_text([[*COLUMNS, *titles], *(row.cells() for row in lines)])

    def _pooled(self, rows: Sequence[FoldRow]) -> FoldRow:
        means = {key: Mean.pooled([row.means[key] for row in rows]) for key in self.columns}
        pooled = FoldRow(rows[0].setting, ALL, float(np.mean([row.edges for row in rows])), means)
        measures = ", ".join(f"{key.replace('_', ' ')} {one.mean:.6f} ({one.error:.6f})" for key, one in means.items())
        LOG.info("%s: %s", pooled.setting, measures)
        return pooled

    def read(self, paths: Sequence[str]) -> dict[int, list[FoldRow]]:
        """The folds in results of the same cross-validation.

        Raises
        ------
        DataError
            A file of another command, or a damaged one; a fold that occurs twice.
        """
        done: dict[int, list[FoldRow]] = {}
        for path in paths:
            found = self._read(path)
            for fold, rows in found.items():
                if fold in done:
                    raise DataError(f"fold {fold} is in another file too; name each part once", path)
                done[fold] = rows
        return done

    def _read(self, path: str) -> dict[int, list[FoldRow]]:
        lines = read_text(path, "a result of mnmodel cv").splitlines()
        size = next((at for at, line in enumerate(lines) if not line.startswith("#")), len(lines))
        head = dict(line[2:].partition(" ")[::2] for line in lines[:size])
        head.pop("shard", None)
        for key in {**self.head, **head}:
            theirs, ours = head.get(key, "none"), self.head.get(key, "none")
            if theirs != ours:
                raise DataError(f"'# {key} {theirs}', but '{ours}' here: another run", path)
        found: dict[int, list[FoldRow]] = {}
        try:
            for cells in list(csv.reader(lines[size:]))[1:]:
                if cells[1] != ALL:
                    found.setdefault(int(cells[1]), []).append(FoldRow.read(cells, self.columns))
        except (ValueError, IndexError):
            raise DataError("damaged, or of other settings: its rows are not those of this run", path) from None
        for fold, rows in found.items():
            if [row.setting for row in rows] != self.names or not 1 <= fold <= self.count:
                raise DataError(f"fold {fold} has other settings than this run", path)
        return found


def _learn(options: TypedOptions, data: Dataset, handling_signals: Callable) -> GraphFile:
    """The network that a learner finds, or a chordal cover of it.

    Raises
    ------
    KeyboardInterrupt
        The learner was stopped.
    """
    file = learned_with(options, data, handling_signals)
    if file.header.get("status") == INTERRUPTED:
        raise KeyboardInterrupt
    if file.dag is None and not is_chordal(file.graph):
        file = replace(file, graph=min_fill_cover(file.graph))
    return file
