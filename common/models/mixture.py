"""A mixture of Bayesian networks: a model with a hidden class, which no row of data has.

p(x, k) = w_k p_k(x), so that p(x) is the sum over the classes k. All networks have the same variables and states, each
its own parents. The class is the last variable of the model, so it can be queried and given like any other.

One of the networks can be an empirical distribution, with the rows that were seen (`common.models.empirical`).

A mixture is also one Bayesian network, in which the class is a parent of every variable (`mixture.network`).
In formats that have no mixtures it is written as that; `common.models.hidden_class` takes it apart again.

For rows e of evidence, each network k answers with p_k(e) (`common.junction.model`). The class is then
distributed as p(k | e), which is proportional to w_k p_k(e), and

* a distribution of variables is the sum over k of p(k | e) times that of network k;
* a draw has a class drawn by p(k | e), and then a row of that network.

These are exact, and the class can be given or queried like a variable. The *most probable states* x of the others
maximise the sum over k of w_k p_k(x, e), which no network alone attains. Branch and bound: each network's own maximum
bounds its term, so

    max over x of sum over k of w_k p_k(x, e)  <=  sum over k of w_k (max over x of p_k(x, e)),

with equality where all networks have the same best x. Otherwise a variable on which they disagree gets each of its
states in turn, the node with the largest bound first, until no bound is above the best x found, or for `MAX_STEPS`. The
best of each network are the candidates; the log names the rows without a proof, with their gaps.

Cost: that of each network; for the most probable states times the nodes.
"""

from __future__ import annotations

import heapq
import itertools
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..data.dataset import Dataset
from ..data.states import NO_MARKERS, ordered_dataset
from ..graphs.graph import Graph
from ..junction.model import DiscreteModel, Likelihoods
from .bayesnet import BayesianNetwork
from .empirical import Empirical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOG = logging.getLogger("cliquewise")
MAX_STEPS = 50_000  # nodes times networks times variables, for all rows
TRIED_NETWORKS = 5  # networks whose best states are candidates in a node
PROOF_TOLERANCE = 1e-9  # nats: a bound so little above the best
DRAWS = 1 << 18  # rows drawn at a time
CLASS_NAME = "class"  # usual name of the variable, and the key of the header line that has the name


