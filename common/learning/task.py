"""The steps of every learner before and after learning: read the input; certify the result."""

from __future__ import annotations

import contextlib
import itertools
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..counted import counted
from ..data.completed import CompletedData
from ..data.incomplete import IncompleteData
from ..errors import CliquewiseError
from ..files.endings import filled
from ..run.monitor import Monitor
from ..run.result import INTERRUPTED, gap_text
from ..scores.scoring import Scoring, claims_of
from ..version import version
from .conclusion import (
    Stopwatch,
    certainty_line,
    info_is_shown,
    links_line,
    next_line,
    next_line_of_probabilities,
    probable_line,
    proof_line,
)
from .host import Host
from .load import kind_of
from .options import ONE_RUN, CheckpointOptions, OutputOptions, SweepRun
from .resources import Estimate, ResourceOptions
from .sources import LearningOptions

if TYPE_CHECKING:
    from ..certify.outcome import Certificate
    from ..files.result_header import Claims
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from ..run.checkpoint import Checkpoint
    from ..run.limits import Limits
    from ..run.result import LearnResult, Posterior
    from .incomplete import EmOptions
    from .learner_options import LearnerOptions
    from .load import AnySource
    from .trace import TraceFile

LOG = logging.getLogger("cliquewise")


@dataclass(frozen=True)
class Certified:
    """A certified result of a learner.

    Attributes
    ----------
    graph, header
        The network, and the lines of its file.
    output
        Where it is to be written.
    write : callable taking (graph, header), optional
        Writes it in another form.
    """

    graph: Any
    header: dict[str, str]
    output: OutputOptions
    write: Callable | None = None

    @property
    def is_interrupted(self) -> bool:
        """Whether the user ended the search."""
        return self.header["status"] == INTERRUPTED

    def save(self) -> int:
        """Write it; returns the exit code."""
        (self.write or self.output.write)(self.graph, self.header)
        return 130 if self.is_interrupted else 0


@dataclass(frozen=True)
class LearnerPlan:
    """A prepared run of a learner; its data are read, and its options are checked.

    Attributes
    ----------
    estimate : callable
        The resources of a run.
    results : callable
        Yields the results, one after the other; it ends after one that was interrupted.
    so_far : callable
        The result so far between two results; None if there is none.
    """

    estimate: Callable[[], Estimate]
    results: Callable[[], Iterator[Certified]]
    so_far: Callable[[], Certified | None] = lambda: None


