"""Command line of twlearn: parses, calls `twlearn.learn`, certifies, writes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ..common.cli import command
from ..common.cli.choice import choosing
from ..common.cli.compatibility import (
    ABSENT,
    ALWAYS,
    CHOICE,
    KEEPING,
    LEARNING,
    OF_DATA,
    OUTPUT,
    SCORE,
    SEARCH,
    SWEEP,
    goes_with,
)
from ..common.cli.first_line import length_of, say_first
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import OF_EM, WITHOUT_EM
from ..common.cli.limit_options import limit_options
from ..common.cli.long_runs import checkpoint_options, sweep_options
from ..common.cli.options import arc_output_options, incomplete_input_options, standard_options, trace_option
from ..common.cli.paths import InputPath, filled
from ..common.cli.priors import scoring_of_options
from ..common.cli.resources import resource_options
from ..common.cli.score_options import learner_score_options
from ..common.cli.together import together
from .config import EXACT, Config

if TYPE_CHECKING:
    from ..common.cli.incomplete import EmOptions
    from ..common.cli.limit_options import LimitOptions
    from ..common.cli.long_runs import CheckpointOptions, SweepOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.score_options import ScoreOptions
    from ..common.cli.task import Task
    from ..common.data.dataset import Dataset
    from ..common.files.parentsets import ParentSets
    from ..common.run.monitor import Limits


config_options = together(
    "config",
    Config,
    click.option(
        "--treewidth",
        "-w",
        type=click.IntRange(min=1),
        required=True,
        metavar="W",
        help="Bound on the treewidth of the network's moral graph.",
    ),
    click.option(
        "--method",
        type=click.Choice(["auto", "chordal", "pieces", "milp", "kp", "skp", "s2"]),
        default=Config.method,
        show_default=True,
        help="Search over chordal graphs and orders; the same piece by piece, for thousands of variables; integer "
        "program; dynamic program over all k-trees; the same inside random k-trees; random k-trees and orders.",
    ),
    click.option(
        "--max-parents",
        type=click.IntRange(min=0),
        default=Config.max_parents,
        show_default=True,
        metavar="K",
        help="Largest number of parents of a variable.",
    ),
    click.option(
        "--parent-sets",
        type=click.IntRange(min=1),
        metavar="N",
        help="Search for parent sets, and score about N per variable.  [default: all sets; 400 if all are more "
        "than five million]",
    ),
    click.option(
        "--no-climb",
        "independent",
        is_flag=True,
        help="Let --method s2 draw all k-trees independently; by default every second one is a change of the best.",
    ),
)
template_option = click.option(
    "--template",
    type=InputPath(),
    metavar="GRAPH",
    help="Start --method chordal from the network in this file, a chordal or a directed one.",
)


GOES_WITH = {
    **LEARNING,
    **SCORE,
    **OF_EM,
    "choose": {**CHOICE, **WITHOUT_EM, **dict.fromkeys(("trace", "checkpoint", "seeds", "resamples"), ABSENT)},
    **OUTPUT,
    "treewidth": ALWAYS,
    "method": ALWAYS,
    "max_parents": ALWAYS,
    "parent_sets": OF_DATA,
    "template": {"method": ("auto", "chordal")},
    "independent": {"method": ("s2",)},
    "time_limit": ALWAYS,
    "iterations": {"method": ("auto", "chordal", "pieces", "skp", "s2")},  # milp and kp do not count iterations
    "trace": ALWAYS,
    **KEEPING,
    "checkpoint": {"method": ("auto", "chordal", "pieces", "milp", "skp", "s2")},  # kp has no state to continue from
    **SEARCH,
    **SWEEP,
    "resamples": {**SWEEP["resamples"], **WITHOUT_EM},
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH)
@incomplete_input_options
@config_options
@template_option
@learner_score_options
@limit_options("Stop after this many steps: k-trees of s2 and skp, moves of chordal, pieces.")
@trace_option(": seconds, iterations, score.")
@resource_options
@sweep_options
@checkpoint_options
@arc_output_options
@standard_options
@choosing
def twlearn(
    source: LearningOptions,
    scoring: ScoreOptions,
    output: OutputOptions,
    em: EmOptions,
    config: Config,
    template: str | None,
    limits: LimitOptions,
    trace: str | None,
    resources: ResourceOptions,
    sweep: SweepOptions,
    keeping: CheckpointOptions,
) -> int:
    """Learn a Bayesian network of bounded treewidth from DATA.

    DATA is a CSV, a clique-score file or a parent-set-score file; - is standard input. Few variables are solved
    exactly, more by search. The best network found is written as an arc list when the time is up, or on Ctrl-C or
    SIGTERM (exit code 130). The clock starts when the parent sets are scored; without --time-limit or --iterations
    it runs for 60 seconds. With --checkpoint another run can continue.
    """
    from ..common.cli.task import Task
    from .size import needs_of

    runs = sweep.runs(output.path, trace, keeping.checkpoint, em.completed)
    task = Task("twlearn", source, output, resources, keeping, em=em, seconds=limits.time_limit, parent_sets=True)
    data = task.load(runs[0])
    score, _ = scoring_of_options(scoring, data)
    config = _for_data(replace(config, memory=resources.bytes), data, template, limits)
    until, changed_by = _limits(config, limits)
    needs = needs_of(data, config, resources.cores)
    config = resources.fitted(config, needs)
    length = length_of(until, "until it is done", changed_by)
    say_first(data, f"method {config.method}", length, needs, config.cache_mb, len(runs))
    if resources.dry_run:
        return resources.print_estimate(data, needs, config.cache_mb, until, len(runs), method=config.method)
    chosen: dict[str, str | None] = {"method": config.method}  # auto depends on the free memory
    if until.iterations is None:
        chosen["iterations"] = None
    for run in runs:
        one, rows = replace(task, scoring=score, chosen=chosen).run(run, data)
        code = _one(one, rows, replace(config, seed=run.seed), until, filled(trace, run.value))
        if code:
            return code
    return 0


def _one(task: Task, data: Dataset | ParentSets, config: Config, limits: Limits, trace: str | None) -> int:
    """Learn, certify and write one network; returns the exit code."""
    from .learn import learn
    from .trace import ScoreTrace

    with task.running(limits, ScoreTrace(trace), task.checkpoint(data, task.scoring, config)) as monitor:
        result = learn(data, task.scoring, config, monitor)
        claims = task.claims(
            data,
            result,
            treewidth=config.treewidth,
            elimination_order=result.order,
            max_parents=config.max_parents,
            upper_bound=result.upper_bound if math.isfinite(result.upper_bound) else None,
        )
        details = {"method": config.method, "seed": str(config.seed), **({"climb": "no"} if config.independent else {})}
        return task.finish(data, result, claims, details)


def _for_data(config: Config, data: Dataset | ParentSets, template: str | None, limits: LimitOptions) -> Config:
    """The Config with its template, and with the method that is to be used."""
    from ..common.models.any_graph import read_graph_of
    from .learn import method_for, sets_in
    from .template import template_of

    if template is not None:
        known = template_of(read_graph_of(template, data), config.treewidth, f"--template {template}")
        config = replace(config, method="chordal", template=known)
    method = method_for(data.n, config, limits.iterations is not None, sets_in(data))
    return replace(config, method=method)  # only once: it depends on the free memory


def _limits(config: Config, limits: LimitOptions) -> tuple[Limits, str]:
    """When to stop, Limits; and the options that change a limit that nobody asked for."""
    if config.method in EXACT and limits.iterations is not None:
        command.LOG.info("method %s, chosen for this size, counts no iterations", config.method)
        limits = replace(limits, iterations=None)
    if limits.is_given or config.method == "kp":
        return limits.given, ""
    return limits.of_search, "--time-limit" if config.method in EXACT else "--time-limit or --iterations"


def main() -> None:
    """The console script."""
    command.main(twlearn, "twlearn")
