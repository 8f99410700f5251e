"""Options of mntools: how a network is drawn."""

from __future__ import annotations

import re
from typing import Any

import click

from ..common.cli.option import option
from ..common.cli.option_group import option_group
from ..common.drawing.style import LAYOUTS, Style


class PageSize(click.ParamType):
    """Width and height in inches, 12x8."""

    name = "page size"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[float, float]:
        """Parse one value."""
        sides = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*[xX,]\s*(\d+(?:\.\d+)?)\s*", value)
        if sides is None:
            self.fail(f"'{value}' is not a size; give width and height in inches, 12x8", param, ctx)
        return float(sides[1]), float(sides[2])


style_options = option_group(
    "style",
    Style,
    option("--title", first=True, default="", metavar="TEXT", help="A line above the picture."),
    option(
        "--legend/--no-legend",
        default=True,
        help="A caption below the picture.  [default: legend]",
    ),
    option("--size", first=True, type=PageSize(), metavar="WxH", help="Width and height in inches, such as 12x8."),
    option("--grey", first=True, is_flag=True, help="Without colours."),
    option(
        "--layout",
        first=True,
        type=click.Choice(LAYOUTS),
        help="By distances in the network, or in layers: parents above children, or outwards from one variable.",
    ),
)
