"""The options of long runs: checkpoints, parts of the work (shards), many seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ..errors import UsageError
from ..files.shard import Shard
from .lists import FiniteFloat, Indices
from .paths import TracePath, filled
from .together import all_of, together

if TYPE_CHECKING:
    from .options import LearningOptions, OutputOptions


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


@dataclass(frozen=True)
class CheckpointOptions:
    """Where a run keeps its checkpoint.

    Attributes
    ----------
    checkpoint
        The file; None keeps nothing.
    checkpoint_every
        Seconds between two writings, >= 0.
    resume
        Whether to continue from the file.
    """

    checkpoint: str | None = None
    checkpoint_every: float = 60.0
    resume: bool = False

    def named(self, value: float | None) -> CheckpointOptions:
        """The same for one value of a sweep, see `common.cli.paths.filled`."""
        return replace(self, checkpoint=filled(self.checkpoint, value))


checkpoint_options = together(
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
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="Write the checkpoint this often, and when the run ends.",
    ),
    click.option("--resume", is_flag=True, help="Continue from the checkpoint, if there is one."),
)


def shard_option(what: str, after: str = "; mntools merge puts the parts together") -> Callable:
    """`--shard`, a part of the work, described by `what`; `after` says how the parts are used."""
    return click.option("--shard", type=ShardType(), metavar="I/N", help=f"Only the I-th of N parts of {what}{after}.")


sweep_options = all_of(
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
)


class SweepRun(NamedTuple):
    """One run of several.

    seed : int
    resample : int or None, the seed of the bootstrap sample that is drawn for it
    value : int or None, what is filled into the names of files
    """

    seed: int
    resample: int | None = None
    value: int | None = None

    def of(
        self, source: LearningOptions, output: OutputOptions, data: Any
    ) -> tuple[LearningOptions, OutputOptions, Any]:
        """The LearningOptions, the OutputOptions and the data of this run."""
        output = replace(output, path=filled(output.path, self.value))
        if self.resample is None:
            return source, output, data
        source = replace(source, resample=self.resample)
        return source, output, source.sampled(data)


def sweep_of(options: dict, *paths: str | None) -> Sequence[SweepRun]:
    """The runs to do, one after the other.

    Parameters
    ----------
    options
        With `seed`, `seeds`, `resamples` and `shard`.
    *paths
        Of the result, and of the other files of a run.

    Raises
    ------
    UsageError
        Files that several runs would write; a part of one run.
    """
    seeds, resamples, shard = options["seeds"], options["resamples"], options["shard"]
    if seeds is None and resamples is None:
        if shard is not None:
            raise UsageError("--shard has no effect without --seeds or --resamples; leave it out, or add one of them")
        return [SweepRun(options["seed"])]
    swept = seeds or resamples
    if len(swept) > 1 and (paths[0] is None or any(path is not None and "{}" not in path for path in paths)):
        raise UsageError("several seeds make several networks; put {} for the seed into the files' name: -o 'net-{}'")
    swept = swept if shard is None else shard.stride(swept)
    return [SweepRun(value, None, value) if seeds else SweepRun(options["seed"], value, value) for value in swept]
