"""`--missing em` of the learners: they learn from completions of the rows, which are drawn when the data were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..learning.incomplete import EmOptions
from .compatibility import OF_EM
from .option_group import option_group
from .paths import TracePath

if TYPE_CHECKING:
    pass

em_options = option_group(
    "em",
    EmOptions,
    click.option(
        "--completions",
        type=click.IntRange(1, 1000),
        metavar="M",
        help="With --missing em: number of completions of each row with missing cells.",
    ),
    click.option(
        "--completed",
        type=TracePath(("csv",)),
        metavar="FILE",
        help="With --missing em: write the completed rows, by which the network is scored, as CSV.",
    ),
    rows=OF_EM,
)
