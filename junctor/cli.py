"""Command line of junctor: parses, calls `junctor.learn`, certifies, writes."""

import time

import click

from cliquewise.common.cli import command
from cliquewise.common.cli.compatibility import ABSENT, ALWAYS, INPUT, SCORE, goes_with
from cliquewise.common.cli.options import FiniteFloat, all_of, allowed_option, learner_options, threads_option
from cliquewise.common.errors import UsageError


def _section(letter, name, what):
    return click.option(f"-{letter}", name, is_flag=True, help=f"Print {what}, as the original does.")


section_options = all_of(
    _section("s", "solution", "the score of each clique and separator, and in all"),
    _section("t", "tree", "a junction tree"),
    _section("m", "matrix", "the adjacency matrix"),
    _section("d", "dot", "a dot file"),
    _section("a", "everything", "all four of these"),
)


SECTIONS = ("solution", "tree", "matrix", "dot", "everything")
NO_SECTION = dict.fromkeys(SECTIONS, ABSENT)
GOES_WITH = {
    **INPUT,
    **SCORE,
    "max_clique": ALWAYS,
    "fmt": NO_SECTION,
    "use_names": NO_SECTION,
    "path": ALWAYS,
    "max_width": ALWAYS,
    **dict.fromkeys(SECTIONS, ALWAYS),
    "bounds": ALWAYS,
    "memory": ALWAYS,
    "allowed_edges": ALWAYS,
    "threads": ALWAYS,
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@goes_with(GOES_WITH)
@learner_options
@click.argument("max_width", metavar="[MAXWIDTH]", type=click.IntRange(min=1), required=False)
@section_options
@click.option(
    "--bounds/--no-bounds",
    default=True,
    help="Leave out sets that no optimal network can hold; the result is the same.  [default: bounds]",
)
@click.option(
    "--memory",
    type=FiniteFloat(min=0, min_open=True),
    metavar="GB",
    help="Refuse to run if the tables need more; default is what the machine has left.",
)
@allowed_option
@threads_option
def junctor(source, scoring, output, max_clique, max_width, bounds, memory, allowed_edges, threads, **sections):
    """Find an optimal chordal Markov network from DATA by dynamic programming.

    DATA is a clique-score file or a CSV; - is standard input. MAXWIDTH is the same bound as --max-clique. The
    optimal network is written as a clique list, or in sections like the original Junctor's if any of -s -t -m -d
    -a is given. On Ctrl-C or SIGTERM the best network known, if any, is written (exit code 130).
    """
    from cliquewise.common.cli.task import Task
    from cliquewise.common.files.graphfile import read_graph_of
    from cliquewise.junctor.learn import Exact

    if max_width is not None and max_clique not in (None, max_width):
        raise UsageError(f"MAXWIDTH {max_width} and --max-clique {max_clique} contradict each other; give one")
    task = Task("junctor", source, scoring, output, max_width or max_clique)
    data = task.load()
    allowed = None if allowed_edges is None else read_graph_of(allowed_edges, data).graph
    how = Exact(task.max_clique, bounds, None if memory is None else memory * 1e9, threads, allowed)
    wanted = _wanted(**sections)
    write = _sections_writer(data, scoring, output, wanted) if wanted else None
    with command.stop_array() as stop:
        result = _run(data, scoring, how, stop)
        return task.finish(data, result, write=write, allowed=allowed)


def _wanted(everything, **sections):
    """The names of the sections to print."""
    return [name for name, given in sections.items() if given or everything]


def _run(data, scoring, how, stop):
    """The dynamic program, with its progress line, heeding `stop`."""
    from cliquewise.common.cli.progress import ProgressLine
    from cliquewise.junctor.learn import learn

    began = {}

    with ProgressLine(steps=1000) as line:

        def on_progress(done, total, phase):
            seconds = time.monotonic() - began.setdefault(phase, time.monotonic())
            left = f", about {seconds * (total - done) / done:.0f} s left" if done else ""
            line.update(seconds, int(1000 * done / total), phase + left)

        return learn(data, scoring.score_type, scoring.ess, how, on_progress, stop)


def _sections_writer(data, scoring, output, wanted):
    """What writes the sections in place of a graph file."""
    from cliquewise.common.certify.cliques import set_score
    from cliquewise.common.files.atomic import write_whole
    from cliquewise.common.search.result import OPTIMAL
    from cliquewise.junctor.sections import format_sections

    def write(graph, header):
        def score_of(members):
            return set_score(data, members, scoring.score_type, scoring.ess)

        proved = header["status"] == OPTIMAL
        write_whole(output.path, format_sections(graph, score_of, wanted, proved))

    return write


def main():
    """The console script."""
    command.main(junctor, "junctor")
