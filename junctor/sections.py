"""The original Junctor's sections: solution (-s), junction tree (-t), adjacency matrix (-m), dot (-d).

Order, headings and columns are those of the original; cliques are maximal and sorted, and unconnected parts of a
network are separate trees (the original joins them by empty separators).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..common.files.graph_dot import format_dot
from ..common.graphs.chordal import junction_tree

if TYPE_CHECKING:
    from ..common.graphs.graph import Graph


RULE = "=" * 38


def format_sections(graph: Graph, score_of: Callable, wanted: Sequence[str], proved: bool) -> str:
    """The text of some sections.

    Parameters
    ----------
    graph : Graph, chordal
    score_of
        Score of a tuple of vertices.
    wanted
        Some of `junctor.config.SECTIONS`, in the order of the output.
    proved
        Whether the network is known to be optimal.
    """
    texts = {
        "solution": lambda: "Solution\n" + _solution(graph, score_of, proved),
        "tree": lambda: "Junction tree\n" + _tree(graph),
        "matrix": lambda: "Adjacency matrix\n" + _matrix(graph),
        "dot": lambda: ".dot\n" + format_dot(graph, {}),
    }
    return "".join(f"{RULE} {texts[name]()}" for name in wanted)


def _solution(graph: Graph, score_of: Callable, proved: bool) -> str:
    cliques, tree = junction_tree(graph)
    separators = sorted(separator for _, _, separator in tree)
    lines = ["Cliques:", *(_term(score_of(clique), clique) for clique in sorted(cliques))]
    lines += ["", "Separators:", *(_term(-score_of(separator), separator) for separator in separators)]
    total = sum(map(score_of, cliques)) - sum(map(score_of, separators))
    which = "an optimal network" if proved else "the best network known"
    return "\n".join([*lines, "", f"Total score of {which}:", f"{total:16.6f}", ""])


def _term(score: float, members: tuple[int, ...]) -> str:
    return f"{score:16.6f}  {_show(members)}"


def _show(members: tuple[int, ...]) -> str:
    return " ".join(map(str, members))


def _tree(graph: Graph) -> str:
    """Each clique after its parent, with their separator in a column on the right."""
    cliques, tree = junction_tree(graph)
    children: dict = {i: [] for i in range(len(cliques))}
    for child, parent, separator in tree:
        children[parent].append((child, separator))
    roots = sorted(set(range(len(cliques))) - {child for child, _, _ in tree})
    rows = []
    todo = [(root, (), "", "") for root in reversed(roots)]  # clique, separator, indents of it and of its children
    while todo:
        i, separator, indent, inner = todo.pop()
        rows.append((indent + _show(cliques[i]), _show(separator)))
        for rank, (child, shared) in enumerate(reversed(children[i])):
            todo.append((child, shared, inner + "+--", inner + ("   " if rank == 0 else "|  ")))
    width = max(len(left) for left, _ in rows) + 3
    return "".join(f"{left:{width}}{right}".rstrip() + "\n" for left, right in rows)


def _matrix(graph: Graph) -> str:
    adjacent = graph.neighbours()
    rows = ("".join("1" if v in adjacent[u] else "0" for v in range(graph.n)) for u in range(graph.n))
    return "\n".join(rows) + "\n"
