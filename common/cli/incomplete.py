"""`--missing em` of the learners: they learn from completions of the rows, which are drawn when the data were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..learning.incomplete import COMPLETIONS, EmOptions
from .option_group import option_group
from .paths import TracePath

if TYPE_CHECKING:
    pass

WITH_EM: dict = {"missing": ("em",)}  # the row of an option that only --missing em has
WITHOUT_EM: dict = {"missing": ("refuse", "state", "drop")}  # of one that it does not have
OF_EM = {"completions": WITH_EM, "completed": WITH_EM}


em_options = option_group(
    "em",
    EmOptions,
    click.option(
        "--completions",
        type=click.IntRange(1, 1000),
        default=COMPLETIONS,
        show_default=True,
        metavar="M",
        help="With --missing em: number of completions of each row with missing cells.",
    ),
    click.option(
        "--completed",
        type=TracePath(("csv",)),
        metavar="FILE",
        help="With --missing em: write the completed rows, by which the network is scored, as CSV.",
    ),
)
