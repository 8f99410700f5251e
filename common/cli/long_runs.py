"""The options of long runs: checkpoints, parts of the work (shards), many seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..files.shard import Shard
from ..learning.options import CheckpointOptions, SweepOptions
from .lists import FiniteFloat, Indices
from .option import ABSENT, GIVEN, LONG_RUNS, OF_DATA, option
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
    has_several_values = True  # of the results, see `common.cli.paths`


checkpoint_options = option_group(
    "checkpoints",
    CheckpointOptions,
    option(
        "--checkpoint",
        first=True,
        group=LONG_RUNS,
        type=TracePath(("checkpoint",)),
        metavar="FILE",
        help="Save the state of the run in FILE, so that --resume can continue it.",
    ),
    option(
        "--checkpoint-every",
        first=False,
        group=LONG_RUNS,
        conditions={"checkpoint": GIVEN},
        in_header=False,
        type=FiniteFloat(min=0),
        metavar="SECONDS",
        help="Write the checkpoint this often, and when the run ends.",
    ),
    option(
        "--resume",
        first=True,
        group=LONG_RUNS,
        conditions={"checkpoint": GIVEN},
        in_header=False,
        is_flag=True,
        help="Continue from the checkpoint, if there is one.",
    ),
)


def shard_option(what: str, after: str = "; mntools merge puts the parts together") -> Callable:
    """`--shard`, a part of the work, described by `what`; `after` says how the parts are used."""
    return option(
        "--shard",
        first=False,
        group=LONG_RUNS,
        in_header=False,
        in_python=False,
        type=ShardType(),
        metavar="I/N",
        help=f"Only the I-th of N parts of {what}{after}.",
    )


sweep_options = option_group(
    "sweep",
    SweepOptions,
    seed_option,
    option(
        "--seeds",
        group=LONG_RUNS,
        in_python=False,
        type=Seeds(),
        metavar="1-40,...",
        help="One run per seed; in the file name of -o, {} stands for the seed.",
    ),
    option(
        "--resamples",
        group=LONG_RUNS,
        conditions={**OF_DATA, "resample": ABSENT, "seeds": ABSENT},
        in_python=False,
        type=Seeds(),
        metavar="1-40,...",
        help="The same for bootstrap samples: see --resample.",
    ),
    shard_option("these runs", ""),
)
