"""The choice among candidate mixtures, and the gain of the choice on held-out rows."""

import numpy as np
import pytest

from cliquewise.common.data.dataset import Dataset
from cliquewise.mixture.em import MixtureFit, NetworkFit
from cliquewise.mixture.pool import Candidate, choice, pool_value, row_folds, single_network


def candidate(name, logs, times, networks=1):
    """A candidate with these log probabilities of rows."""
    parts = MixtureFit(tuple(NetworkFit((), (), np.zeros(0)) for _ in range(networks)), np.full(networks, 1 / networks))
    return Candidate(name, {}, parts, logs, float(np.average(logs, weights=times)))


def folds_of(times):
    """The folds of rows that come so often."""
    return row_folds(Dataset(("a",), (("0",),), np.zeros((len(times), 1), np.int32), "-", times))


def test_a_gain_within_its_standard_error_is_not_taken():
    """Of candidates that are as good as the best but for noise, none is added; a real gain is."""
    taken = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        times = rng.integers(1, 4, 300)
        logs = rng.normal(-5.0, 1.0, 300)
        alone = candidate("search", logs, times)
        worse = [candidate("free", logs - 0.05 + rng.normal(0, 0.01, 300), times, 2) for _ in range(6)]
        found = choice([alone, *worse], folds_of(times), 100)
        assert found.gain > found.error or found.candidates == [alone]
        taken += len(found.networks) > 1
        other = candidate("free", logs + rng.normal(0.0, 1.0, 300), times, 2)
        assert len(choice([alone, other], folds_of(times), 100).networks) == 3
        few = choice([alone, other], folds_of(times), 2)  # no more networks than allowed
        assert few.candidates == [alone] or (few.candidates == [other] and few.gain > few.error)
    assert taken == 0


def test_a_large_mixture_that_gains_much_is_kept():
    """A mixture of many networks that is far better than small ones, each of whose networks has little weight."""
    rng, times = np.random.default_rng(3), np.ones(400, int)
    logs = rng.normal(-5.0, 1.0, 400)
    large = candidate("free", logs + np.where(rng.random(400) < 0.5, 4.0, -0.5), times, 60)
    small = [candidate("search", logs + rng.normal(0.0, 1.0, 400), times) for _ in range(60)]
    for kept in (choice([*small, large], folds_of(times), 100), choice([large, *small], folds_of(times), 100)):
        assert large in kept.candidates and len(kept.networks) <= 100
        weights = kept.weights[kept.candidates.index(large) :][:60]
        assert weights.max() < 0.1  # by the weight of a network others would stay


def test_small_mixtures_return_when_a_large_one_leaves_room():
    """Small mixtures leave while a large one is there, which has their gains; then it is too large itself."""
    rng, times = np.random.default_rng(5), np.ones(600, int)
    kind = rng.integers(0, 4, 600)
    alone = candidate("search", np.full(600, -5.0), times)
    small = [candidate("free", np.where(kind == k, -3.5, -5.5), times, 4) for k in range(4)]
    large = candidate("free", np.full(600, -4.2), times, 64)
    assert choice([alone, *small, large], folds_of(times), 100).candidates != [alone]
    for most in (63, 40, 17):
        found = choice([alone, large, *small], folds_of(times), most)
        assert large not in found.candidates and {*small} <= {*found.candidates} and len(found.networks) <= most
    leaving = candidate("free", np.where(kind < 3, -3.6, -5.2), times, 10)
    for most in range(4, 20):
        found = choice([alone, leaving, *small], folds_of(times), most)
        assert len(found.networks) <= most and found.gain > found.error
        fitting = [one for one in (leaving, *small) if one not in found.candidates]
        for one in fitting:  # nothing that would gain has room
            more = pool_value([*found.candidates, one], times) - pool_value(found.candidates, times)
            assert len(found.networks) + len(one.fit.networks) > most or more < 0.01


def test_the_single_network_is_the_default_one_unless_another_is_clearly_better():
    """Sizes, samples and grown networks that hardly differ, or by two and a half standard errors; then by five."""
    rng, times = np.random.default_rng(7), np.ones(400, int)
    usual = rng.normal(-5.0, 1.0, 400)

    def other(kind, gain, ess=10.0, sample=None):
        noise = rng.normal(0.0, 0.2, 400)
        made = candidate(kind, usual + noise - noise.mean() + gain, times)
        made.settings.update(ess=ess, sample=sample)
        return made

    searched = other("search", 0.0)
    near = [other("search", 0.006, 3.0), other("search", 0.006, sample=5), other("grown", 0.006), other("sparse", -1.0)]
    assert max(near, key=lambda one: one.value).value > searched.value
    assert single_network([*near, searched], times) is searched
    assert single_network([near[1], near[2], near[0]], times) is near[0]  # searched with all rows
    assert single_network([searched, other("search", 0.025, 3.0)], times) is searched
    for better in (other("search", 0.05, 3.0), other("search", 0.05, sample=5), other("grown", 0.05)):
        assert single_network([*near, searched, better], times) is better
        kept = choice([searched, better], folds_of(times), 1)
        assert kept.networks == better.fit.networks and kept.weights.tolist() == [1.0]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_few_networks_if_nearly_all_rows_repeat(most):
    """The rows themselves have nearly all weight, but a row that is not among them needs a network."""
    rng, times = np.random.default_rng(8), np.ones(500, int)
    rows = candidate("empirical", np.where(np.arange(500) == 7, -np.inf, -2.0), times)
    networks = [candidate("search", rng.normal(-7.0, 0.1, 500), times) for _ in range(4)]
    sparse = candidate("sparse", rng.normal(-16.0, 0.1, 500), times)
    found = choice([rows, *networks, sparse, candidate("free", np.full(500, -7.0), times, 2)], folds_of(times), most)
    assert 1 <= len(found.networks) <= most and found.candidates != [rows]
    assert (rows in found.candidates) == (most > 1) and (most == 1 or found.gain > 3.0)


def test_the_gain_is_that_of_held_out_rows():
    """Against a slow version: each row by weights from the other folds, of rows written one by one."""
    rng = np.random.default_rng(2)
    times = rng.integers(1, 4, 60)
    several = [candidate("search", rng.normal(-3, 1, 60), times) for _ in range(3)]
    found = choice(several, folds_of(times), 10)
    rows = np.repeat(np.arange(60), times)
    logs = np.array([one.logs for one in several])
    alone = max(several, key=lambda one: one.value).logs
    gains = []
    for fold in range(5):
        inside = np.arange(len(rows)) % 5 == fold
        weights = np.full(3, 1 / 3)
        for _ in range(3000):
            terms = weights[:, None] * np.exp(logs[:, rows[~inside]])
            weights = (terms / terms.sum(axis=0)).mean(axis=1)
        gains += [np.log(weights @ np.exp(logs[:, row])) - alone[row] for row in rows[inside]]
    assert found.gain == pytest.approx(np.mean(gains), abs=1e-3)
    assert found.error == pytest.approx(np.std(gains) / np.sqrt(len(gains) - 1), abs=1e-3)
    assert pool_value(several, times) >= max(one.value for one in several) - 1e-5
