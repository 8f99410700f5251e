"""Command line of mplearn: parses, calls `mplearn.learn`, certifies, writes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.compatibility import ABSENT, ALWAYS, GIVEN, KEEPING, LEARNING, RESOURCES, goes_with
from ..common.cli.edges import known_edge_options
from ..common.cli.first_line import length_of, say_first
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import OF_EM, WITHOUT_EM
from ..common.cli.limit_options import limit_options
from ..common.cli.long_runs import SweepRun, check_names_differ, checkpoint_options
from ..common.cli.options import blanket_output_options, incomplete_input_options, standard_options, trace_option
from ..common.cli.paths import filled
from ..common.cli.resources import resource_options
from ..common.errors import UsageError
from .config import Config
from .options import blanket_options, combine_option, config_options, score_options

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..common.cli.edges import EdgeOptions
    from ..common.cli.incomplete import EmOptions
    from ..common.cli.limit_options import LimitOptions
    from ..common.cli.long_runs import CheckpointOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.task import Task
    from ..common.data.dataset import Dataset
    from ..common.files.result_header import Claims
    from ..common.run.monitor import Monitor
    from .blanket_scoring import BlanketScoring
    from .blanketfile import BlanketFile
    from .options import BlanketOptions, BlanketScoreOptions


NETWORK = {"blankets_only": ABSENT}  # of the second phase, and of its output
SEARCHED = {"kind": ("mpl", "pic", "cmi")}  # l1lr is not a search
GOES_WITH: dict = {
    **dict.fromkeys(LEARNING, ALWAYS),  # scores are refused
    **OF_EM,
    "kind": ALWAYS,
    ("kind", "cmi"): {"thresholds": GIVEN},
    ("kind", "l1lr"): {"weights": GIVEN, "given": ABSENT, **WITHOUT_EM},
    "ess": {"kind": ("mpl", "l1lr")},  # the graph of l1lr is scored by mpl
    "prior": {"kind": ("mpl",)},
    "penalty": {"kind": ("pic",)},
    "thresholds": {"kind": ("cmi",)},
    "weights": {"kind": ("l1lr",)},
    "combine": NETWORK,
    ("combine", "hc"): SEARCHED,
    ("combine", "pbo"): SEARCHED,
    "max_blanket": SEARCHED,
    "required_edges": ALWAYS,
    "forbidden_edges": ALWAYS,
    "pbo_limit": {**NETWORK, "combine": ("pbo",)},
    "pbo_seconds": {**NETWORK, "combine": ("pbo",)},
    "blankets_only": {"given": ABSENT},
    "variables": {"blankets_only": GIVEN},
    "shard": {"blankets_only": GIVEN},
    "given": ALWAYS,
    "time_limit": ALWAYS,
    "trace": ALWAYS,
    **KEEPING,
    "fmt": NETWORK,
    "use_names": NETWORK,
    "path": ALWAYS,
    "provenance": ALWAYS,
    **RESOURCES,
    "cache_mb": ALWAYS,
}


def _modes(options: dict[str, Any], _typed: Collection[str]) -> dict[str, Any]:
    """How the blankets are combined."""
    return {"combine": options["combine"] or _usual_way(options["kind"])}


def _usual_way(kind: str) -> str:
    """How blankets found by a score are combined unless told otherwise."""
    return "and" if kind in ("cmi", "l1lr") else "hc"


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH, _modes)
@incomplete_input_options
@score_options
@combine_option
@config_options
@blanket_options
@limit_options(result="what was found: the graph, or the finished blankets")
@trace_option(", one row per blanket and per step.")
@known_edge_options
@blanket_output_options
@checkpoint_options
@standard_options
@resource_options
def mplearn(
    source: LearningOptions,
    scoring: BlanketScoreOptions,
    output: OutputOptions,
    em: EmOptions,
    combine: str | None,
    config: Config,
    blankets: BlanketOptions,
    limits: LimitOptions,
    trace: str | None,
    edges: EdgeOptions,
    resources: ResourceOptions,
    keeping: CheckpointOptions,
) -> int:
    """Learn a Markov network from DATA, a CSV file; it need not be chordal.

    A - is standard input. First a Markov blanket is found for each variable, then the blankets are combined into one
    graph. The result is an edge list. When the time is up, or on Ctrl-C or SIGTERM (exit code 130), the best so far is
    written: the graph, or with --blankets-only the finished blankets. With --checkpoint another run can continue.
    """
    from ..common.cli.task import Task
    from ..common.cli.trace import RecordTrace
    from .run import Event
    from .size import needs_of

    values = scoring.values
    check_names_differ(values, "value", output.path, trace, keeping.checkpoint)
    if len(values) > 1 and blankets.given is not None:
        raise UsageError("--blankets are one set of blankets; give one value, not several")
    scores = [scoring.scoring(value) for value in values]
    task = Task("mplearn", source, output, resources, keeping, em=em, seconds=limits.time_limit)
    data = task.load()
    config = replace(config, combine=combine or _usual_way(scoring.kind), **edges.read(data))
    needs = needs_of(data, resources.cores, scoring.kind == "l1lr")
    config = resources.fitted(config, needs)
    until = limits.given
    say_first(data, _plan(scoring.kind, config, blankets), length_of(until), needs, config.cache_mb, len(values))
    if resources.dry_run:
        return resources.print_estimate(data, needs, config.cache_mb, until, len(values))
    known = None if blankets.given is None else _read_blankets(blankets.given, data, source, scores[0], config)
    if scoring.kind != "l1lr":  # a regression distributes their weight
        _report_duplicate_columns(data)
    config = replace(config, blankets=known and tuple(known.blankets))
    for value, score in zip(values, scores, strict=True):
        one, rows = task.run(SweepRun(1, None, value), data)
        own = replace(config, lasso=value if scoring.kind == "l1lr" else None)
        run = RecordTrace(filled(trace, value), Event), one.checkpoint(rows, score, own)
        with one.running(until, *run) as monitor:
            if blankets.blankets_only:
                code = _write_blankets(one, rows, score, own, blankets, monitor)
            else:
                code = _write_network(one, rows, score, own, known and known.header, monitor)
        if code:
            return code
    return 0


def _plan(kind: str, config: Config, blankets: BlanketOptions) -> str:
    """What will be done."""
    first = f"blankets by {kind}" if blankets.given is None else f"blankets from {blankets.given}"
    how = {"hc": "hill climbing", "pbo": "an integer program"}.get(config.combine, f"'{config.combine}'")
    return first if blankets.blankets_only else f"{first}, combined by {how}"


def _read_blankets(
    path: str, data: Dataset, source: LearningOptions, scoring: BlanketScoring, config: Config
) -> BlanketFile:
    """The blankets in a file; refused if they were found otherwise than these options say."""
    from .blanketfile import check_found_with, read_blankets

    known = read_blankets(path, data.n)
    sample = {} if source.resample is None else {"resample": str(source.resample)}
    check_found_with(known.header, {**_found_with(scoring, config), **sample}, path)
    return known


def _found_with(scoring: BlanketScoring, config: Config) -> dict[str, str]:
    """How blankets are found, as lines of their file."""
    if config.lasso is not None:
        return {"blankets": "l1lr", "lambda": f"{config.lasso:.15g}"}
    prior = scoring.prior if scoring.kind == "mpl" else None
    bound = "none" if config.max_blanket is None else str(config.max_blanket)
    return {**replace(_claims(scoring), prior=prior).header(), "max-blanket": bound}


def _report_duplicate_columns(data: Any) -> None:
    """Report columns that cannot be distinguished: the result depends on their order."""
    from ..common.data.dataset import Dataset
    from .duplicate_columns import duplicate_columns

    groups = duplicate_columns(data) if isinstance(data, Dataset) else []  # scores are refused by the learner
    if groups:
        shown = "; ".join(" = ".join(data.names[v] for v in group) for group in groups[:3])
        more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
        command.LOG.info("columns that no score can distinguish, of which the first is used: %s%s", shown, more)


def _write_network(
    task: Task,
    data: Dataset,
    scoring: BlanketScoring,
    config: Config,
    found_with: dict[str, str] | None,
    monitor: Monitor,
) -> int:
    """Learn, certify and write one network; returns the exit code. Known blankets have a header, `found_with`."""
    from ..common.run.result import OPTIMAL, OPTIMAL_OF_BLANKETS
    from .learn import learn

    result = learn(data, scoring, config, monitor)
    origin = _found_with(scoring, config) if found_with is None else found_with
    details: dict[str, str] = {key: origin[key] for key in origin if key in ("blankets", "lambda")}
    if result.upper_bound < float("inf") and result.status not in (OPTIMAL, OPTIMAL_OF_BLANKETS):
        details["bound-given-blankets"] = f"{result.upper_bound:.6f}"
        details["gap"] = f"{max(0.0, result.upper_bound - result.score):.6f}"
    claims = replace(_claims(scoring), score=result.score)
    return task.finish(data, result, claims, {**details, "combine": config.combine}, kept=config)


def _claims(scoring: BlanketScoring) -> Claims:
    """The claims of a network about its score, without the number."""
    from ..common.files.result_header import Claims

    return Claims(
        score_type=scoring.kind,
        ess=scoring.ess,
        prior=None if scoring.prior == "uniform" else scoring.prior,
        penalty=scoring.penalty if scoring.kind == "pic" else None,
        threshold=scoring.threshold if scoring.kind == "cmi" else None,
    )


def _write_blankets(
    task: Task, data: Dataset, scoring: BlanketScoring, config: Config, options: BlanketOptions, monitor: Monitor
) -> int:
    """Find and write blankets; returns the exit code."""
    from ..common.files.fingerprint import data_digest
    from ..common.files.parts import body_digest
    from ..common.run.result import COMPLETE, INTERRUPTED
    from ..common.version import version
    from .blanketfile import blanket_lines, write_blankets
    from .learn import blankets

    found = blankets(data, scoring, config, monitor, options.chosen(data))
    status = monitor.status or COMPLETE
    header = {"program": task.program, "version": version(), **_found_with(scoring, config), "status": status}
    header.update(task.data_lines(data))
    if options.shard is not None:
        header |= {"shard": str(options.shard), "data": data_digest(data)}
        if options.variables is not None:
            header["of"] = ",".join(map(str, options.variables))
        header["sha256"] = body_digest(blanket_lines(found))
    write_blankets(task.output.path, found, data.n, header)
    command.LOG.info("%d blankets, %d members in all", len(found), sum(len(one.members) for one in found))
    return 130 if status == INTERRUPTED else 0


def main() -> None:
    """The console script."""
    command.main(mplearn, "mplearn")
