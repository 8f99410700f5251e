"""Command line of mnposterior: parses, calls `mnposterior.learn`, certifies, writes."""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.compatibility import ABSENT, ALWAYS, KEEPING, LEARNING, SCORE, SEARCH, SWEEP, goes_with
from ..common.cli.edges import allowed_edge_options
from ..common.cli.first_line import length_of, say_first
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import WITHOUT_EM
from ..common.cli.limit_options import limit_options
from ..common.cli.long_runs import checkpoint_options, sweep_options
from ..common.cli.options import (
    edge_output_options,
    incomplete_data_options,
    max_clique_option,
    standard_options,
    trace_option,
)
from ..common.cli.paths import InputPath, OutputPath, filled
from ..common.cli.priors import scoring_of_options
from ..common.cli.resources import resource_options
from ..common.cli.score_options import score_options
from ..common.cli.together import together
from .config import DRAWS, LADDERS, PosteriorConfig, chosen_method

if TYPE_CHECKING:
    from ..common.cli.edges import EdgeOptions
    from ..common.cli.limit_options import LimitOptions
    from ..common.cli.load import Source
    from ..common.cli.long_runs import CheckpointOptions, SweepOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.score_options import ScoreOptions
    from ..common.cli.task import Task
    from ..common.graphs.graph import Graph
    from ..common.run.monitor import Limits
    from ..common.scores.scoring import Scoring


ALMOST_1 = 1.0 - 2.0**-53  # the prior probability of an edge that --edge-priors requires


@dataclass(frozen=True)
class SamplingOptions:
    """How to sample; None is the default, which does not choose the method.

    Attributes
    ----------
    method
        auto, chains or exact.
    draws, ladders
        As in PosteriorConfig.
    init
        Path of a network.
    """

    method: str = "auto"
    draws: int | None = None
    ladders: int | None = None
    init: str | None = None


@dataclass(frozen=True)
class FileOptions:
    """The files beside the result.

    Attributes
    ----------
    trace
        A CSV of the run.
    samples, trajectory
        Sampled networks, whole and as changes.
    """

    trace: str | None = None
    samples: str | None = None
    trajectory: str | None = None

    def named(self, value: float | None) -> FileOptions:
        """The same for one value of a sweep, see `common.cli.paths.filled`."""
        return FileOptions(filled(self.trace, value), filled(self.samples, value), filled(self.trajectory, value))


sampling_options = together(
    "how",
    SamplingOptions,
    click.option(
        "--method",
        type=click.Choice(["auto", "chains", "exact"]),
        default=SamplingOptions.method,
        show_default=True,
        help="Tempered chains, or exact independent draws; auto chooses by the number of variables and the options.",
    ),
    click.option(
        "--draws",
        type=click.IntRange(min=1),
        metavar="N",
        help=f"Number of exact independent draws.  [default: {DRAWS}]",
    ),
    click.option(
        "--ladders",
        type=click.IntRange(2, 1024),
        metavar="N",
        help="Number of independent ladders of chains, whose agreement is reported; they share the cores.  "
        f"[default: {LADDERS}]",
    ),
    click.option("--init", type=InputPath(), metavar="GRAPH", help="Start the chains from the network in this file."),
)
file_options = together(
    "files",
    FileOptions,
    trace_option(", one row per ladder and slice: seconds, step, ladder, adapting, score, edges."),
    click.option(
        "--samples",
        type=OutputPath(by_default=False),
        metavar="FILE",
        help="Write up to 1000 of the networks sampled by chains to FILE, one per line.",
    ),
    click.option(
        "--trajectory",
        type=OutputPath(by_default=False, formats=("csv",)),
        metavar="FILE",
        help="Write the same networks to FILE as changes, in Benchpress's CSV: index, score, added, removed.",
    ),
)

