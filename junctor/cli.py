"""Command line of junctor: parses, calls `junctor.learn`, certifies, writes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from ..common.cli import command
from ..common.cli.choice import choosing
from ..common.cli.compatibility import ABSENT, ALWAYS, CHOICE, KEEPING, LEARNING, RESOURCES, SCORE, goes_with
from ..common.cli.edges import edge_options
from ..common.cli.first_line import length_of, say_first, sets_text
from ..common.cli.grouped import GroupedCommand
from ..common.cli.incomplete import OF_EM, WITHOUT_EM
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import SweepRun, checkpoint_options
from ..common.cli.options import learner_options, trace_option
from ..common.cli.paths import OutputPath
from ..common.cli.priors import scoring_of_options
from ..common.cli.resources import uncached_resource_options
from ..common.cli.seed import seed_option
from ..common.cli.together import together
from ..common.errors import CliquewiseError, UsageError
from ..common.run.result import INTERRUPTED
from .config import Config

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..common.cli.edges import EdgeOptions
    from ..common.cli.incomplete import EmOptions
    from ..common.cli.limit_options import LimitOptions
    from ..common.cli.load import Source
    from ..common.cli.long_runs import CheckpointOptions
    from ..common.cli.options import LearningOptions, OutputOptions
    from ..common.cli.resources import ResourceOptions
    from ..common.cli.score_options import ScoreOptions
    from ..common.files.prooffile import BoundProof
    from ..common.graphs.graph import Graph
    from ..common.run.result import LearnResult
    from ..common.scores.scoring import Scoring

SECTIONS = ("solution", "tree", "matrix", "dot", "everything")


@dataclass(frozen=True)
class SectionOptions:
    """The sections of the original's output that are printed, instead of a graph file."""

    solution: bool = False
    tree: bool = False
    matrix: bool = False
    dot: bool = False
    everything: bool = False

    @property
    def wanted(self) -> list[str]:
        """Their names, in the order of the output."""
        return [name for name in SECTIONS[:-1] if self.everything or getattr(self, name)]


def _section(letter: str, name: str, what: str) -> Callable:
    return click.option(f"-{letter}", name, is_flag=True, help=f"Print {what}, as the original does.")


section_options = together(
    "sections",
    SectionOptions,
    _section("s", "solution", "the score of each clique and separator, and in all"),
    _section("t", "tree", "a junction tree"),
    _section("m", "matrix", "the adjacency matrix"),
    _section("d", "dot", "a dot file"),
    _section("a", "everything", "all four of these"),
)
config_options = together(
    "config",
    Config,
    click.option(
        "--bounds/--no-bounds",
        default=True,
        help="Leave out sets that no optimal network can contain; the result is the same.  [default: bounds]",
    ),
    click.option(
        "--method",
        type=click.Choice(["auto", "dp", "ilp"]),
        default=Config.method,
        show_default=True,
        help="Dynamic program or cutting planes; auto chooses by the number of variables.",
    ),
    click.option(
        "--gap",
        type=FiniteFloat(min=0),
        default=0.0,
        show_default=True,
        metavar="SHARE",
        help="Stop once (upper bound - score) / |score of the network| is at most this.",
    ),
    seed_option,
)


