"""Exact inference in Bayesian networks: probabilities of rows, also with missing cells, and posterior distributions.

The probability of a complete row is the product of p(v | parents) over all variables. In a row with missing cells, each
family with a missing variable is a table over its missing variables, and these are summed out one by one (variable
elimination) in min-fill order. A step multiplies the tables that hold the variable and sums over it, which is the
message from one clique of a junction tree to the next. Variables without observed or queried descendants are left out,
as they sum to one.

Rows are processed together, with the row as a further index of all tables. A group has the same missing cells; if there
are many such groups and the tables are small, all rows form one group, and the variables that are missing in any row
are summed out in all, with an indicator table for each state that a row does have.

The largest table limits what is feasible: it has one number per joint state of a clique of the junction tree.
Tables are scaled in every step, row by row, so that nothing underflows.

Cost per group of rows: the steps of an elimination in Python, about 100 microseconds each; per row, the sizes of the
tables, about 10 nanoseconds per number.
"""

import math
from functools import reduce

import numpy as np

from ..common.errors import LimitError
from ..common.graphs.graph import Graph
from ..common.graphs.treewidth import later_neighbours, min_fill_order
from ..common.run.resources import check_fits

MOST_CELLS = 10**7
CELL = 40  # bytes of a number of the largest table, with the working arrays
_BLOCK_CELLS = 1 << 21
_STEP_CELLS = 10_000  # table entries that cost as much as a step


def log_likelihood(network, codes):
    """Log probability of rows.

    Parameters
    ----------
    network : BayesianNetwork or FittedNetwork
    codes : int32[rows, n]
        States; -1 is a missing cell, which is summed out.

    Returns
    -------
    float64[rows]
        Natural logarithms; -inf for impossible rows.

    Raises
    ------
    LimitError
        A set of missing cells needs too large a table.
    """
    return posterior(network, codes, ())[0]


def posterior(network, codes, targets):
    """Log probability of rows and the joint distribution of some missing variables in each.

    Parameters
    ----------
    network : BayesianNetwork or FittedNetwork
    codes : int32[rows, n]
        States; -1 is a missing cell. The values of the targets are ignored.
    targets : sequence of int
        All different.

    Returns
    -------
    (float64[rows], float64[rows, q])
        Log probability of the row without the targets; and p(targets | row), the last target changing fastest, nan in
        a row of probability zero.

    Raises
    ------
    LimitError
        A set of missing cells needs too large a table; with its size.
    """
    codes = np.array(codes, dtype=np.int32)
    arity = [len(labels) for labels in network.states]
    codes[:, list(targets)] = -1
    for v, r in enumerate(arity):
        if r == 1 and v not in targets:
            codes[:, v] = 0  # known, whether it was observed or not
    known = codes.copy()  # the families that need no elimination
    groups = _groups(network, arity, codes, tuple(targets))
    asked = np.ones((len(codes), math.prod(arity[v] for v in targets)))
    for plan, rows in groups:
        known[np.ix_(rows, plan.hidden)] = -1
    logs = _log_of_known_families(network, known)
    for plan, rows in groups:
        for start in range(0, len(rows), plan.rows_at_once):
            block = rows[start : start + plan.rows_at_once]
            scale, table = plan.run(network, codes[block])
            total = table.sum(axis=1)
            with np.errstate(divide="ignore", invalid="ignore"):
                logs[block] += scale + np.log(total)
                asked[block] = table / total[:, None]
    asked[np.isneginf(logs)] = np.nan
    return logs, asked


def _groups(network, arity, codes, targets):
    """Rows with missing cells that share the same steps: list of (_Plan, int64[rows])."""
    patterns, which = np.unique(codes < 0, axis=0, return_inverse=True)
    which = which.ravel()
    order = np.argsort(which, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(which, minlength=len(patterns)))[:-1])
    parts = [(np.flatnonzero(pattern).tolist(), rows) for pattern, rows in zip(patterns, members, strict=True)]
    parts = [(hidden, rows) for hidden, rows in parts if hidden]
    plans = []
    if len(parts) > 1:
        rows = np.concatenate([rows for _, rows in parts])
        always = set.intersection(*(set(hidden) for hidden, _ in parts))
        together = _Plan(network, arity, set().union(*(hidden for hidden, _ in parts)), always, targets)
        if together.cells * len(rows) < _STEP_CELLS * sum(len(hidden) for hidden, _ in parts):
            plans = [(together, rows)]
    plans = plans or [(_Plan(network, arity, set(hidden), set(hidden), targets), rows) for hidden, rows in parts]
    for plan, rows in plans:
        plan.check(len(rows))
    return plans


def _log_of_known_families(network, codes):
    """float64[rows]: the log probability that the families without a missing cell contribute."""
    logs = np.zeros(len(codes))
    for v, above in enumerate(network.parents):
        family = codes[:, (v, *above)]
        known = (family >= 0).all(axis=1)
        with np.errstate(divide="ignore"):
            logs[known] += np.log(network.probability(v, family[known]))
    return logs


