"""Options for statements about the arcs of a Bayesian network; the parameter is `arcs`."""

from __future__ import annotations

from typing import Any

from ..learning.knowledge import ArcOptions
from ..networks.edges_in_memory import ARCS, ORDER, TIERS
from . import completion
from .option import INPUT, ListOption, option
from .option_group import option_group
from .paths import InputPath

_file: dict[str, Any] = {"group": INPUT, "first": False, "metavar": "FILE"}
_arcs: dict[str, Any] = {**_file, "type": InputPath(holds=ARCS)}
_names: dict[str, Any] = {
    "cls": ListOption,
    "group": INPUT,
    "first": False,
    "metavar": "NAMES",
    "shell_complete": completion.variables,
}

arc_options = option_group(
    "arcs",
    ArcOptions,
    option("--required-arcs", **_arcs, help="Require all arcs in FILE, lines parent,child."),
    option("--forbidden-arcs", **_arcs, help="Forbid the arcs in FILE, lines parent,child."),
    option(
        "--tiers",
        **_file,
        type=InputPath(holds=TIERS),
        help="Tiers, one per line, the earliest first: names with commas between. No arc leads to an earlier tier; a "
        "line that begins with none: has no arcs within.",
    ),
    option(
        "--order",
        "total_order",
        **_file,
        type=InputPath(holds=ORDER),
        help="An order of all variables: no arc leads to one listed before.",
    ),
    option("--roots", **_names, help="Variables without parents: A,B, a range A:F, a pattern sym_*."),
    option("--leaves", **_names, help="Variables without children, in the same form."),
)
