"""Command line of lsmarkov: parses, calls `lsmarkov.learn`, certifies, writes."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.choice import choosing
from ..common.cli.compatibility import (
    ABSENT,
    ALWAYS,
    CHOICE,
    GIVEN,
    KEEPING,
    LEARNING,
    OF_DATA,
    SCORE,
    SEARCH,
    SWEEP,
    goes_with,
)
from ..common.cli.edges import edge_options
from ..common.cli.first_line import length_of, say_first, sets_text
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import OF_EM, WITHOUT_EM
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import checkpoint_options, sweep_options
from ..common.cli.options import learner_options, trace_option
from ..common.cli.paths import InputPath, filled
from ..common.cli.priors import scoring_of_options
from ..common.cli.resources import resource_options
from ..common.cli.together import together
from ..common.errors import CliquewiseError
from ..common.run.result import INTERRUPTED, OPTIMAL
from .config import OPERATIONS, PUBLISHED, RESTART_RATE, Config

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ..common.cli.edges import EdgeOptions
    from ..common.cli.incomplete import EmOptions
    from ..common.cli.limit_options import LimitOptions
    from ..common.cli.load import Source
    from ..common.cli.long_runs import CheckpointOptions, SweepOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.score_options import ScoreOptions
    from ..common.cli.task import Task
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Limits, Monitor
    from ..common.run.result import LearnResult


class Operations(click.ParamType):
    """Some of the letters C, E and V."""

    name = "letters"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Check one value."""
        if not value or set(value.upper()) - set("CEV"):
            self.fail(f"{value!r} is not made of the letters C, E and V", param, ctx)
        return "".join(sorted(set(value.upper())))


@dataclass(frozen=True)
class ReportOptions:
    """What is told besides the network.

    Attributes
    ----------
    bound
        Seconds for an upper bound after the search; None for no bound.
    trace
        A CSV of the run.
    updates
        Whether improvements are printed.
    """

    bound: float | None = None
    trace: str | None = None
    updates: bool = False


_published = (  # each of the last five chooses the search as published
    click.option(
        "--preset",
        type=click.Choice(["default", "ecai2020"]),
        default="default",
        show_default=True,
        help="Our search, or exactly that of the ECAI 2020 paper; each of the next five options selects the latter.",
    ),
    click.option(
        "--operations",
        type=Operations(),
        metavar="CEV",
        help=f"Neighbourhoods: some of C(lique), E(dge), V(ertex).  [default: {OPERATIONS}]",
    ),
    click.option("--greedy", is_flag=True, help="The paper's greedy baseline: the best edge in each step."),
    click.option(
        "--restart-rate",
        type=click.IntRange(min=1),
        metavar="T",
        help=f"Steps without progress before a restart.  [default: {RESTART_RATE}]",
    ),
    click.option("--fixed-iters", is_flag=True, help="Restart every T steps, with or without progress."),
    click.option(
        "--dynamictw", "dynamic_bound", is_flag=True, help="Start with cliques of 2, allow one more vertex per restart."
    ),
)
config_options = together(
    "config",
    Config,
    click.option(
        "--chow-liu/--no-chow-liu",
        default=True,
        help="Start from the best forest, grown by the best edges, or the empty graph.  [default: chow-liu]",
    ),
    click.option("--precompute", is_flag=True, help="Compute all scores up to --max-clique before the search."),
    *_published,
)
report_options = together(
    "reports",
    ReportOptions,
    click.option(
        "--bound",
        type=FiniteFloat(min=0, min_open=True, max=1e9),
        metavar="SECONDS",
        help="After the search, compute an upper bound on all scores for this many seconds; write it and the gap.",
    ),
    trace_option(": seconds, step, restart, score, largest clique, scores computed, temperatures and rates."),
    click.option("--updates", is_flag=True, help="Print an update line and a solution line for each improvement."),
)


_PUBLISHED_ONLY = {"preset": ("ecai2020",)}
NOT_PRINTED = {"updates": ABSENT}  # updates print the network in their own form
GOES_WITH = {
    **LEARNING,
    **SCORE,
    "choose": {
        **CHOICE,
        **WITHOUT_EM,
        **dict.fromkeys(("updates", "trace", "checkpoint", "seeds", "resamples"), ABSENT),
    },
    **OF_EM,
    "max_clique": ALWAYS,
    "fmt": NOT_PRINTED,
    "use_names": NOT_PRINTED,
    "path": ALWAYS,
    "provenance": NOT_PRINTED,
    "time_limit": ALWAYS,
    "iterations": ALWAYS,
    "target": ALWAYS,
    "bound": ALWAYS,
    "init": ALWAYS,
    "chow_liu": {"init": ABSENT},
    "precompute": {**OF_DATA, "max_clique": GIVEN},
    "trace": ALWAYS,
    "updates": ALWAYS,
    "preset": ALWAYS,
    **dict.fromkeys(PUBLISHED, _PUBLISHED_ONLY),
    "operations": {**_PUBLISHED_ONLY, "greedy": ABSENT},
    "allowed_edges": ALWAYS,
    "forbidden_edges": ALWAYS,
    "required_edges": {"preset": ("default",)},
    **SEARCH,
    **SWEEP,
    "resamples": {**SWEEP["resamples"], **WITHOUT_EM},
    **KEEPING,
}


