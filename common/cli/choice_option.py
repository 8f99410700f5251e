"""`--choose`: which of several `--ess` is kept, see `common.learning.choice`."""

import click

from ..learning.choice import CV, EVIDENCE, FOLDS
from .paths import InputPath

choose_option = click.option(
    "--choose",
    type=InputPath(words=(CV, EVIDENCE)),
    metavar="[cv|evidence|FILE]",
    help=f"How one of several --ess is chosen: by cross-validation in {FOLDS} parts, by the score, or by the "
    "probability of the rows in this file.",
)
