"""The equivalent sample size that the data choose: `--ess 0.1,1,10,100 --choose cv`, `evidence` or a file.

A network is learned with each size, and the best one is the result:

* a file: the mean log probability of its rows, by each network fitted to the data with its own size;
* `cv`: the same for the rows of one of `FOLDS` random parts, by networks learned from and fitted to the others, over
  all parts; then a network is learned from all rows with the size that was best;
* `evidence`: the score of the network found, which for BDeu is the logarithm of the probability of the data under that
  network and size (type II maximum likelihood). It compares single networks, not sums over networks, and is what the
  search maximises anyway, so it tends to larger sizes than prediction does (Silander, Kontkanen and Myllymaki, UAI
  2007).

Every network is learned with the same options, so that `--time-limit` and `--iterations` hold for
each of them. Of equal sizes the smaller one is kept. The rows of the file and those of the parts may have states that
the data lack; for their probabilities, not for the score, these are states of the network too.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.compiling import NEEDED_RECORD
from ..counted import counted
from ..data.incomplete import IncompleteData
from ..errors import DataError, UsageError
from ..files.result_header import Claims
from ..run.result import INTERRUPTED
from .conclusion import links_line, next_line
from .load import kind_of
from .sources import InputOptions, LearningOptions
from .task import Certified, LearnerPlan

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from .host import Host
    from .learner_options import LearnerOptions

LOG = logging.getLogger("cliquewise")
CV, EVIDENCE = "cv", "evidence"
FOLDS, SEED = 5, 1


@dataclass(frozen=True)
class TriedSize:
    """A size that was tried.

    Attributes
    ----------
    ess
    value
        Larger is better: a score, or the mean log probability of a row.
    error
        The standard error of the mean; None for a score.
    graph, header
        The network, unless it is still to be learned.
    """

    ess: float
    value: float
    error: float | None = None
    graph: Dag | Graph | None = None
    header: dict[str, str] | None = None

    def __str__(self) -> str:
        """The size and its value, as the log and the header have it."""
        error = "" if self.error is None else f" (standard error {self.error:.6f})"
        return f"ess {self.ess:.15g}: {self.value:.6f}{error}"


def planned(prepare: Callable, options: LearnerOptions, choose: Any, host: Host) -> LearnerPlan:
    """The plan of a learner, with one equivalent sample size or several.

    Parameters
    ----------
    prepare
        Of the learner: takes `options` and `host`, and returns a LearnerPlan.
    options
        Of the learner.
    choose
        How one of several sizes is chosen, cv, evidence or a table, of which Python may give the content; None for one
        size.

    Raises
    ------
    UsageError, DataError
        Options or data that are refused.
    """
    several = isinstance(options.scoring.ess, tuple)
    if several and choose is None:
        raise UsageError("--ess: several numbers; choose one by --choose cv, evidence or FILE")
    if not several and choose is not None:
        raise UsageError("--choose has no effect with one --ess; leave it out, or give several, 0.1,1,10,100")
    return prepare(options, host) if choose is None else SizeChoice(prepare, options, host).plan(choose)


class SizeChoice:
    """A learner that is run with several sizes.

    Parameters
    ----------
    prepare, options, host
        As for `planned`.
    """

    def __init__(self, prepare: Callable, options: LearnerOptions, host: Host) -> None:
        self.prepare, self.options, self.host = prepare, options, host
        self.sizes: tuple[float, ...] = options.scoring.ess
        self.tried: list[TriedSize] = []

    def plan(self, how: Any) -> LearnerPlan:
        """Read the data, and log the plan of the run."""
        source = self.options.source
        rows: Any = InputOptions.load(source, True)
        self.options = replace(self.options, output=self.options.output.of(rows))
        self.host.reject(source=kind_of(rows))
        source = replace(source, data=rows)
        networks = FOLDS * len(self.sizes) + 1 if how == CV else len(self.sizes)
        LOG.info("--choose %s: %d networks are learned, each as follows", getattr(how, "source", how), networks)
        return LearnerPlan(
            lambda: replace(self._plan(source, self.sizes[0]).estimate(), runs=networks),  # the same for all sizes
            lambda: self._results(source, how),
            lambda: self._certified_best(how, True) if self.tried else None,
        )

    def _results(self, source: LearningOptions, how: Any) -> Iterator[Certified]:
        """The one result."""
        is_interrupted = True
        try:
            with self.host.handling_signals(lambda: None, lambda: False):
                is_interrupted = self._by_parts(source) if how == CV else self._on_all(source, how)
        except KeyboardInterrupt:
            if not self.tried:
                raise
        LOG.info("chosen by %s: %s", _name_of(how), self._best_size)
        found = self._certified_best(how, is_interrupted)
        for line in self._conclusion(found, source.data, how):
            LOG.info("%s", line)
        yield found

    def _conclusion(self, found: Certified, rows: Any, how: Any) -> Iterator[str]:
        """The last lines: those that the run of the best size has not logged, and the next command."""
        if how != CV and kind_of(rows) == "data" and not isinstance(rows, IncompleteData):
            yield links_line(found.graph, rows, Claims.read(found.header, "network"))
        after = next_line(self.options.source, self.options.output.path, found.graph, "edge-priors" in found.header)
        if after is not None:
            yield after

    @property
    def _best_size(self) -> TriedSize:
        """The best size so far."""
        return max(self.tried, key=lambda one: one.value)

    def _certified_best(self, how: Any, is_interrupted: bool) -> Certified:
        """The best network; interrupted if not all were tried, or the last one not to its end."""
        best = self._best_size
        assert best.graph is not None and best.header is not None
        lines = {"chosen-by": _name_of(how), "tried": "; ".join(map(str, self.tried))}
        status = {"status": INTERRUPTED} if is_interrupted else {}
        return Certified(best.graph, {**best.header, **status, **lines}, self.options.output)

    def _plan(self, source: LearningOptions, ess: float) -> LearnerPlan:
        """The plan for one size."""
        scoring = replace(self.options.scoring, ess=ess)
        return self.prepare(replace(self.options, source=source, scoring=scoring), self.host)

    def _run(self, source: LearningOptions, ess: float) -> Certified:
        """The result with one size."""
        *_, result = self._plan(source, ess).results()
        return result

    def _on_all(self, source: LearningOptions, how: Any) -> bool:
        """Try a network of all rows for each size, until one is interrupted; that one counts, too.

        Returns
        -------
        bool
            Whether one was.
        """
        validation = None if how == EVIDENCE else _ValidationRows(source, how)
        for ess in self.sizes:
            with few_messages():
                found = self._run(source, ess)
            own_score = float(found.header["score"])
            value, error = (own_score, None) if validation is None else validation.mean_log(found.graph, ess)
            self.tried.append(TriedSize(ess, value, error, found.graph, found.header))
            LOG.info("%s", self.tried[-1])
            if found.is_interrupted:
                return True
        return False

    def _by_parts(self, source: LearningOptions) -> bool:
        """The sizes by cross-validation, the best with a network of all rows; and whether that was interrupted."""
        from ..models.held_out import folds, mean_and_error

        rows: Any = source.load()
        if rows.n_rows < FOLDS:
            raise DataError(f"{counted(rows.n_rows, 'row')}; --choose cv needs at least {FOLDS}", str(rows.source))
        logs: dict[float, list[np.ndarray]] = {ess: [] for ess in self.sizes}
        weights = []
        for learned, test in folds(rows, FOLDS, SEED):
            part = replace(source, data=learned, resample=None)
            weights.append(test.weights)
            for ess, found in logs.items():
                with few_messages():
                    one = self._run(part, ess)
                if one.is_interrupted:
                    raise KeyboardInterrupt  # there is no network of all rows yet
                found.append(_logs(one.graph, learned, test.codes, ess))
        tried = [
            TriedSize(ess, *mean_and_error(np.concatenate(found), np.concatenate(weights)))
            for ess, found in logs.items()
        ]
        for size in tried:
            LOG.info("%s", size)
        best = tried.index(max(tried, key=lambda one: one.value))
        result = self._run(source, tried[best].ess)
        tried[best] = replace(tried[best], graph=result.graph, header=result.header)
        self.tried = tried
        return result.is_interrupted


class _ValidationRows:
    """The rows by which networks of the data are evaluated."""

    def __init__(self, source: LearningOptions, table: Any) -> None:
        from ..models.model_data import coded_beside

        data: Any = source.load()
        test = replace(source, data=table, resample=None).load_data()
        (self.data, self.codes), self.counts = coded_beside(data, test), test.weights

    def mean_log(self, graph: Dag | Graph, ess: float) -> tuple[float, float]:
        """The mean log probability of a row, and its standard error."""
        from ..models.held_out import mean_and_error

        logs = _logs(graph, self.data, self.codes, ess)
        return mean_and_error(logs, self.counts)


def _logs(graph: Any, data: Dataset, codes: np.ndarray, ess: float) -> np.ndarray:
    """Log probabilities of rows, of their known cells, under a network fitted to data, float64[rows]."""
    from ..inference.em import fit_em
    from ..inference.em_limits import EmLimits
    from ..models.held_out import observed_logs
    from ..models.model_fit import fit, parents_of_chordal

    parents = graph.parents() if graph.directed else parents_of_chordal(graph)
    if isinstance(data, IncompleteData):
        with few_messages():
            return observed_logs(fit_em(data, parents, ess, EmLimits()).network, codes)
    return observed_logs(fit(data, parents, ess), codes)


def _name_of(how: Any) -> str:
    """The name of a choice."""
    return how if isinstance(how, str) and how in (CV, EVIDENCE) else "validation"


@contextlib.contextmanager
def few_messages(said: set[str] | None = None) -> Iterator[None]:
    """Log warnings and errors of this thread, and that kernels are compiled; no more, unless -v is given.

    Parameters
    ----------
    said
        Warnings that were logged before, which are not repeated; new ones are added.
    """
    thread = threading.get_ident()

    def is_kept(record: logging.LogRecord) -> bool:
        if said is not None and record.levelno == logging.WARNING and record.thread == thread:
            text = record.getMessage()
            is_new = text not in said
            said.add(text)
            return is_new
        is_needed = record.levelno >= logging.WARNING or getattr(record, NEEDED_RECORD, False)
        return is_needed or record.thread != thread or LOG.getEffectiveLevel() <= logging.DEBUG

    LOG.addFilter(is_kept)
    try:
        yield
    finally:
        LOG.removeFilter(is_kept)
