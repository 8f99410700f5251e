"""Queries of every model: probabilities, distributions, explanations and draws of rows with missing cells.

A `DiscreteModel` has `names`, `states` and the queries below. A network answers them by the junction trees of the
missing cells (`TreeModel`), an empirical distribution by its rows (`common.models.empirical`), a mixture by its
networks (`common.models.mixture`).

In all queries `codes` is int32[rows, n] with -1 for a missing cell, and `likelihoods` has, by variable, the likelihood
of each of its states, float64[r] of at least 0, the same for all rows. All raise a LimitError, with the size of the
table, if a set of missing cells needs too large a table.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np

from ..errors import LimitError
from .evidence import Evidence, ParentNetwork, Query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..exact.toulbar2 import Explanation
    from .propagation import Collected

Likelihoods = dict[int, np.ndarray] | None


class DiscreteModel(ABC):
    """A distribution of discrete variables, with its queries."""

    @abstractmethod
    def posterior(
        self, codes: np.ndarray, targets: Sequence[int], likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Log probability of rows and the joint distribution of some missing variables in each.

        Parameters
        ----------
        codes : int32[rows, n]
            The values of the targets are ignored.
        targets
            All different.
        likelihoods : dict of int to float64[r], optional

        Returns
        -------
        (float64[rows], float64[rows, q])
            Log probability of the row without the targets; and p(targets | row), the last target changing fastest, nan
            in a row of probability zero.
        """

    @abstractmethod
    def marginals(self, codes: np.ndarray, likelihoods: Likelihoods = None) -> tuple[np.ndarray, list[np.ndarray]]:
        """Log probability of rows and the distribution of every variable in each.

        Parameters
        ----------
        codes, likelihoods

        Returns
        -------
        (float64[rows], list of float64[rows, r])
            By variable, nan in a row of probability zero; a known variable has probability 1 in its state.
        """

    @abstractmethod
    def most_probable(
        self, codes: np.ndarray, targets: Sequence[int] | None = None, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The most probable states of the missing cells, or of some variables with the sum over all others.

        Parameters
        ----------
        codes
        targets
            Their values are ignored; None is all missing cells of each row.
        likelihoods : dict of int to float64[r], optional

        Returns
        -------
        (float64[rows], float64[rows], int32[rows, n])
            Log probability of the row without the targets; of the states found, given that; and the row with these,
            with other missing cells, and rows of probability zero, unchanged.
        """

    @abstractmethod
    def draw_rows(
        self, codes: np.ndarray, rng: np.random.Generator, repeats: np.ndarray, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw the missing cells of each row jointly, given its other cells, `repeats` times.

        Parameters
        ----------
        codes, rng
        repeats : int64[rows]
            Draws of each row, >= 0.
        likelihoods : dict of int to float64[r], optional

        Returns
        -------
        (float64[rows], int32[sum of repeats, n])
            Log probability of each row; and the draws, those of the first row first. A row of probability zero is
            unchanged.
        """

    def draw_missing(
        self, codes: np.ndarray, rng: np.random.Generator, draws: int, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `draw_rows`, with the same number of draws for each row: float64[rows], int32[rows, draws, n]."""
        logs, drawn = self.draw_rows(codes, rng, np.full(len(codes), draws), likelihoods)
        return logs, drawn.reshape(len(codes), draws, -1)

    def log_likelihood(self, codes: np.ndarray, likelihoods: Likelihoods = None) -> np.ndarray:
        """Log probability of rows, missing cells summed out: float64[rows]; -inf for impossible rows."""
        return self.posterior(codes, (), likelihoods)[0]


class TreeModel(DiscreteModel, ParentNetwork):
    """A network, the product of p(v | parents) over all variables, with queries by junction trees."""

    def posterior(
        self, codes: np.ndarray, targets: Sequence[int], likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `DiscreteModel.posterior`."""
        return self._joint(codes, targets, likelihoods, False)

    def relevant_posterior(
        self, codes: np.ndarray, targets: Sequence[int], likelihoods: Likelihoods
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `posterior`, from the part of the network on which the targets depend, given the evidence.

        This can be feasible where the log probability of the row is not. So the latter is nan, or -inf for a row that
        is found to be impossible.
        """
        logs, table = self._joint(codes, targets, likelihoods, True)
        return np.where(np.isneginf(logs), -np.inf, np.nan), table

    def _joint(
        self, codes: np.ndarray, targets: Sequence[int], likelihoods: Likelihoods, relevant: bool
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `posterior`; log probabilities are those of the variables in the trees, all or the `relevant` ones."""
        evidence = Evidence(self, _without(codes, targets) if targets else codes, likelihoods)
        several = tuple(v for v in targets if evidence.arity[v] > 1)
        query = Query(several, joint=True, relevant=relevant) if several or relevant else Query((), apart=True)
        logs, trees = evidence.ask(query)
        table = np.ones((len(logs), math.prod(evidence.arity[v] for v in targets)))
        for rows, _, done in trees:
            logs[rows] += done.total
            table[rows] = done.top(several).reshape(table.shape[1], -1).T
        table[np.isneginf(logs)] = np.nan
        return logs, table

    def marginals_within_reach(
        self, codes: np.ndarray, likelihoods: Likelihoods
    ) -> tuple[np.ndarray, list[np.ndarray], dict[int, LimitError]]:
        """As `marginals`, for the variables whose part of the network is small enough.

        Parameters
        ----------
        codes, likelihoods

        Returns
        -------
        (float64[rows], list of float64[rows, r], dict of int to LimitError)
            As from `relevant_posterior`; nan for the other variables, with the reason for each. Descendants of such a
            variable that is unknown in all rows are not tried.
        """
        codes = Evidence(self, codes).codes
        logs, found = np.full(len(codes), np.nan), []
        for v, labels in enumerate(self.states):
            known = (codes[:, v, None] == np.arange(len(labels))).astype(float)
            found.append(np.where(codes[:, v, None] < 0, np.nan, known))
        beyond: dict[int, LimitError] = {}
        for v in TopologicalSorter(dict(enumerate(self.parents))).static_order():
            rows = np.flatnonzero(codes[:, v] < 0)
            near = next((u for u in self.parents[v] if u in beyond and (codes[:, u] < 0).all()), None)
            if not len(rows):
                continue
            if near is not None:
                beyond[v] = beyond[near]
                continue
            try:
                part, table = self.relevant_posterior(codes[rows], (v,), likelihoods)
            except LimitError as error:
                beyond[v] = error
                continue
            logs[rows] = np.where(np.isneginf(part), -np.inf, logs[rows])
            found[v][rows] = table
        for table in found:
            table[np.isneginf(logs)] = np.nan
        return logs, found, beyond

    def marginals(self, codes: np.ndarray, likelihoods: Likelihoods = None) -> tuple[np.ndarray, list[np.ndarray]]:
        """As `DiscreteModel.marginals`."""
        evidence = Evidence(self, codes, likelihoods)
        logs, trees = evidence.ask(Query(apart=True))
        found = [(evidence.codes[:, v, None] == np.arange(r)).astype(float) for v, r in enumerate(evidence.arity)]
        for rows, plan, done in trees:
            logs[rows] += done.total
            for v, table in zip(plan.hidden, done.marginals([(v,) for v in plan.hidden]), strict=True):
                found[v][rows] = table.T
        for table in found:
            table[np.isneginf(logs)] = np.nan
        return logs, found

    def most_probable(
        self, codes: np.ndarray, targets: Sequence[int] | None = None, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `DiscreteModel.most_probable`; maximising over some may need larger tables than summing over all."""
        evidence = Evidence(self, _without(codes, targets or ()), likelihoods)
        chosen = None if targets is None else tuple(v for v in targets if evidence.arity[v] > 1)
        totals = self.log_likelihood(evidence.codes, likelihoods)
        logs, trees = evidence.ask(Query(chosen, maximised=True))
        for rows, _, done in trees:
            logs[rows] += done.total
            _fill(evidence.codes, rows, done, np.arange(len(rows)))
        with np.errstate(invalid="ignore"):
            return totals, logs - totals, evidence.codes

    def most_probable_by_search(
        self, codes: np.ndarray, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray, list[Explanation]]:
        """The most probable states of all missing cells by branch and bound, where junction trees are too large.

        Parameters
        ----------
        codes, likelihoods

        Returns
        -------
        (float64[rows], int32[rows, n], list of Explanation)
            Log probability of each row with the states found, -inf for an impossible row; the row with these; and the
            quality of the solution.

        Raises
        ------
        LimitError
            As `common.exact.toulbar2.most_probable_states`.
        """
        from ..exact.toulbar2 import most_probable_states

        evidence = Evidence(self, _without(codes, ()), likelihoods)
        found = [most_probable_states(*evidence.factors(row)) for row in range(len(evidence.codes))]
        logs = np.full(len(found), -np.inf)
        for i, one in enumerate(found):
            if one.states is not None:
                missing = evidence.codes[i] < 0
                evidence.codes[i, missing] = np.array(one.states)[missing]
                logs[i] = self.log_likelihood(evidence.codes[i : i + 1], likelihoods)[0]
        return logs, evidence.codes, found

    def draw_rows(
        self, codes: np.ndarray, rng: np.random.Generator, repeats: np.ndarray, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `DiscreteModel.draw_rows`."""
        evidence = Evidence(self, codes, likelihoods)
        logs, trees = evidence.ask(Query())
        drawn = np.repeat(evidence.codes, repeats, axis=0)
        for rows, plan, done in trees:
            logs[rows] += done.total
            wanted, places = draws_of(rows, repeats)
            for start in range(0, len(wanted), plan.draws_at_once):
                block = slice(start, start + plan.draws_at_once)
                _fill(drawn, places[block], done, wanted[block], rng)
        return logs, drawn


def draws_of(rows: np.ndarray, repeats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The draws of some rows: for each, int64[any], the place of its row in `rows` and its place among all draws.

    Parameters
    ----------
    rows : int64[k]
    repeats : int64[n]
        Draws of each of all rows.
    """
    wanted = np.repeat(np.arange(len(rows)), repeats[rows])
    first, before = np.cumsum(repeats) - repeats, np.cumsum(repeats[rows]) - repeats[rows]
    return wanted, np.arange(len(wanted)) + (first[rows] - before)[wanted]


def _fill(
    codes: np.ndarray, places: np.ndarray, done: Collected, rows: np.ndarray, rng: np.random.Generator | None = None
) -> None:
    """Write the states of some rows of a tree, or draws of them, into rows of codes, except where the total is 0."""
    possible = ~np.isneginf(done.total[rows])
    for v, found in done.states(rows[possible], rng).items():
        codes[places[possible], v] = found


def _without(codes: np.ndarray, targets: Sequence[int]) -> np.ndarray:
    """A copy of codes in which some variables are missing."""
    codes = np.array(codes, dtype=np.int32)
    codes[:, list(targets)] = -1
    return codes