def _modes(options: dict[str, Any], typed: Collection[str]) -> dict[str, Any]:
    """The preset, which options of the published search also select; and whether updates replace the output."""
    chosen = "preset" not in typed and any(options[name] for name in PUBLISHED)
    return {
        "preset": "ecai2020" if chosen else options["preset"],
        "updates": options["updates"] and options["path"] is None,
    }


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH, _modes)
@learner_options
@limit_options("Stop after N steps of the search.", has_target=True)
@click.option("--init", type=InputPath(), metavar="GRAPH", help="Start from the network in this file.")
@config_options
@report_options
@edge_options
@resource_options
@sweep_options
@checkpoint_options
@choosing
def lsmarkov(
    source: LearningOptions,
    scoring: ScoreOptions,
    output: OutputOptions,
    em: EmOptions,
    max_clique: int | None,
    limits: LimitOptions,
    init: str | None,
    config: Config,
    reports: ReportOptions,
    edges: EdgeOptions,
    resources: ResourceOptions,
    sweep: SweepOptions,
    keeping: CheckpointOptions,
) -> int:
    """Learn a chordal Markov network from DATA by stochastic local search.

    DATA is a CSV or a clique-score file; - is standard input. The best network found is written as a clique list
    when the time is up, or on Ctrl-C or SIGTERM (exit code 130). Without --time-limit, --iterations or --target
    the search takes 60 seconds. With --checkpoint another run can continue the search.
    """
    from ..common.bounds.problem import check_size
    from ..common.cli.task import Task
    from ..common.models.any_graph import read_graph_of
    from .size import needs_of

    runs = sweep.runs(output.path, reports.trace, keeping.checkpoint, em.completed)
    task = Task("lsmarkov", source, output, resources, keeping, em=em, seconds=limits.time_limit)
    data = task.load(runs[0])
    score, known = scoring_of_options(scoring, data, edges.read(data))
    start = None if init is None else read_graph_of(init, data).graph
    config = replace(config, max_clique=max_clique, init=start, init_path=init or "-", **known)
    needs = needs_of(data, config, resources.cores)
    config = resources.fitted(config, needs)
    say_first(data, *_plan(data, config, limits, reports.bound), needs, config.cache_mb, len(runs))
    if resources.dry_run:
        return resources.print_estimate(data, needs, config.cache_mb, limits.of_search, len(runs))
    if reports.bound is not None:
        check_size(data, max_clique, resources.bytes)
    for run in runs:
        one, rows = replace(task, scoring=score).run(run, data)
        own = replace(reports, trace=filled(reports.trace, run.value))
        code = _one(one, rows, replace(config, seed=run.seed), limits.of_search, own)
        if code:
            return code
    return 0


def _one(task: Task, data: Source, config: Config, limits: Limits, reports: ReportOptions) -> int:
    """Search, certify and write one network; returns the exit code."""
    from ..common.files.atomic_write import is_stdout
    from ..common.graphs.graph import Graph
    from .exact import is_small
    from .learn import learn
    from .trace import SearchTrace, Updates

    path = task.output.path
    in_updates = reports.updates and path is None  # standard output already has the solution
    write = (lambda *_: None) if in_updates else None
    echo = click.echo if is_stdout(path) else Updates(click.echo)
    trace = SearchTrace(reports.trace, echo if reports.updates else None)
    with task.running(limits, trace, task.checkpoint(data, task.scoring, config)) as monitor:
        bounded = partial(_bound, task, data, config)
        small = is_small(data, config, min(config.max_clique or data.n, data.max_size))  # proved by the search
        if reports.bound is not None and not small:
            with contextlib.suppress(CliquewiseError):  # reported after the search
                monitor.rehearse(partial(bounded, Graph(data.n, ())))
        result, details = learn(data, task.scoring, config, monitor), {"seed": str(config.seed)}
        if reports.bound is not None:
            result = _bounded(result, monitor, reports.bound, bounded)
            details |= result.proved()
        trace.end(monitor.seconds, result)
        claims = task.claims(data, result, max_clique=config.max_clique)
        return task.finish(data, result, claims, details, write, config)


def _bound(task: Task, data: Source, config: Config, known: Graph, monitor: Monitor) -> LearnResult:
    """The LearnResult of a bound, given a known network."""
    from ..common.bounds.bound import bound
    from ..common.scores.allowed import within

    allowed, memory = within(config.allowed, config.forbidden, data.n), task.resources.bytes
    return bound(data, task.scoring, monitor, config.max_clique, known, memory, allowed, config.required)


def _bounded(result: LearnResult, monitor: Monitor, seconds: float, bounded: Callable) -> LearnResult:
    """The LearnResult with an upper bound, and with a better network if one was found."""
    from ..common.bounds.incumbent import ROUNDING

    if monitor.status == INTERRUPTED or result.status == OPTIMAL:
        return result
    try:
        with monitor.sequel(seconds) as part:
            found = bounded(result.graph, part)
    except CliquewiseError as error:
        command.LOG.warning("no bound: %s", error)
        return result
    if found.score > result.score + ROUNDING * abs(result.score):
        result = replace(result, graph=found.graph, score=found.score)
    status = OPTIMAL if found.status == OPTIMAL else monitor.status or result.status
    return replace(result, upper_bound=found.upper_bound, status=status)


def _plan(data: Source, config: Config, limits: LimitOptions, bound: float | None) -> tuple[str, str]:
    """What will be done, and for how long."""
    from .exact import is_small

    largest = min(config.max_clique or data.n, data.max_size)
    if is_small(data, config, largest):
        return f"dynamic program over {sets_text(data.n, largest)}", length_of(limits.given)
    work = "search as published (--preset ecai2020)" if config.as_published else "search"
    changed_by = "" if limits.is_given else "--time-limit, --iterations or --target"
    after = "" if bound is None else f", then an upper bound for {bound:g} s"
    return work, length_of(limits.of_search, changed_by=changed_by) + after


def main() -> None:
    """The console script."""
    command.main(lsmarkov, "lsmarkov")
