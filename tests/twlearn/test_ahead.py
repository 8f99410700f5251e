"""The kernels that a second process compiles for twlearn, and in which order."""

import pytest

from cliquewise.common.data.dataset import Dataset
from cliquewise.common.files.parentsets import ParentSets
from cliquewise.common.learning.compilation_run import ReversedCompilation
from cliquewise.common.run.monitor import Monitor
from cliquewise.common.scores.scoring import Scoring
from cliquewise.twlearn import ahead
from cliquewise.twlearn.config import METHODS, Config
from tests.random_inputs import random_dataset


@pytest.mark.parametrize("method", METHODS)
def test_what_follows_the_scores_is_compiled_first(method, monkeypatch):
    seen = []
    monkeypatch.setattr(ahead, "learn", lambda source, scoring, config, monitor: seen.append((type(source), monitor)))
    with Monitor() as monitor:
        ahead.compile_ahead(random_dataset(1, n_vars=5), Scoring(), Config(2, method), monitor)
    *before, last = seen
    assert last == (Dataset, monitor) and [kind for kind, _ in before] == [ParentSets] * (method != "climb")


@pytest.mark.parametrize("n", [2, 17])
@pytest.mark.parametrize("method", ["chordal", "milp", "s2"])
def test_a_run_with_few_parent_sets_compiles_its_search(n, method):
    """The program finds that the best network of any treewidth exceeds the bound, and compiles."""
    with ReversedCompilation() as monitor:
        ahead.learn(ahead._few_sets(n), Scoring(), Config(3, method).with_max_parents(), monitor)
    assert monitor.clock.has_started and bool(monitor._tasks) == (method != "milp" or n == 17)