@dataclass(frozen=True)
class Mixture(DiscreteModel):
    """Bayesian networks with weights.

    Attributes
    ----------
    networks : tuple of BayesianNetwork or Empirical
        Of the same variables and states.
    weights : float64[K]
        They sum to 1.
    hidden : str
        Name of the class, not that of a variable.
    """

    networks: tuple[BayesianNetwork | Empirical, ...]
    weights: np.ndarray
    hidden: str = CLASS_NAME

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, and the class."""
        return (*self.networks[0].names, self.hidden)

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """Labels of the states; the classes are numbered from 1."""
        return (*self.networks[0].states, tuple(str(k + 1) for k in range(len(self.networks))))

    @property
    def n(self) -> int:
        """Number of variables, with the class."""
        return self.networks[0].n + 1

    def moral_graph(self) -> Graph:
        """The Graph of all edges that the moral graph of some network has, with the class joined to all variables."""
        edges = {edge for network in self.networks for edge in network.moral_graph().edges}
        edges |= {(v, self.n - 1) for v in range(self.n - 1)}
        return Graph(self.n, tuple(sorted(edges)), self.names)

    def sample(self, rows: int, rng: np.random.Generator) -> Dataset:
        """Draw independent rows, without the class."""
        which = rng.choice(len(self.weights), rows, p=self.weights)
        codes = np.empty((rows, self.n - 1), np.int32, order="F")
        for k in range(len(self.weights)):
            codes[which == k] = self.networks[k].draw(int((which == k).sum()), rng)
        return ordered_dataset(self.names[:-1], self.states[:-1], codes, declared=NO_MARKERS)

    def posterior(
        self, codes: np.ndarray, targets: Sequence[int], likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Answers of a mixture, as `DiscreteModel.posterior`; the class may be among the targets."""
        hidden = self.n - 1
        known = np.array(codes, dtype=np.int32)
        known[:, list(targets)] = -1
        variables, others = [v for v in targets if v != hidden], self.of_variables(likelihoods)
        answers = [one.posterior(known[:, :hidden], variables, others) for one in self.networks]
        logs = self.class_logs(known, likelihoods) + [each for each, _ in answers]
        total = log_sum(logs)
        joint = _responsibilities(logs, total)[:, :, None] * np.nan_to_num([table for _, table in answers])
        if len(variables) == len(targets):
            table = joint.sum(axis=0)
        else:
            shape = [len(self.states[v]) for v in variables]
            table = np.moveaxis(joint, 0, 1).reshape(len(total), len(answers), *shape)
            table = np.moveaxis(table, 1, 1 + list(targets).index(hidden)).reshape(len(total), -1)
        table[np.isneginf(total)] = np.nan
        return total, table

    def marginals(self, codes: np.ndarray, likelihoods: Likelihoods = None) -> tuple[np.ndarray, list[np.ndarray]]:
        """As `DiscreteModel.marginals`; the class is the last variable."""
        hidden = self.n - 1
        others = self.of_variables(likelihoods)
        answers = [one.marginals(codes[:, :hidden], others) for one in self.networks]
        logs = self.class_logs(codes, likelihoods) + [each for each, _ in answers]
        total = log_sum(logs)
        responsibilities = _responsibilities(logs, total)
        found = [
            sum(p[:, None] * np.nan_to_num(each[v]) for p, (_, each) in zip(responsibilities, answers, strict=True))
            for v in range(hidden)
        ]
        found.append(responsibilities.T.copy())
        for table in found:
            table[np.isneginf(total)] = np.nan
        return total, found

    def most_probable(
        self, codes: np.ndarray, targets: Sequence[int] | None = None, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `DiscreteModel.most_probable`; the class is summed over, unless it is among the targets.

        The log shows whether the states found are proved to be the most probable ones.
        """
        search = _Search(self, targets, likelihoods)
        codes = np.array(codes, dtype=np.int32)
        if targets is not None:
            codes[:, list(targets)] = -1
        totals = self.log_likelihood(codes, likelihoods)
        possible, found, logs, left = ~np.isneginf(totals), codes.copy(), totals.copy(), np.zeros(len(codes))
        for row in np.flatnonzero(possible):
            best = search.run(codes[row])
            found[row], logs[row], left[row] = best.states, best.value, max(0.0, best.bound - best.value)
        open_rows = int((left > PROOF_TOLERANCE).sum())
        proved = "proved for all rows"
        if open_rows:
            proved = f"{open_rows} of {len(codes)} rows not proved"
            proved += f"; others gain at most {left.max():.3g} in the log probability"
        LOG.info("most probable states of a mixture: %s", proved)
        with np.errstate(invalid="ignore"):
            return totals, logs - totals, found

    def draw_rows(
        self, codes: np.ndarray, rng: np.random.Generator, repeats: np.ndarray, likelihoods: Likelihoods = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `DiscreteModel.draw_rows`; the class is drawn too."""
        hidden = self.n - 1
        others = self.of_variables(likelihoods)
        codes = np.array(codes, dtype=np.int32)
        logs = self.class_logs(codes, likelihoods)
        logs += [one.log_likelihood(codes[:, :hidden], others) for one in self.networks]
        total = log_sum(logs)
        drawn, possible = np.repeat(codes, repeats, axis=0), np.repeat(~np.isneginf(total), repeats)
        ends = np.cumsum(_responsibilities(logs, total), axis=0)
        ends /= np.where(ends[-1] > 0, ends[-1], 1.0)
        which = (rng.random(len(drawn)) >= np.repeat(ends[:-1], repeats, axis=1)).sum(axis=0)
        for k, network in enumerate(self.networks):
            rows = np.flatnonzero(possible & (which == k))
            for start in range(0, len(rows), DRAWS):
                block = rows[start : start + DRAWS]
                drawn[block, :hidden] = network.draw_missing(drawn[block, :hidden], rng, 1, others)[1][:, 0]
            drawn[rows, hidden] = k
        return total, drawn

    def class_logs(self, codes: np.ndarray, likelihoods: Likelihoods) -> np.ndarray:
        """ln w_k for the classes that a row admits, with the likelihood of the class: float64[K, rows]."""
        hidden = self.n - 1
        classes = np.arange(len(self.weights))[:, None]
        weights = self.weights * (likelihoods or {}).get(hidden, 1.0)
        with np.errstate(divide="ignore"):
            logs = np.log(weights)[:, None]
        return np.where((codes[:, hidden] < 0) | (codes[:, hidden] == classes), logs, -np.inf)

    def of_variables(self, likelihoods: Likelihoods) -> Likelihoods:
        """The likelihoods without that of the class."""
        return {v: values for v, values in (likelihoods or {}).items() if v != self.n - 1}


def component_networks(model: BayesianNetwork | Mixture) -> tuple[BayesianNetwork | Empirical, ...]:
    """The networks of a mixture, or a single network."""
    return model.networks if isinstance(model, Mixture) else (model,)


def log_sum(logs: np.ndarray) -> np.ndarray:
    """Logarithm of the sum over the first axis."""
    top = logs.max(axis=0)
    shift = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return shift + np.log(np.exp(logs - shift).sum(axis=0))


def _responsibilities(logs: np.ndarray, total: np.ndarray) -> np.ndarray:
    """p(k | row): float64[K, rows], zeros in a row of probability zero."""
    return np.exp(logs - np.where(np.isneginf(total), 0.0, total))


@dataclass
class _Best:
    """The best states found, the log of their probability together with the evidence, and a bound on all."""

    states: np.ndarray
    value: float = -np.inf
    bound: float = np.inf


@dataclass
class _Search:
    """Branch and bound for the most probable states of one row after the other."""

    mixture: Mixture
    targets: Sequence[int] | None
    likelihoods: Likelihoods
    steps: int = MAX_STEPS
    numbers: Iterator[int] = field(init=False, default_factory=itertools.count)  # so that no nodes are compared

    def run(self, row: np.ndarray) -> _Best:
        """The most probable states of one row, int32[n], whose targets are missing."""
        hidden = self.mixture.n - 1
        if self.targets is not None and hidden in self.targets:
            return self._with_class(row)
        best: _Best = _Best(row.copy())
        waiting: list[tuple] = []
        self._look(row[None], best, waiting)
        while waiting:
            bound, _, node, branch = waiting[0]
            best.bound = max(-bound, best.value)
            if best.bound <= best.value + PROOF_TOLERANCE or branch < 0 or self.steps <= 0:
                break
            heapq.heappop(waiting)
            children = np.repeat(node[None], len(self.mixture.states[branch]), axis=0)
            children[:, branch] = np.arange(len(children))
            self._look(children, best, waiting)
        else:
            best.bound = best.value
        return best

    def _free(self, row: np.ndarray) -> list[int]:
        """The targets that are not fixed."""
        targets = range(self.mixture.n - 1) if self.targets is None else self.targets
        return [v for v in targets if row[v] < 0]

    def _maxima(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of each network the log of its largest term, float64[K, rows], and its states, int32[K, rows, n - 1]."""
        mixture, hidden = self.mixture, self.mixture.n - 1
        others, free = mixture.of_variables(self.likelihoods), self._free(rows[0])
        targets = None if self.targets is None else [v for v in free if v != hidden]
        logs = mixture.class_logs(rows, self.likelihoods).copy()
        states = []
        for k, network in enumerate(mixture.networks):
            total, found, codes = network.most_probable(rows[:, :hidden], targets, others)
            logs[k] += np.where(np.isneginf(total), -np.inf, total + np.nan_to_num(found))
            states.append(codes)
        self.steps -= len(mixture.networks) * mixture.n
        return logs, np.array(states)

    def _look(self, rows: np.ndarray, best: _Best, waiting: list) -> None:
        """Bound some nodes with the same free variables, try their candidates, and queue nodes that may be better."""
        logs, states = self._maxima(rows)
        bounds, free = log_sum(logs), self._free(rows[0])
        for i, row in enumerate(rows):
            if np.isneginf(bounds[i]) or bounds[i] <= best.value + PROOF_TOLERANCE:
                continue
            order = np.argsort(-logs[:, i], kind="stable")
            self._try(row, free, states[order[:TRIED_NETWORKS], i], best)
            branch = self._branch(free, np.exp(logs[:, i] - bounds[i]), states[:, i])
            if branch >= 0 and bounds[i] > best.value + PROOF_TOLERANCE:
                heapq.heappush(waiting, (-bounds[i], next(self.numbers), row, branch))

    def _try(self, row: np.ndarray, free: list[int], states: np.ndarray, best: _Best) -> None:
        """Judge candidates by the mixture."""
        candidates = np.repeat(row[None], len(states), axis=0)
        candidates[:, free] = states[:, free]
        candidates = np.unique(candidates[(candidates[:, free] >= 0).all(axis=1)], axis=0)
        values = self.mixture.log_likelihood(candidates, self.likelihoods)
        if values.max() > best.value:
            best.states, best.value = candidates[values.argmax()].copy(), float(values.max())

    @staticmethod
    def _branch(free: list[int], shares: np.ndarray, states: np.ndarray) -> int:
        """The variable on which the networks disagree most, -1 if all that matter agree."""
        top = states[shares.argmax()]
        against = [(float(shares[states[:, v] != top[v]].sum()), -v) for v in free]
        most = max(against, default=(0.0, 0))
        return -most[1] if most[0] > 0.0 else -1

    def _with_class(self, row: np.ndarray) -> _Best:
        """The best network's states, with its class: exact."""
        logs, states = self._maxima(row[None])
        k, found = int(logs[:, 0].argmax()), row.copy()
        free = [v for v in self._free(row) if v != self.mixture.n - 1]
        found[free], found[-1] = states[k, 0, free], k
        return _Best(found, float(logs[k, 0]), float(logs[k, 0]))
