"""Command line of lsmarkov: its options; `lsmarkov.learner` does the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.choice_option import choose_option
from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import learner_options
from ..common.cli.edges import edge_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options
from ..common.cli.lists import FiniteFloat
from ..common.cli.long_runs import checkpoint_options, sweep_options
from ..common.cli.option import ABSENT, GIVEN, INPUT, OF_DATA, OUTPUT, Conditions, option
from ..common.cli.option_group import option_group
from ..common.cli.options import trace_option
from ..common.cli.paths import InputPath
from ..common.cli.resources import resource_options
from ..common.networks.edges_in_memory import NETWORK
from .config import OPERATIONS, PUBLISHED, RESTART_RATE, Config, Options, ReportOptions

if TYPE_CHECKING:
    from collections.abc import Collection


class Operations(click.ParamType):
    """Some of the letters C, E and V."""

    name = "letters"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        """Check one value."""
        if not value or set(value.upper()) - set("CEV"):
            self.fail(f"{value!r} is not made of the letters C, E and V", param, ctx)
        return "".join(sorted(set(value.upper())))


PUBLISHED_ONLY: Conditions = {"preset": ("ecai2020",)}
_published = (  # each of the last five chooses the search as published
    option(
        "--preset",
        type=click.Choice(["default", "ecai2020"]),
        help="The default search, or exactly that of the ECAI 2020 paper; each of the next five options selects the "
        "latter.",
    ),
    option(
        "--operations",
        conditions={**PUBLISHED_ONLY, "greedy": ABSENT},
        type=Operations(),
        metavar="CEV",
        help=f"Neighbourhoods: some of C(lique), E(dge), V(ertex).  [default: {OPERATIONS}]",
    ),
    option(
        "--greedy",
        conditions=PUBLISHED_ONLY,
        is_flag=True,
        help="The paper's greedy baseline: the best edge in each step.",
    ),
    option(
        "--restart-rate",
        conditions=PUBLISHED_ONLY,
        type=click.IntRange(min=1),
        metavar="T",
        help=f"Steps without progress before a restart.  [default: {RESTART_RATE}]",
    ),
    option(
        "--fixed-iters",
        conditions=PUBLISHED_ONLY,
        is_flag=True,
        help="Restart after every --restart-rate steps, with or without progress.",
    ),
    option(
        "--dynamictw",
        "dynamic_bound",
        conditions=PUBLISHED_ONLY,
        is_flag=True,
        help="Start with cliques of 2, allow one more vertex per restart.",
    ),
)
config_options = option_group(
    "config",
    Config,
    option(
        "--chow-liu/--no-chow-liu",
        conditions={"init": ABSENT},
        default=True,
        help="Start from the best forest, grown by the best edges, or the empty graph.  [default: chow-liu]",
    ),
    option(
        "--precompute",
        conditions={**OF_DATA, "max_clique": GIVEN},
        is_flag=True,
        help="Compute all scores up to --max-clique before the search.",
    ),
    *_published,
)
report_options = option_group(
    "reports",
    ReportOptions,
    option(
        "--bound",
        type=FiniteFloat(min=0, min_open=True, max=1e9),
        metavar="SECONDS",
        help="After the search, compute an upper bound on all scores for this many seconds; write it and the gap.",
    ),
    trace_option(": seconds, step, restart, score, largest clique, scores computed."),
    option(
        "--updates",
        group=OUTPUT,
        in_header=False,
        in_python=False,
        is_flag=True,
        help="Print an update line and a solution line for each improvement.",
    ),
)


NOT_PRINTED = {"updates": ABSENT}  # updates print the network in their own form
CONDITIONS = {
    "fmt": NOT_PRINTED,
    "use_names": NOT_PRINTED,
    "provenance": NOT_PRINTED,
    "required_edges": {"preset": ("default",)},
}


def _modes(options: dict[str, Any], typed: Collection[str]) -> dict[str, Any]:
    """The preset, which options of the published search also select; and whether updates replace the output."""
    chosen = "preset" not in typed and any(options[name] for name in PUBLISHED)
    return {
        "preset": "ecai2020" if chosen else options["preset"],
        "updates": options["updates"] and options["path"] is None,
    }


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@add_conditions(CONDITIONS, _modes)
@learner_options
@limit_options("Stop after N steps of the search.", has_target=True)
@option(
    "--init", group=INPUT, type=InputPath(holds=NETWORK), metavar="GRAPH", help="Start from the network in this file."
)
@config_options
@report_options
@edge_options
@resource_options
@sweep_options
@checkpoint_options
@choose_option
def lsmarkov(choose: str | None, **options: Any) -> int:
    """Learn a chordal Markov network from DATA by stochastic local search.

    DATA is a CSV or a clique-score file; - is standard input. The best network found is written as a clique list
    when the time is up, or on Ctrl-C or SIGTERM (exit code 130). Without --time-limit, --iterations or
    --target-score the search ends when it has found nothing better for three times as long as it took to find the
    best network, but at least 5 and at most 60 seconds. Then the result depends on the clock; with --iterations a
    second run finds the same.
    With --checkpoint another run can continue the search.

    Example: lsmarkov table.csv --missing em --time-limit 60 -o network.cliques
    """
    from .learner import prepare

    return command.run_learner(prepare, Options(**options), choose)


def main() -> None:
    """The console script."""
    command.main(lsmarkov, "lsmarkov")
