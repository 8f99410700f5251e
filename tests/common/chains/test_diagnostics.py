"""R-hat and effective sample size against a simple implementation, and against known values for simple processes."""

import math

import numpy as np
import pytest

from cliquewise.common.chains.diagnostics import (
    effective_samples,
    halves,
    normal_scores,
    plain_effective_samples,
    plain_r_hat,
    r_hat,
)
from tests.oracles import diagnostics as oracle


def series(seed, memory, chains=4, draws=101, shift=0.0):
    """Autoregressive chains, float64[chains, draws], each `shift` above the one before."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((chains, draws))
    for i in range(1, draws):
        values[:, i] += memory * values[:, i - 1]
    return values + shift * np.arange(chains)[:, None]


CASES = {
    "independent": series(1, 0.0),
    "slow": series(2, 0.9),
    "alternating": series(3, -0.5),
    "apart": series(4, 0.3, shift=1.0),
    "ties": series(5, 0.7).round(),
    "two values": (series(6, 0.8) > 0.5) * 1.0,
    "heavy tails": np.exp(3 * series(7, 0.2)),
    "wider": series(8, 0.0) * np.array([[1.0], [1.0], [1.0], [4.0]]),
}


@pytest.mark.parametrize("name", CASES)
def test_r_hat_and_effective_sample_size_are_those_of_the_oracle(name):
    draws = CASES[name]
    assert r_hat(draws) == pytest.approx(oracle.r_hat(draws.tolist()), rel=1e-9)
    assert effective_samples(draws) == pytest.approx(oracle.effective_samples(draws.tolist()), rel=1e-9)


@pytest.mark.parametrize("name", CASES)
def test_r_hat_and_effective_sample_size_are_those_of_arviz(name):
    arviz = pytest.importorskip("arviz_stats", reason="an optional check")
    draws = CASES[name]
    assert r_hat(draws) == pytest.approx(float(arviz.rhat(draws)), rel=1e-6)
    assert effective_samples(draws) == pytest.approx(float(arviz.ess(draws)), rel=1e-2)


def test_effective_sample_size_of_a_known_process():
    slow = series(1, 0.9, draws=20_000)
    assert effective_samples(slow) == pytest.approx(80_000 * 0.1 / 1.9, rel=0.1)
    assert r_hat(slow) < 1.01 < 1.1 < r_hat(slow + np.arange(4)[:, None])
    assert effective_samples(slow + 5 * np.arange(4)[:, None]) < 10
    assert effective_samples(np.exp(slow)) == pytest.approx(effective_samples(slow))


def test_two_values_need_no_ranks():
    parts = halves(CASES["two values"])
    ranked = normal_scores(parts)
    assert plain_r_hat(parts) == pytest.approx(plain_r_hat(ranked))
    assert plain_effective_samples(parts) == pytest.approx(plain_effective_samples(ranked))
    assert plain_effective_samples(np.array([parts, parts])).shape == (2,)


def test_constant_or_short_chains_have_no_diagnostics():
    for draws in (np.ones((4, 50)), series(1, 0.0, draws=7)):
        assert math.isnan(r_hat(draws)) and math.isnan(effective_samples(draws))
