"""A run of junctor from its options to certified networks: `prepare`."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..common.bounds.reports import Round
from ..common.certify.bound import MAX_SETS, certify_bound
from ..common.certify.set_scores import set_score
from ..common.errors import CliquewiseError, UsageError
from ..common.files.atomic_write import write_whole
from ..common.files.prooffile import BoundProof, format_proof
from ..common.graphs.graph import Graph
from ..common.learning.host import Host
from ..common.learning.network_lists import listed_text, listing
from ..common.learning.options import OutputOptions, SweepRun
from ..common.learning.priors import scoring_of_options
from ..common.learning.resources import Estimate
from ..common.learning.summary import length_of, log_summary, sets_text
from ..common.learning.task import Certified, LearnerPlan, Task
from ..common.learning.trace import RecordTrace
from ..common.run.result import COMPLETE, GAP_REACHED, INTERRUPTED, OPTIMAL, LearnResult
from ..common.scores.scoring import Scoring
from ..common.sets.set_orders import set_count
from .config import Options
from .learn import check_variables, learn, uses_cutting
from .sections import format_sections
from .size import needs_of

if TYPE_CHECKING:
    from ..common.learning.load import Source

LOG = logging.getLogger("cliquewise")


def prepare(options: Options, host: Host) -> LearnerPlan:
    """Read the data, and log the plan of the run.

    Raises
    ------
    UsageError, DataError, LimitError
        Options or data that are refused.
    """
    max_width, max_clique, certificate = options.max_width, options.max_clique, options.certificate
    if max_width is not None and max_clique not in (None, max_width):
        raise UsageError(f"MAXWIDTH {max_width} and --max-clique {max_clique} contradict each other; give one")
    limits, resources, wanted = options.limits, options.resources, options.sections.wanted
    task = Task.of("junctor", options, host)
    given = task.load()
    score, known = scoring_of_options(options.scoring, given, options.edges.read(given))
    data = task.completed(given, SweepRun(options.config.seed))
    max_clique = max_width or max_clique
    config = options.config if options.networks is None else listing(options.config)
    config = replace(
        config, max_clique=max_clique, memory=resources.bytes, certificate=certificate is not None, **known
    )
    check_variables(data, config, limits)
    count = min(max_clique or data.n, data.max_size)
    if config.certificate and set_count(data.n, count) > MAX_SETS:
        raise UsageError(f"--certificate: more than {MAX_SETS} sets of variables to check; lower --max-clique")
    method, needs = needs_of(data, config, limits)
    work, end = f"dynamic program over {sets_text(data.n, count)}", "until it is done"
    if method == "ilp":
        work, end = f"cutting planes, {sets_text(data.n, count)}", "until the optimum is proved"
    log_summary(data, work, length_of(limits, end), needs)

    def results() -> Iterator[Certified]:
        one = replace(task, scoring=score)
        write = _sections_writer(data, score, options.output, wanted) if wanted else None
        trace, checkpoint = RecordTrace(options.trace, Round), one.checkpoint(data, score, config)
        with one.running(limits, trace, checkpoint, to_compile=(learn, data, score, config)) as monitor:
            result = learn(data, score, config, monitor)
            problem = None
            if certificate is not None:
                result, problem = _with_checked_proof(result, data, score, lambda: monitor.status != INTERRUPTED)
            details = result.proved() if uses_cutting(data.n, config, limits) else None
            claims = one.claims(data, result, max_clique=max_clique)
            found = one.finish(data, result, claims, details, config)
            if options.networks is not None:
                text = listed_text(one, data, result, found.header, config, claims, config)
            yield replace(found, write=write)
            if options.networks is not None:
                write_whole(options.networks, text)
            if certificate is not None:
                _write_certificate(certificate, result.proof, problem)

    return LearnerPlan(lambda: Estimate(data, needs, limits=limits, more={"method": method}), results)


def _with_checked_proof(
    result: LearnResult, data: Source, scoring: Scoring, should_continue: Callable
) -> tuple[LearnResult, str | None]:
    """The result without a proof whose check was stopped, and without a bound whose proof is wrong; and the errors."""
    problems: tuple[str, ...] = ()
    if result.proof is not None:
        listed = [graph.edges for graph, _ in result.networks]
        problems = certify_bound(result.proof, data, scoring, should_continue, listed)
    if not should_continue():
        return replace(result, proof=None), None
    if problems:
        status = COMPLETE if result.status in (OPTIMAL, GAP_REACHED) else result.status
        return replace(result, proof=None, upper_bound=math.inf, others=math.inf, status=status), problems[0]
    return result, None


def _write_certificate(path: str, proof: BoundProof | None, problem: str | None) -> None:
    """Write a proof of the bound, if there is one; CliquewiseError for one that failed its check."""
    if problem is not None:
        raise CliquewiseError(f"{path} failed its check and is not written; the network has no bound: {problem}")
    if proof is None:
        LOG.warning("%s is not written: there was no time for a bound or for its check; give the command more", path)
    else:
        write_whole(path, format_proof(proof))


def _sections_writer(data: Source, scoring: Scoring, output: OutputOptions, wanted: Sequence[str]) -> Callable:
    """A writer of the sections instead of a graph file."""

    def write(graph: Graph, header: dict[str, str]) -> None:
        def score_of(members: tuple[int, ...]) -> float:
            return set_score(data, members, scoring)

        proved = header["status"] == OPTIMAL
        write_whole(output.path, format_sections(graph, score_of, wanted, proved))

    return write
