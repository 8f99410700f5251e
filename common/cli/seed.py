"""The option `--seed`."""

import click

from .option import ABSENT, option


class SeedNumber(click.IntRange):
    """A whole number from 0 that fits into 64 bits; the help does not show the upper limit."""

    def __init__(self) -> None:
        super().__init__(0, 2**63 - 1)

    def _describe_range(self) -> str:
        return "x>=0"


seed_option = option(
    "--seed",
    first=True,
    conditions={"seeds": ABSENT},
    type=SeedNumber(),
    default=1,
    show_default=True,
    metavar="N",
    help="Seed of the random numbers; the same seed gives the same result.",
)