NO_SECTION = dict.fromkeys(SECTIONS, ABSENT)
EDGES = ("allowed_edges", "required_edges", "forbidden_edges")
GOES_WITH = {
    **LEARNING,
    **SCORE,
    **OF_EM,
    "choose": {**CHOICE, **WITHOUT_EM, **dict.fromkeys((*SECTIONS, "trace", "checkpoint", "certificate"), ABSENT)},
    "max_clique": ALWAYS,
    "fmt": NO_SECTION,
    "use_names": NO_SECTION,
    "path": ALWAYS,
    "provenance": NO_SECTION,
    "max_width": ALWAYS,
    **dict.fromkeys(SECTIONS, ALWAYS),
    "bounds": ALWAYS,
    "allowed_edges": ALWAYS,
    "forbidden_edges": ALWAYS,
    "method": ALWAYS,
    **dict.fromkeys(("required_edges", "gap", "trace"), {"method": ("auto", "ilp")}),
    "certificate": {"method": ("auto", "ilp"), **dict.fromkeys(EDGES, ABSENT)},
    "seed": ALWAYS,
    "time_limit": ALWAYS,
    **RESOURCES,
    **KEEPING,
}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH)
@learner_options
@click.argument("max_width", metavar="[MAXWIDTH]", type=click.IntRange(min=1), required=False)
@section_options
@config_options
@edge_options
@limit_options()
@click.option(
    "--certificate",
    type=OutputPath(by_default=False),
    metavar="FILE",
    help="Write a proof of the upper bound to FILE, for mntools check.",
)
@uncached_resource_options
@checkpoint_options
@trace_option(", one row per round of the cutting planes.")
@choosing
def junctor(
    source: LearningOptions,
    scoring: ScoreOptions,
    output: OutputOptions,
    em: EmOptions,
    max_clique: int | None,
    max_width: int | None,
    sections: SectionOptions,
    config: Config,
    edges: EdgeOptions,
    limits: LimitOptions,
    certificate: str | None,
    resources: ResourceOptions,
    keeping: CheckpointOptions,
    trace: str | None,
) -> int:
    """Find an optimal chordal Markov network from DATA by dynamic programming or cutting planes.

    DATA is a clique-score file or a CSV; - is standard input. MAXWIDTH is the same bound as --max-clique. The
    optimal network is written as a clique list, or in sections like the original Junctor's if any of -s -t -m -d
    -a is given. On Ctrl-C or SIGTERM the best network known, if any, is written (exit code 130). With
    --checkpoint another run can start from this network and the bound.
    """
    from ..common.bounds.reports import Round
    from ..common.certify.bound import MOST_SETS
    from ..common.cli.task import Task
    from ..common.cli.trace import RecordTrace
    from ..common.sets.set_orders import set_count
    from .learn import learn, wants_cutting
    from .size import needs_of

    if max_width is not None and max_clique not in (None, max_width):
        raise UsageError(f"MAXWIDTH {max_width} and --max-clique {max_clique} contradict each other; give one")
    task = Task("junctor", source, output, resources, keeping, em=em, seconds=limits.time_limit)
    data = task.load(SweepRun(config.seed))
    score, known = scoring_of_options(scoring, data, edges.read(data))
    task = replace(task, scoring=score)
    max_clique = max_width or max_clique
    config = replace(
        config, max_clique=max_clique, memory=resources.bytes, certificate=certificate is not None, **known
    )
    count = min(max_clique or data.n, data.max_size)
    if config.certificate and set_count(data.n, count) > MOST_SETS:
        raise UsageError(f"--certificate: more than {MOST_SETS} sets of variables to check; lower --max-clique")
    method, needs = needs_of(data, config, limits.given)
    work, end = f"dynamic program over {sets_text(data.n, count)}", "until it is done"
    if method == "ilp":
        work, end = f"cutting planes, {sets_text(data.n, count)}", "until the optimum is proved"
    say_first(data, work, length_of(limits.given, end), needs)
    if resources.dry_run:
        return resources.print_estimate(data, needs, limits=limits.given, method=method)
    write = _sections_writer(data, score, output, sections.wanted) if sections.wanted else None
    with task.running(limits.given, RecordTrace(trace, Round), task.checkpoint(data, score, config)) as monitor:
        result = learn(data, score, config, monitor)
        problem = None
        if certificate is not None:
            result, problem = _with_checked_proof(result, data, score, lambda: monitor.status != INTERRUPTED)
        details = result.proved() if wants_cutting(data.n, config, limits.given) else None
        claims = task.claims(data, result, max_clique=max_clique)
        code = task.finish(data, result, claims, details, write, config)
        if certificate is not None:
            _write_certificate(certificate, result.proof, problem)
        return code


def _with_checked_proof(
    result: LearnResult, data: Source, scoring: Scoring, may_go_on: Callable
) -> tuple[LearnResult, str | None]:
    """The result without a proof whose check was stopped, and without a bound whose proof is wrong; what is wrong."""
    from ..common.certify.bound import certify_bound
    from ..common.run.result import COMPLETE, GAP_REACHED, OPTIMAL

    problems: tuple[str, ...] = ()
    if result.proof is not None:
        problems = certify_bound(result.proof, data, scoring, may_go_on)
    if not may_go_on():
        return replace(result, proof=None), None
    if problems:
        status = COMPLETE if result.status in (OPTIMAL, GAP_REACHED) else result.status
        return replace(result, proof=None, upper_bound=math.inf, status=status), problems[0]
    return result, None


def _write_certificate(path: str, proof: BoundProof | None, problem: str | None) -> None:
    """Write a proof of the bound, if there is one; CliquewiseError for one that failed its check."""
    from ..common.files.atomic_write import write_whole
    from ..common.files.prooffile import format_proof

    if problem is not None:
        raise CliquewiseError(f"{path} failed its check and is not written; the network has no bound: {problem}")
    if proof is None:
        command.LOG.warning("%s is not written: there was no time for a bound or for its check", path)
    else:
        write_whole(path, format_proof(proof))


def _sections_writer(data: Source, scoring: Scoring, output: OutputOptions, wanted: Sequence[str]) -> Callable:
    """A writer of the sections instead of a graph file."""
    from ..common.certify.set_scores import set_score
    from ..common.files.atomic_write import write_whole
    from ..common.run.result import OPTIMAL
    from .sections import format_sections

    def write(graph: Graph, header: dict[str, str]) -> None:
        def score_of(members: tuple[int, ...]) -> float:
            return set_score(data, members, scoring)

        proved = header["status"] == OPTIMAL
        write_whole(output.path, format_sections(graph, score_of, wanted, proved))

    return write


def main() -> None:
    """The console script."""
    command.main(junctor, "junctor")
