"""A run of mplearn from its options to certified networks: `prepare`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..common.counted import counted
from ..common.data.dataset import Dataset
from ..common.errors import UsageError
from ..common.files.fingerprint import data_digest
from ..common.files.parts import body_digest
from ..common.files.result_header import Claims
from ..common.learning.conclusion import next_line_of_blankets
from ..common.learning.host import Host
from ..common.learning.options import SweepRun, check_names_differ, filled
from ..common.learning.resources import Estimate
from ..common.learning.summary import length_of, log_summary
from ..common.learning.task import Certified, LearnerPlan, Task
from ..common.learning.trace import RecordTrace
from ..common.run.monitor import Monitor
from ..common.run.result import COMPLETE, OPTIMAL, OPTIMAL_OF_BLANKETS
from ..common.version import version
from .blanket_scoring import BlanketScoring
from .blanketfile import (
    BlanketFile,
    blanket_lines,
    check_data,
    check_found_with,
    read_blankets,
    words_of_options,
    write_blankets,
)
from .config import SHOWN_BLANKETS, BlanketOptions, Config, Options, default_combination
from .duplicate_columns import duplicate_columns
from .learn import blankets, learn
from .run import Event
from .size import needs_of

LOG = logging.getLogger("cliquewise")


def prepare(options: Options, host: Host) -> LearnerPlan:
    """Read the data, and log the plan of the run.

    Raises
    ------
    UsageError, DataError, LimitError
        Options or data that are refused.
    """
    scoring, given, resources = options.scoring, options.blankets, options.resources
    values, limits = scoring.values, options.limits
    check_names_differ(values, "value", options.output.path, options.trace, options.checkpoints.checkpoint)
    if len(values) > 1 and given.given is not None:
        raise UsageError("--blankets: the file has the blankets of one setting; give one value, not several")
    scores = [scoring.scoring(value) for value in values]
    task = Task.of("mplearn", options, host)
    source = task.load()
    config = replace(
        options.config, combine=options.combine or default_combination(scoring.kind), **options.edges.read(source)
    )
    data = task.completed(source)
    needs = needs_of(data, resources.cores, scoring.kind == "l1lr")
    config = resources.fitted(config, needs)
    log_summary(data, _plan(scoring.kind, config, given), length_of(limits), needs, config.cache_mb, len(values))

    def results() -> Iterator[Certified]:
        known = None if given.given is None else _read_blankets(given.given, data, task, scores[0], config)
        if scoring.kind != "l1lr":  # a regression distributes their weight
            _report_duplicate_columns(data)
        for value, score in zip(values, scores, strict=True):
            one, rows = task.for_run(SweepRun(1, None, value), data)
            lasso = value if scoring.kind == "l1lr" else None
            own = replace(config, blankets=known and tuple(known.blankets), lasso=lasso)
            run = RecordTrace(filled(options.trace, value), Event), one.checkpoint(rows, score, own)
            with one.running(limits, *run, to_compile=(learn, rows, score, own)) as monitor:
                if given.blankets_only:
                    result = _blankets(one, rows, score, own, given, monitor)
                else:
                    result = _network(one, rows, score, own, known and known.header, monitor)
                yield result
            if result.is_interrupted:
                return

    return LearnerPlan(lambda: Estimate(data, needs, config.cache_mb, limits, len(values)), results)


def _plan(kind: str, config: Config, blankets: BlanketOptions) -> str:
    """The plan of the run, in words."""
    first = f"blankets by {kind}" if blankets.given is None else f"blankets from {blankets.given}"
    how = {"hc": "hill climbing", "pbo": "an integer program"}.get(config.combine, f"'{config.combine}'")
    return first if blankets.blankets_only else f"{first}, combined by {how}"


def _read_blankets(path: str, data: Dataset, task: Task, scoring: BlanketScoring, config: Config) -> BlanketFile:
    """The blankets in a file; refused if they are of other data, or were found with other options."""
    known, source = read_blankets(path, data.n), task.source
    check_data(known.header, data, task.data_lines(data), path)
    sample = {} if source.resample is None else {"resample": str(source.resample)}
    check_found_with(known.header, {**_found_with(scoring, config), **sample}, path)
    return known


def _found_with(scoring: BlanketScoring, config: Config) -> dict[str, str]:
    """The settings for finding blankets, as lines of their file."""
    if config.lasso is not None:
        return {"blankets": "l1lr", "lambda": f"{config.lasso:.15g}"}
    prior = scoring.prior if scoring.kind == "mpl" else None
    bound = "none" if config.max_blanket is None else str(config.max_blanket)
    return {**replace(_claims(scoring), prior=prior).header(), "max-blanket": bound}


def _report_duplicate_columns(data: Any) -> None:
    """Report columns that cannot be distinguished: the result depends on their order."""
    groups = duplicate_columns(data) if isinstance(data, Dataset) else []  # scores are refused by the learner
    if groups:
        shown = "; ".join(" = ".join(data.names[v] for v in group) for group in groups[:3])
        more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
        LOG.info("columns that no score can distinguish, of which the first is used: %s%s", shown, more)


def _network(
    task: Task,
    data: Dataset,
    scoring: BlanketScoring,
    config: Config,
    found_with: dict[str, str] | None,
    monitor: Monitor,
) -> Certified:
    """Learn and certify one network. Known blankets have a header, `found_with`."""
    result = learn(data, scoring, config, monitor)
    origin = _found_with(scoring, config) if found_with is None else found_with
    details: dict[str, str] = {key: origin[key] for key in origin if key in ("blankets", "lambda")}
    if result.upper_bound < float("inf") and result.status not in (OPTIMAL, OPTIMAL_OF_BLANKETS):
        details["bound-given-blankets"] = f"{result.upper_bound:.6f}"
        details["gap"] = f"{max(0.0, result.upper_bound - result.score):.6f}"
    claims = replace(_claims(scoring), score=result.score)
    return task.finish(data, result, claims, {**details, "combine": config.combine}, config)


def _claims(scoring: BlanketScoring) -> Claims:
    """The claims of a network about its score, without the number."""
    return Claims(
        score_type=scoring.kind,
        ess=scoring.ess,
        prior=None if scoring.prior == "uniform" else scoring.prior,
        penalty=scoring.penalty if scoring.kind == "pic" else None,
        threshold=scoring.threshold if scoring.kind == "cmi" else None,
    )


def _blankets(
    task: Task, data: Dataset, scoring: BlanketScoring, config: Config, given: BlanketOptions, monitor: Monitor
) -> Certified:
    """Find blankets."""
    chosen = given.chosen(data)
    found = blankets(data, scoring, config, monitor, chosen if given.shard is None else given.shard.block(chosen))
    status = monitor.status or COMPLETE
    header = {"program": task.program, "version": version(), **_found_with(scoring, config), "status": status}
    header.update(task.data_lines(data))
    if given.shard is not None:
        header |= {"shard": str(given.shard), "data": data_digest(data)}
        if given.variables is not None:
            header["of"] = ",".join(map(str, chosen))
        header["sha256"] = body_digest(blanket_lines(found))
    members = sum(len(one.members) for one in found)
    LOG.info("%s, %s in all", counted(len(found), "blanket"), counted(members, "member"))
    for one in found if len(found) <= SHOWN_BLANKETS else ():
        LOG.info("blanket of %s: %s", data.names[one.variable], ", ".join(data.names[v] for v in one.members) or "none")
    path = task.output.path
    options = words_of_options(header, _found_with(BlanketScoring(), Config()))
    next_line = next_line_of_blankets(task.source, path, options)
    if next_line is not None and len(found) == data.n and status == COMPLETE:
        LOG.info("%s", next_line)
    return Certified(found, header, task.output, lambda found, header: write_blankets(path, found, data, header))
