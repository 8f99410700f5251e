"""`--missing em` of the learners: they learn from completions of the rows, which are drawn when the data were read."""

from __future__ import annotations

import click

from ..learning.incomplete import EmOptions
from .option import WITH_EM, option
from .option_group import option_group
from .paths import TracePath

em_options = option_group(
    "em",
    EmOptions,
    option(
        "--completions",
        first=False,
        conditions=WITH_EM,
        type=click.IntRange(1, 1000),
        metavar="M",
        help="With --missing em: number of completions of each row with missing cells.",
    ),
    option(
        "--completed",
        first=False,
        conditions=WITH_EM,
        type=TracePath(("csv",)),
        metavar="FILE",
        help="With --missing em: write the completed rows, by which the network is scored, as CSV.",
    ),
)
