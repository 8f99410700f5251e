"""Underflow: products that no number holds, where sums of logarithms do; and that both ways agree."""

import numpy as np
import pytest

from cliquewise.common.junction import propagation
from cliquewise.common.models.bayesnet import BayesianNetwork
from tests.random_models import random_model


def naive_bayes(n, table, last):
    """A class of two states, n children with one table and a last one with another."""
    names = ("class", *(f"x{i}" for i in range(n)), "last")
    tables = (np.array([[0.5, 0.5]]), *[np.array(table)] * n, np.array(last))
    return BayesianNetwork(names, (("a", "b"),) * (n + 2), ((), *[(0,)] * (n + 1)), tables)


@pytest.mark.slow
def test_thousands_of_findings_do_not_underflow():
    """The class that nearly all findings speak against is the only one that the last admits."""
    n = 3000
    network = naive_bayes(n, [[0.5, 0.5], [0.001, 0.999]], [[0.0, 1.0], [0.5, 0.5]])
    codes = np.zeros((2, n + 2), np.int32)
    codes[:, 0] = -1
    codes[1, -1] = 1
    logs, found = network.posterior(codes, (0,))
    against = n * np.log(0.001) + 2 * np.log(0.5)
    assert logs[0] == pytest.approx(against) and found[0].tolist() == [0.0, 1.0]
    assert logs[1] == pytest.approx((n + 1) * np.log(0.5)) and found[1] == pytest.approx([1.0, 0.0])
    assert network.marginals(codes)[1][0][0] == pytest.approx([0.0, 1.0])
    total, best, full = network.most_probable(codes)
    assert full[:, 0].tolist() == [1, 0] and total[0] == pytest.approx(against) and best == pytest.approx([0.0, 0.0])
    assert network.draw_missing(codes, np.random.default_rng(1), 5)[1][0, :, 0].tolist() == [1] * 5


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
