"""A run of mnposterior from its options to certified networks: `prepare`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any

from ..common.counted import counted
from ..common.data.incomplete import IncompleteData
from ..common.errors import DataError
from ..common.files.atomic_write import write_whole
from ..common.files.listed_edges import listed_edges
from ..common.files.network_list import format_networks
from ..common.graphs.edge_constraints import cover, why_no_cover
from ..common.graphs.graph import Graph, shown
from ..common.learning.host import Host
from ..common.learning.options import ScoreOptions
from ..common.learning.priors import scoring_of_options
from ..common.learning.resources import Estimate
from ..common.learning.summary import length_of, log_summary
from ..common.learning.task import Certified, LearnerPlan, Task
from ..common.learning.trace import RecordTrace
from ..common.models.any_graph import read_graph_of
from ..common.run.limits import Limits
from ..common.scores.allowed import allowed_graph
from ..common.scores.scoring import Scoring
from .chains import PosteriorRow
from .config import DRAWS, LADDERS, Options, PosteriorConfig, SamplingOptions, chosen_method
from .learn import learn
from .size import needs_of
from .trajectory import trajectory_labels, write_trajectory

if TYPE_CHECKING:
    from ..common.learning.load import Source

LOG = logging.getLogger("cliquewise")
ALMOST_1 = 1.0 - 2.0**-53  # the prior probability of an edge that --edge-priors requires


def prepare(options: Options, host: Host) -> LearnerPlan:
    """Read the data, and log the plan of the run.

    Raises
    ------
    UsageError, DataError, LimitError
        Options or data that are refused.
    """
    limits, resources, files, checkpoints = options.limits, options.resources, options.files, options.checkpoints
    runs = options.sweep.runs(options.output.path, *astuple(files), checkpoints.checkpoint)
    task = replace(Task.of("mnposterior", options, host), em=None)  # chains draw missing cells
    data = task.completed(task.load())
    score, allowed, required = _with_prior(options.scoring, data, options.edges.read(data), options.max_clique)
    config = PosteriorConfig(max_clique=options.max_clique, allowed=allowed, memory=resources.bytes)
    needs_chains = any(name is not None for name in (checkpoints.checkpoint, *astuple(files)))  # only they write these
    config = _chosen(config, data, options.sampling, limits, needs_chains)
    needs = needs_of(data, config, resources.cores)
    by_chains = config.method == "chains"
    config = resources.fitted(config, needs) if by_chains else config
    log_summary(data, *_plan(config, limits), needs, config.cache_mb if by_chains else 0, len(runs))
    run_limits = limits.of_sampling if by_chains else limits

    def estimate() -> Estimate:
        needs.check(resources.bytes)  # as the run does
        return Estimate(data, needs, config.cache_mb, run_limits, len(runs), {"method": config.method})

    def results() -> Iterator[Certified]:
        for run in runs:
            one, rows = replace(task, scoring=score).for_run(run, data)
            own, run_files = replace(config, seed=run.seed), files.named(run.value)
            if run_files.trajectory is not None:
                trajectory_labels(rows.n, rows.names)  # before the work
            trace, checkpoint = RecordTrace(run_files.trace, PosteriorRow), one.checkpoint(rows, score, own)
            with one.running(run_limits, trace, checkpoint, to_compile=(learn, rows, score, own)) as monitor:
                result = learn(rows, score, own, monitor)
                found = one.finish_posterior(rows, result, own, max_clique=config.max_clique)
                _warn_of_unlikely(result.graph, required)
                graph, lines = listed_edges(found.graph, options.min_probability)
                yield replace(found, graph=graph, header={**found.header, **lines})
                if run_files.samples is not None:
                    write_whole(run_files.samples, format_networks(result.samples))
                if run_files.trajectory is not None:
                    write_trajectory(run_files.trajectory, result.samples, result.log_posteriors)
            if found.is_interrupted:
                return

    return LearnerPlan(estimate, results)


def _with_prior(
    options: ScoreOptions, data: Source, edges: dict[str, Any], max_clique: int | None
) -> tuple[Scoring, Graph | None, tuple[tuple[int, int], ...]]:
    """The Scoring, the edges allowed, and those of prior probability 1; DataError if no network has the latter."""
    scoring, edges = scoring_of_options(options, data, edges)
    prior, allowed, required = scoring.prior, edges["allowed"], edges["required"]
    if prior.required:  # nearly required: the chains reach every network, and the sums are over all
        size = max_clique or data.n
        network, edge = cover(required, data.n, size, allowed, edges["forbidden"])
        if network is None:
            found = f"edge {shown(edge, required.names)} and the others of probability 1"
            reason = why_no_cover(required, data.n, size)
            raise DataError(
                f"--edge-priors: no network was found that has {found}{reason}; give some of them a lower one"
            )
        pairs = {**prior.pairs, **dict.fromkeys(prior.required, ALMOST_1)}
        scoring = replace(scoring, prior=replace(prior, pairs=pairs, required=()))
    return scoring, allowed_graph(allowed, edges["forbidden"], data.n), prior.required


def _warn_of_unlikely(graph: Graph, required: tuple[tuple[int, int], ...]) -> None:
    """Report edges of prior probability 1 that sampled networks lack."""
    found = dict(zip(graph.edges, graph.probabilities or (), strict=True))
    for edge in required:
        if round(found.get(edge, 0.0), 2) < 1.0:
            message = (
                "edge %s has probability %.2f: its 1 in --edge-priors counts as 1 - 1e-16, which the data outweigh"
            )
            LOG.warning(message, shown(edge, graph.names), found.get(edge, 0.0))


def _plan(config: PosteriorConfig, limits: Limits) -> tuple[str, str]:
    """The plan of the run, and its time limit."""
    if config.method == "exact":
        return counted(config.draws, "exact draw"), length_of(limits)
    changed_by = "" if limits.is_given else "--time-limit or --iterations"
    return f"{counted(config.ladders, 'ladder')} of chains", length_of(limits.of_sampling, changed_by=changed_by)


def _chosen(
    config: PosteriorConfig, data: Source, sampling: SamplingOptions, limits: Limits, needs_chains: bool
) -> PosteriorConfig:
    """The config with the method that is to be used; `needs_chains`: an option is given that only chains have."""
    method = "exact" if sampling.draws else sampling.method
    needs_chains = needs_chains or sampling.ladders is not None or sampling.init is not None
    if isinstance(data, IncompleteData) or (method == "auto" and needs_chains):
        method = "chains"
    config = replace(
        config,
        method=method,
        draws=sampling.draws or DRAWS,
        ladders=sampling.ladders or LADDERS,
        init=None if sampling.init is None else read_graph_of(sampling.init, data).graph,
        init_path=sampling.init or "-",
    )
    return replace(config, method=chosen_method(config, data.n, limits))
