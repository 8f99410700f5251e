"""`mntools average --directions`: how strong arcs are, as in the table of R's bnlearn (`boot.strength`).

The strength of a pair of variables is the share of networks in which an edge joins them; the direction of an arc is the
share of these in which it points that way. An edge without a direction, as CPDAGs have them, counts half for each.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..common.data.csvwriter import cell_text
from ..common.errors import UsageError
from .average import weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..common.files.graphfile import GraphFile


def arc_strengths(files: Sequence[GraphFile], weight_by: str) -> dict[tuple[int, int], tuple[float, float]]:
    """The strength and the direction of every arc whose edge some network has.

    Parameters
    ----------
    files : sequence of GraphFile
        On the same variables.
    weight_by
        As for `average`.

    Returns
    -------
    dict of (int, int) to (float, float)
        For both directions of each edge, ascending.

    Raises
    ------
    UsageError
        No network has directions.
    DataError
        As `average`.
    """
    shares: dict[tuple[int, int], list[float]] = {}
    if all(file.dag is None and file.pdag is None for file in files):
        raise UsageError(
            f"--directions: {files[0].path} has no directions, nor has another network; leave the option out"
        )
    for file, weight in zip(files, weights_of(files, weight_by), strict=True):
        arcs, both = ((), file.graph.edges) if file.dag is None else (file.dag.arcs, ())
        if file.pdag is not None:
            arcs, both = file.pdag.arcs, file.pdag.undirected
        for u, v in arcs:
            shares.setdefault((u, v), []).append(weight)
        for u, v in both:
            for arc in ((u, v), (v, u)):
                shares.setdefault(arc, []).append(weight / 2)
    sums = {arc: math.fsum(weights) for arc, weights in shares.items()}
    found: dict[tuple[int, int], tuple[float, float]] = {}
    for u, v in {(min(arc), max(arc)) for arc in sums}:
        ways = {(u, v): sums.get((u, v), 0.0), (v, u): sums.get((v, u), 0.0)}
        strength = min(1.0, sum(ways.values()))
        found |= {arc: (strength, way / (sum(ways.values()) or 1.0)) for arc, way in ways.items()}
    return dict(sorted(found.items()))


def strengths_table(
    strengths: dict[tuple[int, int], tuple[float, float]], names: Sequence[str], least: float, above: float | None
) -> str:
    """The arcs as a CSV: from, to, strength, direction.

    Parameters
    ----------
    strengths
        Of `arc_strengths`.
    names
        Of the variables.
    least
        Strength of an edge that is listed.
    above
        If not None, only the arcs of edges that are stronger, and that point this way in at least half of them.
    """
    lines = ["from,to,strength,direction"]
    for (u, v), (strength, direction) in strengths.items():
        if strength >= least and (above is None or (strength > above and direction >= 0.5)):
            lines.append(f"{cell_text(names[u])},{cell_text(names[v])},{strength:.6f},{direction:.6f}")
    return "\n".join(lines) + "\n"
