"""Candidates in checkpoints: which settings are taken up, and which are refused."""

import numpy as np
import pytest

from cliquewise.common.errors import DataError
from cliquewise.common.run.saved import Saved
from cliquewise.mixture.em import MixtureFit, NetworkFit
from cliquewise.mixture.pool import EMPIRICAL, Candidate
from cliquewise.mixture.state import SavedCandidate, restored, state_of_candidates

ALONE = {"ess": 10.0, "fit-ess": 1.0}
MIXED = {"ess": 300.0, "wanted": 3}


def kept(kind, settings):
    """A candidate of two variables without an edge, written and read again."""
    parents = [[]] if kind == EMPIRICAL else [[[], []]]
    one = SavedCandidate(2, kind, settings, parents, np.ones(1), np.full(4, 0.5))
    return SavedCandidate.of(Saved(SavedCandidate.record.save(one), "kept"), 2)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (EMPIRICAL, {}),
        ("grown", ALONE),
        ("sparse", ALONE | {"sample": None}),
        ("search", ALONE | {"sample": 4, "weight": 0.5}),
        ("extended", MIXED),
        ("free", MIXED | {"parts": None}),
    ],
)
def test_settings_are_restored(kind, settings):
    found = kept(kind, settings)
    assert (found.kind, found.settings) == (kind, settings)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (EMPIRICAL, ALONE),
        ("grown", {"ess": 10.0}),
        ("grown", ALONE | {"ess": 2.0}),
        ("grown", ALONE | {"fit-ess": None}),
        ("grown", ALONE | {"sample": "x"}),
        ("grown", ALONE | {"sample": True}),
        ("grown", ALONE | {"sample": -1}),
        ("grown", ALONE | {"other": 1.0}),
        ("free", {"ess": 10.0}),
        ("free", MIXED | {"wanted": 1.5}),
    ],
)
def test_other_settings_are_refused(kind, settings):
    with pytest.raises(DataError, match="kept"):
        kept(kind, settings)


def test_models_that_were_read_stay_forgotten():
    """They are read again, but a run that goes on must not choose what the first part had dropped."""
    first, second = (Candidate("file", {}, with_networks(), np.zeros(2), 0.0) for _ in range(2))
    second.forget()
    saved = Saved(state_of_candidates([first, second]), "kept")
    read = [Candidate("file", {}, with_networks(), np.zeros(2), 0.0) for _ in range(2)]
    assert list(restored(saved, None, read, None, None)) == []
    assert [len(one.fit.networks) for one in read] == [2, 0] and np.isneginf(read[1].logs).all()
    with pytest.raises(DataError, match="'forgotten'"):
        list(restored(saved, None, read[:1], None, None))


def with_networks():
    """A mixture of two models that were read."""
    return MixtureFit((NetworkFit((), (), np.zeros(2)),) * 2, np.full(2, 0.5))
