"""Does a Bayesian network agree with what was stated about its arcs? Each statement is checked separately.

Nothing here is shared with the learners, which compile all statements into allowed and required arcs
(`common.graphs.knowledge`).

Cost: O(arcs) for each statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from ..graphs.statements import Statements


def knowledge_problems(dag: Dag, stated: Statements) -> list[str]:
    """What is wrong with a network: one text for each kind of statement that it breaks.

    Parameters
    ----------
    stated
        Of variables numbered as in the network.
    """
    arcs, shown = set(dag.arcs), _Shown(dag.names)
    problems = [f"arc {shown(arc)} is required and missing" for arc in stated.required_arcs if arc not in arcs][:1]
    problems += [f"arc {shown(arc)} is forbidden" for arc in stated.forbidden_arcs if arc in arcs][:1]
    rank = {v: i for i, members in enumerate(stated.tiers) for v in members}
    for u, v in dag.arcs:
        if u in rank and v in rank and rank[u] > rank[v]:
            problems.append(f"arc {shown((u, v))} leads to an earlier tier")
            break
    for members, alone in zip(stated.tiers, stated.without_arcs, strict=True):
        within = [arc for arc in dag.arcs if alone and {*arc} <= {*members}]
        problems += [f"arc {shown(arc)} is within a tier without arcs" for arc in within[:1]]
    turn = {v: i for i, v in enumerate(stated.order)}
    problems += [f"arc {shown(arc)} is against the order" for arc in dag.arcs if turn and turn[arc[0]] > turn[arc[1]]][
        :1
    ]
    problems += [f"arc {shown(arc)} leads to a root" for arc in dag.arcs if arc[1] in stated.roots][:1]
    problems += [f"arc {shown(arc)} begins at a leaf" for arc in dag.arcs if arc[0] in stated.leaves][:1]
    return problems + _edge_problems(dag, stated, shown)


def _edge_problems(dag: Dag, stated: Statements, shown: _Shown) -> list[str]:
    """What is wrong with the edges, regardless of their directions."""

    def pairs(graph: Graph | None) -> set[frozenset[int]]:
        return set() if graph is None else {frozenset(edge) for edge in graph.edges}

    here = {frozenset(arc): arc for arc in dag.arcs}
    wrong = {
        "is not among those allowed": set() if stated.allowed is None else {*here} - pairs(stated.allowed),
        "is forbidden": {*here} & pairs(stated.forbidden),
        "is required and missing": pairs(stated.required) - {*here},
    }
    first = {what: min(sorted(edge) for edge in edges) for what, edges in wrong.items() if edges}
    return [f"edge {shown(edge, ' - ')} {what}" for what, edge in first.items()]


class _Shown:
    """Names of the ends of an arc or edge."""

    def __init__(self, names: tuple[str, ...] | None) -> None:
        self.names = names

    def __call__(self, ends: tuple[int, int] | list[int], between: str = " -> ") -> str:
        return between.join(str(v) if self.names is None else self.names[v] for v in ends)
