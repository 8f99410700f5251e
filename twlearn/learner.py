"""A run of twlearn from its options to certified networks: `prepare`."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ..common.data.dataset import Dataset
from ..common.files.atomic_write import write_whole
from ..common.files.endings import format_of_name
from ..common.files.graphfile import write_graph
from ..common.files.network_list import CLASSES
from ..common.files.parentsets import ParentSets
from ..common.files.result_header import COMPELLED, OF_ARCS, OF_DIRECTIONS
from ..common.graphs.knowledge import check_bounds, class_of, knowledge_of
from ..common.graphs.pdag import Pdag
from ..common.graphs.statements import Statements
from ..common.learning.host import Host
from ..common.learning.network_lists import listed_text, listing
from ..common.learning.options import filled
from ..common.learning.priors import scoring_of_options
from ..common.learning.resources import Estimate
from ..common.learning.summary import length_of, log_summary
from ..common.learning.task import Certified, LearnerPlan, Task
from ..common.models.any_graph import read_graph_of
from ..common.run.limits import Limits
from .ahead import compile_ahead
from .config import CPDAG_FORMATS, EXACT, Config, Options
from .learn import learn, method_for
from .size import needs_of
from .template import template_of
from .trace import ScoreTrace

if TYPE_CHECKING:
    from ..common.files.result_header import Claims
    from ..common.graphs.dag import Dag
    from ..common.run.result import LearnResult

LOG = logging.getLogger("cliquewise")


def prepare(options: Options, host: Host) -> LearnerPlan:
    """Read the data, and log the plan of the run.

    Raises
    ------
    UsageError, DataError, LimitError
        Options or data that are refused.
    """
    limits, resources, checkpoints = options.limits, options.resources, options.checkpoints
    files = options.trace, checkpoints.checkpoint, options.em.completed, options.cpdag, options.networks
    runs = options.sweep.runs(options.output.path, *files)
    task = Task.of("twlearn", options, host, parent_sets=True)
    given = task.load()
    score, edges = scoring_of_options(options.scoring, given, options.edges.read(given))
    stated = options.arcs.read(given, edges)
    known = knowledge_of(stated, given.n, getattr(given, "names", None))
    if known is not None:
        check_bounds(known, options.config.treewidth, options.config.max_parents)
    config = options.config if options.networks is None else listing(options.config)
    config = replace(config, memory=resources.bytes, known=known)
    if options.template is not None:
        network = read_graph_of(options.template, given)
        config = replace(config, template=template_of(network, config.treewidth, f"--template {options.template}"))
    data = task.completed(given, runs[0])
    method = method_for(data, config, limits.iterations is not None)
    config = replace(config, method=method).with_max_parents()  # only once: it depends on the free memory
    if options.networks is not None:
        from .listing import check_listing  # SCIP is loaded only for lists

        check_listing(data, config)
    until, changed_by = _limits(config, limits)
    needs = needs_of(data, config, resources.cores)
    config = resources.fitted(config, needs)
    length = length_of(until, "until it is done", changed_by)
    log_summary(data, f"method {config.method}", length, needs, config.cache_mb, len(runs))
    chosen: dict[str, str | None] = {"method": config.method}  # auto depends on the free memory
    if until.iterations is None:
        chosen["iterations"] = None

    def results() -> Iterator[Certified]:
        for run in runs:
            one, rows = replace(task, scoring=score, chosen=chosen).for_run(run, data)
            own = replace(config, seed=run.seed)
            trace, checkpoint = ScoreTrace(filled(options.trace, run.value)), one.checkpoint(rows, score, own)
            with one.running(until, trace, checkpoint, to_compile=(compile_ahead, rows, score, own)) as monitor:
                result = learn(rows, score, own, monitor)
                claims = _claims(one, rows, result, own)
                equivalent = class_of(cast("Dag", result.graph), own.known)
                found = one.finish(rows, result, claims, _details(own, equivalent), stated)
                if options.networks is not None:
                    text = _listed(one, rows, result, found.header, own, claims, stated)
                yield found
                if options.networks is not None:
                    write_whole(filled(options.networks, run.value), text)
                if options.cpdag is not None:  # after the result, which may not have been written
                    _write_class(filled(options.cpdag, run.value) or "", equivalent, found.header)
            if found.is_interrupted:
                return

    return LearnerPlan(
        lambda: Estimate(data, needs, config.cache_mb, until, len(runs), {"method": config.method}), results
    )


def _claims(task: Task, data: Dataset | ParentSets, result: LearnResult, config: Config) -> Claims:
    """The claims about a network: its order and bounds."""
    return task.claims(
        data,
        result,
        treewidth=config.treewidth,
        elimination_order=result.order,
        max_parents=config.max_parents,
        upper_bound=result.upper_bound if math.isfinite(result.upper_bound) else None,
    )


def _details(config: Config, equivalent: Pdag) -> dict[str, str]:
    """Further header lines of a network in a class of equivalent ones."""
    independent = {"climb": "no"} if config.independent else {}
    seed = {"method": config.method, "seed": str(config.seed)}
    return {**seed, **independent, COMPELLED: str(len(equivalent.arcs))}


def _listed(
    task: Task,
    data: Dataset | ParentSets,
    result: LearnResult,
    header: dict[str, str],
    config: Config,
    claims: Claims,
    stated: Statements,
) -> list[str]:
    """The text of the best networks, which are certified."""
    from .listing import is_by_class

    more = {CLASSES: "yes"} if is_by_class(data) else {}
    return listed_text(task, data, result, header, config, claims, stated, more)


def _write_class(path: str, found: Pdag, header: dict[str, str]) -> None:
    """Write a CPDAG, with those lines of a network's header that apply to it, too."""
    kept = {key: value for key, value in header.items() if key not in OF_ARCS or key in OF_DIRECTIONS}
    write_graph(path, found, format_of_name(path, CPDAG_FORMATS, CPDAG_FORMATS[0]), kept)


def _limits(config: Config, limits: Limits) -> tuple[Limits, str]:
    """When to stop, Limits; and the options that change a default limit."""
    if config.method in EXACT and limits.iterations is not None:
        LOG.info("method %s, chosen for this size, counts no iterations", config.method)
        limits = replace(limits, iterations=None)
    if limits.is_given or config.method == "kp":
        return limits, ""
    if config.method in EXACT:
        return limits.of_sampling, "--time-limit"
    return limits.of_search, "--time-limit or --iterations"
