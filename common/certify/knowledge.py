"""Does a Bayesian network agree with the statements about its arcs? Each statement is checked separately.

Nothing here is shared with the learners, which compile all statements into allowed and required arcs
(`common.graphs.knowledge`).

Cost: O(arcs) for each statement.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from ..graphs.graph import shown

if TYPE_CHECKING:
    from ..graphs.dag import Dag
    from ..graphs.graph import Graph
    from ..graphs.statements import Statements


def knowledge_problems(dag: Dag, stated: Statements) -> list[str]:
    """Problems of a network: one text for each kind of statement that it violates.

    Parameters
    ----------
    stated
        Of variables numbered as in the network.
    """
    arcs, of_arc = set(dag.arcs), partial(shown, names=dag.names, between=" -> ")
    problems = [f"arc {of_arc(arc)} is required and missing" for arc in stated.required_arcs if arc not in arcs][:1]
    problems += [f"arc {of_arc(arc)} is forbidden" for arc in stated.forbidden_arcs if arc in arcs][:1]
    rank = {v: i for i, members in enumerate(stated.tiers) for v in members}
    for u, v in dag.arcs:
        if u in rank and v in rank and rank[u] > rank[v]:
            problems.append(f"arc {of_arc((u, v))} leads to an earlier tier")
            break
    for members, alone in zip(stated.tiers, stated.without_arcs, strict=True):
        within = [arc for arc in dag.arcs if alone and {*arc} <= {*members}]
        problems += [f"arc {of_arc(arc)} is within a tier without arcs" for arc in within[:1]]
    turn = {v: i for i, v in enumerate(stated.order)}
    problems += [f"arc {of_arc(arc)} is against the order" for arc in dag.arcs if turn and turn[arc[0]] > turn[arc[1]]][
        :1
    ]
    problems += [f"arc {of_arc(arc)} leads to a root" for arc in dag.arcs if arc[1] in stated.roots][:1]
    problems += [f"arc {of_arc(arc)} begins at a leaf" for arc in dag.arcs if arc[0] in stated.leaves][:1]
    return problems + edge_problems(dag, stated)


def edge_problems(graph: Dag | Graph, constraints: Any) -> list[str]:
    """The problems of the edges of a network, regardless of their directions.

    Parameters
    ----------
    constraints : record with `allowed`, `forbidden` and `required`
        Graphs or None.
    """
    allowed, forbidden, required = (getattr(constraints, name, None) for name in ("allowed", "forbidden", "required"))
    here = {(min(edge), max(edge)) for edge in graph.edges}
    wrong = {
        "is not among those allowed": set() if allowed is None else here - {*allowed.edges},
        "is forbidden": set() if forbidden is None else here & {*forbidden.edges},
        "is required and missing": set() if required is None else {*required.edges} - here,
    }
    return [f"edge {shown(min(edges), graph.names, ' - ')} {what}" for what, edges in wrong.items() if edges]
