"""The options of long runs: checkpoints, parts of the work (shards), many seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..files.shard import Shard
from ..learning.options import CheckpointOptions, SweepOptions
from .compatibility import KEEPING, SWEEP
from .lists import FiniteFloat, Indices
from .option_group import option_group
from .paths import TracePath
from .seed import seed_option


class ShardType(click.ParamType):
    """A part of the work, `3/8`: a Shard."""

    name = "part"

    def convert(self, value: str, param: Any, ctx: click.Context | None) -> Shard:
        """Parse one value."""
        shard = value if isinstance(value, Shard) else Shard.read(value)
        if shard is None:
            self.fail(f"'{value}' is not a part such as 1/8, the first of eight", param, ctx)
        return shard


class Seeds(Indices):
    """Seeds, `1-40`: an ascending tuple of int, with one result per seed."""

    name = "seeds"
    fills_names = True  # of the results, see `common.cli.paths`


checkpoint_options = option_group(
    "keeping",
    CheckpointOptions,
    click.option(
        "--checkpoint",
        type=TracePath(),
        metavar="FILE",
        help="Save the state of the run in FILE, so that --resume can continue it.",
    ),
    click.option(
        "--checkpoint-every",
        type=FiniteFloat(min=0),
        metavar="SECONDS",
        help="Write the checkpoint this often, and when the run ends.",
    ),
    click.option("--resume", is_flag=True, help="Continue from the checkpoint, if there is one."),
    rows=KEEPING,
)


def shard_option(what: str, after: str = "; mntools merge puts the parts together") -> Callable:
    """`--shard`, a part of the work, described by `what`; `after` says how the parts are used."""
    return click.option("--shard", type=ShardType(), metavar="I/N", help=f"Only the I-th of N parts of {what}{after}.")


sweep_options = option_group(
    "sweep",
    SweepOptions,
    seed_option,
    click.option(
        "--seeds",
        type=Seeds(),
        metavar="1-40,...",
        help="One run per seed; in the file name of -o, {} stands for the seed.",
    ),
    click.option(
        "--resamples",
        type=Seeds(),
        metavar="1-40,...",
        help="The same for bootstrap samples: see --resample.",
    ),
    shard_option("these runs", ""),
    rows=SWEEP,
)
