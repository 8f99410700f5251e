"""`mntools compare`: a learned graph against the true one, edge by edge; and the edges of several graphs side by side.

tp are edges in both, fp only in the first, fn only in the second; the Hamming distance is fp + fn. Precision
is tp / (tp + fp), recall tp / (tp + fn), f1 their harmonic mean; each is 1 if there is nothing to count. These ignore
directions. If both graphs have some, missing, extra and reversed edges and their sum, the structural Hamming distance
(shd), are counted as well, and the same distance between the CPDAGs, in which equivalent networks do not differ.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ..chains.diagnostics import MAX_R_HAT
from ..counted import counted
from ..errors import DataError, UsageError
from ..files.graphfile import resolved
from ..graphs.dag import Dag
from ..graphs.graph import shown
from ..graphs.pdag import cpdag, structural_distance
from ..models.any_graph import read_raw
from ..number_text import is_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..files.graph_labels import RawGraph
    from ..files.graphfile import GraphFile
    from ..graphs.graph import Graph

LOG = logging.getLogger("cliquewise")


def read_pair(learned: str, truth: str) -> tuple[GraphFile, GraphFile]:
    """Read two graph files on the same variables.

    Vertices are matched by name if both files have names, otherwise by index. A true graph given as a list of names
    without a header is on the learned graph's variables.

    Parameters
    ----------
    learned, truth
        Paths.

    Raises
    ------
    DataError
        Different variables.
    """
    return pair_of(*((read_raw(path), path) for path in (learned, truth)))


def pair_of(*pair: tuple[RawGraph, str]) -> tuple[GraphFile, GraphFile]:
    """The same of two graphs, each with its name; raises as `read_pair`."""
    (_, learned), (_, truth) = pair
    here, there = (_names_in(*one) for one in pair)
    for extra, path in ((set(here) - set(there), learned), (set(there) - set(here), truth)):
        if here and there and extra:
            advice = "if it has no edge there, write that graph in a format that lists all variables"
            raise DataError(f"variable '{min(extra)}' is not in the other graph; {advice}", path)
    first, second = (resolved(raw, path, here or there or None) for raw, path in pair)
    small, large = sorted((first, second), key=lambda file: file.graph.n)
    if small.stated and small.graph.n < large.graph.n:
        raise DataError(f"{counted(first.graph.n, 'vertex', 'vertices')}, but {second.graph.n} in {truth}", learned)
    return first, second


def warn_of_chains(files: Sequence[GraphFile]) -> None:
    """Warn of files of probabilities whose chains have not converged: these differ without any other reason."""
    for file in {file.path: file for file in files}.values():
        found = file.header.get("r-hat-edges", "")
        if found == "inf" or (is_number(found) and float(found) > MAX_R_HAT):
            LOG.warning(
                "%s: the chains have not converged (R-hat %s, 1.01 is good): differences may be due to this; "
                "let them run longer",
                file.path,
                found,
            )


def _names_in(raw: RawGraph, path: str) -> tuple[str, ...]:
    """The names of the vertices that a file lists; none for a list of names without a header."""
    try:
        return resolved(raw, path).graph.names or ()
    except DataError:
        return ()


def compare(learned: GraphFile, truth: GraphFile, least: float | None = None) -> dict[str, float]:
    """Count agreeing and differing edges.

    Parameters
    ----------
    learned, truth
        On the same vertices.
    least
        The probability from which an edge with a probability counts as an edge.

    Returns
    -------
    dict of str to int or float
        tp, fp, fn, hamming, precision, recall, f1; if both graphs have directions, also missing, extra, reversed and
        shd, and shd-cpdag if neither has a directed cycle; if both have probabilities, also their largest difference,
        and the mean difference over the edges of either graph (a missing edge has probability 0), and nothing else
        without `least`.

    Raises
    ------
    UsageError
        Only one graph's edges have probabilities, and there is no `least`; or none has, and there is.
    """
    one, other = learned.graph, truth.graph
    differences = _of_probabilities(one, other)
    unsure = [file.path for file in (learned, truth) if file.graph.probabilities is not None]
    if least is None and unsure:
        if differences:
            return differences
        raise UsageError(
            f"{unsure[0]}: probabilities of edges; give the threshold of an edge, such as --min-probability 0.5"
        )
    if least is not None and not unsure:
        raise UsageError("--min-probability has no effect: no edge has a probability; leave it out")
    one, other = (_chosen(graph, least) for graph in (one, other))
    found, true = set(one.edges), set(other.edges)
    tp, fp, fn = len(found & true), len(found - true), len(true - found)
    counts = {
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "hamming": fp + fn,
        "precision": _ratio(tp, tp + fp),
        "recall": _ratio(tp, tp + fn),
        "f1": _ratio(2 * tp, 2 * tp + fp + fn),
    }
    return {**counts, **_of_directions(learned, truth), **differences}


def edges_side_by_side(
    pairs: Sequence[tuple[GraphFile, GraphFile]], least: float | None
) -> list[tuple[str, str, list[float]]]:
    """Each edge that a learned graph or the true one has, without its direction.

    Parameters
    ----------
    pairs
        Each learned graph with the true one, as `read_pair` returns them.
    least
        As for `compare`; with None edges keep their probabilities.

    Returns
    -------
    list of (str, str, list of float)
        The ends u and v, by name, in the order of the first graph; and for each learned graph and the true one the
        probability of the edge, 1 for an edge without one, 0 for none.
    """
    graphs = [*(learned.graph for learned, _ in pairs), pairs[0][1].graph]
    names = next((graph.names for graph in graphs if graph.names), None)
    columns = []
    for graph in graphs:
        chosen = graph if least is None else _chosen(graph, least)
        values = [1.0] * len(chosen.edges) if least is not None else chosen.probabilities or [1.0] * len(chosen.edges)
        ends = [frozenset(shown([w], graph.names or names) for w in edge) for edge in chosen.edges]
        columns.append(dict(zip(ends, values, strict=True)))
    place = {shown([w], names): w for w in range(max(graph.n for graph in graphs))}
    edges = sorted(sorted(map(place.__getitem__, edge)) for edge in set().union(*columns))
    named = [(shown([u], names), shown([v], names)) for u, v in edges]
    return [(u, v, [column.get(frozenset((u, v)), 0.0) for column in columns]) for u, v in named]


def _chosen(graph: Graph, least: float | None) -> Graph:
    """The graph of the edges with at least this probability; all, if they have none."""
    return graph if graph.probabilities is None else graph.probable(least or 0.0)


def _of_probabilities(one: Graph, other: Graph) -> dict[str, float]:
    """The differences of the probabilities of two graphs, over the edges of either; empty if one has none."""
    if one.probabilities is None or other.probabilities is None:
        return {}
    here, there = (dict(zip(graph.edges, graph.probabilities or (), strict=True)) for graph in (one, other))
    apart = [abs(here.get(edge, 0.0) - there.get(edge, 0.0)) for edge in sorted({**here, **there})] or [0.0]
    return {"largest difference": round(max(apart), 6), "mean difference": round(sum(apart) / len(apart), 6)}


def _of_directions(learned: GraphFile, truth: GraphFile) -> dict[str, float]:
    """The structural Hamming distances of two files whose edges have directions; nothing for others."""
    one, other = learned.dag or learned.pdag, truth.dag or truth.pdag
    if one is None or other is None:
        return {}
    distances = structural_distance(one, other)
    if any(isinstance(graph, Dag) and graph.order() is None for graph in (one, other)):
        return {**distances}
    classes = [cpdag(graph) if isinstance(graph, Dag) else graph for graph in (one, other)]
    return {**distances, "shd-cpdag": structural_distance(*classes)["shd"]}


def _ratio(part: int, whole: int) -> float:
    """part / whole to six decimals; 1 if whole is 0."""
    return round(part / whole, 6) if whole else 1.0
