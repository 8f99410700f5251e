"""A run of lsmarkov from its options to certified networks: `prepare`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ..common.errors import CliquewiseError
from ..common.files.atomic_write import is_stdout
from ..common.learning.host import Host
from ..common.learning.options import filled
from ..common.learning.priors import scoring_of_options
from ..common.learning.resources import Estimate
from ..common.learning.summary import length_of, log_summary, sets_text
from ..common.learning.task import Certified, LearnerPlan, Task
from ..common.models.any_graph import read_graph_of
from ..common.run.limits import Limits
from ..common.run.result import INTERRUPTED, OPTIMAL, LearnResult
from ..common.scores.allowed import allowed_graph
from .config import Config, Options, ReportOptions
from .exact import is_small
from .learn import learn
from .size import needs_of
from .trace import SearchTrace, Updates

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph
    from ..common.learning.load import Source
    from ..common.run.monitor import Monitor
    from ..common.scores.scoring import Scoring

LOG = logging.getLogger("cliquewise")


def prepare(options: Options, host: Host) -> LearnerPlan:
    """Read the data, and log the plan of the run.

    Raises
    ------
    UsageError, DataError, LimitError
        Options or data that are refused.
    """
    limits, reports, resources = options.limits, options.reports, options.resources
    files = options.output.path, reports.trace, options.checkpoints.checkpoint, options.em.completed
    runs = options.sweep.runs(*files)
    if options.config.as_published or reports.updates:
        options = replace(options, output=options.output.as_published())
    task = Task.of("lsmarkov", options, host)
    given = task.load()
    score, known = scoring_of_options(options.scoring, given, options.edges.read(given))
    init = None if options.init is None else read_graph_of(options.init, given).graph
    data = task.completed(given, runs[0])
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
            own = replace(config, seed=run.seed)
            trace, checkpoint = _trace(one, reports), one.checkpoint(rows, score, own)
            with one.running(limits.of_search, trace, checkpoint, to_compile=(learn, rows, score, own)) as monitor:
                details = {"seed": str(run.seed)}
                if reports.bound is None:
                    result = _found(rows, score, own, monitor)
                else:
                    result = _found_and_bounded(rows, score, own, monitor, reports.bound, resources.bytes)
                    details |= result.proved()
                trace.end(monitor.clock.seconds, result)
                claims = one.claims(rows, result, max_clique=config.max_clique)
                found = one.finish(rows, result, claims, details, own)
                if reports.updates and one.output.path is None:  # standard output already has the solution
                    found = replace(found, write=lambda *_: None)
                yield found
            if found.is_interrupted:
                return

    return LearnerPlan(lambda: Estimate(data, needs, config.cache_mb, limits.of_search, len(runs)), results)


def _trace(task: Task, reports: ReportOptions) -> SearchTrace:
    """The trace of one run of several, and the lines that are printed during it."""
    echo = task.host.echo if is_stdout(task.output.path) else Updates(task.host.echo)
    return SearchTrace(filled(reports.trace, task.value), echo if reports.updates else None)


def _found(data: Source, scoring: Scoring, config: Config, monitor: Monitor) -> LearnResult:
    """The network of a search; when it improved last is logged."""
    result = learn(data, scoring, config, monitor)
    if result.status != OPTIMAL:
        idle = monitor.clock.seconds - monitor.improved
        LOG.info("last improvement after %.1f s, none in the following %.1f s", monitor.improved, idle)
    return result


def _found_and_bounded(
    data: Source, scoring: Scoring, config: Config, monitor: Monitor, seconds: float, memory: float | None
) -> LearnResult:
    """The network of a search with an upper bound, computed after it; a better network, if that finds one."""
    from ..common.bounds.bound import bound, warm_up
    from ..common.bounds.incumbent import ROUNDING

    if not is_small(data, config, min(config.max_clique or data.n, data.max_size)):  # else the search proves it
        warm_up(data, monitor, config.max_clique, config.required)
    result = _found(data, scoring, config, monitor)
    if monitor.status == INTERRUPTED or result.status == OPTIMAL:
        return result
    known, allowed = cast("Graph", result.graph), allowed_graph(config.allowed, config.forbidden, data.n)
    try:
        with monitor.continued(seconds) as part:
            found = bound(data, scoring, part, config.max_clique, known, memory, allowed, config.required)
    except CliquewiseError as error:
        LOG.warning("no bound: %s", error)
        return result
    if found.score > result.score + ROUNDING * abs(result.score):
        result = replace(result, graph=found.graph, score=found.score)
    status = OPTIMAL if found.status == OPTIMAL else monitor.status or result.status
    return replace(result, upper_bound=found.upper_bound, status=status)


def _plan(data: Source, config: Config, limits: Limits, bound: float | None) -> tuple[str, str]:
    """The plan of the run and its limits, in words."""
    largest = min(config.max_clique or data.n, data.max_size)
    if is_small(data, config, largest):
        return f"dynamic program over {sets_text(data.n, largest)}", length_of(limits)
    work = "search as published (--preset ecai2020)" if config.as_published else "search"
    changed_by = "" if limits.is_given else "--time-limit, --iterations or --target-score"
    after = "" if bound is None else f", then an upper bound for {bound:g} s"
    return work, length_of(limits.of_search, changed_by=changed_by) + after