@dataclass(frozen=True)
class Task:
    """One run of a learner, described by the options that all learners share.

    Attributes
    ----------
    resources, checkpoints
        The resources that it may use, and its checkpoint.
    scoring
        Known once the data are read, with their prior on edges.
    em, seconds
        How data with missing cells are completed, and the time limit; None: they are not.
    parent_sets
        Whether a file of parent-set scores is accepted as data.
    value
        Of the sweep, for one of several runs.
    chosen
        Options that the program chose, for the command in the header: as for `Host.command_line`.
    host
        Who runs it.
    watch
        Measures the time of its phases.
    """

    program: str
    source: LearningOptions
    output: OutputOptions
    resources: ResourceOptions = ResourceOptions()
    checkpoints: CheckpointOptions = CheckpointOptions()
    scoring: Scoring = Scoring()
    em: EmOptions | None = None
    seconds: float | None = None
    parent_sets: bool = False
    value: float | None = None
    chosen: Mapping[str, str | None] | None = None
    host: Host = Host()
    watch: Stopwatch = field(default_factory=Stopwatch, compare=False)

    @classmethod
    def of(cls, program: str, options: LearnerOptions, host: Host, **more: Any) -> Task:
        """The task of a learner with its options; its scoring is not known yet."""
        shared = options.source, options.output, options.resources, options.checkpoints
        return cls(program, *shared, em=options.em, seconds=options.limits.time_limit, host=host, **more)

    def for_run(self, run: SweepRun, data: Any) -> tuple[Task, Any]:
        """The task of one run of several, and its data: a bootstrap sample, or rows completed with its seed."""
        task = self.named(run.value)
        if run.resample is None:
            return task, task._completed(data, run.seed) if isinstance(data, CompletedData) else data
        source = replace(self.source, resample=run.resample)
        task = replace(task, source=source)
        if isinstance(data, CompletedData):
            assert task.em is not None
            sample: Any = source.sampled(data.incomplete)
            return task, task.em.complete(sample, run.seed, self.seconds, task.checkpoints)
        return task, source.sampled(data)

    def _completed(self, data: CompletedData, seed: int) -> CompletedData:
        """The rows of this run: those given, if they are drawn by its seed, and as its checkpoint says."""
        assert self.em is not None
        plan, is_kept = self.em.plan(data.incomplete, seed, self.checkpoints)
        if data.seed == seed and (not is_kept or (data.rounds, data.steps) == (plan.rounds, plan.steps)):
            return data
        return self.em.complete(data.incomplete, seed, self.seconds, self.checkpoints)

    def named(self, value: float | None) -> Task:
        """The run for one of several values, which is part of the names of its files; None: there is only one."""
        output = replace(self.output, path=filled(self.output.path, value))
        em = None if self.em is None else self.em.named(value)
        return replace(self, output=output, checkpoints=self.checkpoints.named(value), em=em, value=value)

    def load(self) -> Any:
        """Validate the options, then load the data: a Dataset, CliqueScores, or ParentSets if they are accepted."""
        data = self.source.load(self.parent_sets)
        self.output.of(data)
        self.host.reject(source=kind_of(data))
        return data

    def completed(self, data: AnySource, first: SweepRun = ONE_RUN) -> Any:
        """The data, with missing cells drawn as for the first run.

        That can take long; read the files of edges and networks before it, so that an error in them is found at once.
        A header or names that cannot be written are refused now, not after the work.
        """
        if isinstance(data, IncompleteData) and self.em is not None:
            task = self.named(first.value)
            assert task.em is not None
            data = task.em.complete(data, first.seed, self.seconds, task.checkpoints)
        self.output.check_format(data, self.data_lines(data))
        self.watch.end_reading()
        return data

    def checkpoint(self, data: AnySource, *options: Any) -> Checkpoint | None:
        """The Checkpoint of a run, or None.

        Parameters
        ----------
        *options : dataclass
            The learner's other arguments: its Scoring and Config.

        Raises
        ------
        UsageError, DataError
            See `common.run.checkpoint.Checkpoint`.
        """
        checkpoints = self.checkpoints
        if checkpoints.checkpoint is None:
            return None
        from ..files.fingerprint import data_digest, options_of
        from ..run.checkpoint import Checkpoint
        from ..run.checkpoint_record import RunInputs

        given = data.incomplete if isinstance(data, CompletedData) else data
        named = options_of(*options)
        completion = None
        if isinstance(data, CompletedData):
            named["completions"] = str(data.completions)
            completion = data.rounds, data.steps
        inputs = RunInputs(self.program, version(), data_digest(given), named, completion)
        return Checkpoint(checkpoints.checkpoint, inputs, checkpoints.checkpoint_every, checkpoints.resume)

    @contextlib.contextmanager
    def running(
        self,
        limits: Limits | None = None,
        trace: TraceFile | None = None,
        checkpoint: Checkpoint | None = None,
        *,
        to_compile: tuple[Callable, AnySource, *tuple[Any, ...]] | None = None,
    ) -> Iterator[Monitor]:
        """The Monitor of a run, a context: it draws a progress line, writes the trace, and handles signals.

        A signal before the clock starts ends a command at once: kernels are compiled, nothing is known yet.
        It should stay open until the result is written; otherwise a signal after the search loses the result.

        Parameters
        ----------
        limits : Limits, optional
        trace
            For a resumed run, rows are appended to the existing ones.
        to_compile
            The learner that will run, its data and its options: a second process helps to compile its kernels.
        """
        from ..run.second_compiler import second_compiler
        from .compilation_run import compilation_run
        from .progress import ProgressLine

        if trace is not None and checkpoint is not None and checkpoint.saved is not None:
            trace.continues = True

        threads = self.resources.threads
        work = None if to_compile is None else compilation_run(*to_compile, limits=limits)
        with (
            checkpoint or contextlib.nullcontext(),
            ProgressLine(trace) as line,
            second_compiler(work, threads) as end_compiling,
            Monitor(limits, threads, line, checkpoint=checkpoint, on_start=end_compiling) as monitor,
            self.host.handling_signals(monitor.interrupt, lambda: monitor.clock.has_started, line.close),
        ):
            self.watch.begin(monitor.clock)
            yield monitor
            if trace is not None:
                trace.create()

    def claims(self, data: AnySource, result: LearnResult, **bounds: Any) -> Claims:
        """The claims about the network in the result file.

        Parameters
        ----------
        **bounds
            Further fields of Claims.
        """
        from ..files.result_header import Claims

        return Claims(result.score, **claims_of(self.scoring, kind_of(data) != "scores"), **bounds)

    def data_lines(self, data: AnySource) -> dict[str, str]:
        """Header lines about the data: settings of reading that are not the defaults, and those of --provenance."""
        lines, source = {}, self.source
        if kind_of(data) == "data":
            lines = source.header_lines()
            if source.states is not None:
                from ..data.declared import read_declared, states_digest
                from ..files.header_words import STATES
                from ..models.model_states import with_declared

                lines[STATES] = states_digest(read_declared(with_declared(source).states))
            if source.resample is not None:
                lines["resample"] = str(source.resample)
            if isinstance(data, CompletedData):
                lines |= data.lines()
            elif source.missing == "em" and not isinstance(data, IncompleteData):
                del lines["missing"]  # nothing was missing
        if self.output.provenance:
            from ..data.merging import as_content
            from ..files.fingerprint import data_digest
            from ..files.result_header import COMMAND, DATA

            command = self.host.command_line(self.value, self.chosen or {})
            lines |= {COMMAND: command} if command else {}
            lines[DATA] = data_digest(as_content(data))
        return lines

    def finish(
        self,
        data: AnySource,
        result: LearnResult,
        claims: Claims,
        details: dict[str, str] | None = None,
        constraints: Any = None,
    ) -> Certified:
        """Certify the result, and make the header with its claims.

        Parameters
        ----------
        details
            Further header lines, also logged.
        constraints : record with `allowed`, `forbidden` and `required`, optional
            Graphs or None: the edge constraints of the search.

        Raises
        ------
        CliquewiseError
            The result failed its check.
        """
        began = time.monotonic()
        found = self.certify(result.graph, data, claims, constraints)
        details = {**(details or {}), **_edge_lines(constraints)}
        if result.status != INTERRUPTED:  # it can take long
            details |= _of_observed(data, result.graph, claims)
        header = self._header(data, {**claims.header(), "status": result.status, **details})
        shown = {**details, "gap": gap_text(result.upper_bound, result.score)} if "gap" in details else details
        measures = "".join(f"; {key} {value}" for key, value in shown.items())
        ended = f"{result.status} after {counted(result.iterations, 'step')}{measures}"
        checked = time.monotonic() - began
        LOG.info("score %s, %s; %s", f"{result.score:z.6f}", _shape(result.graph, found, claims), ended)
        if self.value is None and info_is_shown():
            for line in self._conclusion(data, result, claims, self.watch.line(checked)):
                LOG.info("%s", line)
        return Certified(result.graph, header, self.output.of(data))

    def certify(self, graph: Dag | Graph, data: AnySource, claims: Claims, constraints: Any = None) -> Certificate:
        """The Certificate of a network; arguments and errors as for `finish`."""
        return _checked(graph, data, claims, constraints, "the result failed its check and is not written")

    def _conclusion(self, data: AnySource, result: LearnResult, claims: Claims, times: str) -> Iterator[str]:
        """The last lines: links, proof, time, and the next command; of an interrupted run what takes no time."""
        is_done = result.status != INTERRUPTED
        if kind_of(data) == "data" and is_done:
            yield links_line(result.graph, data, claims)
        stored_rows = getattr(data, "n_stored", 0)
        yield proof_line(result, claims, self.program in ("lsmarkov", "coarsen"), stored_rows)
        yield times
        if kind_of(data) != "data" or not is_done:
            return
        has_priors = bool(self.scoring.prior.digest)
        after = next_line(self.source, self.output.path, result.graph, has_priors)
        if after is not None:
            yield after

    def finish_posterior(self, data: AnySource, result: Posterior, constraints: Any, **bounds: Any) -> Certified:
        """Certify the sampled networks that a learner lists; the result is the probabilities.

        Parameters
        ----------
        constraints : record with `allowed`, perhaps `forbidden` and `required`
            Graphs or None: the edge constraints of every network.
        **bounds
            Fields of Claims that hold for every network.

        Raises
        ------
        CliquewiseError
            A network failed its check.
        """
        from ..files.result_header import Claims

        began = time.monotonic()
        of_data = claims_of(self.scoring, kind_of(data) != "scores")
        for (graph, score), rows in zip(result.witnesses, result.completed or itertools.repeat(data), strict=False):
            claims = Claims(score, **of_data, **bounds)
            _checked(graph, rows, claims, constraints, "a sampled network failed its check, nothing is written")
        details = {"status": result.status, **result.details, **_edge_lines(constraints)}
        measures = "; ".join(f"{key} {value}" for key, value in details.items())
        edges, steps = counted(len(result.graph.edges), "edge"), counted(result.iterations, "step")
        LOG.info("probabilities of %s after %s; %s", edges, steps, measures)
        if self.value is None and result.status != INTERRUPTED and info_is_shown():
            for line in (
                probable_line(result.graph),
                certainty_line(details),
                self.watch.line(time.monotonic() - began),
                next_line_of_probabilities(self.output.path),
            ):
                LOG.info("%s", line)
        header = self._header(data, {**Claims(**of_data, **bounds).header(), **details})
        return Certified(result.graph, header, self.output.of(data))

    def _header(self, data: AnySource, lines: dict[str, str]) -> dict[str, str]:
        """The header of a result: the program, these lines, and the treatment of missing cells."""
        header = {"program": self.program, "version": version(), **lines}
        return {**header, **self.data_lines(data)}


