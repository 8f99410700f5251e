"""A chain of networks in one file, in the form of Benchpress: a CSV of the changes from one network to the next.

    index,score,added,removed
    -2,0.0,[a-b;a-c],[]
    -1,0.0,[],[a-b;a-c]
    0,-23.5,[b-c],[]
    4,-21.0,[a-b],[b-c]
    9,-21.0,[],[]

Two rows name the vertices: edges from the first to all others are added and removed. Then each row has the position in
the chain (0 is the first network), the score of the network from there on, and its changes. Ours ends with a row
without changes at the number of networks, because a reader counts a network up to the next row: so each counts once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..common.errors import DataError
from ..common.files.atomic_write import write_whole

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph

_RESERVED = "-;,[]\"'\r\n"  # a label is read up to the next of these


def trajectory_labels(n: int, names: Sequence[str] | None) -> list[str]:
    """The labels of the vertices in a trajectory: their names, or else their indices.

    Parameters
    ----------
    n
        Number of vertices.
    names
        Of the vertices.

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        A name that cannot be written, or fewer than two vertices: without an edge nothing can name them.
    """
    if n < 2:
        raise DataError("a trajectory needs two variables or more; leave --trajectory out")
    labels = list(map(str, range(n))) if names is None else list(names)
    for label in labels:
        if not label or any(sign in label for sign in _RESERVED) or label != label.strip():
            raise DataError(
                f"a trajectory separates names by - and ;, so it cannot contain the name {label!r}; rename it"
            )
    return labels


def write_trajectory(path: str, graphs: Sequence[Graph], scores: Sequence[float]) -> None:
    """Write a chain of networks, whole or not at all.

    Parameters
    ----------
    path
        `-` is standard output.
    graphs
        At least one, on the same vertices.
    scores
        Of each network.

    Raises
    ------
    DataError
        The file cannot be written, or it cannot contain a name.
    """
    labels = trajectory_labels(graphs[0].n, graphs[0].names)
    write_whole(path, _rows(labels, [frozenset(graph.edges) for graph in graphs], scores))


def _rows(labels: list[str], networks: list[frozenset], scores: Sequence[float]) -> Iterator[str]:
    """The text, row by row; equal networks that follow each other have one row."""

    def listed(edges: Iterable[tuple[int, int]]) -> str:
        return "[" + ";".join(f"{labels[u]}-{labels[v]}" for u, v in sorted(edges)) + "]"

    star = listed((0, v) for v in range(1, len(labels)))
    yield f"index,score,added,removed\n-2,0.0,{star},[]\n-1,0.0,[],{star}\n"
    before: frozenset = frozenset()
    for index, (now, score) in enumerate(zip(networks, scores, strict=True)):
        if index == 0 or now != before:
            yield f"{index},{score:.6f},{listed(now - before)},{listed(before - now)}\n"
        before = now
    yield f"{len(networks)},{scores[-1]:.6f},[],[]\n"
