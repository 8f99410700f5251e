"""Command line of mplearn: parses, calls `mplearn.learn`, certifies, writes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.compatibility import ABSENT, ALWAYS, GIVEN, KEEPING, LEARNING, RESOURCES, goes_with
from ..common.cli.edges import known_edges_options, read_edges
from ..common.cli.first_line import say_first
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import OF_EM, WITHOUT_EM
from ..common.cli.long_runs import checkpoint_options, shard_option
from ..common.cli.options import (
    cache_option,
    edge_output_options,
    incomplete_input_options,
    standard_options,
    threads_option,
)
from ..common.cli.paths import filled
from ..common.cli.resources import resource_options
from ..common.errors import UsageError
from ..common.files.result_header import PENALTIES
from ..common.scores.scoring import Scoring
from .config import Config
from .options import phase_options, score_options

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..common.cli.incomplete import EmOptions
    from ..common.cli.long_runs import CheckpointOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.task import Source, Task
    from ..common.data.dataset import Dataset
    from ..common.files.result_header import Claims
    from ..common.run.monitor import Monitor
    from .blanketfile import BlanketFile
    from .local import BlanketScoring


NETWORK = {"blankets_only": ABSENT}  # of the second phase, and of its output
SEARCHED = {"kind": ("mpl", "pic", "cmi")}  # l1lr is not a search
GOES_WITH: dict = {
    **dict.fromkeys(LEARNING, ALWAYS),  # scores are refused
    **OF_EM,
    "kind": ALWAYS,
    ("kind", "l1lr"): {"given": ABSENT, **WITHOUT_EM},
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
    "pbo_time_limit": {**NETWORK, "combine": ("pbo",)},
    "blankets_only": {"given": ABSENT},
    "variables": {"blankets_only": GIVEN},
    "shard": {"blankets_only": GIVEN},
    "given": ALWAYS,
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
    return {"combine": _combine(options)}


def _combine(options: dict[str, Any]) -> str:
    return options["combine"] or ("and" if options["kind"] in ("cmi", "l1lr") else "hc")


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH, _modes)
@incomplete_input_options
@score_options
@phase_options
@known_edges_options
@edge_output_options
@checkpoint_options
@shard_option("the variables, for --blankets-only")
@standard_options
@threads_option
@cache_option
@resource_options
def mplearn(
    source: LearningOptions,
    output: OutputOptions,
    em: EmOptions,
    keeping: CheckpointOptions,
    resources: ResourceOptions,
    **options: Any,
) -> int:
    """Learn a Markov network from DATA, a CSV file; it need not be chordal.

    A - is standard input. First a Markov blanket is found for each variable, then the blankets are combined into one
    graph. The result is an edge list. On Ctrl-C or SIGTERM the best so far is written (exit code 130): the graph, or
    with --blankets-only the finished blankets. With --checkpoint another run can continue.
    """
    from ..common.cli.task import Task
    from ..common.run.resources import available_cores
    from .size import needs_of

    _refuse(options)
    sweep = options["thresholds"] or options["weights"] or (None,)
    _name_each(sweep, output.path, options["trace"], keeping.checkpoint)
    jobs = []
    for value in sweep:
        to = replace(output, path=filled(output.path, value))
        task = Task("mplearn", source, Scoring(options["kind"], options["ess"]), to, value=value)
        jobs.append((task, value, _scoring(options, value)))
    data: Any = task.load(em)
    needs = needs_of(data, options["threads"] or available_cores(), options["kind"] == "l1lr")
    options = {**options, "cache_mb": needs.cache_within(options["cache_mb"], resources.bytes)}
    say_first(data, _plan(options), "until it is done", needs, options["cache_mb"], len(sweep))
    if resources.dry_run:
        return resources.tell(data, needs, options["cache_mb"])
    known = _read_blankets(data, source, options, jobs[0][2])
    if options["kind"] != "l1lr":  # a regression distributes their weight
        _tell_of_twins(data)
    for job in jobs:
        code = _one(job, data, known, keeping, options)
        if code:
            return code
    return 0


def _plan(options: dict[str, Any]) -> str:
    """What will be done."""
    given = options["given"]
    blankets = f"blankets by {options['kind']}" if given is None else f"blankets from {given}"
    how = {"hc": "hill climbing", "pbo": "an integer program"}.get(_combine(options), f"'{_combine(options)}'")
    return blankets if options["blankets_only"] else f"{blankets}, combined by {how}"


def _refuse(options: dict[str, Any]) -> None:
    """Refuse a score without its number, and several numbers for one set of blankets."""
    for kind, key, name in (("cmi", "thresholds", "threshold"), ("l1lr", "weights", "lambda")):
        if options["kind"] == kind and options[key] is None:
            raise UsageError(f"--score {kind} needs --{name}")
    if len(options["thresholds"] or ()) > 1 and options["given"] is not None:
        raise UsageError("--blankets are one set of blankets; give one value, not several")


def _name_each(sweep: Sequence, *paths: str | None) -> None:
    """Refuse to write the results of several values to one file."""
    if len(sweep) > 1 and (paths[0] is None or any(path is not None and "{}" not in path for path in paths)):
        raise UsageError("several values make several networks; put {} for the value into the files' name: -o 'net-{}'")


def _read_blankets(
    data: Source, source: LearningOptions, options: dict[str, Any], scoring: BlanketScoring
) -> BlanketFile | None:
    """The BlanketFile of --blankets, or None."""
    if options["given"] is None:
        return None
    from .blanketfile import check_found_with, read_blankets

    known = read_blankets(options["given"], data.n)
    sample = {} if source.resample is None else {"resample": str(source.resample)}
    check_found_with(known.header, {**_found_with(options, scoring), **sample}, options["given"])
    return known


def _found_with(options: dict[str, Any], scoring: BlanketScoring, value: float | None = None) -> dict[str, str]:
    """How blankets are found, as lines of their file."""
    if options["kind"] == "l1lr":
        return {"blankets": "l1lr", "lambda": f"{value:.15g}"}
    prior = scoring.prior if scoring.kind == "mpl" else None
    bound = str(options["max_blanket"] or "none")
    return {**replace(_claims(scoring), prior=prior).header(), "max-blanket": bound}


def _tell_of_twins(data: Any) -> None:
    """Report columns that cannot be distinguished: the result depends on their order."""
    from ..common.data.dataset import Dataset
    from .twins import twins

    groups = twins(data) if isinstance(data, Dataset) else []  # scores are refused by the learner
    if groups:
        shown = "; ".join(" = ".join(data.names[v] for v in group) for group in groups[:3])
        more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
        command.LOG.info("columns that no score can distinguish, of which the first is used: %s%s", shown, more)


def _one(
    job: tuple[Task, Any, BlanketScoring],
    data: Dataset,
    known: BlanketFile | None,
    keeping: CheckpointOptions,
    options: dict[str, Any],
) -> int:
    """Learn, certify and write one network, or its blankets; returns the exit code."""
    from ..common.cli.trace import RecordTrace
    from ..common.run.result import OPTIMAL, OPTIMAL_OF_BLANKETS
    from .learn import blankets, learn
    from .run import Event

    task, value, scoring = job
    config = _config(data, options, value, known and tuple(known.blankets))
    found_with = _found_with(options, scoring, value)
    trace = RecordTrace(filled(options["trace"], value), Event)
    checkpoint = task.checkpoint(keeping.named(value), data, scoring, config)
    with task.running(None, options["threads"], trace, checkpoint) as monitor:
        if options["blankets_only"]:
            chosen = _chosen(options["variables"], data)
            chosen = chosen if options["shard"] is None else options["shard"].block(chosen)
            found = blankets(data, scoring, config, monitor, chosen)
            return _write_blankets(task, data, found, found_with, monitor, options)
        result = learn(data, scoring, config, monitor)
        origin = known.header if known else found_with
        details = {key: origin[key] for key in ("blankets", "lambda") if key in origin}
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


def _scoring(options: dict[str, Any], value: float | None) -> BlanketScoring:
    """The score to maximise: a BlanketScoring."""
    from .local import BlanketScoring
    from .priors import PRIORS

    prior = options["prior"] or "uniform"
    if prior not in PRIORS:
        raise UsageError(f"--prior {prior}: unknown prior; choose one of {', '.join(PRIORS)}")
    kind = options["kind"]
    penalty = options["penalty"] or PENALTIES[0]
    return BlanketScoring(
        "mpl" if kind == "l1lr" else kind, options["ess"], prior, penalty, (value or 0.0) if kind == "cmi" else 0.0
    )


def _config(data: Dataset, options: dict[str, Any], value: float | None, known: tuple | None) -> Config:
    """How to learn: Config."""
    edges: Any = read_edges(options, data)
    return Config(
        combine=_combine(options),
        lasso=value if options["kind"] == "l1lr" else None,
        max_blanket=options["max_blanket"],
        blankets=known,
        pbo_limit=options["pbo_limit"],
        pbo_seconds=options["pbo_time_limit"],
        cache_mb=options["cache_mb"],
        **edges,
    )


def _chosen(variables: Sequence[int] | None, data: Source) -> Sequence[int]:
    """The requested variables; all by default."""
    if variables is None:
        return range(data.n)
    if variables[-1] >= data.n:
        raise UsageError(f"--variables: there is no variable {variables[-1]}; the data have 0 to {data.n - 1}")
    return variables


def _write_blankets(
    task: Task, data: Dataset, found: list, made_by: dict[str, str], monitor: Monitor, options: dict[str, Any]
) -> int:
    """Write blankets; returns the exit code."""
    from ..common.files.fingerprint import data_digest
    from ..common.files.parts import body_digest
    from ..common.run.result import COMPLETE, INTERRUPTED
    from ..common.version import version
    from .blanketfile import blanket_lines, write_blankets

    interrupted = not monitor.may_go_on()
    status = INTERRUPTED if interrupted else COMPLETE
    header = {"program": task.program, "version": version(), **made_by, "status": status}
    header.update(task.data_lines(data))
    if options["shard"] is not None:
        header |= {"shard": str(options["shard"]), "data": data_digest(data)}
        if options["variables"] is not None:
            header["of"] = ",".join(map(str, options["variables"]))
        header["sha256"] = body_digest(blanket_lines(found))
    write_blankets(task.output.path, found, data.n, header)
    command.LOG.info("%d blankets, %d members in all", len(found), sum(len(one.members) for one in found))
    return 130 if interrupted else 0


def main() -> None:
    """The console script."""
    command.main(mplearn, "mplearn")
