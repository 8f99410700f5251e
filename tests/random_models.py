"""Random networks with probabilities, each fixed by its seed."""

from dataclasses import replace

import numpy as np

from cliquewise.common.models.bayesnet import BayesianNetwork

NAMES = ("type", "wet road", "Wet_Road", "a|b,c", "größe <5>", "x")
STATES = (
    ("no", "yes"), ("a bit", "a_bit", "5-12"), ("0", "1"), ("table", "TABLE", "//"), ('"', "'", "-1"), ("007", "7"),
)  # fmt: skip


def random_model(rng, arity, most_parents=3, zeros=0.15):
    """A Bayesian network with these numbers of states, a share of whose probabilities are zero."""
    n, order = len(arity), rng.permutation(len(arity)).tolist()
    parents, tables = [()] * n, [None] * n
    for i, v in enumerate(order):
        parents[v] = tuple(rng.permutation(order[:i])[: rng.integers(0, most_parents + 1)].tolist())
        q = int(np.prod([arity[u] for u in parents[v]], dtype=int))
        table = rng.dirichlet(np.full(arity[v], 0.7), q) * (rng.random((q, arity[v])) >= zeros)
        table[table.sum(axis=1) == 0] = 1
        tables[v] = table / table.sum(axis=1, keepdims=True)
    states = tuple(tuple(f"s{k}" for k in range(r)) for r in arity)
    return BayesianNetwork(tuple(f"x{v}" for v in range(n)), states, tuple(parents), tuple(tables))


def small_model(seed):
    """A network of up to seven variables with two or three states."""
    rng = np.random.default_rng(seed)
    return random_model(rng, rng.integers(2, 4, int(rng.integers(1, 8))).tolist(), zeros=0)


def named_model(seed, names=NAMES, states=STATES, zeros=0.0, most_parents=3):
    """A network with these names and states."""
    made = random_model(np.random.default_rng(seed), [len(labels) for labels in states], most_parents, zeros)
    return replace(made, names=tuple(names), states=tuple(states))
