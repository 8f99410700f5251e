"""Command line of coarsen: parses, calls `coarsen.learn`, certifies, writes."""

from __future__ import annotations

from dataclasses import replace
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
    OUTPUT,
    SCORE,
    SEARCH,
    goes_with,
)
from ..common.cli.edges import known_edges_options, read_edges
from ..common.cli.first_line import length_of, say_first
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import OF_EM, WITHOUT_EM
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import checkpoint_options
from ..common.cli.options import (
    all_of,
    incomplete_learner_options,
    search_options,
    trace_option,
)
from ..common.cli.paths import InputPath
from ..common.cli.priors import scoring_of_options
from ..common.cli.resources import resource_options
from ..common.errors import UsageError
from .config import PROGRAM_SECONDS, Config, StepLimits

if TYPE_CHECKING:
    from ..common.cli.incomplete import EmOptions
    from ..common.cli.long_runs import CheckpointOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.data.dataset import Dataset
    from ..common.files.scorefile import CliqueScores


SPANNING = ("tree", "forest")
STARTS = (*SPANNING, "best", "empty")  # besides the network in a file

method_options = all_of(
    click.option(
        "--method",
        type=click.Choice(["ic", "fic", "greedy", "forest"]),
        default="ic",
        show_default=True,
        help="Iterative coarsening; the same and forced steps after it; the best single edge each step; or the "
        "start alone.",
    ),
    click.option(
        "--start",
        type=InputPath(words=STARTS),
        metavar="[tree|forest|best|empty|FILE]",
        help="Start from the best spanning tree or forest, from both and keep the better result, from no edges, or "
        "from the network in a file.  [default: best; greedy: empty; forest: forest]",
    ),
    click.option(
        "--preset",
        type=click.Choice(["default", "pgm2020"]),
        default="default",
        show_default=True,
        help="Ours, or as published: from the spanning tree only, in one pass.",
    ),
)
step_options = all_of(
    click.option(
        "--max-length",
        type=click.IntRange(min=1),
        metavar="L",
        help="Consider edges across at most this many separators.",
    ),
    click.option(
        "--forced",
        type=click.IntRange(min=0),
        metavar="N",
        help="Forced steps of --method fic.  [default: 1]",
    ),
    click.option(
        "--forced-length",
        type=click.IntRange(min=1),
        metavar="L",
        help="As --max-length, for the forced steps.  [default: 1]",
    ),
    click.option(
        "--search",
        type=FiniteFloat(min=0, min_open=True),
        metavar="SECONDS",
        help="After the last step: local search for this long, which also removes edges, and steps again from there.",
    ),
    limit_options(),
    click.option(
        "--ilp-time-limit",
        type=FiniteFloat(min=0, min_open=True),
        default=PROGRAM_SECONDS,
        show_default=True,
        metavar="SECONDS",
        help="Stop an integer program after this long and use what it found.",
    ),
    click.option(
        "--gap",
        type=FiniteFloat(min=0),
        default=0.0,
        show_default=True,
        metavar="G",
        help="Stop an integer program once it is proved this close to its optimum (0.01: one per cent).",
    ),
    trace_option(", a row per step: its integer program's size, bound and gap, what it gained."),
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
    "start": ALWAYS,
    ("start", "best"): STEPS,
    ("start", "empty"): STEPS,
    "preset": PROGRAMS,
    ("preset", "pgm2020"): {"start": ("tree",), "search": ABSENT},
    "max_length": PROGRAMS,
    "forced": {"method": ("fic",)},
    "forced_length": {"method": ("fic",)},
    "search": STEPS,
    "time_limit": ALWAYS,
    "ilp_time_limit": PROGRAMS,
    "gap": PROGRAMS,
    "trace": ALWAYS,
    **KEEPING,
    **SEARCH,
    "seed": {"search": GIVEN},
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH)
@incomplete_learner_options
@method_options
@step_options
@known_edges_options
@search_options
@resource_options
@checkpoint_options
@choosing
def coarsen(
    source: LearningOptions,
    scoring: Any,
    output: OutputOptions,
    em: EmOptions,
    max_clique: int | None,
    keeping: CheckpointOptions,
    resources: ResourceOptions,
    limits: Any,
    **options: Any,
) -> int:
    """Learn a decomposable model from DATA by adding many edges at a time.

    DATA is a CSV or a clique-score file; - is standard input. Each step adds the best set of edges that the
    separators of the present network allow, chosen by an integer program. On Ctrl-C or SIGTERM the last complete
    step is written (exit code 130). With --checkpoint another run can continue from there.
    """
    from ..common.cli.task import Task
    from ..common.cli.trace import RecordTrace
    from ..common.run.resources import available_cores
    from .learn import learn
    from .size import needs_of
    from .trace import Step

    start = _start(options)
    task = Task("coarsen", source, scoring, output)
    data: Any = task.load(em, options["seed"], limits.given.seconds)
    scoring, edges = scoring_of_options(scoring, data, read_edges(options, data))
    task = replace(task, scoring=scoring)
    config, limits = _config(data, max_clique, start, options, edges), limits.given
    needs = needs_of(data, config, options["threads"] or available_cores())
    config = resources.fitted(config, needs)
    say_first(data, _plan(config), length_of(limits), needs, config.cache_mb)
    if resources.dry_run:
        return resources.tell(data, needs, config.cache_mb, limits, method=config.method)
    trace = RecordTrace(options["trace"], Step)
    checkpoint = task.checkpoint(keeping, data, scoring, config)
    with task.running(limits, options["threads"], trace, checkpoint) as monitor:
        result = learn(data, scoring, config, monitor)
        claims = task.claims(data, result, max_clique=max_clique)
        return task.finish(data, result, claims, {"method": config.method}, kept=config)


def _plan(config: Config) -> str:
    """What will be done."""
    work = {"ic": "coarsening", "fic": "coarsening with forced steps", "greedy": "greedy edges", "forest": "best"}
    start = {"best": "tree and forest", "empty": "no edges"}.get(config.start, config.start)
    search = "" if config.search is None else f", then local search for {config.search:g} s"
    return f"best {start}" if config.method == "forest" else f"{work[config.method]} from {start}{search}"


def _start(options: dict[str, Any]) -> str:
    """The start that the options name."""
    method, start = options["method"], options["start"]
    if method == "forest" and start not in (None, *SPANNING):
        raise UsageError("--method forest starts from tree or forest; nothing else is done")
    published = "tree" if options["preset"] == "pgm2020" else "best"
    return start or {"greedy": "empty", "forest": "forest"}.get(method, published)


def _config(
    data: Dataset | CliqueScores, max_clique: int | None, start: str, options: dict[str, Any], edges: dict[str, Any]
) -> Config:
    """How to learn: Config."""
    from ..common.models.any_graph import read_graph_of

    return Config(
        method=options["method"],
        start=start,
        start_network=None if start in STARTS else read_graph_of(start, data).graph,
        steps=StepLimits(max_clique, options["max_length"], options["ilp_time_limit"], options["gap"]),
        forced=1 if options["forced"] is None else options["forced"],
        forced_length=options["forced_length"] or 1,
        short_first=options["preset"] != "pgm2020",
        search=options["search"],
        seed=options["seed"],
        cache_mb=options["cache_mb"],
        **edges,
    )


def main() -> None:
    """The console script."""
    command.main(coarsen, "coarsen")
