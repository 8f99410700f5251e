"""The options of long runs: what a run keeps so that another can go on from there."""

from dataclasses import dataclass

import click

from cliquewise.common.cli.options import FiniteFloat, together
from cliquewise.common.cli.paths import TracePath


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
