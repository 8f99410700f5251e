"""`mnmodel entropy`, `information` and `kl`: entropies, mutual information and divergences of models, in nats.

All follow from marginals on one junction tree. The entropy of all variables is the sum of those of the cliques less
that of those of the separators; the divergence of P from Q is the mean under P of ln p - ln q, which is a sum over the
families of both, so the tree is one that contains both. The mutual information of variables in one clique needs no
more; that of others needs the marginals given each state of one of them, all of which are one more pass.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from ..common.data.csvwriter import csv_text
from ..common.errors import UsageError
from ..common.junction.evidence import Evidence, Query
from ..common.models.mixture import Mixture
from ..common.models.model_names import variables_of
from ..common.sets.joint_states import joint_states
from .evidence import as_named
from .query import targets_of
from .same_order import network_in_order_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .evidence import ModelEvidence


def entropy(evidence: ModelEvidence, of: Sequence[str] | None = None) -> float:
    """The entropy of variables together, given evidence.

    Parameters
    ----------
    evidence
        The model and the evidence, of one row.
    of : sequence of str, optional
        Names; None is all variables.

    Returns
    -------
    float

    Raises
    ------
    CliquewiseError
        Unknown names, evidence of probability zero, or inference that is too large.
    """
    network = evidence.network
    if of is not None:
        logs, table = network.posterior(evidence.codes, targets_of(evidence, of), evidence.likelihoods)
        evidence.check(logs)
        return _entropy(table)
    if isinstance(network, Mixture):
        raise UsageError(
            "the entropy of all variables of a mixture is a sum over all their states; name some with --of"
        )
    logs, trees = Evidence(network, evidence.codes, evidence.likelihoods).ask(Query())
    result = 0.0
    for rows, _, done in trees:
        logs[rows] += done.total
        cliques = done.tree.cliques
        result += sum(map(_entropy, done.marginals([clique.scope for clique in cliques])))
        result -= sum(map(_entropy, done.marginals([clique.separator for clique in cliques if clique.separator])))
    evidence.check(logs)
    return max(0.0, result)


def information(evidence: ModelEvidence, of: Sequence[str] | None = None, all_pairs: bool = False) -> str:
    """The mutual information of pairs of variables, given evidence.

    Parameters
    ----------
    evidence
        The model and the evidence, of one row.
    of : sequence of str, optional
        All pairs of these variables.
    all_pairs
        All pairs of variables; without `of` or this, the edges of the moral graph.

    Returns
    -------
    str
        A CSV with a line per pair, in the order of the model.

    Raises
    ------
    CliquewiseError
        Unknown names, evidence of probability zero, or inference that is too large.
    """
    network = evidence.network
    if of is None and not all_pairs:
        values = edge_information(evidence)
    else:
        names = [as_named(network.names, name) for name in of or ()]
        chosen = range(network.n) if of is None else variables_of(network.names, names, evidence.path)
        if of is not None and len(chosen) < 2:
            raise UsageError(f"--of {of[0]}: there are no pairs of one variable; name two or more")
        values = pair_information(evidence, sorted(chosen))
    lines = [[network.names[u], network.names[v], f"{value:.10g}"] for (u, v), value in values.items()]
    return csv_text([["first", "second", "information"], *lines])


def edge_information(evidence: ModelEvidence) -> dict[tuple[int, int], float]:
    """The mutual information of the ends of each edge of the moral graph: dict of (int, int) to float."""
    network = evidence.network
    values: dict[tuple[int, int], float] = {}
    edges = network.moral_graph().edges
    if isinstance(network, Mixture):
        all_pairs = pair_information(evidence, range(network.n))
        return {edge: all_pairs[edge] for edge in edges}
    logs, trees = Evidence(network, evidence.codes, evidence.likelihoods).ask(Query())
    for rows, plan, done in trees:
        logs[rows] += done.total
        hidden = set(plan.hidden)
        unknown = [edge for edge in edges if hidden.issuperset(edge)]
        values.update(zip(unknown, map(_mutual, done.marginals(unknown)), strict=True))
    evidence.check(logs)
    return {edge: values.get(edge, 0.0) for edge in edges}  # a known variable has no mutual information


def pair_information(evidence: ModelEvidence, chosen: Sequence[int]) -> dict[tuple[int, int], float]:
    """The mutual information of all pairs of some variables (ascending ints): dict of (int, int) to float."""
    network = evidence.network
    logs, single = network.marginals(evidence.codes, evidence.likelihoods)
    evidence.check(logs)
    values = dict.fromkeys(combinations(chosen, 2), 0.0)
    for u in chosen[:-1]:
        r = len(network.states[u])
        if r == 1 or evidence.codes[0, u] >= 0:
            continue
        codes = np.repeat(evidence.codes, r, axis=0)
        codes[:, u] = np.arange(r)
        _, tables = network.marginals(codes, evidence.likelihoods)
        for v in (v for v in chosen if v > u):
            values[u, v] = _mutual(np.nan_to_num(tables[v]) * single[u].T)
    return values


def divergence(first: Any, second: Any, paths: tuple[str, str]) -> float:
    """The Kullback-Leibler divergence of one model from another: the mean of ln p - ln q under the first.

    Parameters
    ----------
    first, second : BayesianNetwork
        P and Q, with the same variables and states, in any order.
    paths
        Their files, for messages.

    Returns
    -------
    float
        At least 0; infinite if Q excludes what P does not.

    Raises
    ------
    CliquewiseError
        Variables or states that differ, or inference that is too large.
    """
    for model, path in zip((first, second), paths, strict=True):
        if isinstance(model, Mixture):
            raise UsageError(f"{path}: the divergence of a mixture is a sum over all states; give single networks")
    second = network_in_order_of(second, first, paths[1], paths[0])
    nothing = np.full((1, first.n), -1, dtype=np.int32)
    families = [(v, *own_parents) for network in (first, second) for v, own_parents in enumerate(network.parents)]
    _, trees = Evidence(first, nothing).ask(Query(scopes=tuple(families)))
    result = 0.0
    arity = [len(labels) for labels in first.states]
    for _, plan, done in trees:
        hidden = set(plan.hidden)
        scopes = [tuple(v for v in family if v in hidden) for family in families]
        for i, (family, belief) in enumerate(zip(families, done.marginals(scopes), strict=True)):
            network, sign = (first, 1.0) if i < first.n else (second, -1.0)
            joint = joint_states([arity[v] for v in family])
            probabilities, weights = network.probability(family[0], joint), belief.reshape(-1)
            with np.errstate(divide="ignore"):
                result += sign * float((weights[weights > 0] * np.log(probabilities[weights > 0])).sum())
    return max(0.0, result)


def _entropy(table: np.ndarray) -> float:
    """The entropy of a distribution in an array, in nats."""
    probabilities = table[table > 0]
    return -float((probabilities * np.log(probabilities)).sum())


def _mutual(table: np.ndarray) -> float:
    """Mutual information of two variables: float64[r, s] or float64[r, s, 1], a joint distribution."""
    table = table.reshape(table.shape[:2])
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    positive = table > 0
    value = float((table[positive] * np.log(table[positive] / (rows * columns)[positive])).sum())
    return value if math.isnan(value) else max(0.0, value)
