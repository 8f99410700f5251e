"""The options of long runs: what a run keeps so that another can go on from there, parts of the work, many seeds."""

from dataclasses import dataclass, replace

import click

from cliquewise.common.cli.lists import Indices
from cliquewise.common.cli.options import FiniteFloat, together
from cliquewise.common.cli.paths import TracePath, filled
from cliquewise.common.errors import UsageError
from cliquewise.common.files.shard import Shard


class ShardType(click.ParamType):
    """A part of the work, `3/8`: a Shard."""

    name = "part"

    def convert(self, value, param, ctx):
        """Parse one value."""
        shard = value if isinstance(value, Shard) else Shard.read(value)
        if shard is None:
            self.fail(f"'{value}' is no part like 1/8, the first of eight", param, ctx)
        return shard


class Seeds(Indices):
    """Seeds, `1-40`: an ascending tuple of int, for each of which there is a result."""

    name = "seeds"
    fills_names = True  # of the results, see `common.cli.paths`


@dataclass(frozen=True)
class CheckpointOptions:
    """Where a run keeps what another can go on from.

    Attributes
    ----------
    checkpoint : str or None
        The file; None keeps nothing.
    checkpoint_every : float
        Seconds between two writings, >= 0.
    resume : bool
        Whether to go on from the file.
    """

    checkpoint: str | None = None
    checkpoint_every: float = 60.0
    resume: bool = False

    def named(self, value):
        """The same for one value of a sweep, see `common.cli.paths.filled`."""
        return replace(self, checkpoint=filled(self.checkpoint, value))


checkpoint_options = together(
    "keeping",
    CheckpointOptions,
    click.option(
        "--checkpoint",
        type=TracePath(),
        metavar="FILE",
        help="Keep in FILE what a run that is ended early can go on from.",
    ),
    click.option(
        "--checkpoint-every",
        type=FiniteFloat(min=0),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help="Write the checkpoint this often, and when the run ends.",
    ),
    click.option("--resume", is_flag=True, help="Go on from the checkpoint, if there is one."),
)


def shard_option(what, after="; mntools merge puts the parts together"):
    """`--shard`, a part of the work: of what, and what is done with the parts."""
    return click.option("--shard", type=ShardType(), metavar="I/N", help=f"Only the I-th of N parts of {what}{after}.")


seeds_option = click.option(
    "--seeds",
    type=Seeds(),
    metavar="1-40,...",
    help="A run for each of these seeds, to the files that -o names with {} in the seed's place.",
)


def seeds_of(options, *paths):
    """The seeds to run, one after the other.

    Parameters
    ----------
    options : dict
        With `seed`, `seeds` and `shard`.
    *paths : str or None
        Of the result, and of what else a run writes.

    Returns
    -------
    sequence of (int, int or None)
        Seed, and what to fill into the names of files.

    Raises
    ------
    UsageError
        Files that several runs would write.
    """
    seeds = options["seeds"]
    if seeds is None:
        return [(options["seed"], None)]
    if len(seeds) > 1 and (paths[0] is None or any(path is not None and "{}" not in path for path in paths)):
        raise UsageError("several seeds make several networks; put {} for the seed into the files' name: -o 'net-{}'")
    seeds = seeds if options["shard"] is None else options["shard"].stride(seeds)
    return [(seed, seed) for seed in seeds]
