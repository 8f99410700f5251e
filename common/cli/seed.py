"""The option `--seed`."""

import click

from .option import ABSENT, option

seed_option = option(
    "--seed",
    first=True,
    conditions={"seeds": ABSENT},
    type=click.IntRange(0, 2**63 - 1),
    default=1,
    show_default=True,
    metavar="N",
    help="Seed of the random numbers; the same seed gives the same result.",
)
