"""Command line of coarsen: parses, calls `coarsen.learn`, certifies, writes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

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
    OUTPUT,
    SCORE,
    SEARCH,
    goes_with,
)
from ..common.cli.edges import known_edge_options
from ..common.cli.first_line import length_of, say_first
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import OF_EM, WITHOUT_EM
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import SweepRun, checkpoint_options
from ..common.cli.options import learner_options, trace_option
from ..common.cli.paths import InputPath
from ..common.cli.priors import scoring_of_options
from ..common.cli.resources import resource_options
from ..common.cli.seed import seed_option
from ..common.cli.together import together
from .config import PROGRAM_SECONDS, Config, StepLimits

if TYPE_CHECKING:
    from ..common.cli.edges import EdgeOptions
    from ..common.cli.incomplete import EmOptions
    from ..common.cli.limit_options import LimitOptions
    from ..common.cli.long_runs import CheckpointOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.score_options import ScoreOptions


SPANNING = ("tree", "forest")
STARTS = (*SPANNING, "best", "empty")  # besides the network in a file

start_option = click.option(
    "--start",
    type=InputPath(words=STARTS),
    metavar="[tree|forest|best|empty|FILE]",
    help="Start from the best spanning tree or forest, from both and keep the better result, from no edges, or "
    "from the network in a file.  [default: best; greedy: empty; forest: forest]",
)
config_options = together(
    "config",
    Config,
    click.option(
        "--method",
        type=click.Choice(["ic", "fic", "greedy", "forest"]),
        default=Config.method,
        show_default=True,
        help="Iterative coarsening; the same and forced steps after it; the best single edge each step; or the "
        "start alone.",
    ),
    click.option(
        "--preset",
        type=click.Choice(["default", "pgm2020"]),
        default="default",
        show_default=True,
        help="Ours, or as published: from the spanning tree only, in one pass.",
    ),
    click.option(
        "--forced",
        type=click.IntRange(min=0),
        default=Config.forced,
        metavar="N",
        help=f"Forced steps of --method fic.  [default: {Config.forced}]",
    ),
    click.option(
        "--forced-length",
        type=click.IntRange(min=1),
        default=Config.forced_length,
        metavar="L",
        help=f"As --max-length, for the forced steps.  [default: {Config.forced_length}]",
    ),
    click.option(
        "--search",
        type=FiniteFloat(min=0, min_open=True),
        metavar="SECONDS",
        help="After the last step: local search for this long, which also removes edges, and steps again from there.",
    ),
    seed_option,
)
step_options = together(
    "steps",
    StepLimits,
    click.option(
        "--max-length",
        type=click.IntRange(min=1),
        metavar="L",
        help="Consider edges across at most this many separators.",
    ),
    click.option(
        "--ilp-time-limit",
        "seconds",
        type=FiniteFloat(min=0, min_open=True),
        default=PROGRAM_SECONDS,
        show_default=True,
        metavar="SECONDS",
        help="Stop an integer program after this many seconds and use its best solution.",
    ),
    click.option(
        "--gap",
        type=FiniteFloat(min=0),
        default=0.0,
        show_default=True,
        metavar="G",
        help="Stop an integer program once it is proved this close to its optimum (0.01: one per cent).",
    ),
)


PROGRAMS = {"method": ("ic", "fic")}  # those that solve integer programs
STEPS = {"method": ("ic", "fic", "greedy")}  # and greedy: the forest takes none
GOES_WITH: dict = {
    **LEARNING,
    **SCORE,
    **OF_EM,
    "choose": {**CHOICE, **WITHOUT_EM, **dict.fromkeys(("trace", "checkpoint"), ABSENT)},
    **OUTPUT,
    "max_clique": ALWAYS,
    "forbidden_edges": ALWAYS,
    "required_edges": ALWAYS,
    "method": ALWAYS,
    ("method", "forest"): {"start": SPANNING},
    "start": ALWAYS,
    "preset": PROGRAMS,
    ("preset", "pgm2020"): {"start": ("tree",), "search": ABSENT},
    "max_length": PROGRAMS,
    "forced": {"method": ("fic",)},
    "forced_length": {"method": ("fic",)},
    "search": STEPS,
    "time_limit": ALWAYS,
    "seconds": PROGRAMS,
    "gap": PROGRAMS,
    "trace": ALWAYS,
    **KEEPING,
    **SEARCH,
    "seed": {"search": GIVEN},
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH)
@learner_options
@start_option
@config_options
@step_options
@limit_options()
@trace_option(", a row per step: its integer program's size, bound and gap, what it gained.")
@known_edge_options
@resource_options
@checkpoint_options
@choosing
def coarsen(
    source: LearningOptions,
    scoring: ScoreOptions,
    output: OutputOptions,
    em: EmOptions,
    max_clique: int | None,
    start: str | None,
    config: Config,
    steps: StepLimits,
    limits: LimitOptions,
    trace: str | None,
    edges: EdgeOptions,
    resources: ResourceOptions,
    keeping: CheckpointOptions,
) -> int:
    """Learn a decomposable model from DATA by adding many edges at a time.

    DATA is a CSV or a clique-score file; - is standard input. Each step adds the best set of edges that the
    separators of the present network allow, chosen by an integer program. On Ctrl-C or SIGTERM the last complete
    step is written (exit code 130). With --checkpoint another run can continue from there.
    """
    from ..common.cli.task import Task
    from ..common.cli.trace import RecordTrace
    from ..common.models.any_graph import read_graph_of
    from .learn import learn
    from .size import needs_of
    from .trace import Step

    task = Task("coarsen", source, output, resources, keeping, em=em, seconds=limits.time_limit)
    data = task.load(SweepRun(config.seed))
    score, known = scoring_of_options(scoring, data, edges.read(data))
    task = replace(task, scoring=score)
    start = start or _usual_start(config)
    given = None if start in STARTS else read_graph_of(start, data).graph
    steps = replace(steps, max_clique=max_clique)
    config = replace(config, start=start, start_network=given, steps=steps, **known)
    needs = needs_of(data, config, resources.cores)
    config = resources.fitted(config, needs)
    say_first(data, _plan(config), length_of(limits.given), needs, config.cache_mb)
    if resources.dry_run:
        return resources.print_estimate(data, needs, config.cache_mb, limits.given, method=config.method)
    with task.running(limits.given, RecordTrace(trace, Step), task.checkpoint(data, score, config)) as monitor:
        result = learn(data, score, config, monitor)
        claims = task.claims(data, result, max_clique=max_clique)
        return task.finish(data, result, claims, {"method": config.method}, kept=config)


def _usual_start(config: Config) -> str:
    """Where a method starts unless told otherwise."""
    published = "tree" if config.preset == "pgm2020" else "best"
    return {"greedy": "empty", "forest": "forest"}.get(config.method, published)


def _plan(config: Config) -> str:
    """What will be done."""
    work = {"ic": "coarsening", "fic": "coarsening with forced steps", "greedy": "greedy edges", "forest": "best"}
    start = {"best": "tree and forest", "empty": "no edges"}.get(config.start, config.start)
    search = "" if config.search is None else f", then local search for {config.search:g} s"
    return f"best {start}" if config.method == "forest" else f"{work[config.method]} from {start}{search}"


def main() -> None:
    """The console script."""
    command.main(coarsen, "coarsen")
