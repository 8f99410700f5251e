"""A run of lsmarkov from its options to certified networks: `prepare`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..common.errors import CliquewiseError
from ..common.files.atomic_write import is_stdout
from ..common.graphs.graph import Graph
from ..common.learning.host import Host
from ..common.learning.options import LimitOptions, filled
from ..common.learning.priors import scoring_of_options
from ..common.learning.resources import Estimate
from ..common.learning.summary import length_of, log_summary, sets_text
from ..common.learning.task import Certified, LearnerPlan, Task
from ..common.models.any_graph import read_graph_of
from ..common.run.monitor import Limits, Monitor
from ..common.run.result import INTERRUPTED, OPTIMAL, LearnResult
from ..common.scores.allowed import allowed_graph
from .config import Config, Options, ReportOptions
from .exact import is_small
from .learn import learn
from .size import needs_of
from .trace import SearchTrace, Updates

if TYPE_CHECKING:
    from ..common.learning.load import Source

LOG = logging.getLogger("cliquewise")


def prepare(options: Options, host: Host) -> LearnerPlan:
    """Read the data, and log the plan of the run.

    Raises
    ------
    UsageError, DataError, LimitError
        Options or data that are refused.
    """
    limits, reports, resources = options.limits, options.reports, options.resources
    checkpoint = options.checkpoints.checkpoint
    runs = options.sweep.runs(options.output.path, reports.trace, checkpoint, options.em.completed)
    if options.config.as_published or reports.updates:
        options = replace(options, output=options.output.as_published())
    task = Task.of("lsmarkov", options, host)
    data = task.load(runs[0])
    score, known = scoring_of_options(options.scoring, data, options.edges.read(data))
    init = None if options.init is None else read_graph_of(options.init, data).graph
    config = replace(options.config, max_clique=options.max_clique, init=init, init_path=options.init or "-", **known)
    needs = needs_of(data, config, resources.cores)
    config = resources.fitted(config, needs)
    log_summary(data, *_plan(data, config, limits, reports.bound), needs, config.cache_mb, len(runs))

    def results() -> Iterator[Certified]:
        if reports.bound is not None:
            from ..common.bounds.problem import check_size

            check_size(data, config.max_clique, resources.bytes)
        for run in runs:
            one, rows = replace(task, scoring=score).for_run(run, data)
            own = replace(reports, trace=filled(reports.trace, run.value))
            for result in _one(one, rows, replace(config, seed=run.seed), limits.of_search, own):
                yield result
                if result.is_interrupted:
                    return

    return LearnerPlan(lambda: Estimate(data, needs, config.cache_mb, limits.of_search, len(runs)), results)


def _one(task: Task, data: Source, config: Config, limits: Limits, reports: ReportOptions) -> Iterator[Certified]:
    """Search, and certify one network; the run lasts until that is written."""
    path = task.output.path
    echo = task.host.echo if is_stdout(path) else Updates(task.host.echo)
    trace = SearchTrace(reports.trace, echo if reports.updates else None)
    checkpoint = task.checkpoint(data, task.scoring, config)
    with task.running(limits, trace, checkpoint, to_compile=(learn, data, task.scoring, config)) as monitor:
        small = is_small(data, config, min(config.max_clique or data.n, data.max_size))  # proved by the search
        if reports.bound is not None and not small:
            from ..common.bounds.bound import warm_up

            warm_up(data, monitor, config.max_clique, config.required)
        result, details = learn(data, task.scoring, config, monitor), {"seed": str(config.seed)}
        if result.status != OPTIMAL:
            idle = monitor.clock.seconds - monitor.improved
            LOG.info("last improvement after %.1f s, none in the following %.1f s", monitor.improved, idle)
        if reports.bound is not None:
            result = _bounded(result, monitor, reports.bound, partial(_bound, task, data, config))
            details |= result.proved()
        trace.end(monitor.clock.seconds, result)
        claims = task.claims(data, result, max_clique=config.max_clique)
        found = task.finish(data, result, claims, details, config)
        if reports.updates and path is None:  # standard output already has the solution
            found = replace(found, write=lambda *_: None)
        yield found


def _bound(task: Task, data: Source, config: Config, known: Graph, monitor: Monitor) -> LearnResult:
    """The LearnResult of a bound, given a known network."""
    from ..common.bounds.bound import bound

    allowed, memory = allowed_graph(config.allowed, config.forbidden, data.n), task.resources.bytes
    return bound(data, task.scoring, monitor, config.max_clique, known, memory, allowed, config.required)


def _bounded(result: LearnResult, monitor: Monitor, seconds: float, bounded: Callable) -> LearnResult:
    """The LearnResult with an upper bound, and with a better network if one was found."""
    from ..common.bounds.incumbent import ROUNDING

    if monitor.status == INTERRUPTED or result.status == OPTIMAL:
        return result
    try:
        with monitor.continued(seconds) as part:
            found = bounded(result.graph, part)
    except CliquewiseError as error:
        LOG.warning("no bound: %s", error)
        return result
    if found.score > result.score + ROUNDING * abs(result.score):
        result = replace(result, graph=found.graph, score=found.score)
    status = OPTIMAL if found.status == OPTIMAL else monitor.status or result.status
    return replace(result, upper_bound=found.upper_bound, status=status)


def _plan(data: Source, config: Config, limits: LimitOptions, bound: float | None) -> tuple[str, str]:
    """The plan of the run and its limits, in words."""
    largest = min(config.max_clique or data.n, data.max_size)
    if is_small(data, config, largest):
        return f"dynamic program over {sets_text(data.n, largest)}", length_of(limits.given)
    work = "search as published (--preset ecai2020)" if config.as_published else "search"
    changed_by = "" if limits.is_given else "--time-limit, --iterations or --target-score"
    after = "" if bound is None else f", then an upper bound for {bound:g} s"
    return work, length_of(limits.of_search, changed_by=changed_by) + after
