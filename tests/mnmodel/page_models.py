"""Models for tests of pages, and what the page of the small one has to show."""

import math

import numpy as np

from cliquewise.common.drawing.page import Page, Strengths
from cliquewise.common.graphs.dag import Dag
from cliquewise.common.models.bayesnet import BayesianNetwork
from tests.oracles.distributions import bayesian_distribution


def layered_network(n, seed, zeros=False, near=8):
    """A random network of n variables of two to four states, with at most two parents among the few before each."""
    rng = np.random.default_rng(seed)
    states = [tuple(f"s{k}" for k in range(rng.integers(2, 5))) for _ in range(n)]
    parents, tables = [], []
    for v in range(n):
        before = range(max(0, v - near), v)
        parents.append(tuple(rng.choice(before, min(len(before), int(rng.integers(0, 3))), replace=False).tolist()))
        rows = math.prod(len(states[u]) for u in parents[v])
        table = rng.dirichlet(np.ones(len(states[v])), rows)
        if zeros:
            table[rng.random(table.shape) < 0.25] = 0
            table[table.sum(axis=1) == 0, 0] = 1
        tables.append(table / table.sum(axis=1, keepdims=True))
    return BayesianNetwork(tuple(f"variable {v}" for v in range(n)), tuple(states), tuple(parents), tuple(tables))


def page_of(network, title="net"):
    """A page with widths by mutual information."""
    dag = Dag.from_parents(network.parents, network.names)
    return Page(title, dag, {"score": "-1.5"}, Strengths("mutual information in the model, nats", None), network)


def small_network():
    """Rain wets the road and the grass; a sprinkler wets the grass; no sprinkler runs in the rain."""
    tables = (
        [[0.7, 0.3]],
        [[0.6, 0.4], [1.0, 0.0]],
        [[0.9, 0.1], [0.2, 0.8]],
        [[1, 0], [0.1, 0.9], [0.2, 0.8], [0, 1]],
    )
    return BayesianNetwork(
        ("rain", "sprinkler", "road", "grass"), (("no", "yes"), ("off", "on"), ("dry", "wet"), ("dry", "wet")),
        ((), (0,), (0,), (0, 1)), tuple(np.array(table, dtype=float) for table in tables),
    )  # fmt: skip


SMALL = small_network()
TRUTH = bayesian_distribution([2] * 4, SMALL.parents, [t.tolist() for t in SMALL.tables])


def weighted(likelihoods):
    """The weight of each joint state of the small network with likelihoods {variable: list}, by enumeration."""
    return {x: p * math.prod(like[x[v]] for v, like in likelihoods.items()) for x, p in TRUTH.items()}


def bars(driver):
    """The marginals that the page holds, per variable."""
    return driver.execute_script("return data.names.map((_, v) => [...tree.marginal(v)])")


def expected_bars(likelihoods):
    weights = weighted(likelihoods)
    total = sum(weights.values())
    return [[sum(w for x, w in weights.items() if x[v] == s) / total for s in (0, 1)] for v in range(4)]
