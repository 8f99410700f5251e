"""What Benchpress reads: trajectories of graphs and edge constraints, slowly and by their definitions."""

from itertools import combinations


def networks_of(trajectory):
    """The networks of a trajectory, one for each position: list of (score, set of pairs of names).

    The rows are applied one after another, and each holds until the position of the next.
    """
    head, *lines = trajectory.splitlines()
    assert head == "index,score,added,removed"
    rows = [line.split(",") for line in lines]
    assert [row[0] for row in rows[:3]] == ["-2", "-1", "0"] and rows[0][2] == rows[1][3]
    now, chain = set(), []
    for (index, score, added, removed), after in zip(rows, [*rows[1:], None], strict=True):
        for edge in added[1:-1].split(";") if added != "[]" else ():
            assert edge not in now
            now.add(edge)
        for edge in removed[1:-1].split(";") if removed != "[]" else ():
            now.remove(edge)
        until = int(after[0]) if after else int(index)
        if int(index) >= 0:
            chain += [(float(score), {tuple(edge.split("-")) for edge in now})] * (until - int(index))
    return chain


def probabilities_of(trajectory):
    """The share of the positions at which each edge is there: {pair of names: share}."""
    chain = networks_of(trajectory)
    pairs = {pair for _, edges in chain for pair in edges}
    return {pair: sum(pair in edges for _, edges in chain) / len(chain) for pair in pairs}


def kept_apart(constraints, names):
    """The pairs of names that constraints forbid whatever the direction: set of (u, v), u before v in `names`."""

    def arc_is_forbidden(u, v):
        tiers = constraints.get("tiers", [])
        of = {name: i for i, tier in enumerate(tiers) for name in tier}
        if u not in of or v not in of:
            return False
        settings = constraints.get("tier_settings", {})
        return (
            of[v] < of[u]
            or (of[u] == of[v] and settings.get("forbid_within_tiers", False))
            or (of[v] > of[u] + 1 and settings.get("can_only_cause_next_tier", False))
        )

    def is_named(u, v):
        groups = constraints.get("forbidden_groups", [])
        return [u, v] in constraints.get("forbidden_edges", []) or any(
            u in g["cause"] and v in g["effect"] for g in groups
        )

    return {
        (u, v)
        for u, v in combinations(names, 2)
        if is_named(u, v) or is_named(v, u) or (arc_is_forbidden(u, v) and arc_is_forbidden(v, u))
    }


def adjacency_of(text):
    """The names and the set of (row, column) with a 1 of an adjacency matrix; other entries must be 0."""
    head, *rows = [line.split(",") for line in text.splitlines()]
    assert len(rows) == len(head) and all(len(row) == len(head) and {*row} <= {"0", "1"} for row in rows)
    return head, {(u, v) for u, row in enumerate(rows) for v, entry in enumerate(row) if entry == "1"}
