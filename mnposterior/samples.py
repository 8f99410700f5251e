"""Many networks on the same variables in one file, one per line: `0,1,2 2,3 4`, the maximal cliques of a chordal graph.

A single line is a clique list for `common.files.graph_lists`, so `sed -n 5p` extracts a network that all commands
accept. The comment lines at the top say that the whole file is not one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..common.files.atomic_write import write_whole
from ..common.graphs.chordal import maximal_cliques

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph


def write_samples(path: str, graphs: Sequence[Graph]) -> None:
    """Write networks, whole or not at all.

    Parameters
    ----------
    path
        `-` is standard output.
    graphs
        Chordal, at least one.

    Raises
    ------
    DataError
        The file cannot be written.
    """
    write_whole(path, _lines(graphs))


def _lines(graphs: Sequence[Graph]) -> Iterator[str]:
    """The text, line by line."""
    yield f"# networks {len(graphs)}\n# format samples\n"
    for graph in graphs:
        yield " ".join(",".join(map(str, clique)) for clique in maximal_cliques(graph)) + "\n"
