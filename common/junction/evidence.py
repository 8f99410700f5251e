"""A network with evidence, that is, rows with missing cells and likelihoods of states; junction trees for queries.

The probability of a complete row is the product of p(v | parents) over all variables. In a row with missing cells, each
family with a missing variable is a table over its missing variables; a junction tree of these tables
(`common.junction.propagation`) sums or maximises over the missing cells. So the observed cells of a row make the tree
smaller. Variables that are not queried and have no observed or queried descendants are left out, as they sum to one.
Likelihoods of states (soft evidence) are one more table each.

Rows are processed together. A group has the same missing cells, or, where a query needs no joint distribution
(`apart`), the same connected ones: the probability of a row is a product over sets of missing variables that share no
family, and far fewer such sets occur than sets of missing cells. If there are many groups and the tables are small, all
rows form one group, and the variables that are missing in any row are summed out in all, with an indicator table for
each state that a row does have.

The largest table limits what is feasible: it has one number per joint state of a clique of the junction tree, and must
fit into the usable memory. Parts of the network that the evidence separates from the queried variables matter only for
the probability of the row; a query with `relevant` leaves them out.

Cost per group of rows: the tree in Python, about 200 microseconds per variable, and its passes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..counted import power_of_ten
from ..run.resources import check_fits, usable_memory
from ..sets.joint_states import joint_state_numbers, joint_states
from .propagation import JunctionTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from .propagation import Collected

TABLE_BYTES = 40  # bytes per number of the largest table, with the working arrays
_OTHER_TABLE_BYTES = 8  # bytes per number of the other tables
BLOCK_CELLS = 1 << 21
_MIN_ROWS_TOGETHER = 8  # fewest rows that are faster together than one by one: numpy sums along them
_STEP_CELLS = 10_000  # table entries that cost as much as a step
_KNOWN_ROWS = 1 << 14  # rows whose families without a missing cell are looked up together


class ParentNetwork:
    """The interface of a network that inference needs.

    Attributes
    ----------
    states : tuple of tuple of str
        Labels of each variable's states.
    parents : tuple of tuple of int
        Of each variable.
    """

    states: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]

    def probability(self, v: int, codes: np.ndarray) -> np.ndarray:
        """Probabilities of states of a variable, given the states of its parents.

        Parameters
        ----------
        codes : int[rows, 1 + parents]
            States of the variable, then of its parents in order.

        Returns
        -------
        float64[rows]
        """
        raise NotImplementedError

    def family(self, v: int) -> np.ndarray | None:
        """p(v | parents), with an axis for the variable, then one per parent; None if too large or too many axes."""
        return None


@dataclass(frozen=True)
class Query:
    """A query about the missing cells of rows.

    Attributes
    ----------
    targets : tuple of int or None
        The queried variables, which must be missing in all rows; None: all that are missing.
    joint : bool
        Whether these must be in the first clique of the tree.
    maximised : bool
        Whether to maximise over them, after the sum over all others.
    scopes : tuple of tuple of int
        Further sets of variables whose missing ones must lie in one clique.
    relevant : bool
        Whether to leave out the variables that the known cells separate from the queried ones; then log probabilities
        are incomplete.
    apart : bool
        Whether missing variables of a row that no families connect have a tree each, so that rows with other cells
        missing elsewhere share it. A row then has several trees, whose totals are added.
    """

    targets: tuple | None = None
    joint: bool = False
    maximised: bool = False
    scopes: tuple = ()
    relevant: bool = False
    apart: bool = False


class Evidence:
    """A network with evidence: rows with missing cells, and likelihoods of states.

    Parameters
    ----------
    network
        It can be replaced later by one of the same parents; the junction trees found so far remain.
    codes : int8 or int32[rows, n]
        States; -1 is a missing cell. They are copied only if some variable has one state, and is thus known.
    likelihoods : dict of int to float64[r], optional
        By variable, the likelihood of each of its states, >= 0, the same for all rows.
    """

    def __init__(
        self,
        network: ParentNetwork,
        codes: np.ndarray,
        likelihoods: dict[int, np.ndarray] | None = None,
    ) -> None:
        self.network = network
        self.arity = [len(labels) for labels in network.states]
        self.codes = np.asarray(codes)
        if 1 in self.arity:  # known, whether it was observed or not
            self.codes = self.codes.copy(order="K")
            self.codes[:, [r == 1 for r in self.arity]] = 0
        self.likelihoods = {v: np.asarray(values, float) for v, values in (likelihoods or {}).items()}
        self._plans: dict[Query, list] = {}  # of the queries so far

    def size(self, scope: Iterable[int]) -> int:
        """The number of joint states of some variables."""
        return math.prod(self.arity[v] for v in scope)

    def ask(self, query: Query) -> tuple[np.ndarray, Iterator]:
        """Answer a query by junction trees.

        Parameters
        ----------
        query

        Returns
        -------
        (float64[rows], iterator of (int64[m], Plan, Collected))
            The contribution of families and likelihoods without a missing cell to each log probability; and, for all
            rows with relevant missing cells, their tree, or trees, whose totals are to be added.

        Raises
        ------
        LimitError
            A set of missing cells needs too large a table; with its size.
        """
        if query not in self._plans:
            self._plans[query] = self._groups(query)
        groups = self._plans[query]
        known = self.codes.copy(order="K") if groups else self.codes  # the families that need no tree
        for plan, rows in groups:
            known[np.ix_(rows, plan.hidden)] = -1
        logs = np.zeros(len(known))
        for start in range(0, len(known), _KNOWN_ROWS):
            part = slice(start, start + _KNOWN_ROWS)
            self._add_known(known[part], logs[part])
        for v, values in self.likelihoods.items():
            with np.errstate(divide="ignore"):
                logs += np.log(np.where(known[:, v] >= 0, values[known[:, v]], values.max()))
        return logs, (
            (
                rows[start : start + plan.rows_at_once],
                plan,
                plan.run(self.codes[rows[start : start + plan.rows_at_once]].astype(np.int32)),
            )
            for plan, rows in groups
            for start in range(0, len(rows), plan.rows_at_once)
        )

    def _add_known(self, codes: np.ndarray, logs: np.ndarray) -> None:
        """Add the logarithms of the families without a missing cell, of int32[rows, n], to float64[rows]."""
        columns = np.ascontiguousarray(codes.T)
        missing = columns < 0
        nowhere, everywhere = np.all(missing, axis=1), np.all(~missing, axis=1)
        for v, own_parents in enumerate(self.network.parents):
            family = [v, *own_parents]
            if nowhere[family].any():
                continue
            full = slice(None) if everywhere[family].all() else ~missing[family].any(axis=0)
            states = columns[family][:, full]
            table = self.network.family(v)
            with np.errstate(divide="ignore"):
                if table is None or table.size > states.shape[1]:
                    logs[full] += np.log(self.network.probability(v, states.T))
                    continue
                # several times as fast as an index for each axis
                logs[full] += np.log(table).ravel()[joint_state_numbers(states, table.shape, states.shape[1])]

    def factors(self, row: int) -> tuple[list[int], list[tuple[tuple[int, ...], np.ndarray]]]:
        """The factors of the distribution of one row's missing cells.

        Parameters
        ----------
        row
            Its number.

        Returns
        -------
        (list of int, list of (tuple of int, float64[states ...]))
            The number of states of each variable, 1 if it is known; scopes of missing variables, and numbers from 0 to
            1 whose product is proportional to the probability of the completed row.

        Raises
        ------
        LimitError
            A family needs too large a table.
        """
        codes, found = self.codes[row : row + 1], []
        for v, own_parents in enumerate(self.network.parents):
            scope = tuple(u for u in (v, *own_parents) if codes[0, u] < 0)
            if scope:
                _check_tables(TABLE_BYTES * self.size(scope), self.size(scope), f"at least {len(scope) - 1}")
                found.append((scope, self.family_table(v, scope, codes)[..., 0]))
        for v, values in self.likelihoods.items():
            if codes[0, v] < 0:
                found.append(((v,), values / (values.max() or 1.0)))
        return [r if k < 0 else 1 for r, k in zip(self.arity, codes[0].tolist(), strict=True)], found

    def family_table(self, v: int, hidden: tuple[int, ...], codes: np.ndarray) -> np.ndarray:
        """p(v | parents) over the missing variables of the family.

        Parameters
        ----------
        hidden
            The missing variables of the family, in the order of `v, *parents`.
        codes : int32[rows, n]

        Returns
        -------
        float64[states of the missing variables ..., rows]
            With a single row if all rows are equal.
        """
        family = (v, *self.network.parents[v])
        codes = codes[: 1 if len(family) == len(hidden) else None]
        table = self.network.family(v)
        if table is not None and len(codes) == 1:
            return table[tuple(slice(None) if u in hidden else codes[0, u] for u in family)][..., None]
        shape = tuple(self.arity[u] for u in hidden)
        joint = joint_states(shape)
        full = np.tile(codes[:, family], (len(joint), 1))
        for states, u in zip(joint.T, hidden, strict=True):
            full[:, family.index(u)] = np.repeat(states, len(codes))
        return self.network.probability(v, full).reshape(*shape, len(codes))

    def _groups(self, query: Query) -> list:
        """Rows with missing cells that share the same tree: list of (Plan, int64[rows])."""
        if self.codes.size == 0 or self.codes.min() >= 0:
            return []
        packed = np.ascontiguousarray(np.packbits(self.codes < 0, axis=1))
        _, first, which = np.unique(packed.view(f"V{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
        patterns = self.codes[first] < 0
        order = np.argsort(which, kind="stable")
        members = np.split(order, np.cumsum(np.bincount(which, minlength=len(patterns)))[:-1])
        parts = [(np.flatnonzero(pattern).tolist(), rows) for pattern, rows in zip(patterns, members, strict=True)]
        parts = [(hidden, rows) for hidden, rows in parts if hidden]
        if query.apart:
            parts = self._apart(parts)
        plans = []
        if len(parts) > 1:
            rows = np.concatenate([rows for _, rows in parts])
            if query.apart:  # a row can be in several parts; np.unique would load numpy.ma
                rows = np.flatnonzero(np.bincount(rows))
            always = set.intersection(*(set(hidden) for hidden, _ in parts))
            together = Plan(self, set().union(*(hidden for hidden, _ in parts)), always, query)
            cells = _STEP_CELLS * sum(len(hidden) for hidden, _ in parts) / len(rows)
            if together.least < cells and together.cells < cells:
                plans = [(together, rows)]
        plans = plans or [(Plan(self, set(hidden), set(hidden), query), rows) for hidden, rows in parts]
        memory = usable_memory()  # looked up once: there can be a plan for each row
        for plan, rows in plans:
            plan.check(len(rows), memory)
        return plans

    def _apart(self, parts: list[tuple[list[int], np.ndarray]]) -> list[tuple[list[int], np.ndarray]]:
        """Sets of missing variables that families connect, each with the rows of all sets that contain it."""
        around = _neighbours((v, *own_parents) for v, own_parents in enumerate(self.network.parents))
        found: dict[tuple[int, ...], list[np.ndarray]] = {}
        for hidden, rows in parts:
            left = set(hidden)
            near = {v: around[v] & left for v in hidden}
            while left:
                component = _connected(near, [min(left)])
                left -= component
                found.setdefault(tuple(sorted(component)), []).append(rows)
        return [(list(component), np.sort(np.concatenate(rows))) for component, rows in found.items()]


class Plan:
    """The junction tree of some missing variables, and how to fill its tables.

    Parameters
    ----------
    evidence
    hidden
        The variables that are missing in some row.
    always
        Those that are missing in all rows.
    query
    """

    def __init__(self, evidence: Evidence, hidden: set[int], always: set[int], query: Query) -> None:
        self.evidence = evidence
        self.hidden = sorted(hidden)
        network = evidence.network
        targets = hidden if query.targets is None else hidden.intersection(query.targets)
        needed = targets.union(*query.scopes, evidence.likelihoods)
        self.families = _needed(network.parents, hidden, always - needed)
        self.scopes = {v: tuple(u for u in (v, *network.parents[v]) if u in hidden) for v in self.families}
        if query.relevant:
            joined = _connected(_neighbours(self.scopes.values()), targets)
            self.scopes = {v: scope for v, scope in self.scopes.items() if joined.issuperset(scope)}
            self.families, hidden = list(self.scopes), hidden & joined
            self.hidden = sorted(hidden)
        more = [tuple(u for u in scope if u in hidden) for scope in query.scopes]
        more += [(v,) for v in hidden & needed] + [tuple(sorted(targets))] * query.joint
        self._scopes = [*self.scopes.values(), *more]
        self._last = targets if query.joint or query.maximised else ()
        self._maximised = targets if query.maximised else ()
        self._widest = max(((), *self._scopes), key=evidence.size)

    @property
    def least(self) -> int:
        """Numbers of the largest table of a family, or of the queried variables, which no tree can avoid."""
        return self.evidence.size(self._widest)

    @cached_property
    def tree(self) -> JunctionTree:
        """Takes minutes to build if a family has a thousand missing variables."""
        return JunctionTree(self.evidence.arity, self._scopes, self._last, self._maximised)

    @cached_property
    def largest(self) -> int:
        """Numbers of the largest table."""
        return max(self.tree.sizes)

    @cached_property
    def cells(self) -> int:
        """Numbers of all tables."""
        return sum(self.tree.sizes)

    def check(self, rows: int, memory: float) -> None:
        """Refuse tables that are too large for this number of rows."""
        _check_tables(TABLE_BYTES * self.least, self.least, f"at least {len(self._widest) - 1}", memory)
        need = (TABLE_BYTES * self.largest + _OTHER_TABLE_BYTES * self.cells) * min(rows, self.rows_at_once)
        width = max(len(clique.scope) for clique in self.tree.cliques) - 1
        _check_tables(need, self.largest, f"{width} by min-fill", memory)

    @property
    def rows_at_once(self) -> int:
        """The number of rows processed together: one, or at least `_MIN_ROWS_TOGETHER`."""
        rows = BLOCK_CELLS // self.cells
        return max(rows, _MIN_ROWS_TOGETHER) if rows >= _MIN_ROWS_TOGETHER // 2 else 1

    @property
    def draws_at_once(self) -> int:
        """The number of draws made together."""
        return max(1, BLOCK_CELLS // self.largest)

    def run(self, codes: np.ndarray) -> Collected:
        """Collect the tables of some rows.

        Parameters
        ----------
        codes : int32[rows, n]

        Returns
        -------
        Collected
        """
        arity, present = self.evidence.arity, self._present
        tables = [(self.scopes[v], self.evidence.family_table(v, self.scopes[v], codes)) for v in self.families]
        for v in present:
            if (codes[:, v] >= 0).any():
                states = np.arange(arity[v])[:, None]
                tables.append(((v,), ((codes[:, v] < 0) | (states == codes[:, v])).astype(float)))
            if v in self.evidence.likelihoods:  # its largest number is counted as known
                values = self.evidence.likelihoods[v]
                tables.append(((v,), (values / (values.max() or 1.0))[:, None]))
        return self.tree.collect(tables, len(codes))

    @cached_property
    def _present(self) -> list[int]:
        """The variables of the tree."""
        return sorted({v for clique in self.tree.cliques for v in clique.scope})


def _check_tables(need: int, largest: int, width: str, memory: float | None = None) -> None:
    """Refuse bytes that do not fit, with the numbers of the largest table and the treewidth."""
    what = f"exact inference needs a table of {power_of_ten(largest)} numbers (treewidth {width}); all tables"
    check_fits(need, memory, what, "ask for fewer variables or give more of them")


def _neighbours(scopes: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """The variables that are in a scope with each variable of a scope, and itself."""
    around: dict[int, set[int]] = {}
    for scope in scopes:
        for u in scope:
            around.setdefault(u, set()).update(scope)
    return around


def _connected(near: dict[int, set[int]], start: Iterable[int]) -> set[int]:
    """The variables that chains of neighbours connect with those of `start`, and these."""
    found = set(start)
    waiting = list(found)
    while waiting:
        new = near.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _needed(parents: Sequence[Sequence[int]], hidden: set[int], always: set[int]) -> list[int]:
    """The variables whose families contain a missing variable and do not sum to one, ascending.

    `always` are those that may be left out: missing in all rows and not queried.
    """
    children = dict.fromkeys(hidden, 0)
    for own_parents in parents:
        for u in own_parents:
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
    families = [{v, *own_parents} for v, own_parents in enumerate(parents)]
    return [v for v, family in enumerate(families) if v not in left_out and not hidden.isdisjoint(family)]
