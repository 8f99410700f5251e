"""Underflow: products that no number holds, where sums of logarithms do; and that both ways agree."""

import numpy as np
import pytest

from cliquewise.common.junction import propagation
from cliquewise.common.models.bayesnet import BayesianNetwork
from tests.random_models import random_model


def test_long_chains_of_rare_states_do_not_underflow():
    """Each variable has one likely state; the findings name the others, and the ends are asked for."""
    n, p = 900, 1e-9
    table = np.array([[1 - p, p], [1 - p, p]])
    network = BayesianNetwork(tuple(map(str, range(n))), (("a", "b"),) * n, ((), *((v,) for v in range(n - 1))),
                              (table[:1], *[table] * (n - 1)))  # fmt: skip
    codes = np.full((1, n), -1, np.int32)
    codes[0, 1::2] = 1
    assert network.log_likelihood(codes)[0] == pytest.approx(n // 2 * np.log(p))
    likelihoods = {v: np.array([0.0, 1e-300]) for v in range(0, n, 2)}
    assert network.log_likelihood(codes, likelihoods)[0] == pytest.approx(n * np.log(p) + n // 2 * np.log(1e-300))


def test_a_message_that_only_logarithms_hold():
    """A thousand findings speak against a state of c, which copies d; a child of d excludes the other state."""
    n, leaf = 1000, np.array([[1e-3, 1 - 1e-3], [1 - 1e-3, 1e-3]])
    tables = (np.array([[0.5, 0.5]]), np.eye(2), np.array([[0.5, 0.5], [0.0, 1.0]]), np.full((2, 2), 0.5), *[leaf] * n)
    names = ("d", "c", "excluding", "asked", *map(str, range(n)))
    network = BayesianNetwork(names, (("a", "b"),) * (n + 4), ((), *[(0,)] * 3, *[(1,)] * n), tables)
    codes = np.zeros((1, n + 4), np.int32)
    codes[0, [0, 1, 3]] = -1
    logs, found = network.posterior(codes, (3,))
    assert logs == pytest.approx([n * np.log(1e-3) + 2 * np.log(0.5)]) and found[0] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("seed", range(20))
def test_logarithms_and_products_agree(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    network = random_model(rng, rng.integers(1, 4, 8).tolist())
    codes = np.column_stack([rng.integers(-1, len(labels), 12) for labels in network.states])
    answers = []
    for deepest in (600.0, -1.0, 2.0):
        monkeypatch.setattr(propagation, "SAFE_NATS", deepest)
        logs, tables = network.marginals(codes)
        _, best, full = network.most_probable(codes)
        drawn = network.draw_missing(codes, np.random.default_rng(3), 4)[1]
        answers.append((logs, *tables, best, full, drawn))
    for other in answers[1:]:
        for first, second in zip(answers[0], other, strict=True):
            assert second == pytest.approx(first, abs=1e-11, nan_ok=True)