class _Plan:
    """The plan for multiplying and summing the tables of some missing variables.

    Parameters
    ----------
    network : BayesianNetwork or FittedNetwork
    arity : list of int
    hidden : set of int
        The variables that are missing in some row, targets included.
    always : set of int
        Those that are missing in all rows.
    targets : tuple of int
        Those that are not summed out.
    """

    def __init__(self, network, arity, hidden, always, targets):
        self.arity, self.targets, self.hidden = arity, targets, sorted(hidden)
        self.families = _needed(network.parents, hidden, always.difference(targets))
        scopes = {v: tuple(u for u in (v, *network.parents[v]) if u in hidden) for v in self.families}
        self.scopes = scopes
        present = sorted(set().union(*scopes.values(), targets))
        place = {v: i for i, v in enumerate(present)}
        joined = [tuple(place[v] for v in scope) for scope in (*scopes.values(), targets)]
        graph = Graph.from_cliques(len(present), joined)
        order = min_fill_order(graph, tuple(place[v] for v in targets))
        later = later_neighbours(graph, order)
        self.order = tuple(present[i] for i in order[: len(present) - len(targets)])
        cliques = [targets, *((present[i], *(present[j] for j in around)) for i, around in enumerate(later))]
        sizes = [math.prod(arity[v] for v in clique) for clique in cliques]
        self.largest, self.cells, self.width = max(sizes), sum(sizes), max(map(len, cliques)) - 1

    def check(self, rows):
        """Refuse tables that are too large, for so many rows."""
        if self.largest > MOST_CELLS:
            size = f"{self.largest}" if self.largest < 10**9 else f"about 10^{math.log10(self.largest):.0f}"
            raise LimitError(
                f"exact inference needs a table of {size} numbers, at most {MOST_CELLS} (treewidth {self.width} by "
                "min-fill); ask for fewer variables or give more of them"
            )
        cells = self.largest * min(rows, self.rows_at_once)
        check_fits(CELL * cells, None, f"tables of {cells} numbers", "ask for fewer variables or give more of them")

    @property
    def rows_at_once(self):
        """How many rows are processed together."""
        return max(1, _BLOCK_CELLS // self.largest)

    def run(self, network, codes):
        """Run the steps for some rows.

        Parameters
        ----------
        network : BayesianNetwork or FittedNetwork
        codes : int32[rows, n]

        Returns
        -------
        (float64[rows], float64[rows, q])
            A log scale, and the table over the targets, to be multiplied with the exponential of the scale.
        """
        scale = np.zeros(len(codes))
        tables = [(self.scopes[v], self._table(network, v, codes)) for v in self.families]
        for v in self.hidden:
            if (codes[:, v] >= 0).any():
                states = codes[:, v, None]
                tables.append(((v,), ((states < 0) | (states == np.arange(self.arity[v]))).astype(float)))
        for v in (*self.order, None):
            held = [each for each in tables if v is None or v in each[0]]
            tables = [each for each in tables if v is not None and v not in each[0]]
            rest = tuple(sorted({u for scope, _ in held for u in scope} - {v})) if v is not None else self.targets
            scope = rest if v is None else (*rest, v)
            product = np.ones((len(codes), *(self.arity[u] for u in scope)))
            for part, table in held:
                product = product * _spread(table, part, scope)
                product /= (top := _positive_top(product))
                scale += np.log(top.reshape(-1))
            tables.append((rest, product if v is None else product.sum(axis=-1)))
        return scale, tables[-1][1].reshape(len(codes), -1)

    def _table(self, network, v, codes):
        """float64[rows, states of the family's missing variables ...]: p(v | parents); one row if all are the same."""
        family = (v, *network.parents[v])
        codes = codes[: 1 if len(family) == len(self.scopes[v]) else None]
        shape = tuple(self.arity[u] for u in self.scopes[v])
        joint = np.indices(shape).reshape(len(shape), -1)
        full = np.repeat(codes[:, family], joint.shape[1], axis=0)
        for states, u in zip(joint, self.scopes[v], strict=True):
            full[:, family.index(u)] = np.tile(states, len(codes))
        return network.probability(v, full).reshape(len(codes), *shape)


def _needed(parents, hidden, always):
    """The variables whose families hold a missing one and do not sum to one by themselves, ascending.

    `always` are those that may be left out: missing in all rows and not queried.
    """
    children = {v: 0 for v in hidden}
    for above in parents:
        for u in above:
            if u in children:
                children[u] += 1
    left_out, waiting = set(), [v for v in always if children[v] == 0]
    while waiting:
        v = waiting.pop()
        left_out.add(v)
        for u in parents[v]:
            if u in children:
                children[u] -= 1
                if children[u] == 0 and u in always:
                    waiting.append(u)
    return [v for v, above in enumerate(parents) if v not in left_out and (v in hidden or not hidden.isdisjoint(above))]


def _spread(table, part, scope):
    """A table over the variables `part` as one over `scope`, with axes of length 1 for the others."""
    axes = sorted(range(len(part)), key=lambda i: scope.index(part[i]))
    shape = [1] * len(scope)
    for i in axes:
        shape[scope.index(part[i])] = table.shape[i + 1]
    return table.transpose(0, *(i + 1 for i in axes)).reshape(len(table), *shape)


def _positive_top(product):
    """The largest number of each row, or 1 where all are 0, shaped to divide by."""
    top = reduce(lambda values, axis: values.max(axis=axis, keepdims=True), range(1, product.ndim), product)
    return np.where(top > 0, top, 1.0)
