"""The options of learners that list the best networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .lists import FiniteFloat
from .option import GIVEN, OUTPUT, option
from .paths import OutputPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from .option import Conditions

best_option = option(
    "--best",
    conditions={"networks": GIVEN},
    type=click.IntRange(min=1),
    metavar="N",
    help="With --networks: list the N best.  [default: 100]",
)
within_option = option(
    "--within",
    conditions={"networks": GIVEN},
    type=FiniteFloat(min=0),
    metavar="D",
    help="With --networks: list those that score at most D less than the best, up to 1000 or the number of --best.",
)


def networks_option(conditions: Conditions, help_: str) -> Callable:
    """The option of the file.

    Parameters
    ----------
    conditions
        As for `option`.
    help_
    """
    return option(
        "--networks",
        group=OUTPUT,
        conditions=conditions,
        in_header=True,
        type=OutputPath(by_default=False, formats=("networks",)),
        metavar="FILE",
        help=help_,
    )
