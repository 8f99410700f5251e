"""A run of coarsen from its options to certified networks: `prepare`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..common.learning.host import Host
from ..common.learning.options import SweepRun
from ..common.learning.priors import scoring_of_options
from ..common.learning.resources import Estimate
from ..common.learning.summary import length_of, log_summary
from ..common.learning.task import Certified, LearnerPlan, Task
from ..common.learning.trace import RecordTrace
from ..common.models.any_graph import read_graph_of
from .config import STARTS, Config, Options
from .learn import learn
from .size import needs_of
from .trace import Step


def prepare(options: Options, host: Host) -> LearnerPlan:
    """Read the data, and log the plan of the run.

    Raises
    ------
    UsageError, DataError, LimitError
        Options or data that are refused.
    """
    limits, resources = options.limits, options.resources
    if options.config.preset == "pgm2020":
        options = replace(options, output=options.output.as_published())
    task = Task.of("coarsen", options, host)
    given = task.load()
    score, known = scoring_of_options(options.scoring, given, options.edges.read(given))
    start = options.start or _default_start(options.config)
    network = None if start in STARTS else read_graph_of(start, given).graph
    data = task.completed(given, SweepRun(options.config.seed))
    steps = replace(options.steps, max_clique=options.max_clique)
    config = replace(options.config, start=start, start_network=network, steps=steps, **known)
    needs = needs_of(data, config, resources.cores)
    config = resources.fitted(config, needs)
    log_summary(data, _plan(config), length_of(limits), needs, config.cache_mb)

    def results() -> Iterator[Certified]:
        one = replace(task, scoring=score)
        trace, checkpoint = RecordTrace(options.trace, Step), one.checkpoint(data, score, config)
        with one.running(limits, trace, checkpoint, to_compile=(learn, data, score, config)) as monitor:
            result = learn(data, score, config, monitor)
            claims = one.claims(data, result, max_clique=options.max_clique)
            yield one.finish(data, result, claims, {"method": config.method}, config)

    return LearnerPlan(lambda: Estimate(data, needs, config.cache_mb, limits, more={"method": config.method}), results)


def _default_start(config: Config) -> str:
    """The default start of a method."""
    published = "tree" if config.preset == "pgm2020" else "best"
    return {"greedy": "empty", "forest": "forest"}.get(config.method, published)


def _plan(config: Config) -> str:
    """The plan of the run, in words."""
    work = {"ic": "coarsening", "fic": "coarsening with forced steps", "greedy": "greedy edges", "forest": "best"}
    start = {"best": "tree and forest", "empty": "no edges"}.get(config.start, config.start)
    search = "" if config.search is None else f", then local search for {config.search:g} s"
    return f"best {start}" if config.method == "forest" else f"{work[config.method]} from {start}{search}"
