"""The options of long runs: checkpoints, parts of the work (shards), many seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import click

from ..errors import UsageError
from ..files.shard import Shard
from .lists import FiniteFloat, Indices
from .paths import TracePath, filled
from .seed import seed_option
from .together import together


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


class SweepRun(NamedTuple):
    """One run of several.

    seed : int
    resample : int or None, the seed of the bootstrap sample that is drawn for it
    value : float or None, what is filled into the names of files
    """

    seed: int
    resample: int | None = None
    value: float | None = None


ONE_RUN = SweepRun(1)


@dataclass(frozen=True)
class SweepOptions:
    """One run, or several.

    Attributes
    ----------
    seed
        Of the random numbers of one run, and of all runs on bootstrap samples.
    seeds
        Those of several runs.
    resamples
        The seeds of bootstrap samples, one for each of several runs.
    shard
        The part of these runs that is done.
    """

    seed: int = 1
    seeds: tuple[int, ...] | None = None
    resamples: tuple[int, ...] | None = None
    shard: Shard | None = None

    def runs(self, *paths: str | None) -> Sequence[SweepRun]:
        """The runs to do, one after the other.

        Parameters
        ----------
        *paths
            Of the result, and of the other files of a run.

        Raises
        ------
        UsageError
            Files that several runs would write; a part of one run.
        """
        swept = self.seeds or self.resamples
        if swept is None:
            if self.shard is not None:
                raise UsageError("--shard needs --seeds or --resamples; add one of them, or leave it out")
            return [SweepRun(self.seed)]
        check_names_differ(swept, "seed", *paths)
        done: Sequence[int] = swept if self.shard is None else self.shard.stride(swept)
        return [SweepRun(value, None, value) if self.seeds else SweepRun(self.seed, value, value) for value in done]


def check_names_differ(values: Sequence[float | None], what: str, *paths: str | None) -> None:
    """Refuse to write the results of several values to one file.

    Parameters
    ----------
    what
        The name of a value, for the message.
    *paths
        Of the result, and of the other files of a run.
    """
    if len(values) > 1 and (paths[0] is None or any(path is not None and "{}" not in path for path in paths)):
        told = f"several {what}s make several networks; put {{}} for the {what} into the files' name: -o 'net-{{}}'"
        raise UsageError(told)


sweep_options = together(
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
)
