"""Command line of twlearn: parses, calls `twlearn.learn`, certifies, writes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
from ..common.cli.long_runs import checkpoint_options, sweep_of, sweep_options
from ..common.cli.options import (
    all_of,
    arc_output_options,
    incomplete_input_options,
    search_options,
    standard_options,
    trace_option,
)
from ..common.cli.paths import InputPath, filled
from ..common.cli.priors import scoring_of_options
from ..common.cli.resources import resource_options
from ..common.cli.score_options import learner_score_options

if TYPE_CHECKING:
    from ..common.cli.incomplete import EmOptions
    from ..common.cli.limit_options import LimitOptions
    from ..common.cli.long_runs import CheckpointOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.task import Task
    from ..common.data.dataset import Dataset
    from ..common.files.parentsets import ParentSets
    from ..common.run.monitor import Limits
    from .config import Config


network_options = all_of(
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
        default="auto",
        show_default=True,
        help="Search over chordal graphs and orders; the same piece by piece, for thousands of variables; integer "
        "program; dynamic program over all k-trees; the same inside random k-trees; random k-trees and orders.",
    ),
    click.option(
        "--max-parents",
        type=click.IntRange(min=0),
        default=3,
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
        "--template",
        type=InputPath(),
        metavar="GRAPH",
        help="Start --method chordal from the network in this file, a chordal or a directed one.",
    ),
    click.option(
        "--no-climb",
        is_flag=True,
        help="Let --method s2 draw all k-trees independently; by default every second one is a change of the best.",
    ),
)
run_options = all_of(
    limit_options("Stop after this many steps: k-trees of s2 and skp, moves of chordal, pieces."),
    trace_option(": seconds, iterations, score."),
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
    "no_climb": {"method": ("s2",)},
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
@network_options
@learner_score_options
@run_options
@search_options
@resource_options
@sweep_options
@checkpoint_options
@arc_output_options
@standard_options
@choosing
def twlearn(
    source: LearningOptions,
    scoring: Any,
    output: OutputOptions,
    em: EmOptions,
    treewidth: int,
    keeping: CheckpointOptions,
    resources: ResourceOptions,
    limits: Any,
    **options: Any,
) -> int:
    """Learn a Bayesian network of bounded treewidth from DATA.

    DATA is a CSV, a clique-score file or a parent-set-score file; - is standard input. Few variables are solved
    exactly, more by search. The best network found is written as an arc list when the time is up, or on Ctrl-C or
    SIGTERM (exit code 130). The clock starts when the parent sets are scored; without --time-limit or --iterations
    it runs for 60 seconds. With --checkpoint another run can continue.
    """
    from ..common.cli.task import Task
    from ..common.run.resources import available_cores
    from .size import needs_of
    from .trace import ScoreTrace

    sweep = sweep_of(options, output.path, options["trace"], keeping.checkpoint)
    task = Task("twlearn", source, scoring, output, parent_sets=True)
    data: Any = task.load(em, options["seed"], limits.given.seconds)
    scoring, _ = scoring_of_options(scoring, data)
    config = _config(data, treewidth, {**options, "memory": resources.bytes})
    limits, changed_by = _limits(config, limits)
    chosen: dict[str, str | None] = {"method": config.method}  # auto depends on the free memory
    if limits.iterations is None:
        chosen["iterations"] = None
    needs = needs_of(data, config, options["threads"] or available_cores())
    config = resources.fitted(config, needs)
    say_first(
        data,
        f"method {config.method}",
        length_of(limits, "until it is done", changed_by),
        needs,
        config.cache_mb,
        len(sweep),
    )
    if resources.dry_run:
        return resources.tell(data, needs, config.cache_mb, limits, method=config.method)
    for run in sweep:
        of_run, to, rows = run.of(source, output, data)
        task = Task("twlearn", of_run, scoring, to, True, run.value, chosen)
        how = limits, options["threads"], ScoreTrace(filled(options["trace"], run.value))
        code = _one(task, rows, replace(config, seed=run.seed), how, keeping.named(run.value))
        if code:
            return code
    return 0


def _one(
    task: Task,
    data: Dataset | ParentSets,
    config: Config,
    run: tuple[Limits, int | None, Any],
    keeping: CheckpointOptions,
) -> int:
    """Learn, certify and write one network; returns the exit code."""
    from .learn import learn

    with task.running(*run, task.checkpoint(keeping, data, task.scoring, config)) as monitor:
        result = learn(data, task.scoring, config, monitor)
        claims = task.claims(
            data,
            result,
            treewidth=config.treewidth,
            elimination_order=result.order,
            max_parents=config.max_parents,
            upper_bound=result.upper_bound if math.isfinite(result.upper_bound) else None,
        )
        details = {"method": config.method, "seed": str(config.seed), **({} if config.climb else {"climb": "no"})}
        return task.finish(data, result, claims, details)


def _config(data: Dataset | ParentSets, treewidth: int, options: dict[str, Any]) -> Config:
    """How to learn: Config."""
    from ..common.models.any_graph import read_graph_of
    from .config import Config
    from .learn import method_for
    from .template import template_of

    path = options["template"]
    config = Config(
        treewidth=treewidth,
        method="chordal" if path is not None else options["method"],
        max_parents=options["max_parents"],
        parent_sets=options["parent_sets"],
        template=path and template_of(read_graph_of(path, data), treewidth, f"--template {path}"),
        climb=not options["no_climb"],
        seed=options["seed"],
        cache_mb=options["cache_mb"],
        memory=options["memory"],
    )
    return replace(config, method=method_for(data.n, config))  # only once: it depends on the free memory


def _limits(config: Config, limits: LimitOptions) -> tuple[Limits, str]:
    """When to stop, Limits; and the options that change a limit that nobody asked for."""
    from .config import EXACT

    if config.method in EXACT and limits.iterations is not None:
        command.LOG.info("method %s, chosen for this size, counts no iterations", config.method)
        limits = replace(limits, iterations=None)
    if limits.is_given or config.method == "kp":
        return limits.given, ""
    return limits.of_search, "--time-limit" if config.method in EXACT else "--time-limit or --iterations"


def main() -> None:
    """The console script."""
    command.main(twlearn, "twlearn")
