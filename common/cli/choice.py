"""The equivalent sample size that the data choose: `--ess 0.1,1,10,100 --choose cv`, `evidence` or a file.

A network is learned with each size, and the best one is the result:

* a file: the mean log probability of its rows, by each network fitted to the data with its own size;
* `cv`: the same for the rows of one of `FOLDS` random parts, by networks learned from and fitted to the others, over
  all parts; then a network is learned from all rows with the size that was best;
* `evidence`: the score of the network found, which for BDeu is the logarithm of the probability of the data under that
  network and size (type II maximum likelihood). It compares single networks, not sums over networks, and is what the
  search maximises anyway, so it tends to larger sizes than prediction does (Silander, Kontkanen and Myllymaki, UAI
  2007).

Every network is learned by the same command with the same options, so that `--time-limit` and `--iterations` hold for
each of them. Of equal sizes the smaller one is kept. The rows of the file and those of the parts may have states that
the data lack; for their probabilities, not for the score, these are states of the network too.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..errors import DataError, UsageError
from ..run.result import INTERRUPTED
from .command import before_leaving, stop_flag
from .compatibility import refuse_idle
from .load import kind_of
from .options import InputOptions, LearningOptions, OutputOptions
from .paths import InputPath

if TYPE_CHECKING:
    from ..data.dataset import Dataset
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph

LOG = logging.getLogger("cliquewise")
CV, EVIDENCE = "cv", "evidence"
FOLDS, SEED = 5, 1


@dataclass(frozen=True)
class Captured(OutputOptions):
    """An output that is kept in memory.

    Attributes
    ----------
    networks : list of (Graph or Dag, dict of str to str)
        What was written, with its header.
    """

    networks: list = field(default_factory=list)

    def write(self, graph: Dag | Graph, header: dict[str, str]) -> None:
        """Keep a network."""
        self.networks.append((graph, header))


@dataclass(frozen=True)
class Tried:
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
        """For the table."""
        told = "" if self.error is None else f" (standard error {self.error:.6f})"
        return f"ess {self.ess:.15g}: {self.value:.6f}{told}"


@dataclass(frozen=True)
class SizeChoice:
    """The command of a learner, to be run with several sizes.

    Attributes
    ----------
    learn : callable
        The command's function.
    values : dict of str to Any
        Its parameters.
    """

    learn: Callable
    values: dict[str, Any]

    def result(self, how: str) -> int:
        """Learn, choose and write; returns the exit code."""
        source, output = self.values["source"], self.values["output"]
        rows = InputOptions.load(source, True)
        output.check_names(rows)
        refuse_idle(source=kind_of(rows))
        networks = FOLDS * len(self._sizes) + 1 if how == CV else len(self._sizes)
        LOG.info("--choose %s: %d networks are learned, each as follows", how, networks)
        if self.values["resources"].dry_run:  # the same for all sizes
            resources = replace(self.values["resources"], networks=networks)
            return self.learn(**{**self.values, "scoring": self._scoring(self._sizes[0]), "resources": resources})
        source = replace(source, data=rows)
        tried: list[Tried] = []

        def write_best() -> None:
            """After a signal between two runs, or before the clock of one."""
            if tried:
                self._write(tried, how, 130)
                sys.stdout.flush()

        code = 130
        try:
            with before_leaving(write_best), stop_flag(has_begun=lambda: False):
                if how == CV:
                    code, tried = self._by_parts(source)
                else:
                    code = self._on_all(source, how, tried)
        except KeyboardInterrupt:
            if not tried:
                raise
        self._write(tried, how, code)
        return code

    def _write(self, tried: Sequence[Tried], how: str, code: int) -> None:
        """Write the best network; an exit code of 130 says that not all were tried, or the last one not to its end."""
        best = max(tried, key=lambda one: one.value)
        LOG.info("chosen by %s: %s", _named(how), best)
        assert best.graph is not None and best.header is not None
        lines = {"chosen-by": _named(how), "tried": "; ".join(map(str, tried))}
        status = {"status": INTERRUPTED} if code else {}
        self.values["output"].write(best.graph, {**best.header, **status, **lines})

    @property
    def _sizes(self) -> tuple[float, ...]:
        return self.values["scoring"].ess

    def _scoring(self, ess: float) -> Any:
        """The score with one size."""
        return replace(self.values["scoring"], ess=ess)

    def _run(self, source: LearningOptions, ess: float) -> tuple[int, tuple[Dag | Graph, dict[str, str]]]:
        """Exit code, network and header of the command with one size."""
        output = self.values["output"]
        kept = Captured(output.fmt, output.use_names, None, output.provenance)
        code = self.learn(**{**self.values, "source": source, "scoring": self._scoring(ess), "output": kept})
        return code, kept.networks[0]

    def _on_all(self, source: LearningOptions, how: str, tried: list[Tried]) -> int:
        """Try a network of all rows for each size, until one is interrupted; that one counts, too.

        Returns
        -------
        int
            Exit code.
        """
        judge = None if how == EVIDENCE else _Rows(source, how)
        for ess in self._sizes:
            with few_messages():
                code, (graph, header) = self._run(source, ess)
            value, error = (float(header["score"]), None) if judge is None else judge.judged(graph, ess)
            tried.append(Tried(ess, value, error, graph, header))
            LOG.info("%s", tried[-1])
            if code:
                return code
        return 0

    def _by_parts(self, source: LearningOptions) -> tuple[int, list[Tried]]:
        """The sizes by cross-validation, the best with a network of all rows; and the exit code."""
        from ..models.held_out import folds, mean_and_error

        rows: Any = source.load()
        if rows.n_rows < FOLDS:
            raise DataError(f"{rows.n_rows} rows; --choose cv needs at least {FOLDS}", str(rows.source))
        logs: dict[float, list[np.ndarray]] = {ess: [] for ess in self._sizes}
        for learned, test in folds(rows, FOLDS, SEED):
            part = replace(source, data=learned, resample=None)
            for ess, found in logs.items():
                with few_messages():
                    code, (graph, _) = self._run(part, ess)
                if code:
                    raise KeyboardInterrupt  # there is no network of all rows yet
                found.append(np.repeat(_logs(graph, learned, test.codes, ess), test.counts))  # type: ignore[arg-type]  # merged
        tried = [Tried(ess, *mean_and_error(np.concatenate(found))) for ess, found in logs.items()]
        for one in tried:
            LOG.info("%s", one)
        best = tried.index(max(tried, key=lambda one: one.value))
        code, (graph, header) = self._run(source, tried[best].ess)
        tried[best] = replace(tried[best], graph=graph, header=header)
        return code, tried


class _Rows:
    """The rows that judge networks of the data."""

    def __init__(self, source: LearningOptions, path: str) -> None:
        from ..models.model_data import coded_beside

        data: Any = source.load()
        test = replace(source, data=path, resample=None).load_data()
        (self.data, self.codes), self.counts = coded_beside(data, test), test.counts

    def judged(self, graph: Dag | Graph, ess: float) -> tuple[float, float]:
        """The mean log probability of a row, and its standard error."""
        from ..models.held_out import mean_and_error

        logs = _logs(graph, self.data, self.codes, ess)
        return mean_and_error(logs, self.counts)


def _logs(graph: Any, data: Dataset, codes: np.ndarray, ess: float) -> np.ndarray:
    """Log probabilities of rows under a network fitted to data, float64[rows]."""
    from ..models.held_out import held_out_logs
    from ..models.model_fit import fit, parents_of_chordal

    parents = graph.parents() if graph.directed else parents_of_chordal(graph)
    return held_out_logs(fit(data, parents, ess), codes)


def _named(how: str) -> str:
    """The name of a choice."""
    return how if how in (CV, EVIDENCE) else "validation"


@contextlib.contextmanager
def few_messages() -> Iterator[None]:
    """Warnings and errors only, of this thread, unless -v asks for more."""
    thread = threading.get_ident()

    def is_kept(record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or record.thread != thread or LOG.getEffectiveLevel() <= logging.DEBUG

    LOG.addFilter(is_kept)
    try:
        yield
    finally:
        LOG.removeFilter(is_kept)


def choosing(learn: Callable) -> Callable:
    """A decorator, the innermost of a learner's command, that adds `--choose`: which of several `--ess` is kept."""

    @functools.wraps(learn)
    def command(choose: str | None, **values: Any) -> int:
        several = isinstance(values["scoring"].ess, tuple)
        if several and choose is None:
            raise UsageError("--ess: several numbers; say with --choose cv, evidence or FILE how one is chosen")
        if not several and choose is not None:
            raise UsageError("--choose has no effect with one --ess; leave it out, or give several, 0.1,1,10,100")
        return SizeChoice(learn, values).result(choose) if choose is not None else learn(**values)

    return click.option(
        "--choose",
        type=InputPath(words=(CV, EVIDENCE)),
        metavar="[cv|evidence|FILE]",
        help=f"How one of several --ess is chosen: by cross-validation in {FOLDS} parts, by the score, or by the "
        "probability of the rows in this file.",
    )(command)
