"""The empirical distribution of rows: each distinct row has its share of them, and all others have probability zero.

It is the maximum-likelihood fit of the network in which all variables are joined: a chordal network with one clique,
whose table has only the states that occur. By itself it predicts no new row. In a mixture it gives rows that repeat a
high probability, which no network with small cliques can without also doing so for similar rows.

Queries are answered by sums over the rows that agree with the evidence. With probabilities p_i of its rows and
likelihoods l(x_i) of their states, the evidence e has probability

    p(e) = sum over the rows i that agree with e of p_i l(x_i),

and a distribution of variables is the same sum for each of their joint states, divided by p(e).

Cost: a sort of all rows for each set of cells that are missing together in the queried rows.

Memory: that of the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..graphs.graph import Graph
from ..junction.model import DiscreteModel, Likelihoods, draws_of
from ..sets.joint_states import numbered_states

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class _Agreeing(NamedTuple):
    """Queried rows with the same missing cells, and the rows of the distribution that agree with some of them.

    queried : int64[a], among all queried rows
    evidence : int64[a], the number of the evidence of each of them
    distinct : int, how many of these numbers
    rows : int64[b], of the distribution
    numbers : int64[b], of the evidence with which each of them agrees
    weights : float64[b], probability times likelihoods
    """

    queried: np.ndarray
    evidence: np.ndarray
    distinct: int
    rows: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray

    def sums(self, places: np.ndarray, size: int) -> np.ndarray:
        """The sum of weights by evidence and by place, int64[b] below `size`: float64[distinct, size]."""
        return np.bincount(self.numbers * size + places, self.weights, self.distinct * size).reshape(
            self.distinct, size
        )

    @property
    def logs(self) -> np.ndarray:
        """ln p(e) of each queried row: float64[a]."""
        with np.errstate(divide="ignore"):
            return np.log(self.sums(np.zeros(len(self.rows), np.int64), 1)[self.evidence, 0])


@dataclass(frozen=True)
class Empirical(DiscreteModel):
    """An empirical distribution.

    Attributes
    ----------
    names : tuple of str, length n
        Of the variables, all different.
    states : tuple of tuple of str
        Labels of each variable's states.
    rows : int32[m, n]
        All different.
    probabilities : float64[m]
        Their probabilities, which sum to 1.
    """

    names: tuple
    states: tuple
    rows: np.ndarray
    probabilities: np.ndarray

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.names)

    def moral_graph(self) -> Graph:
        """The Graph with all edges."""
        return Graph(self.n, tuple(combinations(range(self.n), 2)), self.names)

    def draw(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw independent rows: int32[rows, n]."""
        return self.rows[rng.choice(len(self.rows), rows, p=self.probabilities)]

    def posterior(
        self, codes: np.ndarray, targets: Sequence[int], likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Answers of an empirical distribution, as `DiscreteModel.posterior`."""
        codes = np.array(codes, dtype=np.int32)
        codes[:, list(targets)] = -1
        arity = [len(self.states[v]) for v in targets]
        size, places = math.prod(arity), np.zeros(len(self.rows), np.int64)
        for v, r in zip(targets, arity, strict=True):
            places = places * r + self.rows[:, v]
        logs, table = np.zeros(len(codes)), np.zeros((len(codes), size))
        for found in self._agreeing(codes, likelihoods):
            logs[found.queried] = found.logs
            table[found.queried] = _shares(found.sums(places[found.rows], size))[found.evidence]
        return logs, table

    def marginals(self, codes: np.ndarray, likelihoods: Likelihoods = None) -> tuple[np.ndarray, list[np.ndarray]]:
        """As `DiscreteModel.marginals`."""
        codes = np.array(codes, dtype=np.int32)
        logs, tables = np.zeros(len(codes)), [np.zeros((len(codes), len(labels))) for labels in self.states]
        for found in self._agreeing(codes, likelihoods):
            logs[found.queried] = found.logs
            for v, table in enumerate(tables):
                sums = found.sums(self.rows[found.rows, v].astype(np.int64), table.shape[1])
                table[found.queried] = _shares(sums)[found.evidence]
        return logs, tables

    def most_probable(
        self, codes: np.ndarray, targets: Sequence[int] | None = None, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `DiscreteModel.most_probable`."""
        codes = np.array(codes, dtype=np.int32)
        if targets is not None:
            codes[:, list(targets)] = -1
        arity, result = [len(labels) for labels in self.states], codes.copy()
        totals, logs = np.zeros(len(codes)), np.zeros(len(codes))
        for found in self._agreeing(codes, likelihoods):
            totals[found.queried] = logs[found.queried] = found.logs
            chosen = np.flatnonzero(codes[found.queried[0]] < 0) if targets is None else np.array(targets, np.int64)
            of_state, first = numbered_states(self.rows[np.ix_(found.rows, chosen)], [arity[v] for v in chosen])
            if not len(first):
                continue
            pairs, of_pair = np.unique(found.numbers * len(first) + of_state, return_inverse=True)
            sums = np.bincount(of_pair.ravel(), found.weights)
            order = np.lexsort((-sums, pairs // len(first)))
            evidence, best = np.unique((pairs // len(first))[order], return_index=True)
            state, value = np.zeros(found.distinct, np.int64), np.zeros(found.distinct)
            state[evidence], value[evidence] = (pairs % len(first))[order[best]], sums[order[best]]
            possible = value[found.evidence] > 0
            rows, which = found.queried[possible], found.evidence[possible]
            result[np.ix_(rows, chosen)] = self.rows[np.ix_(found.rows[first[state[which]]], chosen)]
            logs[rows] = np.log(value[which])
        with np.errstate(invalid="ignore"):
            return totals, logs - totals, result

    def draw_rows(
        self, codes: np.ndarray, rng: np.random.Generator, repeats: np.ndarray, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `DiscreteModel.draw_rows`."""
        codes = np.array(codes, dtype=np.int32)
        logs, drawn = np.zeros(len(codes)), np.repeat(codes, repeats, axis=0)
        for found in self._agreeing(codes, likelihoods):
            logs[found.queried] = found.logs
            order = np.argsort(found.numbers, kind="stable")
            ends = np.cumsum(found.weights[order])
            last = np.searchsorted(found.numbers[order], np.arange(found.distinct), side="right")
            above = np.concatenate([[0.0], ends])[last]  # of each number: the sum of weights up to it
            below = np.concatenate([[0.0], above[:-1]])
            possible = ~np.isneginf(found.logs)
            rows, which = found.queried[possible], found.evidence[possible]
            wanted, places = draws_of(rows, repeats)
            at = below[which[wanted]] + rng.random(len(wanted)) * (above - below)[which[wanted]]
            chosen = np.minimum(np.searchsorted(ends, at, side="right"), last[which[wanted]] - 1)
            drawn[places] = self.rows[found.rows[order[chosen]]]
        return logs, drawn

    def _agreeing(self, codes: np.ndarray, likelihoods: Likelihoods) -> Iterator[_Agreeing]:
        """The rows that agree, for each set of missing cells; `codes` is int32[rows, n]."""
        arity, weights = [len(labels) for labels in self.states], self.probabilities.copy()
        for v, values in (likelihoods or {}).items():
            weights *= np.asarray(values, float)[self.rows[:, v]]
        patterns, of_row = np.unique(codes < 0, axis=0, return_inverse=True)
        for k, missing in enumerate(patterns):
            queried, known = np.flatnonzero(of_row.ravel() == k), np.flatnonzero(~missing)
            both = np.concatenate([codes[np.ix_(queried, known)], self.rows[:, known]])
            numbers = numbered_states(both, [arity[v] for v in known])[0]
            wanted, evidence = np.unique(numbers[: len(queried)], return_inverse=True)
            place = np.minimum(np.searchsorted(wanted, numbers[len(queried) :]), len(wanted) - 1)
            rows = np.flatnonzero(wanted[place] == numbers[len(queried) :])
            yield _Agreeing(queried, evidence.ravel(), len(wanted), rows, place[rows], weights[rows])


def _shares(sums: np.ndarray) -> np.ndarray:
    """Each row's divided by their sum; nan where that is 0."""
    with np.errstate(invalid="ignore"):
        return sums / sums.sum(axis=1, keepdims=True)
