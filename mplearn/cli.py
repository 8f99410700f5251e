"""Command line of mplearn: its options; `mplearn.learner` does the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..common.cli import command
from ..common.cli.compatibility import add_conditions
from ..common.cli.data_options import blanket_output_options, incomplete_input_options
from ..common.cli.edges import known_edge_options
from ..common.cli.grouped import GroupedCommand
from ..common.cli.limit_options import limit_options
from ..common.cli.long_runs import checkpoint_options
from ..common.cli.option import ABSENT, GIVEN, WITHOUT_EM
from ..common.cli.options import standard_options, trace_option
from ..common.cli.resources import resource_options
from .config import Options, default_combination
from .options import NETWORK, SEARCHED, blanket_options, combine_option, config_options, score_options

if TYPE_CHECKING:
    from collections.abc import Collection


CONDITIONS: dict = {
    ("kind", "cmi"): {"thresholds": GIVEN},
    ("kind", "l1lr"): {"lambdas": GIVEN, "given": ABSENT, **WITHOUT_EM},
    "ess": {"kind": ("mpl", "l1lr")},  # the graph of l1lr is scored by mpl
    ("combine", "hc"): SEARCHED,
    ("combine", "pbo"): SEARCHED,
    "shard": {"blankets_only": GIVEN},
    "fmt": NETWORK,
    "use_names": NETWORK,
}


def _modes(options: dict[str, Any], _typed: Collection[str]) -> dict[str, Any]:
    """How the blankets are combined."""
    return {"combine": options["combine"] or default_combination(options["kind"])}


@click.command(cls=GroupedCommand, context_settings={"help_option_names": ["-h", "--help"]})
@add_conditions(CONDITIONS, _modes)
@incomplete_input_options
@score_options
@combine_option
@config_options
@blanket_options
@limit_options(result="the result so far: the graph, or the finished blankets")
@trace_option(", one row per blanket and per step.")
@known_edge_options
@blanket_output_options
@checkpoint_options
@standard_options
@resource_options
def mplearn(**options: Any) -> int:
    """Learn a Markov network from DATA, a CSV file; it need not be chordal.

    A - is standard input. First a Markov blanket is found for each variable, then the blankets are combined into one
    graph. The result is an edge list. When the time is up, or on Ctrl-C or SIGTERM (exit code 130), the best so far is
    written: the graph, or with --blankets-only the finished blankets. With --checkpoint another run can continue.

    Example: mplearn table.csv --score mpl -o network.edges
    """
    from .learner import prepare

    return command.run_learner(prepare, Options(**options))


def main() -> None:
    """The console script."""
    command.main(mplearn, "mplearn")
