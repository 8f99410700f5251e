"""Prior knowledge about the arcs of a Bayesian network, statement by statement.

A network is a tuple of parent sets (frozensets), one per vertex. Statements are a dict: `required_arcs` and
`forbidden_arcs`, sets of (parent, child); `tiers`, a list of (members, whether arcs among them are allowed); `order`, a
list; `roots` and `leaves`, sets; `allowed`, `forbidden` and `required`, sets of frozensets of two.
"""


def agrees(network, stated):
    """Whether a network has everything that is stated, and nothing that the statements exclude."""
    arcs = {(u, v) for v, parents in enumerate(network) for u in parents}
    return (
        all(arc in arcs for arc in stated.get("required_arcs", ()))
        and not any(arc in arcs for arc in stated.get("forbidden_arcs", ()))
        and all(_fits_tiers(arc, stated.get("tiers", ())) for arc in arcs)
        and all(_fits_order(arc, stated.get("order")) for arc in arcs)
        and not any(network[v] for v in stated.get("roots", ()))
        and not any(v in parents for v in stated.get("leaves", ()) for parents in network)
        and _fit_edges({frozenset(arc) for arc in arcs}, stated)
    )


def _fits_tiers(arc, tiers):
    parent, child = arc
    for i, (members, may_join) in enumerate(tiers):
        if child in members:
            if parent in members and not may_join:
                return False
            if any(parent in later for later, _ in tiers[i + 1 :]):
                return False
    return True


def _fits_order(arc, order):
    return order is None or order.index(arc[0]) < order.index(arc[1])


def _fit_edges(edges, stated):
    allowed = stated.get("allowed")
    return (
        (allowed is None or edges <= allowed)
        and not edges & stated.get("forbidden", set())
        and stated.get("required", set()) <= edges
    )