OF_CHAINS = ("ladders", "init", "iterations", "trace", "samples", "trajectory", "checkpoint")
CHAINS = {"method": ("auto", "chains"), "draws": ABSENT}
GOES_WITH: dict = {
    **LEARNING,
    **SCORE,
    "max_clique": ALWAYS,
    "fmt": ALWAYS,
    "use_names": ALWAYS,
    "path": ALWAYS,
    "provenance": ALWAYS,
    "method": ALWAYS,
    "draws": {"method": ("auto", "exact"), **WITHOUT_EM},
    ("missing", "em"): {"source": ("data",), "method": ("auto", "chains"), "score_type": ("bdeu",)},
    "allowed_edges": ALWAYS,
    "time_limit": ALWAYS,
    **SEARCH,
    **SWEEP,
    **KEEPING,
    **dict.fromkeys(OF_CHAINS, CHAINS),
    "checkpoint": {**CHAINS, **WITHOUT_EM},
    "resamples": {**SWEEP["resamples"], **WITHOUT_EM},
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH)
@incomplete_data_options
@score_options
@max_clique_option
@edge_output_options
@standard_options
@sampling_options
@limit_options("Stop after N moves of the chains, at the end of a round of all.", result="the probabilities so far")
@file_options
@allowed_edge_options
@resource_options
@sweep_options
@checkpoint_options
def mnposterior(
    source: LearningOptions,
    scoring: ScoreOptions,
    output: OutputOptions,
    max_clique: int | None,
    how: SamplingOptions,
    limits: LimitOptions,
    files: FileOptions,
    edges: EdgeOptions,
    resources: ResourceOptions,
    sweep: SweepOptions,
    keeping: CheckpointOptions,
) -> int:
    """Compute the probability of each edge, from the posterior over chordal Markov networks for DATA.

    DATA is a CSV or a clique-score file; - is standard input. The result is an edge list with probabilities and their
    standard errors. Up to 15 variables the networks are exact independent draws. For more, or with an option that only
    chains have, or a time limit, they are sampled by Markov chains, whose convergence diagnostics are in the header.
    Chains without --time-limit or --iterations run for 60 seconds; they can be stopped by Ctrl-C or SIGTERM at any time
    (exit code 130). With --missing em the chains draw missing cells, too.
    """
    from ..common.cli.task import Task
    from .size import needs_of

    runs = sweep.runs(output.path, *astuple(files), keeping.checkpoint)
    task = Task("mnposterior", source, output, resources, keeping)
    data = task.load()
    score, allowed = _with_prior(scoring, data, edges.read(data), max_clique)
    config = PosteriorConfig(max_clique=max_clique, allowed=allowed, memory=resources.bytes)
    by_chains = any(name is not None for name in (keeping.checkpoint, *astuple(files)))  # only they write these
    config = _chosen(config, data, how, limits.given, by_chains)
    needs = needs_of(data, config, resources.cores)
    by_chains = config.method == "chains"
    config = resources.fitted(config, needs) if by_chains else config
    say_first(data, *_plan(config, limits), needs, config.cache_mb if by_chains else 0, len(runs))
    until = limits.of_search if by_chains else limits.given
    if resources.dry_run:
        needs.check(resources.bytes)  # as the run does
        return resources.print_estimate(data, needs, config.cache_mb, until, len(runs), method=config.method)
    for run in runs:
        one, rows = replace(task, scoring=score).run(run, data)
        code = _sample(one, rows, replace(config, seed=run.seed), until, files.named(run.value))
        if code:
            return code
    return 0


def _sample(task: Task, data: Source, config: PosteriorConfig, limits: Limits, files: FileOptions) -> int:
    """Sample the posterior and write the result; returns the exit code."""
    from ..common.cli.trace import RecordTrace
    from .chains import PosteriorRow
    from .learn import learn
    from .samples import write_samples
    from .trajectory import trajectory_labels, write_trajectory

    if files.trajectory is not None:
        trajectory_labels(data.n, data.names)  # before the work
    trace, checkpoint = RecordTrace(files.trace, PosteriorRow), task.checkpoint(data, task.scoring, config)
    with task.running(limits, trace, checkpoint) as monitor:
        result = learn(data, task.scoring, config, monitor)
        code = task.finish_posterior(data, result, config, max_clique=config.max_clique)
        if files.samples is not None:
            write_samples(files.samples, result.samples)
        if files.trajectory is not None:
            write_trajectory(files.trajectory, result.samples, result.log_posteriors)
    return code


def _with_prior(
    options: ScoreOptions, data: Source, edges: dict[str, Any], max_clique: int | None
) -> tuple[Scoring, Graph | None]:
    """The Scoring, and the edges allowed without those of probability 0; DataError if no network has those of 1."""
    from ..common.errors import DataError
    from ..common.graphs.edge_constraints import cover, no_cover, shown
    from ..common.scores.allowed import within

    scoring, edges = scoring_of_options(options, data, edges)
    prior, allowed, required = scoring.prior, edges["allowed"], edges["required"]
    if prior.required:  # nearly required: the chains reach every network, and the sums are over all
        size = max_clique or data.n
        network, edge = cover(required, data.n, size, allowed, edges["forbidden"])
        if network is None:
            found = f"edge {shown(required, edge)} and the others of probability 1"
            reason = no_cover(required, data.n, size)
            raise DataError(f"--edge-priors: no network was found that has {found}{reason}; give some of them less")
        pairs = {**prior.pairs, **dict.fromkeys(prior.required, ALMOST_1)}
        scoring = replace(scoring, prior=replace(prior, pairs=pairs, required=()))
    return scoring, within(allowed, edges["forbidden"], data.n)


def _plan(config: PosteriorConfig, limits: LimitOptions) -> tuple[str, str]:
    """What will be done, and for how long."""
    if config.method == "exact":
        return f"{config.draws:,} exact draws", length_of(limits.given)
    changed_by = "" if limits.is_given else "--time-limit or --iterations"
    return f"{config.ladders} ladders of chains", length_of(limits.of_search, changed_by=changed_by)


def _chosen(
    config: PosteriorConfig, data: Source, how: SamplingOptions, limits: Limits, by_chains: bool
) -> PosteriorConfig:
    """The config with the method that is to be used; `by_chains`: an option is given that only chains have."""
    from ..common.data.incomplete import IncompleteData
    from ..common.models.any_graph import read_graph_of

    method = "exact" if how.draws else how.method
    by_chains = by_chains or how.ladders is not None or how.init is not None
    if isinstance(data, IncompleteData) or (method == "auto" and by_chains):
        method = "chains"
    config = replace(
        config,
        method=method,
        draws=how.draws or DRAWS,
        ladders=how.ladders or LADDERS,
        init=None if how.init is None else read_graph_of(how.init, data).graph,
        init_path=how.init or "-",
    )
    return replace(config, method=chosen_method(config, data.n, limits))


def main() -> None:
    """The console script."""
    command.main(mnposterior, "mnposterior")