def _checked(graph: Dag | Graph, data: AnySource, claims: Claims, constraints: Any, refusal: str) -> Certificate:
    """The Certificate of a network; CliquewiseError with the reason if a claim is wrong."""
    from ..certify.certificate import certificate_of
    from .progress import ProgressLine

    with ProgressLine() as line:
        found = certificate_of(
            graph, data, claims, constraints=constraints, progress=partial(line.progress, text="checking the result")
        )
    if not found.ok:
        raise CliquewiseError(f"{refusal}: {(*found.problems, *found.undecided)[0]}")
    return found


def _of_observed(data: AnySource, graph: Dag | Graph, claims: Claims) -> dict[str, str]:
    """The header line of a network that was learned from completed rows."""
    if not isinstance(data, CompletedData):
        return {}
    from ..inference.completions import likelihood_of_observed

    return {"log-likelihood": f"{likelihood_of_observed(data, graph, claims.ess or 1.0):.6f}"}


def _edge_lines(constraints: Any) -> dict[str, str]:
    """Header lines for edge constraints, and for statements about arcs: the number of each kind."""
    from ..graphs.edge_constraints import edges_of
    from ..graphs.statements import Statements

    if isinstance(constraints, Statements):
        return {name: str(count) for name, count in constraints.counts().items()}
    kinds = zip(("allowed", "forbidden", "required"), edges_of(constraints), strict=True)
    return {f"{kind}-edges": str(len(graph.edges)) for kind, graph in kinds if graph is not None}


def _shape(graph: Any, found: Certificate, claims: Claims) -> str:
    """A short description of a network."""
    if claims.treewidth is not None:
        return f"{counted(len(graph.arcs), 'arc')}, treewidth at most {claims.treewidth}"
    if claims.by_blankets:
        return f"{counted(len(graph.edges), 'edge')}, largest blanket {max(map(len, graph.neighbours()))}"
    return f"{counted(len(graph.edges), 'edge')}, largest clique {found.largest_clique}"
